/* math/gemm: the packed product and the BLAS ones against three loops in double. */
#include "math/gemm.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "math/vec.h"
#include "support/check_main.h"

enum { MAX_ROWS = 37, MAX_N = 101, MAX_K = 53 };

typedef struct Fixture {
    real x[MAX_ROWS * MAX_K], w[MAX_N * MAX_K], y[MAX_ROWS * MAX_N], bias[MAX_N];
} Fixture;

static void fill(real *v, int n, Rng *rng)
{
    for (int i = 0; i < n; i++) {
        v[i] = (real)rng_normal(rng);
    }
}

static double expected(const Fixture *f, int i, int j, int K)
{
    double sum = (double)f->bias[j];
    for (int k = 0; k < K; k++) {
        sum += (double)f->x[i * K + k] * (double)f->w[j * K + k];
    }
    return sum;
}

static void expect_product(int rows, int N, int K)
{
    static Fixture f;
    Rng rng = rng_stream(7, (uint64_t)(rows * 1000 + N), (uint64_t)K);
    fill(f.x, rows * K, &rng);
    fill(f.w, N * K, &rng);
    fill(f.bias, N, &rng);
    const Packed packed = {mem_alloc_aligned(packed_count(N, K), sizeof(real)), N, K};
    packed_fill(&packed, mat(f.w, N, K));
    gemm_packed(mat(f.y, rows, N), mat(f.x, rows, K), &packed, f.bias);
    for (int i = 0; i < rows; i++) {
        real row[MAX_N];
        gemm_packed(mat(row, 1, N), mat(f.x + i * K, 1, K), &packed, f.bias);
        for (int j = 0; j < N; j++) {
            ck_assert_double_eq_tol((double)f.y[i * N + j], expected(&f, i, j, K), 2e-5);
            ck_assert(row[j] == f.y[i * N + j]); /* a row's bits do not depend on its company */
        }
    }
    gemm_packed_add(mat(f.y, rows, N), mat(f.x, rows, K), &packed);
    ck_assert_double_eq_tol((double)f.y[0], 2 * expected(&f, 0, 0, K) - (double)f.bias[0], 4e-5);
    mem_free(packed.panels);
}

static const char *const SETS[] = {"plain", "sse2", "avx2", "avx512"};

START_TEST(packed_product_equals_three_loops)
{
    if (!vec_use(SETS[_i])) {
        return; /* this machine or build lacks it */
    }
    const int rows[] = {1, 2, 3, 5, 7, 8, 9, 16, 31, 37},
              sizes[] = {1, 3, 16, 24, 47, 48, 49, 96, 101};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            expect_product(rows[i], sizes[j], 53);
            expect_product(rows[i], sizes[j], 1);
        }
    }
}
END_TEST

/* Sizes of a real model: rows in blocks, several panels at once, K in the hundreds. A part of the
 * rows, any one row and the weights packed from their transpose give the same bits. */
static void expect_same_bits(int rows, int N, int K)
{
    Rng rng = rng_stream(8, (uint64_t)(rows * 1000 + N), (uint64_t)K);
    real *w = mem_alloc((size_t)(N * K), sizeof(real)),
         *wt = mem_alloc((size_t)(N * K), sizeof(real));
    real *x = mem_alloc((size_t)(rows * K), sizeof(real));
    real *y = mem_alloc((size_t)(rows * N), sizeof(real)),
         *one = mem_alloc((size_t)(rows * N), sizeof(real));
    ck_assert(w != NULL && wt != NULL && x != NULL && y != NULL && one != NULL);
    fill(w, N * K, &rng);
    fill(x, rows * K, &rng);
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < K; k++) {
            wt[k * N + j] = w[j * K + k];
        }
    }
    const Packed packed = {mem_alloc_aligned(packed_count(N, K), sizeof(real)), N, K};
    const Packed from_transpose = {mem_alloc_aligned(packed_count(N, K), sizeof(real)), N, K};
    packed_fill(&packed, mat(w, N, K));
    packed_fill_transposed(&from_transpose, mat(wt, K, N));
    ck_assert(memcmp(packed.panels, from_transpose.panels, packed_count(N, K) * sizeof(real)) == 0);
    gemm_packed(mat(y, rows, N), mat(x, rows, K), &packed, NULL);
    for (int n = 1; n <= rows; n += n < 12 ? 1 : 61) {
        const int first = rows - n;
        gemm_packed(mat(one, n, N), mat(x + first * K, n, K), &packed, NULL);
        ck_assert(memcmp(one, y + first * N, (size_t)(n * N) * sizeof *y) == 0);
    }
    double sum = 0, size = 0;
    for (int k = 0; k < K; k++) {
        sum += (double)x[(rows - 1) * K + k] * (double)w[(N - 1) * K + k];
        size += fabs((double)x[(rows - 1) * K + k] * (double)w[(N - 1) * K + k]);
    }
    ck_assert_double_eq_tol((double)y[rows * N - 1], sum, 1e-5 * size);
    mem_free(packed.panels);
    mem_free(from_transpose.panels);
    mem_free(w);
    mem_free(wt);
    mem_free(x);
    mem_free(y);
    mem_free(one);
}

START_TEST(row_of_a_product_has_the_same_bits_in_any_company)
{
    if (vec_use(SETS[_i])) {
        expect_same_bits(12, 1000, 515);
        expect_same_bits(400, 101, 130);
        expect_same_bits(9, 48, 2);
    }
}
END_TEST

/* Strides wider than the matrices, and what lies between the rows stays. */
START_TEST(product_respects_strides)
{
    enum { R = 5, N = 50, K = 7, X_STRIDE = 11, Y_STRIDE = 60, W_STRIDE = 9 };
    real x[R * X_STRIDE], w[N * W_STRIDE], y[R * Y_STRIDE];
    if (!vec_use(SETS[_i])) {
        return;
    }
    Rng rng = rng_stream(9, 1, 1);
    fill(x, R * X_STRIDE, &rng);
    fill(w, N * W_STRIDE, &rng);
    for (int i = 0; i < R * Y_STRIDE; i++) {
        y[i] = 77;
    }
    const Packed packed = {mem_alloc_aligned(packed_count(N, K), sizeof(real)), N, K};
    packed_fill(&packed, (Mat){w, N, K, W_STRIDE});
    gemm_packed((Mat){y, R, N, Y_STRIDE}, (Mat){x, R, K, X_STRIDE}, &packed, NULL);
    for (int i = 0; i < R; i++) {
        for (int j = 0; j < Y_STRIDE; j++) {
            double want = j < N ? 0 : 77;
            for (int k = 0; k < K && j < N; k++) {
                want += (double)x[i * X_STRIDE + k] * (double)w[j * W_STRIDE + k];
            }
            ck_assert_double_eq_tol((double)y[i * Y_STRIDE + j], want, 1e-5);
        }
    }
    mem_free(packed.panels);
}
END_TEST

TEST_MAIN("gemm", tcase_add_loop_test(c, packed_product_equals_three_loops, 0, 4);
          tcase_add_loop_test(c, row_of_a_product_has_the_same_bits_in_any_company, 0, 4);
          tcase_add_loop_test(c, product_respects_strides, 0, 4);)

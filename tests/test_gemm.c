/* math/gemm: the packed product and the BLAS ones against three loops in double. */
#include "math/gemm.h"

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

START_TEST(packed_product_equals_three_loops)
{
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

TEST_MAIN("gemm", tcase_add_test(c, packed_product_equals_three_loops);)

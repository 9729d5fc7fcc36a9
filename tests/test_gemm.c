/* math/gemm: the packed product and the BLAS ones against three loops in double. */
#include "math/gemm.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "math/quantize.h"
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
    const Packed packed = {
        .panels = mem_alloc_aligned(packed_count(N, K), sizeof(real)), .N = N, .K = K};
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
    const Packed packed = {
        .panels = mem_alloc_aligned(packed_count(N, K), sizeof(real)), .N = N, .K = K};
    const Packed from_transpose = {
        .panels = mem_alloc_aligned(packed_count(N, K), sizeof(real)), .N = N, .K = K};
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
    const Packed packed = {
        .panels = mem_alloc_aligned(packed_count(N, K), sizeof(real)), .N = N, .K = K};
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

/* ---- products of the backward pass ---- */

/* One element of A B, or of A^T B, in double, and the size of its terms. */
static double element(Mat A, Mat B, int i, int j, int is_transposed, double *size)
{
    double sum = 0;
    *size = 0;
    for (int k = 0; k < B.rows; k++) {
        const real a = is_transposed ? mat_row(A, k)[i] : mat_row(A, i)[k];
        const double term = (double)a * (double)mat_row(B, k)[j];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

/* The matrices lie in wider ones, and what is around C stays as it was. */
static void expect_back(int m, int n, int k, int is_transposed)
{
    enum { AROUND = 3 };
    Rng rng = rng_stream(23, (uint64_t)(m * 1000 + n), (uint64_t)k);
    const int a_rows = is_transposed ? k : m, a_cols = is_transposed ? m : k;
    const int a_stride = a_cols + AROUND, b_stride = n + 2 * AROUND, c_stride = n + AROUND;
    real *a = mem_alloc((size_t)(a_rows * a_stride), sizeof *a);
    real *b = mem_alloc((size_t)(k * b_stride), sizeof *b);
    real *c = mem_alloc((size_t)(m * c_stride), sizeof *c);
    real *before = mem_alloc((size_t)(m * c_stride), sizeof *c);
    ck_assert(a != NULL && b != NULL && c != NULL && before != NULL);
    fill(a, a_rows * a_stride, &rng);
    fill(b, k * b_stride, &rng);
    fill(c, m * c_stride, &rng);
    memcpy(before, c, (size_t)(m * c_stride) * sizeof *c);
    const Mat A = {a, a_rows, a_cols, a_stride}, B = {b, k, n, b_stride}, C = {c, m, n, c_stride};
    for (int round = 0; round < 2 - is_transposed; round++) {
        if (is_transposed) {
            gemm_tn(C, A, B);
        } else if (round == 0) {
            gemm_nn_add(C, A, B);
        } else {
            gemm_nn(C, A, B);
        }
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < c_stride; j++) {
                double size = 0, want = round == 0 || j >= n ? (double)before[i * c_stride + j] : 0;
                want += j < n ? element(A, B, i, j, is_transposed, &size) : 0;
                if (!(fabs((double)c[i * c_stride + j] - want) <= 1e-6 * (size + 1) &&
                      (j < n || c[i * c_stride + j] == before[i * c_stride + j]))) {
                    ck_abort_msg("%d x %d x %d: %d, %d is %g instead of %g", m, n, k, i, j,
                                 (double)c[i * c_stride + j], want);
                }
            }
        }
    }
    mem_free(a);
    mem_free(b);
    mem_free(c);
    mem_free(before);
}

START_TEST(backward_products_equal_three_loops)
{
    const int ms[] = {1, 5, 6, 7, 48, 50, 101}, ns[] = {1, 8, 15, 16, 24, 64, 70, 130};
    const int ks[] = {1, 7, 256, 300};
    for (size_t i = 0; vec_use(SETS[_i]) && i < sizeof ms / sizeof *ms; i++) {
        for (size_t j = 0; j < sizeof ns / sizeof *ns; j++) {
            const int k = ks[(i + j) % (sizeof ks / sizeof *ks)];
            expect_back(ms[i], ns[j], k, 0);
            expect_back(ms[i], ns[j], k, 1);
        }
    }
}
END_TEST

/* A product without inputs adds nothing, and without rows does nothing. */
START_TEST(backward_products_of_nothing_change_nothing)
{
    real a[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8};
    if (vec_use(SETS[_i])) {
        gemm_tn(mat(c, 2, 2), mat(a, 0, 2), mat(a, 0, 2));
        ck_assert(c[0] == 5 && c[3] == 8);
        gemm_nn_add(mat(c, 0, 2), mat(a, 0, 2), mat(a, 2, 2));
        ck_assert(c[0] == 5 && c[3] == 8);
    }
}
END_TEST

START_TEST(blas_gives_right_products)
{
    ck_assert_int_eq(gemm_check_blas(NULL), OK);
    ck_assert(strlen(gemm_blas_name()) > 0);
}
END_TEST

START_TEST(peak_counts_its_operations)
{
    const VecOps *ops = vec_find(SETS[_i]);
    real out = 0;
    if (ops != NULL) {
        const double one = ops->peak(&out, 1), many = ops->peak(&out, 1000);
        ck_assert(one > 0 && many == 1000 * one);
        ck_assert(isfinite(out) && out > 0);
    }
}
END_TEST

/* ---- weights of one byte ---- */

enum { INT8_ROWS = 70, INT8_N = 205, INT8_K = 131 };

typedef struct Int8Fixture {
    real x[INT8_ROWS * INT8_K], w[INT8_N * INT8_K], y[INT8_ROWS * INT8_N];
    real bias[INT8_N], scale[INT8_N];
    int8_t q[INT8_N * INT8_K];
} Int8Fixture;

/* Every number by its definition: both sides rounded to bytes, integer sums, two scales. */
static void expect_int8_row(const Int8Fixture *f, const real *y, int i, int N, int K)
{
    real max = 0;
    for (int k = 0; k < K; k++) {
        const real size = fabs(f->x[i * K + k]);
        max = size > max ? size : max;
    }
    const real inverse = 127 / max, x_scale = max / 127;
    for (int j = 0; j < N; j++) {
        int sum = 0;
        for (int k = 0; k < K; k++) {
            sum += (int)rint(f->x[i * K + k] * inverse) * f->q[j * K + k];
        }
        const real product = (real)sum * (x_scale * f->scale[j]);
        if (y[j] != product + f->bias[j]) {
            ck_abort_msg("%d x %d, row %d, output %d: %.9g instead of %.9g", N, K, i, j,
                         (double)y[j], (double)(product + f->bias[j]));
        }
    }
}

static void expect_int8(int rows, int N, int K)
{
    static Int8Fixture f;
    Rng rng = rng_stream(21, (uint64_t)(rows * 1000 + N), (uint64_t)K);
    fill(f.x, rows * K, &rng);
    fill(f.w, N * K, &rng);
    fill(f.bias, N, &rng);
    quantize_rows(f.q, f.scale, mat(f.w, N, K));
    const Packed packed = {.N = N,
                           .K = K,
                           .kind = PACKED_INT8,
                           .bytes = mem_alloc_aligned(packed_int8_count(N, K), 1),
                           .scales = f.scale};
    packed_fill_int8(&packed, f.q, K);
    gemm_packed(mat(f.y, rows, N), mat(f.x, rows, K), &packed, f.bias);
    for (int i = 0; i < rows; i++) {
        expect_int8_row(&f, f.y + i * N, i, N, K);
    }
    real twice[INT8_N];
    memcpy(twice, f.y, (size_t)N * sizeof *twice);
    gemm_packed_add(mat(twice, 1, N), mat(f.x, 1, K), &packed);
    for (int j = 0; j < N; j++) {
        const double want = 2 * (double)f.y[j] - (double)f.bias[j];
        ck_assert_double_eq_tol((double)twice[j], want, 1e-5);
    }
    mem_free(packed.bytes);
}

START_TEST(product_of_bytes_equals_its_definition)
{
    const int rows[] = {1, 2, 3, 7, 8, 9, 64, 70}, sizes[] = {1, 15, 48, 49, 100, 192, 205};
    for (size_t i = 0; vec_use(SETS[_i]) && i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            expect_int8(rows[i], sizes[j], rows[i] % 2 == 0 ? 131 : 33);
            expect_int8(rows[i], sizes[j], 1 + (int)i);
        }
    }
}
END_TEST

/* The largest sums there are, of either sign, and rows that have no scale. */
START_TEST(product_of_bytes_holds_at_its_limits)
{
    enum { K = 4096, N = 5, ROWS = 4 };
    static int8_t q[N * K];
    static real x[ROWS * K];
    const real ones[N] = {1, 1, 1, 1, 1};
    real y[ROWS * N];
    if (!vec_use(SETS[_i])) {
        return;
    }
    for (int k = 0; k < K; k++) {
        q[k] = 127;
        q[K + k] = -127;
        q[2 * K + k] = k % 2 == 0 ? 127 : -127;
        x[k] = 127;
        x[K + k] = -127;
    }
    x[2 * K + 5] = NAN;
    x[3 * K + 5] = -INFINITY;
    const Packed packed = {.N = N,
                           .K = K,
                           .kind = PACKED_INT8,
                           .bytes = mem_alloc_aligned(packed_int8_count(N, K), 1),
                           .scales = ones};
    packed_fill_int8(&packed, q, K);
    gemm_packed(mat(y, ROWS, N), mat(x, ROWS, K), &packed, NULL);
    const real most = (real)(127 * 127 * K);
    const real want[2 * N] = {most, -most, 0, 0, 0, -most, most, 0, 0, 0};
    for (int j = 0; j < N; j++) {
        ck_assert(y[j] == want[j] && y[N + j] == want[N + j]);
        ck_assert(isnan(y[2 * N + j]) && isnan(y[3 * N + j]));
    }
    memset(x, 0, sizeof x);
    gemm_packed(mat(y, ROWS, N), mat(x, ROWS, K), &packed, NULL);
    ck_assert(y[0] == 0 && y[1] == 0);
    mem_free(packed.bytes);
}
END_TEST

#ifdef VEC_X86
/* A machine with the byte instructions never chooses the other AVX-512 product by itself. */
#define ADD_VNNI(c) tcase_add_test(c, both_products_of_bytes_of_avx512_agree);
START_TEST(both_products_of_bytes_of_avx512_agree)
{
    enum { K = 64, N = 100, ROWS = 9 };
    if (vec_find("avx512") != &VEC_AVX512_VNNI) {
        return;
    }
    _Alignas(64) static int8_t x[ROWS * K], panels[3 * 48 * K];
    static real y[2][ROWS * N], x_scale[ROWS], w_scale[N];
    Rng rng = rng_stream(22, 1, 1);
    for (int i = 0; i < ROWS * K; i++) {
        x[i] = (int8_t)((int)rng_below(&rng, 255) - 127);
    }
    for (int i = 0; i < 3 * 48 * K; i++) {
        panels[i] = (int8_t)((int)rng_below(&rng, 255) - 127);
    }
    fill(x_scale, ROWS, &rng);
    fill(w_scale, N, &rng);
    for (int k = 0; k < 2; k++) {
        const Int8Product product = {.y = y[k],
                                     .y_stride = N,
                                     .x = x,
                                     .x_stride = K,
                                     .x_scale = x_scale,
                                     .panels = panels,
                                     .w_scale = w_scale,
                                     .rows = ROWS,
                                     .N = N,
                                     .K = K};
        (k == 0 ? &VEC_AVX512 : &VEC_AVX512_VNNI)->gemm_int8(&product);
    }
    ck_assert(memcmp(y[0], y[1], sizeof y[0]) == 0);
    ck_assert(y[0][0] != 0);
}
END_TEST
#else
#define ADD_VNNI(c)
#endif

TEST_MAIN("gemm", tcase_add_loop_test(c, packed_product_equals_three_loops, 0, 4);
          tcase_add_loop_test(c, row_of_a_product_has_the_same_bits_in_any_company, 0, 4);
          tcase_add_loop_test(c, product_respects_strides, 0, 4);
          tcase_add_loop_test(c, backward_products_equal_three_loops, 0, 4);
          tcase_add_loop_test(c, backward_products_of_nothing_change_nothing, 0, 4);
          tcase_add_test(c, blas_gives_right_products);
          tcase_add_loop_test(c, peak_counts_its_operations, 0, 4);
          tcase_add_loop_test(c, product_of_bytes_equals_its_definition, 0, 4);
          tcase_add_loop_test(c, product_of_bytes_holds_at_its_limits, 0, 4); ADD_VNNI(c))

/* Products of factors rounded to bfloat16: the kernels of every table against loops in double over factors rounded
 * here, and a whole network's gradients against those of float. */
#include <float.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "math/gemm.h"
#include "math/vec.h"
#include "support/check_main.h"
#include "support/toy.h"

static const char *const SETS[] = {"plain", "sse2", "avx2", "avx512", "avx512bf16"};
enum { N_SETS = sizeof SETS / sizeof *SETS };

/* Eight bits of mantissa, ties to even. */
static double nearest(double x)
{
    int exponent;
    const double mantissa = frexp(x, &exponent); /* 0.5 .. 1 */
    return x == 0 || !isfinite(x) ? x : ldexp(nearbyint(ldexp(mantissa, 8)), exponent - 8);
}

static real *random_numbers(int n, Rng *rng)
{
    real *v = mem_alloc((size_t)n, sizeof *v);
    ck_assert(v != NULL);
    for (int i = 0; i < n; i++) {
        v[i] = (real)(float)rng_normal(rng);
    }
    return v;
}

static Packed packed_alloc(int N, int K)
{
    const size_t count = packed_bfloat16_count(N, K);
    const Packed packed = {.N = N,
                           .K = K,
                           .kind = PACKED_BFLOAT16,
                           .pairs = mem_alloc_aligned(count, sizeof(uint32_t))};
    ck_assert(packed.pairs != NULL);
    return packed;
}

START_TEST(a_number_goes_to_the_nearest_bfloat16)
{
    const double given[] = {1, 1.00390625, 1.01171875, 1.0039064, -1.00390625, 3.14159,
                            0, -0.0078,    1e30,       -1e-30,    65504};
    enum { N_GIVEN = sizeof given / sizeof *given };
    if (!vec_use(SETS[_i])) {
        return;
    }
    const Packed one = packed_alloc(1, 1);
    real w = 1, y;
    packed_fill(&one, mat(&w, 1, 1));
    for (int i = 0; i < N_GIVEN; i++) {
        real x = (real)given[i];
        gemm_packed(mat(&y, 1, 1), mat(&x, 1, 1), &one, NULL);
        ck_assert_msg((double)y == nearest((double)x), "%.9g became %.9g", (double)x, (double)y);
    }
    real x = NAN;
    gemm_packed(mat(&y, 1, 1), mat(&x, 1, 1), &one, NULL);
    ck_assert(isnan(y));
    x = -INFINITY;
    gemm_packed(mat(&y, 1, 1), mat(&x, 1, 1), &one, NULL);
    ck_assert(y == -INFINITY);
    x = FLT_MAX; /* nearer to the next power of two than to the largest bfloat16 */
    gemm_packed(mat(&y, 1, 1), mat(&x, 1, 1), &one, NULL);
    ck_assert((double)y > 3.40e38);
    mem_free(one.pairs);
}
END_TEST

/* The weights packed from W and from its transpose are the same; all rows, one row and an odd lot of them get the same
 * bits, with strides wider than the matrices and nothing written between the rows. */
static void expect_product(int rows, int N, int K)
{
    enum { AROUND = 5 };
    Rng rng = rng_stream(31, (uint64_t)(rows * 1000 + N), (uint64_t)K);
    real *x = random_numbers(rows * (K + AROUND), &rng), *w = random_numbers(N * K, &rng);
    real *wt = random_numbers(K * N, &rng), *y = random_numbers(rows * (N + AROUND), &rng);
    real *bias = random_numbers(N, &rng), *row = random_numbers(N, &rng);
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < K; k++) {
            wt[k * N + j] = w[j * K + k];
        }
    }
    const Packed packed = packed_alloc(N, K), transposed = packed_alloc(N, K);
    packed_fill(&packed, mat(w, N, K));
    packed_fill_transposed(&transposed, mat(wt, K, N));
    ck_assert_mem_eq(packed.pairs, transposed.pairs,
                     packed_bfloat16_count(N, K) * sizeof(uint32_t));
    const Mat X = {x, rows, K, K + AROUND}, Y = {y, rows, N, N + AROUND};
    const real between = y[N];
    gemm_packed(Y, X, &packed, bias);
    ck_assert(y[N] == between);
    for (int i = 0; i<rows; i += rows> 20 ? 7 : 1) {
        gemm_packed(mat(row, 1, N), mat_rows(X, i, 1), &packed, bias);
        ck_assert_mem_eq(row, mat_row(Y, i), (size_t)N * sizeof *row);
        for (int j = 0; j < N; j++) {
            double sum = (double)bias[j], size = 1;
            for (int k = 0; k < K; k++) {
                const double product =
                    nearest((double)mat_row(X, i)[k]) * nearest((double)w[j * K + k]);
                sum += product;
                size += fabs(product);
            }
            ck_assert_double_eq_tol((double)row[j], sum, 3e-7 * size);
        }
    }
    gemm_packed(mat(row, 1, N), mat_rows(X, rows - 1, 1), &packed, NULL);
    const double last = (double)mat_row(Y, rows - 1)[N - 1] + (double)row[N - 1];
    gemm_packed_add(Y, X, &packed);
    ck_assert_double_eq_tol((double)mat_row(Y, rows - 1)[N - 1], last, 1e-5 * (1 + fabs(last)));
    ck_assert(y[N] == between);
    real *const all[] = {x, w, wt, y, bias, row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mem_free(all[i]);
    }
    mem_free(packed.pairs);
    mem_free(transposed.pairs);
}

START_TEST(a_product_is_that_of_the_rounded_factors)
{
    const int rows[] = {1, 3, 8, 9, 137}, sizes[] = {1, 12, 47, 48, 49, 100};
    const int ks[] = {1, 2, 7, 64, 131, 512, 1031};
    for (size_t i = 0; vec_use(SETS[_i]) && i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            expect_product(rows[i], sizes[j], ks[(2 * i + j) % (sizeof ks / sizeof *ks)]);
        }
    }
}
END_TEST

static void expect_gradient(int m, int n, int k)
{
    enum { AROUND = 3 };
    Rng rng = rng_stream(32, (uint64_t)(m * 1000 + n), (uint64_t)k);
    real *a = random_numbers(k * (m + AROUND), &rng), *b = random_numbers(k * (n + AROUND), &rng);
    real *c = random_numbers(m * (n + AROUND), &rng);
    real *before = random_numbers(m * (n + AROUND), &rng);
    const Mat A = {a, k, m, m + AROUND}, B = {b, k, n, n + AROUND}, C = {c, m, n, n + AROUND};
    memcpy(before, c, (size_t)(m * (n + AROUND)) * sizeof *c);
    gemm_tn_bfloat16(C, A, B);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < C.stride; j++) {
            const double old = (double)before[i * C.stride + j];
            double sum = old, size = 1;
            if (j >= n) {
                ck_assert((double)c[i * C.stride + j] == old);
                continue;
            }
            for (int d = 0; d < k; d++) {
                const double product =
                    nearest((double)mat_row(A, d)[i]) * nearest((double)mat_row(B, d)[j]);
                sum += product;
                size += fabs(product);
            }
            ck_assert_double_eq_tol((double)c[i * C.stride + j], sum, 3e-7 * size);
        }
    }
    mem_free(a);
    mem_free(b);
    mem_free(c);
    mem_free(before);
}

START_TEST(a_gradient_is_that_of_the_rounded_factors)
{
    const int ms[] = {1, 7, 8, 50, 270}, ns[] = {1, 24, 47, 48, 101}, ks[] = {0, 1, 2, 9, 512, 601};
    for (size_t i = 0; vec_use(SETS[_i]) && i < sizeof ms / sizeof *ms; i++) {
        for (size_t j = 0; j < sizeof ns / sizeof *ns; j++) {
            expect_gradient(ms[i], ns[j], ks[(i + j) % (sizeof ks / sizeof *ks)]);
        }
    }
}
END_TEST

/* A network learns with either: its gradients are those of float to two places, and after the way back to float they
 * are the same bits as before. */
START_TEST(gradients_of_a_network_are_close_to_those_of_floats)
{
    if (!vec_use(SETS[_i])) {
        return;
    }
    Config config = toy_config();
    Seq2Seq *model = toy_model(&config, 3);
    ParamList *params = model->params;
    const ToyRun run = {.model = model, .pairs = toy_pairs(), .n_pairs = TOY_PAIRS, .eps = 0.1};
    real *exact = mem_alloc(params->count, sizeof *exact);
    ck_assert(exact != NULL);
    const double loss = toy_loss(&run, 1);
    memcpy(exact, params->grads, params->count * sizeof *exact);
    params_set_precision(params, PRECISION_BFLOAT16);
    const double rounded_loss = toy_loss(&run, 1);
    ck_assert(rounded_loss != loss);
    ck_assert_double_eq_tol(rounded_loss, loss, 0.01 * loss);
    double error = 0, size = 0;
    for (size_t i = 0; i < params->count; i++) {
        const double difference = (double)params->grads[i] - (double)exact[i];
        error += difference * difference;
        size += (double)exact[i] * (double)exact[i];
    }
    ck_assert_msg(error > 0 && sqrt(error / size) < 0.02, "relative error %g", sqrt(error / size));
    params_set_precision(params, PRECISION_FLOAT32);
    ck_assert(toy_loss(&run, 1) == loss);
    ck_assert_mem_eq(params->grads, exact, params->count * sizeof *exact);
    mem_free(exact);
    seq2seq_free(model);
    (void)vec_use(NULL);
}
END_TEST

START_TEST(the_choice_follows_the_processor)
{
    if (vec_use(SETS[_i])) {
        const int is_fast = strcmp(SETS[_i], "avx512bf16") == 0;
        ck_assert_int_eq(precision_choose(PRECISION_AUTO, 256),
                         is_fast ? PRECISION_BFLOAT16 : PRECISION_FLOAT32);
        ck_assert_int_eq(precision_choose(PRECISION_AUTO, 100), PRECISION_FLOAT32);
        ck_assert_int_eq(precision_choose(PRECISION_FLOAT32, 256), PRECISION_FLOAT32);
        ck_assert_int_eq(precision_choose(PRECISION_BFLOAT16, 2), PRECISION_BFLOAT16);
    }
}
END_TEST

TEST_MAIN("bfloat16", tcase_add_loop_test(c, a_number_goes_to_the_nearest_bfloat16, 0, N_SETS);
          tcase_add_loop_test(c, a_product_is_that_of_the_rounded_factors, 0, N_SETS);
          tcase_add_loop_test(c, a_gradient_is_that_of_the_rounded_factors, 0, N_SETS);
          tcase_add_loop_test(c, gradients_of_a_network_are_close_to_those_of_floats, 0, N_SETS);
          tcase_add_loop_test(c, the_choice_follows_the_processor, 0, N_SETS);)

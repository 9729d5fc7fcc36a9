/* math/vec: every kernel of every instruction set that this machine has, held against the formulas
 * of vec.h in long double or double, for all small sizes (with and without a rest) and larger ones.
 * Bounds are in units of the type's epsilon, so that the double build is held to double. */
#include "math/vec.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "support/check_main.h"

enum { MAX = 8200, SMALL = 70, GUARD = 16 };

static const char *const SETS[] = {"plain", "sse2", "avx2", "avx512"};
enum { N_SETS = 4 };

#define EPSILON ((double)(sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON))
#define LEAST   ((double)(sizeof(real) == sizeof(float) ? 1.5e-45 : 5e-324)) /* smallest step */

/* The sizes that are tried: 1 to 70, then a few. */
static int nth_size(int i)
{
    static const int more[] = {127, 256, 300, 513, 1000, 8000, 8191};
    return i < SMALL ? i + 1 : i < SMALL + (int)(sizeof more / sizeof *more) ? more[i - SMALL] : 0;
}

/* The table of SETS[i], or NULL when this machine or build lacks it. */
static const VecOps *table(int i)
{
    return vec_find(SETS[i]);
}

static void fill(real *v, int n, double spread, Rng *rng)
{
    for (int i = 0; i < n; i++) {
        v[i] = (real)(spread * rng_normal(rng));
    }
}

static int is_close(double got, double want, double relative, double absolute)
{
    if (isnan(want) || isnan(got)) {
        return isnan(want) && isnan(got);
    }
    if (isinf(want) || isinf(got)) {
        return got == want;
    }
    return fabs(got - want) <= relative * fabs(want) + absolute;
}

/* Fails with the place when got is further from want than relative |want| + absolute. The macro of
 * Check is called for a failure alone, since each call costs a system call. */
static void expect(real got, double want, double relative, double absolute, const char *what, int n,
                   int i)
{
    if (!is_close((double)got, want, relative, absolute)) {
        ck_abort_msg("%s of %d, place %d: %.9g instead of %.9g", what, n, i, (double)got, want);
    }
}

/* Marks what follows n numbers, and tells whether a kernel wrote there. */
static void guard(real *v, int n)
{
    for (int i = n; i < n + GUARD; i++) {
        v[i] = 12345;
    }
}

static void expect_guard(const real *v, int n, const char *what)
{
    for (int i = n; i < n + GUARD; i++) {
        if (!(v[i] == 12345)) {
            ck_abort_msg("%s of %d wrote beyond its end", what, n);
        }
    }
}

/* ---- exp, tanh, sigmoid ---- */

typedef void Elementwise(real *y, const real *x, int n);

static long double sigmoid_exactly(long double x)
{
    return 1 / (1 + expl(-x));
}

static long double exp_exactly(long double x)
{
    return expl(x);
}

static long double tanh_exactly(long double x)
{
    return tanhl(x);
}

/* What the network type makes of an exact value: beyond its range infinity. */
static double in_range(long double exact)
{
    return (double)(real)exact;
}

static void expect_function(Elementwise *f, long double (*exact)(long double), double relative,
                            double absolute, const char *what)
{
    static real x[MAX + GUARD], y[MAX + GUARD];
    const double specials[] = {0,      -0.0,   1e-45,   -1e-45,    1e-39,   -1e-39, 1e-30,
                               -1e-30, 88.72,  88.73,   -87.33,    -87.34,  -103,   -103.9,
                               -104,   -104.1, 88.7228, 1000,      -1000,   1e30,   -1e30,
                               9,      -9,     9.02,    -INFINITY, INFINITY};
    const int n_specials = (int)(sizeof specials / sizeof *specials);
    for (int i = 0; i < n_specials; i++) {
        x[i] = (real)specials[i];
    }
    for (int i = n_specials; i < MAX; i++) {
        const double at = (double)i / MAX;
        x[i] = (real)(i % 3 == 0 ? -110 + 200 * at : i % 3 == 1 ? 20 * at - 10 : 2 * at - 1);
    }
    guard(y, MAX);
    f(y, x, MAX);
    expect_guard(y, MAX, what);
    for (int i = 0; i < MAX; i++) {
        const double want = in_range(exact((long double)x[i]));
        if (!is_close((double)y[i], want, relative, absolute)) {
            ck_abort_msg("%s(%.9g) is %.9g instead of %.9g", what, (double)x[i], (double)y[i],
                         want);
        }
    }
    /* the same numbers in pieces, in place, and the bits must be the same */
    for (int n = 1; n <= SMALL; n++) {
        real piece[SMALL + GUARD];
        memcpy(piece, x + 40 * n, (size_t)n * sizeof *x);
        guard(piece, n);
        f(piece, piece, n);
        expect_guard(piece, n, what);
        ck_assert(memcmp(piece, y + 40 * n, (size_t)n * sizeof *x) == 0);
        piece[n - 1] = NAN;
        piece[n / 2] = NAN;
        f(piece, piece, n);
        ck_assert(isnan(piece[n - 1]) && isnan(piece[n / 2]));
    }
}

START_TEST(functions_are_within_their_bounds)
{
    const VecOps *ops = table(_i);
    if (ops != NULL) {
        expect_function(ops->exp, exp_exactly, VEC_EXP_ERROR * EPSILON, LEAST, "exp");
        expect_function(ops->tanh, tanh_exactly, VEC_TANH_ERROR * EPSILON, LEAST, "tanh");
        expect_function(ops->sigmoid, sigmoid_exactly, VEC_SIGMOID_ERROR * EPSILON,
                        (double)(real)2e-38, "sigmoid");
    }
}
END_TEST

/* ---- sums and products ---- */

static void expect_arithmetic(const VecOps *ops, int n, Rng *rng)
{
    static real x[MAX + GUARD], y[MAX + GUARD], got[MAX + GUARD];
    fill(x, n, 1, rng);
    fill(y, n, 1, rng);
    const real a = (real)rng_normal(rng);
    double dot = 0, squares = 0, size = 0, max = -INFINITY;
    for (int i = 0; i < n; i++) {
        dot += (double)x[i] * (double)y[i];
        size += fabs((double)x[i] * (double)y[i]);
        squares += (double)x[i] * (double)x[i];
        max = (double)x[i] > max ? (double)x[i] : max;
    }
    expect(ops->dot(x, y, n), dot, 0, n * EPSILON * size + EPSILON, "dot", n, 0);
    expect(ops->maximum(x, n), max, 0, 0, "maximum", n, 0);
    ck_assert(is_close(ops->sum_squares(x, n), squares, 60 * EPSILON, 0));
    void (*const two[])(real *, const real *, int) = {ops->add, ops->multiply};
    for (int k = 0; k < 4; k++) {
        memcpy(got, y, (size_t)n * sizeof *y);
        guard(got, n);
        if (k < 2) {
            two[k](got, x, n);
        } else if (k == 2) {
            ops->axpy(got, a, x, n);
        } else {
            ops->scale(got, a, n);
        }
        expect_guard(got, n, "arithmetic");
        for (int i = 0; i < n; i++) {
            const double xi = (double)x[i], yi = (double)y[i], ai = (double)a;
            const double want[] = {yi + xi, yi * xi, yi + ai * xi, ai * yi};
            expect(got[i], want[k], EPSILON, EPSILON * fabs(ai * xi), "arithmetic", n, i);
        }
    }
}

START_TEST(arithmetic_equals_its_formulas)
{
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(11, 1, 1);
    for (int i = 0; ops != NULL && nth_size(i) != 0; i++) {
        expect_arithmetic(ops, nth_size(i), &rng);
    }
}
END_TEST

START_TEST(maximum_keeps_nan_and_infinities)
{
    const VecOps *ops = table(_i);
    for (int n = 1; ops != NULL && n <= SMALL; n++) {
        for (int i = 0; i < n; i++) {
            real x[SMALL];
            for (int j = 0; j < n; j++) {
                x[j] = (real)-j - 5;
            }
            x[i] = INFINITY;
            ck_assert(ops->maximum(x, n) == INFINITY);
            x[i] = NAN;
            ck_assert(isnan(ops->maximum(x, n)));
            for (int j = 0; j < n; j++) {
                x[j] = -INFINITY;
            }
            ck_assert(ops->maximum(x, n) == -INFINITY);
        }
    }
}
END_TEST

/* ---- GRU gates ---- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void expect_gru(const VecOps *ops, int H, double spread, Rng *rng)
{
    static real gi[3 * MAX], gh[3 * MAX], s[MAX], out[MAX + GUARD], gates[4 * MAX + GUARD];
    static real dgi[3 * MAX + GUARD], dgh[3 * MAX + GUARD], ds[MAX + GUARD], ds_out[MAX];
    fill(gi, 3 * H, spread, rng);
    fill(gh, 3 * H, spread, rng);
    fill(s, H, 1, rng);
    fill(ds_out, H, 1, rng);
    fill(ds, H, 1, rng);
    guard(out, H);
    guard(gates, 4 * H);
    ops->gru_forward(out, gates, gi, gh, s, H);
    expect_guard(out, H, "gru_forward");
    expect_guard(gates, 4 * H, "gru_forward");
    real in_place[MAX], before[MAX];
    memcpy(in_place, s, (size_t)H * sizeof *s);
    ops->gru_forward(in_place, NULL, gi, gh, in_place, H);
    ck_assert(memcmp(in_place, out, (size_t)H * sizeof *s) == 0);
    memcpy(before, ds, (size_t)H * sizeof *s);
    guard(dgi, 3 * H);
    guard(dgh, 3 * H);
    guard(ds, H);
    ops->gru_backward(dgi, dgh, ds, ds_out, gates, s, H);
    expect_guard(dgi, 3 * H, "gru_backward");
    expect_guard(dgh, 3 * H, "gru_backward");
    expect_guard(ds, H, "gru_backward");
    const double few = 8 * EPSILON * (1 + spread);
    for (int i = 0; i < H; i++) {
        double r = sigmoid((double)gi[i] + (double)gh[i]);
        double z = sigmoid((double)gi[H + i] + (double)gh[H + i]);
        const double q = (double)gh[2 * H + i];
        double n = tanh((double)gi[2 * H + i] + r * q);
        expect(gates[i], r, few, 1e-37, "r", H, i);
        expect(gates[H + i], z, few, 1e-37, "z", H, i);
        expect(gates[2 * H + i], n, few, few, "n", H, i);
        expect(gates[3 * H + i], q, 0, 0, "q", H, i);
        expect(out[i], (1 - z) * n + z * (double)s[i], few, few, "s_out", H, i);
        /* the backward step starts from the gates that were kept */
        r = (double)gates[i];
        z = (double)gates[H + i];
        n = (double)gates[2 * H + i];
        const double d = (double)ds_out[i];
        const double dn = d * (1 - z) * (1 - n * n), dz = d * ((double)s[i] - n) * z * (1 - z);
        const double dr = dn * q * r * (1 - r);
        expect(dgi[i], dr, few, few, "dr", H, i);
        expect(dgh[i], dr, few, few, "dr", H, i);
        expect(dgi[H + i], dz, few, few, "dz", H, i);
        expect(dgh[H + i], dz, few, few, "dz", H, i);
        expect(dgi[2 * H + i], dn, few, few, "dn", H, i);
        expect(dgh[2 * H + i], dn * r, few, few, "dn r", H, i);
        expect(ds[i], (double)before[i] + d * z, few, few, "ds", H, i);
    }
}

START_TEST(gru_gates_equal_their_equations)
{
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(12, 1, 1);
    for (int H = 1; ops != NULL && H <= SMALL; H++) {
        expect_gru(ops, H, 1, &rng);
        expect_gru(ops, H, 60, &rng); /* saturated */
    }
    if (ops != NULL) {
        expect_gru(ops, 515, 2, &rng);
    }
}
END_TEST

/* ---- rows of a table ---- */

enum { ROWS = 9, STRIDE = 531 };
static const int INDEX[ROWS] = {7, 2, 0, 5, 11, 3, 8, 1, 10};

static void expect_rows(const VecOps *ops, int n, int width, Rng *rng)
{
    static real rows[12 * STRIDE], before[12 * STRIDE], x[STRIDE], out[STRIDE + GUARD];
    real a[ROWS];
    fill(rows, 12 * STRIDE, 1, rng);
    fill(x, width, 1, rng);
    fill(a, ROWS, 1, rng);
    guard(out, n);
    ops->rows_dot(out, x, rows, STRIDE, INDEX, n, width);
    expect_guard(out, n, "rows_dot");
    for (int i = 0; i < n; i++) {
        double want = 0;
        for (int j = 0; j < width; j++) {
            want += (double)x[j] * (double)rows[INDEX[i] * STRIDE + j];
        }
        expect(out[i], want, 0, 4 * width * EPSILON, "rows_dot", width, i);
    }
    guard(out, width);
    ops->rows_sum(out, a, rows, STRIDE, INDEX, n, width);
    expect_guard(out, width, "rows_sum");
    for (int j = 0; j < width; j++) {
        double want = 0;
        for (int i = 0; i < n; i++) {
            want += (double)a[i] * (double)rows[INDEX[i] * STRIDE + j];
        }
        expect(out[j], want, 0, 40 * EPSILON, "rows_sum", width, j);
    }
    memcpy(before, rows, sizeof rows);
    ops->rows_add(rows, STRIDE, INDEX, n, a, x, width);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < width; j++) {
            real *at = &before[INDEX[i] * STRIDE + j];
            const double want = (double)*at + (double)a[i] * (double)x[j];
            expect(rows[INDEX[i] * STRIDE + j], want, 0, 10 * EPSILON, "rows_add", width, j);
            *at = rows[INDEX[i] * STRIDE + j];
        }
    }
    ck_assert(memcmp(before, rows, sizeof rows) == 0); /* nothing else was touched */
}

START_TEST(rows_of_a_table_equal_their_sums)
{
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(13, 1, 1);
    for (int width = 1; ops != NULL && width <= 140; width++) {
        expect_rows(ops, 1 + width % ROWS, width, &rng);
    }
    if (ops != NULL) {
        expect_rows(ops, ROWS, 513, &rng);
        expect_rows(ops, 0, 33, &rng);
    }
}
END_TEST

/* ---- additive attention ---- */

/* The sizes of the scores: the plain ones, or all at the limit where the product of exponentials
 * holds. */
static void fill_attention(real *to, int n, int at_limit, Rng *rng)
{
    for (int i = 0; i < n; i++) {
        const double x =
            at_limit ? (rng_uniform(rng) < 0.5 ? -1 : 1) * VEC_ADDITIVE_LIMIT : 2 * rng_normal(rng);
        to[i] = (real)x;
    }
}

static void expect_additive(const VecOps *ops, int n, int A, int at_limit, Rng *rng)
{
    static real q[STRIDE], eq[STRIDE], k[12 * STRIDE], ek[12 * STRIDE], v[STRIDE];
    static real dq[STRIDE + GUARD], dk[12 * STRIDE], dv[STRIDE + GUARD], dk_before[12 * STRIDE];
    real de[ROWS], out[ROWS + GUARD];
    fill_attention(q, A, at_limit, rng);
    fill_attention(k, 12 * STRIDE, at_limit, rng);
    fill(v, A, 1, rng);
    fill(de, ROWS, 1, rng);
    fill(dq, A, 1, rng);
    fill(dv, A, 1, rng);
    fill(dk, 12 * STRIDE, 1, rng);
    for (int a = 0; a < A; a++) {
        eq[a] = exp(2 * q[a]);
    }
    for (int i = 0; i < 12 * STRIDE; i++) {
        ek[i] = exp(2 * k[i]);
    }
    guard(out, n);
    ops->additive_forward(out, eq, ek, STRIDE, INDEX, n, v, A);
    expect_guard(out, n, "additive_forward");
    double dq_want[STRIDE], dv_want[STRIDE];
    for (int a = 0; a < A; a++) {
        dq_want[a] = (double)dq[a];
        dv_want[a] = (double)dv[a];
    }
    memcpy(dk_before, dk, sizeof dk);
    guard(dq, A);
    guard(dv, A);
    ops->additive_backward(dq, dk, dv, de, eq, ek, STRIDE, INDEX, n, v, A);
    expect_guard(dq, A, "additive_backward");
    expect_guard(dv, A, "additive_backward");
    for (int i = 0; i < n; i++) {
        double score = 0, size = 0;
        for (int a = 0; a < A; a++) {
            const double va = (double)v[a], d = (double)de[i];
            const double t = tanh((double)q[a] + (double)k[INDEX[i] * STRIDE + a]);
            score += va * (t - 1);
            size += fabs(va);
            const double g = d * va * (1 - t * t);
            dq_want[a] += g;
            dv_want[a] += d * (t - 1);
            real *before = &dk_before[INDEX[i] * STRIDE + a];
            /* r (1 - r) is right to an epsilon of 1, not of itself */
            expect(dk[INDEX[i] * STRIDE + a], (double)*before + g, 2 * EPSILON,
                   4 * EPSILON * fabs(d * va), "dk", A, a);
            *before = dk[INDEX[i] * STRIDE + a];
        }
        expect(out[i], score, 0, (6 + A / 4) * EPSILON * size, "additive_forward", A, i);
    }
    for (int a = 0; a < A; a++) {
        expect(dq[a], dq_want[a], 4 * EPSILON, 60 * EPSILON, "dq", A, a);
        expect(dv[a], dv_want[a], 4 * EPSILON, 60 * EPSILON, "dv", A, a);
    }
    ck_assert(memcmp(dk_before, dk, sizeof dk) == 0); /* rows that were not named keep their bits */
}

START_TEST(additive_attention_equals_the_tanh)
{
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(14, 1, 1);
    for (int A = 1; ops != NULL && A <= SMALL; A++) {
        expect_additive(ops, 1 + A % ROWS, A, 0, &rng);
        expect_additive(ops, ROWS, A, 1, &rng);
    }
    if (ops != NULL) {
        expect_additive(ops, ROWS, 517, 0, &rng);
        expect_additive(ops, ROWS, 517, 1, &rng);
    }
}
END_TEST

/* ---- softmax and losses ---- */

static double log_sum_exactly(const real *x, int n)
{
    double max = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) {
        max = (double)x[i] > max ? (double)x[i] : max;
    }
    for (int i = 0; i < n; i++) {
        sum += exp((double)x[i] - max);
    }
    return max + log(sum);
}

static void expect_losses(const VecOps *ops, int n, double spread, Rng *rng)
{
    static real x[MAX], p[MAX + GUARD];
    fill(x, n, spread, rng);
    if (n > 2) {
        x[n / 2] = -INFINITY; /* a masked place */
    }
    const double lse = log_sum_exactly(x, n);
    const double few = (8 + sqrt(n)) * EPSILON, size = fabs(lse) * EPSILON;
    expect(ops->log_sum_exp(x, n), lse, 2 * EPSILON, few, "log_sum_exp", n, 0);
    real max = (real)-INFINITY, sum = 0;
    for (int at = 0, some = 1; at < n; at += some, some = some * 3 < n - at ? some * 3 : n - at) {
        ops->log_sum_exp_add(&max, &sum, x + at, some); /* in stretches of 1, 3, 9, ... */
    }
    expect(max + log(sum), lse, 2 * EPSILON, 2 * few, "log_sum_exp_add", n, 0);
    memcpy(p, x, (size_t)n * sizeof *x);
    guard(p, n);
    ops->softmax(p, n);
    expect_guard(p, n, "softmax");
    for (int i = 0; i < n; i++) {
        /* the expected value itself is as wrong as its exponent */
        const double own = DBL_EPSILON * (fabs(lse) + 1);
        expect(p[i], exp((double)x[i] - lse), few + own, 1e-37, "softmax", n, i);
    }
    ck_assert(n <= 2 || p[n / 2] == 0); /* no weight at all */
    if (n > 2) {
        x[n / 2] = 0;
    }
    const double all = log_sum_exactly(x, n), eps = 0.1, scale = 0.7;
    const int target = (int)(rng_uniform(rng) * n);
    double mean = 0, smoothed = 0, nll = 0;
    for (int i = 0; i < n; i++) {
        mean += ((double)x[i] - all) / n;
    }
    memcpy(p, x, (size_t)n * sizeof *x);
    guard(p, n);
    ops->cross_entropy(p, n, target, (real)eps, (real)scale, &smoothed, &nll);
    expect_guard(p, n, "cross_entropy");
    const double want = all - (double)x[target];
    ck_assert(is_close(nll, want, few, few + size));
    ck_assert(is_close(smoothed, (1 - eps) * want - eps * mean, few, few + size));
    for (int i = 0; i < n; i++) {
        const double q = eps / n + (i == target ? 1 - eps : 0);
        const double want_gradient = scale * (exp((double)x[i] - all) - q);
        expect(p[i], want_gradient, few, few + size, "cross_entropy", n, i);
    }
}

START_TEST(softmax_and_losses_equal_their_formulas)
{
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(15, 1, 1);
    for (int i = 0; ops != NULL && nth_size(i) != 0; i++) {
        expect_losses(ops, nth_size(i), 3, &rng);
        expect_losses(ops, nth_size(i), 5000, &rng); /* only one term remains */
    }
}
END_TEST

/* ---- the loss of pairs ---- */

/* scale times the loss by its definition. */
static double pair_loss(const real *x, const real *y, int n, int target, double eps, double weight)
{
    const double lse_x = log_sum_exactly(x, n), lse_y = log_sum_exactly(y, n);
    double loss = 0;
    for (int i = 0; i < n; i++) {
        const double log_p = (double)x[i] - lse_x, log_q = (double)y[i] - lse_y;
        const double label = eps / n + (i == target ? 1 - eps : 0);
        loss -= label * (log_p + log_q);
        loss += weight / 2 * (exp(log_p) - exp(log_q)) * (log_p - log_q);
    }
    return loss;
}

static void expect_pair(const VecOps *ops, int n, double spread, double apart, Rng *rng)
{
    static real x[MAX], y[MAX], dx[MAX + GUARD], dy[MAX + GUARD];
    fill(x, n, spread, rng);
    fill(y, n, apart, rng);
    ops->add(y, x, n);
    const int target = n / 3;
    const double eps = 0.1, weight = 5, scale = 0.5;
    double smoothed, nll, pq = 0, qp = 0;
    memcpy(dx, x, (size_t)n * sizeof *x);
    memcpy(dy, y, (size_t)n * sizeof *y);
    guard(dx, n);
    guard(dy, n);
    ops->cross_entropy_pair(dx, dy, n, target, (real)eps, (real)weight, (real)scale, &smoothed,
                            &nll);
    expect_guard(dx, n, "cross_entropy_pair");
    expect_guard(dy, n, "cross_entropy_pair");
    const double lse_x = log_sum_exactly(x, n), lse_y = log_sum_exactly(y, n);
    const double few = 20 * EPSILON * (1 + fabs(lse_x) + fabs(lse_y)) * (1 + sqrt(n) / 10);
    ck_assert(is_close(smoothed, pair_loss(x, y, n, target, eps, weight), few, few * weight));
    ck_assert(is_close(nll, lse_x - (double)x[target] + lse_y - (double)y[target], few, few));
    for (int i = 0; i < n; i++) {
        const double log_p = (double)x[i] - lse_x, log_q = (double)y[i] - lse_y;
        pq += exp(log_p) * (log_p - log_q);
        qp += exp(log_q) * (log_q - log_p);
    }
    for (int i = 0; i < n; i++) {
        const double log_p = (double)x[i] - lse_x, log_q = (double)y[i] - lse_y;
        const double p = exp(log_p), q = exp(log_q), l = log_p - log_q;
        const double label = eps / n + (i == target ? 1 - eps : 0);
        const double want_x = p - label + weight / 2 * (p * (l - pq) + p - q);
        const double want_y = q - label + weight / 2 * (q * (-l - qp) + q - p);
        expect(dx[i], scale * want_x, few, few, "pair, first row", n, i);
        expect(dy[i], scale * want_y, few, few, "pair, second row", n, i);
    }
}

START_TEST(pair_loss_equals_its_formula)
{
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(18, 1, 1);
    for (int i = 0; ops != NULL && nth_size(i) != 0; i++) {
        expect_pair(ops, nth_size(i), 3, 0.5, &rng);
        expect_pair(ops, nth_size(i), 3, 0, &rng); /* no divergence at all */
        expect_pair(ops, nth_size(i), 20, 20, &rng);
    }
}
END_TEST

/* The formula above, too, is held against something: the slope of the loss itself. */
START_TEST(pair_loss_gradient_is_its_slope)
{
    enum { N = 7, TARGET = 2 };
    const double eps = 0.1, weight = 3, step = 1e-3;
    real rows[2 * N], gradient[2 * N];
    Rng rng = rng_stream(19, 1, 1);
    double smoothed, nll;
    if (sizeof(real) < sizeof(double)) {
        return; /* float is too coarse for differences */
    }
    fill(rows, 2 * N, 1, &rng);
    memcpy(gradient, rows, sizeof rows);
    VEC_PLAIN.cross_entropy_pair(gradient, gradient + N, N, TARGET, (real)eps, (real)weight, 1,
                                 &smoothed, &nll);
    for (int i = 0; i < 2 * N; i++) {
        double loss[5];
        const real before = rows[i];
        for (int k = -2; k <= 2; k++) {
            rows[i] = before + (real)(k * step);
            loss[k + 2] = pair_loss(rows, rows + N, N, TARGET, eps, weight);
        }
        rows[i] = before;
        const double slope = (loss[0] - 8 * loss[1] + 8 * loss[3] - loss[4]) / (12 * step);
        ck_assert_double_eq_tol((double)gradient[i], slope, 1e-8);
    }
}
END_TEST

START_TEST(losses_pass_nan_on)
{
    const VecOps *ops = table(_i);
    for (int n = 1; ops != NULL && n <= SMALL; n++) {
        real x[SMALL] = {0};
        double smoothed, nll;
        x[n / 2] = NAN;
        ck_assert(isnan(ops->log_sum_exp(x, n)));
        real max = (real)-INFINITY, sum = 0;
        ops->log_sum_exp_add(&max, &sum, x, n);
        ck_assert(isnan(max + log(sum)));
        ops->cross_entropy(x, n, 0, 0, 1, &smoothed, &nll);
        ck_assert(isnan(smoothed) && isnan(nll) && isnan(x[n - 1]));
        real y[SMALL] = {0};
        memset(x, 0, sizeof x);
        x[n / 2] = NAN;
        ops->cross_entropy_pair(x, y, n, 0, 0, 1, 1, &smoothed, &nll);
        ck_assert(isnan(smoothed) && isnan(nll) && isnan(x[n - 1]));
        memset(x, 0, sizeof x);
        x[n - 1] = NAN;
        ops->softmax(x, n);
        ck_assert(isnan(x[0]) && isnan(x[n - 1]));
    }
}
END_TEST

/* ---- the largest ---- */

/* By picking the best place that is left, k times. */
static void expect_top(const VecOps *ops, const real *x, int n, int k)
{
    static unsigned char is_taken[MAX];
    static int index[MAX];
    static real value[MAX + GUARD];
    memset(is_taken, 0, sizeof is_taken);
    guard(value, k);
    ops->top(index, value, k, x, n);
    expect_guard(value, k, "top");
    for (int place = 0; place < k; place++) {
        int best = -1;
        real best_value = 0;
        for (int i = 0; i < n; i++) {
            const real v = isnan(x[i]) ? (real)-INFINITY : x[i];
            if (!is_taken[i] && (best < 0 || v > best_value)) {
                best = i;
                best_value = v;
            }
        }
        is_taken[best] = 1;
        if (index[place] != best || value[place] != best_value) {
            ck_abort_msg("top %d of %d: place %d is %d instead of %d", k, n, place, index[place],
                         best);
        }
    }
}

static void expect_above(const VecOps *ops, const real *x, int n, real bound)
{
    static int index[MAX];
    const int count = ops->above(index, x, n, bound);
    int expected = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > bound) {
            ck_assert_int_lt(expected, count);
            ck_assert_int_eq(index[expected++], i);
        }
    }
    ck_assert_int_eq(count, expected);
}

START_TEST(top_equals_a_selection)
{
    static real x[MAX];
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(16, 1, 1);
    for (int i = 0; ops != NULL && nth_size(i) != 0; i++) {
        const int n = nth_size(i);
        const int ks[] = {1, 2, 5, n / 2, n};
        for (int j = 0; j < 5; j++) {
            const int k = ks[j] < 1 ? 1 : ks[j] > n ? n : ks[j] > 70 ? 70 : ks[j];
            fill(x, n, 1, &rng);
            expect_top(ops, x, n, k);
            for (int m = 0; m < n; m++) {
                x[m] = (real)(int)(rng_uniform(&rng) * 4); /* many equals */
            }
            expect_top(ops, x, n, k);
            x[n / 3] = NAN;
            x[n / 2] = -INFINITY;
            x[n - 1] = INFINITY;
            expect_top(ops, x, n, k);
            expect_above(ops, x, n, 1);
            expect_above(ops, x, n, (real)-INFINITY);
            for (int m = 0; m < n; m++) {
                x[m] = (real)m; /* each better than all before */
            }
            expect_top(ops, x, n, k);
            for (int m = 0; m < n; m++) {
                x[m] = NAN;
            }
            expect_top(ops, x, n, k);
        }
    }
}
END_TEST

/* ---- dropout ---- */

START_TEST(dropout_masks_have_the_same_bits_everywhere)
{
    static real mask[MAX + GUARD], plain[MAX];
    const VecOps *ops = table(_i);
    for (int i = 0; ops != NULL && nth_size(i) != 0; i++) {
        const int n = nth_size(i);
        const uint64_t seed = 0x123456789abcdef1u * (uint64_t)n;
        const double rate = i % 5 == 0 ? 0 : 0.9 * i / SMALL;
        guard(mask, n);
        ops->dropout_mask(mask, n, rate > 0.95 ? 0.95 : rate, seed);
        expect_guard(mask, n, "dropout_mask");
        VEC_PLAIN.dropout_mask(plain, n, rate > 0.95 ? 0.95 : rate, seed);
        ck_assert(memcmp(mask, plain, (size_t)n * sizeof *mask) == 0);
    }
}
END_TEST

/* The share of zeros, and of zeros that meet at some distance in one row, in the same place of the
 * next seed, and in the next seed at a distance: each within five standard deviations. */
START_TEST(dropout_masks_look_independent)
{
    enum { N = 8000, SEEDS = 60, SHIFTS = 9 };
    static real mask[SEEDS][N];
    const int shifts[SHIFTS] = {1, 2, 3, 4, 8, 16, 64, 256, 512};
    const double rate = 0.3;
    Rng rng = rng_stream(20, 1, 1);
    for (int s = 0; s < SEEDS; s++) {
        VEC_PLAIN.dropout_mask(mask[s], N, rate, s < SEEDS / 2 ? rng_next(&rng) : (uint64_t)s);
        for (int i = 0; i < N; i++) {
            if (mask[s][i] != 0 && mask[s][i] != (real)(1 / (1 - rate))) {
                ck_abort_msg("a mask holds %g", (double)mask[s][i]);
            }
        }
    }
    for (int kind = 0; kind < 2 + 2 * SHIFTS; kind++) {
        const int shift = kind < 2 ? 0 : shifts[(kind - 2) % SHIFTS];
        const int other = kind == 1 || kind >= 2 + SHIFTS; /* the second of the pair: next seed */
        double hits = 0, tries = 0;
        for (int s = 0; s + other < SEEDS; s++) {
            for (int i = 0; i + shift < N; i++) {
                hits += mask[s][i] == 0 && mask[s + other][i + shift] == 0;
                tries++;
            }
        }
        const double p = kind == 0 ? rate : rate * rate;
        if (fabs(hits - p * tries) > 5 * sqrt(p * (1 - p) * tries)) {
            ck_abort_msg("kind %d: %g of %g instead of %g", kind, hits, tries, p * tries);
        }
    }
}
END_TEST

/* ---- Adam and layer normalisation ---- */

static void expect_adam(const VecOps *ops, int n, Rng *rng)
{
    static real w[MAX + GUARD], m[MAX + GUARD], v[MAX + GUARD], g[MAX];
    static double w0[MAX], m0[MAX], v0[MAX];
    fill(w, n, 1, rng);
    fill(m, n, 1, rng);
    fill(g, n, 3, rng);
    for (int i = 0; i < n; i++) {
        v[i] = (real)rng_uniform(rng);
        w0[i] = (double)w[i];
        m0[i] = (double)m[i];
        v0[i] = (double)v[i];
    }
    guard(w, n);
    guard(m, n);
    guard(v, n);
    const real scale = (real)0.25, rate = (real)0.01, b1 = (real)0.9, b2 = (real)0.98;
    const real correction = (real)1.5, epsilon = (real)1e-6, decay = (real)0.001;
    ops->adam(w, m, v, g, n, scale, rate, b1, b2, correction, epsilon, decay);
    expect_guard(w, n, "adam");
    expect_guard(m, n, "adam");
    expect_guard(v, n, "adam");
    for (int i = 0; i < n; i++) {
        const double d = (double)scale * (double)g[i];
        const double m1 = (double)b1 * m0[i] + (1 - (double)b1) * d;
        const double v1 = (double)b2 * v0[i] + (1 - (double)b2) * d * d;
        const double step = (double)rate * m1 / (sqrt(v1) * (double)correction + (double)epsilon);
        expect(m[i], m1, 4 * EPSILON, 4 * EPSILON, "adam m", n, i);
        expect(v[i], v1, 8 * EPSILON, 8 * EPSILON, "adam v", n, i);
        expect(w[i], w0[i] - step - (double)decay * w0[i], 8 * EPSILON, 8 * EPSILON, "adam w", n,
               i);
    }
}

static void expect_norm(const VecOps *ops, int n, Rng *rng)
{
    static real x[MAX], y[MAX + GUARD], xhat[MAX + GUARD], gain[MAX], bias[MAX], dy[MAX];
    static real dgain[MAX + GUARD], dbias[MAX + GUARD];
    fill(x, n, 2, rng);
    fill(gain, n, 1, rng);
    fill(bias, n, 1, rng);
    fill(dy, n, 1, rng);
    memcpy(y, x, (size_t)n * sizeof *x);
    guard(y, n);
    guard(xhat, n);
    real inverse;
    ops->norm_forward(y, xhat, &inverse, y, gain, bias, n); /* in place */
    expect_guard(y, n, "norm_forward");
    expect_guard(xhat, n, "norm_forward");
    double mean = 0, var = 0, along = 0, mean_dy = 0;
    for (int i = 0; i < n; i++) {
        mean += (double)x[i] / n;
    }
    for (int i = 0; i < n; i++) {
        var += ((double)x[i] - mean) * ((double)x[i] - mean) / n;
    }
    const double inv = 1 / sqrt(var + 1e-5), few = (20 + n / 8.0) * EPSILON;
    const double slack = few * (1 + inv); /* a difference of two equal numbers times inv */
    expect(inverse, inv, few, 0, "norm inverse", n, 0);
    for (int i = 0; i < n; i++) {
        const double hat = ((double)x[i] - mean) * inv;
        expect(xhat[i], hat, few, slack, "norm xhat", n, i);
        expect(y[i], (double)gain[i] * hat + (double)bias[i], few, 4 * slack, "norm y", n, i);
        mean_dy += (double)gain[i] * (double)dy[i] / n;
        along += (double)gain[i] * (double)dy[i] * (double)xhat[i] / n;
    }
    fill(dgain, n, 1, rng);
    fill(dbias, n, 1, rng);
    static real dgain0[MAX], dbias0[MAX];
    memcpy(dgain0, dgain, (size_t)n * sizeof *x);
    memcpy(dbias0, dbias, (size_t)n * sizeof *x);
    memcpy(y, dy, (size_t)n * sizeof *x);
    guard(y, n);
    guard(dgain, n);
    guard(dbias, n);
    ops->norm_backward(y, dgain, dbias, y, xhat, inverse, gain, n); /* in place */
    expect_guard(y, n, "norm_backward");
    expect_guard(dgain, n, "norm_backward");
    expect_guard(dbias, n, "norm_backward");
    for (int i = 0; i < n; i++) {
        const double d = (double)dy[i], hat = (double)xhat[i];
        const double want = (double)inverse * ((double)gain[i] * d - mean_dy - hat * along);
        expect(y[i], want, few, 8 * slack, "norm dx", n, i);
        expect(dgain[i], (double)dgain0[i] + d * hat, few, few, "norm dgain", n, i);
        expect(dbias[i], (double)dbias0[i] + d, few, few, "norm dbias", n, i);
    }
    ops->norm_forward(y, xhat, &inverse, x, gain, NULL, n);
    for (int i = 0; i < n; i++) {
        expect(y[i], (double)gain[i] * (double)xhat[i], 2 * EPSILON, 0, "norm y", n, i);
    }
    ops->norm_backward(y, dgain, NULL, dy, xhat, inverse, gain, n);
}

START_TEST(adam_and_norm_equal_their_formulas)
{
    const VecOps *ops = table(_i);
    Rng rng = rng_stream(17, 1, 1);
    for (int i = 0; ops != NULL && nth_size(i) != 0; i++) {
        expect_adam(ops, nth_size(i), &rng);
        expect_norm(ops, nth_size(i), &rng);
    }
}
END_TEST

/* ---- the choice ---- */

START_TEST(choice_follows_the_environment_and_refuses_what_is_missing)
{
    Error err;
    ck_assert(vec_find("plain") == &VEC_PLAIN && vec_find("mmx") == NULL);
    ck_assert(!vec_use("mmx"));
    for (int i = 0; i < N_SETS; i++) {
        ck_assert_int_eq(setenv("HEED_ISA", SETS[i], 1), 0);
        ck_assert_int_eq(vec_check(&err), table(i) == NULL ? ERR_ARG : OK);
        if (table(i) != NULL) {
            ck_assert_str_eq(table(i)->name, SETS[i]);
            ck_assert(vec_use(NULL) && vec_ops() == table(i));
            ck_assert(vec_use(SETS[i]) && vec_ops() == table(i));
        }
    }
    ck_assert_int_eq(setenv("HEED_ISA", "mmx", 1), 0);
    ck_assert_int_eq(vec_check(&err), ERR_ARG);
    ck_assert_int_eq(setenv("HEED_ISA", "", 1), 0);
    ck_assert_int_eq(vec_check(&err), OK);
}
END_TEST

TEST_MAIN("vec", tcase_add_loop_test(c, functions_are_within_their_bounds, 0, N_SETS);
          tcase_add_loop_test(c, arithmetic_equals_its_formulas, 0, N_SETS);
          tcase_add_loop_test(c, maximum_keeps_nan_and_infinities, 0, N_SETS);
          tcase_add_loop_test(c, gru_gates_equal_their_equations, 0, N_SETS);
          tcase_add_loop_test(c, rows_of_a_table_equal_their_sums, 0, N_SETS);
          tcase_add_loop_test(c, additive_attention_equals_the_tanh, 0, N_SETS);
          tcase_add_loop_test(c, softmax_and_losses_equal_their_formulas, 0, N_SETS);
          tcase_add_loop_test(c, pair_loss_equals_its_formula, 0, N_SETS);
          tcase_add_test(c, pair_loss_gradient_is_its_slope);
          tcase_add_loop_test(c, dropout_masks_have_the_same_bits_everywhere, 0, N_SETS);
          tcase_add_test(c, dropout_masks_look_independent);
          tcase_add_loop_test(c, losses_pass_nan_on, 0, N_SETS);
          tcase_add_loop_test(c, top_equals_a_selection, 0, N_SETS);
          tcase_add_loop_test(c, adam_and_norm_equal_their_formulas, 0, N_SETS);
          tcase_add_test(c, choice_follows_the_environment_and_refuses_what_is_missing);)

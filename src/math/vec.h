/* Kernels over rows of numbers, behind one table of function pointers that is chosen once, at the
 * first call, from what the processor can do. HEED_ISA=plain|sse2|avx2|avx512|avx512bf16 in the
 * environment overrides the choice; vec_check reports a value that this machine or build cannot honour.
 *
 * The plain table (vec_plain.c) is the reference: portable C, the default off x86 and in the double
 * build, and what the tests hold the others against.
 *
 * Promises of every kernel: a row's result depends on that row alone, never on how many rows a call
 * has or which thread runs it; NaN goes in and comes out; nothing is allocated. Capitals: H hidden
 * units, A attention units, V words, n count. Arguments named as written come first; they do not
 * overlap the others unless it is said. */
#ifndef HEED_MATH_VEC_H
#define HEED_MATH_VEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "math/real.h"

/* Beyond this size of a query or key the product of exponentials of the additive attention could be
 * 0 * infinity; such rows take the tanh instead. exp(2 * 43) is finite in float and its inverse is
 * not denormal. */
#define VEC_ADDITIVE_LIMIT 43

/* A product with weights of one byte, y [rows, N] = x W^T + bias. Row i of x is x_scale[i] times
 * its bytes, row j of W is w_scale[j] times its bytes, all bytes in -127 .. 127 but those of a row
 * of x whose scale is not finite. The sums are exact in 32 bits (K <= VEC_INT8_MAX_INPUTS), and y =
 * sum * (x_scale * w_scale) + bias, or + y when accumulate, rounds after each operation, so that
 * every table gives the same bits.
 *
 * Panels hold `panel` outputs each, four inputs of an output side by side: byte (p, k, j) is at
 * (p * K + k / 4 * 4) * panel + j * 4 + k % 4 with K rounded up to a multiple of 4 and zeros added.
 */
typedef struct Int8Product {
    real *y;
    ptrdiff_t y_stride;
    const int8_t *x; /* rows of K bytes, 4-byte aligned, `x_stride` apart */
    ptrdiff_t x_stride;
    const real *x_scale;
    const int8_t *panels; /* 64-byte aligned */
    const real *w_scale;
    const real *bias; /* or NULL */
    int rows, N, K;   /* K is a multiple of 4 */
    int accumulate;
} Int8Product;

enum { VEC_INT8_MAX_INPUTS = 65536 };

/* Bounds of the relative error of exp, tanh and sigmoid in all tables, in units of the epsilon of
 * `real` (2^-23 or 2^-52), where the exact value is not denormal. */
#define VEC_EXP_ERROR     1.0
#define VEC_TANH_ERROR    3.0
#define VEC_SIGMOID_ERROR 2.0

typedef struct VecOps {
    const char *name; /* "plain", "sse2", ... */

    /* Element by element; y may be x. Relative errors: VEC_..._ERROR below. exp passes through the
     * denormals to 0 and overflows to infinity; sigmoid is 0 where exp(-x) overflows. The macros of
     * <tgmath.h> ask for parentheses: (ops->exp)(y, x, n). */
    void (*exp)(real *y, const real *x, int n);
    void (*tanh)(real *y, const real *x, int n);
    void (*sigmoid)(real *y, const real *x, int n);

    /* y += x;  y += a x;  y *= x;  y = a y. */
    void (*add)(real *y, const real *x, int n);
    void (*axpy)(real *y, real a, const real *x, int n);
    void (*multiply)(real *y, const real *x, int n);
    void (*scale)(real *y, real a, int n);
    real (*dot)(const real *x, const real *y, int n);
    real (*maximum)(const real *x, int n);
    /* Sum of squares, in double. */
    double (*sum_squares)(const real *x, int n);

    /* GRU gates of one row. gi = W_ih x + b_ih and gh = W_hh s + b_hh, 3H each in the order r, z,
     * n: r = sigmoid(gi_r + gh_r)   z = sigmoid(gi_z + gh_z)   n = tanh(gi_n + r gh_n) s_out = (1 -
     * z) n + z s gates [4H] keeps r, z, n, gh_n for the backward step and may be NULL. s_out may be
     * s. */
    void (*gru_forward)(real *s_out, real *gates, const real *gi, const real *gh, const real *s,
                        int H);
    /* Writes dgi and dgh [3H], adds z ds_out to ds [H]. ds may not be ds_out. */
    void (*gru_backward)(real *dgi, real *dgh, real *ds, const real *ds_out, const real *gates,
                         const real *s, int H);

    /* Rows of a table picked by index: row i is at table + index[i] * stride, `width` numbers wide.
     *     rows_dot:  out_i = x . table_i          rows_sum:  out = sum_i a_i table_i
     *     rows_add:  table_i += a_i x             (indices of one call differ) */
    void (*rows_dot)(real *out, const real *x, const real *table, ptrdiff_t stride,
                     const int *index, int n, int width);
    void (*rows_sum)(real *out, const real *a, const real *table, ptrdiff_t stride,
                     const int *index, int n, int width);
    void (*rows_add)(real *table, ptrdiff_t stride, const int *index, int n, const real *a,
                     const real *x, int width);

    /* Additive scores of one query against n keys (rows of a table as above), up to the constant
     * sum(v), which a softmax does not see: out_i = -2 sum_a v_a / (1 + eq_a ek_ia)      eq = exp(2
     * q), ek = exp(2 k) since tanh(q + k) = 1 - 2 / (1 + exp(2q) exp(2k)). Right while |q|, |k| <=
     * VEC_ADDITIVE_LIMIT. */
    void (*additive_forward)(real *out, const real *eq, const real *ek, ptrdiff_t stride,
                             const int *index, int n, const real *v, int A);
    /* With r = 1 / (1 + eq ek) and g_ia = de_i v_a 4 r (1 - r):
     *     dq_a += sum_i g_ia      dk_ia += g_ia      dv_a += -2 sum_i de_i r_ia
     * dk is a table of the same stride and index as ek. */
    void (*additive_backward)(real *dq, real *dk, real *dv, const real *de, const real *eq,
                              const real *ek, ptrdiff_t stride, const int *index, int n,
                              const real *v, int A);

    /* x becomes softmax(x), the true maximum subtracted first; n >= 1. */
    void (*softmax)(real *x, int n);
    /* log sum exp(x), n >= 1. */
    real (*log_sum_exp)(const real *x, int n);

    /* A log sum exp over several stretches of a row: *max + log(*sum) goes from that of the numbers
     * before to that with x [n] added, n >= 1. Begins with *max = -INFINITY, *sum = 0. */
    void (*log_sum_exp_add)(real *max, real *sum, const real *x, int n);

    /* Cross-entropy with label smoothing of one row of logits [V]; q = (1-eps) [target] + eps / V:
     *     *smoothed = - sum_v q_v log p_v        *nll = - log p_target
     * and logits become scale (p - q), the gradient of scale * smoothed. */
    void (*cross_entropy)(real *logits, int V, int target, real eps, real scale, double *smoothed,
                          double *nll);

    /* The loss of R-Drop (Liang et al. 2021) for two rows of logits [V] of the same target under
     * different dropout. With p, q their softmax:
     *     *smoothed = their two smoothed losses + weight (KL(p||q) + KL(q||p)) / 2
     *     *nll = -log p_target - log q_target
     * and both rows become scale times the gradient of smoothed. The logits are finite. */
    void (*cross_entropy_pair)(real *logits1, real *logits2, int V, int target, real eps,
                               real weight, real scale, double *smoothed, double *nll);

    /* The k largest of x, best first; equal values go to the smaller index. 1 <= k <= n. NaN counts
     * as minus infinity. */
    void (*top)(int *index, real *value, int k, const real *x, int n);

    /* Writes the places of all x > bound in order to index [n] and returns how many there are. */
    int (*above)(int *index, const real *x, int n, real bound);

    /* Writes 0 with probability rate, else 1 / (1 - rate); 0 <= rate < 1. Number i comes from a
     * hash of i and the seed in 32 bits, so that every table writes the same: x = i * 0x9e3779b1 ^
     * low;  x = (x ^ x >> 16) * 0x7feb352d + high; x = (x ^ x >> 15) * 0x846ca68b;  x ^ x >> 16 <
     * rate * 2^32 gives 0 with low and high the halves of the seed. */
    void (*dropout_mask)(real *mask, int n, double rate, uint64_t seed);

    /* One Adam step (Kingma & Ba 2015) with g scaled first:
     *     g' = scale g;  m = b1 m + (1-b1) g';  v = b2 v + (1-b2) g'^2
     *     w -= rate m / (sqrt(v) * correction + epsilon) + decay w
     * where the caller folds the bias corrections into rate (rate / (1 - b1^t)) and
     * correction = 1 / sqrt(1 - b2^t). decay = 0 is plain Adam; rate_t * lambda is AdamW. */
    void (*adam)(real *w, real *m, real *v, const real *g, int n, real scale, real rate, real b1,
                 real b2, real correction, real epsilon, real decay);

    /* Layer normalisation of one row (Ba et al. 2016): xhat = (x - mean) / sqrt(var + 1e-5), y =
     * gain xhat + bias (bias may be NULL). xhat [n] and *inverse (1 / sqrt(var + 1e-5)) are kept
     * for the backward step; y may be x. */
    void (*norm_forward)(real *y, real *xhat, real *inverse, const real *x, const real *gain,
                         const real *bias, int n);
    /* dx is written (dx may be dy); dgain += dy xhat; dbias += dy unless NULL. */
    void (*norm_backward)(real *dx, real *dgain, real *dbias, const real *dy, const real *xhat,
                          real inverse, const real *gain, int n);

    /* Products with packed weights; see gemm.h. Packed panels hold `panel` outputs each:
     * panels[p][k][j] is the weight from input k to output p * panel + j, 0 beyond the last output.
     * y [rows, N] = x [rows, K] W^T + bias (bias may be NULL), or y += x W^T when accumulate. The
     * order of additions of one element of y is fixed: k from 0 to K - 1 in one chain, then bias or
     * y. */
    int panel;
    void (*gemm)(real *y, ptrdiff_t y_stride, const real *x, ptrdiff_t x_stride, int rows,
                 const real *panels, int N, int K, const real *bias, int accumulate);
    /* Fills the panels from W [N, K], or from the transpose W [K, N], whose rows are `stride`
     * apart. */
    void (*pack)(real *panels, const real *W, ptrdiff_t stride, int N, int K);
    void (*pack_transposed)(real *panels, const real *W, ptrdiff_t stride, int N, int K);

    /* C [m, n] += A^T B with A [k, m] (tn), and += A B with A [m, k] (nn); B [k, n]. NULL in the
     * plain table, where BLAS does them. The order of additions depends on k alone. */
    void (*gemm_tn)(real *C, ptrdiff_t c_stride, const real *A, ptrdiff_t a_stride, const real *B,
                    ptrdiff_t b_stride, int m, int n, int k);
    void (*gemm_nn)(real *C, ptrdiff_t c_stride, const real *A, ptrdiff_t a_stride, const real *B,
                    ptrdiff_t b_stride, int m, int n, int k);

    /* The same for bytes; see Int8Product for the panels. quantize: q = round(x inverse), ties to
     * even, for |x inverse| <= 127.5 that is not NaN; max_abs: the largest |x|, 0 for none; NaN
     * when there is one. */
    void (*gemm_int8)(const Int8Product *product);
    void (*pack_int8)(int8_t *panels, const int8_t *W, ptrdiff_t stride, int N, int K);
    void (*quantize)(int8_t *q, const real *x, real inverse, int n);
    real (*max_abs)(const real *x, int n);

    /* The products with both factors rounded to bfloat16, the upper half of a float, ties to even (denormals may count
     * as zero), and sums in float. Panels hold pairs: panels[p][k / 2][j] has the weights from inputs k and k + 1, k
     * even, to output p * panel + j in its lower and upper half, 0 for those that do not exist. gemm_bfloat16 is as
     * gemm and gemm_tn_bfloat16 as gemm_tn, but their sums may begin anew every some hundred inputs, at places that
     * depend on K alone, and the sums of pairs differ in the last bits from table to table. has_bfloat16: the processor
     * has an instruction for them, and they take half as long as those of floats; else they are slower. */
    int has_bfloat16;
    void (*gemm_bfloat16)(real *y, ptrdiff_t y_stride, const real *x, ptrdiff_t x_stride, int rows,
                          const uint32_t *panels, int N, int K, const real *bias, int accumulate);
    void (*pack_bfloat16)(uint32_t *panels, const real *W, ptrdiff_t stride, int N, int K);
    void (*pack_bfloat16_transposed)(uint32_t *panels, const real *W, ptrdiff_t stride, int N,
                                     int K);
    void (*gemm_tn_bfloat16)(real *C, ptrdiff_t c_stride, const real *A, ptrdiff_t a_stride,
                             const real *B, ptrdiff_t b_stride, int m, int n, int k);

    /* Keeps the multiply-adders busy for a measurement: `rounds` rounds of independent chains.
     * Returns how many operations (two a multiply-add) that was; *out is written so that they are
     * done at all. */
    double (*peak)(real *out, long rounds);
} VecOps;

/* The chosen table. */
const VecOps *vec_ops(void);

/* ERR_ARG when HEED_ISA names a set that does not exist, is not built in or that this processor
 * lacks. */
Status vec_check(Error *err) MUST_USE;

/* The table of a name if this machine can run it, else NULL; for tests and the benchmark. */
const VecOps *vec_find(const char *name);

/* Test hook: uses the named table from now on, or the usual choice for NULL. False when it is not
 * available. Not for use while threads compute; packed weights must be packed again. */
int vec_use(const char *name);

extern const VecOps VEC_PLAIN;
#if defined(__x86_64__) && !defined(REAL_IS_DOUBLE)
#define VEC_X86
extern const VecOps VEC_SSE2, VEC_AVX2, VEC_AVX512;
extern const VecOps VEC_AVX512_VNNI;     /* the same with the byte product of newer processors */
extern const VecOps VEC_AVX512_BFLOAT16; /* "avx512bf16": and with products of bfloat16 */
#endif

#endif

/* The reference kernels in portable C; see vec.h for what each computes. */
#include "math/vec.h"

#include <string.h>

static void plain_exp(real *y, const real *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = exp(x[i]);
    }
}

static void plain_tanh(real *y, const real *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = tanh(x[i]);
    }
}

static real sigmoid(real x)
{
    return 1 / (1 + exp(-x));
}

static void plain_sigmoid(real *y, const real *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = sigmoid(x[i]);
    }
}

static void plain_add(real *y, const real *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] += x[i];
    }
}

static void plain_axpy(real *y, real a, const real *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] += a * x[i];
    }
}

static void plain_multiply(real *y, const real *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] *= x[i];
    }
}

static void plain_scale(real *y, real a, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] *= a;
    }
}

static real plain_dot(const real *x, const real *y, int n)
{
    real sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* A NaN anywhere is the maximum, so that it is not lost. */
static real plain_maximum(const real *x, int n)
{
    real max = x[0];
    for (int i = 1; i < n; i++) {
        max = max >= x[i] || isnan(max) ? max : x[i];
    }
    return max;
}

static double plain_sum_squares(const real *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sum;
}

static void plain_gru_forward(real *s_out, real *gates, const real *gi, const real *gh,
                              const real *s, int H)
{
    for (int i = 0; i < H; i++) {
        const real r = sigmoid(gi[i] + gh[i]);
        const real z = sigmoid(gi[H + i] + gh[H + i]);
        const real q = gh[2 * H + i];
        const real n = tanh(gi[2 * H + i] + r * q);
        if (gates != NULL) {
            gates[i] = r;
            gates[H + i] = z;
            gates[2 * H + i] = n;
            gates[3 * H + i] = q;
        }
        s_out[i] = (1 - z) * n + z * s[i];
    }
}

static void plain_gru_backward(real *dgi, real *dgh, real *ds, const real *ds_out,
                               const real *gates, const real *s, int H)
{
    for (int i = 0; i < H; i++) {
        const real r = gates[i], z = gates[H + i], n = gates[2 * H + i], q = gates[3 * H + i];
        const real d = ds_out[i];
        /* forward: s_out = (1 - z) n + z s */
        ds[i] += d * z;
        const real dz = d * (s[i] - n) * z * (1 - z);
        /* forward: n = tanh(gi_n + r q) */
        const real dn = d * (1 - z) * (1 - n * n);
        const real dr = dn * q * r * (1 - r);
        dgi[i] = dgh[i] = dr;
        dgi[H + i] = dgh[H + i] = dz;
        dgi[2 * H + i] = dn;
        dgh[2 * H + i] = dn * r;
    }
}

static void plain_rows_dot(real *out, const real *x, const real *table, ptrdiff_t stride,
                           const int *index, int n, int width)
{
    for (int i = 0; i < n; i++) {
        out[i] = plain_dot(x, table + index[i] * stride, width);
    }
}

static void plain_rows_sum(real *out, const real *a, const real *table, ptrdiff_t stride,
                           const int *index, int n, int width)
{
    memset(out, 0, (size_t)width * sizeof *out);
    for (int i = 0; i < n; i++) {
        plain_axpy(out, a[i], table + index[i] * stride, width);
    }
}

static void plain_rows_add(real *table, ptrdiff_t stride, const int *index, int n, const real *a,
                           const real *x, int width)
{
    for (int i = 0; i < n; i++) {
        plain_axpy(table + index[i] * stride, a[i], x, width);
    }
}

static void plain_additive_forward(real *out, const real *eq, const real *ek, ptrdiff_t stride,
                                   const int *index, int n, const real *v, int A)
{
    for (int i = 0; i < n; i++) {
        const real *k = ek + index[i] * stride;
        real sum = 0;
        for (int a = 0; a < A; a++) {
            sum += v[a] / (1 + eq[a] * k[a]);
        }
        out[i] = -2 * sum;
    }
}

static void plain_additive_backward(real *dq, real *dk, real *dv, const real *de, const real *eq,
                                    const real *ek, ptrdiff_t stride, const int *index, int n,
                                    const real *v, int A)
{
    for (int i = 0; i < n; i++) {
        const real *k = ek + index[i] * stride;
        real *dk_row = dk + index[i] * stride;
        for (int a = 0; a < A; a++) {
            const real r = 1 / (1 + eq[a] * k[a]);
            const real g = de[i] * v[a] * 4 * r * (1 - r);
            dq[a] += g;
            dk_row[a] += g;
            dv[a] -= 2 * de[i] * r;
        }
    }
}

static void plain_softmax(real *x, int n)
{
    const real max = plain_maximum(x, n);
    real sum = 0;
    for (int i = 0; i < n; i++) {
        x[i] = exp(x[i] - max);
        sum += x[i];
    }
    plain_scale(x, 1 / sum, n);
}

static real plain_log_sum_exp(const real *x, int n)
{
    const real max = plain_maximum(x, n);
    real sum = exp(x[0] - max);
    for (int i = 1; i < n; i++) {
        sum += exp(x[i] - max);
    }
    return max + log(sum);
}

static void plain_log_sum_exp_add(real *max, real *sum, const real *x, int n)
{
    const real new_max = plain_maximum(x, n);
    if (!(new_max <= *max)) {
        *sum *= exp(*max - new_max);
        *max = new_max;
    }
    const real base = *max == (real)-INFINITY ? 0 : *max;
    for (int i = 0; i < n; i++) {
        *sum += exp(x[i] - base);
    }
}

static void plain_cross_entropy(real *logits, int V, int target, real eps, real scale,
                                double *smoothed, double *nll)
{
    const real lse = plain_log_sum_exp(logits, V);
    double sum = 0;
    for (int i = 0; i < V; i++) {
        sum += (double)logits[i];
    }
    *nll = (double)lse - (double)logits[target];
    *smoothed = (1 - (double)eps) * *nll + (double)eps * ((double)lse - sum / V);
    const real share = eps / (real)V;
    for (int i = 0; i < V; i++) {
        logits[i] = scale * (exp(logits[i] - lse) - share);
    }
    logits[target] -= scale * (1 - eps);
}

/* sum of p log(p / q), both given as logarithms. */
static double divergence(const real *log_p, const real *log_q, int V)
{
    double sum = 0;
    for (int i = 0; i < V; i++) {
        sum += (double)(exp(log_p[i]) * (log_p[i] - log_q[i]));
    }
    return sum;
}

static void plain_cross_entropy_pair(real *logits1, real *logits2, int V, int target, real eps,
                                     real weight, real scale, double *smoothed, double *nll)
{
    const real lse1 = plain_log_sum_exp(logits1, V), lse2 = plain_log_sum_exp(logits2, V);
    double sum = 0;
    for (int i = 0; i < V; i++) {
        logits1[i] -= lse1;
        logits2[i] -= lse2;
        sum += (double)logits1[i] + (double)logits2[i];
    }
    const double pq = divergence(logits1, logits2, V), qp = divergence(logits2, logits1, V);
    *nll = -(double)logits1[target] - (double)logits2[target];
    *smoothed = (1 - (double)eps) * *nll - (double)eps * sum / V + (double)weight * (pq + qp) / 2;
    /* With l = log p - log q:
     *     dKL(p||q) / dlogits1 = p (l - KL(p||q))      dKL(q||p) / dlogits1 = p - q
     * and the same with p and q exchanged for logits2. */
    const real share = eps / (real)V, half = weight / 2;
    for (int i = 0; i < V; i++) {
        const real p = exp(logits1[i]), q = exp(logits2[i]), l = logits1[i] - logits2[i];
        logits1[i] = scale * (p - share + half * (p * (l - (real)pq) + p - q));
        logits2[i] = scale * (q - share + half * (q * (-l - (real)qp) + q - p));
    }
    logits1[target] -= scale * (1 - eps);
    logits2[target] -= scale * (1 - eps);
}

static int plain_above(int *index, const real *x, int n, real bound)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > bound) {
            index[count++] = i;
        }
    }
    return count;
}

static void plain_top(int *index, real *value, int k, const real *x, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        const real candidate = isnan(x[i]) ? (real)-INFINITY : x[i];
        if (kept == k && !(candidate > value[k - 1])) {
            continue;
        }
        int at = kept < k ? kept++ : k - 1;
        for (; at > 0 && candidate > value[at - 1]; at--) {
            value[at] = value[at - 1];
            index[at] = index[at - 1];
        }
        value[at] = candidate;
        index[at] = i;
    }
}

static void plain_dropout_mask(real *mask, int n, double rate, uint64_t seed)
{
    const uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32);
    const uint32_t bound = (uint32_t)(rate * 4294967296.0);
    const real keep = (real)(1 / (1 - rate));
    for (int i = 0; i < n; i++) {
        uint32_t x = (uint32_t)i * 0x9e3779b1u ^ low;
        x = (x ^ x >> 16) * 0x7feb352du + high;
        x = (x ^ x >> 15) * 0x846ca68bu;
        mask[i] = (x ^ x >> 16) < bound ? 0 : keep;
    }
}

static void plain_adam(real *w, real *m, real *v, const real *g, int n, real scale, real rate,
                       real b1, real b2, real correction, real epsilon, real decay)
{
    for (int i = 0; i < n; i++) {
        const real d = scale * g[i];
        m[i] = b1 * m[i] + (1 - b1) * d;
        v[i] = b2 * v[i] + (1 - b2) * d * d;
        w[i] -= rate * m[i] / (sqrt(v[i]) * correction + epsilon) + decay * w[i];
    }
}

static void plain_norm_forward(real *y, real *xhat, real *inverse, const real *x, const real *gain,
                               const real *bias, int n)
{
    real mean = 0, var = 0;
    for (int i = 0; i < n; i++) {
        mean += x[i];
    }
    mean /= (real)n;
    for (int i = 0; i < n; i++) {
        var += (x[i] - mean) * (x[i] - mean);
    }
    const real epsilon = (real)1e-5;
    *inverse = 1 / sqrt(var / (real)n + epsilon);
    for (int i = 0; i < n; i++) {
        xhat[i] = (x[i] - mean) * *inverse;
        y[i] = gain[i] * xhat[i] + (bias == NULL ? 0 : bias[i]);
    }
}

static void plain_norm_backward(real *dx, real *dgain, real *dbias, const real *dy,
                                const real *xhat, real inverse, const real *gain, int n)
{
    real mean = 0, along = 0; /* of gain dy, and of gain dy along xhat */
    for (int i = 0; i < n; i++) {
        mean += gain[i] * dy[i];
        along += gain[i] * dy[i] * xhat[i];
    }
    mean /= (real)n;
    along /= (real)n;
    for (int i = 0; i < n; i++) {
        const real d = dy[i];
        dgain[i] += d * xhat[i];
        if (dbias != NULL) {
            dbias[i] += d;
        }
        dx[i] = inverse * (gain[i] * d - mean - xhat[i] * along);
    }
}

enum { PLAIN_PANEL = 16 };

static void plain_gemm(real *y, ptrdiff_t y_stride, const real *x, ptrdiff_t x_stride, int rows,
                       const real *panels, int N, int K, const real *bias, int accumulate)
{
    for (int first = 0; first < N; first += PLAIN_PANEL, panels += (ptrdiff_t)K * PLAIN_PANEL) {
        const int width = N - first < PLAIN_PANEL ? N - first : PLAIN_PANEL;
        for (int i = 0; i < rows; i++) {
            real sum[PLAIN_PANEL] = {0};
            const real *xi = x + i * x_stride;
            for (int k = 0; k < K; k++) {
                for (int j = 0; j < PLAIN_PANEL; j++) {
                    sum[j] += xi[k] * panels[k * PLAIN_PANEL + j];
                }
            }
            real *yi = y + i * y_stride + first;
            for (int j = 0; j < width; j++) {
                yi[j] = sum[j] + (accumulate ? yi[j] : bias != NULL ? bias[first + j] : 0);
            }
        }
    }
}

static void plain_pack(real *panels, const real *W, ptrdiff_t stride, int N, int K)
{
    for (int first = 0; first < N; first += PLAIN_PANEL) {
        for (int k = 0; k < K; k++) {
            for (int j = first; j < first + PLAIN_PANEL; j++) {
                *panels++ = j < N ? W[j * stride + k] : 0;
            }
        }
    }
}

static void plain_pack_transposed(real *panels, const real *W, ptrdiff_t stride, int N, int K)
{
    for (int first = 0; first < N; first += PLAIN_PANEL) {
        for (int k = 0; k < K; k++) {
            for (int j = first; j < first + PLAIN_PANEL; j++) {
                *panels++ = j < N ? W[k * stride + j] : 0;
            }
        }
    }
}

static uint32_t plain_rounded(real x)
{
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return isnan(x) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t plain_pair(real x, real y)
{
    return plain_rounded(x) | plain_rounded(y) << 16;
}

/* The number in the lower half of some bits. */
static real plain_bfloat16(uint32_t bits)
{
    float x;
    bits <<= 16;
    memcpy(&x, &bits, sizeof x);
    return (real)x;
}

/* The weight from input k to output j is at W[j * to_output + k * to_input]. */
static void plain_pack_pairs(uint32_t *panels, const real *W, ptrdiff_t to_output,
                             ptrdiff_t to_input, int N, int K)
{
    for (int first = 0; first < N; first += PLAIN_PANEL) {
        for (int k = 0; k < K; k += 2) {
            for (int j = first; j < first + PLAIN_PANEL; j++) {
                const real *w = W + j * to_output + k * to_input;
                *panels++ = j < N ? plain_pair(*w, k + 1 < K ? w[to_input] : 0) : 0;
            }
        }
    }
}

static void plain_pack_bfloat16(uint32_t *panels, const real *W, ptrdiff_t stride, int N, int K)
{
    plain_pack_pairs(panels, W, stride, 1, N, K);
}

static void plain_pack_bfloat16_transposed(uint32_t *panels, const real *W, ptrdiff_t stride, int N,
                                           int K)
{
    plain_pack_pairs(panels, W, 1, stride, N, K);
}

static void plain_gemm_bfloat16(real *y, ptrdiff_t y_stride, const real *x, ptrdiff_t x_stride,
                                int rows, const uint32_t *panels, int N, int K, const real *bias,
                                int accumulate)
{
    for (int first = 0; first < N; first += PLAIN_PANEL) {
        const int width = N - first < PLAIN_PANEL ? N - first : PLAIN_PANEL;
        for (int i = 0; i < rows; i++) {
            real sum[PLAIN_PANEL] = {0};
            const real *xi = x + i * x_stride;
            for (int k = 0; k < K; k++) {
                const uint32_t *pairs = panels + k / 2 * PLAIN_PANEL;
                const real input = plain_bfloat16(plain_rounded(xi[k]));
                for (int j = 0; j < PLAIN_PANEL; j++) {
                    sum[j] += input * plain_bfloat16(pairs[j] >> 16 * (k % 2) & 0xffff);
                }
            }
            real *yi = y + i * y_stride + first;
            for (int j = 0; j < width; j++) {
                yi[j] = sum[j] + (accumulate ? yi[j] : bias != NULL ? bias[first + j] : 0);
            }
        }
        panels += (ptrdiff_t)((K + 1) / 2) * PLAIN_PANEL;
    }
}

static void plain_gemm_tn_bfloat16(real *C, ptrdiff_t c_stride, const real *A, ptrdiff_t a_stride,
                                   const real *B, ptrdiff_t b_stride, int m, int n, int k)
{
    for (int d = 0; d < k; d++, A += a_stride, B += b_stride) {
        for (int i = 0; i < m; i++) {
            const real a = plain_bfloat16(plain_rounded(A[i]));
            for (int j = 0; j < n; j++) {
                C[i * c_stride + j] += a * plain_bfloat16(plain_rounded(B[j]));
            }
        }
    }
}

/* sum [PLAIN_PANEL] of one row of x against one panel. */
static void int8_sums(int32_t *sum, const int8_t *x, const int8_t *panel, int K)
{
    memset(sum, 0, PLAIN_PANEL * sizeof *sum);
    for (int k = 0; k < K; k += 4, panel += 4 * PLAIN_PANEL) {
        for (int j = 0; j < PLAIN_PANEL; j++) {
            for (int i = 0; i < 4; i++) {
                sum[j] += x[k + i] * panel[4 * j + i];
            }
        }
    }
}

static void plain_gemm_int8(const Int8Product *g)
{
    for (int first = 0; first < g->N; first += PLAIN_PANEL) {
        const int8_t *panel = g->panels + (ptrdiff_t)first * g->K;
        const int width = g->N - first < PLAIN_PANEL ? g->N - first : PLAIN_PANEL;
        for (int i = 0; i < g->rows; i++) {
            int32_t sum[PLAIN_PANEL];
            real *y = g->y + i * g->y_stride + first;
            int8_sums(sum, g->x + i * g->x_stride, panel, g->K);
            for (int j = 0; j < width; j++) {
                const real product = (real)sum[j] * (g->x_scale[i] * g->w_scale[first + j]);
                y[j] = product + (g->accumulate ? y[j] : g->bias != NULL ? g->bias[first + j] : 0);
            }
        }
    }
}

static void plain_pack_int8(int8_t *panels, const int8_t *W, ptrdiff_t stride, int N, int K)
{
    for (int first = 0; first < N; first += PLAIN_PANEL) {
        for (int k = 0; k < K; k += 4) {
            for (int j = first; j < first + PLAIN_PANEL; j++) {
                for (int i = k; i < k + 4; i++) {
                    *panels++ = j < N && i < K ? W[j * stride + i] : 0;
                }
            }
        }
    }
}

static void plain_quantize(int8_t *q, const real *x, real inverse, int n)
{
    for (int i = 0; i < n; i++) {
        q[i] = (int8_t)rint(x[i] * inverse);
    }
}

static real plain_max_abs(const real *x, int n)
{
    real max = 0;
    for (int i = 0; i < n; i++) {
        const real size = fabs(x[i]);
        max = max >= size || isnan(max) ? max : size;
    }
    return max;
}

static double plain_peak(real *out, long rounds)
{
    enum { CHAINS = 64 };
    real sum[CHAINS] = {0};
    const real a = (real)0.5;
    for (long i = 0; i < rounds; i++) {
        for (int j = 0; j < CHAINS; j++) {
            sum[j] = sum[j] * a + 1;
        }
    }
    *out = plain_dot(sum, sum, CHAINS);
    return 2.0 * CHAINS * (double)rounds;
}

const VecOps VEC_PLAIN = {
    .name = "plain",
    .exp = plain_exp,
    .tanh = plain_tanh,
    .sigmoid = plain_sigmoid,
    .add = plain_add,
    .axpy = plain_axpy,
    .multiply = plain_multiply,
    .scale = plain_scale,
    .dot = plain_dot,
    .maximum = plain_maximum,
    .sum_squares = plain_sum_squares,
    .gru_forward = plain_gru_forward,
    .gru_backward = plain_gru_backward,
    .rows_dot = plain_rows_dot,
    .rows_sum = plain_rows_sum,
    .rows_add = plain_rows_add,
    .additive_forward = plain_additive_forward,
    .additive_backward = plain_additive_backward,
    .softmax = plain_softmax,
    .log_sum_exp = plain_log_sum_exp,
    .log_sum_exp_add = plain_log_sum_exp_add,
    .cross_entropy = plain_cross_entropy,
    .cross_entropy_pair = plain_cross_entropy_pair,
    .top = plain_top,
    .above = plain_above,
    .dropout_mask = plain_dropout_mask,
    .adam = plain_adam,
    .norm_forward = plain_norm_forward,
    .norm_backward = plain_norm_backward,
    .panel = PLAIN_PANEL,
    .gemm = plain_gemm,
    .pack = plain_pack,
    .pack_transposed = plain_pack_transposed,
    .gemm_bfloat16 = plain_gemm_bfloat16,
    .pack_bfloat16 = plain_pack_bfloat16,
    .pack_bfloat16_transposed = plain_pack_bfloat16_transposed,
    .gemm_tn_bfloat16 = plain_gemm_tn_bfloat16,
    .gemm_int8 = plain_gemm_int8,
    .pack_int8 = plain_pack_int8,
    .quantize = plain_quantize,
    .max_abs = plain_max_abs,
    .peak = plain_peak,
};

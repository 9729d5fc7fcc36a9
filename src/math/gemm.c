/* Matrix products; see the header. */
#include "math/gemm.h"

#include <assert.h>
#include <cblas.h>
#include <string.h>

#include "base/mem.h"
#include "math/vec.h"

#ifdef REAL_IS_DOUBLE
#define BLAS_GEMM cblas_dgemm
#else
#define BLAS_GEMM cblas_sgemm
#endif

static int panels_of(int N)
{
    const int width = vec_ops()->panel;
    return (N + width - 1) / width;
}

size_t packed_count(int N, int K)
{
    return mem_times(mem_times((size_t)panels_of(N), (size_t)vec_ops()->panel), (size_t)K);
}

size_t packed_bfloat16_count(int N, int K)
{
    return mem_times((size_t)panels_of(N) * (size_t)vec_ops()->panel, ((size_t)K + 1) / 2);
}

void packed_fill(const Packed *packed, Mat W)
{
    const VecOps *ops = vec_ops();
    assert(W.rows == packed->N && W.cols == packed->K && packed->kind != PACKED_INT8);
    if (packed->kind == PACKED_BFLOAT16) {
        ops->pack_bfloat16(packed->pairs, W.v, W.stride, W.rows, W.cols);
    } else {
        ops->pack(packed->panels, W.v, W.stride, W.rows, W.cols);
    }
}

void packed_fill_transposed(const Packed *packed, Mat W)
{
    const VecOps *ops = vec_ops();
    assert(W.cols == packed->N && W.rows == packed->K && packed->kind != PACKED_INT8);
    if (packed->kind == PACKED_BFLOAT16) {
        ops->pack_bfloat16_transposed(packed->pairs, W.v, W.stride, W.cols, W.rows);
    } else {
        ops->pack_transposed(packed->panels, W.v, W.stride, W.cols, W.rows);
    }
}

static int round_to_four(int K)
{
    return (K + 3) & ~3;
}

size_t packed_int8_count(int N, int K)
{
    assert(K <= VEC_INT8_MAX_INPUTS);
    return mem_times((size_t)panels_of(N) * (size_t)vec_ops()->panel, (size_t)round_to_four(K));
}

void packed_fill_int8(const Packed *packed, const int8_t *W, ptrdiff_t stride)
{
    assert(packed->kind == PACKED_INT8);
    vec_ops()->pack_int8(packed->bytes, W, stride, packed->N, packed->K);
}

/* Bytes of x [rows, K] and their scales. A row with a number that is not finite gets the scale NaN,
 * and NaN is what the product makes of it. */
static void quantize_inputs(int8_t *q, int q_stride, real *scale, Mat x)
{
    const VecOps *ops = vec_ops();
    for (int i = 0; i < x.rows; i++, q += q_stride) {
        const real max = ops->max_abs(mat_row(x, i), x.cols);
        const real inverse = max > 0 ? 127 / max : 0;
        memset(q + x.cols, 0, (size_t)(q_stride - x.cols));
        if (isfinite(max) && isfinite(inverse)) {
            scale[i] = max / 127;
            ops->quantize(q, mat_row(x, i), inverse, x.cols);
        } else {
            scale[i] = isfinite(max) ? 0 : NAN; /* too small for an inverse, or not finite */
            memset(q, 0, (size_t)x.cols);
        }
    }
}

enum { INT8_ROWS = 64 };

/* Some rows at a time: their bytes lie on the stack. */
static void int8_product(Mat y, Mat x, const Packed *W, const real *bias, int accumulate)
{
    _Alignas(64) int8_t bytes[VEC_INT8_MAX_INPUTS];
    real scale[INT8_ROWS];
    const int K = round_to_four(W->K);
    const int fit = K == 0 ? INT8_ROWS : VEC_INT8_MAX_INPUTS / K;
    const int most = fit < INT8_ROWS ? fit : INT8_ROWS;
    for (int first = 0; first < x.rows; first += most) {
        const int rows = x.rows - first < most ? x.rows - first : most;
        quantize_inputs(bytes, K, scale, mat_rows(x, first, rows));
        const Int8Product product = {.y = mat_row(y, first),
                                     .y_stride = y.stride,
                                     .x = bytes,
                                     .x_stride = K,
                                     .x_scale = scale,
                                     .panels = W->bytes,
                                     .w_scale = W->scales,
                                     .bias = bias,
                                     .rows = rows,
                                     .N = W->N,
                                     .K = K,
                                     .accumulate = accumulate};
        vec_ops()->gemm_int8(&product);
    }
}

static void packed_product(Mat y, Mat x, const Packed *W, const real *bias, int accumulate)
{
    assert(y.rows == x.rows && y.cols == W->N && x.cols == W->K);
    if (W->kind == PACKED_INT8) {
        assert(W->bytes != NULL && W->scales != NULL);
        int8_product(y, x, W, bias, accumulate);
    } else if (y.rows > 0 && W->kind == PACKED_BFLOAT16) {
        assert(W->pairs != NULL);
        vec_ops()->gemm_bfloat16(y.v, y.stride, x.v, x.stride, y.rows, W->pairs, W->N, W->K, bias,
                                 accumulate);
    } else if (y.rows > 0) {
        assert(W->panels != NULL);
        vec_ops()->gemm(y.v, y.stride, x.v, x.stride, y.rows, W->panels, W->N, W->K, bias,
                        accumulate);
    }
}

int packed_stretch(void)
{
    return vec_ops()->panel;
}

/* Outputs first .. first + n - 1 of W as weights of their own. */
static Packed stretch_of(const Packed *W, int first, int n)
{
    Packed part = *W;
    assert(first % packed_stretch() == 0 && first + n <= W->N);
    part.N = n;
    if (W->kind == PACKED_INT8) {
        part.bytes += (ptrdiff_t)first * round_to_four(W->K);
        part.scales += first;
    } else if (W->kind == PACKED_BFLOAT16) {
        part.pairs += (ptrdiff_t)first * ((W->K + 1) / 2);
    } else {
        part.panels += (ptrdiff_t)first * W->K;
    }
    return part;
}

void gemm_packed_stretch(Mat y, Mat x, const Packed *W, int first, const real *bias)
{
    const Packed part = stretch_of(W, first, y.cols);
    packed_product(y, x, &part, bias == NULL ? NULL : bias + first, 0);
}

Status byte_rows_alloc(ByteRows *out, Arena *arena, int rows, int K, Error *err)
{
    const int stride = round_to_four(K);
    void *bytes, *scale;
    TRY(arena_alloc(arena, &bytes, (size_t)rows, (size_t)stride, err));
    TRY(arena_alloc(arena, &scale, (size_t)rows, sizeof(real), err));
    *out = (ByteRows){bytes, scale, rows, K, stride};
    return OK;
}

void byte_rows_fill(const ByteRows *out, Mat x)
{
    assert(x.rows <= out->rows && x.cols == out->K);
    quantize_inputs(out->bytes, out->stride, out->scale, x);
}

void gemm_bytes_stretch(Mat y, const ByteRows *x, int first_row, const Packed *W, int first,
                        const real *bias)
{
    const Packed part = stretch_of(W, first, y.cols);
    const Int8Product product = {.y = y.v,
                                 .y_stride = y.stride,
                                 .x = x->bytes + (ptrdiff_t)first_row * x->stride,
                                 .x_stride = x->stride,
                                 .x_scale = x->scale + first_row,
                                 .panels = part.bytes,
                                 .w_scale = part.scales,
                                 .bias = bias == NULL ? NULL : bias + first,
                                 .rows = y.rows,
                                 .N = part.N,
                                 .K = x->stride};
    vec_ops()->gemm_int8(&product);
}

void gemm_packed(Mat y, Mat x, const Packed *W, const real *bias)
{
    packed_product(y, x, W, bias, 0);
}

void gemm_packed_add(Mat y, Mat x, const Packed *W)
{
    packed_product(y, x, W, NULL, 1);
}

void gemm_tn(Mat C, Mat A, Mat B)
{
    const VecOps *ops = vec_ops();
    assert(C.rows == A.cols && C.cols == B.cols && A.rows == B.rows);
    if (ops->gemm_tn == NULL) {
        gemm_blas_tn(C, A, B);
    } else if (A.rows > 0) {
        ops->gemm_tn(C.v, C.stride, A.v, A.stride, B.v, B.stride, C.rows, C.cols, A.rows);
    }
}

void gemm_tn_bfloat16(Mat C, Mat A, Mat B)
{
    assert(C.rows == A.cols && C.cols == B.cols && A.rows == B.rows);
    if (A.rows > 0) {
        vec_ops()->gemm_tn_bfloat16(C.v, C.stride, A.v, A.stride, B.v, B.stride, C.rows, C.cols,
                                    A.rows);
    }
}

static void blas_nn(Mat C, Mat A, Mat B, real beta)
{
    if (A.rows > 0) {
        BLAS_GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, C.rows, C.cols, A.cols, 1, A.v,
                  A.stride, B.v, B.stride, beta, C.v, C.stride);
    }
}

static void product_nn(Mat C, Mat A, Mat B, int accumulate)
{
    const VecOps *ops = vec_ops();
    assert(C.rows == A.rows && C.cols == B.cols && A.cols == B.rows);
    if (ops->gemm_nn == NULL) {
        blas_nn(C, A, B, accumulate ? 1 : 0);
    } else if (A.rows > 0) {
        if (!accumulate) {
            mat_zero(C);
        }
        ops->gemm_nn(C.v, C.stride, A.v, A.stride, B.v, B.stride, C.rows, C.cols, A.cols);
    }
}

void gemm_nn(Mat C, Mat A, Mat B)
{
    product_nn(C, A, B, 0);
}

void gemm_nn_add(Mat C, Mat A, Mat B)
{
    product_nn(C, A, B, 1);
}

void gemm_blas_tn(Mat C, Mat A, Mat B)
{
    if (A.rows > 0) {
        BLAS_GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, C.rows, C.cols, A.rows, 1, A.v, A.stride,
                  B.v, B.stride, 1, C.v, C.stride);
    }
}

void gemm_blas_nn(Mat C, Mat A, Mat B)
{
    blas_nn(C, A, B, 0);
}

const char *gemm_blas_name(void)
{
    return openblas_get_corename();
}

enum { CHECK_M = 37, CHECK_N = 51, CHECK_K = 29 };

/* Small whole numbers: every order of additions gives the same sum. */
static void fill_check(real *v, int n, unsigned seed)
{
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        v[i] = (real)((int)(seed >> 16 & 31u) - 16);
    }
}

/* Whether C [m, n] is A B where a [m, k] and b [k, n]; A is given transposed as [k, m] if asked. */
static int is_product(Mat C, Mat A, Mat B, int is_transposed)
{
    for (int i = 0; i < C.rows; i++) {
        for (int j = 0; j < C.cols; j++) {
            real sum = 0;
            for (int k = 0; k < B.rows; k++) {
                sum += (is_transposed ? mat_row(A, k)[i] : mat_row(A, i)[k]) * mat_row(B, k)[j];
            }
            if (mat_row(C, i)[j] != sum) {
                return 0;
            }
        }
    }
    return 1;
}

Status gemm_check_blas(Error *err)
{
    real a[CHECK_M * CHECK_K], b[CHECK_K * CHECK_N], c[CHECK_M * CHECK_N];
    fill_check(a, CHECK_M * CHECK_K, 1);
    fill_check(b, CHECK_K * CHECK_N, 2);
    const Mat B = mat(b, CHECK_K, CHECK_N), C = mat(c, CHECK_M, CHECK_N);
    gemm_blas_nn(C, mat(a, CHECK_M, CHECK_K), B);
    int is_right = is_product(C, mat(a, CHECK_M, CHECK_K), B, 0);
    mat_zero(C);
    gemm_blas_tn(C, mat(a, CHECK_K, CHECK_M), B);
    is_right = is_right && is_product(C, mat(a, CHECK_K, CHECK_M), B, 1);
    return is_right ? OK
                    : fail(err, ERR_DIVERGED, "BLAS (%s): its products are wrong on this machine",
                           gemm_blas_name());
}

void gemm_use_one_thread(void)
{
    openblas_set_num_threads(1);
}

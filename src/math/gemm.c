/* Matrix products; see the header. */
#include "math/gemm.h"

#include <assert.h>
#include <cblas.h>

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

void packed_fill(const Packed *packed, Mat W)
{
    assert(W.rows == packed->N && W.cols == packed->K);
    vec_ops()->pack(packed->panels, W.v, W.stride, W.rows, W.cols);
}

void packed_fill_transposed(const Packed *packed, Mat W)
{
    assert(W.cols == packed->N && W.rows == packed->K);
    vec_ops()->pack_transposed(packed->panels, W.v, W.stride, W.cols, W.rows);
}

static void packed_product(Mat y, Mat x, const Packed *W, const real *bias, int accumulate)
{
    assert(y.rows == x.rows && y.cols == W->N && x.cols == W->K && W->panels != NULL);
    if (y.rows > 0) {
        vec_ops()->gemm(y.v, y.stride, x.v, x.stride, y.rows, W->panels, W->N, W->K, bias,
                        accumulate);
    }
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
    assert(C.rows == A.cols && C.cols == B.cols && A.rows == B.rows);
    if (A.rows > 0) {
        BLAS_GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, C.rows, C.cols, A.rows, 1, A.v, A.stride,
                  B.v, B.stride, 1, C.v, C.stride);
    }
}

static void product_nn(Mat C, Mat A, Mat B, real beta)
{
    assert(C.rows == A.rows && C.cols == B.cols && A.cols == B.rows);
    if (A.rows > 0) {
        BLAS_GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, C.rows, C.cols, A.cols, 1, A.v,
                  A.stride, B.v, B.stride, beta, C.v, C.stride);
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

void gemm_use_one_thread(void)
{
    openblas_set_num_threads(1);
}

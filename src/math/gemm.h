/* Matrix products.
 *
 * Two roads, chosen by the caller:
 *   - packed weights and our own kernels (Packed, gemm_packed): everything inside a time loop and
 * everything that decoding does, since a row's bits then do not depend on how many rows there are;
 *   - BLAS, one thread per caller (gemm_tn, gemm_nn): the large products of the backward pass.
 *
 * Packing costs one pass over the weights and is done once per update. */
#ifndef HEED_MATH_GEMM_H
#define HEED_MATH_GEMM_H

#include "base/status.h"
#include "math/mat.h"

/* Weights from K inputs to N outputs, laid out in panels for the chosen kernels (vec.h). The panels
 * are owned by whoever allocated them. */
typedef struct Packed {
    real *panels; /* packed_count(N, K) numbers, 64-byte aligned; NULL when not packed */
    int N, K;
} Packed;

/* How many numbers the panels of an N x K matrix take with the chosen kernels. */
size_t packed_count(int N, int K);

/* Fills the panels from W [N, K] (packed_fill) or from the transpose of W [K, N]
 * (packed_fill_transposed). */
void packed_fill(const Packed *packed, Mat W);
void packed_fill_transposed(const Packed *packed, Mat W);

/* y [rows, N] = x [rows, K] W^T + bias; bias [N] may be NULL. y may not overlap x. */
void gemm_packed(Mat y, Mat x, const Packed *W, const real *bias);
/* y += x W^T. */
void gemm_packed_add(Mat y, Mat x, const Packed *W);

/* C [m, n] += A^T B with A [k, m], B [k, n]: a gradient of weights. */
void gemm_tn(Mat C, Mat A, Mat B);
/* C [m, n] = A B with A [m, k], B [k, n]: a gradient of inputs; _add adds to C. */
void gemm_nn(Mat C, Mat A, Mat B);
void gemm_nn_add(Mat C, Mat A, Mat B);

/* Tells BLAS to run in the calling thread alone; called once before the first product. */
void gemm_use_one_thread(void);

#endif

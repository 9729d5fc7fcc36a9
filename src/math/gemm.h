/* Matrix products.
 *
 * Two roads, chosen by the caller:
 *   - packed weights (Packed, gemm_packed): everything inside a time loop and everything that
 *     decoding does, since a row's bits then do not depend on how many rows there are;
 *   - matrices as they lie (gemm_tn, gemm_nn): the large products of the backward pass.
 *
 * Both run in the calling thread and in kernels of the chosen table (vec.h); the plain table leaves
 * the second road to BLAS. Packing costs one pass over the weights and is done once per update. */
#ifndef HEED_MATH_GEMM_H
#define HEED_MATH_GEMM_H

#include <stdint.h>

#include "base/status.h"
#include "math/mat.h"

typedef enum PackedKind { PACKED_REAL, PACKED_BFLOAT16, PACKED_INT8 } PackedKind;

/* Weights from K inputs to N outputs, laid out in panels for the chosen kernels (vec.h). Panels and
 * scales are owned by whoever allocated them. The other kind's members are NULL. */
typedef struct Packed {
    real *panels; /* packed_count(N, K) numbers, 64-byte aligned; NULL when not packed */
    int N, K;
    PackedKind kind;
    uint32_t *pairs;    /* packed_bfloat16_count(N, K) pairs, 64-byte aligned */
    int8_t *bytes;      /* packed_int8_count(N, K) bytes, 64-byte aligned */
    const real *scales; /* [N]: output j of the weights is scales[j] times its bytes */
} Packed;

/* How many numbers the panels of an N x K matrix take with the chosen kernels. */
size_t packed_count(int N, int K);

/* How many pairs the panels take when the weights are rounded to bfloat16 (PACKED_BFLOAT16). A product rounds its
 * inputs too and sums in float. */
size_t packed_bfloat16_count(int N, int K);

/* Fills the panels, numbers or pairs, from W [N, K] (packed_fill) or from the transpose of W [K, N]
 * (packed_fill_transposed). */
void packed_fill(const Packed *packed, Mat W);
void packed_fill_transposed(const Packed *packed, Mat W);

/* The same for weights of one byte (PACKED_INT8), K <= VEC_INT8_MAX_INPUTS: row j of W [N, K]
 * starts at W + j * stride, with bytes in -127 .. 127 (math/quantize.h). The inputs of a product
 * are quantised row by row as they come, with the row's own scale. */
size_t packed_int8_count(int N, int K);
void packed_fill_int8(const Packed *packed, const int8_t *W, ptrdiff_t stride);

/* y [rows, N] = x [rows, K] W^T + bias, whatever the kind of W; bias [N] may be NULL. y may not
 * overlap x. */
void gemm_packed(Mat y, Mat x, const Packed *W, const real *bias);
/* y += x W^T. */
void gemm_packed_add(Mat y, Mat x, const Packed *W);

/* A stretch of the outputs, first .. first + y.cols - 1 with first a multiple of packed_stretch():
 * y = x W^T + bias there, the same bits as in the whole product. bias is that of all outputs. */
int packed_stretch(void);
void gemm_packed_stretch(Mat y, Mat x, const Packed *W, int first, const real *bias);

/* Rows x [rows, K] as bytes, for several products: row i is scale[i] times its bytes. */
typedef struct ByteRows {
    int8_t *bytes; /* `stride` apart: K rounded up to a multiple of 4, zeros behind K */
    real *scale;   /* [rows]; NaN for a row with a number that is not finite */
    int rows, K, stride;
} ByteRows;

Status byte_rows_alloc(ByteRows *out, Arena *arena, int rows, int K, Error *err) MUST_USE;
void byte_rows_fill(const ByteRows *out, Mat x);
/* gemm_packed_stretch with weights of one byte, rows x.rows of x from `first_row` on. */
void gemm_bytes_stretch(Mat y, const ByteRows *x, int first_row, const Packed *W, int first,
                        const real *bias);

/* C [m, n] += A^T B with A [k, m], B [k, n]: a gradient of weights. */
void gemm_tn(Mat C, Mat A, Mat B);
/* The same of A and B rounded to bfloat16, summed in float. */
void gemm_tn_bfloat16(Mat C, Mat A, Mat B);
/* C [m, n] = A B with A [m, k], B [k, n]: a gradient of inputs; _add adds to C. */
void gemm_nn(Mat C, Mat A, Mat B);
void gemm_nn_add(Mat C, Mat A, Mat B);

/* The kind of processor that BLAS has chosen its kernels for, as it says: "Haswell". */
const char *gemm_blas_name(void);

/* Holds both products of BLAS against three loops; ERR_DIVERGED when one is wrong. */
Status gemm_check_blas(Error *err) MUST_USE;

/* gemm_tn and gemm_nn by BLAS: what the plain table uses, and the benchmark compares. */
void gemm_blas_tn(Mat C, Mat A, Mat B);
void gemm_blas_nn(Mat C, Mat A, Mat B);

/* Tells BLAS to run in the calling thread alone; called once before the first product. */
void gemm_use_one_thread(void);

#endif

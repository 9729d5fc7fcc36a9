/* The products of bfloat16 for processors that have AVX-512 BF16 besides what vec_vnni.c needs; see VecOps. */
#ifndef HEED_MATH_VEC_BFLOAT16_H
#define HEED_MATH_VEC_BFLOAT16_H

#include "math/vec.h"

#ifdef VEC_X86
void vec_gemm_bfloat16(real *y, ptrdiff_t y_stride, const real *x, ptrdiff_t x_stride, int rows,
                       const uint32_t *panels, int N, int K, const real *bias, int accumulate);
void vec_pack_bfloat16(uint32_t *panels, const real *W, ptrdiff_t stride, int N, int K);
void vec_pack_bfloat16_transposed(uint32_t *panels, const real *W, ptrdiff_t stride, int N, int K);
void vec_gemm_tn_bfloat16(real *C, ptrdiff_t c_stride, const real *A, ptrdiff_t a_stride,
                          const real *B, ptrdiff_t b_stride, int m, int n, int k);
#endif

#endif

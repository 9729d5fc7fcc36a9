/* The products of bfloat16 with the instruction made for them; see bfloat16_kernels.inc. */
#include "math/vec_bfloat16.h"

#ifdef VEC_X86

#include <string.h>

#include "math/isa_avx512.inc"

#include "math/vec_access.inc"

STEP Bits rounded(Vec v)
{
    return (Bits)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh((__m512)v));
}

STEP Vec dot2(Vec sum, Bits w, Bits x)
{
    return (Vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)w, (__m512bh)x);
}

#include "math/bfloat16_kernels.inc"

void vec_gemm_bfloat16(real *y, ptrdiff_t y_stride, const real *x, ptrdiff_t x_stride, int rows,
                       const uint32_t *panels, int N, int K, const real *bias, int accumulate)
{
    simd_gemm_bfloat16(y, y_stride, x, x_stride, rows, panels, N, K, bias, accumulate);
}

void vec_pack_bfloat16(uint32_t *panels, const real *W, ptrdiff_t stride, int N, int K)
{
    simd_pack_bfloat16(panels, W, stride, N, K);
}

void vec_pack_bfloat16_transposed(uint32_t *panels, const real *W, ptrdiff_t stride, int N, int K)
{
    simd_pack_bfloat16_transposed(panels, W, stride, N, K);
}

void vec_gemm_tn_bfloat16(real *C, ptrdiff_t c_stride, const real *A, ptrdiff_t a_stride,
                          const real *B, ptrdiff_t b_stride, int m, int n, int k)
{
    simd_gemm_tn_bfloat16(C, c_stride, A, a_stride, B, b_stride, m, n, k);
}

#endif

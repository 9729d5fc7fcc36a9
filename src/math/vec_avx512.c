/* The kernels for AVX-512 (F, BW, DQ, VL); see vec.h and vec_kernels.inc. */
#include "math/vec.h"
#include "math/vec_bfloat16.h"
#include "math/vec_vnni.h"

#ifdef VEC_X86

#define ISA   "avx512"
#define TABLE VEC_AVX512

#include "math/isa_avx512.inc"

/* The multiplication of bytes wants one side without sign: |x| and w with the sign of x. Two
 * products of at most 127 * 127 fit into its 16 bits. */
#define DOT4_OFFSET 0
#define INT8_TILE   4

static inline Ints dot4(Ints sum, Ints w, Ints x)
{
    const __mmask64 negative = _mm512_movepi8_mask((__m512i)x);
    const __m512i signed_w =
        _mm512_mask_sub_epi8((__m512i)w, negative, _mm512_setzero_si512(), (__m512i)w);
    const __m512i pairs = _mm512_maddubs_epi16(_mm512_abs_epi8((__m512i)x), signed_w);
    return sum + (Ints)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}

#include "math/vec_kernels.inc"

const VecOps VEC_AVX512_VNNI = {
    .name = ISA, KERNELS, BFLOAT16_KERNELS, .gemm_int8 = vec_gemm_int8_vnni};

const VecOps VEC_AVX512_BFLOAT16 = {.name = ISA "bf16",
                                    KERNELS,
                                    .gemm_int8 = vec_gemm_int8_vnni,
                                    .has_bfloat16 = 1,
                                    .gemm_bfloat16 = vec_gemm_bfloat16,
                                    .pack_bfloat16 = vec_pack_bfloat16,
                                    .pack_bfloat16_transposed = vec_pack_bfloat16_transposed,
                                    .gemm_tn_bfloat16 = vec_gemm_tn_bfloat16};

#endif

/* The byte product with the instruction made for it; see int8_kernels.inc. */
#include "math/vec_vnni.h"

#ifdef VEC_X86

#include <string.h>

#include "math/isa_avx512.inc"

#include "math/vec_access.inc"

/* The instruction takes one side without sign: the weights, by an offset of 128. */
#define DOT4_OFFSET 128
#define INT8_TILE   8

static inline Ints dot4(Ints sum, Ints w, Ints x)
{
    const __m512i offset = _mm512_xor_si512((__m512i)w, _mm512_set1_epi8(-128));
    return (Ints)_mm512_dpbusd_epi32((__m512i)sum, offset, (__m512i)x);
}

#include "math/int8_kernels.inc"

void vec_gemm_int8_vnni(const Int8Product *product)
{
    int8_product(product);
}

#endif

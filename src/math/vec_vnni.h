/* The byte product for processors that have AVX-512 VNNI besides what vec_avx512.c needs. */
#ifndef HEED_MATH_VEC_VNNI_H
#define HEED_MATH_VEC_VNNI_H

#include "math/vec.h"

#ifdef VEC_X86
void vec_gemm_int8_vnni(const Int8Product *product);
#endif

#endif

/* The kernels for AVX-512 (F, BW, DQ, VL); see vec.h and vec_kernels.inc. */
#include "math/vec.h"

#ifdef VEC_X86

#include <immintrin.h>

#define WIDTH   16
#define ISA     "avx512"
#define TABLE   VEC_AVX512
#define VECTORS 3 /* a panel is 48 outputs */
#define TILE    8 /* 24 sums, 3 weights, inputs from memory: 27 of 32 registers */

typedef float Vec __attribute__((vector_size(64)));
typedef uint32_t Bits __attribute__((vector_size(64)));

static inline __mmask16 first_lanes(int part)
{
    return (__mmask16)((1u << part) - 1);
}

static inline Vec load_part(const real *p, int part, Vec fill)
{
    return (Vec)_mm512_mask_loadu_ps((__m512)fill, first_lanes(part), p);
}

static inline void store_part(real *p, Vec v, int part)
{
    _mm512_mask_storeu_ps(p, first_lanes(part), (__m512)v);
}

static inline Vec fma3(Vec a, Vec b, Vec c)
{
    return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline Vec smaller(Vec a, Vec b)
{
    return (Vec)_mm512_min_ps((__m512)a, (__m512)b);
}

static inline Vec larger(Vec a, Vec b)
{
    return (Vec)_mm512_max_ps((__m512)a, (__m512)b);
}

static inline Vec root(Vec a)
{
    return (Vec)_mm512_sqrt_ps((__m512)a);
}

static inline real sum_lanes(Vec a)
{
    return _mm512_reduce_add_ps((__m512)a);
}

static inline real max_lanes(Vec a)
{
    return _mm512_reduce_max_ps((__m512)a);
}

static inline unsigned lanes_greater(Vec a, Vec b)
{
    return (unsigned)_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
}

/* p 2^n with one rounding; n is integral. */
#define HAS_SCALE_BY_POWER
static inline Vec scale_by_power(Vec p, Vec n)
{
    return (Vec)_mm512_scalef_ps((__m512)p, (__m512)n);
}

#include "math/vec_kernels.inc"

#endif

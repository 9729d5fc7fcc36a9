/* The kernels for SSE2, which every x86-64 processor has; see vec.h and vec_kernels.inc. */
#include "math/vec.h"

#ifdef VEC_X86

#include <emmintrin.h>
#include <string.h>

#define WIDTH        4
#define ISA          "sse2"
#define TABLE        VEC_SSE2
#define VECTORS      3 /* a panel is 12 outputs */
#define TILE         4 /* 12 sums, 3 weights and one input: all 16 registers */
#define BACK_ROWS    6
#define BACK_VECTORS 2

typedef float Vec __attribute__((vector_size(16)));
typedef uint32_t Bits __attribute__((vector_size(16)));

static inline Vec load_part(const real *p, int part, Vec fill)
{
    memcpy(&fill, p, (size_t)part * sizeof *p);
    return fill;
}

static inline void store_part(real *p, Vec v, int part)
{
    memcpy(p, &v, (size_t)part * sizeof *p);
}

static inline Vec fma3(Vec a, Vec b, Vec c)
{
    return a * b + c;
}

static inline Vec smaller(Vec a, Vec b)
{
    return (Vec)_mm_min_ps((__m128)a, (__m128)b);
}

static inline Vec larger(Vec a, Vec b)
{
    return (Vec)_mm_max_ps((__m128)a, (__m128)b);
}

static inline Vec root(Vec a)
{
    return (Vec)_mm_sqrt_ps((__m128)a);
}

static inline real sum_lanes(Vec a)
{
    const __m128 pair = _mm_add_ps((__m128)a, _mm_movehl_ps((__m128)a, (__m128)a));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

static inline real max_lanes(Vec a)
{
    const __m128 pair = _mm_max_ps((__m128)a, _mm_movehl_ps((__m128)a, (__m128)a));
    return _mm_cvtss_f32(_mm_max_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

static inline unsigned lanes_greater(Vec a, Vec b)
{
    return (unsigned)_mm_movemask_ps(_mm_cmpgt_ps((__m128)a, (__m128)b));
}

/* Bytes are widened to 16 bits; each multiplication leaves two sums of two for an output. */
typedef int32_t Ints __attribute__((vector_size(16)));
#define DOT4_OFFSET 0
#define INT8_TILE   4

static inline Ints dot4(Ints sum, Ints w, Ints x)
{
    const __m128i wide_x = _mm_srai_epi16(_mm_unpacklo_epi8((__m128i)x, (__m128i)x), 8);
    const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8((__m128i)w, (__m128i)w), 8);
    const __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8((__m128i)w, (__m128i)w), 8);
    const __m128 a = (__m128)_mm_madd_epi16(low, wide_x);
    const __m128 b = (__m128)_mm_madd_epi16(high, wide_x);
    const Ints even = (Ints)_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0));
    const Ints odd = (Ints)_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1));
    return sum + (even + odd);
}

#include "math/vec_kernels.inc"

#endif

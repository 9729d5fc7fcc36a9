/* The kernels for AVX2 with FMA; see vec.h and vec_kernels.inc. */
#include "math/vec.h"

#ifdef VEC_X86

#include <immintrin.h>

#define WIDTH        8
#define ISA          "avx2"
#define TABLE        VEC_AVX2
#define VECTORS      3 /* a panel is 24 outputs */
#define TILE         4 /* 12 sums, 3 weights and one input: all 16 registers */
#define BACK_ROWS    6
#define BACK_VECTORS 2

typedef float Vec __attribute__((vector_size(32)));
typedef uint32_t Bits __attribute__((vector_size(32)));

/* All bits set in the first `part` lanes. */
static inline __m256i first_lanes(int part)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(part), lane);
}

static inline Vec load_part(const real *p, int part, Vec fill)
{
    const __m256i mask = first_lanes(part);
    const __m256 loaded = _mm256_maskload_ps(p, mask);
    return (Vec)_mm256_blendv_ps((__m256)fill, loaded, _mm256_castsi256_ps(mask));
}

static inline void store_part(real *p, Vec v, int part)
{
    _mm256_maskstore_ps(p, first_lanes(part), (__m256)v);
}

static inline Vec fma3(Vec a, Vec b, Vec c)
{
    return (Vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline Vec smaller(Vec a, Vec b)
{
    return (Vec)_mm256_min_ps((__m256)a, (__m256)b);
}

static inline Vec larger(Vec a, Vec b)
{
    return (Vec)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline Vec root(Vec a)
{
    return (Vec)_mm256_sqrt_ps((__m256)a);
}

static inline real sum_lanes(Vec a)
{
    const __m128 high = _mm256_extractf128_ps((__m256)a, 1);
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128((__m256)a), high);
    const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

static inline real max_lanes(Vec a)
{
    const __m128 high = _mm256_extractf128_ps((__m256)a, 1);
    const __m128 half = _mm_max_ps(_mm256_castps256_ps128((__m256)a), high);
    const __m128 pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

static inline unsigned lanes_greater(Vec a, Vec b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_GT_OQ));
}

/* The multiplication of bytes wants one side without sign: |x| and w with the sign of x. Two
 * products of at most 127 * 127 fit into its 16 bits. */
typedef int32_t Ints __attribute__((vector_size(32)));
#define DOT4_OFFSET 0
#define INT8_TILE   4

static inline Ints dot4(Ints sum, Ints w, Ints x)
{
    const __m256i signed_w = _mm256_sign_epi8((__m256i)w, (__m256i)x);
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8((__m256i)x), signed_w);
    return sum + (Ints)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

#include "math/vec_kernels.inc"

#endif

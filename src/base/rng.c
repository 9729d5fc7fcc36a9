/* xoshiro256**; see the header. */
#include "base/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

Rng rng_stream(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t x = seed;
    x = splitmix(&x) ^ a;
    x = splitmix(&x) ^ b;
    Rng rng;
    for (int i = 0; i < 4; i++) {
        rng.s[i] = splitmix(&x);
    }
    return rng;
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t rng_next(Rng *rng)
{
    uint64_t *s = rng->s;
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double rng_uniform(Rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t rng_below(Rng *rng, uint64_t n)
{
    const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t x = rng_next(rng);
    while (x >= limit) {
        x = rng_next(rng);
    }
    return x % n;
}

double rng_normal(Rng *rng)
{
    const double u = 1.0 - rng_uniform(rng); /* in (0, 1] */
    const double v = rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void rng_shuffle(Rng *rng, int *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)rng_below(rng, i);
        const int kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

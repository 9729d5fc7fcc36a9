/* Random numbers: xoshiro256** (Blackman & Vigna 2018), seeded through splitmix64.
 *
 * A stream is made from a seed and up to two numbers that say what it is for (say, the update and
 * the shard), so that results do not depend on which thread draws first. The state is four words
 * that a checkpoint can hold. Threads: a Rng belongs to one thread. */
#ifndef HEED_BASE_RNG_H
#define HEED_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct Rng {
    uint64_t s[4];
} Rng;

/* The stream of (seed, a, b); different triples give independent streams. */
Rng rng_stream(uint64_t seed, uint64_t a, uint64_t b);

uint64_t rng_next(Rng *rng);

/* Uniform in [0, 1), with 53 random bits. */
double rng_uniform(Rng *rng);

/* Uniform in 0 .. n-1, without bias; n >= 1. */
uint64_t rng_below(Rng *rng, uint64_t n);

/* Standard normal (Box-Muller). */
double rng_normal(Rng *rng);

/* Shuffles n items of any kind given as indices (Fisher-Yates). */
void rng_shuffle(Rng *rng, int *items, size_t n);

#endif

/* Draws a word from a row of logits: temperature, then the k most probable words (top-k; Fan et al.
 * 2018), then the fewest words that hold the probability p (top-p; Holtzman et al. 2020).
 *
 *     p(y) ~ exp((logit_y - max) / temperature)
 *
 * Threads: the functions share nothing. */
#ifndef HEED_DECODE_SAMPLER_H
#define HEED_DECODE_SAMPLER_H

#include "base/rng.h"
#include "math/real.h"

typedef struct Sampler {
    double temperature; /* above 0 */
    int top_k;          /* 0: all */
    double top_p;       /* 1: all */
    int *index;         /* scratch, [n] */
    real *value;        /* scratch, [n] */
} Sampler;

/* The drawn index. logits [n], n >= 1; those that are minus infinity or no number are never drawn
 * unless all are: then it is `fallback`. */
int sampler_draw(const Sampler *sampler, const real *logits, int n, int fallback, Rng *rng);

#endif

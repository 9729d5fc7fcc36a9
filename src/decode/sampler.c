/* Sampling; see the header. */
#include "decode/sampler.h"

#include <math.h>

#include "math/vec.h"

/* The largest number, NaN apart; minus infinity when there is none. */
static double find_maximum(const real *x, int n)
{
    double best = -INFINITY;
    for (int i = 0; i < n; i++) {
        best = (double)x[i] > best ? (double)x[i] : best;
    }
    return best;
}

static double weight(const Sampler *sampler, real x, double maximum)
{
    const double w = exp(((double)x - maximum) / sampler->temperature);
    return w > 0 ? w : 0; /* NaN is not */
}

/* Draws among all words in the order of their ids. */
static int draw_from_all(const Sampler *sampler, const real *logits, int n, double maximum,
                         Rng *rng)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        total += weight(sampler, logits[i], maximum);
    }
    double left = rng_uniform(rng) * total;
    int last = -1;
    for (int i = 0; i < n; i++) {
        const double w = weight(sampler, logits[i], maximum);
        if (w > 0) {
            last = i;
            left -= w;
            if (left < 0) {
                break;
            }
        }
    }
    return last;
}

/* How many of the k best words, best first in sampler->value, hold the share top_p of total. */
static int count_kept(const Sampler *sampler, int k, double maximum, double total, double *mass)
{
    int kept = 0;
    *mass = 0;
    while (kept < k && (kept == 0 || *mass < sampler->top_p * total)) {
        *mass += weight(sampler, sampler->value[kept], maximum);
        kept++;
    }
    return kept;
}

/* Draws among the best words. Without top_k the list doubles until it holds the share top_p. */
static int draw_from_best(const Sampler *sampler, const real *logits, int n, double maximum,
                          Rng *rng)
{
    enum { FIRST = 64 };
    double total = 0, mass;
    int k = sampler->top_k > 0 ? sampler->top_k : FIRST, kept;
    k = k < n ? k : n;
    for (int i = 0; sampler->top_k == 0 && i < n; i++) {
        total += weight(sampler, logits[i], maximum);
    }
    for (;; k = 2 * k < n ? 2 * k : n) {
        vec_ops()->top(sampler->index, sampler->value, k, logits, n);
        for (int i = 0; sampler->top_k > 0 && i < k; i++) {
            total += weight(sampler, sampler->value[i], maximum);
        }
        kept = count_kept(sampler, k, maximum, total, &mass);
        if (sampler->top_k > 0 || k == n || mass >= sampler->top_p * total) {
            break;
        }
    }
    double left = rng_uniform(rng) * mass;
    int last = 0;
    for (int i = 0; i < kept && left >= 0; i++) {
        const double w = weight(sampler, sampler->value[i], maximum);
        last = w > 0 ? i : last;
        left -= w;
    }
    return sampler->index[last];
}

int sampler_draw(const Sampler *sampler, const real *logits, int n, int fallback, Rng *rng)
{
    const double maximum = find_maximum(logits, n);
    if (!isfinite(maximum)) {
        return fallback;
    }
    return sampler->top_k > 0 || sampler->top_p < 1
               ? draw_from_best(sampler, logits, n, maximum, rng)
               : draw_from_all(sampler, logits, n, maximum, rng);
}

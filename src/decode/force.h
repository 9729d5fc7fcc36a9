/* Forced decoding: the score and the attention of given pieces.
 *
 * Threads: the functions share nothing. */
#ifndef HEED_DECODE_FORCE_H
#define HEED_DECODE_FORCE_H

#include "decode/ensemble.h"

typedef struct Forced {
    int n_target, n_source;   /* tokens, the end token included */
    double score;             /* sum of the natural log-probabilities */
    const float *word_scores; /* [n_target] */
    const float *attention;   /* (n_target, n_source) or NULL */
} Forced;

/* Scores n >= 1 pairs, each followed by its end token; out [n] points into `results`. The pairs are
 * taken a few at a time, so that memory is bounded by the longest. `scratch` is reset. ERR_ARG when
 * an id is outside its vocabulary. */
Status force_decode(Forced *out, const Ensemble *ensemble, const IdPair *pairs, int n,
                    int keeps_attention, Arena *results, Arena *scratch, Error *err) MUST_USE;

#endif

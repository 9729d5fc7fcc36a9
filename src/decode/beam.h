/* Beam search over many sentences at once, and sampling.
 *
 * The open hypotheses of all sentences are the rows of one step of the network; a sentence that is
 * done leaves, and so does a hypothesis that ends. No memory is copied per hypothesis but its
 * decoder state.
 *
 * The search of one sentence, with k places (beam_size):
 *   - All extensions of its open hypotheses by one word are ordered by their sum of
 *     log-probabilities, ties by the smaller word id, then by the better parent; the best k go on.
 *   - One that ends in </s> keeps its place for good: k shrinks, the beam does not refill. So a
 *     beam of 1 is greedy search, and at most beam_size hypotheses finish.
 *   - A finished hypothesis Y of the source X, of length |Y| with its end token, has the
 *     normalised score
 *         log P(Y|X) / |Y|^alpha + beta sum_i log(min(sum_t a_ti, 1))
 *     whose second part is the coverage penalty of Wu et al. 2016 over the source tokens without
 *     </s> (a sum below 1e-6 counts as 1e-6); beta is 0 unless asked for, and takes no part in the
 *     order above. Equal ones keep the order in which they finished.
 *   - The limit is max_factor * (source pieces) + max_offset tokens, at least 1, behind a prefix.
 *     What is open there stays unfinished and ranks behind all that finished.
 *   - The search stops early only when no open hypothesis can win: log-probabilities are at most 0,
 *     so one with the sum s can reach s / limit^alpha at best.
 * <pad> and <s> are never chosen, <unk> unless banned; probabilities are not renormalised. A score
 * that is no number counts as minus infinity. A banned word is never chosen, but a prefix may hold
 * any. With a shortlist the words of a sentence are those of its list, and probabilities are
 * normalised over them.
 *
 * Sampling draws n_best hypotheses, each from a stream of its own, made from the seed, the line and
 * its number; equal ones are merged. Their scores are those of the model, without temperature.
 *
 * Results do not depend on which sentences share a batch, nor, for the first ones of a list, on
 * n_best. Threads: a Beam belongs to one thread at a time. */
#ifndef HEED_DECODE_BEAM_H
#define HEED_DECODE_BEAM_H

#include <stdint.h>

#include "decode/ensemble.h"
#include "decode/shortlist.h"

enum { BEAM_MAX = 1024, BEAM_MAX_LIMIT = 1 << 20 };

typedef struct BeamOptions {
    int beam_size;     /* 1 .. BEAM_MAX; may exceed the vocabulary */
    int n_best;        /* 1 .. beam_size (sampling: .. BEAM_MAX) */
    double alpha;      /* exponent of the length, at least 0 */
    double coverage;   /* beta, at least 0 */
    int min_length;    /* pieces before the end token may come */
    double max_factor; /* the limit, see above */
    int max_offset;
    int no_repeat_ngram; /* no n-gram of this order twice; 0: off */
    int bans_unknown;
    int keeps_attention; /* the results have it; costs memory */
    int is_sampling;
    double temperature; /* above 0 */
    int top_k;          /* draw from the k most probable words; 0: all */
    double top_p;       /* draw from the fewest words with this probability; 1: all */
    uint64_t seed;
    const Shortlist *shortlist; /* NULL: all words; not owned */
} BeamOptions;

/* Beam 5, alpha 1, one result, limit 3 n + 10, no sampling. */
BeamOptions beam_defaults(void);

/* ERR_ARG names what is out of its range. */
Status beam_check(const BeamOptions *options, Error *err) MUST_USE;

/* A sentence: pieces without special tokens, n_source >= 0; prefix pieces the result must begin
 * with; line and part name the random stream. */
typedef struct BeamInput {
    const int *source, *prefix;
    int n_source, n_prefix;
    uint64_t line, part;
    int limit; /* of its tokens in place of the options' limit, to measure equal work; 0: none */
} BeamInput;

typedef struct Hypothesis {
    const int *tokens; /* the end token is the last when it is finished */
    int n_tokens;
    int is_finished;
    double score; /* sum of the natural log-probabilities */
    double normalized_score;
    const float *word_scores; /* [n_tokens] */
    const float *attention;   /* (n_tokens, n_source + 1), NULL unless kept */
} Hypothesis;

/* Best first; at least one. */
typedef struct HypothesisList {
    const Hypothesis *v;
    int n;
} HypothesisList;

typedef struct Beam Beam;

/* The ensemble must outlive it. */
Status beam_create(Beam **out, const Ensemble *ensemble, Error *err) MUST_USE;
void beam_free(Beam *beam);

/* Translates n >= 1 sentences: out [n] is in their order and points into `results`. The options are
 * checked already. */
Status beam_search(Beam *beam, HypothesisList *out, const BeamOptions *options,
                   const BeamInput *inputs, int n, Arena *results, Error *err) MUST_USE;

/* How many sentences of up to n_source pieces may share a batch in bounded memory; at least 1. */
int beam_batch_limit(const Ensemble *ensemble, const BeamOptions *options, int n_source);

#endif

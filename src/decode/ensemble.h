/* One or several networks with the same vocabularies that translate together.
 *
 * Their distribution is the normalised geometric mean of the members',
 *
 *     p(y) = exp(mean_m logits_m(y)) / sum_v exp(mean_m logits_m(v)),
 *
 * that is the mean of the log-probabilities, made a distribution again; it never underflows, and
 * for one member it is that member's own. The attention is the arithmetic mean of the members'.
 *
 * All numbers of a row depend on that row alone (math/vec.h), so that a translation does not depend
 * on its batch. Capitals: R rows (hypotheses), V words, S longest source sentence, H hidden units.
 * Threads: an Ensemble is read only. */
#ifndef HEED_DECODE_ENSEMBLE_H
#define HEED_DECODE_ENSEMBLE_H

#include "model/seq2seq.h"
#include "nn/readout_part.h"

enum { ENSEMBLE_MAX = 16 };

typedef struct Ensemble {
    const Seq2Seq *models[ENSEMBLE_MAX]; /* not owned */
    int n;
} Ensemble;

/* A batch of encoded sentences, once per member. Their rows are the same in each. */
typedef struct EnsembleMemory {
    Encoded encoded[ENSEMBLE_MAX];
} EnsembleMemory;

/* The output layers of each member for the words of a list, by source row (nn/readout_part.h); the
 * words of a row are the same in each. */
typedef struct EnsembleParts {
    const ReadoutPart *v[ENSEMBLE_MAX];
    int n_most; /* words of the longest list */
} EnsembleParts;

/* Decoder states (R, H) of each member and layer. */
typedef struct EnsembleStates {
    Mat v[ENSEMBLE_MAX][CONFIG_MAX_LAYERS];
} EnsembleStates;

/* What a step gives; lives in the step's arena. */
typedef struct EnsembleStep {
    Mat o;      /* (R, E): the only member's, to be searched; empty with several */
    Mat logits; /* (R, V), or (R, n_most) of parts: up to a constant of the row the logarithms of p;
                 * empty unless wanted */
    Mat attention; /* (R, S) */
    EnsembleStates states;
} EnsembleStep;

/* ERR_ARG when the sizes of the vocabularies differ or there are too many members. */
Status ensemble_check(const Ensemble *ensemble, Error *err) MUST_USE;

Status ensemble_encode(const Ensemble *ensemble, EnsembleMemory *out, const IdPair *pairs, int n,
                       Arena *arena, Error *err) MUST_USE;

/* As seq2seq_step, for all members. wants_logits: also for a single member; always those of parts
 * unless that is NULL. */
Status ensemble_step(const Ensemble *ensemble, EnsembleStep *out, const EnsembleMemory *memory,
                     int R, const int *word, const int *sentence, const EnsembleStates *states,
                     int wants_logits, const EnsembleParts *parts, Arena *arena,
                     Error *err) MUST_USE;

/* Takes states for R rows from the arena. */
Status ensemble_states_alloc(const Ensemble *ensemble, EnsembleStates *out, int R, Arena *arena,
                             Error *err) MUST_USE;

/* Copies row `from` of source to row `to` of out, in all members and layers. */
void ensemble_states_copy_row(const Ensemble *ensemble, EnsembleStates *out, int to,
                              const EnsembleStates *source, int from);

/* The states of the sentences before the first step. */
void ensemble_start(const Ensemble *ensemble, EnsembleStates *out, const EnsembleMemory *memory);

/* logits of member 0 become the mean of all members' (each (R, V)). */
void ensemble_average(Mat first, const Mat *all, int n);

/* The log-probability of a word whose logit is `logit` in a row with that log_sum_exp: at most 0
 * whatever the rounding, minus infinity where it is no number. */
double ensemble_word_score(real logit, real log_sum_exp);

#endif

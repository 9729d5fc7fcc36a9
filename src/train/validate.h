/* Validation: loss per target piece, and BLEU and chrF of translations of the raw lines, made with
 * the search that `heed translate` uses. */
#ifndef HEED_TRAIN_VALIDATE_H
#define HEED_TRAIN_VALIDATE_H

#include "base/threads.h"
#include "metric/bleu.h"
#include "metric/chrf.h"
#include "model/seq2seq.h"
#include "text/corpus.h"
#include "text/dump.h"
#include "text/tokenizer.h"

typedef enum ValidMetric { VALID_BLEU, VALID_CHRF, VALID_LOSS } ValidMetric;

typedef struct ValidateOptions {
    ValidMetric metric; /* what is best, and what stalls */
    BleuTokenizer tokenizer;
    int beam_size;
    int max_sentences; /* of which translations are made; 0: all */
    int n_samples;     /* of translations to show, 0 .. VALIDATION_SAMPLES */
} ValidateOptions;

enum { VALIDATION_SAMPLES = 3 };

typedef struct Validation {
    double loss; /* nats per target piece, not smoothed */
    double bleu, chrf;
    double distinct;  /* outputs that differ, as a share of the sources that differ; at most 1 */
    double commonest; /* the share of sources whose output is the most frequent one */
    double copied;    /* the share of outputs equal to their source */
    long n_sources;   /* that differ and were translated */
    double metric;    /* the value that is maximised: bleu or chrf, ties by loss, or -loss */
    Arena *arena;     /* owned, see validation_free; holds the records below */
    int n_samples;
    Dump samples[VALIDATION_SAMPLES]; /* translations; the id is the place in the corpus */
    Dump fixed; /* the same pair at each validation under forced decoding; no tokens: none */
} Validation;

void validation_free(Validation *validation);

/* Runs the model as it is (packed) on the pairs of valid. */
Status validate(Validation *out, const Seq2Seq *model, const Tokenizer *source,
                const Tokenizer *target, const Corpus *valid, const ValidateOptions *options,
                Threads *threads, Error *err) MUST_USE;

/* The tokenizer of BLEU that fits the text: Chinese by characters when a third of the target's
 * letters are Han or Kana, else 13a. */
BleuTokenizer validate_choose_tokenizer(const Corpus *valid);

#endif

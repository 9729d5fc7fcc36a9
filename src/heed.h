/* heed: a small neural translator with attention. The public face of the library.
 *
 *     HeedError err;
 *     HeedModel *model;
 *     HeedResults *results;
 *     const char *lines[] = {"guten Morgen"};
 *     if (heed_open(&model, "M.safetensors", &err) == HEED_OK &&
 *         heed_translate(model, &results, lines, 1, NULL, &err) == HEED_OK) {
 *         puts(heed_best(results, 0)->text);
 *     }
 *
 * Text is UTF-8, one line a string, ended by a NUL. Malformed bytes are taken for U+FFFD. Scores
 * are natural logarithms.
 *
 * Errors: a function that can fail returns a HeedStatus and leaves a sentence for a person in err
 * (which may be NULL). On failure its results are untouched. Nothing here prints, exits or aborts.
 *
 * Threads: a HeedModel is read only once it is open. Any number of threads may call any function
 * with one model at the same time; it must be closed after all of them are done. A HeedResults or
 * HeedTokens is read only too. Answers do not depend on the number of threads, nor on which lines
 * are translated together.
 *
 * Link with `pkg-config --libs heed`. Names beginning with heed_, Heed and HEED_ are the library's.
 */
#ifndef HEED_H
#define HEED_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HeedStatus {
    HEED_OK = 0,
    HEED_NO_MEMORY, /* memory refused */
    HEED_IO,        /* the system refused: a missing file, a full disk */
    HEED_FORMAT,    /* the content of a file */
    HEED_ARGUMENT,  /* an argument out of its range; the sentence has the bounds */
    HEED_DIVERGED,  /* training no longer yields finite numbers */
    HEED_STOPPED    /* a callback asked to stop; the work was saved */
} HeedStatus;

typedef struct HeedError {
    HeedStatus code;
    char message[1024];
} HeedError;

/* "0.1.0". */
const char *heed_version(void);

/* ------------------------------------------------------------------ models */

typedef struct HeedModel HeedModel;

/* Opens a model file (or the network of a checkpoint). The caller closes it. */
HeedStatus heed_open(HeedModel **out, const char *path, HeedError *err);

/* NULL is allowed. */
void heed_close(HeedModel *model);

/* The settings the model was trained with: "option = value" lines, as `heed train --config FILE`
 * reads them. The text lives as long as the model. */
const char *heed_settings(const HeedModel *model);

/* ------------------------------------------------------------- translation */

/* heed_options_init sets the values in brackets. */
typedef struct HeedOptions {
    int beam_size;       /* hypotheses kept while searching, 1 to 1024 [5] */
    int n_best;          /* hypotheses given for a line, 1 to beam_size [1] */
    double normalize;    /* exponent of the length that scores are divided by, 0 to 10 [1] */
    int mini_batch;      /* lines translated together, 1 to 4096 [64] */
    int threads;         /* 1 to 1024; 0: one for each processor [1] */
    int wants_attention; /* 1: results carry attention, tokens and spans [0] */
    int uses_pieces;     /* 1: tokens are the model's subword pieces, not words [0] */
} HeedOptions;

void heed_options_init(HeedOptions *options);

/* One hypothesis, or one pair that was scored. Its pointers live as long as its HeedResults. */
typedef struct HeedTranslation {
    const char *text; /* ends in a NUL that is not counted in len */
    size_t len;
    double score;            /* log P(target | source), the end token counted */
    double normalized_score; /* score / length^normalize, by which hypotheses are ordered */
    int is_finished;         /* 0 when the search stopped at its length limit */
    /* With wants_attention, else 0 and NULL; so too for a line so long that the matrix would be
     * beyond all use, and for a blank one. The last token of each side is "</s>", the end (the
     * target's only when it is finished). Spans are bytes [begin, end) of the line as it was given,
     * and of text. attention[i * n_source + j] is how much target token i looked at source token j;
     * a row sums to 1. */
    int n_source, n_target;
    const char *const *source_tokens;
    const char *const *target_tokens;
    const int (*source_spans)[2];
    const int (*target_spans)[2];
    const float *attention;
} HeedTranslation;

typedef struct HeedResults HeedResults;

/* Translates n lines; lines[i] is NULL-free. prefixes may be NULL; else prefixes[i], which may be
 * NULL, is a text that the translation of line i must begin with. options may be NULL for the
 * defaults. A blank line has an empty translation. The caller frees the results. */
HeedStatus heed_translate(const HeedModel *model, HeedResults **out, const char *const *lines,
                          size_t n, const HeedOptions *options, HeedError *err);
HeedStatus heed_translate_prefixed(const HeedModel *model, HeedResults **out,
                                   const char *const *lines, const char *const *prefixes, size_t n,
                                   const HeedOptions *options, HeedError *err);

/* Scores n pairs that are given: log P(targets[i] | sources[i]), a result a pair. Of the options
 * beam_size and n_best are not used. */
HeedStatus heed_score(const HeedModel *model, HeedResults **out, const char *const *sources,
                      const char *const *targets, size_t n, const HeedOptions *options,
                      HeedError *err);

/* How many lines or pairs, and how many hypotheses a line has. */
size_t heed_count(const HeedResults *results);
size_t heed_hypotheses(const HeedResults *results, size_t line);

/* Hypothesis `rank` (best first, from 0) of a line, or NULL when there is none. */
const HeedTranslation *heed_get(const HeedResults *results, size_t line, size_t rank);
const HeedTranslation *heed_best(const HeedResults *results, size_t line);

/* NULL is allowed. */
void heed_results_free(HeedResults *results);

/* --------------------------------------------------------------- alignment */

typedef struct HeedLink {
    int source, target; /* words, from 0 */
} HeedLink;

/* Word links of a translation that has attention: with threshold 0 each target token is linked to
 * the source token it looked at most, unless that is the end; with a threshold in (0, 1) to all
 * that got more. At most cap links are written to links, sorted by source, then target; *n is how
 * many there are, which may be more (cap 0 asks for the number alone). To align given pairs, score
 * them with wants_attention. */
HeedStatus heed_links(const HeedTranslation *translation, double threshold, HeedLink *links,
                      size_t cap, size_t *n, HeedError *err);

/* ------------------------------------------------------------------ tokens */

typedef enum HeedSide { HEED_SOURCE, HEED_TARGET } HeedSide;

/* A line as the model reads or writes it. */
typedef struct HeedTokens {
    int n;
    const int *ids;
    const char *const *pieces;
    const int (*spans)[2]; /* bytes of the line */
} HeedTokens;

HeedStatus heed_tokenize(const HeedModel *model, HeedTokens **out, HeedSide side, const char *line,
                         HeedError *err);
void heed_tokens_free(HeedTokens *tokens);

/* The text of ids; the caller frees it with heed_text_free. */
HeedStatus heed_detokenize(const HeedModel *model, char **out, HeedSide side, const int *ids, int n,
                           HeedError *err);
void heed_text_free(char *text);

/* ---------------------------------------------------------------- training */

/* What a callback learns. */
typedef struct HeedProgress {
    long epoch, update;       /* from 1 */
    double share;             /* 0 to 1 of the whole, as far as it is known */
    double loss;              /* nats per target token, since the last report */
    double norm, learn_rate;  /* of the last update */
    double tokens_per_second; /* of both sides */
    double elapsed, left;     /* seconds; left is below 0 when it is not known */
    int is_validation;        /* 1: what follows was just measured; else it is 0 */
    double valid_loss, bleu, chrf;
    int is_best; /* this model is the best so far and was saved */
} HeedProgress;

/* Returns 0 to go on; anything else ends training after the work was saved. Called in the thread
 * that called heed_train. */
typedef int (*HeedCallback)(void *context, const HeedProgress *progress);

/* Trains from files, as `heed train --config` does: settings are lines of "option = value" with the
 * names of its options, such as
 *
 *     "train = pairs.tsv\n"
 *     "model = M.safetensors\n"
 *     "after = 30m\n"
 *
 * callback may be NULL. HEED_STOPPED when it asked to stop: with "resume = yes" training goes on
 * later from where it was. */
HeedStatus heed_train(const char *settings, HeedCallback callback, void *context, HeedError *err);

#ifdef __cplusplus
}
#endif

#endif

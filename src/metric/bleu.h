/* Corpus and sentence BLEU (Papineni et al., 2002) with one reference, equal to sacreBLEU's.
 *
 *     BLEU = BP * exp(1/4 * sum over n = 1..4 of log p_n)
 *     p_n = 100 * matches_n / totals_n
 *     BP  = 1 if the hypotheses are at least as long as the references, else exp(1 - r / h)
 *
 * Smoothing "exp": the k-th order without a match (counted from the lowest) gets
 * p_n = 100 / (2^k totals_n). Without any match at all, BLEU is 0. A corpus without any n-gram of
 * some order has BLEU 0; a sentence is then scored by the orders it has (the effective order).
 *
 * Statistics are sums over sentences: add in any order, over any split, and score once.
 * Threads: a BleuStats belongs to one thread; sum them with bleu_sum. */
#ifndef HEED_METRIC_BLEU_H
#define HEED_METRIC_BLEU_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/status.h"

enum { BLEU_ORDER = 4 };

/* The order is that of BLEU_TOKENIZERS, as the option writes them. */
typedef enum BleuTokenizer {
    BLEU_13A,  /* mteval-v13a: ASCII punctuation apart, for languages with spaces */
    BLEU_ZH,   /* each Chinese character apart, then as 13a */
    BLEU_CHAR, /* each character apart */
    BLEU_NONE  /* words as spaces give them */
} BleuTokenizer;

#define BLEU_TOKENIZERS "13a|zh|char|none"

typedef struct BleuOptions {
    BleuTokenizer tokenizer;
    int is_lowercase;
} BleuOptions;

typedef struct BleuStats {
    long matches[BLEU_ORDER], totals[BLEU_ORDER];
    long len_hypothesis, len_reference; /* in tokens */
} BleuStats;

typedef struct BleuScore {
    double bleu; /* 0 .. 100 */
    double precisions[BLEU_ORDER];
    double brevity_penalty;
} BleuScore;

/* Adds one pair of raw lines to stats. */
Status bleu_add(BleuStats *stats, BleuOptions options, const char *hypothesis,
                size_t len_hypothesis, const char *reference, size_t len_reference,
                Error *err) MUST_USE;

/* Adds `more` to stats. */
void bleu_sum(BleuStats *stats, const BleuStats *more);

/* The score of a corpus, and that of one sentence (of its effective order). */
BleuScore bleu_score(const BleuStats *stats);
BleuScore bleu_sentence_score(const BleuStats *stats);

/* Appends "BLEU = 34.5 66.0/40.7/27.5/19.2 (BP = 1.000 ratio = 1.015 hyp_len = 49258 ref_len =
 * 48531)", without a line end. */
Status bleu_print(Buffer *out, const BleuStats *stats, BleuScore score, Error *err) MUST_USE;

/* Appends the settings: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-0.1.0". */
Status bleu_signature(Buffer *out, BleuOptions options, int is_sentence, Error *err) MUST_USE;

#endif

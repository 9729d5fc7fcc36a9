/* Corpus and sentence chrF (Popovic 2015) and chrF++ (with word n-grams, Popovic 2017) with one
 * reference, equal to sacreBLEU's defaults: character order 6, beta 2, spaces left out.
 *
 *     P, R = mean precision and recall over the orders that both sides have
 *     chrF = 100 (1 + beta^2) P R / (beta^2 P + R)
 *
 * Character n-grams ignore spaces and cross words. Word n-grams (orders 1 .. word_order, 0 for
 * plain chrF, 2 for chrF++) are over words whose last, or else first, ASCII punctuation sign is
 * taken apart. The n-grams of a hypothesis whose reference has none of that order do not count.
 *
 * Statistics are sums over sentences. Threads: a ChrfStats belongs to one thread. */
#ifndef HEED_METRIC_CHRF_H
#define HEED_METRIC_CHRF_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/status.h"

enum { CHRF_CHAR_ORDER = 6, CHRF_MAX_WORD_ORDER = 4, CHRF_BETA = 2 };

typedef struct ChrfOptions {
    int word_order; /* 0 .. CHRF_MAX_WORD_ORDER */
    int is_lowercase;
} ChrfOptions;

/* Indices: character orders 1 .. 6, then word orders. */
typedef struct ChrfStats {
    long n_hypothesis[CHRF_CHAR_ORDER + CHRF_MAX_WORD_ORDER];
    long n_reference[CHRF_CHAR_ORDER + CHRF_MAX_WORD_ORDER];
    long n_matches[CHRF_CHAR_ORDER + CHRF_MAX_WORD_ORDER];
} ChrfStats;

/* Adds one pair of raw lines to stats. */
Status chrf_add(ChrfStats *stats, ChrfOptions options, const char *hypothesis,
                size_t len_hypothesis, const char *reference, size_t len_reference,
                Error *err) MUST_USE;

/* Adds `more` to stats. */
void chrf_sum(ChrfStats *stats, const ChrfStats *more);

/* The score, 0 .. 100, of a corpus or of one sentence. */
double chrf_score(const ChrfStats *stats, ChrfOptions options);

/* Appends the name, "chrF2" or with word order n "chrF2" and n plus signs. */
Status chrf_name(Buffer *out, ChrfOptions options, Error *err) MUST_USE;

/* Appends the settings: "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:heed-0.1.0". */
Status chrf_signature(Buffer *out, ChrfOptions options, Error *err) MUST_USE;

#endif

/* Counts the n-grams that two sequences share, for all orders 1 .. N at once.
 *
 * An n-gram of order k is known by its rank among all of order k; its key is the pair (rank of its
 * first k-1 symbols, rank of its last symbol), so sorting 64-bit keys counts one order exactly, in
 * O(n log n) whatever the text. */
#ifndef HEED_METRIC_NGRAM_H
#define HEED_METRIC_NGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "metric/characters.h"

enum { NGRAM_MAX_ORDER = 16 };

typedef struct NgramCounts {
    long n_hypothesis[NGRAM_MAX_ORDER]; /* n-grams of order k+1 at index k */
    long n_reference[NGRAM_MAX_ORDER];
    long n_matches[NGRAM_MAX_ORDER]; /* each n-gram as often as the side that has it less often */
} NgramCounts;

/* Writes the first `order` (1 .. NGRAM_MAX_ORDER) entries of out for two sequences of symbols. */
Status ngram_count(NgramCounts *out, int order, const uint32_t *hypothesis, size_t n_hypothesis,
                   const uint32_t *reference, size_t n_reference, Error *err) MUST_USE;

/* The same for sequences of words; two words are the same symbol when they are equal. */
Status ngram_count_words(NgramCounts *out, int order, const CharacterRun *hypothesis,
                         size_t n_hypothesis, const CharacterRun *reference, size_t n_reference,
                         Error *err) MUST_USE;

#endif

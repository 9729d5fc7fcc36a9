/* The best words of rows o of the readout (nn/readout.h), with the logarithm of the sum over all,
 *
 *     logits = W_out o + b_out        lse = log sum_v exp(logits_v),
 *
 * without the logits of the whole vocabulary ever being in memory: they are formed a stretch of
 * words at a time, for all rows, and looked through while they are in the cache.
 *
 * With a current screen (nn/screen.h) the stretches come from the bytes. The k best words and their
 * logits are exact all the same. The sum has the exact logits of the WORD_SEARCH_EXACT largest and
 * the others' from the bytes, whose errors of some thousandths take no side: lse is off by 1e-5
 * where the network is sure of a word, and by 1e-4 where many words are likely.
 *
 * Logits and lse of a row depend on that row alone, not on k. Capitals: R rows, E inputs, V words.
 * Threads: a WordSearch belongs to one thread. */
#ifndef HEED_NN_WORD_SEARCH_H
#define HEED_NN_WORD_SEARCH_H

#include "nn/readout.h"

enum { WORD_SEARCH_EXACT = 16 };
/* Words that a row holds at most besides those wanted. */
enum { WORD_SEARCH_MOST_KEPT = 512 };

struct WordSearchRow;

typedef struct WordSearch {
    int R, k;
    int *n;      /* [R] words that were found: k unless logits are no numbers */
    int *word;   /* (R, k) best first; equal logits by the smaller word */
    real *logit; /* (R, k) */
    real *lse;   /* [R] */
    /* Of the work. */
    int is_screened, k_kept, room;
    struct WordSearchRow *rows; /* [R] */
    Mat stretch;
    ByteRows bytes;
} WordSearch;

/* Takes the arrays for R rows and 1 <= k <= V words each from the arena. */
Status word_search_alloc(WordSearch *out, const Readout *readout, Arena *arena, int R, int k,
                         Error *err) MUST_USE;

/* Searches rows o (R, E). */
void word_search(const Readout *readout, WordSearch *search, Mat o);

/* The logit of one word in a row o [E]: the bits that word_search gives. */
real word_logit(const Readout *readout, const real *o, int word);

/* lse of logits [V] that are in memory: the bits of word_search without a screen. */
real word_lse(const real *logits, int V);

#endif

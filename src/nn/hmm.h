/* The hidden Markov model of word alignment (Vogel, Ney & Tillmann 1996) on one pair of sentences.
 *
 * Each of the n_out words of one side is written by a word of the other side, of n_in words, or by
 * no word. From the word at i' the model jumps to that at i with a probability that depends on the
 * distance i - i' alone; beyond HMM_JUMP_MAX all distances share one. Before the first word it
 * stands at -1. A word that nothing writes leaves the place where the model stands (Och & Ney
 * 2003).
 *
 *     p(i | i') = (1 - HMM_NULL) ((1 - HMM_EVEN) w(i - i') / sum_k w(k - i') + HMM_EVEN / n_in)
 *
 * Threads: the functions share nothing. */
#ifndef HEED_NN_HMM_H
#define HEED_NN_HMM_H

#include "base/arena.h"

enum { HMM_JUMP_MAX = 8, HMM_JUMPS = 2 * HMM_JUMP_MAX + 1 };

#define HMM_NULL 0.1 /* probability that a word is written by no word */
#define HMM_EVEN 0.1 /* share of jumps that know no distance */

/* By distance + HMM_JUMP_MAX. */
typedef struct HmmJumps {
    double v[HMM_JUMPS];
} HmmJumps;

/* Jumps before anything was counted: 1 for all. */
HmmJumps hmm_jumps_even(void);

/* The weights that follow from expected counts. */
HmmJumps hmm_jumps_of_counts(const HmmJumps *counts);

/* emission [n_out, n_in + 1] is the probability of each word given the word that writes it; the
 * last column is that of no word. posterior, of the same shape, is the probability of each link
 * given both sentences; its rows sum to 1. Adds the expected jumps to counts. Scratch comes from
 * the arena. */
Status hmm_posteriors(double *posterior, HmmJumps *counts, const double *emission, int n_out,
                      int n_in, const HmmJumps *jumps, Arena *arena, Error *err) MUST_USE;

#endif

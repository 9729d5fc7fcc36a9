/* A part of the output layer: the logits of some words alone.
 *
 *     logits_j = W_out[words_j] . o + b_out[words_j]             j = 0 .. n - 1
 *
 * With numbers each logit has the bits it has in the whole layer (nn/readout.h), and with weights
 * of one byte too. Threads: read only once it is made. */
#ifndef HEED_NN_READOUT_PART_H
#define HEED_NN_READOUT_PART_H

#include "base/arena.h"
#include "nn/readout.h"

typedef struct ReadoutPart {
    Packed weights; /* N = n */
    const real *bias;
    const int *words; /* [n] ascending; not owned */
    int n;
} ReadoutPart;

/* Gathers and packs the rows of the words; all memory is the arena's. words must outlive it. */
Status readout_part_create(ReadoutPart *out, const Readout *readout, const int *words, int n,
                           Arena *arena, Error *err) MUST_USE;

/* Row i of logits (R, at least each n) is written for row i of o (R, E) over parts[which[i]]: n
 * logits, then zeros. */
void readout_parts_forward(Mat logits, const ReadoutPart *parts, const int *which, Mat o);

#endif

/* The packed order of a batch of sequences: time-major, without a place for padding.
 *
 *     lengths 3 2 1, longest first        row:   0 1 2   3 4   5
 *                                         step:  0 0 0   1 1   2
 *                                         item:  0 1 2   0 1   0
 *
 * Step t is rows offset[t] .. offset[t+1] - 1 and holds the first active[t] sequences. A product
 * over all rows covers every step; a step is a run of rows. Capitals: B sequences, T longest, N
 * rows in all. */
#ifndef HEED_MODEL_PACKING_H
#define HEED_MODEL_PACKING_H

#include "base/arena.h"

typedef struct Packing {
    int B, T, N;
    const int *length; /* [B], descending, each at least 1 */
    int *active;       /* [T] */
    int *offset;       /* [T + 1] */
} Packing;

/* Lays out sequences of the given lengths (descending, at least 1; they must outlive the packing).
 */
Status packing_create(Packing *out, const int *length, int B, Arena *arena, Error *err) MUST_USE;

/* The row of step t of sequence b. */
static inline int packing_row(const Packing *p, int t, int b)
{
    return p->offset[t] + b;
}

/* position [B, T]: the row of each step of each sequence, 0 beyond its length. */
Status packing_positions(int **out, const Packing *p, Arena *arena, Error *err) MUST_USE;

#endif

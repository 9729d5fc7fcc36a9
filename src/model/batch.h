/* A batch of sentence pairs in packed order, made from plain arrays of ids.
 *
 * Rows of the source and rows of the target are each sorted by their own length, longest first, so
 * that neither has padding; sentence says which source row a target row translates. source: x_1 ...
 * x_n </s>     input: <s> y_1 ... y_m     output: y_1 ... y_m </s> */
#ifndef HEED_MODEL_BATCH_H
#define HEED_MODEL_BATCH_H

#include "model/packing.h"

enum { ID_PAD = 0, ID_BEGIN = 1, ID_END = 2, ID_UNKNOWN = 3 };

/* A pair of sentences without special ids; target is NULL when there is none (translating). */
typedef struct IdPair {
    const int *source, *target;
    int n_source, n_target;
} IdPair;

typedef struct Batch {
    Packing source, target;            /* target.B is 0 when there are no targets */
    const int *source_ids;             /* [source.N] */
    const int *position;               /* [source.B, source.T], see packing_positions */
    const int *input_ids, *output_ids; /* [target.N] */
    const int *sentence;               /* [target.B]: the source row */
    const int *source_pair,
        *target_pair; /* the index in pairs of each source row, of each target row */
} Batch;

/* Packs n pairs; what it makes lives in the arena. ERR_ARG when an id is outside its vocabulary. */
Status batch_create(Batch *out, const IdPair *pairs, int n, int source_vocab, int target_vocab,
                    Arena *arena, Error *err) MUST_USE;

#endif

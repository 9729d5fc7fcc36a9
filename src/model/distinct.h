/* The different words among those of a batch: what depends on a word alone is computed once for
 * each.
 *
 *     ids 7 4 7 9 4     ->  ids 7 4 9,  row 0 1 0 2 1
 */
#ifndef HEED_MODEL_DISTINCT_H
#define HEED_MODEL_DISTINCT_H

#include "base/arena.h"

typedef struct Distinct {
    int n;
    int *ids; /* [n] in the order of their first places */
    int *row; /* [N] which of them each place has */
} Distinct;

/* From N ids, each at least 0. */
Status distinct_create(Distinct *out, const int *ids, int N, Arena *arena, Error *err) MUST_USE;

#endif

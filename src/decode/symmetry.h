/* Word links of two directions made one set (Och & Ney 2003; Koehn, Och & Marcu 2003).
 *
 *     union                 what either direction has
 *     intersection          what both have
 *     grow-diag             the intersection; then, as long as there is one, a link of the union
 *                           beside one that is in, the eight neighbours counted, if its source or
 *                           its target word has none yet
 *     grow-diag-final-and   ... then each link of the forward, then of the backward direction whose
 *                           source and target word both have none yet
 *
 * Links are looked at by target word, then by source word; neighbours in the order left, up, right,
 * down, then the diagonals. Threads: the functions share nothing. */
#ifndef HEED_DECODE_SYMMETRY_H
#define HEED_DECODE_SYMMETRY_H

#include "base/arena.h"
#include "text/dump.h"

#define SYMMETRY_NAMES "union|intersection|grow-diag|grow-diag-final-and"

typedef enum Symmetry {
    SYMMETRY_UNION,
    SYMMETRY_INTERSECTION,
    SYMMETRY_GROW_DIAG,
    SYMMETRY_GROW_DIAG_FINAL_AND
} Symmetry;

typedef struct Links {
    DumpLink *v; /* sorted by source, then target */
    int n;
} Links;

/* Both sets name source and target words of the forward direction, below n_source and n_target.
 * The result lives in the arena. */
Status symmetry_join(Links *out, const Links *forward, const Links *backward, int n_source,
                     int n_target, Symmetry symmetry, Arena *arena, Error *err) MUST_USE;

#endif

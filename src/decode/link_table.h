/* What counting the words of the training pairs left in a model (train/aligner.h): how likely each
 * target piece is beside each source piece, and how the places jump. `heed align` weighs the
 * attention with it: attention knows the sentence, counting knows the words, and links that both
 * find are right more often than those of either.
 *
 * In the file (tensor text.links of a model): HMM_JUMPS weights as F32; then for each source piece
 * and at last for "no word" a row: the number of its entries and for each the distance of its
 * target piece from the one before (the first: from 0), as LEB128, and its probability in 65535ths,
 * U16. Little-endian. What is rarer than LINK_TABLE_LEAST (for "no word" LINK_TABLE_LEAST_NULL) is
 * left out.
 *
 * Threads: a table is read only. */
#ifndef HEED_DECODE_LINK_TABLE_H
#define HEED_DECODE_LINK_TABLE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "model/batch.h"
#include "nn/hmm.h"

#define LINK_TABLE_LEAST      1e-2
#define LINK_TABLE_LEAST_NULL 1e-4
#define LINK_TABLE_FLOOR      1e-4 /* added to what the table and the attention give */

/* Writing: the jumps, then a row for each source piece and one for "no word". */
typedef struct LinkEntry {
    int target;
    double probability;
} LinkEntry;

Status link_table_put_jumps(Buffer *out, const HmmJumps *jumps, Error *err) MUST_USE;

/* entries in ascending order of target; those below `least` are left out. */
Status link_table_put_row(Buffer *out, const LinkEntry *entries, int n, double least,
                          Error *err) MUST_USE;

typedef struct LinkTable LinkTable;

/* Reads n_source + 1 rows of pieces below n_target. ERR_FORMAT when the bytes are no such table. */
Status link_table_read(LinkTable **out, const void *bytes, size_t len, int n_source, int n_target,
                       Error *err) MUST_USE;
void link_table_free(LinkTable *table);

/* What the weights of links come from. */
typedef enum AlignBy { ALIGN_BY_ATTENTION, ALIGN_BY_BOTH, ALIGN_BY_COUNTS } AlignBy;
#define ALIGN_BY_NAMES "attention|both|counts"

/* Weights [n_target, n_source + 1] of links between the pieces of a pair; the last column is that
 * of no word, in the attention the end token. With p the posterior of the hidden Markov model:
 *
 *     ALIGN_BY_COUNTS    p
 *     ALIGN_BY_BOTH      sqrt((attention + floor) (p + floor)), scaled to rows of 1
 *
 * attention has the same shape and may be weights. Scratch comes from the arena. Time grows with
 * n_target * n_source^2. */
Status link_table_weigh(const LinkTable *table, float *weights, const float *attention, AlignBy by,
                        const IdPair *pair, Arena *arena, Error *err) MUST_USE;

#endif

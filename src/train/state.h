/* Where a run stands: what its checkpoint holds besides the model and the optimiser.
 *
 * In the checkpoint's metadata it is text, a line "name = value" for each number, in this order. */
#ifndef HEED_TRAIN_STATE_H
#define HEED_TRAIN_STATE_H

#include "base/buffer.h"
#include "base/status.h"

typedef struct State {
    long epoch;   /* from 0: the epoch under way */
    long batch;   /* batches of it that are done */
    long update;  /* updates tried */
    long applied; /* updates that changed the weights */
    long best_update, best_epoch;
    long n_stalled;
    double plateau; /* factor of the learning rate */
    double best;    /* metric; meaningful when best_update > 0 */
    double elapsed; /* seconds of earlier sessions of this run */
    long n_skipped;
    long n_pairs, checksum; /* of the training data, links included */
    double curve_nll;       /* of the targets learnt since the last scheduled validation ... */
    long curve_target;      /* ... and their pieces; the first checkpoints lack both */
} State;

/* Replaces the content of out. */
Status state_write(Buffer *out, const State *state, Error *err) MUST_USE;

/* path is for the sentence. ERR_FORMAT for anything that state_write does not write. */
Status state_read(State *out, const char *text, const char *path, Error *err) MUST_USE;

/* Which of the two checkpoints is there to resume from: the last one, or else the one before. *out
 * points into one of them. ERR_IO when there is none. */
Status state_find_checkpoint(const char **out, const Buffer *last, const Buffer *prev,
                             Error *err) MUST_USE;

#endif

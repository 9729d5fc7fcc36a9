/* The readout: from a decoder state to scores of words (a tanh layer in the place of Bahdanau's
 * maxout).
 *
 *     o_t = tanh(W_s s_t + W_y y_{t-1} + W_c c_t + b)            [E]
 *     logits_t = W_out o_t + b_out                               [V]
 *
 * With layer normalisation o_t = tanh(gain * norm(W_s s_t + W_y y_{t-1} + W_c c_t) + b). Tied:
 * W_out is the target embedding. Dropout masks o_t.
 *
 * Nothing here depends on the previous step, so all N rows of a sequence go through at once.
 * Capitals: N rows, E embedding size, H units, V target words. */
#ifndef HEED_NN_READOUT_H
#define HEED_NN_READOUT_H

#include "nn/gradients.h"
#include "nn/param.h"

typedef struct Readout {
    int E, V, is_normalized;
    Weights *state, *input, *context, *output;
    Param *bias, *gain, *output_bias;
} Readout;

typedef struct ReadoutTape {
    Mat o;             /* (N, E): after tanh, before dropout */
    Mat o_masked;      /* (N, E): what W_out sees; o itself without dropout */
    Mat mask;          /* (N, E), empty without dropout */
    Mat logits;        /* (N, V); holds dlogits on the way back */
    Mat xhat, inverse; /* of the normalisation */
    Mat d_sum, d_bias; /* (N, E): gradient at the sum, and at b (the same without normalisation) */
    Mat dgain;         /* (1, E) */
} ReadoutTape;

/* embedding is the target embedding's table when tied, else NULL. */
Status readout_create(Readout *readout, ParamList *params, int E, int H, int V,
                      const Param *embedding, int is_normalized, Error *err) MUST_USE;

/* is_training as elsewhere; has_mask: there is dropout, and the caller draws tape->mask. */
Status readout_tape_alloc(ReadoutTape *tape, const Readout *readout, Arena *arena, int N,
                          int is_training, int has_mask, Error *err) MUST_USE;

/* Writes the tape's o; s (N, H), y (N, E), c (N, 2H) are read. */
void readout_forward(const Readout *readout, ReadoutTape *tape, Mat s, Mat y, Mat c);
/* The same where W_y y and W_c c, both (N, E), are known already; row i of the first is
 * y_row[i] of y_product. */
void readout_forward_known(const Readout *readout, ReadoutTape *tape, Mat s, Mat y_product,
                           const int *y_row, Mat c_product);
/* Takes logits from the arena, and writes them from o; nn/readout_part.h has those of some words
 * alone. */
Status readout_logits_alloc(ReadoutTape *tape, const Readout *readout, Arena *arena,
                            Error *err) MUST_USE;
void readout_logits_forward(const Readout *readout, ReadoutTape *tape);

/* Writes ds (N, H), dy (N, E), dc (N, 2H) and notes all gradients; reads tape->logits as dlogits
 * and what the forward step read, which must stay alive until the gradients are formed. */
void readout_backward(const Readout *readout, ReadoutTape *tape, Gradients *g, Mat ds, Mat dy,
                      Mat dc, Mat s, Mat y, Mat c);

#endif

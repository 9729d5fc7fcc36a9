/* A recurrent layer in one direction: a GRU walked over packed sequences. With depth > 1 each time
 * step passes through further cells without input (deep transition, Miceli Barone et al. 2017):
 *
 *     s' = GRU_0(x_t, s_{t-1});  s'' = GRU_1(s');  ...  s_t = the last of them
 *
 * The direction is that of time: forward from the first word, or backward from each sequence's own
 * last. Capitals: B sequences, N rows, H units, X input size. */
#ifndef HEED_MODEL_RNN_H
#define HEED_MODEL_RNN_H

#include "model/config.h"
#include "model/noise.h"
#include "model/packing.h"
#include "nn/gru.h"

typedef struct Rnn {
    Gru cells[CONFIG_MAX_LAYERS];
    int depth;
    int is_reversed; /* walks backward in time */
} Rnn;

typedef struct RnnTape {
    GruTape cells[CONFIG_MAX_LAYERS];
    Mat state_masks[CONFIG_MAX_LAYERS]; /* (B, H), empty without dropout */
    Mat state;                          /* (B, H): the running state */
    Mat ds, ds_other;                   /* (B, H): the running gradient and its successor */
} RnnTape;

Status rnn_create(Rnn *rnn, ParamList *params, const char *prefix, int X, int H, int depth,
                  int is_reversed, int is_normalized, Error *err) MUST_USE;

Status rnn_tape_alloc(RnnTape *tape, const Rnn *rnn, Arena *arena, const Packing *packing,
                      int is_training, Noise *noise, Error *err) MUST_USE;

/* out (N, H) is written from x (N, X). start (B, H) is the first state, empty for zeros. */
void rnn_forward(const Rnn *rnn, RnnTape *tape, const Packing *packing, Mat out, Mat x, Mat start);
/* The same where the inputs are some of a few x (n, X): row[i] is that of row i. product (n, 3H) is
 * written. */
void rnn_forward_shared(const Rnn *rnn, RnnTape *tape, const Packing *packing, Mat out, Mat product,
                        Mat x, const int *row, Mat start);

/* Reads dout (N, H). Adds to dx (N, X) when add_dx, else writes it; adds to dstart (B, H) unless it
 * is empty; notes the gradients of the weights. x is what the forward run had. */
void rnn_backward(const Rnn *rnn, RnnTape *tape, const Packing *packing, Gradients *g, Mat dx,
                  int add_dx, Mat dstart, Mat dout, Mat x);

#endif

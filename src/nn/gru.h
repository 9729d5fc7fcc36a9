/* The GRU cell: a variant of Cho et al. 2014 in which the reset gate is applied after the recurrent
 * product and z keeps the past (the layout of cuDNN and of PyTorch's nn.GRU):
 *
 *     r = sigmoid(W_ir x + b_ir + W_hr s + b_hr)
 *     z = sigmoid(W_iz x + b_iz + W_hz s + b_hz)
 *     n = tanh(W_in x + b_in + r * (W_hn s + b_hn))
 *     s_out = (1 - z) * n + z * s
 *
 * With layer normalisation (Ba et al. 2016, placed as in Nematus and Marian) both products are
 * normalised over their 3H numbers before the bias is added:
 *
 *     gi = gain_i * norm(W_ih x) + b_ih        gh = gain_h * norm(W_hh s) + b_hh
 *
 * A cell without input (a deeper transition, Miceli Barone et al. 2017) has gi = b_ih.
 * Dropout on the state masks s inside W_hh s only, not in z * s.
 *
 * The input's share gi does not depend on the previous step, so the caller forms it for all time
 * steps in one product with gru_input_forward, and only then walks through time with
 * gru_step_forward.
 *
 * Layout: gates stacked in the order r, z, n; W_ih [3H, X], W_hh [3H, H]. Capitals: H units, X
 * input size, N rows of a whole sequence in packed order (model/packing.h), R rows of one step (n_t
 * sentences). Threads: a Gru is read only; each shard has its own tape. */
#ifndef HEED_NN_GRU_H
#define HEED_NN_GRU_H

#include "nn/gradients.h"
#include "nn/param.h"

enum { GRU_INPUTS_MAX = 2 };

typedef struct Gru {
    int H, n_inputs; /* 0, 1 or 2 parts of x, side by side in W_ih */
    int is_normalized;
    Weights *input[GRU_INPUTS_MAX], *state;
    Param *bias_ih, *bias_hh, *gain_ih, *gain_hh; /* gains are NULL without normalisation */
} Gru;

/* What one run over a sequence keeps for the way back; all rows in packed order. */
typedef struct GruTape {
    Mat gi;                   /* (N, 3H); for a cell without input b_ih with a stride of 0 */
    Mat gates;                /* (N, 4H): r, z, n, W_hn s + b_hn */
    Mat s;                    /* (N, H): the state before each step */
    Mat s_masked;             /* (N, H): s as W_hh sees it; s itself without dropout */
    Mat gh;                   /* (N, 3H) */
    Mat xhat_i, xhat_h;       /* (N, 3H): normalised products */
    Mat inverse_i, inverse_h; /* (N, 1): 1 / deviation of a row */
    /* Of the way back: gradients at the products W_ih x and W_hh s (in the place of gi and gh), at
     * the biases (the same arrays without normalisation), and at the gains (1, 3H). */
    Mat dgi, dgh, dbias_i, dbias_h, dgain_i, dgain_h;
} GruTape;

/* Registers the cell's tensors under "PREFIX.weight_ih" and so on. sizes [n_inputs] are the widths
 * of the parts of x. */
Status gru_create(Gru *gru, ParamList *params, const char *prefix, int H, const int *sizes,
                  int n_inputs, int is_normalized, Error *err) MUST_USE;

/* Takes the tape's arrays for N rows, at most R of them in one step, from the arena; without training the
 * gates and states of the steps are not kept. is_training: also those of the way back;
 * has_mask: the state has dropout. */
Status gru_tape_alloc(GruTape *tape, const Gru *gru, Arena *arena, int N, int R, int is_training,
                      int has_mask, Error *err) MUST_USE;

/* gi = W x (is_first) or gi += W x for part `part` of the input; rows first .. first + x.rows - 1
 * of the tape. The bias comes with the first part unless the cell is normalised. */
void gru_input_forward(const Gru *gru, GruTape *tape, int first, Mat x, int part, int is_first);

/* gi of rows 0 .. N - 1 where the whole input is one of a few x (n, X): row[i] is that of row i.
 * Each is multiplied once; product (n, 3H) is written. */
void gru_input_shared(const Gru *gru, GruTape *tape, Mat product, Mat x, const int *row, int N);

/* As gru_input_forward where the product W x of the part is known: product (n, 3H) is read. */
void gru_input_known(const Gru *gru, GruTape *tape, int first, Mat product, int is_first);

/* Ends the input's share after its last part: normalises rows first .. first + n - 1. Does nothing
 * for a plain cell. */
void gru_input_finish(const Gru *gru, GruTape *tape, int first, int n);

/* One step: s_out (R, H) is written; s (R, H) is read; both may be the same. The tape's rows are
 * first .. first + R - 1. mask (R, H) multiplies s inside W_hh s; empty for none. */
void gru_step_forward(const Gru *gru, GruTape *tape, int first, Mat s_out, Mat s, Mat mask);

/* Reads ds_out (R, H), writes ds (R, H), which may not be ds_out, and the tape's dgi and dgh. */
void gru_step_backward(const Gru *gru, GruTape *tape, int first, Mat ds, Mat ds_out, Mat mask);

/* The way back of gru_input_finish over rows first .. first + n - 1; before gru_input_backward. */
void gru_input_finish_backward(const Gru *gru, GruTape *tape, int first, int n);

/* dx (n, X) = dgi W of part `part` (add: += ), rows first .. first + n - 1. */
void gru_input_backward(const Gru *gru, const GruTape *tape, int first, Mat dx, int part, int add);

/* Notes the gradients of W_ih for one part of the input: x (N, X) are all rows. */
void gru_note_input(const Gru *gru, const GruTape *tape, Gradients *g, Mat x, int part);
/* Notes the gradients of W_hh, of the biases and of the gains; once per tape, after all steps. */
void gru_note_state(const Gru *gru, const GruTape *tape, Gradients *g);

#endif

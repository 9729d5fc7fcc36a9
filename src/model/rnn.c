/* A recurrent layer; see the header. */
#include "model/rnn.h"

#include <stdio.h>

#include "math/vec.h"

Status rnn_create(Rnn *rnn, ParamList *params, const char *prefix, int X, int H, int depth,
                  int is_reversed, int is_normalized, Error *err)
{
    *rnn = (Rnn){.depth = depth, .is_reversed = is_reversed};
    TRY(gru_create(&rnn->cells[0], params, prefix, H, &X, 1, is_normalized, err));
    for (int k = 1; k < depth; k++) {
        char name[PARAM_NAME_CAP];
        (void)snprintf(name, sizeof name, "%s.transition%d", prefix, k);
        TRY(gru_create(&rnn->cells[k], params, name, H, NULL, 0, is_normalized, err));
    }
    return OK;
}

Status rnn_tape_alloc(RnnTape *tape, const Rnn *rnn, Arena *arena, const Packing *packing,
                      int is_training, Noise *noise, Error *err)
{
    const int H = rnn->cells[0].H, B = packing->B;
    const double rate = noise == NULL ? 0 : noise->rates.state;
    RnnTape t = {0};
    for (int k = 0; k < rnn->depth; k++) {
        TRY(noise_mask(&t.state_masks[k], arena, rate, B, H, noise, err));
        TRY(gru_tape_alloc(&t.cells[k], &rnn->cells[k], arena, packing->N, B, is_training,
                           t.state_masks[k].v != NULL, err));
    }
    TRY(mat_alloc(&t.state, arena, B, H, err));
    if (is_training) {
        TRY(mat_alloc(&t.ds, arena, B, H, err));
        TRY(mat_alloc(&t.ds_other, arena, B, H, err));
    }
    *tape = t;
    return OK;
}

/* The i-th time step in the layer's direction. */
static int step_at(const Rnn *rnn, const Packing *packing, int i)
{
    return rnn->is_reversed ? packing->T - 1 - i : i;
}

/* Walks through time once the first cell's input is there. */
static void walk(const Rnn *rnn, RnnTape *tape, const Packing *packing, Mat out, Mat start)
{
    gru_input_finish(&rnn->cells[0], &tape->cells[0], 0, packing->N);
    if (start.v == NULL) {
        mat_zero(tape->state);
    } else {
        mat_copy(tape->state, start);
    }
    for (int i = 0; i < packing->T; i++) {
        const int t = step_at(rnn, packing, i), first = packing->offset[t], n = packing->active[t];
        const Mat s = mat_rows(tape->state, 0, n);
        for (int k = 0; k < rnn->depth; k++) {
            gru_step_forward(&rnn->cells[k], &tape->cells[k], first, s, s,
                             mat_rows(tape->state_masks[k], 0, n));
        }
        mat_copy(mat_rows(out, first, n), s);
    }
}

void rnn_forward(const Rnn *rnn, RnnTape *tape, const Packing *packing, Mat out, Mat x, Mat start)
{
    gru_input_forward(&rnn->cells[0], &tape->cells[0], 0, x, 0, 1);
    walk(rnn, tape, packing, out, start);
}

void rnn_forward_shared(const Rnn *rnn, RnnTape *tape, const Packing *packing, Mat out, Mat product,
                        Mat x, const int *row, Mat start)
{
    gru_input_shared(&rnn->cells[0], &tape->cells[0], product, x, row, packing->N);
    walk(rnn, tape, packing, out, start);
}

void rnn_backward(const Rnn *rnn, RnnTape *tape, const Packing *packing, Gradients *g, Mat dx,
                  int add_dx, Mat dstart, Mat dout, Mat x)
{
    Mat ds = tape->ds, other = tape->ds_other;
    mat_zero(ds);
    mat_zero(other);
    for (int i = packing->T - 1; i >= 0; i--) {
        const int t = step_at(rnn, packing, i), first = packing->offset[t], n = packing->active[t];
        /* The rows at and beyond n hold the gradient of sequences that are not active: zero when
         * they have not begun (reversed) or have ended (forward). */
        mat_add(mat_rows(ds, 0, n), mat_rows(dout, first, n));
        for (int k = rnn->depth - 1; k >= 0; k--) {
            gru_step_backward(&rnn->cells[k], &tape->cells[k], first, mat_rows(other, 0, n),
                              mat_rows(ds, 0, n), mat_rows(tape->state_masks[k], 0, n));
            const Mat kept = ds;
            ds = other;
            other = kept;
        }
    }
    if (dstart.v != NULL) {
        mat_add(dstart, ds);
    }
    gru_input_finish_backward(&rnn->cells[0], &tape->cells[0], 0, packing->N);
    gru_input_backward(&rnn->cells[0], &tape->cells[0], 0, dx, 0, add_dx);
    gru_note_input(&rnn->cells[0], &tape->cells[0], g, x, 0);
    for (int k = 0; k < rnn->depth; k++) {
        gru_note_state(&rnn->cells[k], &tape->cells[k], g);
    }
}

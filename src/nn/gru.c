/* The GRU cell; see the header for the equations. */
#include "nn/gru.h"

#include <assert.h>
#include <string.h>

#include "math/vec.h"

Status gru_create(Gru *gru, ParamList *params, const char *prefix, int H, const int *sizes,
                  int n_inputs, int is_normalized, Error *err)
{
    *gru = (Gru){.H = H, .n_inputs = n_inputs, .is_normalized = is_normalized};
    int X = 0;
    for (int i = 0; i < n_inputs; i++) {
        X += sizes[i];
    }
    Param *W;
    if (n_inputs > 0) {
        TRY(params_add(params, &W, INIT_GLOROT, 3 * H, X, err, "%s.weight_ih", prefix));
        for (int i = 0, first = 0; i < n_inputs; first += sizes[i++]) {
            TRY(params_add_weights(params, &gru->input[i], W, first, sizes[i], 1, err));
        }
    }
    TRY(params_add(params, &W, INIT_ORTHOGONAL, 3 * H, H, err, "%s.weight_hh", prefix));
    TRY(params_add_weights(params, &gru->state, W, 0, H, 1, err));
    TRY(params_add_vector(params, &gru->bias_ih, INIT_ZERO, 3 * H, err, "%s.bias_ih", prefix));
    TRY(params_add_vector(params, &gru->bias_hh, INIT_ZERO, 3 * H, err, "%s.bias_hh", prefix));
    if (is_normalized) {
        if (n_inputs > 0) {
            TRY(params_add_vector(params, &gru->gain_ih, INIT_ONE, 3 * H, err, "%s.gain_ih",
                                  prefix));
        }
        TRY(params_add_vector(params, &gru->gain_hh, INIT_ONE, 3 * H, err, "%s.gain_hh", prefix));
    }
    return OK;
}

/* The arrays that only the way back needs. */
static Status alloc_gradients(GruTape *t, const Gru *gru, Arena *arena, int N, Error *err)
{
    const int G = 3 * gru->H;
    /* The forward step's gi and gh are not read on the way back: their gradients take the same place. */
    t->dgh = t->gh;
    t->dgi = t->gi;
    if (gru->n_inputs == 0) {
        TRY(mat_alloc(&t->dgi, arena, N, G, err));
    }
    t->dbias_i = t->dgi;
    t->dbias_h = t->dgh;
    if (gru->gain_ih != NULL) {
        TRY(mat_alloc(&t->dbias_i, arena, N, G, err));
        TRY(mat_alloc_zero(&t->dgain_i, arena, 1, G, err));
    }
    if (gru->gain_hh != NULL) {
        TRY(mat_alloc(&t->dbias_h, arena, N, G, err));
        TRY(mat_alloc_zero(&t->dgain_h, arena, 1, G, err));
    }
    return OK;
}

Status gru_tape_alloc(GruTape *tape, const Gru *gru, Arena *arena, int N, int R, int is_training,
                      int has_mask, Error *err)
{
    const int H = gru->H;
    GruTape t = {0};
    if (gru->n_inputs > 0) {
        TRY(mat_alloc(&t.gi, arena, N, 3 * H, err));
    } else {
        t.gi = (Mat){gru->bias_ih->val.v, N, 3 * H, 0};
    }
    TRY(mat_alloc(&t.gh, arena, is_training ? N : R, 3 * H, err));
    if (is_training) {
        TRY(mat_alloc(&t.gates, arena, N, 4 * H, err));
        TRY(mat_alloc(&t.s, arena, N, H, err));
    }
    t.s_masked = t.s;
    if (has_mask) {
        TRY(mat_alloc(&t.s_masked, arena, N, H, err));
    }
    if (gru->is_normalized) {
        TRY(mat_alloc(&t.xhat_i, arena, gru->n_inputs > 0 ? N : 0, 3 * H, err));
        TRY(mat_alloc(&t.xhat_h, arena, N, 3 * H, err));
        TRY(mat_alloc(&t.inverse_i, arena, N, 1, err));
        TRY(mat_alloc(&t.inverse_h, arena, N, 1, err));
    }
    if (is_training) {
        TRY(alloc_gradients(&t, gru, arena, N, err));
    }
    *tape = t;
    return OK;
}

void gru_input_forward(const Gru *gru, GruTape *tape, int first, Mat x, int part, int is_first)
{
    const Mat gi = mat_rows(tape->gi, first, x.rows);
    if (is_first) {
        weights_forward(gi, x, gru->input[part], gru->is_normalized ? NULL : gru->bias_ih);
    } else {
        weights_forward_add(gi, x, gru->input[part]);
    }
}

void gru_input_shared(const Gru *gru, GruTape *tape, Mat product, Mat x, const int *row, int N)
{
    weights_forward(product, x, gru->input[0], gru->is_normalized ? NULL : gru->bias_ih);
    for (int i = 0; i < N; i++) {
        memcpy(mat_row(tape->gi, i), mat_row(product, row[i]), (size_t)product.cols * sizeof(real));
    }
}

void gru_input_known(const Gru *gru, GruTape *tape, int first, Mat product, int is_first)
{
    const Mat gi = mat_rows(tape->gi, first, product.rows);
    if (!is_first) {
        mat_add(gi, product);
        return;
    }
    mat_copy(gi, product);
    for (int i = 0; i < gi.rows && !gru->is_normalized; i++) {
        vec_ops()->add(mat_row(gi, i), gru->bias_ih->val.v, gi.cols);
    }
}

void gru_input_finish(const Gru *gru, GruTape *tape, int first, int n)
{
    if (gru->gain_ih == NULL) {
        return;
    }
    /* gi = gain_i * norm(W_ih x) + b_ih */
    for (int i = first; i < first + n; i++) {
        vec_ops()->norm_forward(mat_row(tape->gi, i), mat_row(tape->xhat_i, i),
                                mat_row(tape->inverse_i, i), mat_row(tape->gi, i),
                                gru->gain_ih->val.v, gru->bias_ih->val.v, 3 * gru->H);
    }
}

void gru_input_finish_backward(const Gru *gru, GruTape *tape, int first, int n)
{
    if (gru->gain_ih == NULL) {
        return;
    }
    mat_copy(mat_rows(tape->dbias_i, first, n), mat_rows(tape->dgi, first, n));
    for (int i = first; i < first + n; i++) {
        vec_ops()->norm_backward(mat_row(tape->dgi, i), tape->dgain_i.v, NULL,
                                 mat_row(tape->dbias_i, i), mat_row(tape->xhat_i, i),
                                 *mat_row(tape->inverse_i, i), gru->gain_ih->val.v, 3 * gru->H);
    }
}

/* Keeps the state before the step, and the state as W_hh sees it. */
static void keep_state(GruTape *tape, int first, Mat s, Mat mask)
{
    mat_copy(mat_rows(tape->s, first, s.rows), s);
    if (mask.v == NULL) {
        return;
    }
    for (int i = 0; i < s.rows; i++) {
        real *masked = mat_row(tape->s_masked, first + i);
        memcpy(masked, mat_row(s, i), (size_t)s.cols * sizeof *masked);
        vec_ops()->multiply(masked, mat_row(mask, i), s.cols);
    }
}

void gru_step_forward(const Gru *gru, GruTape *tape, int first, Mat s_out, Mat s, Mat mask)
{
    const VecOps *ops = vec_ops();
    const int is_kept = tape->gates.v != NULL;
    assert(s.cols == gru->H && s_out.rows == s.rows);
    Mat seen = s; /* by W_hh */
    if (is_kept) {
        keep_state(tape, first, s, mask);
        seen = mat_rows(tape->s_masked, first, s.rows);
    }
    const Mat gh = mat_rows(tape->gh, is_kept ? first : 0, s.rows);
    weights_forward(gh, seen, gru->state, gru->is_normalized ? NULL : gru->bias_hh);
    for (int i = 0; i < s.rows; i++) {
        const int row = first + i;
        if (gru->is_normalized) {
            /* gh = gain_h * norm(W_hh s) + b_hh */
            ops->norm_forward(mat_row(gh, i), mat_row(tape->xhat_h, row),
                              mat_row(tape->inverse_h, row), mat_row(gh, i), gru->gain_hh->val.v,
                              gru->bias_hh->val.v, 3 * gru->H);
        }
        ops->gru_forward(mat_row(s_out, i), is_kept ? mat_row(tape->gates, row) : NULL,
                         mat_row(tape->gi, row), mat_row(gh, i), mat_row(s, i), gru->H);
    }
}

void gru_step_backward(const Gru *gru, GruTape *tape, int first, Mat ds, Mat ds_out, Mat mask)
{
    const VecOps *ops = vec_ops();
    const Mat dgh = mat_rows(tape->dgh, first, ds.rows);
    const Mat dbias = mat_rows(tape->dbias_h, first, ds.rows);
    assert(ds.v != ds_out.v && ds.rows == ds_out.rows);
    /* forward: s_out = (1 - z) * n + z * s, with W_hh s inside r, z and n */
    mat_zero(ds);
    for (int i = 0; i < ds.rows; i++) {
        const int row = first + i;
        ops->gru_backward(mat_row(tape->dgi, row), mat_row(dbias, i), mat_row(ds, i),
                          mat_row(ds_out, i), mat_row(tape->gates, row), mat_row(tape->s, row),
                          gru->H);
        if (gru->is_normalized) {
            ops->norm_backward(mat_row(dgh, i), tape->dgain_h.v, NULL, mat_row(dbias, i),
                               mat_row(tape->xhat_h, row), *mat_row(tape->inverse_h, row),
                               gru->gain_hh->val.v, 3 * gru->H);
        }
    }
    /* forward: gh = W_hh (mask * s): ds += mask * (dgh W_hh). The gates' rows are no longer needed
     * and hold the product. */
    if (mask.v == NULL) {
        weights_backward_add(ds, dgh, gru->state);
        return;
    }
    const Mat product = mat_cols(mat_rows(tape->gates, first, ds.rows), 0, gru->H);
    weights_backward(product, dgh, gru->state);
    for (int i = 0; i < ds.rows; i++) {
        ops->multiply(mat_row(product, i), mat_row(mask, i), gru->H);
        ops->add(mat_row(ds, i), mat_row(product, i), gru->H);
    }
}

void gru_input_backward(const Gru *gru, const GruTape *tape, int first, Mat dx, int part, int add)
{
    const Mat dgi = mat_rows(tape->dgi, first, dx.rows);
    if (add) {
        weights_backward_add(dx, dgi, gru->input[part]);
    } else {
        weights_backward(dx, dgi, gru->input[part]);
    }
}

void gru_note_input(const Gru *gru, const GruTape *tape, Gradients *g, Mat x, int part)
{
    gradients_note_product(g, gru->input[part], NULL, tape->dgi, x);
}

void gru_note_state(const Gru *gru, const GruTape *tape, Gradients *g)
{
    gradients_note_product(g, gru->state, NULL, tape->dgh, tape->s_masked);
    gradients_note_vector(g, gru->bias_ih, tape->dbias_i);
    gradients_note_vector(g, gru->bias_hh, tape->dbias_h);
    if (gru->gain_ih != NULL) {
        gradients_note_vector(g, gru->gain_ih, tape->dgain_i);
    }
    if (gru->gain_hh != NULL) {
        gradients_note_vector(g, gru->gain_hh, tape->dgain_h);
    }
}

/* The readout; see the header. */
#include "nn/readout.h"

#include <string.h>

#include "math/vec.h"
#include "nn/dropout.h"

static Status add_part(Weights **out, ParamList *params, const char *part, int E, int cols,
                       Error *err)
{
    Param *W;
    TRY(params_add(params, &W, INIT_GLOROT, E, cols, err, "readout.%s.weight", part));
    return params_add_weights(params, out, W, 0, cols, 0, err);
}

Status readout_create(Readout *readout, ParamList *params, int E, int H, int V,
                      const Param *embedding, int is_normalized, Error *err)
{
    *readout = (Readout){.E = E, .V = V, .is_normalized = is_normalized};
    TRY(add_part(&readout->state, params, "state", E, H, err));
    TRY(add_part(&readout->input, params, "input", E, E, err));
    TRY(add_part(&readout->context, params, "context", E, 2 * H, err));
    TRY(params_add_vector(params, &readout->bias, INIT_ZERO, E, err, "readout.bias"));
    if (is_normalized) {
        TRY(params_add_vector(params, &readout->gain, INIT_ONE, E, err, "readout.gain"));
    }
    if (embedding == NULL) {
        Param *W;
        TRY(params_add(params, &W, INIT_GLOROT, V, E, err, "output.weight"));
        embedding = W;
    }
    TRY(params_add_weights(params, &readout->output, embedding, 0, E, 0, err));
    return params_add_vector(params, &readout->output_bias, INIT_ZERO, V, err, "output.bias");
}

Status readout_tape_alloc(ReadoutTape *tape, const Readout *readout, Arena *arena, int N,
                          int is_training, int has_mask, Error *err)
{
    const int E = readout->E;
    ReadoutTape t = {0};
    TRY(mat_alloc(&t.o, arena, N, E, err));
    t.o_masked = t.o;
    if (has_mask) {
        TRY(mat_alloc(&t.o_masked, arena, N, E, err));
        TRY(mat_alloc(&t.mask, arena, N, E, err));
    }
    if (readout->is_normalized) {
        TRY(mat_alloc(&t.xhat, arena, N, E, err));
        TRY(mat_alloc(&t.inverse, arena, N, 1, err));
    }
    if (is_training) {
        TRY(mat_alloc(&t.d_sum, arena, N, E, err));
        t.d_bias = t.d_sum;
    }
    if (is_training && readout->is_normalized) {
        TRY(mat_alloc(&t.d_bias, arena, N, E, err));
        TRY(mat_alloc_zero(&t.dgain, arena, 1, E, err));
    }
    *tape = t;
    return OK;
}

Status readout_logits_alloc(ReadoutTape *tape, const Readout *readout, Arena *arena, Error *err)
{
    return mat_alloc(&tape->logits, arena, tape->o.rows, readout->V, err);
}

/* The first part of the sum; the bias comes with it unless it is normalised. */
static void state_forward(const Readout *readout, ReadoutTape *tape, Mat s)
{
    weights_forward(tape->o, s, readout->state, readout->is_normalized ? NULL : readout->bias);
}

/* From the sum to o and what W_out sees of it. */
static void tanh_forward(const Readout *readout, ReadoutTape *tape)
{
    const VecOps *ops = vec_ops();
    for (int i = 0; i < tape->o.rows; i++) {
        real *o = mat_row(tape->o, i);
        if (readout->is_normalized) {
            ops->norm_forward(o, mat_row(tape->xhat, i), mat_row(tape->inverse, i), o,
                              readout->gain->val.v, readout->bias->val.v, readout->E);
        }
        (ops->tanh)(o, o, readout->E);
        if (tape->mask.v != NULL) {
            real *masked = mat_row(tape->o_masked, i);
            memcpy(masked, o, (size_t)readout->E * sizeof *o);
            ops->multiply(masked, mat_row(tape->mask, i), readout->E);
        }
    }
}

void readout_forward(const Readout *readout, ReadoutTape *tape, Mat s, Mat y, Mat c)
{
    /* o = tanh(W_s s + W_y y + W_c c + b) */
    state_forward(readout, tape, s);
    weights_forward_add(tape->o, y, readout->input);
    weights_forward_add(tape->o, c, readout->context);
    tanh_forward(readout, tape);
}

void readout_forward_known(const Readout *readout, ReadoutTape *tape, Mat s, Mat y_product,
                           const int *y_row, Mat c_product)
{
    state_forward(readout, tape, s);
    for (int i = 0; i < s.rows; i++) {
        vec_ops()->add(mat_row(tape->o, i), mat_row(y_product, y_row[i]), readout->E);
        vec_ops()->add(mat_row(tape->o, i), mat_row(c_product, i), readout->E);
    }
    tanh_forward(readout, tape);
}

void readout_logits_forward(const Readout *readout, ReadoutTape *tape)
{
    /* logits = W_out o + b_out */
    weights_forward(tape->logits, tape->o_masked, readout->output, readout->output_bias);
}

/* From the gradient at o, in tape->d_bias, to those at b and at the sum of the products. */
static void tanh_backward(const Readout *readout, ReadoutTape *tape)
{
    for (int i = 0; i < tape->o.rows; i++) {
        const real *o = mat_row(tape->o, i);
        real *d = mat_row(tape->d_bias, i);
        for (int j = 0; j < readout->E; j++) {
            d[j] *= 1 - o[j] * o[j];
        }
        if (readout->is_normalized) {
            vec_ops()->norm_backward(mat_row(tape->d_sum, i), tape->dgain.v, NULL, d,
                                     mat_row(tape->xhat, i), *mat_row(tape->inverse, i),
                                     readout->gain->val.v, readout->E);
        }
    }
}

void readout_backward(const Readout *readout, ReadoutTape *tape, Gradients *g, Mat ds, Mat dy,
                      Mat dc, Mat s, Mat y, Mat c)
{
    /* forward: logits = W_out o + b_out */
    weights_backward(tape->d_bias, tape->logits, readout->output);
    dropout_apply(tape->d_bias, tape->mask);
    gradients_note_product(g, readout->output, readout->output_bias, tape->logits, tape->o_masked);
    /* forward: o = tanh(W_s s + W_y y + W_c c + b) */
    tanh_backward(readout, tape);
    weights_backward(ds, tape->d_sum, readout->state);
    weights_backward(dy, tape->d_sum, readout->input);
    weights_backward(dc, tape->d_sum, readout->context);
    gradients_note_product(g, readout->state, NULL, tape->d_sum, s);
    gradients_note_product(g, readout->input, NULL, tape->d_sum, y);
    gradients_note_product(g, readout->context, NULL, tape->d_sum, c);
    gradients_note_vector(g, readout->bias, tape->d_bias);
    if (readout->is_normalized) {
        gradients_note_vector(g, readout->gain, tape->dgain);
    }
}

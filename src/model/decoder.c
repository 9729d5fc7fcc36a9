/* The decoder; see the header for the equations. */
#include "model/decoder.h"

#include <assert.h>
#include <stdio.h>

#include "math/vec.h"
#include "nn/embedding.h"

/* Places in the first layer's list of cells. */
enum { CELL_FIRST = 0, CELL_SECOND = 1 };

static Status create_first_layer(Decoder *decoder, ParamList *params, const Config *config,
                                 Error *err)
{
    const int E = config->embedding, H = config->hidden, norm = config->is_normalized;
    const int both[] = {E, 2 * H};
    if (decoder->type == DECODER_BAHDANAU) {
        TRY(gru_create(&decoder->cells[CELL_FIRST], params, "decoder.gru", H, both, 2, norm, err));
        decoder->n_cells = 1;
    } else {
        TRY(gru_create(&decoder->cells[CELL_FIRST], params, "decoder.gru1", H, both, 1, norm, err));
        TRY(gru_create(&decoder->cells[CELL_SECOND], params, "decoder.gru2", H, both + 1, 1, norm,
                       err));
        decoder->n_cells = 2;
    }
    for (int k = 0; k < config->decoder_depth; k++) {
        char name[PARAM_NAME_CAP];
        (void)snprintf(name, sizeof name, "decoder.transition%d", k + 1);
        TRY(gru_create(&decoder->cells[decoder->n_cells++], params, name, H, NULL, 0, norm, err));
    }
    return OK;
}

Status decoder_create(Decoder *decoder, ParamList *params, const Config *config,
                      const Param *embedding, Error *err)
{
    const int H = config->hidden;
    *decoder = (Decoder){.type = config->decoder,
                         .n_layers = config->decoder_layers,
                         .H = H,
                         .is_residual = config->is_residual,
                         .embedding = embedding};
    for (int l = 0; l < decoder->n_layers; l++) {
        Param *W;
        TRY(params_add(params, &W, INIT_GLOROT, H, 2 * H, err, "decoder.init.layer%d.weight", l));
        TRY(params_add_weights(params, &decoder->init[l], W, 0, 2 * H, 0, err));
        TRY(params_add_vector(params, &decoder->init_bias[l], INIT_ZERO, H, err,
                              "decoder.init.layer%d.bias", l));
    }
    TRY(create_first_layer(decoder, params, config, err));
    for (int l = 1; l < decoder->n_layers; l++) {
        char name[PARAM_NAME_CAP];
        (void)snprintf(name, sizeof name, "decoder.layer%d", l);
        TRY(rnn_create(&decoder->layers[l], params, name, H, H, 1, 0, config->is_normalized, err));
    }
    return attention_create(&decoder->attention, params, config->attention, H,
                            config->attention_size, err);
}

/* x as a GRU reads it: a masked copy with dropout on inputs, else x itself. */
static Status alloc_input(Mat *in, Mat *mask, Mat x, Arena *arena, int B, Noise *noise, Error *err)
{
    TRY(noise_mask(mask, arena, noise == NULL ? 0 : noise->rates.input, B, x.cols, noise, err));
    *in = x;
    return mask->v == NULL ? OK : mat_alloc(in, arena, x.rows, x.cols, err);
}

/* Which cell reads the context. */
static int cell_by_context(const Decoder *decoder)
{
    return decoder->type == DECODER_BAHDANAU ? CELL_FIRST : CELL_SECOND;
}

int decoder_products(const Decoder *decoder)
{
    return 3 * decoder->H + decoder->embedding->val.cols;
}

const Weights *decoder_context_weights(const Decoder *decoder)
{
    return decoder->cells[cell_by_context(decoder)]
        .input[decoder->type == DECODER_BAHDANAU ? 1 : 0];
}

static Status alloc_distinct_words(DecoderTape *t, const Decoder *decoder, Arena *arena,
                                   const int *ids, Error *err)
{
    t->ids = ids;
    TRY(distinct_create(&t->words, ids, t->packing->N, arena, err));
    TRY(mat_alloc(&t->y, arena, t->words.n, decoder->embedding->val.cols, err));
    TRY(mat_alloc(&t->word_products, arena, t->words.n, 3 * decoder->H, err));
    return mat_alloc(&t->c, arena, t->packing->N, decoder_products(decoder), err);
}

static Status alloc_words(DecoderTape *t, const Decoder *decoder, Arena *arena, const int *ids,
                          Noise *noise, Error *err)
{
    const int N = t->packing->N, B = t->packing->B, E = decoder->embedding->val.cols;
    TRY(noise_words(&t->ids, arena, noise == NULL ? 0 : noise->rates.target_word, ids, N, noise,
                    err));
    TRY(mat_alloc(&t->y, arena, N, E, err));
    TRY(noise_mask(&t->y_mask, arena, noise == NULL ? 0 : noise->rates.embedding, N, E, noise,
                   err));
    TRY(alloc_input(&t->y_in, &t->y_in_mask, t->y, arena, B, noise, err));
    TRY(mat_alloc(&t->c, arena, N, 2 * decoder->H, err));
    TRY(alloc_input(&t->c_in, &t->c_in_mask, t->c, arena, B, noise, err));
    return OK;
}

static Status alloc_layers(DecoderTape *t, const Decoder *decoder, Arena *arena, int is_training,
                           Noise *noise, Error *err)
{
    const int N = t->packing->N, B = t->packing->B, H = decoder->H;
    const double rate = noise == NULL ? 0 : noise->rates.state;
    for (int k = 0; k < decoder->n_cells; k++) {
        TRY(noise_mask(&t->state_masks[k], arena, rate, B, H, noise, err));
        TRY(gru_tape_alloc(&t->cells[k], &decoder->cells[k], arena, N, B, is_training,
                           t->state_masks[k].v != NULL, err));
    }
    for (int l = 0; l < decoder->n_layers; l++) {
        TRY(mat_alloc(&t->start[l], arena, B, H, err));
        TRY(mat_alloc(&t->layers[l].s, arena, N, H, err));
        t->states[l] = t->start[l];
    }
    TRY(mat_alloc(&t->states[0], arena, B, H, err));
    for (int l = 1; l < decoder->n_layers; l++) {
        DecoderLayerTape *layer = &t->layers[l];
        TRY(alloc_input(&layer->in, &layer->mask, t->layers[l - 1].s, arena, B, noise, err));
        TRY(rnn_tape_alloc(&layer->rnn, &decoder->layers[l], arena, t->packing, is_training, noise,
                           err));
        t->states[l] = layer->rnn.state;
    }
    return OK;
}

static Status alloc_gradients(DecoderTape *t, const Decoder *decoder, Arena *arena, Error *err)
{
    const int N = t->packing->N, B = t->packing->B, H = decoder->H;
    TRY(mat_alloc(&t->ds, arena, B, H, err));
    TRY(mat_alloc(&t->ds_other, arena, B, H, err));
    TRY(mat_alloc(&t->ds_in, arena, N, H, err));
    TRY(mat_alloc(&t->dy_in, arena, N, t->y.cols, err));
    TRY(mat_alloc(&t->dc_in, arena, B, 2 * H, err));
    for (int l = 0; l < decoder->n_layers; l++) {
        TRY(mat_alloc_zero(&t->dstart[l], arena, B, H, err));
    }
    return OK;
}

Status decoder_tape_alloc(DecoderTape *tape, const Decoder *decoder, Arena *arena,
                          const Packing *packing, const int *ids, const int *sentence, int S,
                          int is_training, Noise *noise, Error *err)
{
    DecoderTape t = {.packing = packing, .sentence = sentence};
    assert(is_training || noise == NULL);
    if (is_training) {
        TRY(alloc_words(&t, decoder, arena, ids, noise, err));
    } else {
        TRY(alloc_distinct_words(&t, decoder, arena, ids, err));
    }
    TRY(mat_alloc(&t.query, arena, packing->N, decoder->H, err));
    TRY(attention_tape_alloc(&t.attention, &decoder->attention, arena, packing->N, S, is_training,
                             err));
    TRY(alloc_layers(&t, decoder, arena, is_training, noise, err));
    if (is_training) {
        TRY(alloc_gradients(&t, decoder, arena, err));
    }
    *tape = t;
    return OK;
}

void decoder_start(const Decoder *decoder, int layer, Mat start, Mat mean)
{
    /* s_0 = tanh(W_init mean + b_init) */
    weights_forward(start, mean, decoder->init[layer], decoder->init_bias[layer]);
    for (int i = 0; i < start.rows; i++) {
        (vec_ops()->tanh)(mat_row(start, i), mat_row(start, i), start.cols);
    }
}

void decoder_start_backward(const Decoder *decoder, int layer, Gradients *g, Mat dmean, Mat dstart,
                            Mat start, Mat mean)
{
    for (int i = 0; i < start.rows; i++) {
        const real *s = mat_row(start, i);
        real *d = mat_row(dstart, i);
        for (int j = 0; j < start.cols; j++) {
            d[j] *= 1 - s[j] * s[j];
        }
    }
    weights_backward_add(dmean, dstart, decoder->init[layer]);
    gradients_note_product(g, decoder->init[layer], decoder->init_bias[layer], dstart, mean);
}

/* Embeds the words and forms their share of the first GRU's input for all steps. */
static void words_forward(const Decoder *decoder, DecoderTape *tape)
{
    const Gru *gru = &decoder->cells[CELL_FIRST];
    if (tape->words.row != NULL) {
        embedding_forward(decoder->embedding, tape->y, tape->words.ids);
        gru_input_shared(gru, &tape->cells[CELL_FIRST], tape->word_products, tape->y,
                         tape->words.row, tape->packing->N);
    } else {
        embedding_forward(decoder->embedding, tape->y, tape->ids);
        dropout_apply(tape->y, tape->y_mask);
        if (tape->y_in_mask.v != NULL) {
            noise_apply_to_sequences(tape->y_in, tape->y, tape->y_in_mask, tape->packing);
        }
        gru_input_forward(gru, &tape->cells[CELL_FIRST], 0, tape->y_in, 0, 1);
    }
    if (decoder->type == DECODER_CONDITIONAL) {
        gru_input_finish(gru, &tape->cells[CELL_FIRST], 0, tape->packing->N);
    }
}

/* c as the GRU reads it, rows first .. first + n - 1. */
static Mat masked_context(DecoderTape *tape, int first, int n)
{
    const Mat in = mat_rows(tape->c_in, first, n);
    if (tape->c_in_mask.v != NULL) {
        mat_copy(in, mat_rows(tape->c, first, n));
        dropout_apply(in, mat_rows(tape->c_in_mask, 0, n));
    }
    return in;
}

/* The context's share of the input of the cell that reads it. */
static void context_forward(const Decoder *decoder, DecoderTape *tape, int first, int n,
                            int is_first_part)
{
    const int k = cell_by_context(decoder);
    if (tape->words.row != NULL) {
        gru_input_known(&decoder->cells[k], &tape->cells[k], first,
                        mat_cols(mat_rows(tape->c, first, n), 0, 3 * decoder->H), is_first_part);
    } else {
        gru_input_forward(&decoder->cells[k], &tape->cells[k], first,
                          masked_context(tape, first, n), is_first_part ? 0 : 1, is_first_part);
    }
}

static void attend(const Decoder *decoder, DecoderTape *tape, const Memory *memory, int first,
                   int n)
{
    attention_step_forward(&decoder->attention, &tape->attention, memory, first,
                           mat_rows(tape->c, first, n), mat_rows(tape->query, first, n),
                           tape->sentence);
}

/* One step of the first layer on rows first .. first + n - 1: state (n, H) is replaced. */
static void step_forward(const Decoder *decoder, DecoderTape *tape, const Memory *memory, int first,
                         int n)
{
    const Mat state = mat_rows(tape->states[0], 0, n), query = mat_rows(tape->query, first, n);
    const int by_context = cell_by_context(decoder);
    const Gru *gru = &decoder->cells[by_context];
    GruTape *cell = &tape->cells[by_context];
    const Mat mask = mat_rows(tape->state_masks[by_context], 0, n);
    if (decoder->type == DECODER_BAHDANAU) {
        /* c_t = attend(s_{t-1});  s_t = GRU([y_{t-1} ; c_t], s_{t-1}) */
        mat_copy(query, state);
        attend(decoder, tape, memory, first, n);
        context_forward(decoder, tape, first, n, 0);
    } else {
        /* s'_t = GRU1(y_{t-1}, s_{t-1});  c_t = attend(s'_t);  s_t = GRU2(c_t, s'_t) */
        gru_step_forward(&decoder->cells[CELL_FIRST], &tape->cells[CELL_FIRST], first, query, state,
                         mat_rows(tape->state_masks[CELL_FIRST], 0, n));
        attend(decoder, tape, memory, first, n);
        context_forward(decoder, tape, first, n, 1);
    }
    gru_input_finish(gru, cell, first, n);
    gru_step_forward(gru, cell, first, state, query, mask);
    for (int k = by_context + 1; k < decoder->n_cells; k++) {
        gru_step_forward(&decoder->cells[k], &tape->cells[k], first, state, state,
                         mat_rows(tape->state_masks[k], 0, n));
    }
    mat_copy(mat_rows(tape->layers[0].s, first, n), state);
}

Mat decoder_forward(const Decoder *decoder, DecoderTape *tape, const Memory *memory)
{
    const Packing *packing = tape->packing;
    words_forward(decoder, tape);
    mat_copy(tape->states[0], tape->start[0]);
    for (int t = 0; t < packing->T; t++) {
        step_forward(decoder, tape, memory, packing->offset[t], packing->active[t]);
    }
    for (int l = 1; l < decoder->n_layers; l++) {
        DecoderLayerTape *layer = &tape->layers[l];
        const Mat below = tape->layers[l - 1].s;
        if (layer->mask.v != NULL) {
            noise_apply_to_sequences(layer->in, below, layer->mask, packing);
        }
        rnn_forward(&decoder->layers[l], &layer->rnn, packing, layer->s, layer->in, tape->start[l]);
        if (decoder->is_residual) {
            mat_add(layer->s, below);
        }
    }
    return tape->layers[decoder->n_layers - 1].s;
}

/* From ds at a further layer's output to the gradient at the output below, in ds. */
static void layer_backward(const Decoder *decoder, DecoderTape *tape, int l, Gradients *g, Mat ds)
{
    DecoderLayerTape *layer = &tape->layers[l];
    const Mat din = tape->ds_in;
    rnn_backward(&decoder->layers[l], &layer->rnn, tape->packing, g, din, 0, tape->dstart[l], ds,
                 layer->in);
    if (layer->mask.v != NULL) {
        noise_apply_to_sequences(din, din, layer->mask, tape->packing);
    }
    if (decoder->is_residual) {
        mat_add(ds, din);
    } else {
        mat_copy(ds, din);
    }
}

/* The way back of one cell of the first layer: tape->ds, the gradient at its new state, becomes
 * that at its old one. The rows beyond n, of sequences that have ended, are zero in both buffers
 * and stay so. */
static void cell_backward(const Decoder *decoder, DecoderTape *tape, int k, int first, int n)
{
    const Mat ds_out = tape->ds;
    gru_step_backward(&decoder->cells[k], &tape->cells[k], first, mat_rows(tape->ds_other, 0, n),
                      mat_rows(ds_out, 0, n), mat_rows(tape->state_masks[k], 0, n));
    tape->ds = tape->ds_other;
    tape->ds_other = ds_out;
}

/* The way back of one step of the first layer: tape->ds goes from the new state to the old one. */
static void step_backward(const Decoder *decoder, DecoderTape *tape, Memory *memory, int first,
                          int n, Mat dc, Mat dweights)
{
    const int is_bahdanau = decoder->type == DECODER_BAHDANAU;
    const int by_context = cell_by_context(decoder);
    for (int k = decoder->n_cells - 1; k >= by_context; k--) {
        cell_backward(decoder, tape, k, first, n);
    }
    /* forward: the cell by_context read c_t, masked */
    const Gru *gru = &decoder->cells[by_context];
    const Mat dc_rows = mat_rows(dc, first, n), dc_in = mat_rows(tape->dc_in, 0, n);
    gru_input_finish_backward(gru, &tape->cells[by_context], first, n);
    gru_input_backward(gru, &tape->cells[by_context], first, dc_in, is_bahdanau ? 1 : 0, 0);
    dropout_apply(dc_in, mat_rows(tape->c_in_mask, 0, n));
    mat_add(dc_rows, dc_in);
    /* forward: c_t = attend(query); tape->ds is the gradient at the query state */
    attention_step_backward(&decoder->attention, &tape->attention, memory, first,
                            mat_rows(tape->ds, 0, n), dc_rows, mat_rows(dweights, first, n),
                            mat_rows(tape->query, first, n), tape->sentence);
    if (!is_bahdanau) {
        cell_backward(decoder, tape, CELL_FIRST, first, n);
    }
}

/* The words' share of the first GRU, the embedding, and the notes of the first layer's gradients.
 */
static void words_backward(const Decoder *decoder, DecoderTape *tape, Gradients *g, Mat dy)
{
    const Gru *gru = &decoder->cells[CELL_FIRST];
    GruTape *cell = &tape->cells[CELL_FIRST];
    const int is_bahdanau = decoder->type == DECODER_BAHDANAU;
    if (!is_bahdanau) {
        gru_input_finish_backward(gru, cell, 0, tape->packing->N);
    }
    gru_input_backward(gru, cell, 0, tape->dy_in, 0, 0);
    if (tape->y_in_mask.v != NULL) {
        noise_apply_to_sequences(tape->dy_in, tape->dy_in, tape->y_in_mask, tape->packing);
    }
    mat_add(dy, tape->dy_in);
    dropout_apply(dy, tape->y_mask);
    embedding_backward(decoder->embedding, g, dy, tape->ids);
    gru_note_input(gru, cell, g, tape->y_in, 0);
    const int by_context = cell_by_context(decoder);
    gru_note_input(&decoder->cells[by_context], &tape->cells[by_context], g, tape->c_in,
                   is_bahdanau ? 1 : 0);
    for (int k = 0; k < decoder->n_cells; k++) {
        gru_note_state(&decoder->cells[k], &tape->cells[k], g);
    }
    attention_note(&decoder->attention, &tape->attention, g, tape->query);
}

void decoder_backward(const Decoder *decoder, DecoderTape *tape, Memory *memory, Gradients *g,
                      Mat ds, Mat dc, Mat dy, Mat dweights)
{
    const Packing *packing = tape->packing;
    for (int l = decoder->n_layers - 1; l > 0; l--) {
        layer_backward(decoder, tape, l, g, ds);
    }
    mat_zero(tape->ds);
    mat_zero(tape->ds_other);
    for (int t = packing->T - 1; t >= 0; t--) {
        const int first = packing->offset[t], n = packing->active[t];
        mat_add(mat_rows(tape->ds, 0, n), mat_rows(ds, first, n));
        step_backward(decoder, tape, memory, first, n, dc, dweights);
    }
    mat_copy(tape->dstart[0], tape->ds);
    words_backward(decoder, tape, g, dy);
}

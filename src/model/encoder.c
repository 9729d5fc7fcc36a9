/* The encoder; see the header. */
#include "model/encoder.h"

#include <stdio.h>

#include "math/vec.h"
#include "nn/embedding.h"

Status encoder_create(Encoder *encoder, ParamList *params, const Config *config,
                      const Param *embedding, Error *err)
{
    const int H = config->hidden;
    *encoder = (Encoder){.n_layers = config->encoder_layers,
                         .H = H,
                         .is_residual = config->is_residual,
                         .embedding = embedding};
    for (int l = 0; l < encoder->n_layers; l++) {
        char name[PARAM_NAME_CAP];
        const int X = l == 0 ? config->embedding : 2 * H;
        (void)snprintf(name, sizeof name, "encoder.layer%d.forward", l);
        TRY(rnn_create(&encoder->forward[l], params, name, X, H, config->encoder_depth, 0,
                       config->is_normalized, err));
        (void)snprintf(name, sizeof name, "encoder.layer%d.backward", l);
        TRY(rnn_create(&encoder->backward[l], params, name, X, H, config->encoder_depth, 1,
                       config->is_normalized, err));
    }
    return OK;
}

static Status layer_tape_alloc(EncoderLayerTape *layer, const Encoder *encoder, int l, Mat below,
                               Arena *arena, const Packing *packing, int is_training, Noise *noise,
                               Error *err)
{
    const double rate = noise == NULL ? 0 : noise->rates.input;
    TRY(noise_mask(&layer->mask, arena, rate, packing->B, below.cols, noise, err));
    layer->in = below;
    if (layer->mask.v != NULL) {
        TRY(mat_alloc(&layer->in, arena, packing->N, below.cols, err));
    }
    TRY(rnn_tape_alloc(&layer->forward, &encoder->forward[l], arena, packing, is_training, noise,
                       err));
    TRY(rnn_tape_alloc(&layer->backward, &encoder->backward[l], arena, packing, is_training, noise,
                       err));
    return mat_alloc(&layer->h, arena, packing->N, 2 * encoder->H, err);
}

Status encoder_tape_alloc(EncoderTape *tape, const Encoder *encoder, Arena *arena,
                          const Packing *packing, const int *ids, int is_training, Noise *noise,
                          Error *err)
{
    const int N = packing->N, B = packing->B, E = encoder->embedding->val.cols, H = encoder->H;
    EncoderTape t = {.packing = packing};
    TRY(noise_words(&t.ids, arena, noise == NULL ? 0 : noise->rates.source_word, ids, N, noise,
                    err));
    if (is_training) {
        TRY(mat_alloc(&t.x, arena, N, E, err));
    } else {
        TRY(distinct_create(&t.words, ids, N, arena, err));
        TRY(mat_alloc(&t.x, arena, t.words.n, E, err));
        TRY(mat_alloc(&t.word_products, arena, t.words.n, 3 * H, err));
    }
    TRY(noise_mask(&t.x_mask, arena, noise == NULL ? 0 : noise->rates.embedding, N, E, noise, err));
    Mat below = t.x;
    for (int l = 0; l < encoder->n_layers; l++) {
        TRY(layer_tape_alloc(&t.layers[l], encoder, l, below, arena, packing, is_training, noise,
                             err));
        below = t.layers[l].h;
    }
    TRY(mat_alloc(&t.mean, arena, B, 2 * H, err));
    if (is_training) {
        TRY(mat_alloc_zero(&t.dmean, arena, B, 2 * H, err));
        TRY(mat_alloc(&t.dx, arena, N, E > 2 * H ? E : 2 * H, err));
    }
    *tape = t;
    return OK;
}

static void layer_forward(const Encoder *encoder, EncoderTape *tape, int l, Mat below)
{
    EncoderLayerTape *layer = &tape->layers[l];
    if (layer->mask.v != NULL) {
        noise_apply_to_sequences(layer->in, below, layer->mask, tape->packing);
    }
    const Mat none = {0};
    rnn_forward(&encoder->forward[l], &layer->forward, tape->packing,
                mat_cols(layer->h, 0, encoder->H), layer->in, none);
    rnn_forward(&encoder->backward[l], &layer->backward, tape->packing,
                mat_cols(layer->h, encoder->H, encoder->H), layer->in, none);
    if (encoder->is_residual && l > 0) {
        mat_add(layer->h, below);
    }
}

/* The first layer where nothing goes back: x has each different word once. */
static void words_forward(const Encoder *encoder, EncoderTape *tape)
{
    EncoderLayerTape *layer = &tape->layers[0];
    const Mat none = {0};
    embedding_forward(encoder->embedding, tape->x, tape->words.ids);
    rnn_forward_shared(&encoder->forward[0], &layer->forward, tape->packing,
                       mat_cols(layer->h, 0, encoder->H), tape->word_products, tape->x,
                       tape->words.row, none);
    rnn_forward_shared(&encoder->backward[0], &layer->backward, tape->packing,
                       mat_cols(layer->h, encoder->H, encoder->H), tape->word_products, tape->x,
                       tape->words.row, none);
}

/* mean_b = sum_s h_s / length_b */
static void mean_forward(Mat mean, Mat h, const Packing *packing)
{
    mat_zero(mean);
    for (int t = 0; t < packing->T; t++) {
        for (int b = 0; b < packing->active[t]; b++) {
            vec_ops()->add(mat_row(mean, b), mat_row(h, packing_row(packing, t, b)), h.cols);
        }
    }
    for (int b = 0; b < packing->B; b++) {
        vec_ops()->scale(mat_row(mean, b), 1 / (real)packing->length[b], mean.cols);
    }
}

static void mean_backward(Mat dh, Mat dmean, const Packing *packing)
{
    for (int t = 0; t < packing->T; t++) {
        for (int b = 0; b < packing->active[t]; b++) {
            vec_ops()->axpy(mat_row(dh, packing_row(packing, t, b)), 1 / (real)packing->length[b],
                            mat_row(dmean, b), dh.cols);
        }
    }
}

Mat encoder_forward(const Encoder *encoder, EncoderTape *tape)
{
    if (tape->words.row != NULL) {
        words_forward(encoder, tape);
    } else {
        embedding_forward(encoder->embedding, tape->x, tape->ids);
        dropout_apply(tape->x, tape->x_mask);
        layer_forward(encoder, tape, 0, tape->x);
    }
    Mat below = tape->layers[0].h;
    for (int l = 1; l < encoder->n_layers; l++) {
        layer_forward(encoder, tape, l, below);
        below = tape->layers[l].h;
    }
    mean_forward(tape->mean, below, tape->packing);
    return below;
}

/* From dh, the gradient at the layer's h, to dx at what it read. */
static void layer_backward(const Encoder *encoder, EncoderTape *tape, int l, Gradients *g, Mat dx,
                           Mat dh)
{
    EncoderLayerTape *layer = &tape->layers[l];
    const Mat none = {0};
    rnn_backward(&encoder->forward[l], &layer->forward, tape->packing, g, dx, 0, none,
                 mat_cols(dh, 0, encoder->H), layer->in);
    rnn_backward(&encoder->backward[l], &layer->backward, tape->packing, g, dx, 1, none,
                 mat_cols(dh, encoder->H, encoder->H), layer->in);
    if (layer->mask.v != NULL) {
        noise_apply_to_sequences(dx, dx, layer->mask, tape->packing);
    }
    if (encoder->is_residual && l > 0) {
        mat_add(dx, dh);
    }
}

void encoder_backward(const Encoder *encoder, EncoderTape *tape, Gradients *g, Mat dh)
{
    mean_backward(dh, tape->dmean, tape->packing);
    for (int l = encoder->n_layers - 1; l > 0; l--) {
        const Mat dx = mat(tape->dx.v, dh.rows, dh.cols);
        layer_backward(encoder, tape, l, g, dx, dh);
        mat_copy(dh, dx);
    }
    const Mat dx = mat(tape->dx.v, dh.rows, tape->x.cols);
    layer_backward(encoder, tape, 0, g, dx, dh);
    dropout_apply(dx, tape->x_mask);
    embedding_backward(encoder->embedding, g, dx, tape->ids);
}

/* The whole network; see the header. */
#include "model/seq2seq.h"

#include "base/mem.h"
#include "math/vec.h"

static Status add_embeddings(Seq2Seq *model, Param **source, Param **target, Error *err)
{
    const Config *c = &model->config;
    *source = NULL;
    if (!c->is_shared) {
        TRY(params_add(model->params, source, INIT_EMBEDDING, c->source_vocab, c->embedding, err,
                       "encoder.embedding.weight"));
    }
    TRY(params_add(model->params, target, INIT_EMBEDDING, c->target_vocab, c->embedding, err,
                   "decoder.embedding.weight"));
    *source = *source == NULL ? *target : *source;
    return OK;
}

static Status create_parts(Seq2Seq *model, Error *err)
{
    const Config *c = &model->config;
    Param *source, *target;
    TRY(params_create(&model->params, err));
    TRY(add_embeddings(model, &source, &target, err));
    TRY(encoder_create(&model->encoder, model->params, c, source, err));
    TRY(decoder_create(&model->decoder, model->params, c, target, err));
    return readout_create(&model->readout, model->params, c->embedding, c->hidden, c->target_vocab,
                          c->is_tied ? target : NULL, c->is_normalized, err);
}

Status seq2seq_declare(Seq2Seq **out, const Config *config, Error *err)
{
    *out = NULL;
    TRY(config_check(config, err));
    Seq2Seq *model = mem_zero_alloc(1, sizeof *model);
    if (model == NULL) {
        return mem_fail(err, "a model", 1, sizeof *model);
    }
    gemm_use_one_thread();
    model->config = *config;
    const Status status = create_parts(model, err);
    if (status != OK) {
        seq2seq_free(model);
        return status;
    }
    *out = model;
    return OK;
}

Status seq2seq_create(Seq2Seq **out, const Config *config, int with_gradients, Error *err)
{
    Seq2Seq *model;
    TRY(seq2seq_declare(&model, config, err));
    const Status status = params_allocate(model->params, with_gradients, err);
    if (status != OK) {
        seq2seq_free(model);
        return status;
    }
    *out = model;
    return OK;
}

void seq2seq_free(Seq2Seq *model)
{
    if (model != NULL) {
        params_free(model->params);
        mem_free(model);
    }
}

static Status alloc_gradients(Seq2SeqTape *t, const Seq2Seq *model, Arena *arena, Error *err)
{
    const int Nt = t->batch->target.N, H = model->config.hidden;
    TRY(mat_alloc(&t->ds, arena, Nt, H, err));
    TRY(mat_alloc(&t->dc, arena, Nt, 2 * H, err));
    TRY(mat_alloc(&t->dy, arena, Nt, model->config.embedding, err));
    for (int l = 0; l < model->config.decoder_layers; l++) {
        TRY(mat_alloc_zero(&t->dstart[l], arena, t->batch->source.B, H, err));
    }
    return OK;
}

static Memory memory_of(const Batch *batch, Mat h)
{
    return (Memory){
        .h = h, .S = batch->source.T, .position = batch->position, .length = batch->source.length};
}

/* Takes and forms memory->products; see nn/attention.h. */
static Status products_alloc(Memory *memory, const Seq2Seq *model, Arena *arena, int N, Error *err)
{
    return mat_alloc(&memory->products, arena, N, decoder_products(&model->decoder), err);
}

static void products_forward(const Seq2Seq *model, Memory *memory)
{
    const int G = 3 * model->config.hidden, E = model->readout.E;
    weights_forward(mat_cols(memory->products, 0, G), memory->h,
                    decoder_context_weights(&model->decoder), NULL);
    weights_forward(mat_cols(memory->products, G, E), memory->h, model->readout.context, NULL);
}

/* From the decoder's top output s to o; y_product (words, E) is scratch where nothing goes back. */
static void read_out(const Seq2Seq *model, ReadoutTape *tape, const DecoderTape *d, Mat s,
                     Mat y_product)
{
    const Readout *readout = &model->readout;
    if (d->words.row == NULL) {
        readout_forward(readout, tape, s, d->y, d->c);
        return;
    }
    weights_forward(y_product, d->y, readout->input, NULL);
    readout_forward_known(readout, tape, s, y_product, d->words.row,
                          mat_cols(d->c, 3 * model->config.hidden, readout->E));
}

Status seq2seq_states_alloc(Seq2SeqTape *tape, const Seq2Seq *model, Arena *arena,
                            const Batch *batch, int is_training, Noise *noise, Error *err)
{
    const Config *c = &model->config;
    Seq2SeqTape t = {.batch = batch};
    TRY(encoder_tape_alloc(&t.encoder, &model->encoder, arena, &batch->source, batch->source_ids,
                           is_training, noise, err));
    TRY(decoder_tape_alloc(&t.decoder, &model->decoder, arena, &batch->target, batch->input_ids,
                           batch->sentence, batch->source.T, is_training, noise, err));
    const double rate = noise == NULL ? 0 : noise->rates.readout;
    TRY(readout_tape_alloc(&t.readout, &model->readout, arena, batch->target.N, is_training,
                           rate > 0, err));
    if (rate > 0) {
        dropout_mask(t.readout.mask, rate, &noise->rng);
    }
    t.memory = memory_of(batch, (Mat){0});
    TRY(memory_alloc(&t.memory, &model->decoder.attention, arena, batch->source.N, is_training,
                     err));
    for (int l = 0; l < c->decoder_layers; l++) {
        TRY(mat_alloc(&t.start[l], arena, batch->source.B, c->hidden, err));
    }
    if (is_training) {
        TRY(alloc_gradients(&t, model, arena, err));
    } else {
        TRY(products_alloc(&t.memory, model, arena, batch->source.N, err));
        TRY(mat_alloc(&t.y_product, arena, t.decoder.words.n, model->readout.E, err));
    }
    *tape = t;
    return OK;
}

Status seq2seq_tape_alloc(Seq2SeqTape *tape, const Seq2Seq *model, Arena *arena, const Batch *batch,
                          int is_training, Noise *noise, Error *err)
{
    TRY(seq2seq_states_alloc(tape, model, arena, batch, is_training, noise, err));
    return readout_logits_alloc(&tape->readout, &model->readout, arena, err);
}

void seq2seq_states_forward(const Seq2Seq *model, Seq2SeqTape *tape)
{
    const Decoder *decoder = &model->decoder;
    const Batch *batch = tape->batch;
    tape->h = encoder_forward(&model->encoder, &tape->encoder);
    tape->memory.h = tape->h;
    attention_keys_forward(&decoder->attention, &tape->memory);
    if (tape->memory.products.v != NULL) {
        products_forward(model, &tape->memory);
    }
    for (int l = 0; l < decoder->n_layers; l++) {
        decoder_start(decoder, l, tape->start[l], tape->encoder.mean);
        for (int r = 0; r < batch->target.B; r++) {
            mat_copy(mat_rows(tape->decoder.start[l], r, 1),
                     mat_rows(tape->start[l], batch->sentence[r], 1));
        }
    }
    tape->s = decoder_forward(decoder, &tape->decoder, &tape->memory);
    read_out(model, &tape->readout, &tape->decoder, tape->s, tape->y_product);
}

void seq2seq_forward(const Seq2Seq *model, Seq2SeqTape *tape)
{
    seq2seq_states_forward(model, tape);
    readout_logits_forward(&model->readout, &tape->readout);
}

void seq2seq_backward(const Seq2Seq *model, Seq2SeqTape *tape, Gradients *g, Mat dweights)
{
    const Decoder *decoder = &model->decoder;
    const Batch *batch = tape->batch;
    DecoderTape *d = &tape->decoder;
    readout_backward(&model->readout, &tape->readout, g, tape->ds, tape->dy, tape->dc, tape->s,
                     d->y, d->c);
    decoder_backward(decoder, d, &tape->memory, g, tape->ds, tape->dc, tape->dy, dweights);
    for (int l = 0; l < decoder->n_layers; l++) {
        for (int r = 0; r < batch->target.B; r++) {
            mat_add(mat_rows(tape->dstart[l], batch->sentence[r], 1), mat_rows(d->dstart[l], r, 1));
        }
        decoder_start_backward(decoder, l, g, tape->encoder.dmean, tape->dstart[l], tape->start[l],
                               tape->encoder.mean);
    }
    attention_keys_backward(&decoder->attention, &tape->memory, g);
    encoder_backward(&model->encoder, &tape->encoder, g, tape->memory.dh);
}

Status seq2seq_encode(const Seq2Seq *model, Encoded *out, const IdPair *pairs, int n, Arena *arena,
                      Error *err)
{
    const Config *c = &model->config;
    /* Its batch is pointed to while the encoder runs. */
    Encoded e = {0};
    EncoderTape tape;
    TRY(batch_create(&e.batch, pairs, n, c->source_vocab, c->target_vocab, arena, err));
    TRY(encoder_tape_alloc(&tape, &model->encoder, arena, &e.batch.source, e.batch.source_ids, 0,
                           NULL, err));
    e.memory = memory_of(&e.batch, (Mat){0});
    TRY(memory_alloc(&e.memory, &model->decoder.attention, arena, e.batch.source.N, 0, err));
    TRY(products_alloc(&e.memory, model, arena, e.batch.source.N, err));
    for (int l = 0; l < c->decoder_layers; l++) {
        TRY(mat_alloc(&e.start[l], arena, n, c->hidden, err));
    }
    e.memory.h = encoder_forward(&model->encoder, &tape);
    attention_keys_forward(&model->decoder.attention, &e.memory);
    products_forward(model, &e.memory);
    for (int l = 0; l < c->decoder_layers; l++) {
        decoder_start(&model->decoder, l, e.start[l], tape.mean);
    }
    *out = e;
    return OK;
}

Status seq2seq_screen(Seq2Seq *model, Threads *threads, Error *err)
{
    return params_screen(model->readout.output, threads, err);
}

/* A packing of one step for R rows. */
static Status one_step(Packing *out, int R, Arena *arena, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, (size_t)R, sizeof(int), err));
    int *ones = block;
    for (int r = 0; r < R; r++) {
        ones[r] = 1;
    }
    return packing_create(out, ones, R, arena, err);
}

Status seq2seq_step(const Seq2Seq *model, StepResult *out, const Encoded *encoded, int R,
                    const int *word, const int *sentence, const Mat *states, Arena *arena,
                    Error *err)
{
    Packing packing;
    DecoderTape tape;
    ReadoutTape readout;
    const Decoder *decoder = &model->decoder;
    TRY(one_step(&packing, R, arena, err));
    TRY(decoder_tape_alloc(&tape, decoder, arena, &packing, word, sentence, encoded->memory.S, 0,
                           NULL, err));
    TRY(readout_tape_alloc(&readout, &model->readout, arena, R, 0, 0, err));
    Mat y_product;
    TRY(mat_alloc(&y_product, arena, tape.words.n, model->readout.E, err));
    for (int l = 0; l < decoder->n_layers; l++) {
        tape.start[l] = states[l];
    }
    const Mat s = decoder_forward(decoder, &tape, &encoded->memory);
    read_out(model, &readout, &tape, s, y_product);
    *out = (StepResult){.readout = readout, .attention = tape.attention.weights};
    for (int l = 0; l < decoder->n_layers; l++) {
        out->states[l] = tape.states[l];
    }
    return OK;
}

Status seq2seq_logits(const Seq2Seq *model, StepResult *step, Arena *arena, Error *err)
{
    TRY(readout_logits_alloc(&step->readout, &model->readout, arena, err));
    readout_logits_forward(&model->readout, &step->readout);
    return OK;
}

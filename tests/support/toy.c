/* A small network; see the header. */
#include "support/toy.h"

#include <check.h>

#include "base/mem.h"
#include "nn/init.h"

Config toy_config(void)
{
    return (Config){.source_vocab = 9,
                    .target_vocab = 8,
                    .embedding = 3,
                    .hidden = 4,
                    .attention_size = 5,
                    .encoder_layers = 1,
                    .decoder_layers = 1,
                    .encoder_depth = 1,
                    .decoder_depth = 0,
                    .attention = ATTENTION_ADDITIVE,
                    .decoder = DECODER_CONDITIONAL};
}

Seq2Seq *toy_model(const Config *config, uint64_t seed)
{
    Seq2Seq *model;
    Error err;
    ck_assert_msg(seq2seq_create(&model, config, 1, &err) == OK, "%s", err.message);
    Rng rng = rng_stream(seed, 0, 0);
    for (int i = 0; i < model->params->n; i++) {
        Param *p = &model->params->items[i];
        const double base = p->init == INIT_ONE ? 1 : 0;
        for (int j = 0; j < p->val.rows * p->val.cols; j++) {
            p->val.v[j] = (real)(base + 0.5 * rng_normal(&rng));
        }
    }
    params_pack(model->params, NULL);
    return model;
}

const IdPair *toy_pairs(void)
{
    static const int x0[] = {4, 5, 6, 7, 8}, x1[] = {5}, x2[] = {8, 4, 4};
    static const int y0[] = {4, 5}, y1[] = {7, 6, 5, 4}, y2[] = {3};
    static const IdPair pairs[TOY_PAIRS] = {{x0, y0, 5, 2}, {x1, y1, 1, 4}, {x2, y2, 3, 1}};
    return pairs;
}

/* A loss on the weights themselves: sum of g * a with fixed g; sets dweights to g. */
static double guide(Mat dweights, const AttentionTape *tape, const Batch *batch)
{
    double sum = 0;
    mat_zero(dweights);
    for (int t = 0; t < batch->target.T; t++) {
        for (int r = 0; r < batch->target.active[t]; r++) {
            const int row = packing_row(&batch->target, t, r);
            for (int s = 0; s < batch->source.length[batch->sentence[r]]; s++) {
                const real g = (real)((row * 7 + s * 3) % 5) / 4;
                mat_row(dweights, row)[s] = g;
                sum += (double)(g * mat_row(tape->weights, row)[s]);
            }
        }
    }
    return sum;
}

double toy_loss(const ToyRun *run, int with_gradients)
{
    Arena *arena;
    Error err;
    Batch batch;
    Seq2SeqTape tape;
    const Config *c = &run->model->config;
    Noise noise = {.rng = rng_stream(5, 0, 0)};
    if (run->rates != NULL) {
        noise.rates = *run->rates;
    }
    params_pack(run->model->params, NULL);
    ck_assert_int_eq(arena_create(&arena, 0, &err), OK);
    ck_assert_int_eq(batch_create(&batch, run->pairs, run->n_pairs, c->source_vocab,
                                  c->target_vocab, arena, &err),
                     OK);
    ck_assert_int_eq(seq2seq_tape_alloc(&tape, run->model, arena, &batch, 1,
                                        run->rates == NULL ? NULL : &noise, &err),
                     OK);
    seq2seq_forward(run->model, &tape);
    Loss loss = {0};
    if (run->pair_weight > 0) {
        loss_pairs_forward_backward(&loss, tape.readout.logits, batch.output_ids, run->eps,
                                    run->pair_weight);
    } else {
        loss_forward_backward(&loss, tape.readout.logits, batch.output_ids, run->eps);
    }
    Mat dweights = {0};
    if (run->has_guide) {
        ck_assert_int_eq(mat_alloc(&dweights, arena, batch.target.N, batch.source.T, &err), OK);
        loss.smoothed += guide(dweights, &tape.decoder.attention, &batch);
    }
    if (with_gradients) {
        Gradients *g = mem_zero_alloc(1, sizeof *g);
        for (int i = 0; i < run->model->params->n; i++) {
            mat_zero(run->model->params->items[i].grad);
        }
        seq2seq_backward(run->model, &tape, g, dweights);
        gradients_form_all(run->model->params, g);
        mem_free(g);
    }
    arena_free(arena);
    return loss.smoothed;
}

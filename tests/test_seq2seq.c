/* The whole network: numeric gradients of every element in every variant, and sums over sentences.
 */
#include "model/seq2seq.h"

#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"
#include "support/gradcheck.h"
#include "support/toy.h"

#ifdef REAL_IS_DOUBLE

static double loss_only(void *context)
{
    return toy_loss(context, 0);
}

static void expect_gradients(const Config *config, ToyRun run)
{
    run.model = toy_model(config, 3);
    if (run.pairs == NULL) {
        run.pairs = toy_pairs();
        run.n_pairs = TOY_PAIRS;
    }
    (void)toy_loss(&run, 1);
    ck_assert_int_eq(gradcheck_params(run.model->params, loss_only, &run), 0);
    seq2seq_free(run.model);
}

START_TEST(gradients_of_both_decoders_and_all_attentions)
{
    for (int decoder = 0; decoder <= DECODER_BAHDANAU; decoder++) {
        for (int attention = 0; attention <= ATTENTION_NONE; attention++) {
            Config c = toy_config();
            c.decoder = (DecoderType)decoder;
            c.attention = (AttentionType)attention;
            expect_gradients(&c, (ToyRun){.eps = 0.1});
        }
    }
}
END_TEST

START_TEST(gradients_of_layers_depth_residual_and_tying)
{
    Config c = toy_config();
    c.encoder_layers = 2;
    c.decoder_layers = 3;
    c.encoder_depth = 2;
    c.decoder_depth = 1;
    c.is_residual = 1;
    c.is_tied = 1;
    for (int decoder = 0; decoder <= DECODER_BAHDANAU; decoder++) {
        c.decoder = (DecoderType)decoder;
        expect_gradients(&c, (ToyRun){.eps = 0});
    }
    c.is_residual = 0;
    c.is_shared = 1;
    c.target_vocab = c.source_vocab;
    expect_gradients(&c, (ToyRun){.eps = 0.2});
}
END_TEST

START_TEST(gradients_with_layer_normalization)
{
    Config c = toy_config();
    c.is_normalized = 1;
    c.encoder_depth = 2;
    c.decoder_depth = 1;
    c.decoder_layers = 2;
    for (int decoder = 0; decoder <= DECODER_BAHDANAU; decoder++) {
        c.decoder = (DecoderType)decoder;
        expect_gradients(&c, (ToyRun){.eps = 0.1});
    }
}
END_TEST

START_TEST(gradients_with_every_dropout)
{
    Config c = toy_config();
    c.decoder_layers = c.encoder_layers = 2;
    c.encoder_depth = 2;
    c.decoder_depth = 1;
    const NoiseRates rates = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    for (int decoder = 0; decoder <= DECODER_BAHDANAU; decoder++) {
        for (int norm = 0; norm < 2; norm++) {
            c.decoder = (DecoderType)decoder;
            c.is_normalized = norm;
            expect_gradients(&c, (ToyRun){.eps = 0.1, .rates = &rates});
        }
    }
}
END_TEST

START_TEST(gradients_of_each_dropout_alone)
{
    const Config c = toy_config();
    for (int i = 0; i < 6; i++) {
        double rate[6] = {0};
        rate[i] = 0.5;
        const NoiseRates rates = {rate[0], rate[1], rate[2], rate[3], rate[4], rate[5]};
        expect_gradients(&c, (ToyRun){.eps = 0.1, .rates = &rates});
    }
}
END_TEST

START_TEST(gradients_of_r_drop_and_of_guided_attention)
{
    const Config c = toy_config();
    IdPair twice[2 * TOY_PAIRS];
    for (int i = 0; i < 2 * TOY_PAIRS; i++) {
        twice[i] = toy_pairs()[i / 2];
    }
    const NoiseRates rates = {.input = 0.3, .readout = 0.3, .target_word = 0.2};
    expect_gradients(&c, (ToyRun){.pairs = twice,
                                  .n_pairs = 2 * TOY_PAIRS,
                                  .eps = 0.1,
                                  .rates = &rates,
                                  .pair_weight = 2});
    Config other = c;
    for (int attention = 0; attention < ATTENTION_NONE; attention++) {
        other.attention = (AttentionType)attention;
        expect_gradients(&other, (ToyRun){.eps = 0.1, .has_guide = 1});
    }
}
END_TEST

START_TEST(gradients_of_large_keys_and_queries)
{
    /* Beyond the limit of the product of exponentials the tanh takes over. */
    ToyRun run = {.pairs = toy_pairs(), .n_pairs = TOY_PAIRS, .eps = 0.1};
    const Config c = toy_config();
    run.model = toy_model(&c, 3);
    Param *bias = params_find(run.model->params, "attention.bias");
    bias->val.v[0] = 60;
    bias->val.v[2] = -42;
    (void)toy_loss(&run, 1);
    ck_assert_int_eq(gradcheck_params(run.model->params, loss_only, &run), 0);
    seq2seq_free(run.model);
}
END_TEST

START_TEST(gradients_of_sizes_of_one)
{
    Config c = toy_config();
    c.embedding = c.hidden = c.attention_size = 1;
    expect_gradients(&c, (ToyRun){.eps = 0.1});
}
END_TEST

#endif

/* A batch of the pairs gives the sum of each alone: nothing leaks between sentences. */
START_TEST(a_batch_is_the_sum_of_its_sentences)
{
    Config c = toy_config();
    c.encoder_layers = c.decoder_layers = 2;
    const double tolerance = sizeof(real) == 8 ? 1e-12 : 1e-4;
    ToyRun run = {
        .model = toy_model(&c, 4), .pairs = toy_pairs(), .n_pairs = TOY_PAIRS, .eps = 0.1};
    ParamList *params = run.model->params;
    real *sum = mem_zero_alloc(params->count, sizeof *sum);
    double loss = 0;
    for (int i = 0; i < TOY_PAIRS; i++) {
        ToyRun alone = run;
        alone.pairs = run.pairs + i;
        alone.n_pairs = 1;
        loss += toy_loss(&alone, 1);
        for (size_t j = 0; j < params->count; j++) {
            sum[j] += params->grads[j];
        }
    }
    ck_assert_double_eq_tol(toy_loss(&run, 1), loss, tolerance * fabs(loss));
    for (size_t j = 0; j < params->count; j++) {
        ck_assert_double_eq_tol((double)sum[j], (double)params->grads[j], tolerance);
    }
    mem_free(sum);
    seq2seq_free(run.model);
}
END_TEST

/* One word at a time with seq2seq_step gives the bits of the whole run, alone or in company. */
START_TEST(steps_equal_the_whole_run)
{
    Config c = toy_config();
    c.encoder_layers = c.decoder_layers = 2;
    Seq2Seq *model = toy_model(&c, 4);
    Error err;
    Arena *arena;
    Batch batch;
    Seq2SeqTape tape;
    ck_assert_int_eq(arena_create(&arena, 0, &err), OK);
    ck_assert_int_eq(
        batch_create(&batch, toy_pairs(), TOY_PAIRS, c.source_vocab, c.target_vocab, arena, &err),
        OK);
    ck_assert_int_eq(seq2seq_tape_alloc(&tape, model, arena, &batch, 0, NULL, &err), OK);
    seq2seq_forward(model, &tape);
    for (int r = 0; r < TOY_PAIRS; r++) {
        Encoded encoded;
        const int zero = 0;
        ck_assert_int_eq(
            seq2seq_encode(model, &encoded, &toy_pairs()[batch.target_pair[r]], 1, arena, &err),
            OK);
        Mat states[CONFIG_MAX_LAYERS];
        memcpy(states, encoded.start, sizeof states);
        for (int t = 0; t < batch.target.length[r]; t++) {
            StepResult result;
            const int row = packing_row(&batch.target, t, r);
            ck_assert_int_eq(seq2seq_step(model, &result, &encoded, 1, &batch.input_ids[row], &zero,
                                          states, arena, &err),
                             OK);
            ck_assert_int_eq(seq2seq_logits(model, &result, arena, &err), OK);
            ck_assert_mem_eq(result.readout.logits.v, mat_row(tape.readout.logits, row),
                             (size_t)c.target_vocab * sizeof(real));
            ck_assert_mem_eq(result.attention.v, mat_row(tape.decoder.attention.weights, row),
                             (size_t)encoded.batch.source.T * sizeof(real));
            memcpy(states, result.states, sizeof states);
        }
    }
    arena_free(arena);
    seq2seq_free(model);
}
END_TEST

/* Where nothing goes back words and contexts are multiplied elsewhere; the logits agree with those
 * of training. */
START_TEST(training_and_translating_give_the_same_logits)
{
    Config c = toy_config();
    c.decoder = _i % 2 == 0 ? DECODER_BAHDANAU : DECODER_CONDITIONAL;
    c.is_normalized = _i / 2 % 2;
    c.attention = _i / 4 == 0 ? ATTENTION_ADDITIVE : ATTENTION_NONE;
    Seq2Seq *model = toy_model(&c, 5);
    Arena *arena;
    Batch batch;
    Seq2SeqTape tapes[2];
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(
        batch_create(&batch, toy_pairs(), TOY_PAIRS, c.source_vocab, c.target_vocab, arena, NULL),
        OK);
    for (int is_training = 0; is_training < 2; is_training++) {
        ck_assert_int_eq(
            seq2seq_tape_alloc(&tapes[is_training], model, arena, &batch, is_training, NULL, NULL),
            OK);
        seq2seq_forward(model, &tapes[is_training]);
    }
    for (int i = 0; i < batch.target.N; i++) {
        for (int v = 0; v < c.target_vocab; v++) {
            ck_assert_double_eq_tol((double)mat_row(tapes[0].readout.logits, i)[v],
                                    (double)mat_row(tapes[1].readout.logits, i)[v], 1e-5);
        }
    }
    arena_free(arena);
    seq2seq_free(model);
}
END_TEST

#ifdef REAL_IS_DOUBLE
#define GRADIENT_TESTS                                                                             \
    tcase_add_test(c, gradients_of_both_decoders_and_all_attentions);                              \
    tcase_add_test(c, gradients_of_layers_depth_residual_and_tying);                               \
    tcase_add_test(c, gradients_with_layer_normalization);                                         \
    tcase_add_test(c, gradients_with_every_dropout);                                               \
    tcase_add_test(c, gradients_of_each_dropout_alone);                                            \
    tcase_add_test(c, gradients_of_r_drop_and_of_guided_attention);                                \
    tcase_add_test(c, gradients_of_large_keys_and_queries);                                        \
    tcase_add_test(c, gradients_of_sizes_of_one);
#else
#define GRADIENT_TESTS
#endif

TEST_MAIN("seq2seq", GRADIENT_TESTS tcase_add_test(c, a_batch_is_the_sum_of_its_sentences);
          tcase_add_test(c, steps_equal_the_whole_run);
          tcase_add_loop_test(c, training_and_translating_give_the_same_logits, 0, 8);)

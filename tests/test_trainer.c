/* Training: the same bits for any number of threads and over an interruption, skipped updates,
 * budgets. */
#include "train/trainer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "support/check_main.h"

enum { N_PAIRS = 120 };

/* "a b c" to "c b a" over ten words, lengths 1 to 7. */
static void write_pairs(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < N_PAIRS; i++) {
        const int n = 1 + i % 7;
        for (int j = 0; j < n; j++) {
            (void)fprintf(file, "%sw%d", j == 0 ? "" : " ", (i * 7 + j * 3) % 10);
        }
        for (int j = n - 1; j >= 0; j--) {
            (void)fprintf(file, "%sw%d", j == n - 1 ? "\t" : " ", (i * 7 + j * 3) % 10);
        }
        (void)fputc('\n', file);
    }
    ck_assert_int_eq(fclose(file), 0);
}

typedef struct Fixture {
    char pairs[64], model[64];
    Corpus *train, *valid;
    Recipe recipe;
} Fixture;

static Fixture fixture(void)
{
    Fixture f = {.recipe = {.config = {.embedding = 12,
                                       .hidden = 16,
                                       .attention_size = 8,
                                       .encoder_layers = 1,
                                       .decoder_layers = 1,
                                       .encoder_depth = 1},
                            .tokenizer = {.kind = TOKENIZER_SPACE,
                                          .vocab_size = 100,
                                          .min_frequency = 1,
                                          .normalization = NORMALIZE_NFC},
                            .update = {.noise = {.embedding = 0.1,
                                                 .input = 0.1,
                                                 .state = 0.1,
                                                 .readout = 0.1,
                                                 .source_word = 0.1,
                                                 .target_word = 0.1},
                                       .label_smoothing = 0.1,
                                       .guide_weight = 0.1,
                                       .clip_norm = 1,
                                       .adam = {0.9, 0.98, 1e-8, 0},
                                       .smoothing = 0.9},
                            .schedule = {.base = 0.01, .warmup = 4},
                            .batch_sentences = 40,
                            .accumulate = 1,
                            .max_length = 50,
                            .plateau_factor = 1,
                            .validate = {.beam_size = 2, .max_sentences = 5},
                            .estimates_links = 1,
                            .seed = 1}};
    Error err;
    CorpusFilter filter = {0};
    (void)snprintf(f.pairs, sizeof f.pairs, "/tmp/heed-test-%ld.tsv", (long)getpid());
    (void)snprintf(f.model, sizeof f.model, "/tmp/heed-test-%ld.safetensors", (long)getpid());
    write_pairs(f.pairs);
    ck_assert_int_eq(corpus_load_tsv(&f.train, f.pairs, &filter, &err), OK);
    ck_assert_int_eq(corpus_hold_out(&f.valid, f.train, 1, &err), OK);
    return f;
}

static void remove_files(const Fixture *f)
{
    Buffer path = {0};
    Error err;
    const char *const tags[] = {"last", "prev"};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trainer_path(&path, f->model, tags[i], &err), OK);
        (void)unlink(path.bytes);
    }
    (void)unlink(f->model);
    buffer_free(&path);
}

static void fixture_free(Fixture *f)
{
    remove_files(f);
    (void)unlink(f->pairs);
    corpus_free(f->train);
    corpus_free(f->valid);
}

/* What a run leaves: the weights and moments of its checkpoint, one after the other. */
typedef struct Outcome {
    real *values;
    size_t count;
} Outcome;

static Outcome read_outcome(const Fixture *f)
{
    Buffer path = {0};
    Error err;
    Seq2Seq *model;
    ModelText text;
    ModelMoments moments;
    ck_assert_int_eq(trainer_path(&path, f->model, "last", &err), OK);
    ck_assert_msg(checkpoint_load(&model, &text, &moments, path.bytes, &err) == OK, "%s",
                  err.message);
    const size_t n = model->params->count;
    Outcome o = {mem_alloc(4 * n, sizeof(real)), 4 * n};
    memcpy(o.values, model->params->values, n * sizeof(real));
    memcpy(o.values + n, moments.m, n * sizeof(real));
    memcpy(o.values + 2 * n, moments.v, n * sizeof(real));
    memcpy(o.values + 3 * n, moments.average, n * sizeof(real));
    seq2seq_free(model);
    model_text_free(&text);
    model_moments_free(&moments);
    buffer_free(&path);
    return o;
}

/* Trains until `updates` with n threads, from the checkpoint when is_resumed. */
static void train(const Fixture *f, long updates, int n_threads, int is_resumed)
{
    Trainer *trainer;
    Threads *threads;
    Error err;
    Recipe recipe = f->recipe;
    recipe.budget = (Budget){.updates = updates};
    ck_assert_int_eq(threads_create(&threads, n_threads, &err), OK);
    const Status status = is_resumed ? trainer_resume(&trainer, f->train, f->valid, &recipe, NULL,
                                                      f->model, threads, &err)
                                     : trainer_create(&trainer, f->train, f->valid, &recipe,
                                                      "seed = 1\n", f->model, NULL, threads, &err);
    ck_assert_msg(status == OK, "%s", err.message);
    ck_assert_msg(trainer_run(trainer, NULL, &err) == OK, "%s", err.message);
    trainer_free(trainer);
    threads_free(threads);
}

static void expect_same(Outcome a, Outcome b)
{
    ck_assert_uint_eq(a.count, b.count);
    ck_assert_mem_eq(a.values, b.values, a.count * sizeof(real));
}

static const Precision PRECISIONS[] = {PRECISION_FLOAT32, PRECISION_BFLOAT16};

START_TEST(any_number_of_threads_gives_the_same_bits)
{
    Fixture f = fixture();
    f.recipe.update.r_drop = 1;
    f.recipe.precision = PRECISIONS[_i];
    train(&f, 8, 1, 0);
    Outcome one = read_outcome(&f);
    for (int n = 2; n <= 4; n++) {
        remove_files(&f);
        train(&f, 8, n, 0);
        Outcome many = read_outcome(&f);
        expect_same(one, many);
        mem_free(many.values);
    }
    mem_free(one.values);
    fixture_free(&f);
}
END_TEST

START_TEST(another_seed_gives_other_bits)
{
    Fixture f = fixture();
    train(&f, 3, 1, 0);
    Outcome one = read_outcome(&f);
    remove_files(&f);
    f.recipe.seed = 2;
    train(&f, 3, 1, 0);
    Outcome other = read_outcome(&f);
    ck_assert_mem_ne(one.values, other.values, one.count * sizeof(real));
    mem_free(one.values);
    mem_free(other.values);
    fixture_free(&f);
}
END_TEST

START_TEST(resumed_equals_unbroken)
{
    const long cuts[] = {1, 4, 5, 6}; /* an epoch has three updates */
    Fixture f = fixture();
    f.recipe.precision = PRECISIONS[_i];
    train(&f, 10, 1, 0);
    Outcome unbroken = read_outcome(&f);
    for (int i = 0; i < 4; i++) {
        remove_files(&f);
        train(&f, cuts[i], 1, 0);
        train(&f, 10, 1, 1);
        Outcome resumed = read_outcome(&f);
        expect_same(unbroken, resumed);
        mem_free(resumed.values);
    }
    mem_free(unbroken.values);
    fixture_free(&f);
}
END_TEST

START_TEST(diverging_training_stops_and_keeps_finite_numbers)
{
    Fixture f = fixture();
    Trainer *trainer;
    Error err;
    f.recipe.schedule = (Schedule){.base = sizeof(real) == 8 ? 1e200 : 1e30};
    f.recipe.budget = (Budget){.updates = 1000};
    ck_assert_int_eq(
        trainer_create(&trainer, f.train, f.valid, &f.recipe, "", f.model, NULL, NULL, &err), OK);
    const Status status = trainer_run(trainer, NULL, &err);
    ck_assert_msg(status == ERR_DIVERGED, "status %d", (int)status);
    ck_assert_ptr_nonnull(strstr(err.message, sizeof(real) == 8 ? "1e+200" : "1e+30"));
    trainer_free(trainer);
    Outcome o = read_outcome(&f); /* the loader refuses what is not finite */
    mem_free(o.values);
    fixture_free(&f);
}
END_TEST

START_TEST(resuming_without_a_checkpoint_is_refused)
{
    Fixture f = fixture();
    Trainer *trainer;
    Error err;
    ck_assert_int_eq(
        trainer_resume(&trainer, f.train, f.valid, &f.recipe, NULL, f.model, NULL, &err), ERR_IO);
    fixture_free(&f);
}
END_TEST

START_TEST(resuming_on_other_data_is_refused)
{
    Fixture f = fixture();
    Corpus *other;
    Trainer *trainer;
    Error err;
    const CorpusFilter filter = {0};
    train(&f, 3, 1, 0);
    FILE *file = fopen(f.pairs, "r+");
    ck_assert_ptr_nonnull(file);
    (void)fputs("w9", file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(corpus_load_tsv(&other, f.pairs, &filter, &err), OK);
    corpus_free(f.valid);
    ck_assert_int_eq(corpus_hold_out(&f.valid, other, 1, &err), OK);
    ck_assert_int_eq(trainer_resume(&trainer, other, f.valid, &f.recipe, NULL, f.model, NULL, &err),
                     ERR_FORMAT);
    ck_assert_msg(strstr(err.message, "108 pairs of checksum") != NULL, "%s", err.message);
    corpus_free(other);
    fixture_free(&f);
}
END_TEST

START_TEST(the_settings_of_a_run_are_found_again)
{
    Fixture f = fixture();
    Buffer settings = {0};
    Error err;
    ck_assert_int_eq(trainer_settings(&settings, f.model, &err), ERR_IO);
    train(&f, 1, 1, 0);
    ck_assert_int_eq(trainer_settings(&settings, f.model, &err), OK);
    ck_assert_str_eq(settings.bytes, "seed = 1\n");
    buffer_free(&settings);
    fixture_free(&f);
}
END_TEST

START_TEST(the_checkpoint_before_takes_over_when_the_last_is_gone)
{
    Fixture f = fixture();
    Buffer last = {0};
    Error err;
    train(&f, 10, 1, 0);
    ck_assert_int_eq(trainer_path(&last, f.model, "last", &err), OK);
    ck_assert_int_eq(unlink(last.bytes), 0);
    train(&f, 10, 1, 1);
    ck_assert(io_exists(last.bytes));
    buffer_free(&last);
    fixture_free(&f);
}
END_TEST

/* Adam's first two steps, worked out by hand for one weight: g = 1 then 3. */
START_TEST(adam_takes_the_steps_of_the_paper)
{
    const Adam adam = {0.9, 0.99, 1e-8, 0};
    real w = 1, m = 0, v = 0, average = 1, g = 2;
    adam_step(&adam, &(AdamStep){0.1, 0.5, 1, 0.5}, &w, &m, &v, &average, &g, 1);
    /* m = 0.1, v = 0.01; corrected both 1: w = 1 - 0.1 */
    ck_assert_double_eq_tol((double)w, 0.9, 1e-6);
    ck_assert_double_eq_tol((double)average, 0.95, 1e-6);
    g = 6;
    adam_step(&adam, &(AdamStep){0.1, 0.5, 2, 0.5}, &w, &m, &v, NULL, &g, 1);
    /* m = 0.39, corrected by 0.19; v = 0.0999, corrected by 0.0199 */
    ck_assert_double_eq_tol((double)w, 0.9 - 0.1 * (0.39 / 0.19) / sqrt(0.0999 / 0.0199), 1e-6);
}
END_TEST

START_TEST(adam_w_decays_beside_the_step)
{
    const Adam adam = {0.9, 0.99, 1e-8, 0.2};
    real w = 1, m = 0, v = 0, g = 1;
    adam_step(&adam, &(AdamStep){0.1, 1, 1, 0}, &w, &m, &v, NULL, &g, 1);
    ck_assert_double_eq_tol((double)w, 1 - 0.1 - 0.1 * 0.2, 1e-6);
}
END_TEST

START_TEST(the_rate_warms_up_and_decays)
{
    const Schedule s = {2, 10, DECAY_INVERSE_SQRT};
    ck_assert_double_eq_tol(schedule_rate(&s, 1, 1), 0.2, 1e-12);
    ck_assert_double_eq_tol(schedule_rate(&s, 10, 1), 2, 1e-12);
    ck_assert_double_eq_tol(schedule_rate(&s, 40, 0.5), 0.5, 1e-12);
    const Schedule constant = {2, 0, DECAY_CONSTANT};
    ck_assert_double_eq_tol(schedule_rate(&constant, 1, 1), 2, 1e-12);
}
END_TEST

START_TEST(budgets_are_parsed_or_refused)
{
    Budget b;
    Error err;
    ck_assert_int_eq(budget_parse(&b, "10e", &err), OK);
    ck_assert_int_eq(b.epochs, 10);
    ck_assert_int_eq(budget_parse(&b, "5000u,0.5m", &err), OK);
    ck_assert_int_eq(b.updates, 5000);
    ck_assert_double_eq_tol(b.minutes, 0.5, 1e-12);
    const char *const wrong[] = {"", "e", "10", "1.5e", "-3u", "10e,", "10x", "nanm", "1e5", "0u"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(budget_parse(&b, wrong[i], &err) == ERR_ARG, "%s", wrong[i]);
    }
}
END_TEST

TEST_MAIN("trainer", tcase_add_loop_test(c, any_number_of_threads_gives_the_same_bits, 0, 2);
          tcase_add_test(c, another_seed_gives_other_bits);
          tcase_add_loop_test(c, resumed_equals_unbroken, 0, 2);
          tcase_add_test(c, diverging_training_stops_and_keeps_finite_numbers);
          tcase_add_test(c, resuming_without_a_checkpoint_is_refused);
          tcase_add_test(c, resuming_on_other_data_is_refused);
          tcase_add_test(c, the_settings_of_a_run_are_found_again);
          tcase_add_test(c, the_checkpoint_before_takes_over_when_the_last_is_gone);
          tcase_add_test(c, adam_takes_the_steps_of_the_paper);
          tcase_add_test(c, adam_w_decays_beside_the_step);
          tcase_add_test(c, the_rate_warms_up_and_decays);
          tcase_add_test(c, budgets_are_parsed_or_refused);)

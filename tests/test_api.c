/* The public library, through heed.h alone but for the making of a model. */
#include "heed.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_file.h"
#include "support/check_main.h"
#include "support/scratch.h"
#include "support/sharp.h"
#include "text/tokenizer.h"

enum { N_LINES = 6, N_THREADS = 8 };

static const char *const LINES[N_LINES] = {"a b c", "", "c c c c b", "b\377a", "  ", "unbekannt a"};

/* A random network over byte pairs, in a file. */
static void save_model(char path[SCRATCH_PATH])
{
    const char *text[] = {"a b c a b c", "c b a abc abc", "bca abc"};
    const size_t lens[] = {11, 13, 7};
    LineArray array = {text, lens, 3, 0};
    const Lines lines = lines_of_array(&array);
    const TokenizerOptions options = {TOKENIZER_BPE, 270, 1, NORMALIZE_NFC, 0};
    Tokenizer *tokenizer;
    Error err = {0};
    ck_assert_int_eq(tokenizer_learn(&tokenizer, &options, &lines, &err), OK);
    const int size = tokenizer_size(tokenizer);
    Seq2Seq *network = sharp_model(size, size, 5, 2);
    ModelText model_text = {0};
    ck_assert_int_eq(tokenizer_save(tokenizer, &model_text.source_tokenizer, &err), OK);
    ck_assert_int_eq(tokenizer_save(tokenizer, &model_text.target_tokenizer, &err), OK);
    ck_assert_int_eq(buffer_add_text(&model_text.settings, "hidden = 8\n", &err), OK);
    scratch_path(path, "m.safetensors");
    ck_assert_msg(model_file_save(path, network, &model_text, &err) == OK, "%s", err.message);
    model_text_free(&model_text);
    seq2seq_free(network);
    tokenizer_free(tokenizer);
}

static HeedModel *open_model(void)
{
    char path[SCRATCH_PATH];
    save_model(path);
    HeedError err;
    HeedModel *model;
    ck_assert_msg(heed_open(&model, path, &err) == HEED_OK, "%s", err.message);
    return model;
}

static HeedResults *translate(const HeedModel *model, const char *const *lines, size_t n,
                              const HeedOptions *options)
{
    HeedError err;
    HeedResults *results;
    ck_assert_msg(heed_translate(model, &results, lines, n, options, &err) == HEED_OK, "%s",
                  err.message);
    return results;
}

START_TEST(a_missing_file_and_a_wrong_one_are_refused)
{
    char path[SCRATCH_PATH];
    HeedError err = {HEED_OK, ""};
    HeedModel *model = NULL;
    ck_assert_int_eq(heed_open(&model, "no/such/file", &err), HEED_IO);
    ck_assert_int_eq(err.code, HEED_IO);
    ck_assert_str_eq(err.message, "no/such/file: cannot open: No such file or directory");
    scratch_path(path, "text");
    scratch_write(path, "hello", 5);
    ck_assert_int_eq(heed_open(&model, path, &err), HEED_FORMAT);
    ck_assert_int_eq(heed_open(&model, path, NULL), HEED_FORMAT);
    ck_assert_ptr_null(model);
    heed_close(NULL);
    scratch_clean();
}
END_TEST

START_TEST(settings_are_those_of_training)
{
    HeedModel *model = open_model();
    ck_assert_str_eq(heed_settings(model), "hidden = 8\n");
    ck_assert_str_eq(heed_version(), HEED_VERSION);
    heed_close(model);
    scratch_clean();
}
END_TEST

START_TEST(a_line_is_translated_the_same_alone_and_among_others)
{
    HeedModel *model = open_model();
    HeedOptions options;
    heed_options_init(&options);
    options.threads = 2;
    options.mini_batch = 2;
    HeedResults *all = translate(model, LINES, N_LINES, &options);
    ck_assert_int_eq((int)heed_count(all), N_LINES);
    for (int i = 0; i < N_LINES; i++) {
        HeedResults *one = translate(model, &LINES[i], 1, NULL);
        ck_assert_str_eq(heed_best(one, 0)->text, heed_best(all, (size_t)i)->text);
        ck_assert(heed_best(one, 0)->score == heed_best(all, (size_t)i)->score);
        ck_assert_int_eq((int)strlen(heed_best(one, 0)->text), (int)heed_best(one, 0)->len);
        heed_results_free(one);
    }
    ck_assert_str_eq(heed_best(all, 1)->text, "");
    ck_assert_str_eq(heed_best(all, 4)->text, "");
    ck_assert_str_ne(heed_best(all, 0)->text, "");
    ck_assert_ptr_null(heed_best(all, 0)->attention);
    ck_assert_ptr_null(heed_best(all, N_LINES));
    heed_results_free(all);
    heed_close(model);
    scratch_clean();
}
END_TEST

START_TEST(no_lines_give_no_results)
{
    HeedModel *model = open_model();
    HeedResults *results = translate(model, NULL, 0, NULL);
    ck_assert_int_eq((int)heed_count(results), 0);
    ck_assert_ptr_null(heed_best(results, 0));
    heed_results_free(results);
    heed_results_free(NULL);
    heed_close(model);
    scratch_clean();
}
END_TEST

static void expect_attention(const HeedTranslation *t, const char *source)
{
    ck_assert_int_ge(t->n_target, 1);
    ck_assert_str_eq(t->source_tokens[t->n_source - 1], "</s>");
    ck_assert_int_eq(t->source_spans[t->n_source - 1][0], (int)strlen(source));
    for (int i = 0; i < t->n_target; i++) {
        double sum = 0;
        for (int j = 0; j < t->n_source; j++) {
            sum += (double)t->attention[i * t->n_source + j];
        }
        ck_assert_msg(fabs(sum - 1) < 1e-5, "row %d sums to %g", i, sum);
        ck_assert_int_le(t->target_spans[i][1], (int)t->len);
    }
}

START_TEST(every_hypothesis_carries_its_attention)
{
    HeedModel *model = open_model();
    HeedOptions options;
    heed_options_init(&options);
    options.n_best = 3;
    options.wants_attention = 1;
    HeedResults *results = translate(model, LINES, N_LINES, &options);
    ck_assert_int_eq((int)heed_hypotheses(results, 0), 3);
    ck_assert_ptr_null(heed_get(results, 0, 3));
    for (size_t rank = 0; rank < 3; rank++) {
        const HeedTranslation *t = heed_get(results, 0, rank);
        expect_attention(t, LINES[0]);
        ck_assert_int_eq(t->n_source, 4); /* three words and the end */
        ck_assert_str_eq(t->source_tokens[1], "b");
        ck_assert_int_eq(t->source_spans[1][0], 2);
        ck_assert(rank == 0 ||
                  t->normalized_score <= heed_get(results, 0, rank - 1)->normalized_score);
    }
    ck_assert_int_eq(heed_best(results, 1)->n_target, 0);
    heed_results_free(results);
    options.uses_pieces = 1;
    results = translate(model, LINES, 1, &options);
    ck_assert_str_eq(heed_best(results, 0)->source_tokens[0], "\xE2\x96\x81"
                                                              "a");
    heed_results_free(results);
    heed_close(model);
    scratch_clean();
}
END_TEST

START_TEST(a_prefix_begins_the_translation)
{
    HeedModel *model = open_model();
    const char *const lines[] = {LINES[0], LINES[0]}, *const prefixes[] = {"b c", NULL};
    HeedError err;
    HeedResults *results, *free_one = translate(model, lines, 1, NULL);
    ck_assert_int_eq(heed_translate_prefixed(model, &results, lines, prefixes, 2, NULL, &err),
                     HEED_OK);
    ck_assert_int_eq(strncmp(heed_best(results, 0)->text, "b c", 3), 0);
    ck_assert_str_eq(heed_best(results, 1)->text, heed_best(free_one, 0)->text);
    heed_results_free(results);
    heed_results_free(free_one);
    heed_close(model);
    scratch_clean();
}
END_TEST

START_TEST(pairs_are_scored_with_attention)
{
    HeedModel *model = open_model();
    const char *const sources[] = {"a b c", "a b c", ""}, *const targets[] = {"c b", "c b b", "a"};
    HeedOptions options;
    heed_options_init(&options);
    options.wants_attention = 1;
    HeedError err;
    HeedResults *all, *one;
    ck_assert_msg(heed_score(model, &all, sources, targets, 3, &options, &err) == HEED_OK, "%s",
                  err.message);
    ck_assert_int_eq(heed_score(model, &one, &sources[1], &targets[1], 1, NULL, &err), HEED_OK);
    ck_assert(heed_best(one, 0)->score == heed_best(all, 1)->score);
    ck_assert(heed_best(all, 0)->score < 0);
    ck_assert(heed_best(all, 2)->score < 0);
    const HeedTranslation *t = heed_best(all, 0);
    expect_attention(t, "a b c");
    ck_assert_str_eq(t->text, "c b");
    ck_assert_int_eq(t->n_target, 3);
    ck_assert_str_eq(t->target_tokens[1], "b");
    heed_results_free(all);
    heed_results_free(one);
    heed_close(model);
    scratch_clean();
}
END_TEST

START_TEST(links_are_the_largest_weights)
{
    const char *source[] = {"x", "y", "</s>"}, *target[] = {"u", "v", "w", "</s>"};
    const float weights[] = {0.1F, 0.8F, 0.1F, 0.7F, 0.2F, 0.1F,
                             0.2F, 0.2F, 0.6F, 0.1F, 0.1F, 0.8F};
    const HeedTranslation t = {.is_finished = 1,
                               .n_source = 3,
                               .n_target = 4,
                               .source_tokens = source,
                               .target_tokens = target,
                               .attention = weights};
    HeedLink links[4];
    HeedError err;
    size_t n;
    ck_assert_int_eq(heed_links(&t, 0, links, 4, &n, &err), HEED_OK);
    ck_assert_int_eq((int)n, 2);
    ck_assert_int_eq(links[0].source, 0);
    ck_assert_int_eq(links[0].target, 1);
    ck_assert_int_eq(links[1].source, 1);
    ck_assert_int_eq(links[1].target, 0);
    ck_assert_int_eq(heed_links(&t, 0.15, links, 1, &n, &err), HEED_OK);
    ck_assert_int_eq((int)n, 5);
    ck_assert_int_eq(heed_links(&t, 1, links, 4, &n, &err), HEED_ARGUMENT);
    ck_assert_str_eq(err.message, "threshold 1: must be at least 0 and below 1");
    ck_assert_int_eq(heed_links(&t, (double)NAN, NULL, 0, &n, NULL), HEED_ARGUMENT);
    ck_assert_int_eq(heed_links(&(HeedTranslation){0}, 0, NULL, 0, &n, &err), HEED_OK);
    ck_assert_int_eq((int)n, 0);
}
END_TEST

START_TEST(tokens_give_the_line_back)
{
    HeedModel *model = open_model();
    const char *line = "abc b \xE6\x88\x91 a";
    HeedError err;
    HeedTokens *tokens;
    char *text;
    ck_assert_int_eq(heed_tokenize(model, &tokens, HEED_SOURCE, line, &err), HEED_OK);
    ck_assert_int_ge(tokens->n, 4);
    ck_assert_str_eq(tokens->pieces[tokens->n - 1], "\xE2\x96\x81"
                                                    "a");
    ck_assert_int_eq(tokens->spans[tokens->n - 1][0], 10);
    ck_assert_int_eq(heed_detokenize(model, &text, HEED_TARGET, tokens->ids, tokens->n, &err),
                     HEED_OK);
    ck_assert_str_eq(text, line);
    heed_text_free(text);
    heed_tokens_free(tokens);
    ck_assert_int_eq(heed_detokenize(model, &text, HEED_TARGET, NULL, 0, &err), HEED_OK);
    ck_assert_str_eq(text, "");
    heed_text_free(text);
    const int wrong = 1 << 20;
    ck_assert_int_eq(heed_detokenize(model, &text, HEED_TARGET, &wrong, 1, &err), HEED_ARGUMENT);
    ck_assert_int_eq(heed_tokenize(model, &tokens, (HeedSide)7, line, &err), HEED_ARGUMENT);
    heed_close(model);
    scratch_clean();
}
END_TEST

static void expect_refused(const HeedModel *model, const HeedOptions *options, const char *sentence)
{
    HeedError err;
    HeedResults *results = NULL;
    ck_assert_int_eq(heed_translate(model, &results, LINES, 1, options, &err), HEED_ARGUMENT);
    ck_assert_msg(strstr(err.message, sentence) != NULL, "%s", err.message);
    ck_assert_ptr_null(results);
}

START_TEST(options_out_of_range_are_refused)
{
    HeedModel *model = open_model();
    HeedOptions o;
    heed_options_init(&o);
    o.beam_size = 0;
    expect_refused(model, &o, "between 1 and 1024");
    heed_options_init(&o);
    o.n_best = 6;
    expect_refused(model, &o, "6");
    heed_options_init(&o);
    o.normalize = -1;
    expect_refused(model, &o, "-1");
    heed_options_init(&o);
    o.mini_batch = 0;
    expect_refused(model, &o, "between 1 and");
    heed_options_init(&o);
    o.threads = 1025;
    expect_refused(model, &o, "threads 1025: must be between 0 and 1024");
    heed_close(model);
    scratch_clean();
}
END_TEST

/* What each thread does with the model they share. */
static void *work(void *context)
{
    const HeedModel *model = context;
    HeedOptions options;
    heed_options_init(&options);
    options.wants_attention = 1;
    const HeedTranslation *t;
    HeedResults *results = NULL;
    char *text = NULL;
    if (heed_translate(model, &results, LINES, N_LINES, &options, NULL) == HEED_OK) {
        t = heed_best(results, 2);
        text = strdup(t->text);
    }
    heed_results_free(results);
    return text;
}

START_TEST(threads_share_a_model)
{
    HeedModel *model = open_model();
    char *expected = work(model);
    ck_assert_ptr_nonnull(expected);
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, model), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        void *text;
        ck_assert_int_eq(pthread_join(threads[i], &text), 0);
        ck_assert_str_eq(text, expected);
        free(text);
    }
    free(expected);
    heed_close(model);
    scratch_clean();
}
END_TEST

/* What a callback saw; it asks to stop after the update `last`. */
typedef struct Seen {
    int n_progress, n_validations;
    long update, last;
    double bleu;
} Seen;

static int see(void *context, const HeedProgress *progress)
{
    Seen *seen = context;
    seen->n_progress += !progress->is_validation;
    seen->n_validations += progress->is_validation;
    seen->update = progress->update;
    ck_assert(progress->loss >= 0 && progress->elapsed >= 0);
    return progress->update >= seen->last;
}

/* Lines of settings for a small run. */
static void write_settings(char *out, size_t cap, const char *more)
{
    char pairs[SCRATCH_PATH], model[SCRATCH_PATH];
    scratch_path(pairs, "pairs.tsv");
    scratch_path(model, "t.safetensors");
    char text[4096];
    size_t len = 0;
    for (int i = 0; i < 60; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "a%d b\tb a%d\n", i, i);
    }
    scratch_write(pairs, text, len);
    (void)snprintf(out, cap,
                   "train = %s\nmodel = %s\npreset = tiny\nembedding = 8\nhidden = 8\n"
                   "attention-size = 8\ntokenizer = char\nthreads = 1\nmini-batch = 8\n%s",
                   pairs, model, more);
}

START_TEST(training_tells_saves_and_goes_on)
{
    char settings[2048], path[SCRATCH_PATH];
    HeedError err = {HEED_OK, ""};
    Seen seen = {.last = 1000};
    write_settings(settings, sizeof settings, "after = 3e\n");
    ck_assert_msg(heed_train(settings, see, &seen, &err) == HEED_OK, "%s", err.message);
    ck_assert_int_eq(seen.n_validations, 3);
    ck_assert_int_ge(seen.n_progress, 1);
    HeedModel *model;
    scratch_path(path, "t.safetensors");
    ck_assert_int_eq(heed_open(&model, path, &err), HEED_OK);
    ck_assert_msg(strstr(heed_settings(model), "tokenizer = char\n") != NULL, "%s",
                  heed_settings(model));
    heed_results_free(translate(model, LINES, 1, NULL));
    heed_close(model);
    ck_assert_int_eq(heed_train(settings, see, &seen, &err), HEED_ARGUMENT);
    ck_assert_msg(strstr(err.message, "exists; --resume goes on") != NULL, "%s", err.message);
    seen = (Seen){.last = 1};
    write_settings(settings, sizeof settings, "after = 100e\nresume = yes\n");
    ck_assert_int_eq(heed_train(settings, see, &seen, &err), HEED_STOPPED);
    ck_assert_int_ge((int)seen.update, 7);
    ck_assert_int_lt((int)seen.update, 100);
    scratch_clean();
}
END_TEST

START_TEST(settings_of_training_are_checked)
{
    HeedError err;
    ck_assert_int_eq(heed_train("modle = x\n", NULL, NULL, &err), HEED_ARGUMENT);
    ck_assert_msg(
        strncmp(err.message, "settings:1: modle: unknown option; did you mean model", 52) == 0,
        "%s", err.message);
    ck_assert_int_eq(heed_train("model = m\n\nhidden = 0\n", NULL, NULL, &err), HEED_ARGUMENT);
    ck_assert_msg(strncmp(err.message, "settings:3: hidden = 0: must be", 31) == 0, "%s",
                  err.message);
    ck_assert_int_eq(heed_train("", NULL, NULL, NULL), HEED_ARGUMENT);
    scratch_clean();
}
END_TEST

TEST_MAIN("api", tcase_add_test(c, a_missing_file_and_a_wrong_one_are_refused);
          tcase_add_test(c, settings_are_those_of_training);
          tcase_add_test(c, a_line_is_translated_the_same_alone_and_among_others);
          tcase_add_test(c, no_lines_give_no_results);
          tcase_add_test(c, every_hypothesis_carries_its_attention);
          tcase_add_test(c, a_prefix_begins_the_translation);
          tcase_add_test(c, pairs_are_scored_with_attention);
          tcase_add_test(c, links_are_the_largest_weights);
          tcase_add_test(c, tokens_give_the_line_back);
          tcase_add_test(c, options_out_of_range_are_refused);
          tcase_add_test(c, threads_share_a_model);
          tcase_add_test(c, training_tells_saves_and_goes_on);
          tcase_add_test(c, settings_of_training_are_checked);)

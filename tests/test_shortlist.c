/* decode/shortlist: which words a sentence gets, and that the search keeps to them. */
#include "decode/shortlist.h"

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "decode/beam.h"
#include "math/vec.h"
#include "model/model_file.h"
#include "nn/readout_part.h"
#include "support/check_main.h"
#include "support/scratch.h"
#include "support/sharp.h"

enum { N_WORDS = 30 };

/* A tokenizer of the words X0 .. X29. */
static Tokenizer *words_of(char letter)
{
    char text[N_WORDS * 16] = "";
    for (int i = 0; i < N_WORDS; i++) {
        (void)snprintf(text + strlen(text), 16, "%c%d ", letter, i);
    }
    const char *line = text;
    const size_t len = strlen(text);
    LineArray array = {&line, &len, 1, 0};
    const Lines lines = lines_of_array(&array);
    const TokenizerOptions options = {TOKENIZER_SPACE, 100, 1, NORMALIZE_NFC, 0};
    Tokenizer *t;
    ck_assert_int_eq(tokenizer_learn(&t, &options, &lines, NULL), OK);
    ck_assert_int_eq(tokenizer_size(t), N_SPECIAL_TOKENS + N_WORDS);
    return t;
}

typedef struct Fixture {
    Tokenizer *source, *target;
    Shortlist *list;
    Arena *arena;
    char path[SCRATCH_PATH];
} Fixture;

static Fixture fixture(void)
{
    Fixture f = {.source = words_of('s'), .target = words_of('t')};
    ck_assert_int_eq(arena_create(&f.arena, 0, NULL), OK);
    scratch_path(f.path, "lexicon");
    return f;
}

static void fixture_free(Fixture *f)
{
    tokenizer_free(f->source);
    tokenizer_free(f->target);
    shortlist_free(f->list);
    arena_free(f->arena);
    scratch_clean();
}

static void load(Fixture *f, const char *text, int n_first, int n_best)
{
    Error err = {.code = OK};
    shortlist_free(f->list);
    f->list = NULL;
    scratch_write(f->path, text, strlen(text));
    ck_assert_msg(shortlist_load(&f->list, f->path, n_first, n_best, f->source, f->target, &err) ==
                      OK,
                  "%s", err.message);
}

static int id(const Tokenizer *t, const char *word)
{
    const int found = tokenizer_find(t, word, strlen(word));
    ck_assert_int_ge(found, 0);
    return found;
}

/* The list of a sentence is the special tokens and `want`, words with blanks between. */
static void expect_words(const Fixture *f, const char *source, const char *want)
{
    Pieces pieces = {0}, wanted = {0};
    int *words, n, expected[N_SPECIAL_TOKENS + N_WORDS] = {0};
    ck_assert_int_eq(tokenizer_encode(f->source, source, strlen(source), &pieces, NULL), OK);
    ck_assert_int_eq(tokenizer_encode(f->target, want, strlen(want), &wanted, NULL), OK);
    ck_assert_int_eq(
        shortlist_words(f->list, &words, &n, pieces.ids, pieces.len, NULL, 0, f->arena, NULL), OK);
    ck_assert_int_eq(n, N_SPECIAL_TOKENS + wanted.len);
    for (int i = 0; i < N_SPECIAL_TOKENS; i++) {
        expected[i] = 1;
    }
    for (int i = 0; i < wanted.len; i++) {
        expected[wanted.ids[i]] = 1;
    }
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(expected[words[i]], 1);
        ck_assert(i == 0 || words[i] > words[i - 1]);
    }
    ck_assert_int_le(n, shortlist_bound(f->list, pieces.len));
    pieces_free(&pieces);
    pieces_free(&wanted);
}

static const char LEXICON[] = "s1\tt1\t0.5\t0.5\t9\n"
                              "s2\tt2\t0.5\t0.5\t8\n"
                              "s1\tt5\t0.3\t0.5\t7\n"
                              "s2\tt5\t0.3\t0.5\t7\n"
                              "s1\tt7\t0.2\t0.5\t3\n"
                              "unheard\tt1\t1\t1\t1\n"
                              "s1\tof\t1\t1\t1\n"
                              "\n"
                              "s3\tt9\n";

START_TEST(a_sentence_gets_the_best_of_its_pieces_and_the_most_frequent)
{
    Fixture f = fixture();
    load(&f, LEXICON, 0, 100);
    expect_words(&f, "s1", "t1 t5 t7");
    expect_words(&f, "s2 s1 s2", "t1 t2 t5 t7");
    expect_words(&f, "s3", "t9");
    expect_words(&f, "s4", "");
    expect_words(&f, "", "");
    load(&f, LEXICON, 0, 1); /* the first lines of each source piece */
    expect_words(&f, "s1 s2", "t1 t2");
    load(&f, LEXICON, 2, 0); /* counts of 14 and 10 */
    expect_words(&f, "s3", "t5 t1");
    load(&f, LEXICON, 100, 2);
    expect_words(&f, "s4", "t1 t2 t5 t7 t9");
    fixture_free(&f);
}
END_TEST

START_TEST(the_prefix_is_in_the_list)
{
    Fixture f = fixture();
    int *words, n;
    load(&f, LEXICON, 0, 1);
    const int source[] = {id(f.source, "s1")}, prefix[] = {id(f.target, "t28")};
    ck_assert_int_eq(shortlist_words(f.list, &words, &n, source, 1, prefix, 1, f.arena, NULL), OK);
    ck_assert_int_eq(n, N_SPECIAL_TOKENS + 2);
    ck_assert(words[n - 2] == prefix[0] || words[n - 1] == prefix[0]);
    fixture_free(&f);
}
END_TEST

START_TEST(what_is_no_lexicon_of_the_model_is_refused)
{
    static const struct {
        const char *text, *sentence;
    } CASES[] = {{"s1 t1\n", "lexicon:1: no tab between source and target"},
                 {"s1\tt1\t1\t1\tmany\n", "lexicon:1: the count \"many\" is no number"},
                 {"s1\tt1\t1\t1\t-1\n", "lexicon:1: the count \"-1\" is no number"},
                 {"s1\tt1\t1\t1\t1\ns1\tt1\t1\t1\t1234567890123456789\n", "lexicon:2: the count"},
                 {"a\tb\t1\t1\t1\n", "no line has pieces of this model"},
                 {"", "no line has pieces of this model"}};
    Fixture f = fixture();
    Error err;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        scratch_write(f.path, CASES[i].text, strlen(CASES[i].text));
        ck_assert_int_eq(shortlist_load(&f.list, f.path, 1, 1, f.source, f.target, &err),
                         ERR_FORMAT);
        ck_assert_msg(strstr(err.message, CASES[i].sentence) != NULL, "%s", err.message);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(a_refusal_of_the_system_is_a_clean_error)
{
    Fixture f = fixture();
    Error err;
    for (int is_memory = 0; is_memory < 2; is_memory++) {
        int has_failed = 1, n_failures = 0;
        scratch_write(f.path, LEXICON, sizeof LEXICON - 1);
        for (long n = 1; has_failed; n++) {
            Shortlist *list = NULL;
            if (is_memory) {
                mem_fail_at(n, 0);
            } else {
                io_fail_at(n, 0);
            }
            const Status status = shortlist_load(&list, f.path, 2, 2, f.source, f.target, &err);
            has_failed = is_memory ? mem_failed() : io_failed();
            mem_fail_at(0, 0);
            io_fail_at(0, 0);
            ck_assert_int_eq(status, !has_failed ? OK : is_memory ? ERR_NOMEM : ERR_IO);
            shortlist_free(list);
            n_failures += has_failed;
        }
        ck_assert_int_ge(n_failures, 2);
    }
    fixture_free(&f);
}
END_TEST

/* ---- The output layer ---- */

/* The same network from an int8 file. */
static Seq2Seq *bytes_of(const Seq2Seq *model)
{
    char path[SCRATCH_PATH];
    ModelText text = {0};
    Seq2Seq *small;
    scratch_path(path, "int8");
    ck_assert_int_eq(model_file_save_small(path, model, &text, MODEL_INT8, NULL), OK);
    ck_assert_int_eq(model_file_load(&small, &text, path, NULL), OK);
    model_text_free(&text);
    return small;
}

/* _i: numbers or bytes. */
START_TEST(logits_of_a_part_have_the_bits_of_the_whole)
{
    static const char *const SETS[] = {"plain", "sse2", "avx2", "avx512", NULL};
    enum { V = 150, ROWS = 9, E = 8 };
    static const int WORDS[] = {0, 1, 2, 3, 17, 48, 60, 61, 149}, OTHERS[] = {2, 90};
    for (int set = 0; set < 5; set++) {
        Arena *arena;
        Mat o, logits;
        ReadoutTape tape = {0};
        ReadoutPart parts[2];
        const int which[ROWS] = {1, 0, 0, 0, 1, 1, 0, 1, 0};
        if (!vec_use(SETS[set])) {
            continue;
        }
        Seq2Seq *model = sharp_model(10, V, 3, 1);
        Seq2Seq *small = _i == 0 ? model : bytes_of(model);
        ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
        ck_assert_int_eq(mat_alloc(&o, arena, ROWS, E, NULL), OK);
        ck_assert_int_eq(mat_alloc(&logits, arena, ROWS, 9, NULL), OK);
        ck_assert_int_eq(mat_alloc(&tape.logits, arena, ROWS, V, NULL), OK);
        Rng rng = rng_stream(9, 0, 0);
        for (int i = 0; i < ROWS * E; i++) {
            o.v[i] = (real)rng_normal(&rng);
        }
        tape.o = tape.o_masked = o;
        readout_logits_forward(&small->readout, &tape);
        ck_assert_int_eq(readout_part_create(&parts[0], &small->readout, WORDS, 9, arena, NULL),
                         OK);
        ck_assert_int_eq(readout_part_create(&parts[1], &small->readout, OTHERS, 2, arena, NULL),
                         OK);
        readout_parts_forward(logits, parts, which, o);
        for (int r = 0; r < ROWS; r++) {
            const ReadoutPart *part = &parts[which[r]];
            for (int j = 0; j < 9; j++) {
                const real want = j < part->n ? mat_row(tape.logits, r)[part->words[j]] : 0;
                ck_assert_mem_eq(&want, mat_row(logits, r) + j, sizeof want);
            }
        }
        arena_free(arena);
        if (small != model) {
            seq2seq_free(small);
        }
        seq2seq_free(model);
    }
    ck_assert(vec_use(NULL));
    scratch_clean();
}
END_TEST

/* ---- The search ---- */

enum { N_SENTENCES = 4 };

/* Results as text: words, scores and unfinished ends of all hypotheses. */
static void search(char *out, size_t cap, const Ensemble *ensemble, const BeamOptions *o,
                   const BeamInput *inputs, int n)
{
    Beam *beam;
    Arena *results;
    HypothesisList lists[N_SENTENCES];
    ck_assert_int_eq(arena_create(&results, 0, NULL), OK);
    ck_assert_int_eq(beam_create(&beam, ensemble, NULL), OK);
    ck_assert_int_eq(beam_search(beam, lists, o, inputs, n, results, NULL), OK);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < lists[i].n; k++) {
            const Hypothesis *h = &lists[i].v[k];
            for (int t = 0; t < h->n_tokens; t++) {
                const size_t at = strlen(out);
                (void)snprintf(out + at, cap - at, "%d ", h->tokens[t]);
            }
            const size_t at = strlen(out);
            (void)snprintf(out + at, cap - at, "%a\n", h->score);
        }
    }
    beam_free(beam);
    arena_free(results);
}

/* The inputs: s1 s2 s3, s2, s3 s1 and one whose words are not in the lexicon. */
static void make_inputs(BeamInput *inputs, const Fixture *f, int *ids)
{
    ids[0] = id(f->source, "s1");
    ids[1] = id(f->source, "s2");
    ids[2] = id(f->source, "s3");
    ids[3] = ids[0];
    ids[4] = id(f->source, "s8");
    inputs[0] = (BeamInput){.source = ids, .n_source = 3, .line = 0};
    inputs[1] = (BeamInput){.source = ids + 1, .n_source = 1, .line = 1};
    inputs[2] = (BeamInput){.source = ids + 2, .n_source = 2, .line = 2};
    inputs[3] = (BeamInput){.source = ids + 4, .n_source = 1, .line = 3};
}

static BeamOptions options_of(const Shortlist *list, int is_sampling)
{
    BeamOptions o = beam_defaults();
    o.n_best = 4;
    o.is_sampling = is_sampling;
    o.shortlist = list;
    return o;
}

/* _i & 1: sampling; _i & 2: an ensemble of two. */
START_TEST(a_list_of_all_words_changes_nothing)
{
    Fixture f = fixture();
    int ids[8];
    BeamInput inputs[N_SENTENCES];
    char all[N_WORDS * 24] = "", with[1 << 14] = "", without[1 << 14] = "";
    for (int i = 0; i < N_WORDS; i++) {
        (void)snprintf(all + strlen(all), 24, "s1\tt%d\n", i);
    }
    load(&f, all, 1000, 0);
    const int V = tokenizer_size(f.target);
    Seq2Seq *models[2] = {sharp_model(V, V, 5, 3), sharp_model(V, V, 6, 3)};
    const Ensemble ensemble = {{models[0], models[1]}, _i & 2 ? 2 : 1};
    make_inputs(inputs, &f, ids);
    inputs[2].prefix = (const int[]){9, 4};
    inputs[2].n_prefix = 2;
    BeamOptions o = options_of(f.list, _i & 1);
    search(with, sizeof with, &ensemble, &o, inputs, N_SENTENCES);
    o.shortlist = NULL;
    search(without, sizeof without, &ensemble, &o, inputs, N_SENTENCES);
    ck_assert_str_eq(with, without);
    seq2seq_free(models[0]);
    seq2seq_free(models[1]);
    fixture_free(&f);
}
END_TEST

START_TEST(only_words_of_the_list_are_chosen_whatever_the_batch)
{
    Fixture f = fixture();
    int ids[8];
    BeamInput inputs[N_SENTENCES];
    char together[1 << 14] = "", alone[1 << 14] = "";
    load(&f, LEXICON, 1, 2);
    const int V = tokenizer_size(f.target);
    Seq2Seq *models[2] = {sharp_model(V, V, 5, 3), sharp_model(V, V, 6, 3)};
    const Ensemble ensemble = {{models[0], models[1]}, _i & 2 ? 2 : 1};
    make_inputs(inputs, &f, ids);
    inputs[3].prefix = (const int[]){V - 1};
    inputs[3].n_prefix = 1;
    const BeamOptions o = options_of(f.list, _i & 1);
    search(together, sizeof together, &ensemble, &o, inputs, N_SENTENCES);
    for (int i = 0; i < N_SENTENCES; i++) {
        search(alone, sizeof alone, &ensemble, &o, inputs + i, 1);
    }
    ck_assert_str_eq(together, alone);
    for (const char *line = strtok(alone, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        int word, width;
        for (; sscanf(line, "%d%n", &word, &width) == 1 && line[width] == ' '; line += width + 1) {
            const int is_listed = word == ID_END || word == ID_UNKNOWN || word == V - 1 ||
                                  word == id(f.target, "t1") || word == id(f.target, "t2") ||
                                  word == id(f.target, "t5") || word == id(f.target, "t9");
            ck_assert_msg(is_listed, "%d was chosen", word);
        }
    }
    seq2seq_free(models[0]);
    seq2seq_free(models[1]);
    fixture_free(&f);
}
END_TEST

START_TEST(scores_that_are_no_numbers_and_banned_words_end_cleanly)
{
    Fixture f = fixture();
    int ids[8];
    BeamInput inputs[N_SENTENCES];
    char found[1 << 14] = "";
    load(&f, LEXICON, 0, 1);
    const int V = tokenizer_size(f.target);
    Seq2Seq *model = sharp_model(V, V, 5, 3);
    params_find(model->params, "output.bias")->val.v[ID_END] = NAN;
    const Ensemble ensemble = {{model}, 1};
    make_inputs(inputs, &f, ids);
    for (int is_sampling = 0; is_sampling < 2; is_sampling++) {
        BeamOptions o = options_of(f.list, is_sampling);
        o.bans_unknown = 1;
        o.min_length = 3;
        o.no_repeat_ngram = 1;
        o.max_factor = 0;
        o.max_offset = 4;
        search(found, sizeof found, &ensemble, &o, inputs, N_SENTENCES);
    }
    ck_assert_ptr_nonnull(strstr(found, "inf"));
    seq2seq_free(model);
    fixture_free(&f);
}
END_TEST

TEST_MAIN("shortlist",
          tcase_add_test(c, a_sentence_gets_the_best_of_its_pieces_and_the_most_frequent);
          tcase_add_test(c, the_prefix_is_in_the_list);
          tcase_add_test(c, what_is_no_lexicon_of_the_model_is_refused);
          tcase_add_test(c, a_refusal_of_the_system_is_a_clean_error);
          tcase_add_loop_test(c, logits_of_a_part_have_the_bits_of_the_whole, 0, 2);
          tcase_add_loop_test(c, a_list_of_all_words_changes_nothing, 0, 4);
          tcase_add_loop_test(c, only_words_of_the_list_are_chosen_whatever_the_batch, 0, 4);
          tcase_add_test(c, scores_that_are_no_numbers_and_banned_words_end_cleanly);)

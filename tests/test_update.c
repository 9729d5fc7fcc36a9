/* Links of the training pairs, and updates guided by them: numeric gradients through the updater.
 */
#include "train/update.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/guided.h"
#include "support/check_main.h"
#include "support/gradcheck.h"
#include "support/scratch.h"
#include "support/toy.h"

static const char PAIRS[] = "a b c d\tx y z\n"
                            " \tdropped\n"
                            "c a\ty y x\n"
                            "d\tz x y z\n";

/* The corpus of PAIRS, with tokenizers that make every word a piece. */
typedef struct Fixture {
    Corpus *corpus;
    Tokenizer *source, *target;
    Data *data;
    Links *links;
    char path[SCRATCH_PATH];
} Fixture;

static Tokenizer *learn(const Corpus *corpus, int side, TokenizerKind kind)
{
    Error err;
    Tokenizer *t;
    CorpusLines state = {.corpus = corpus, .side = side};
    const Lines lines = corpus_lines(&state);
    const TokenizerOptions options = {kind, 300, 1, NORMALIZE_NFC, 0};
    ck_assert_int_eq(tokenizer_learn(&t, &options, &lines, &err), OK);
    return t;
}

static Fixture fixture(const char *pairs, TokenizerKind kind)
{
    Fixture f = {0};
    Error err;
    char path[SCRATCH_PATH];
    const CorpusFilter filter = {0};
    scratch_path(path, "pairs.tsv");
    scratch_path(f.path, "links");
    scratch_write(path, pairs, strlen(pairs));
    ck_assert_int_eq(corpus_load_tsv(&f.corpus, path, &filter, &err), OK);
    f.source = learn(f.corpus, SIDE_SOURCE, kind);
    f.target = learn(f.corpus, SIDE_TARGET, kind);
    return f;
}

static void fixture_free(Fixture *f)
{
    links_free(f->links);
    data_free(f->data);
    tokenizer_free(f->source);
    tokenizer_free(f->target);
    corpus_free(f->corpus);
    scratch_clean();
}

static Status load_links(Fixture *f, const char *text, int are_pieces, Error *err)
{
    scratch_write(f->path, text, strlen(text));
    TRY(links_load(&f->links, f->path, are_pieces, f->corpus, err));
    return links_to_pieces(f->links, f->corpus, f->source, f->target, 100, err);
}

static void expect_links(const Links *links, long pair, const int (*wanted)[2], int n)
{
    const int(*found)[2];
    ck_assert_int_eq(links_of(links, pair, &found), n);
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(found[i][0], wanted[i][0]);
        ck_assert_int_eq(found[i][1], wanted[i][1]);
    }
}

/* The second line belongs to a pair that was dropped: its links are no one's. */
START_TEST(links_go_to_the_pairs_of_their_lines)
{
    Fixture f = fixture(PAIRS, TOKENIZER_SPACE);
    Error err;
    ck_assert_msg(load_links(&f, "3-0 0-0 0-0\n9-9\n\n0-3 0-2\n", 0, &err) == OK, "%s",
                  err.message);
    expect_links(f.links, 0, (const int[][2]){{0, 0}, {0, 3}}, 2);
    expect_links(f.links, 1, NULL, 0);
    expect_links(f.links, 2, (const int[][2]){{2, 0}, {3, 0}}, 2);
    fixture_free(&f);
}
END_TEST

/* Characters as pieces: a blank has a piece of its own, which belongs to the word behind it. */
START_TEST(a_link_of_words_links_all_their_pieces)
{
    Fixture f = fixture("ab c\txyz w\nq\tq\n", TOKENIZER_CHAR);
    Error err;
    Pieces pieces = {0};
    ck_assert_int_eq(tokenizer_encode(f.source, "ab c", 4, &pieces, &err), OK);
    ck_assert_int_eq(pieces.len, 4); /* a b blank c */
    ck_assert_msg(load_links(&f, "0-1 1-0\n\n", 0, &err) == OK, "%s", err.message);
    /* x y z | blank w: "c" with its blank to x, y and z; "a" and "b" to the blank and w */
    expect_links(
        f.links, 0,
        (const int[][2]){
            {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 0}, {3, 1}, {4, 0}, {4, 1}},
        10);
    pieces_free(&pieces);
    fixture_free(&f);
}
END_TEST

START_TEST(links_of_pieces_stay_as_they_are)
{
    Fixture f = fixture("ab c\txyz w\nq\tq\n", TOKENIZER_CHAR);
    Error err;
    ck_assert_msg(load_links(&f, "3-4\n0-0\n", 1, &err) == OK, "%s", err.message);
    expect_links(f.links, 0, (const int[][2]){{4, 3}}, 1);
    expect_links(f.links, 1, (const int[][2]){{0, 0}}, 1);
    fixture_free(&f);
}
END_TEST

START_TEST(wrong_links_are_refused_with_file_and_line)
{
    static const struct {
        const char *text;
        int are_pieces;
        const char *sentence;
    } cases[] = {
        {"0-0\n\n\n1-0\n", 0, "links:4: link to source word 1, but the sentence has 1 words"},
        {"0-3\n\n\n\n", 0, "links:1: link to target word 3, but the sentence has 3 words"},
        {"\n\n2-0\n\n", 1, "links:3: link to source piece 2, but the sentence has 2 pieces"},
        {"\n\n0-3\n\n", 1, "links:3: link to target piece 3, but the sentence has 3 pieces"},
        {"\nx\n\n\n", 0, "links:2: \"x\" is no link"},
        {"\n\n1-\n\n", 0, "links:3: \"1-\" is no link"},
        {"0-0\n", 0, "links has 1 lines, the training files have 4 pairs"},
        {"\n\n\n\n\n", 0, "links has 5 lines, the training files have 4 pairs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture f = fixture(PAIRS, TOKENIZER_SPACE);
        Error err;
        ck_assert_int_eq(load_links(&f, cases[i].text, cases[i].are_pieces, &err), ERR_FORMAT);
        ck_assert_msg(strstr(err.message, cases[i].sentence) != NULL, "%s", err.message);
        fixture_free(&f);
    }
}
END_TEST

START_TEST(the_checksum_sees_every_link)
{
    static const char *const texts[] = {"0-0\n\n\n\n", "0-1\n\n\n\n", "1-0\n\n\n\n", "\n\n0-0\n\n"};
    uint32_t seen[4];
    for (int i = 0; i < 4; i++) {
        Fixture f = fixture(PAIRS, TOKENIZER_SPACE);
        Error err;
        ck_assert_int_eq(load_links(&f, texts[i], 0, &err), OK);
        seen[i] = links_checksum(f.links, 7);
        for (int j = 0; j < i; j++) {
            ck_assert_uint_ne(seen[i], seen[j]);
        }
        fixture_free(&f);
    }
}
END_TEST

START_TEST(the_guided_loss_is_the_cross_entropy_of_the_row)
{
    const real a[] = {(real)0.5, (real)0.25, (real)0.25, 0};
    real da[4] = {0, 0, 0, 1};
    const int two[] = {0, 2}, gone = 3;
    /* -(log(1/2) + log(1/4)) / 2 */
    ck_assert_double_eq_tol(guided_row(da, a, two, 2, 3), 3 * 1.5 * log(2), 1e-6);
    ck_assert_double_eq_tol((double)da[0], -3 * 0.5 / 0.5, 1e-6);
    ck_assert_double_eq_tol((double)da[1], 0, 1e-6);
    ck_assert_double_eq_tol((double)da[2], -3 * 0.5 / 0.25, 1e-6);
    ck_assert_double_eq_tol((double)da[3], 1, 1e-6);
    ck_assert(isfinite(guided_row(da, a, &gone, 1, 1)) && isfinite(da[3]));
}
END_TEST

/* What a numeric derivative calls: the loss of one batch through the updater. */
typedef struct Run {
    Updater *updater;
    Seq2Seq *model;
} Run;

static double batch_loss(void *context)
{
    static const int pairs[] = {2, 0, 1};
    Run *run = context;
    Error err;
    UpdateResult result = {0};
    params_pack(run->model->params, NULL);
    ck_assert_int_eq(updater_add(run->updater, &result, pairs, 3, 0, 1, 0, &err), OK);
    return result.smoothed;
}

static Run make_run(Fixture *f, AttentionType attention, ModelMoments *moments, double weight)
{
    Error err;
    Run run;
    Config config = toy_config();
    config.attention = attention;
    config.source_vocab = tokenizer_size(f->source);
    config.target_vocab = tokenizer_size(f->target);
    run.model = toy_model(&config, 3);
    const size_t n = run.model->params->count;
    *moments = (ModelMoments){.m = mem_alloc_aligned(n, sizeof(real)),
                              .v = mem_alloc_aligned(n, sizeof(real))};
    const DataOptions whole = {.max_length = 100};
    ck_assert_int_eq(data_create(&f->data, f->corpus, f->source, f->target, &whole, NULL, &err),
                     OK);
    const UpdateOptions options = {.noise = {.input = 0.3, .readout = 0.2, .source_word = 0.2},
                                   .label_smoothing = 0.1,
                                   .links = f->links,
                                   .guide_weight = weight};
    ck_assert_int_eq(
        updater_create(&run.updater, run.model, moments, f->data, &options, NULL, &err), OK);
    return run;
}

static void run_free(Run *run, ModelMoments *moments)
{
    updater_free(run->updater);
    seq2seq_free(run->model);
    model_moments_free(moments);
}

#ifdef REAL_IS_DOUBLE

/* The first call sets the gradients; later ones add to them, so they are kept aside. */
START_TEST(gradients_of_a_guided_update)
{
    for (int attention = 0; attention < ATTENTION_NONE; attention++) {
        Fixture f = fixture(PAIRS, TOKENIZER_SPACE);
        Error err;
        ModelMoments moments;
        ck_assert_int_eq(load_links(&f, "0-0 3-0 1-2\n\n1-0\n0-1 0-2\n", 0, &err), OK);
        Run run = make_run(&f, (AttentionType)attention, &moments, 0.7);
        ParamList *params = run.model->params;
        (void)batch_loss(&run);
        real *kept = mem_alloc(params->count, sizeof *kept);
        memcpy(kept, params->grads, params->count * sizeof *kept);
        for (int i = 0; i < params->n; i++) {
            const Param *p = &params->items[i];
            const Mat analytic = {.v = kept + (p->val.v - params->values),
                                  .rows = p->val.rows,
                                  .cols = p->val.cols,
                                  .stride = p->val.stride};
            ck_assert_int_eq(gradcheck_mat(p->name, p->val, analytic, batch_loss, &run), 0);
        }
        mem_free(kept);
        run_free(&run, &moments);
        fixture_free(&f);
    }
}
END_TEST

#define GRADIENT_TESTS tcase_add_test(c, gradients_of_a_guided_update);
#else
#define GRADIENT_TESTS
#endif

/* The loss grows in proportion to the weight, and not at all without links. */
START_TEST(the_weight_multiplies_the_guided_loss)
{
    double loss[3];
    for (int i = 0; i < 3; i++) {
        Fixture f = fixture(PAIRS, TOKENIZER_SPACE);
        Error err;
        ModelMoments moments;
        ck_assert_int_eq(load_links(&f, "0-0 3-0 1-2\n\n1-0\n0-1 0-2\n", 0, &err), OK);
        Run run = make_run(&f, ATTENTION_ADDITIVE, &moments, i);
        loss[i] = batch_loss(&run);
        run_free(&run, &moments);
        fixture_free(&f);
    }
    ck_assert_double_gt(loss[1], loss[0] + 0.1);
    ck_assert_double_eq_tol(loss[2] - loss[1], loss[1] - loss[0], 1e-4);
}
END_TEST

TEST_MAIN("update", GRADIENT_TESTS tcase_add_test(c, links_go_to_the_pairs_of_their_lines);
          tcase_add_test(c, a_link_of_words_links_all_their_pieces);
          tcase_add_test(c, links_of_pieces_stay_as_they_are);
          tcase_add_test(c, wrong_links_are_refused_with_file_and_line);
          tcase_add_test(c, the_checksum_sees_every_link);
          tcase_add_test(c, the_guided_loss_is_the_cross_entropy_of_the_row);
          tcase_add_test(c, the_weight_multiplies_the_guided_loss);)

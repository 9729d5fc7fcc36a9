/* The search for the best words, with and without the copy in bytes. */
#include "nn/word_search.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "math/vec.h"
#include "support/check_main.h"
#include "support/random_mat.h"

enum { R = 21, E = 37, V = 5003, K = 40 };

typedef struct Fixture {
    ParamList *params;
    Readout readout;
    Arena *arena;
    Mat o;
} Fixture;

static Fixture fixture(int is_screened)
{
    Fixture f = {0};
    Rng rng = rng_stream(21, 1, 1);
    ck_assert_int_eq(params_create(&f.params, NULL), OK);
    ck_assert_int_eq(arena_create(&f.arena, 0, NULL), OK);
    ck_assert_int_eq(readout_create(&f.readout, f.params, E, 2, V, NULL, 0, NULL), OK);
    random_params(f.params, &rng);
    f.o = random_mat(R, E, &rng);
    if (is_screened) {
        ck_assert_int_eq(params_screen(f.readout.output, NULL, NULL), OK);
        ck_assert(f.readout.output->screen->is_current);
    }
    return f;
}

static void fixture_free(Fixture *f)
{
    params_free(f->params);
    arena_free(f->arena);
    mem_free(f->o.v);
}

static WordSearch search(Fixture *f, Mat o, int k)
{
    WordSearch s;
    ck_assert_int_eq(word_search_alloc(&s, &f->readout, f->arena, o.rows, k, NULL), OK);
    word_search(&f->readout, &s, o);
    return s;
}

/* The logits of a row in double. */
static void logits_of(double *logits, const Fixture *f, int row)
{
    const Weights *W = f->readout.output;
    for (int v = 0; v < V; v++) {
        logits[v] = (double)f->readout.output_bias->val.v[v];
        for (int k = 0; k < E; k++) {
            logits[v] += (double)mat_row(W->param->val, v)[k] * (double)mat_row(f->o, row)[k];
        }
    }
}

static double sum_of(const double *logits)
{
    double max = logits[0], sum = 0;
    for (int v = 1; v < V; v++) {
        max = logits[v] > max ? logits[v] : max;
    }
    for (int v = 0; v < V; v++) {
        sum += exp(logits[v] - max);
    }
    return max + log(sum);
}

/* Each place holds a word that has not been named, and none of those left is better. */
static void expect_best(const WordSearch *s, int row, double *logits)
{
    const double tolerance = 1e-4;
    ck_assert_int_eq(s->n[row], s->k);
    for (int i = 0; i < s->k; i++) {
        const int word = s->word[row * s->k + i];
        ck_assert_double_eq_tol((double)s->logit[row * s->k + i], logits[word], tolerance);
        for (int v = 0; v < V; v++) {
            ck_assert(logits[v] <= logits[word] + tolerance);
        }
        logits[word] = -INFINITY;
    }
}

static void expect_search(int is_screened, double lse_tolerance)
{
    static double logits[V];
    Fixture f = fixture(is_screened);
    const int ks[] = {1, 7, K};
    for (int i = 0; i < 3; i++) {
        const WordSearch s = search(&f, f.o, ks[i]);
        ck_assert_int_eq(s.is_screened, is_screened);
        for (int row = 0; row < R; row++) {
            logits_of(logits, &f, row);
            ck_assert_double_eq_tol((double)s.lse[row], sum_of(logits), lse_tolerance);
            expect_best(&s, row, logits);
        }
    }
    fixture_free(&f);
}

START_TEST(best_words_equal_a_selection)
{
    expect_search(0, 1e-4);
}
END_TEST

START_TEST(best_words_are_exact_behind_a_screen)
{
    expect_search(1, 5e-3);
}
END_TEST

/* Alone or in company, few or many words: the same bits. */
START_TEST(a_row_does_not_depend_on_the_others_or_on_the_number_of_words)
{
    Fixture f = fixture(_i);
    const WordSearch all = search(&f, f.o, 5);
    for (int row = 0; row < R; row++) {
        const WordSearch one = search(&f, mat_rows(f.o, row, 1), K);
        ck_assert_mem_eq(one.lse, &all.lse[row], sizeof(real));
        ck_assert_mem_eq(one.word, all.word + row * 5, 5 * sizeof(int));
        ck_assert_mem_eq(one.logit, all.logit + row * 5, 5 * sizeof(real));
        for (int i = 0; i < K; i++) {
            const real logit = word_logit(&f.readout, mat_row(f.o, row), one.word[i]);
            ck_assert_mem_eq(&one.logit[i], &logit, sizeof logit);
        }
    }
    fixture_free(&f);
}
END_TEST

START_TEST(logits_in_memory_have_the_sum_of_the_search)
{
    Fixture f = fixture(0);
    const WordSearch s = search(&f, f.o, 1);
    Mat logits;
    ck_assert_int_eq(mat_alloc(&logits, f.arena, R, V, NULL), OK);
    weights_forward(logits, f.o, f.readout.output, f.readout.output_bias);
    for (int row = 0; row < R; row++) {
        const real lse = word_lse(mat_row(logits, row), V);
        ck_assert_mem_eq(&lse, &s.lse[row], sizeof lse);
    }
    fixture_free(&f);
}
END_TEST

/* All words alike: more than a row has room for, and the smaller ones win. */
START_TEST(equal_words_go_to_the_smaller_one)
{
    Fixture f = fixture(0);
    const Mat W = f.readout.output->param->val;
    for (int v = 0; v < V; v++) {
        memcpy(mat_row(W, v), mat_row(W, 0), E * sizeof(real));
        f.readout.output_bias->val.v[v] = 0;
    }
    params_pack(f.params, NULL);
    if (_i == 1) {
        ck_assert_int_eq(params_screen(f.readout.output, NULL, NULL), OK);
    }
    const WordSearch s = search(&f, f.o, K);
    for (int row = 0; row < R; row++) {
        ck_assert_int_eq(s.n[row], K);
        for (int i = 0; i < K; i++) {
            ck_assert_int_eq(s.word[row * K + i], i);
        }
        ck_assert_double_eq_tol((double)s.lse[row], (double)s.logit[row * K] + log((double)V),
                                _i == 1 ? 0.05 : 1e-4); /* all bytes are off by the same */
    }
    fixture_free(&f);
}
END_TEST

/* One word of many is far above the others, which are too many to look at exactly when the weights
 * hardly differ. */
START_TEST(a_row_with_too_many_words_in_question_is_searched_whole)
{
    static double logits[V];
    Fixture f = fixture(0);
    const Mat W = f.readout.output->param->val;
    for (int v = 1; v < V; v++) {
        memcpy(mat_row(W, v), mat_row(W, 0), E * sizeof(real));
        mat_row(W, v)[0] += (real)1e-3 * (real)(v % 1000);
    }
    memset(f.readout.output_bias->val.v, 0, V * sizeof(real));
    for (int k = 0; k < E; k++) {
        mat_row(W, V - 1)[k] *= 30; /* its bytes are coarse, and with them the bound of all */
    }
    params_pack(f.params, NULL);
    ck_assert_int_eq(params_screen(f.readout.output, NULL, NULL), OK);
    const WordSearch s = search(&f, f.o, 7);
    for (int row = 0; row < R; row++) {
        logits_of(logits, &f, row);
        expect_best(&s, row, logits);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(new_weights_leave_the_screen_behind)
{
    Fixture f = fixture(1);
    params_pack(f.params, NULL);
    ck_assert(!f.readout.output->screen->is_current);
    ck_assert_int_eq(search(&f, f.o, 1).is_screened, 0);
    mat_row(f.readout.output->param->val, V / 2)[E / 2] = NAN;
    ck_assert_int_eq(params_screen(f.readout.output, NULL, NULL), OK);
    ck_assert(!f.readout.output->screen->is_current);
    fixture_free(&f);
}
END_TEST

START_TEST(a_row_that_is_no_number_shows_it)
{
    Fixture f = fixture(_i);
    mat_row(f.o, 3)[1] = NAN;
    const WordSearch s = search(&f, f.o, 5);
    for (int row = 0; row < R; row++) {
        ck_assert_int_eq(isnan(s.lse[row]) != 0, row == 3);
    }
    fixture_free(&f);
}
END_TEST

TEST_MAIN("word_search", tcase_add_test(c, best_words_equal_a_selection);
          tcase_add_test(c, best_words_are_exact_behind_a_screen);
          tcase_add_loop_test(c, a_row_does_not_depend_on_the_others_or_on_the_number_of_words, 0,
                              2);
          tcase_add_test(c, logits_in_memory_have_the_sum_of_the_search);
          tcase_add_loop_test(c, equal_words_go_to_the_smaller_one, 0, 2);
          tcase_add_test(c, a_row_with_too_many_words_in_question_is_searched_whole);
          tcase_add_test(c, new_weights_leave_the_screen_behind);
          tcase_add_loop_test(c, a_row_that_is_no_number_shows_it, 0, 2);)

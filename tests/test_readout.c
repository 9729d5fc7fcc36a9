/* nn/readout, nn/loss, nn/dropout: gradients, the loss by its definition, masks. */
#include "nn/readout.h"

#include "base/mem.h"
#include "nn/dropout.h"
#include "nn/loss.h"
#include "support/check_main.h"
#include "support/gradcheck.h"
#include "support/random_mat.h"

enum { N = 4, E = 3, H = 2, V = 6 };

static const int TARGETS[N] = {1, 1, 5, 5}; /* in pairs, as R-Drop wants them */

typedef struct Fixture {
    ParamList *params;
    Arena *arena;
    Readout readout;
    ReadoutTape tape;
    Mat s, y, c, ds, dy, dc;
    Gradients *gradients;
    double pair_weight;
} Fixture;

static Fixture fixture(int is_normalized, int has_mask, int is_tied)
{
    Fixture f = {0};
    Error err;
    Rng rng = rng_stream(13, (uint64_t)is_normalized, (uint64_t)has_mask);
    Param *table = NULL;
    ck_assert_int_eq(params_create(&f.params, &err), OK);
    ck_assert_int_eq(arena_create(&f.arena, 0, &err), OK);
    if (is_tied) {
        ck_assert_int_eq(params_add(f.params, &table, INIT_EMBEDDING, V, E, &err, "table"), OK);
    }
    ck_assert_int_eq(readout_create(&f.readout, f.params, E, H, V, table, is_normalized, &err), OK);
    random_params(f.params, &rng);
    ck_assert_int_eq(readout_tape_alloc(&f.tape, &f.readout, f.arena, N, 1, has_mask, &err), OK);
    ck_assert_int_eq(readout_logits_alloc(&f.tape, &f.readout, f.arena, &err), OK);
    if (has_mask) {
        dropout_mask(f.tape.mask, 0.5, &rng);
    }
    f.s = random_mat(N, H, &rng);
    f.y = random_mat(N, E, &rng);
    f.c = random_mat(N, 2 * H, &rng);
    f.ds = zero_mat(N, H);
    f.dy = zero_mat(N, E);
    f.dc = zero_mat(N, 2 * H);
    f.gradients = mem_zero_alloc(1, sizeof *f.gradients);
    return f;
}

static void fixture_free(Fixture *f)
{
    params_free(f->params);
    arena_free(f->arena);
    mem_free(f->s.v);
    mem_free(f->y.v);
    mem_free(f->c.v);
    mem_free(f->ds.v);
    mem_free(f->dy.v);
    mem_free(f->dc.v);
    mem_free(f->gradients);
}

/* The logits become their gradient. */
static double forward(void *context)
{
    Fixture *f = context;
    Loss loss = {0};
    params_pack(f->params, NULL);
    readout_forward(&f->readout, &f->tape, f->s, f->y, f->c);
    readout_logits_forward(&f->readout, &f->tape);
    if (f->pair_weight > 0) {
        loss_pairs_forward_backward(&loss, f->tape.logits, TARGETS, 0.1, f->pair_weight);
    } else {
        loss_forward_backward(&loss, f->tape.logits, TARGETS, 0.1);
    }
    return loss.smoothed;
}

START_TEST(gradients_of_readout_and_loss)
{
    for (int variant = 0; variant < 16; variant++) {
        Fixture f = fixture(variant & 1, (variant & 2) != 0, (variant & 4) != 0);
        f.pair_weight = variant & 8 ? 3 : 0;
        (void)forward(&f);
        readout_backward(&f.readout, &f.tape, f.gradients, f.ds, f.dy, f.dc, f.s, f.y, f.c);
        gradients_form_all(f.params, f.gradients);
#ifdef REAL_IS_DOUBLE
        ck_assert_int_eq(gradcheck_params(f.params, forward, &f), 0);
        ck_assert_int_eq(gradcheck_mat("s", f.s, f.ds, forward, &f), 0);
        ck_assert_int_eq(gradcheck_mat("y", f.y, f.dy, forward, &f), 0);
        ck_assert_int_eq(gradcheck_mat("c", f.c, f.dc, forward, &f), 0);
#endif
        fixture_free(&f);
    }
}
END_TEST

START_TEST(the_loss_follows_its_definition)
{
    real logits[3] = {1, 2, 4};
    const int target = 1;
    Loss loss = {0};
    const double lse = log(exp(1.0) + exp(2.0) + exp(4.0));
    loss_forward_backward(&loss, mat(logits, 1, 3), &target, 0.3);
    ck_assert_double_eq_tol(loss.nll, lse - 2, 1e-6);
    ck_assert_double_eq_tol(loss.smoothed, 0.7 * (lse - 2) + 0.3 * (lse - 7.0 / 3), 1e-6);
    ck_assert_double_eq_tol((double)logits[1], exp(2 - lse) - 0.7 - 0.1, 1e-6);
    ck_assert_double_eq_tol((double)logits[2], exp(4 - lse) - 0.1, 1e-6);
}
END_TEST

START_TEST(equal_rows_have_no_divergence)
{
    real pair[6] = {1, 2, 4, 1, 2, 4}, single[3] = {1, 2, 4};
    const int targets[2] = {1, 1};
    Loss two = {0}, one = {0};
    loss_pairs_forward_backward(&two, mat(pair, 2, 3), targets, 0.1, 5);
    loss_forward_backward(&one, mat(single, 1, 3), targets, 0.1);
    ck_assert_double_eq_tol(two.smoothed, 2 * one.smoothed, 1e-5);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol((double)pair[i], (double)single[i], 1e-6);
    }
}
END_TEST

START_TEST(masks_keep_the_mean_and_the_rate)
{
    Rng rng = rng_stream(1, 2, 3);
    const Mat mask = zero_mat(100, 101);
    dropout_mask(mask, 0.3, &rng);
    double sum = 0;
    int n_zero = 0;
    for (int i = 0; i < 100 * 101; i++) {
        sum += (double)mask.v[i];
        n_zero += mask.v[i] == 0;
        ck_assert(mask.v[i] == 0 || fabs((double)mask.v[i] - 1 / 0.7) < 1e-6);
    }
    ck_assert_double_eq_tol(sum / 10100, 1, 0.03);
    ck_assert_double_eq_tol(n_zero / 10100.0, 0.3, 0.02);
    mem_free(mask.v);
}
END_TEST

START_TEST(words_are_dropped_at_the_rate)
{
    Rng rng = rng_stream(1, 2, 3);
    int ids[10000], n_dropped = 0;
    for (int i = 0; i < 10000; i++) {
        ids[i] = 7;
    }
    dropout_words(ids, 10000, 0.2, &rng);
    for (int i = 0; i < 10000; i++) {
        n_dropped += ids[i] == -1;
        ck_assert(ids[i] == -1 || ids[i] == 7);
    }
    ck_assert_int_gt(n_dropped, 1850);
    ck_assert_int_lt(n_dropped, 2150);
}
END_TEST

TEST_MAIN("readout", tcase_add_test(c, gradients_of_readout_and_loss);
          tcase_add_test(c, the_loss_follows_its_definition);
          tcase_add_test(c, equal_rows_have_no_divergence);
          tcase_add_test(c, masks_keep_the_mean_and_the_rate);
          tcase_add_test(c, words_are_dropped_at_the_rate);)

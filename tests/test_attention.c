/* nn/attention: weights by definition, padding, shared sentences, large numbers, gradients. */
#include "nn/attention.h"

#include "base/mem.h"
#include "support/check_main.h"
#include "support/gradcheck.h"
#include "support/random_mat.h"

/* Two sentences of 3 and 1 positions; three queries, of which two share the first sentence. */
enum { B = 2, S = 3, N = 4, R = 3, H = 3, A = 4 };

static const int LENGTH[B] = {3, 1};
static const int POSITION[B * S] = {0, 2, 3, 1, 0, 0};
static const int SENTENCE[R] = {0, 1, 0};

typedef struct Fixture {
    ParamList *params;
    Arena *arena;
    Attention attention;
    Memory memory;
    AttentionTape tape;
    Mat h, q, c, weights, dweights, dq;
    Gradients *gradients;
} Fixture;

static Fixture fixture(AttentionType type)
{
    Fixture f = {0};
    Error err;
    Rng rng = rng_stream(12, (uint64_t)type, 0);
    ck_assert_int_eq(params_create(&f.params, &err), OK);
    ck_assert_int_eq(arena_create(&f.arena, 0, &err), OK);
    ck_assert_int_eq(attention_create(&f.attention, f.params, type, H, A, &err), OK);
    random_params(f.params, &rng);
    f.h = random_mat(N, 2 * H, &rng);
    f.q = random_mat(R, H, &rng);
    f.weights = random_mat(R, 2 * H, &rng);
    f.dweights = random_mat(R, S, &rng);
    f.c = zero_mat(R, 2 * H);
    f.dq = zero_mat(R, H);
    f.memory = (Memory){.h = f.h, .S = S, .position = POSITION, .length = LENGTH};
    ck_assert_int_eq(memory_alloc(&f.memory, &f.attention, f.arena, N, 1, &err), OK);
    ck_assert_int_eq(attention_tape_alloc(&f.tape, &f.attention, f.arena, R, S, 1, &err), OK);
    f.gradients = mem_zero_alloc(1, sizeof *f.gradients);
    return f;
}

static void fixture_free(Fixture *f)
{
    params_free(f->params);
    arena_free(f->arena);
    mem_free(f->h.v);
    mem_free(f->q.v);
    mem_free(f->weights.v);
    mem_free(f->dweights.v);
    mem_free(f->c.v);
    mem_free(f->dq.v);
    mem_free(f->gradients);
}

static double forward(void *context)
{
    Fixture *f = context;
    params_pack(f->params, NULL);
    attention_keys_forward(&f->attention, &f->memory);
    attention_step_forward(&f->attention, &f->tape, &f->memory, 0, f->c, f->q, SENTENCE);
    return weighted_sum(f->c, f->weights) + weighted_sum(f->tape.weights, f->dweights);
}

static void backward(Fixture *f)
{
    attention_step_backward(&f->attention, &f->tape, &f->memory, 0, f->dq, f->weights, f->dweights,
                            f->q, SENTENCE);
    attention_note(&f->attention, &f->tape, f->gradients, f->q);
    attention_keys_backward(&f->attention, &f->memory, f->gradients);
    gradients_form_all(f->params, f->gradients);
}

START_TEST(weights_sum_to_one_and_padding_has_none)
{
    for (int type = 0; type <= ATTENTION_NONE; type++) {
        Fixture f = fixture((AttentionType)type);
        (void)forward(&f);
        for (int i = 0; i < R; i++) {
            const real *a = mat_row(f.tape.weights, i);
            double sum = 0;
            for (int s = 0; s < S; s++) {
                sum += (double)a[s];
                ck_assert(s < LENGTH[SENTENCE[i]] || a[s] == 0);
            }
            ck_assert_double_eq_tol(sum, 1, 1e-6);
        }
        fixture_free(&f);
    }
}
END_TEST

/* e_s = v . tanh(W_q q + W_k h_s + b) by its definition, in double. */
static double additive_score(const Fixture *f, const real *q, const real *h)
{
    const Mat Wq = f->attention.query->param->val, Wk = f->attention.key->param->val;
    double e = 0;
    for (int a = 0; a < A; a++) {
        double sum = (double)f->attention.bias->val.v[a];
        for (int i = 0; i < H; i++) {
            sum += (double)mat_row(Wq, a)[i] * (double)q[i];
        }
        for (int i = 0; i < 2 * H; i++) {
            sum += (double)mat_row(Wk, a)[i] * (double)h[i];
        }
        e += (double)f->attention.score->val.v[a] * tanh(sum);
    }
    return e;
}

static void expect_definition(Fixture *f)
{
    (void)forward(f);
    for (int i = 0; i < R; i++) {
        const int b = SENTENCE[i];
        double e[S], total = 0;
        for (int s = 0; s < LENGTH[b]; s++) {
            e[s] = exp(additive_score(f, mat_row(f->q, i), mat_row(f->h, POSITION[b * S + s])));
            total += e[s];
        }
        for (int s = 0; s < LENGTH[b]; s++) {
            ck_assert_double_eq_tol((double)mat_row(f->tape.weights, i)[s], e[s] / total, 2e-6);
        }
    }
}

START_TEST(additive_weights_follow_the_definition)
{
    Fixture f = fixture(ATTENTION_ADDITIVE);
    expect_definition(&f);
    fixture_free(&f);
}
END_TEST

START_TEST(large_numbers_switch_to_the_tanh_and_stay_right)
{
    const real sizes[] = {20, 42, 44, 60, 300};
    for (int i = 0; i < 5; i++) {
        Fixture f = fixture(ATTENTION_ADDITIVE);
        /* A key of this size against queries of the other sign, so that the sum is moderate. */
        f.attention.bias->val.v[1] = sizes[i];
        const Mat Wq = f.attention.query->param->val;
        for (int j = 0; j < H; j++) {
            mat_row(Wq, 1)[j] = 0;
        }
        mat_row(Wq, 1)[0] = 1;
        for (int r = 0; r < R; r++) {
            mat_row(f.q, r)[0] = -sizes[i];
        }
        expect_definition(&f);
        fixture_free(&f);
    }
}
END_TEST

START_TEST(queries_of_one_sentence_do_not_disturb_each_other)
{
    Fixture f = fixture(ATTENTION_ADDITIVE);
    (void)forward(&f);
    real together[2 * H];
    for (int i = 0; i < 2 * H; i++) {
        together[i] = mat_row(f.c, 2)[i];
    }
    attention_step_forward(&f.attention, &f.tape, &f.memory, 0, mat_rows(f.c, 0, 1),
                           mat_rows(f.q, 2, 1), SENTENCE + 2);
    ck_assert_mem_eq(f.c.v, together, sizeof together);
    fixture_free(&f);
}
END_TEST

START_TEST(gradients_of_all_four_functions)
{
#ifdef REAL_IS_DOUBLE
    for (int type = 0; type <= ATTENTION_NONE; type++) {
        Fixture f = fixture((AttentionType)type);
        if (type == ATTENTION_NONE) {
            mat_zero(f.dweights); /* fixed weights have no gradient */
        }
        (void)forward(&f);
        backward(&f);
        ck_assert_int_eq(gradcheck_params(f.params, forward, &f), 0);
        ck_assert_int_eq(gradcheck_mat("h", f.h, f.memory.dh, forward, &f), 0);
        ck_assert_int_eq(gradcheck_mat("q", f.q, f.dq, forward, &f), 0);
        fixture_free(&f);
    }
#else
    Fixture f = fixture(ATTENTION_DOT);
    (void)forward(&f);
    backward(&f); /* that it runs in float too */
    fixture_free(&f);
#endif
}
END_TEST

TEST_MAIN("attention", tcase_add_test(c, weights_sum_to_one_and_padding_has_none);
          tcase_add_test(c, additive_weights_follow_the_definition);
          tcase_add_test(c, large_numbers_switch_to_the_tanh_and_stay_right);
          tcase_add_test(c, queries_of_one_sentence_do_not_disturb_each_other);
          tcase_add_test(c, gradients_of_all_four_functions);)

/* nn/gru: one step of the cell against its equations, its gradients, masks, and sizes of one. */
#include "nn/gru.h"

#include "base/mem.h"
#include "support/check_main.h"
#include "support/gradcheck.h"
#include "support/random_mat.h"

typedef struct GruFixture {
    ParamList *params;
    Arena *arena;
    Gru gru;
    GruTape tape;
    Mat x, s, s_out, mask, weights, dx, ds;
    Gradients *gradients;
} GruFixture;

static GruFixture fixture(int B, int X, int H, int is_normalized, int has_mask)
{
    GruFixture f = {0};
    Error err;
    Rng rng = rng_stream(11, (uint64_t)(B * 100 + X * 10 + H), 0);
    ck_assert_int_eq(params_create(&f.params, &err), OK);
    ck_assert_int_eq(arena_create(&f.arena, 0, &err), OK);
    ck_assert_int_eq(gru_create(&f.gru, f.params, "cell", H, &X, X > 0, is_normalized, &err), OK);
    random_params(f.params, &rng);
    ck_assert_int_eq(gru_tape_alloc(&f.tape, &f.gru, f.arena, B, B, 1, has_mask, &err), OK);
    f.x = random_mat(B, X > 0 ? X : 1, &rng);
    f.s = random_mat(B, H, &rng);
    f.weights = random_mat(B, H, &rng);
    f.s_out = zero_mat(B, H);
    f.dx = zero_mat(B, X > 0 ? X : 1);
    f.ds = zero_mat(B, H);
    if (has_mask) {
        f.mask = random_mat(B, H, &rng);
    } else {
        f.mask = (Mat){NULL, B, H, H};
    }
    f.gradients = mem_zero_alloc(1, sizeof *f.gradients);
    return f;
}

static void fixture_free(GruFixture *f)
{
    params_free(f->params);
    arena_free(f->arena);
    mem_free(f->x.v);
    mem_free(f->s.v);
    mem_free(f->s_out.v);
    mem_free(f->mask.v);
    mem_free(f->weights.v);
    mem_free(f->dx.v);
    mem_free(f->ds.v);
    mem_free(f->gradients);
}

static double forward(void *context)
{
    GruFixture *f = context;
    params_pack(f->params, NULL);
    if (f->gru.n_inputs > 0) {
        gru_input_forward(&f->gru, &f->tape, 0, f->x, 0, 1);
        gru_input_finish(&f->gru, &f->tape, 0, f->x.rows);
    }
    gru_step_forward(&f->gru, &f->tape, 0, f->s_out, f->s, f->mask);
    return weighted_sum(f->s_out, f->weights);
}

static void backward(GruFixture *f)
{
    f->gradients->n = 0;
    gru_step_backward(&f->gru, &f->tape, 0, f->ds, f->weights, f->mask);
    if (f->gru.n_inputs > 0) {
        gru_input_finish_backward(&f->gru, &f->tape, 0, f->x.rows);
        gru_input_backward(&f->gru, &f->tape, 0, f->dx, 0, 0);
        gru_note_input(&f->gru, &f->tape, f->gradients, f->x, 0);
    }
    gru_note_state(&f->gru, &f->tape, f->gradients);
    gradients_form_all(f->params, f->gradients);
}

START_TEST(gru_step_follows_its_equations)
{
    GruFixture f = fixture(2, 3, 4, 0, 0);
    (void)forward(&f);
    const Mat Wi = params_find(f.params, "cell.weight_ih")->val;
    const Mat Wh = params_find(f.params, "cell.weight_hh")->val;
    const real *bi = f.gru.bias_ih->val.v, *bh = f.gru.bias_hh->val.v;
    for (int b = 0; b < 2; b++) {
        for (int j = 0; j < 4; j++) {
            double gate[3], state[3];
            for (int k = 0; k < 3; k++) {
                gate[k] = (double)bi[4 * k + j];
                state[k] = (double)bh[4 * k + j];
                for (int i = 0; i < 3; i++) {
                    gate[k] += (double)mat_row(Wi, 4 * k + j)[i] * (double)mat_row(f.x, b)[i];
                }
                for (int i = 0; i < 4; i++) {
                    state[k] += (double)mat_row(Wh, 4 * k + j)[i] * (double)mat_row(f.s, b)[i];
                }
            }
            const double r = 1 / (1 + exp(-gate[0] - state[0]));
            const double z = 1 / (1 + exp(-gate[1] - state[1]));
            const double n = tanh(gate[2] + r * state[2]);
            ck_assert_double_eq_tol((double)mat_row(f.s_out, b)[j],
                                    (1 - z) * n + z * (double)mat_row(f.s, b)[j], 1e-5);
        }
    }
    fixture_free(&f);
}
END_TEST

START_TEST(gru_overwrites_its_state_in_place)
{
    GruFixture f = fixture(3, 2, 5, 0, 0);
    (void)forward(&f);
    gru_step_forward(&f.gru, &f.tape, 0, f.s, f.s, f.mask);
    ck_assert_mem_eq(f.s.v, f.s_out.v, 15 * sizeof(real));
    fixture_free(&f);
}
END_TEST

START_TEST(a_second_backward_doubles_the_gradient)
{
    GruFixture f = fixture(2, 3, 4, 0, 0);
    (void)forward(&f);
    backward(&f);
    const real once = f.gru.bias_hh->grad.v[2];
    backward(&f);
    ck_assert_double_eq_tol((double)f.gru.bias_hh->grad.v[2], 2 * (double)once, 1e-6);
    fixture_free(&f);
}
END_TEST

START_TEST(gradients_of_the_cell)
{
#ifdef REAL_IS_DOUBLE
    const int sizes[][3] = {{2, 3, 4}, {1, 1, 1}, {3, 0, 2}}; /* B, X, H; X = 0 is without input */
    for (int i = 0; i < 3; i++) {
        for (int variant = 0; variant < 4; variant++) {
            GruFixture f =
                fixture(sizes[i][0], sizes[i][1], sizes[i][2], variant & 1, (variant & 2) != 0);
            if ((variant & 1) && sizes[i][2] == 1) {
                fixture_free(&f); /* three numbers normalised have hardly a gradient to compare */
                continue;
            }
            (void)forward(&f);
            backward(&f);
            ck_assert_int_eq(gradcheck_params(f.params, forward, &f), 0);
            ck_assert_int_eq(gradcheck_mat("s", f.s, f.ds, forward, &f), 0);
            if (sizes[i][1] > 0) {
                ck_assert_int_eq(gradcheck_mat("x", f.x, f.dx, forward, &f), 0);
            }
            fixture_free(&f);
        }
    }
#endif
}
END_TEST

TEST_MAIN("gru", tcase_add_test(c, gru_step_follows_its_equations);
          tcase_add_test(c, gru_overwrites_its_state_in_place);
          tcase_add_test(c, a_second_backward_doubles_the_gradient);
          tcase_add_test(c, gradients_of_the_cell);)

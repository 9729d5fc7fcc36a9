/* The helpers of the tests can fail: the gradient checker rejects what is wrong. */
#include "support/check_main.h"
#include "support/gradcheck.h"

#ifdef REAL_IS_DOUBLE

enum { N = 6 };

/* f(x) = sum x^3 / 3 + x_0 x_1; gradient x^2, and the other factor for the first two. */
static double cube_loss(void *context)
{
    const real *x = context;
    double sum = x[0] * x[1];
    for (int i = 0; i < N; i++) {
        sum += x[i] * x[i] * x[i] / 3;
    }
    return sum;
}

typedef struct Fixture {
    real x[N], gradient[N];
} Fixture;

static Fixture fixture(void)
{
    Fixture f = {{0.5, -1, 2, -0.25, 1.5, 3}, {0}};
    for (int i = 0; i < N; i++) {
        f.gradient[i] = f.x[i] * f.x[i];
    }
    f.gradient[0] += f.x[1];
    f.gradient[1] += f.x[0];
    return f;
}

static int n_wrong(Fixture *f)
{
    return gradcheck_mat("toy", mat(f->x, 2, 3), mat(f->gradient, 2, 3), cube_loss, f->x);
}

START_TEST(gradcheck_accepts_the_gradient)
{
    Fixture f = fixture();
    ck_assert_int_eq(n_wrong(&f), 0);
}
END_TEST

START_TEST(gradcheck_rejects_a_zeroed_gradient)
{
    Fixture f = fixture();
    for (int i = 0; i < N; i++) {
        f.gradient[i] = 0;
    }
    ck_assert_int_eq(n_wrong(&f), N);
}
END_TEST

START_TEST(gradcheck_rejects_a_flipped_sign)
{
    Fixture f = fixture();
    f.gradient[4] = -f.gradient[4];
    ck_assert_int_eq(n_wrong(&f), 1);
}
END_TEST

START_TEST(gradcheck_rejects_one_doubled_entry)
{
    Fixture f = fixture();
    f.gradient[3] *= 2;
    ck_assert_int_eq(n_wrong(&f), 1);
}
END_TEST

START_TEST(gradcheck_rejects_an_error_of_one_in_a_hundred_thousand)
{
    Fixture f = fixture();
    f.gradient[2] *= 1.00001;
    ck_assert_int_eq(n_wrong(&f), 1);
}
END_TEST

TEST_MAIN("support", tcase_add_test(c, gradcheck_accepts_the_gradient);
          tcase_add_test(c, gradcheck_rejects_a_zeroed_gradient);
          tcase_add_test(c, gradcheck_rejects_a_flipped_sign);
          tcase_add_test(c, gradcheck_rejects_one_doubled_entry);
          tcase_add_test(c, gradcheck_rejects_an_error_of_one_in_a_hundred_thousand);)

#else

START_TEST(float_differences_say_nothing)
{
    ck_assert_uint_eq(sizeof(real), sizeof(float));
}
END_TEST

TEST_MAIN("support", tcase_add_test(c, float_differences_say_nothing);)

#endif

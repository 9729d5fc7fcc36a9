/* math/quantize: bytes with a scale, and bf16. */
#include "math/quantize.h"

#include <string.h>

#include "base/rng.h"
#include "math/vec.h"
#include "support/check_main.h"

static const char *const SETS[] = {"plain", "sse2", "avx2", "avx512"};

/* Each number comes back to within half a step, and the bytes are the same in every table. */
START_TEST(rows_come_back_to_within_half_a_step)
{
    enum { ROWS = 70, COLS = 70 };
    static real w[ROWS * COLS], back[COLS];
    static int8_t q[ROWS * COLS], plain[ROWS * COLS];
    real scale[ROWS];
    Rng rng = rng_stream(31, 1, 1);
    if (!vec_use(SETS[_i])) {
        return;
    }
    for (int i = 0; i < ROWS * COLS; i++) {
        w[i] = (real)(rng_normal(&rng) * (1 + i / COLS));
    }
    for (int cols = 1; cols <= COLS; cols++) {
        ck_assert(vec_use(SETS[_i]));
        quantize_rows(q, scale, (Mat){w, ROWS, cols, COLS});
        for (int i = 0; i < ROWS; i++) {
            int largest = 0;
            quantize_restore(back, q + i * cols, scale[i], cols);
            for (int j = 0; j < cols; j++) {
                const double apart = fabs((double)back[j] - (double)w[i * COLS + j]);
                const int size = q[i * cols + j] < 0 ? -q[i * cols + j] : q[i * cols + j];
                largest = size > largest ? size : largest;
                if (!(apart <= 0.50001 * (double)scale[i])) {
                    ck_abort_msg("row %d of %d: %g apart", i, cols, apart);
                }
            }
            ck_assert_int_eq(largest, 127);
        }
        ck_assert(vec_use("plain"));
        quantize_rows(plain, scale, (Mat){w, ROWS, cols, COLS});
        ck_assert(memcmp(q, plain, (size_t)(ROWS * cols)) == 0);
    }
}
END_TEST

START_TEST(halves_go_to_the_even_and_tiny_rows_to_zero)
{
    real w[] = {127, (real)2.5, (real)-2.5, (real)3.5,   (real)0.5, -127, 0, 0, 0,
                0,   0,         0,          (real)1e-45, 0,         0,    0, 0, 0};
    const int8_t want[] = {127, 2, -2, 4, 0, -127, 0, 0, 0, 0, 0, 0};
    int8_t q[18];
    real scale[3];
    if (!vec_use(SETS[_i])) {
        return;
    }
    quantize_rows(q, scale, mat(w, 3, 6));
    ck_assert(memcmp(q, want, sizeof want) == 0);
    ck_assert(scale[0] == 1 && scale[1] == 0);
    ck_assert((double)scale[2] * q[12] <= 1e-44); /* in double it still has a scale */
}
END_TEST

START_TEST(largest_size_keeps_nan_and_infinity)
{
    real x[70];
    const VecOps *ops = vec_find(SETS[_i]);
    for (int n = 1; ops != NULL && n <= 70; n++) {
        for (int i = 0; i < n; i++) {
            memset(x, 0, sizeof x);
            x[i] = -3;
            ck_assert(ops->max_abs(x, n) == 3);
            x[i] = -INFINITY;
            ck_assert(ops->max_abs(x, n) == INFINITY);
            x[i] = NAN;
            ck_assert(isnan(ops->max_abs(x, n)));
        }
    }
    ck_assert(ops == NULL || ops->max_abs(x, 0) == 0);
}
END_TEST

static uint16_t one_bf16(double x)
{
    const real from = (real)x;
    uint16_t to;
    bf16_from_real(&to, &from, 1);
    return to;
}

START_TEST(bf16_rounds_to_nearest_and_ties_to_even)
{
    ck_assert_uint_eq(one_bf16(1), 0x3f80);
    ck_assert_uint_eq(one_bf16(-2), 0xc000);
    ck_assert_uint_eq(one_bf16(1 + 1.0 / 256), 0x3f80); /* a tie, down to even */
    ck_assert_uint_eq(one_bf16(1 + 3.0 / 256), 0x3f82); /* a tie, up to even */
    ck_assert_uint_eq(one_bf16(1 + 1.0 / 256 + 1e-6), 0x3f81);
    ck_assert_uint_eq(one_bf16(3.4e38),
                      0x7f80); /* beyond the largest: infinity, as rounding has it */
    ck_assert_uint_eq(one_bf16(-INFINITY), 0xff80);
    ck_assert_uint_eq(one_bf16(0), 0);
    ck_assert_uint_eq(one_bf16(NAN) & 0x7fc0, 0x7fc0);
}
END_TEST

START_TEST(bf16_numbers_come_back_as_they_are)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const uint16_t from = (uint16_t)bits;
        real x;
        uint16_t back;
        bf16_to_real(&x, &from, 1);
        bf16_from_real(&back, &x, 1);
        if (isnan(x) ? !((back & 0x7f80) == 0x7f80 && (back & 0x7f) != 0) : back != from) {
            ck_abort_msg("%04x came back as %04x", bits, back);
        }
    }
}
END_TEST

TEST_MAIN("quantize", tcase_add_loop_test(c, rows_come_back_to_within_half_a_step, 0, 4);
          tcase_add_loop_test(c, halves_go_to_the_even_and_tiny_rows_to_zero, 0, 4);
          tcase_add_loop_test(c, largest_size_keeps_nan_and_infinity, 0, 4);
          tcase_add_test(c, bf16_rounds_to_nearest_and_ties_to_even);
          tcase_add_test(c, bf16_numbers_come_back_as_they_are);)

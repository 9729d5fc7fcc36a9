/* text/unicode: the full lower-case mapping, as other implementations of Unicode give it. */
#include <string.h>

#include "base/buffer.h"
#include "support/check_main.h"
#include "text/unicode.h"

static void expect_lower(const char *text, const char *expected)
{
    uint32_t points[64], small[128];
    size_t n = 0;
    for (size_t i = 0; i < strlen(text);) {
        i += unicode_decode(text + i, strlen(text) - i, &points[n++], NULL);
    }
    n = unicode_lower(small, points, n);
    char bytes[512];
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        len += unicode_encode(small[i], bytes + len);
    }
    bytes[len] = '\0';
    ck_assert_str_eq(bytes, expected);
}

START_TEST(letters_of_all_scripts_become_small)
{
    expect_lower("ABC \u00c9\u00d1 \u0416 \u0391 \u1e9e \U00010400", "abc \u00e9\u00f1 \u0436 "
                                                                     "\u03b1 \u00df \U00010428");
    expect_lower("na\u00efve 12 \u4e2d\u6587", "na\u00efve 12 \u4e2d\u6587");
}
END_TEST

START_TEST(capital_i_with_dot_becomes_two_code_points)
{
    expect_lower("\u0130I", "i\u0307i");
}
END_TEST

START_TEST(sigma_is_final_behind_a_letter_and_before_none)
{
    expect_lower("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2");
    expect_lower("\u03a3\u039f\u03a3 \u03a3", "\u03c3\u03bf\u03c2 \u03c3");
    expect_lower("A\u03a3.", "a\u03c2.");
    expect_lower("A\u03a3.B", "a\u03c3.b"); /* a full stop may stand inside a word */
    expect_lower("A\u0301\u03a3!", "a\u0301\u03c2!");
    expect_lower(".\u03a3", ".\u03c3");
}
END_TEST

TEST_MAIN("lower", tcase_add_test(c, letters_of_all_scripts_become_small);
          tcase_add_test(c, capital_i_with_dot_becomes_two_code_points);
          tcase_add_test(c, sigma_is_final_behind_a_letter_and_before_none);)

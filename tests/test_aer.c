/* metric/aer: parsing and the rates, by hand. */
#include <string.h>

#include "metric/aer.h"
#include "support/check_main.h"

static const AerFormat ZERO = {0, -1, -1, "links", 7};

static void parse(AerLinks *out, const char *line, AerFormat format)
{
    Error err;
    ck_assert_msg(aer_parse(out, line, strlen(line), &format, &err) == OK, "%s", err.message);
}

static void expect_refusal(const char *line, AerFormat format, const char *sentence)
{
    AerLinks links = {0};
    Error err;
    ck_assert_int_eq(aer_parse(&links, line, strlen(line), &format, &err), ERR_FORMAT);
    ck_assert_str_eq(err.message, sentence);
    ck_assert_ptr_null(links.v);
}

START_TEST(links_are_sorted_and_counted_once)
{
    AerLinks links = {0};
    parse(&links, " 2-1\t0?0 0-0 1p3  2-1\r", ZERO);
    ck_assert_uint_eq(links.n, 3);
    ck_assert(links.v[0].source == 0 && links.v[0].target == 0 && links.v[0].is_sure);
    ck_assert(links.v[1].source == 1 && links.v[1].target == 3 && !links.v[1].is_sure);
    ck_assert(links.v[2].source == 2 && links.v[2].target == 1 && links.v[2].is_sure);
    parse(&links, "", ZERO);
    ck_assert_uint_eq(links.n, 0);
    aer_free(&links);
}
END_TEST

START_TEST(rates_are_those_worked_out_by_hand)
{
    /* gold: sure 0-0, 1-1, 2-2, possible 2-3, 3-2; links: 0-0, 1-1, 2-3, 4-4.
     * 2 sure hits of 3, 3 possible hits of 4 links: AER = 1 - (2 + 3) / (4 + 3). */
    AerLinks gold = {0}, links = {0};
    AerStats stats = {0};
    parse(&gold, "0-0 1-1 2-2 2?3 3p2", ZERO);
    parse(&links, "0-0 1-1 2-3 4-4", ZERO);
    aer_add(&stats, &links, &gold);
    ck_assert_double_eq_tol(aer_precision(&stats), 0.75, 1e-12);
    ck_assert_double_eq_tol(aer_recall(&stats), 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(aer_error_rate(&stats), 1 - 5.0 / 7, 1e-12);
    ck_assert_int_eq(stats.n_links, 4);
    ck_assert_int_eq(stats.n_sure, 3);
    ck_assert_int_eq(stats.n_possible, 5);
    /* a second sentence, all wrong: 1 - 5 / (6 + 4) */
    parse(&gold, "5-5", ZERO);
    parse(&links, "5-4 4-5", ZERO);
    aer_add(&stats, &links, &gold);
    ck_assert_double_eq_tol(aer_error_rate(&stats), 0.5, 1e-12);
    aer_free(&gold);
    aer_free(&links);
}
END_TEST

START_TEST(equal_links_have_no_error_and_nothing_is_no_error)
{
    AerStats stats = {0};
    ck_assert_double_eq(aer_error_rate(&stats), 0);
    ck_assert_double_eq(aer_precision(&stats), 1);
    ck_assert_double_eq(aer_recall(&stats), 1);
    AerLinks links = {0};
    parse(&links, "0-0 1-2", ZERO);
    aer_add(&stats, &links, &links);
    ck_assert_double_eq(aer_error_rate(&stats), 0);
    aer_free(&links);
}
END_TEST

START_TEST(one_based_links_are_moved)
{
    AerLinks links = {0};
    AerFormat one = ZERO;
    one.is_one_based = 1;
    parse(&links, "1-2", one);
    ck_assert(links.v[0].source == 0 && links.v[0].target == 1);
    aer_free(&links);
    expect_refusal("1-0", one, "links:7: link to target word 0, but words count from 1");
}
END_TEST

START_TEST(bad_links_are_named)
{
    const char *const suffix = " is no link; links look like 0-1, 0?1 or 0p1";
    static const char *const BAD[] = {
        "1",   "1-",    "-1",  "1--2",          "1-2-3",
        "a-b", "1.5-2", "1_2", "99999999999-0", "0-99999999999999999999"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        AerLinks links = {0};
        Error err;
        ck_assert_int_eq(aer_parse(&links, BAD[i], strlen(BAD[i]), &ZERO, &err), ERR_FORMAT);
        ck_assert_msg(strstr(err.message, suffix) != NULL, "%s", err.message);
    }
    expect_refusal("0-0 x", ZERO, "links:7: \"x\" is no link; links look like 0-1, 0?1 or 0p1");
    const AerFormat bounded = {0, 3, 2, "links", 7};
    expect_refusal("3-0", bounded, "links:7: link to source word 3, but the sentence has 3 words");
    expect_refusal("2-2", bounded, "links:7: link to target word 2, but the sentence has 2 words");
}
END_TEST

TEST_MAIN("aer", tcase_add_test(c, links_are_sorted_and_counted_once);
          tcase_add_test(c, rates_are_those_worked_out_by_hand);
          tcase_add_test(c, equal_links_have_no_error_and_nothing_is_no_error);
          tcase_add_test(c, one_based_links_are_moved); tcase_add_test(c, bad_links_are_named);)

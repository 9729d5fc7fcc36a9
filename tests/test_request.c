/* The body of POST /translate. */
#include "serve/request.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"

static const char *const NAMES[] = {"first", "second"};
static const RequestSettings FALLBACK = {0, 5, 1, 0, 0};

static Status parse(Request *out, const char *body, Error *err)
{
    return request_parse(out, body, strlen(body), NAMES, 2, &FALLBACK, err);
}

/* The body is refused with exactly this sentence. */
static void expect_refused(const char *body, Status status, const char *sentence)
{
    Request request;
    Error err = {0};
    ck_assert_int_eq(parse(&request, body, &err), status);
    ck_assert_str_eq(err.message, sentence);
}

START_TEST(one_line_takes_the_defaults)
{
    Request request;
    Error err = {0};
    ck_assert_int_eq(parse(&request, "{\"text\":\"guten Morgen\"}", &err), OK);
    ck_assert_int_eq(request.n_lines, 1);
    ck_assert_int_eq((int)request.lines[0].len, 12);
    ck_assert_mem_eq(request.lines[0].bytes, "guten Morgen", 12);
    ck_assert_ptr_null(request.prefixes[0].bytes);
    ck_assert_mem_eq(&request.settings, &FALLBACK, sizeof FALLBACK);
    request_free(&request);
}
END_TEST

START_TEST(everything_given_is_read)
{
    Request request;
    Error err = {0};
    ck_assert_int_eq(parse(&request,
                           "{\"text\":[\"a\",\"\",\"x\\u0000y\"],\"model\":\"second\","
                           "\"beam_size\":32,\"n_best\":7,\"attention\":true,\"pieces\":true,"
                           "\"prefix\":[\"p\",null,\"\"]}",
                           &err),
                     OK);
    const RequestSettings expected = {1, 32, 7, 1, 1};
    ck_assert_mem_eq(&request.settings, &expected, sizeof expected);
    ck_assert_int_eq(request.n_lines, 3);
    ck_assert_int_eq((int)request.lines[2].len, 3);
    ck_assert_mem_eq(request.lines[2].bytes, "x\0y", 3);
    ck_assert_int_eq((int)request.prefixes[0].len, 1);
    ck_assert_ptr_null(request.prefixes[1].bytes);
    ck_assert_ptr_null(request.prefixes[2].bytes);
    request_free(&request);
}
END_TEST

START_TEST(no_line_is_a_request_too)
{
    Request request;
    Error err = {0};
    ck_assert_int_eq(parse(&request, "{\"text\":[]}", &err), OK);
    ck_assert_int_eq(request.n_lines, 0);
    request_free(&request);
}
END_TEST

START_TEST(what_is_no_json_is_refused)
{
    Request request;
    Error err = {0};
    const char *bodies[] = {"",           "{",          "{\"text\":\"a\"}x", "{\"text\":\"\xff\"}",
                            "{'text':1}", "{\"text\":", "{\"text\":\"a\",}", "nul"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        ck_assert_int_eq(parse(&request, bodies[i], &err), ERR_FORMAT);
        ck_assert_msg(strncmp(err.message, "body: not JSON at byte ", 23) == 0, "%s", err.message);
    }
    ck_assert_int_eq(parse(&request, "{\"text\":\"a\",\"text\":\"b\"}", &err), ERR_FORMAT);
    expect_refused("[]", ERR_FORMAT, "body: must be a JSON object");
    expect_refused("[[[[[", ERR_FORMAT, "body: nested more than 4 deep at byte 4");
}
END_TEST

START_TEST(brackets_in_strings_do_not_nest)
{
    Request request;
    Error err = {0};
    ck_assert_int_eq(parse(&request, "{\"text\":\"[[[[[[{{{{\\\"[[[[[\"}", &err), OK);
    request_free(&request);
}
END_TEST

START_TEST(values_out_of_range_are_refused)
{
    expect_refused("{}", ERR_ARG, "text: missing; it is a string or a list of strings");
    expect_refused("{\"text\":1}", ERR_ARG, "text: must be a string or a list of strings (item 0)");
    expect_refused("{\"text\":[\"a\",[]]}", ERR_ARG,
                   "text: must be a string or a list of strings (item 1)");
    expect_refused("{\"text\":\"a\\nb\"}", ERR_ARG,
                   "text: item 0 has a line end; give each line by itself");
    expect_refused("{\"text\":\"a\",\"beam_size\":0}", ERR_ARG,
                   "beam_size 0: must be an integer between 1 and 32");
    expect_refused("{\"text\":\"a\",\"beam_size\":33}", ERR_ARG,
                   "beam_size 33: must be an integer between 1 and 32");
    expect_refused("{\"text\":\"a\",\"beam_size\":4294967297}", ERR_ARG,
                   "beam_size 4294967297: must be an integer between 1 and 32");
    expect_refused("{\"text\":\"a\",\"beam_size\":2.5}", ERR_ARG,
                   "beam_size: must be an integer between 1 and 32");
    expect_refused("{\"text\":\"a\",\"n_best\":6}", ERR_ARG,
                   "n_best 6: must be at most beam_size, by default 5");
    expect_refused("{\"text\":\"a\",\"n_best\":3,\"beam_size\":2}", ERR_ARG,
                   "n_best 3: must be at most beam_size, given as 2");
    expect_refused("{\"text\":\"a\",\"attention\":1}", ERR_ARG, "attention: must be true or false");
    expect_refused("{\"text\":\"a\",\"model\":\"third\"}", ERR_ARG,
                   "model third: not one of those at GET /health");
    expect_refused("{\"text\":\"a\",\"model\":\"first\\u0000\"}", ERR_ARG,
                   "model first: not one of those at GET /health");
    expect_refused("{\"text\":\"a\",\"prefix\":[]}", ERR_ARG,
                   "prefix: a list of 0, but text has 1 lines");
    expect_refused("{\"text\":\"a\",\"temperature\":1}", ERR_ARG,
                   "temperature: unknown; a request has text, model, beam_size, n_best, attention, "
                   "pieces, prefix");
}
END_TEST

START_TEST(lines_are_counted)
{
    char body[4096];
    size_t len = (size_t)snprintf(body, sizeof body, "{\"text\":[\"\"");
    for (int i = 0; i < REQUEST_MAX_LINES; i++) {
        len += (size_t)snprintf(body + len, sizeof body - len, ",\"\"");
    }
    (void)snprintf(body + len, sizeof body - len, "]}");
    expect_refused(body, ERR_ARG, "text: 257 lines; at most 256 go in one request");
}
END_TEST

/* Each request for memory is refused in turn, once and with all that follow. Numbers and strings that
 * grow while they are read are where jansson by itself breaks off or drops characters. */
START_TEST(refused_memory_is_reported)
{
    static const char body[] =
        "{\"text\":[\"a sentence of more than thirty-two bytes\",\"b\"],"
        "\"beam_size\":0000000000000000000000000000000000000000000000000005}";
    static const char good[] = "{\"text\":[\"a sentence of more than thirty-two bytes\",\"b\"],"
                               "\"beam_size\":5,\"attention\":true}";
    const char *const bodies[] = {good, body,
                                  "{\"text\":\"a\",\"beam_size\":0.12345678901234567890123}"};
    const Status expected[] = {OK, ERR_FORMAT, ERR_ARG};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        int has_failed = 1, n = 2;
        for (; has_failed; n++) {
            Request request;
            Error err = {0};
            mem_fail_at(n / 2, n % 2);
            const Status status = parse(&request, bodies[i], &err);
            has_failed = mem_failed();
            mem_fail_at(0, 0);
            ck_assert_msg(status == (has_failed ? ERR_NOMEM : expected[i]),
                          "body %zu, request %d: %s", i, n / 2, err.message);
            if (status == OK) {
                request_free(&request);
            }
        }
        ck_assert_int_ge(n, 10);
    }
}
END_TEST

TEST_MAIN("request", tcase_add_test(c, one_line_takes_the_defaults);
          tcase_add_test(c, everything_given_is_read); tcase_add_test(c, no_line_is_a_request_too);
          tcase_add_test(c, what_is_no_json_is_refused);
          tcase_add_test(c, brackets_in_strings_do_not_nest);
          tcase_add_test(c, values_out_of_range_are_refused); tcase_add_test(c, lines_are_counted);
          tcase_add_test(c, refused_memory_is_reported);)

/* view/report: the page and the table of a training run. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"
#include "view/report.h"

#define TEXT(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1                                                                           \
    }
#define TEXT_OF(s) ((DumpText)TEXT(s))

static const DumpText TOKENS[] = {TEXT("\u2581a"), TEXT("b"), TEXT("</s>")};
static const int SPANS[][2] = {{0, 1}, {1, 2}, {2, 2}};
static const float ATTENTION[] = {0.5f, 0.25f, 0.25f, 0.125f, 0.125f, 0.75f, 0.f, 0.f, 1.f};

static Dump make_dump(const char *target)
{
    return (Dump){.source = TEXT_OF("ab"),
                  .target = {target, strlen(target)},
                  .is_finished = 1,
                  .n_source = 3,
                  .n_target = 3,
                  .has_source_end = 1,
                  .has_target_end = 1,
                  .source_tokens = TOKENS,
                  .target_tokens = TOKENS,
                  .source_spans = SPANS,
                  .target_spans = SPANS,
                  .attention = ATTENTION};
}

static const ReportPoint POINTS[] = {{1, 100, 0.5, NAN, 4.25, 12.5, 30, 0.001, 2, 9000, 1},
                                     {2, 200, 1.25, 3.5, 3.75, 10, 31, 0.0005, INFINITY, 9500, 0}};

static Report make_report(const Dump *samples, const DumpText *references)
{
    return (Report){.title = "m.safetensors",
                    .status = "Stopped: <enough>",
                    .points = POINTS,
                    .n_points = 2,
                    .references = references,
                    .samples = samples,
                    .n_samples = 1,
                    .fixed = samples,
                    .corpus = "part\tpairs\ntraining\t20\n",
                    .options = "seed = 1\nname = a = b\n"};
}

START_TEST(tsv_has_a_line_for_each_validation)
{
    const Report report = make_report(NULL, NULL);
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(report_tsv(&out, &report, &err), OK);
    ck_assert_str_eq(out.bytes,
                     "epoch\tupdate\tminutes\ttrain_loss\tvalid_loss\tbleu\tchrf\tlearn_rate\t"
                     "gradient_norm\ttokens_per_second\tbest\n"
                     "1\t100\t0.5\t\t4.25\t12.5\t30\t0.001\t2\t9000\t1\n"
                     "2\t200\t1.25\t3.5\t3.75\t10\t31\t0.0005\t\t9500\t0\n");
    buffer_free(&out);
}
END_TEST

static json_t *page_data(const char *page)
{
    const char *begin = strstr(page, "id='data'>");
    ck_assert_ptr_nonnull(begin);
    begin = strchr(begin, '>') + 1;
    const char *end = strstr(begin, "</script>");
    ck_assert_ptr_nonnull(end);
    json_error_t why;
    json_t *data = json_loadb(begin, (size_t)(end - begin), 0, &why);
    ck_assert_msg(data != NULL, "%s", why.text);
    return data;
}

START_TEST(page_holds_points_samples_and_tables)
{
    const Dump samples[] = {make_dump("</script><b>"), make_dump("ab")};
    const DumpText references[] = {TEXT("a reference & more")};
    const Report report = make_report(samples, references);
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(report_html(&out, &report, &err), OK);
    json_t *data = page_data(out.bytes);
    const json_t *points = json_object_get(data, "points"), *one = json_array_get(points, 0);
    ck_assert_uint_eq(json_array_size(points), 2);
    ck_assert(json_is_null(json_object_get(one, "train_loss")));
    ck_assert_double_eq(json_number_value(json_object_get(one, "valid_loss")), 4.25);
    ck_assert(json_is_null(json_object_get(json_array_get(points, 1), "gradient_norm")));
    const json_t *sample = json_array_get(json_array_get(json_object_get(data, "samples"), 0), 0);
    ck_assert_str_eq(json_string_value(json_object_get(sample, "target")), "</script><b>");
    /* the source's two pieces are one word */
    const json_t *source = json_object_get(json_object_get(sample, "words"), "source");
    ck_assert_uint_eq(json_array_size(source), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(data, "fixed")), 2);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(data, "references"), 0)),
                     "a reference & more");
    const json_t *options = json_object_get(data, "options");
    ck_assert_uint_eq(json_array_size(options), 2);
    ck_assert_str_eq(json_string_value(json_array_get(json_array_get(options, 1), 1)), "a = b");
    ck_assert_str_eq(
        json_string_value(json_array_get(json_array_get(json_object_get(data, "corpus"), 1), 1)),
        "20");
    ck_assert_str_eq(json_string_value(json_object_get(data, "status")), "Stopped: <enough>");
    json_decref(data);
    buffer_free(&out);
}
END_TEST

START_TEST(page_of_a_run_without_validation_is_whole)
{
    const Report report = {.title = "m", .status = "", .corpus = "", .options = ""};
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(report_html(&out, &report, &err), OK);
    json_t *data = page_data(out.bytes);
    ck_assert_uint_eq(json_array_size(json_object_get(data, "points")), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(data, "fixed")), 0);
    json_decref(data);
    ck_assert_ptr_null(strstr(out.bytes, "https:"));
    buffer_free(&out);
}
END_TEST

START_TEST(refused_memory_is_reported)
{
    const Dump samples[] = {make_dump("x"), make_dump("ab")};
    const DumpText references[] = {TEXT("r")};
    const Report report = make_report(samples, references);
    int has_failed = 1, n_reported = 0;
    for (int n = 1; n < 1000 && has_failed; n++) {
        Buffer out = {0};
        Error err;
        mem_fail_at(n, 0);
        const Status status = report_html(&out, &report, &err);
        has_failed = mem_failed();
        mem_fail_at(0, 0);
        buffer_free(&out);
        ck_assert_int_eq(status, has_failed ? ERR_NOMEM : OK);
        n_reported += has_failed;
    }
    ck_assert(!has_failed);
    ck_assert_int_ge(n_reported, 10);
}
END_TEST

TEST_MAIN("report", tcase_add_test(c, tsv_has_a_line_for_each_validation);
          tcase_add_test(c, page_holds_points_samples_and_tables);
          tcase_add_test(c, page_of_a_run_without_validation_is_whole);
          tcase_add_test(c, refused_memory_is_reported);)

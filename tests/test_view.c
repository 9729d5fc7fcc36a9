/* view: labels, the terminal, SVG and HTML. */
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"
#include "text/dump.h"
#include "view/html.h"
#include "view/label.h"
#include "view/svg.h"
#include "view/terminal.h"

#define TEXT(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1                                                                           \
    }
#define TEXT_OF(s) ((DumpText)TEXT(s))

static const DumpText SOURCE[] = {TEXT("i"), TEXT("love"), TEXT("deep"), TEXT("</s>")};
static const int SOURCE_SPANS[][2] = {{0, 1}, {2, 6}, {7, 11}, {11, 11}};
static const DumpText TARGET[] = {TEXT("\u6211"), TEXT("\u559c\u6b22"), TEXT("</s>")};
static const int TARGET_SPANS[][2] = {{0, 3}, {3, 9}, {9, 9}};
static const float ATTENTION[] = {0.9f, 0.06f, 0.f,  0.04f, /* 我 */
                                  0.f,  0.55f, 0.3f, 0.15f, /* 喜欢 */
                                  0.f,  0.f,   0.2f, 0.8f};

static Dump love_dump(void)
{
    return (Dump){.id = 4,
                  .source = TEXT_OF("i love deep"),
                  .target = TEXT_OF("\u6211\u559c\u6b22"),
                  .score = -1.5,
                  .normalized_score = -0.5,
                  .is_finished = 1,
                  .n_source = 4,
                  .n_target = 3,
                  .has_source_end = 1,
                  .has_target_end = 1,
                  .source_tokens = SOURCE,
                  .target_tokens = TARGET,
                  .source_spans = SOURCE_SPANS,
                  .target_spans = TARGET_SPANS,
                  .attention = ATTENTION};
}

/* A dump whose every text is `text`. */
static DumpText hostile_text;
static const int HOSTILE_SPANS[][2] = {{0, 1}};
static const float HOSTILE_ATTENTION[] = {1.f};

static Dump hostile_dump(const char *text)
{
    hostile_text = (DumpText){text, strlen(text)};
    return (Dump){.source = hostile_text,
                  .target = hostile_text,
                  .n_source = 1,
                  .n_target = 1,
                  .source_tokens = &hostile_text,
                  .target_tokens = &hostile_text,
                  .source_spans = HOSTILE_SPANS,
                  .target_spans = HOSTILE_SPANS,
                  .attention = HOSTILE_ATTENTION};
}

static void expect_terminal(const Dump *dump, TerminalOptions options, const char *expected)
{
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(terminal_draw(&out, dump, options, &err), OK);
    ck_assert_str_eq(out.bytes, expected);
    buffer_free(&out);
}

START_TEST(terminal_aligns_wide_words)
{
    const Dump d = love_dump();
    expect_terminal(
        &d, (TerminalOptions){0, 0, 0},
        "      i  love  deep  </s>\n"
        "  \u6211  \u2588  \u2591\u2591\u2591\u2591   \u00b7     \u00b7\n"
        "\u559c\u6b22  \u00b7  \u2593\u2593\u2593\u2593  \u2592\u2592\u2592\u2592  "
        "\u2591\u2591\u2591\u2591\n"
        "</s>  \u00b7   \u00b7    \u2591\u2591\u2591\u2591  \u2588\u2588\u2588\u2588\n");
}
END_TEST

START_TEST(terminal_cuts_columns_into_blocks)
{
    const Dump d = love_dump();
    expect_terminal(&d, (TerminalOptions){0, 1, 14},
                    "      i  love\n"
                    "  \u6211  \u2588  \u2592\u2592\u2592\u2592\n"
                    "\u559c\u6b22  \u00b7  \u2588\u2588\u2588\u2588\n"
                    "</s>  \u00b7   \u00b7\n"
                    "\n"
                    "      deep\n"
                    "  \u6211   \u00b7\n"
                    "\u559c\u6b22  \u2593\u2593\u2593\u2593\n"
                    "</s>  \u2593\u2593\u2593\u2593\n"
                    "\n"
                    "      </s>\n"
                    "  \u6211  \u2592\u2592\u2592\u2592\n"
                    "\u559c\u6b22  \u2593\u2593\u2593\u2593\n"
                    "</s>  \u2588\u2588\u2588\u2588\n");
}
END_TEST

START_TEST(terminal_colours_the_largest_of_a_row)
{
    Dump d = love_dump();
    d.n_target = 1;
    expect_terminal(
        &d, (TerminalOptions){1, 0, 0},
        "    i  love  deep  </s>\n"
        "\u6211  \x1b[1;36m\u2588\x1b[0m  \u2591\u2591\u2591\u2591   \u00b7     \u00b7\n");
}
END_TEST

START_TEST(terminal_marks_words_from_right_to_left)
{
    const Dump d = hostile_dump("\u05e9\u05dc\u05d5\u05dd");
    expect_terminal(&d, (TerminalOptions){0, 0, 0},
                    "       \u2190\u2068\u05e9\u05dc\u05d5\u05dd\u2069\n"
                    "\u2190\u2068\u05e9\u05dc\u05d5\u05dd\u2069  \u2588\u2588\u2588\u2588\u2588\n");
}
END_TEST

START_TEST(terminal_lets_no_escape_sequence_through)
{
    const Dump d = hostile_dump("\x1b[31mx\r\n\x07\u202e y\xc2\x9b");
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(terminal_draw(&out, &d, (TerminalOptions){0, 0, 0}, &err), OK);
    for (size_t i = 0; i < out.len; i++) {
        const unsigned char c = (unsigned char)out.bytes[i];
        ck_assert_msg(c >= 0x20 || c == '\n', "byte %zu is 0x%02x", i, c);
    }
    ck_assert_ptr_null(strstr(out.bytes, "\u202e"));
    ck_assert_ptr_null(strstr(out.bytes, "\xc2\x9b"));
    int n_lines = 0;
    for (size_t i = 0; i < out.len; i++) {
        n_lines += out.bytes[i] == '\n';
    }
    ck_assert_int_eq(n_lines, 2);
    buffer_free(&out);
}
END_TEST

START_TEST(a_blank_line_is_said_to_be_one)
{
    const Dump d = {.is_finished = 1};
    expect_terminal(&d, (TerminalOptions){1, 0, 0}, "(no words)\n");
}
END_TEST

static void expect_label(const char *text, int max_columns, const char *expected, int columns)
{
    Buffer out = {0};
    Error err;
    int width;
    ck_assert_int_eq(label_add(&out, &width, (DumpText){text, strlen(text)}, max_columns, &err),
                     OK);
    ck_assert_str_eq(out.bytes, expected);
    ck_assert_int_eq(width, columns);
    buffer_free(&out);
}

START_TEST(labels_are_cut_to_their_columns)
{
    expect_label("abcdef", 6, "abcdef", 6);
    expect_label("abcdefg", 6, "abcde\u2026", 6);
    expect_label("\u4e2d\u6587\u5b57", 5, "\u4e2d\u6587\u2026", 5);
    expect_label("\u4e2d\u6587\u5b57", 4, "\u4e2d\u2026", 3);
    expect_label("a b", 6, "a\u2423b", 3);
    expect_label("", 6, "\u2423", 1);
    expect_label("e\u0301", 6, "e\u0301", 1);
}
END_TEST

START_TEST(xml_text_is_escaped)
{
    Buffer out = {0};
    Error err;
    const char text[] = "<a b=\"c\" d='e'>&\x01\xff\u202e";
    ck_assert_int_eq(label_add_xml(&out, text, sizeof text - 1, &err), OK);
    ck_assert_str_eq(out.bytes, "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\ufffd\ufffd\ufffd");
    buffer_free(&out);
}
END_TEST

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        n++;
    }
    return n;
}

START_TEST(svg_has_a_cell_for_each_pair)
{
    const Dump d = love_dump(), hostile = hostile_dump("<script>alert(1)</script>");
    const Dump *const both[] = {&d, &hostile};
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(svg_draw(&out, both, 2, (SvgOptions){0, 0}, &err), OK);
    ck_assert_int_eq(count(out.bytes, "class=\"cell\""), 13);
    ck_assert_int_eq(count(out.bytes, "<script"), 0);
    ck_assert_int_eq(count(out.bytes, "fill-opacity=\"0.550\""), 1);
    ck_assert_int_eq(count(out.bytes, "\u559c\u6b22 \u2192 love: 55.0 %"), 1);
    ck_assert_int_eq(count(out.bytes, "<?xml"), 1);
    buffer_clear(&out);
    ck_assert_int_eq(svg_draw(&out, both, 1, (SvgOptions){1, 1}, &err), OK);
    ck_assert_int_eq(strncmp(out.bytes, "<svg ", 5), 0);
    ck_assert_int_eq(count(out.bytes, "fill-opacity=\"0.825\""), 1); /* 1 + log10(0.2) / 4 */
    buffer_free(&out);
}
END_TEST

/* The data of a page, parsed. */
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

START_TEST(html_embeds_words_and_pieces)
{
    const Dump d = love_dump();
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(html_write(&out, &d, 1, &err), OK);
    json_t *data = page_data(out.bytes);
    const json_t *one = json_array_get(data, 0);
    const json_t *words = json_object_get(one, "words"), *pieces = json_object_get(one, "pieces");
    ck_assert_uint_eq(json_array_size(json_object_get(words, "target")), 4);
    ck_assert_uint_eq(json_array_size(json_object_get(pieces, "target")), 3);
    ck_assert_double_eq_tol(
        json_number_value(json_array_get(json_array_get(json_object_get(words, "a"), 2), 1)), 0.55,
        1e-9);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "id")), 4);
    json_decref(data);
    buffer_free(&out);
}
END_TEST

START_TEST(html_without_pieces_says_so)
{
    const Dump d = hostile_dump("x");
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(html_write(&out, &d, 1, &err), OK);
    json_t *data = page_data(out.bytes);
    ck_assert(json_is_null(json_object_get(json_array_get(data, 0), "pieces")));
    json_decref(data);
    buffer_free(&out);
}
END_TEST

/* Whatever the text: it comes back from the JSON, and the page has as many tags as without it. */
START_TEST(html_lets_no_text_out_of_its_element)
{
    static const char *const TEXTS[] = {"</script><script>alert(1)</script>", "<!--<script>",
                                        "]]>&lt;\u2028\u2029\"\\", "</SCRIPT >", "\x01\x7f"};
    Buffer plain = {0}, out = {0};
    Error err;
    Dump d = hostile_dump("x");
    ck_assert_int_eq(html_write(&plain, &d, 1, &err), OK);
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        buffer_clear(&out);
        d = hostile_dump(TEXTS[i]);
        ck_assert_int_eq(html_write(&out, &d, 1, &err), OK);
        ck_assert_int_eq(count(out.bytes, "<"), count(plain.bytes, "<"));
        ck_assert_int_eq(count(out.bytes, "&"), count(plain.bytes, "&"));
        json_t *data = page_data(out.bytes);
        ck_assert_str_eq(json_string_value(json_object_get(json_array_get(data, 0), "source")),
                         TEXTS[i]);
        json_decref(data);
    }
    buffer_free(&plain);
    buffer_free(&out);
}
END_TEST

START_TEST(html_needs_nothing_from_elsewhere)
{
    const Dump d = love_dump();
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(html_write(&out, &d, 1, &err), OK);
    ck_assert_int_eq(count(out.bytes, "http:"), 0);
    ck_assert_int_eq(count(out.bytes, "https:"), 0);
    ck_assert_int_eq(count(out.bytes, "src="), 0);
    ck_assert_int_eq(count(out.bytes, "@import"), 0);
    ck_assert_int_eq(count(out.bytes, "default-src 'none'"), 1);
    buffer_free(&out);
}
END_TEST

START_TEST(refused_memory_is_reported)
{
    const Dump d = love_dump();
    const Dump *const one[] = {&d};
    for (int n = 1; n < 1000; n++) {
        Buffer out = {0};
        Error err;
        mem_fail_at(n, 0);
        Status status = terminal_draw(&out, &d, (TerminalOptions){1, 0, 0}, &err);
        status = status == OK ? svg_draw(&out, one, 1, (SvgOptions){0, 0}, &err) : status;
        status = status == OK ? html_write(&out, &d, 1, &err) : status;
        const int has_failed = mem_failed();
        mem_fail_at(0, 0);
        buffer_free(&out);
        ck_assert_int_eq(status, has_failed ? ERR_NOMEM : OK);
        if (!has_failed) {
            ck_assert_int_ge(n, 10);
            return;
        }
    }
    ck_abort_msg("the scenario never succeeds");
}
END_TEST

TEST_MAIN("view", tcase_add_test(c, terminal_aligns_wide_words);
          tcase_add_test(c, terminal_cuts_columns_into_blocks);
          tcase_add_test(c, terminal_colours_the_largest_of_a_row);
          tcase_add_test(c, terminal_marks_words_from_right_to_left);
          tcase_add_test(c, terminal_lets_no_escape_sequence_through);
          tcase_add_test(c, a_blank_line_is_said_to_be_one);
          tcase_add_test(c, labels_are_cut_to_their_columns);
          tcase_add_test(c, xml_text_is_escaped); tcase_add_test(c, svg_has_a_cell_for_each_pair);
          tcase_add_test(c, html_embeds_words_and_pieces);
          tcase_add_test(c, html_without_pieces_says_so);
          tcase_add_test(c, html_lets_no_text_out_of_its_element);
          tcase_add_test(c, html_needs_nothing_from_elsewhere);
          tcase_add_test(c, refused_memory_is_reported);)

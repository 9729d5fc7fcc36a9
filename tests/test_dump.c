/* text/dump: merging, links, and every file format written and read back. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"
#include "text/dump.h"
#include "text/dump_read.h"
#include "text/dump_write.h"

#define TEXT(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1                                                                           \
    }
#define TEXT_OF(s) ((DumpText)TEXT(s))

/* "new york!" in pieces new, yo, rk, !, </s>; "纽约" in pieces 纽约 (two words) and </s>. */
static const DumpText SOURCE[] = {TEXT("\u2581new"), TEXT("\u2581yo"), TEXT("rk"), TEXT("!"),
                                  TEXT("</s>")};
static const int SOURCE_SPANS[][2] = {{0, 3}, {4, 6}, {6, 8}, {8, 9}, {9, 9}};
static const DumpText TARGET[] = {TEXT("\u7ebd\u7ea6"), TEXT("</s>")};
static const int TARGET_SPANS[][2] = {{0, 6}, {6, 6}};
static const float ATTENTION[] = {0.1f, 0.3f, 0.25f, 0.05f, 0.3f, /* 纽约 */
                                  0.f,  0.f,  0.25f, 0.25f, 0.5f};
static const float WORD_SCORES[] = {-0.5f, -0.125f};

static Dump city_dump(void)
{
    return (Dump){.id = 3,
                  .rank = 1,
                  .source = TEXT_OF("new york!"),
                  .target = TEXT_OF("\u7ebd\u7ea6"),
                  .score = -0.625,
                  .normalized_score = -0.3125,
                  .is_finished = 1,
                  .n_source = 5,
                  .n_target = 2,
                  .has_source_end = 1,
                  .has_target_end = 1,
                  .source_tokens = SOURCE,
                  .target_tokens = TARGET,
                  .source_spans = SOURCE_SPANS,
                  .target_spans = TARGET_SPANS,
                  .attention = ATTENTION,
                  .word_scores = WORD_SCORES};
}

static Dump blank_dump(void)
{
    return (Dump){.source = TEXT_OF(""), .target = TEXT_OF(""), .is_finished = 1};
}

static Arena *new_arena(void)
{
    Arena *arena;
    Error err;
    ck_assert_int_eq(arena_create(&arena, 0, &err), OK);
    return arena;
}

static void expect_floats(const float *actual, const float *expected, int n)
{
    for (int i = 0; i < n; i++) {
        ck_assert_msg(actual[i] > expected[i] - 1e-6f && actual[i] < expected[i] + 1e-6f,
                      "number %d is %g, expected %g", i, (double)actual[i], (double)expected[i]);
    }
}

static void expect_text(DumpText actual, const char *expected)
{
    ck_assert_msg(actual.len == strlen(expected) && memcmp(actual.bytes, expected, actual.len) == 0,
                  "%.*s, expected %s", (int)actual.len, actual.bytes, expected);
}

START_TEST(words_sum_source_pieces_and_share_target_pieces)
{
    Arena *arena = new_arena();
    Error err;
    const Dump pieces = city_dump();
    Dump words;
    ck_assert_int_eq(dump_to_words(&words, &pieces, arena, &err), OK);
    ck_assert_int_eq(words.n_source, 3);
    ck_assert_int_eq(words.n_target, 3);
    expect_text(words.source_tokens[0], "new");
    expect_text(words.source_tokens[1], "york!");
    expect_text(words.source_tokens[2], "</s>");
    expect_text(words.target_tokens[1], "\u7ea6");
    const float expected[] = {0.1f, 0.6f, 0.3f, 0.1f, 0.6f, 0.3f, 0.f, 0.5f, 0.5f};
    expect_floats(words.attention, expected, 9);
    const float scores[] = {-0.5f, 0.f, -0.125f};
    expect_floats(words.word_scores, scores, 3);
    ck_assert_int_eq(words.source_spans[1][0], 4);
    ck_assert_int_eq(words.source_spans[2][0], 9);
    ck_assert(words.has_source_end && words.has_target_end);
    Dump again; /* words merge to themselves */
    ck_assert_int_eq(dump_to_words(&again, &words, arena, &err), OK);
    ck_assert_int_eq(again.n_source, 3);
    expect_floats(again.attention, expected, 9);
    arena_free(arena);
}
END_TEST

START_TEST(words_behind_the_last_piece_are_left_out)
{
    Arena *arena = new_arena();
    Error err;
    Dump d = city_dump();
    d.source = TEXT_OF("new york! was cut"); /* the end token's span alone knows of the rest */
    d.target = TEXT_OF("\u7ebd\u7ea6\u4e4b\u540e");
    ck_assert_int_eq(dump_to_words(&d, &d, arena, &err), OK);
    ck_assert_int_eq(d.n_source, 3);
    ck_assert_int_eq(d.n_target, 3);
    const float expected[] = {0.1f, 0.6f, 0.3f, 0.1f, 0.6f, 0.3f, 0.f, 0.5f, 0.5f};
    expect_floats(d.attention, expected, 9);
    expect_text(d.source_tokens[1], "york!");
    arena_free(arena);
}
END_TEST

START_TEST(words_average_target_pieces_and_share_source_pieces)
{
    /* the same pair the other way round: the source piece 纽约 gives half to each word */
    Arena *arena = new_arena();
    Error err;
    Dump d = city_dump();
    d.source = TEXT_OF("\u7ebd\u7ea6");
    d.target = TEXT_OF("new york!");
    d.n_source = 2;
    d.n_target = 5;
    d.source_tokens = TARGET;
    d.target_tokens = SOURCE;
    d.source_spans = TARGET_SPANS;
    d.target_spans = SOURCE_SPANS;
    const float attention[] = {0.8f, 0.2f, 0.6f, 0.4f, 0.5f, 0.5f, 0.4f, 0.6f, 0.f, 1.f};
    const float scores[] = {-1.f, -2.f, -3.f, -4.f, -5.f};
    d.attention = attention;
    d.word_scores = scores;
    ck_assert_int_eq(dump_to_words(&d, &d, arena, &err), OK);
    ck_assert_int_eq(d.n_source, 3);
    ck_assert_int_eq(d.n_target, 3);
    const float expected[] = {0.4f, 0.4f, 0.2f, 0.25f, 0.25f, 0.5f, 0.f, 0.f, 1.f};
    expect_floats(d.attention, expected, 9);
    const float word_scores[] = {-1.f, -9.f, -5.f};
    expect_floats(d.word_scores, word_scores, 3);
    arena_free(arena);
}
END_TEST

START_TEST(words_take_a_piece_that_is_only_a_blank)
{
    /* "a b" in pieces a, the word start of its own, b, and a blank at the end */
    static const DumpText tokens[] = {TEXT("a"), TEXT("\u2581"), TEXT("b"), TEXT("\u2581")};
    static const int spans[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    static const DumpText target[] = {TEXT("x")};
    static const int target_spans[][2] = {{0, 1}};
    static const float attention[] = {0.1f, 0.2f, 0.3f, 0.4f};
    Dump d = {.source = TEXT_OF("a b "),
              .target = TEXT_OF("x"),
              .n_source = 4,
              .n_target = 1,
              .source_tokens = tokens,
              .target_tokens = target,
              .source_spans = spans,
              .target_spans = target_spans,
              .attention = attention};
    Arena *arena = new_arena();
    Error err;
    ck_assert_int_eq(dump_to_words(&d, &d, arena, &err), OK);
    ck_assert_int_eq(d.n_source, 2);
    const float expected[] = {0.1f, 0.9f};
    expect_floats(d.attention, expected, 2);
    arena_free(arena);
}
END_TEST

START_TEST(dropping_the_end_scales_rows_to_one)
{
    Arena *arena = new_arena();
    Error err;
    Dump d = city_dump();
    ck_assert_int_eq(dump_drop_end(&d, &d, arena, &err), OK);
    ck_assert_int_eq(d.n_source, 4);
    ck_assert_int_eq(d.n_target, 1);
    ck_assert(!d.has_source_end && !d.has_target_end && d.is_finished);
    const float expected[] = {0.1f / 0.7f, 0.3f / 0.7f, 0.25f / 0.7f, 0.05f / 0.7f};
    expect_floats(d.attention, expected, 4);
    arena_free(arena);
}
END_TEST

/* Three source words and the end, four target words and the end. */
static const DumpText LINK_TOKENS[] = {TEXT("a"), TEXT("b"), TEXT("c"), TEXT("d"), TEXT("</s>")};
static const int LINK_SPANS[][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {7, 7}};
static const float LINK_ATTENTION[] = {
    0.1f, 0.7f, 0.1f, 0.1f, /* to b */
    0.6f, 0.2f, 0.1f, 0.1f, /* to a */
    0.3f, 0.1f, 0.2f, 0.4f, /* to the end */
    0.4f, 0.2f, 0.4f, 0.f,  /* a and c alike: the first */
    0.f,  0.f,  1.f,  0.f,  /* the end token's row */
};

static Dump link_dump(void)
{
    static const DumpText source[] = {TEXT("a"), TEXT("b"), TEXT("c"), TEXT("</s>")};
    static const int spans[][2] = {{0, 1}, {2, 3}, {4, 5}, {5, 5}};
    return (Dump){.source = TEXT_OF("a b c"),
                  .target = TEXT_OF("a b c d"),
                  .is_finished = 1,
                  .n_source = 4,
                  .n_target = 5,
                  .has_source_end = 1,
                  .has_target_end = 1,
                  .source_tokens = source,
                  .target_tokens = LINK_TOKENS,
                  .source_spans = spans,
                  .target_spans = LINK_SPANS,
                  .attention = LINK_ATTENTION};
}

static void expect_alignment(DumpAlignment alignment, const char *expected)
{
    Buffer out = {0};
    Error err;
    const Dump d = link_dump();
    ck_assert_int_eq(dump_write_alignment(&out, &d, alignment, &err), OK);
    ck_assert_str_eq(out.bytes, expected);
    buffer_free(&out);
}

START_TEST(hard_links_take_the_largest_weight_but_the_end)
{
    expect_alignment((DumpAlignment){DUMP_HARD, 0}, "0-1 0-3 1-0");
}
END_TEST

START_TEST(threshold_links_take_every_cell_above)
{
    expect_alignment((DumpAlignment){DUMP_THRESHOLD, 0.25}, "0-1 0-2 0-3 1-0 2-3");
}
END_TEST

START_TEST(soft_alignment_has_a_field_for_each_target_token)
{
    expect_alignment((DumpAlignment){DUMP_SOFT, 0},
                     "0.1,0.7,0.1,0.1 0.6,0.2,0.1,0.1 0.3,0.1,0.2,0.4 0.4,0.2,0.4,0 0,0,1,0");
}
END_TEST

START_TEST(the_alignment_option_is_checked)
{
    DumpAlignment alignment;
    Error err;
    ck_assert_int_eq(dump_parse_alignment(&alignment, "hard", &err), OK);
    ck_assert_int_eq(alignment.kind, DUMP_HARD);
    ck_assert_int_eq(dump_parse_alignment(&alignment, "soft", &err), OK);
    ck_assert_int_eq(alignment.kind, DUMP_SOFT);
    ck_assert_int_eq(dump_parse_alignment(&alignment, "0.25", &err), OK);
    ck_assert_int_eq(alignment.kind, DUMP_THRESHOLD);
    ck_assert_double_eq(alignment.threshold, 0.25);
    static const char *const BAD[] = {"", "Hard", "0", "1", "-0.5", "nan", "0.5x", "inf"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        ck_assert_int_eq(dump_parse_alignment(&alignment, BAD[i], &err), ERR_ARG);
    }
    ck_assert_str_eq(err.message,
                     "--alignment inf: must be hard, soft or a number above 0 and below 1");
}
END_TEST

START_TEST(marian_and_moses_lines)
{
    Buffer out = {0};
    Error err;
    const Dump d = city_dump();
    const DumpAlignment hard = {DUMP_HARD, 0};
    ck_assert_int_eq(dump_write_aligned(&out, &d, hard, &err), OK);
    ck_assert_str_eq(out.bytes, "\u7ebd\u7ea6 ||| 1-0");
    buffer_clear(&out);
    ck_assert_int_eq(dump_write_nbest(&out, &d, NULL, 0, &err), OK);
    ck_assert_str_eq(out.bytes, "3 ||| \u7ebd\u7ea6 ||| F0= -0.625 ||| -0.3125");
    buffer_clear(&out);
    ck_assert_int_eq(dump_write_nbest(&out, &d, &hard, 1, &err), OK);
    ck_assert_str_eq(out.bytes, "3 ||| \u7ebd\u7ea6 ||| 1-0 ||| WordScores= -0.5 -0.125 ||| F0= "
                                "-0.625 ||| -0.3125");
    buffer_free(&out);
}
END_TEST

static void expect_equal_dumps(const Dump *a, const Dump *b)
{
    ck_assert_int_eq(a->id, b->id);
    ck_assert_int_eq(a->rank, b->rank);
    ck_assert_double_eq(a->score, b->score);
    ck_assert_double_eq(a->normalized_score, b->normalized_score);
    ck_assert_int_eq(a->is_finished, b->is_finished);
    ck_assert_uint_eq(a->source.len, b->source.len);
    ck_assert_uint_eq(a->target.len, b->target.len);
    ck_assert_int_eq(a->n_source, b->n_source);
    ck_assert_int_eq(a->n_target, b->n_target);
    ck_assert_int_eq(a->has_source_end, b->has_source_end);
    ck_assert_int_eq(a->has_target_end, b->has_target_end);
    for (int i = 0; i < a->n_source; i++) {
        ck_assert_mem_eq(a->source_tokens[i].bytes, b->source_tokens[i].bytes,
                         b->source_tokens[i].len);
        ck_assert_mem_eq(a->source_spans[i], b->source_spans[i], sizeof b->source_spans[i]);
    }
    for (int i = 0; i < a->n_target; i++) {
        ck_assert_mem_eq(a->target_tokens[i].bytes, b->target_tokens[i].bytes,
                         b->target_tokens[i].len);
        ck_assert_mem_eq(a->target_spans[i], b->target_spans[i], sizeof b->target_spans[i]);
    }
    const size_t n = (size_t)a->n_source * (size_t)a->n_target;
    if (n > 0) {
        ck_assert_mem_eq(a->attention, b->attention, n * sizeof(float));
    }
    ck_assert_int_eq(a->word_scores == NULL, b->word_scores == NULL);
    if (a->word_scores != NULL) {
        ck_assert_mem_eq(a->word_scores, b->word_scores, (size_t)a->n_target * sizeof(float));
    }
}

static void expect_json_round_trip(const Dump *d)
{
    Arena *arena = new_arena();
    Buffer out = {0};
    Error err = {0};
    ck_assert_int_eq(dump_write_json(&out, d, &err), OK);
    ck_assert_int_eq(out.bytes[out.len - 1], '\n');
    ck_assert_ptr_eq(strchr(out.bytes, '\n'), out.bytes + out.len - 1);
    Dump back;
    ck_assert_msg(dump_parse(&back, out.bytes, out.len, arena, "x", 1, &err) == OK, "%s",
                  err.message);
    expect_equal_dumps(&back, d);
    buffer_free(&out);
    arena_free(arena);
}

START_TEST(json_reads_back_bit_for_bit)
{
    Dump d = city_dump();
    expect_json_round_trip(&d);
    d.word_scores = NULL;
    d.is_finished = 0;
    d.n_target = 1; /* stopped by length: no end token */
    d.has_target_end = 0;
    const float odd[] = {1.f / 3, 1e-38f, 0.1f, 1.17549435e-38f, 0.99999994f};
    d.attention = odd;
    d.score = -1.0 / 3;
    expect_json_round_trip(&d);
    d = blank_dump();
    expect_json_round_trip(&d);
}
END_TEST

START_TEST(json_is_as_documented)
{
    Buffer out = {0};
    Error err;
    Dump d = city_dump();
    d.source = TEXT_OF("a\"\\\x01\x7f\xff");
    d.n_source = 0;
    d.n_target = 0;
    d.word_scores = NULL;
    ck_assert_int_eq(dump_write_json(&out, &d, &err), OK);
    ck_assert_str_eq(out.bytes,
                     "{\"id\":3,\"rank\":1,\"source\":\"a\\\"\\\\\\u0001\\u007f\ufffd\","
                     "\"target\":\"\u7ebd\u7ea6\",\"score\":-0.625,\"normalized_score\":-0.3125,"
                     "\"finished\":true,\"source_tokens\":[],\"target_tokens\":[],"
                     "\"source_spans\":[],\"target_spans\":[],\"attention\":[]}\n");
    buffer_free(&out);
}
END_TEST

START_TEST(a_matrix_block_reads_back)
{
    Buffer out = {0};
    Error err;
    const Dump d = city_dump(), blank = blank_dump();
    ck_assert_int_eq(dump_write_matrix(&out, &d, &err), OK);
    ck_assert_str_eq(out.bytes,
                     "3 ||| \u7ebd\u7ea6 ||| -0.625 ||| \u2581new \u2581yo rk ! ||| 5 2\n"
                     "0.1 0.3 0.25 0.05 0.3\n0 0 0.25 0.25 0.5\n\n");
    /* read: the rows behind the header are the attention */
    const char *at = strchr(out.bytes, '\n') + 1;
    for (int i = 0; i < 10; i++) {
        char *end;
        ck_assert(strtof(at, &end) == ATTENTION[i]);
        at = end + 1;
    }
    ck_assert_str_eq(at, "\n");
    buffer_clear(&out);
    ck_assert_int_eq(dump_write_matrix(&out, &blank, &err), OK);
    ck_assert_str_eq(out.bytes, "0 |||  ||| 0 |||  ||| 1 1\n1\n\n");
    buffer_free(&out);
}
END_TEST

START_TEST(a_matrix_without_end_token_is_padded)
{
    Buffer out = {0};
    Error err;
    Dump d = city_dump();
    d.n_target = 1;
    d.has_target_end = 0;
    ck_assert_int_eq(dump_write_matrix(&out, &d, &err), OK);
    ck_assert_ptr_nonnull(strstr(out.bytes, "||| 5 2\n0.1 0.3 0.25 0.05 0.3\n0 0 0 0 0\n\n"));
    buffer_free(&out);
}
END_TEST

START_TEST(tsv_quotes_what_a_spreadsheet_would_take_apart)
{
    static const DumpText source[] = {TEXT("say \"hi\""), TEXT("a\tb"), TEXT("=1")};
    static const DumpText target[] = {TEXT("x\ny")};
    static const float attention[] = {0.5f, 0.25f, 0.25f};
    const Dump d = {.id = 7,
                    .n_source = 3,
                    .n_target = 1,
                    .source_tokens = source,
                    .target_tokens = target,
                    .attention = attention};
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(dump_write_tsv(&out, &d, &err), OK);
    ck_assert_str_eq(out.bytes, "7.0\t\"say \"\"hi\"\"\"\t\"a\tb\"\t=1\nx y\t0.5\t0.25\t0.25\n\n");
    buffer_free(&out);
}
END_TEST

START_TEST(npy_holds_the_floats_behind_an_aligned_header)
{
    Buffer out = {0};
    Error err;
    const Dump d = city_dump();
    ck_assert_int_eq(dump_write_npy(&out, &d, &err), OK);
    ck_assert_mem_eq(out.bytes, "\x93NUMPY\x01\x00", 8);
    const size_t len =
        (size_t)(unsigned char)out.bytes[8] + 256 * (size_t)(unsigned char)out.bytes[9];
    ck_assert_uint_eq((10 + len) % 64, 0);
    const char expected[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 5), }";
    ck_assert_mem_eq(out.bytes + 10, expected, sizeof expected - 1);
    ck_assert_int_eq(out.bytes[10 + len - 1], '\n');
    ck_assert_uint_eq(out.len, 10 + len + sizeof ATTENTION);
    for (size_t i = 0; i < 10; i++) {
        const unsigned char *b = (const unsigned char *)out.bytes + 10 + len + 4 * i;
        const uint32_t bits =
            (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        float value;
        memcpy(&value, &bits, 4);
        ck_assert(value == ATTENTION[i]);
    }
    buffer_clear(&out);
    ck_assert_int_eq(dump_npy_path(&out, "out/att", &d, &err), OK);
    ck_assert_str_eq(out.bytes, "out/att.3.1.npy");
    buffer_free(&out);
}
END_TEST

/* A line with one thing wrong, and the sentence that names it. */
static void expect_refusal(const char *json, const char *sentence)
{
    Arena *arena = new_arena();
    Dump d;
    Error err = {0};
    ck_assert_int_eq(dump_parse(&d, json, strlen(json), arena, "f.jsonl", 12, &err), ERR_FORMAT);
    ck_assert_msg(strstr(err.message, sentence) != NULL, "%s: lacks: %s", err.message, sentence);
    ck_assert_msg(strncmp(err.message, "f.jsonl:12: ", 12) == 0, "%s", err.message);
    arena_free(arena);
}

#define ONE                                                                                        \
    "\"source\":\"ab\",\"target\":\"c\",\"source_tokens\":[\"ab\"],\"target_tokens\":[\"c\"],"
#define SPANS "\"source_spans\":[[0,2]],\"target_spans\":[[0,1]],"

START_TEST(hostile_json_is_refused_with_a_sentence)
{
    expect_refusal("", "not JSON");
    expect_refusal("[1]", "must be a JSON object");
    expect_refusal("{\"id\":0", "not JSON");
    expect_refusal("{\"id\":-1," ONE SPANS "\"attention\":[[1]]}", "\"id\" must be an integer");
    expect_refusal("{\"id\":1e99," ONE SPANS "\"attention\":[[1]]}", "\"id\" must be an integer");
    expect_refusal("{\"id\":0,\"source\":3}", "\"source\" must be a string");
    expect_refusal("{\"id\":0," ONE "\"source_spans\":[[0,3]],\"target_spans\":[[0,1]],"
                   "\"attention\":[[1]]}",
                   "\"source_spans\" must be an integer from 0 to 2");
    expect_refusal("{\"id\":0," ONE "\"source_spans\":[[2,1]],\"target_spans\":[[0,1]],"
                   "\"attention\":[[1]]}",
                   "\"source_spans\" must be an integer from 0 to 1");
    expect_refusal("{\"id\":0," ONE "\"source_spans\":[[0]],\"target_spans\":[[0,1]],"
                   "\"attention\":[[1]]}",
                   "\"source_spans\" must be made of pairs");
    expect_refusal("{\"id\":0," ONE "\"source_spans\":[],\"target_spans\":[[0,1]],"
                   "\"attention\":[[1]]}",
                   "\"source_spans\" must be an array with a pair for each token");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[]}", "a row for each target token");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[[1,0]]}", "array of 1 numbers");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[[-0.5]]}", "column 0 of row 0");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[[1.5]]}", "column 0 of row 0");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[[null]]}", "column 0 of row 0");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[[1]],\"finished\":1}", "true or false");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[[1]],\"word_scores\":[1,2]}",
                   "a number for each target token");
    expect_refusal("{\"id\":0," ONE SPANS "\"attention\":[[1]],\"score\":\"x\"}",
                   "\"score\" must be a number");
}
END_TEST

START_TEST(deep_json_is_refused)
{
    enum { DEPTH = 100000 };
    static char text[DEPTH + 1];
    memset(text, '[', DEPTH);
    expect_refusal(text, "not JSON");
}
END_TEST

/* Every beginning of a line is refused; every changed byte is refused or read within its bounds. */
START_TEST(damaged_json_is_refused_or_in_bounds)
{
    const Dump d = city_dump();
    Buffer line = {0};
    Error err;
    ck_assert_int_eq(dump_write_json(&line, &d, &err), OK);
    Arena *arena = new_arena();
    for (size_t len = 0; len + 1 < line.len; len++) {
        Dump back;
        ck_assert_int_eq(dump_parse(&back, line.bytes, len, arena, "x", 1, &err), ERR_FORMAT);
    }
    for (size_t i = 0; i < line.len; i++) {
        static const char CHANGES[] = {'9', '-', '"', ']', '\xff', '\0', '{'};
        for (size_t k = 0; k < sizeof CHANGES; k++) {
            Dump back;
            const char kept = line.bytes[i];
            line.bytes[i] = CHANGES[k];
            arena_reset(arena);
            const Status status = dump_parse(&back, line.bytes, line.len, arena, "x", 1, &err);
            line.bytes[i] = kept;
            ck_assert(status == OK || status == ERR_FORMAT);
            if (status == OK) {
                ck_assert_int_eq(dump_to_words(&back, &back, arena, &err), OK);
                ck_assert_int_ge(back.n_source, 1);
            }
        }
    }
    arena_free(arena);
    buffer_free(&line);
}
END_TEST

START_TEST(optional_members_have_their_meaning)
{
    const char *json = "{\"id\":5," ONE SPANS "\"attention\":[[1]],\"unknown\":{}}";
    Arena *arena = new_arena();
    Dump d;
    Error err;
    ck_assert_int_eq(dump_parse(&d, json, strlen(json), arena, "x", 1, &err), OK);
    ck_assert_int_eq(d.id, 5);
    ck_assert_int_eq(d.rank, 0);
    ck_assert_int_eq(d.is_finished, 0); /* there is no end token */
    ck_assert(d.word_scores == NULL && d.score == 0);
    arena_free(arena);
}
END_TEST

/* From a line of JSON to every format of its words. */
static Status convert(Buffer *out, const Buffer *line, Error *err)
{
    Dump dump;
    Arena *arena = NULL;
    Status status = arena_create(&arena, 0, err);
    if (status == OK) {
        status = dump_parse(&dump, line->bytes, line->len, arena, "x", 1, err);
    }
    if (status == OK) {
        status = dump_to_words(&dump, &dump, arena, err);
    }
    if (status == OK) {
        status = dump_write_json(out, &dump, err);
    }
    if (status == OK) {
        status = dump_write_npy(out, &dump, err);
    }
    if (status == OK) {
        status = dump_write_links(out, &dump, 0, err);
    }
    arena_free(arena);
    return status;
}

/* Each request for memory is refused in turn: ERR_NOMEM each time, and nothing leaks (the sanitizer
 * looks). jansson may go on without a member when a table cannot grow; that must be refused, too.
 */
START_TEST(refused_memory_is_reported)
{
    const Dump d = city_dump();
    Buffer line = {0};
    Error err;
    int has_failed = 1, n_reported = 0;
    ck_assert_int_eq(dump_write_json(&line, &d, &err), OK);
    for (int n = 2; n < 2000 && has_failed; n++) {
        Buffer out = {0};
        mem_fail_at(n / 2, n % 2);
        const Status status = convert(&out, &line, &err);
        has_failed = mem_failed();
        mem_fail_at(0, 0);
        ck_assert_msg(status == (has_failed ? ERR_NOMEM : OK), "request %d: %s", n, err.message);
        n_reported += has_failed;
        buffer_free(&out);
    }
    ck_assert(!has_failed);
    ck_assert_int_ge(n_reported, 20);
    buffer_free(&line);
}
END_TEST

TEST_MAIN("dump", tcase_add_test(c, words_sum_source_pieces_and_share_target_pieces);
          tcase_add_test(c, words_behind_the_last_piece_are_left_out);
          tcase_add_test(c, words_average_target_pieces_and_share_source_pieces);
          tcase_add_test(c, words_take_a_piece_that_is_only_a_blank);
          tcase_add_test(c, dropping_the_end_scales_rows_to_one);
          tcase_add_test(c, hard_links_take_the_largest_weight_but_the_end);
          tcase_add_test(c, threshold_links_take_every_cell_above);
          tcase_add_test(c, soft_alignment_has_a_field_for_each_target_token);
          tcase_add_test(c, the_alignment_option_is_checked);
          tcase_add_test(c, marian_and_moses_lines); tcase_add_test(c, json_reads_back_bit_for_bit);
          tcase_add_test(c, json_is_as_documented); tcase_add_test(c, a_matrix_block_reads_back);
          tcase_add_test(c, a_matrix_without_end_token_is_padded);
          tcase_add_test(c, tsv_quotes_what_a_spreadsheet_would_take_apart);
          tcase_add_test(c, npy_holds_the_floats_behind_an_aligned_header);
          tcase_add_test(c, hostile_json_is_refused_with_a_sentence);
          tcase_add_test(c, deep_json_is_refused);
          tcase_add_test(c, damaged_json_is_refused_or_in_bounds);
          tcase_add_test(c, optional_members_have_their_meaning);
          tcase_add_test(c, refused_memory_is_reported);)

/* text/chunk: where lines fall apart. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "text/chunk.h"

#include "support/check_main.h"

/* The chunks of line joined by bars; a word start is shown as an underscore. */
static void expect_chunks(const char *line, const char *joined)
{
    UnicodeText text = {0};
    Buffer got = {0};
    Error err;
    Chunk chunk;
    ck_assert_int_eq(unicode_text_set(&text, line, strlen(line), NORMALIZE_NFC, 0, &err), OK);
    ChunkReader reader = chunk_reader(&text);
    while (chunk_next(&reader, &chunk)) {
        ck_assert_int_eq(buffer_add_text(&got, got.len > 0 ? "|" : "", &err), OK);
        for (int i = 0; i < chunk.n_starts; i++) {
            ck_assert_int_eq(buffer_add_text(&got, "_", &err), OK);
        }
        for (size_t i = chunk.first; i < chunk.end && !chunk.is_blank; i++) {
            char bytes[UNICODE_MAX_BYTES];
            const size_t n = unicode_encode(text.points[i], bytes);
            ck_assert_int_eq(buffer_add(&got, bytes, n, &err), OK);
        }
    }
    ck_assert_str_eq(got.len == 0 ? "" : got.bytes, joined);
    unicode_text_free(&text);
    buffer_free(&got);
}

START_TEST(words_begin_with_a_word_start)
{
    expect_chunks("", "");
    expect_chunks("I love, deep", "_I|_love|,|_deep");
    expect_chunks("don't", "_don|'|t");
    expect_chunks("ab12cd", "_ab|12|cd");
    expect_chunks("...!!", "_...|!!");
    expect_chunks("(x)", "_(|x|)");
}
END_TEST

START_TEST(blanks_without_a_word_are_chunks)
{
    expect_chunks(" ", "__");
    expect_chunks("a  b ", "_a|_|_b|_");
    expect_chunks("  a", "__|_a");
    expect_chunks("\ta\t b", "\t|a|\t|_b");
    expect_chunks("a \t", "_a|_|\t");
}
END_TEST

START_TEST(scripts_without_blanks_take_no_word_start)
{
    expect_chunks("\u6211\u559C\u6B22", "\u6211\u559C\u6B22");
    expect_chunks("I \u732B", "_I|_|\u732B");
    expect_chunks("\u732B\u304C\u30B3\u30FC\u3089\u30FC\u3081\u3093",
                  "\u732B|\u304C|\u30B3\u30FC|\u3089\u30FC\u3081\u3093");
    expect_chunks("\u0E01\u0E34\u0E19 \u0E01", "\u0E01\u0E34\u0E19|_|\u0E01");
    expect_chunks("\uD55C\uAD6D\uC5B4\u6F22", "_\uD55C\uAD6D\uC5B4|\u6F22");
}
END_TEST

START_TEST(chunks_are_bounded_and_whole_clusters)
{
    UnicodeText text = {0};
    Buffer line = {0};
    Error err;
    Chunk chunk;
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(buffer_add_text(&line, "q\u0323\u0307", &err), OK);
    }
    ck_assert_int_eq(unicode_text_set(&text, line.bytes, line.len, NORMALIZE_NFC, 0, &err), OK);
    ChunkReader reader = chunk_reader(&text);
    size_t at = 0;
    while (chunk_next(&reader, &chunk)) {
        ck_assert_uint_eq(chunk.first, at);
        ck_assert_uint_le(chunk.end - chunk.first, CHUNK_MAX_POINTS);
        ck_assert_uint_eq(chunk.end % 3, 0);
        at = chunk.end;
    }
    ck_assert_uint_eq(at, 3000);
    unicode_text_free(&text);
    buffer_free(&line);
}
END_TEST

START_TEST(units_are_clusters_up_to_eight_points)
{
    UnicodeText text = {0};
    Error err;
    const char line[] = "q\u0323\u0307"
                        "j\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308z";
    ck_assert_int_eq(unicode_text_set(&text, line, sizeof line - 1, NORMALIZE_NFC, 0, &err), OK);
    ck_assert_uint_eq(text.len, 13);
    ck_assert_uint_eq(chunk_unit(&text, 0, text.len), 3);
    ck_assert_uint_eq(chunk_unit(&text, 3, text.len), 4); /* of nine: points alone */
    ck_assert_uint_eq(chunk_cluster(&text, 3, text.len), 12);
    ck_assert_uint_eq(chunk_unit(&text, 12, text.len), 13);
    unicode_text_free(&text);
}
END_TEST

TEST_MAIN("chunk", tcase_add_test(c, words_begin_with_a_word_start);
          tcase_add_test(c, blanks_without_a_word_are_chunks);
          tcase_add_test(c, scripts_without_blanks_take_no_word_start);
          tcase_add_test(c, chunks_are_bounded_and_whole_clusters);
          tcase_add_test(c, units_are_clusters_up_to_eight_points);)

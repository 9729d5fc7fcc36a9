/* text/words: what counts as a word of a raw line. */
#include <string.h>

#include "text/words.h"

#include "support/check_main.h"

/* The words of line must be those listed, joined by bars. */
static void expect_words(const char *line, const char *joined)
{
    Words words = {0};
    Error err;
    char got[512] = "";
    size_t len = 0;
    ck_assert_int_eq(words_split(&words, line, strlen(line), &err), OK);
    for (int i = 0; i < words.len; i++) {
        const size_t n = (size_t)(words.spans[i][1] - words.spans[i][0]);
        if (i > 0) {
            got[len++] = '|';
        }
        memcpy(got + len, line + words.spans[i][0], n);
        len += n;
    }
    got[len] = '\0';
    ck_assert_str_eq(got, joined);
    ck_assert_int_eq(words_count(line, strlen(line)), words.len);
    ck_assert_int_eq(words_is_blank(line, strlen(line)), words.len == 0);
    words_free(&words);
}

START_TEST(blanks_of_any_kind_separate_words)
{
    expect_words("", "");
    expect_words(" \t\u00A0\u3000\u2028\r", "");
    expect_words("I love  deep\tlearning.", "I|love|deep|learning.");
    expect_words("\u00A0a\u3000b\u2003c ", "a|b|c");
}
END_TEST

START_TEST(han_kana_and_thai_graphemes_are_words)
{
    expect_words("\u6211\u559C\u6B22 cat\u732B!", "\u6211|\u559C|\u6B22|cat|\u732B|!");
    expect_words("\u304B\u3099\u30AB", "\u304B\u3099|\u30AB"); /* with its voicing mark */
    expect_words("\u0E01\u0E34\u0E19", "\u0E01\u0E34|\u0E19");
    expect_words("\uD55C\uAD6D \uB9D0", "\uD55C\uAD6D|\uB9D0"); /* Hangul has blanks */
    expect_words("a\u0E34b", "a\u0E34b");                       /* a mark stays with its base */
    expect_words("\u6211\u3002\u4ED6", "\u6211|\u3002|\u4ED6");
}
END_TEST

START_TEST(malformed_bytes_are_part_of_words)
{
    Words words = {0};
    Error err;
    ck_assert_int_eq(words_split(&words, "a\xFF\0 \xE6\x88", 6, &err), OK);
    ck_assert_int_eq(words.len, 2);
    ck_assert_int_eq(words.spans[0][1], 3);
    ck_assert_int_eq(words.spans[1][0], 4);
    ck_assert_int_eq(words.spans[1][1], 6);
    words_free(&words);
}
END_TEST

TEST_MAIN("words", tcase_add_test(c, blanks_of_any_kind_separate_words);
          tcase_add_test(c, han_kana_and_thai_graphemes_are_words);
          tcase_add_test(c, malformed_bytes_are_part_of_words);)

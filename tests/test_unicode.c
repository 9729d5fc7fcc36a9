/* text/unicode and text/script: malformed bytes, normalisation and its map, clusters, classes. */
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "support/check_main.h"
#include "text/script.h"
#include "text/unicode.h"

static void expect_repaired(const char *bytes, size_t len, const char *wanted, long n_malformed)
{
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(unicode_repair(&out, bytes, len, &err), OK);
    ck_assert_uint_eq(out.len, strlen(wanted));
    ck_assert_mem_eq(out.bytes, wanted, out.len);
    ck_assert_int_eq(unicode_count_malformed(bytes, len), n_malformed);
    buffer_free(&out);
}

#define R "\xEF\xBF\xBD"

START_TEST(malformed_sequences_become_replacement_characters)
{
    expect_repaired("a\x80z", 3, "a" R "z", 1);         /* continuation alone */
    expect_repaired("\xC0\xAF", 2, R R, 2);             /* overlong, 2 bytes */
    expect_repaired("\xE0\x80\xAF", 3, R R R, 3);       /* overlong, 3 bytes */
    expect_repaired("\xF0\x80\x80\xAF", 4, R R R R, 4); /* overlong, 4 bytes */
    expect_repaired("\xED\xA0\x80", 3, R R R, 3);       /* surrogate */
    expect_repaired("\xED\xBF\xBFx", 4, R R R "x", 3);  /* surrogate */
    expect_repaired("\xF4\x90\x80\x80", 4, R R R R, 4); /* above U+10FFFF */
    expect_repaired("\xF5\x80", 2, R R, 2);             /* never a first byte */
    expect_repaired("\xFE\xFF", 2, R R, 2);             /* never a byte */
    expect_repaired("\xE4\xBD", 2, R, 1);               /* cut at the end */
    expect_repaired("\xF0\x9F\x98", 3, R, 1);           /* cut at the end */
    expect_repaired("\xE4\xBDz", 3, R "z", 1);          /* cut by text */
    expect_repaired("\xF0\x9F\x98\xE4\xBD\xA0", 6, R "\xE4\xBD\xA0", 1);
    expect_repaired("\xEF\xBF\xBD", 3, R, 0);                      /* itself is well-formed */
    expect_repaired("\xF4\x8F\xBF\xBF", 4, "\xF4\x8F\xBF\xBF", 0); /* U+10FFFF */
    expect_repaired("\xED\x9F\xBF", 3, "\xED\x9F\xBF", 0);         /* below the surrogates */
}
END_TEST

/* Well-formed sequences of one and two bytes, by the definition of UTF-8. */
static int is_well_formed(unsigned a, unsigned b)
{
    return (a < 0x80 && b < 0x80) || (a >= 0xC2 && a <= 0xDF && b >= 0x80 && b <= 0xBF);
}

START_TEST(all_short_sequences_are_judged_right)
{
    for (unsigned a = 0; a < 256; a++) {
        const char one[1] = {(char)a};
        ck_assert_int_eq(unicode_count_malformed(one, 1), a < 0x80 ? 0 : 1);
        for (unsigned b = 0; b < 256; b++) {
            const char two[2] = {(char)a, (char)b};
            Buffer out = {0};
            Error err;
            ck_assert_int_eq(unicode_count_malformed(two, 2) == 0, is_well_formed(a, b));
            ck_assert_int_eq(unicode_repair(&out, two, 2, &err), OK);
            ck_assert_int_eq(unicode_count_malformed(out.bytes, out.len), 0);
            buffer_free(&out);
        }
    }
}
END_TEST

START_TEST(every_code_point_comes_back_from_utf8)
{
    int n_bad = 0;
    for (uint32_t p = 0; p <= 0x10FFFF; p++) {
        char bytes[UNICODE_MAX_BYTES];
        uint32_t back;
        if (p >= 0xD800 && p <= 0xDFFF) {
            continue;
        }
        const size_t n = unicode_encode(p, bytes);
        n_bad += unicode_decode(bytes, n, &back, NULL) != n || back != p;
    }
    ck_assert_int_eq(n_bad, 0);
}
END_TEST

static void expect_normal(const char *raw, Normalization normalization, int is_lowercase,
                          const char *wanted)
{
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(unicode_normalize(&out, raw, strlen(raw), normalization, is_lowercase, &err),
                     OK);
    ck_assert_str_eq(out.len == 0 ? "" : out.bytes, wanted);
    buffer_free(&out);
}

START_TEST(normalisation_composes)
{
    expect_normal("e\u0301te\u0301", NORMALIZE_NFC, 0, "\u00E9t\u00E9");
    expect_normal("q\u0323\u0307", NORMALIZE_NFC, 0, "q\u0323\u0307");
    expect_normal("q\u0307\u0323", NORMALIZE_NFC, 0, "q\u0323\u0307"); /* marks in order */
    expect_normal("\u1100\u1161\u11A8", NORMALIZE_NFC, 0, "\uAC01");   /* Hangul */
    expect_normal("\uAC00\u11A8", NORMALIZE_NFC, 0, "\uAC01");
    expect_normal("\u212B", NORMALIZE_NFC, 0, "\u00C5");       /* Angstrom */
    expect_normal("\u0958", NORMALIZE_NFC, 0, "\u0915\u093C"); /* never composed */
    expect_normal("\u304B\u3099", NORMALIZE_NFC, 0, "\u304C");
    expect_normal("\u09C7\u09BE", NORMALIZE_NFC, 0, "\u09CB"); /* a vowel sign that composes */
    expect_normal("\uFB01 \u2460", NORMALIZE_NFC, 0, "\uFB01 \u2460");
    expect_normal("\uFB01 \u2460", NORMALIZE_NFKC, 0, "fi 1");
    expect_normal("\uFF76\uFF9E", NORMALIZE_NFKC, 0, "\u30AC"); /* half-width, voiced */
    expect_normal("E\u0301T\u00C9 \u0130", NORMALIZE_NFC, 1, "\u00E9t\u00E9 i");
    expect_normal("\u03A3\u0391", NORMALIZE_NFC, 1, "\u03C3\u03B1");
    expect_normal("a\xFF"
                  "b",
                  NORMALIZE_NFC, 0, "a" R "b");
}
END_TEST

START_TEST(ten_thousand_marks_are_ordered_like_few)
{
    /* Marks of classes 220 and 230 in turn: first all of the lower class, each kind in order. */
    enum { N = 5000 };
    Buffer raw = {0};
    UnicodeText text = {0};
    Error err;
    ck_assert_int_eq(buffer_add_text(&raw, "x", &err), OK);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(buffer_add_text(&raw, i % 2 ? "\u030D\u0323" : "\u030E\u0324", &err), OK);
    }
    ck_assert_int_eq(unicode_text_set(&text, raw.bytes, raw.len, NORMALIZE_NFC, 0, &err), OK);
    ck_assert_uint_eq(text.len, 1 + 2 * N);
    for (size_t i = 0; i < N; i++) {
        ck_assert_uint_eq(text.points[1 + i], i % 2 ? 0x0323 : 0x0324);
        ck_assert_uint_eq(text.points[1 + N + i], i % 2 ? 0x030D : 0x030E);
    }
    unicode_text_free(&text);
    buffer_free(&raw);
}
END_TEST

START_TEST(the_map_points_to_raw_bytes)
{
    UnicodeText text = {0};
    Error err;
    const char raw[] = "ae\u0301\xFFz"; /* bytes: a, e+mark at 1..4, FF at 4, z at 5 */
    ck_assert_int_eq(unicode_text_set(&text, raw, sizeof raw - 1, NORMALIZE_NFC, 0, &err), OK);
    const uint32_t points[] = {'a', 0xE9, UNICODE_REPLACEMENT, 'z'};
    const uint32_t starts[] = {0, 1, 4, 5}, ends[] = {1, 4, 5, 6};
    ck_assert_uint_eq(text.len, 4);
    ck_assert_mem_eq(text.points, points, sizeof points);
    ck_assert_mem_eq(text.starts, starts, sizeof starts);
    ck_assert_mem_eq(text.ends, ends, sizeof ends);
    ck_assert_int_eq(text.n_malformed, 1);
    unicode_text_free(&text);
}
END_TEST

/* Text of parts that are likely to interact. */
static size_t random_text(Rng *rng, char *bytes, size_t cap)
{
    static const uint32_t starts[] = {0x20,   0x61,   0xC0,   0x300,  0x320,   0x391,  0x9BE,
                                      0xAC00, 0x1100, 0x1161, 0x11A8, 0x3099,  0x304B, 0x4E00,
                                      0xFF76, 0xFF9E, 0xFB00, 0x200D, 0x1F466, 0x1D15E};
    const size_t n_starts = sizeof starts / sizeof *starts;
    size_t len = 0;
    while (len + UNICODE_MAX_BYTES <= cap) {
        const uint32_t start = starts[rng_below(rng, n_starts)];
        len += unicode_encode(start + (uint32_t)rng_below(rng, 20), bytes + len);
    }
    return len;
}

START_TEST(normalising_twice_changes_nothing)
{
    Rng rng = rng_stream(3, 0, 0);
    for (int i = 0; i < 2000; i++) {
        char raw[120];
        const size_t len = random_text(&rng, raw, 4 + rng_below(&rng, 100));
        const Normalization kind = i % 2 ? NORMALIZE_NFC : NORMALIZE_NFKC;
        Buffer once = {0}, twice = {0};
        Error err;
        ck_assert_int_eq(unicode_normalize(&once, raw, len, kind, i % 3 == 0, &err), OK);
        ck_assert_int_eq(unicode_normalize(&twice, once.bytes, once.len, kind, i % 3 == 0, &err),
                         OK);
        ck_assert_uint_eq(once.len, twice.len);
        ck_assert_mem_eq(once.bytes, twice.bytes, once.len);
        buffer_free(&once);
        buffer_free(&twice);
    }
}
END_TEST

START_TEST(clusters_hold_together)
{
    ck_assert_uint_eq(unicode_grapheme("e\u0301x", 4), 3);
    ck_assert_uint_eq(unicode_grapheme("ab", 2), 1);
    ck_assert_uint_eq(unicode_grapheme("\r\nx", 3), 2);
    ck_assert_uint_eq(unicode_grapheme("\U0001F469\u200D\U0001F680x", 12), 11);   /* joined */
    ck_assert_uint_eq(unicode_grapheme("\U0001F1E9\U0001F1EA\U0001F1EB", 12), 8); /* flags */
    ck_assert_uint_eq(unicode_grapheme("\u0915\u093F\u0915", 9), 6);
}
END_TEST

START_TEST(widths_are_columns)
{
    ck_assert_int_eq(unicode_text_width("abc", 3), 3);
    ck_assert_int_eq(unicode_text_width("\u6211x", 4), 3);
    ck_assert_int_eq(unicode_text_width("e\u0301", 3), 1);
    ck_assert_int_eq(unicode_text_width("\U0001F469\u200D\U0001F680", 11), 2);
}
END_TEST

START_TEST(classes_and_scripts_are_told_apart)
{
    static const struct {
        uint32_t point;
        UnicodeClass cls;
        Script script;
    } rows[] = {
        {'a', CLASS_LETTER, SCRIPT_LATIN},         {0x17F, CLASS_LETTER, SCRIPT_LATIN},
        {0x3B1, CLASS_LETTER, SCRIPT_GREEK},       {0x436, CLASS_LETTER, SCRIPT_CYRILLIC},
        {0x5D0, CLASS_LETTER, SCRIPT_HEBREW},      {0x628, CLASS_LETTER, SCRIPT_ARABIC},
        {0x915, CLASS_LETTER, SCRIPT_DEVANAGARI},  {0xE01, CLASS_LETTER, SCRIPT_THAI},
        {0xAC00, CLASS_LETTER, SCRIPT_HANGUL},     {0x3042, CLASS_LETTER, SCRIPT_HIRAGANA},
        {0x30AB, CLASS_LETTER, SCRIPT_KATAKANA},   {0x6211, CLASS_LETTER, SCRIPT_HAN},
        {0x20000, CLASS_LETTER, SCRIPT_HAN},       {0x301, CLASS_MARK, SCRIPT_OTHER},
        {'7', CLASS_DIGIT, SCRIPT_OTHER},          {0xBD, CLASS_DIGIT, SCRIPT_LATIN},
        {'!', CLASS_PUNCTUATION, SCRIPT_OTHER},    {0x3002, CLASS_PUNCTUATION, SCRIPT_OTHER},
        {0x20AC, CLASS_PUNCTUATION, SCRIPT_OTHER}, {' ', CLASS_SPACE, SCRIPT_OTHER},
        {0x3000, CLASS_SPACE, SCRIPT_OTHER},       {0x85, CLASS_SPACE, SCRIPT_LATIN},
        {0, CLASS_CONTROL, SCRIPT_OTHER},          {0xE000, CLASS_OTHER, SCRIPT_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(unicode_class(rows[i].point), rows[i].cls);
        if (rows[i].cls == CLASS_LETTER) {
            ck_assert_int_eq(script_of(rows[i].point), rows[i].script);
        }
    }
    ck_assert(script_is_unspaced(SCRIPT_KHMER) && !script_is_unspaced(SCRIPT_HANGUL));
    ck_assert(script_is_word_each(SCRIPT_THAI) && !script_is_word_each(SCRIPT_LATIN));
}
END_TEST

START_TEST(refused_memory_is_reported)
{
    const char raw[] = "e\u0301 \u1100\u1161";
    for (long n = 1;; n++) {
        UnicodeText text = {0};
        Error err = {0};
        mem_fail_at(n, 0);
        const Status status = unicode_text_set(&text, raw, sizeof raw - 1, NORMALIZE_NFC, 0, &err);
        const int has_failed = mem_failed();
        mem_fail_at(0, 0);
        unicode_text_free(&text);
        if (!has_failed) {
            ck_assert_int_eq(status, OK);
            ck_assert_int_gt(n, 2);
            return;
        }
        ck_assert_int_eq(status, ERR_NOMEM);
    }
}
END_TEST

TEST_MAIN("unicode", tcase_add_test(c, malformed_sequences_become_replacement_characters);
          tcase_add_test(c, all_short_sequences_are_judged_right);
          tcase_add_test(c, every_code_point_comes_back_from_utf8);
          tcase_add_test(c, normalisation_composes);
          tcase_add_test(c, ten_thousand_marks_are_ordered_like_few);
          tcase_add_test(c, the_map_points_to_raw_bytes);
          tcase_add_test(c, normalising_twice_changes_nothing);
          tcase_add_test(c, clusters_hold_together); tcase_add_test(c, widths_are_columns);
          tcase_add_test(c, classes_and_scripts_are_told_apart);
          tcase_add_test(c, refused_memory_is_reported);)

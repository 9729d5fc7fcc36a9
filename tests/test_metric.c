/* metric: BLEU and chrF against recorded scores of sacreBLEU (tests/data/metrics), and by hand. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "metric/bleu.h"
#include "metric/characters.h"
#include "metric/chrf.h"
#include "metric/ngram.h"
#include "support/check_main.h"

enum { MAX_LINES = 64, MAX_BYTES = 1 << 16 };

static const char *const TOKENIZERS[] = {"13a", "zh", "char", "none"};

/* A small file, cut into lines in place. */
typedef struct Lines {
    char bytes[MAX_BYTES];
    const char *line[MAX_LINES];
    size_t len[MAX_LINES];
    int n;
} Lines;

static void read_lines(Lines *out, const char *name, const char *extension)
{
    char path[256];
    (void)snprintf(path, sizeof path, "tests/data/metrics/%s.%s", name, extension);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    const size_t len = fread(out->bytes, 1, sizeof out->bytes - 1, file);
    (void)fclose(file);
    out->n = 0;
    for (size_t at = 0; at < len; out->n++) {
        char *end = memchr(out->bytes + at, '\n', len - at);
        ck_assert(end != NULL && out->n < MAX_LINES);
        out->line[out->n] = out->bytes + at;
        out->len[out->n] = (size_t)(end - out->bytes) - at;
        at = (size_t)(end - out->bytes) + 1;
    }
}

static void expect_near(const char *what, double actual, const json_t *expected)
{
    ck_assert(json_is_number(expected));
    const double wanted = json_number_value(expected);
    ck_assert_msg(actual >= wanted - 1e-9 && actual <= wanted + 1e-9, "%s is %.17g, expected %.17g",
                  what, actual, wanted);
}

static void expect_bleu(const char *name, const Lines *h, const Lines *r, BleuOptions options,
                        const json_t *expected)
{
    ck_assert_msg(json_is_object(expected), "%s has no scores", name);
    Error err;
    BleuStats stats = {0};
    for (int i = 0; i < h->n; i++) { /* halves summed, as a trainer may */
        BleuStats one = {0};
        ck_assert_int_eq(
            bleu_add(&one, options, h->line[i], h->len[i], r->line[i], r->len[i], &err), OK);
        bleu_sum(&stats, &one);
    }
    const BleuScore score = bleu_score(&stats);
    expect_near(name, score.bleu, json_object_get(expected, "score"));
    expect_near(name, score.brevity_penalty, json_object_get(expected, "bp"));
    for (size_t k = 0; k < BLEU_ORDER; k++) {
        expect_near(name, score.precisions[k],
                    json_array_get(json_object_get(expected, "precisions"), k));
        expect_near(name, (double)stats.matches[k],
                    json_array_get(json_object_get(expected, "counts"), k));
        expect_near(name, (double)stats.totals[k],
                    json_array_get(json_object_get(expected, "totals"), k));
    }
    expect_near(name, (double)stats.len_hypothesis, json_object_get(expected, "hyp_len"));
    expect_near(name, (double)stats.len_reference, json_object_get(expected, "ref_len"));
}

static void expect_all_bleu(const char *name, const Lines *h, const Lines *r, const json_t *scores)
{
    for (int tokenizer = 0; tokenizer < 4; tokenizer++) {
        for (int lowercase = 0; lowercase < 2; lowercase++) {
            char key[64];
            (void)snprintf(key, sizeof key, "bleu.%s%s", TOKENIZERS[tokenizer],
                           lowercase ? ".lc" : "");
            const BleuOptions options = {(BleuTokenizer)tokenizer, lowercase};
            char label[128];
            (void)snprintf(label, sizeof label, "%s %s", name, key);
            expect_bleu(label, h, r, options, json_object_get(scores, key));
        }
    }
}

static void expect_chrf(const char *name, const Lines *h, const Lines *r, int word_order,
                        const json_t *expected)
{
    const ChrfOptions options = {.word_order = word_order};
    Error err;
    ChrfStats stats = {0};
    for (int i = 0; i < h->n; i++) {
        ChrfStats one = {0};
        ck_assert_int_eq(
            chrf_add(&one, options, h->line[i], h->len[i], r->line[i], r->len[i], &err), OK);
        chrf_sum(&stats, &one);
    }
    expect_near(name, chrf_score(&stats, options), expected);
}

static void expect_sentences(const char *name, const Lines *h, const Lines *r, const json_t *scores)
{
    const json_t *bleus = json_object_get(scores, "sentence_bleu.13a");
    const json_t *chrfs = json_object_get(scores, "sentence_chrf");
    ck_assert_uint_eq(json_array_size(bleus), (size_t)h->n);
    ck_assert_uint_eq(json_array_size(chrfs), (size_t)h->n);
    for (int i = 0; i < h->n; i++) {
        Error err;
        BleuStats bleu = {0};
        ChrfStats chrf = {0};
        ck_assert_int_eq(bleu_add(&bleu, (BleuOptions){BLEU_13A, 0}, h->line[i], h->len[i],
                                  r->line[i], r->len[i], &err),
                         OK);
        ck_assert_int_eq(chrf_add(&chrf, (ChrfOptions){0, 0}, h->line[i], h->len[i], r->line[i],
                                  r->len[i], &err),
                         OK);
        expect_near(name, bleu_sentence_score(&bleu).bleu, json_array_get(bleus, (size_t)i));
        expect_near(name, chrf_score(&chrf, (ChrfOptions){0, 0}), json_array_get(chrfs, (size_t)i));
    }
}

START_TEST(metrics_equal_the_recorded_scores_of_all_cases)
{
    static Lines hypothesis, reference, scores;
    read_lines(&scores, "scores", "jsonl");
    ck_assert_int_ge(scores.n, 17);
    for (int i = 0; i < scores.n; i++) {
        json_t *object = json_loadb(scores.line[i], scores.len[i], 0, NULL);
        ck_assert_ptr_nonnull(object);
        const char *name = json_string_value(json_object_get(object, "case"));
        read_lines(&hypothesis, name, "hyp");
        read_lines(&reference, name, "ref");
        ck_assert_int_eq(hypothesis.n, reference.n);
        expect_all_bleu(name, &hypothesis, &reference, object);
        expect_chrf(name, &hypothesis, &reference, 0, json_object_get(object, "chrf"));
        expect_chrf(name, &hypothesis, &reference, 2, json_object_get(object, "chrf++"));
        expect_sentences(name, &hypothesis, &reference, object);
        json_decref(object);
    }
}
END_TEST

/* la x4 against "la la land": 2 of 4 words, 1 of 3 pairs; mixed orders counted by hand. */
START_TEST(ngrams_are_clipped_and_stay_within_a_side)
{
    const uint32_t h[] = {7, 7, 7, 7}, r[] = {7, 7, 9};
    NgramCounts counts;
    Error err;
    ck_assert_int_eq(ngram_count(&counts, 4, h, 4, r, 3, &err), OK);
    const long n_hypothesis[] = {4, 3, 2, 1}, n_reference[] = {3, 2, 1, 0},
               matches[] = {2, 1, 0, 0};
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(counts.n_hypothesis[k], n_hypothesis[k]);
        ck_assert_int_eq(counts.n_reference[k], n_reference[k]);
        ck_assert_int_eq(counts.n_matches[k], matches[k]);
    }
}
END_TEST

/* Tokens of one line, seen through the counts: BLEU totals of order 1. */
static void expect_tokens(BleuTokenizer tokenizer, const char *line, const char *tokens)
{
    Error err;
    BleuStats stats = {0};
    ck_assert_int_eq(
        bleu_add(&stats, (BleuOptions){tokenizer, 0}, line, strlen(line), line, strlen(line), &err),
        OK);
    BleuStats spaced = {0};
    ck_assert_int_eq(bleu_add(&spaced, (BleuOptions){BLEU_NONE, 0}, tokens, strlen(tokens), tokens,
                              strlen(tokens), &err),
                     OK);
    ck_assert_msg(stats.len_hypothesis == spaced.len_hypothesis, "%s: %ld tokens, expected %ld",
                  line, stats.len_hypothesis, spaced.len_hypothesis);
    /* the tokens themselves: 13a and zh leave text that is already apart as it is */
    BleuStats both = {0};
    ck_assert_int_eq(bleu_add(&both, (BleuOptions){tokenizer, 0}, line, strlen(line), tokens,
                              strlen(tokens), &err),
                     OK);
    ck_assert_msg(both.matches[0] == spaced.len_hypothesis, "%s: %ld of %ld tokens as in %s", line,
                  both.matches[0], spaced.len_hypothesis, tokens);
}

START_TEST(tokenizer_13a_takes_apart_what_mteval_does)
{
    expect_tokens(BLEU_13A, "a.b, 1.5 1,000. x-y 3-4", "a . b , 1.5 1,000 . x-y 3 - 4");
    expect_tokens(BLEU_13A, "...", ". . .");
    expect_tokens(BLEU_13A, "&quot;a&amp;b&quot;", "\" a & b \"");
    expect_tokens(BLEU_13A, "&amp;lt;", "<");
    expect_tokens(BLEU_13A, "it's <skipped>fine/good", "it's fine / good");
}
END_TEST

START_TEST(tokenizer_zh_takes_characters_apart)
{
    expect_tokens(BLEU_ZH, "我有3.5个a.b", "我 有 3.5 个 a . b");
    expect_tokens(BLEU_ZH, "x\u2013y", "x \u2013 y"); /* general punctuation counts as Chinese */
}
END_TEST

START_TEST(signatures_and_lines_name_the_settings)
{
    Buffer out = {0};
    Error err;
    const BleuStats stats = {{33, 20, 13, 9}, {50, 49, 48, 47}, 50, 40};
    ck_assert_int_eq(bleu_print(&out, &stats, bleu_score(&stats), &err), OK);
    ck_assert_str_eq(out.bytes, "BLEU = 34.4 66.0/40.8/27.1/19.1 (BP = 1.000 ratio = 1.250 "
                                "hyp_len = 50 ref_len = 40)");
    buffer_clear(&out);
    ck_assert_int_eq(bleu_signature(&out, (BleuOptions){BLEU_ZH, 1}, 1, &err), OK);
    ck_assert_str_eq(out.bytes,
                     "nrefs:1|case:lc|eff:yes|tok:zh|smooth:exp|version:heed-" HEED_VERSION);
    buffer_clear(&out);
    ck_assert_int_eq(chrf_name(&out, (ChrfOptions){2, 0}, &err), OK);
    ck_assert_str_eq(out.bytes, "chrF2++");
    buffer_clear(&out);
    ck_assert_int_eq(chrf_signature(&out, (ChrfOptions){2, 0}, &err), OK);
    ck_assert_str_eq(out.bytes,
                     "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:heed-" HEED_VERSION);
    buffer_free(&out);
}
END_TEST

TEST_MAIN("metric", tcase_add_test(c, metrics_equal_the_recorded_scores_of_all_cases);
          tcase_add_test(c, ngrams_are_clipped_and_stay_within_a_side);
          tcase_add_test(c, tokenizer_13a_takes_apart_what_mteval_does);
          tcase_add_test(c, tokenizer_zh_takes_characters_apart);
          tcase_add_test(c, signatures_and_lines_name_the_settings);)

/* text/bpe_learn: the incremental counts against a plain learner that counts anew each time. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "text/bpe.h"

#include "support/check_main.h"

enum { N_WORDS = 300, WORD_MAX = 16, N_IDS = 512, LETTERS = 2 };

/* The plain learner: words of ids, recounted before every merge. */
typedef struct Plain {
    int symbols[N_WORDS][WORD_MAX + 1], lens[N_WORDS], counts[N_WORDS];
    char names[N_IDS][4 * WORD_MAX];
    int n_ids;
} Plain;

static int plain_find(const Plain *p, const char *name)
{
    for (int id = 0; id < p->n_ids; id++) {
        if (strcmp(p->names[id], name) == 0) {
            return id;
        }
    }
    return -1;
}

/* The most frequent pair, ties by ids; its count. */
static long plain_best(const Plain *p, int *left, int *right)
{
    static long counts[N_IDS][N_IDS];
    memset(counts, 0, sizeof counts);
    for (int w = 0; w < N_WORDS; w++) {
        for (int i = 0; i + 1 < p->lens[w]; i++) {
            counts[p->symbols[w][i]][p->symbols[w][i + 1]] += p->counts[w];
        }
    }
    long best = 0;
    for (int a = 0; a < p->n_ids; a++) {
        for (int b = 0; b < p->n_ids; b++) {
            if (counts[a][b] > best) {
                best = counts[a][b];
                *left = a;
                *right = b;
            }
        }
    }
    return best;
}

static void plain_merge(Plain *p, int left, int right, int result)
{
    for (int w = 0; w < N_WORDS; w++) {
        int *s = p->symbols[w], n = 0;
        for (int i = 0; i < p->lens[w]; n++) {
            const int is_pair = i + 1 < p->lens[w] && s[i] == left && s[i + 1] == right;
            s[n] = is_pair ? result : s[i];
            i += is_pair ? 2 : 1;
        }
        p->lens[w] = n;
    }
}

/* Random words of few letters, so that pairs overlap and ties and equal texts are common. */
static void make_lines(Plain *p, Buffer *text, uint64_t seed)
{
    Rng rng = rng_stream(seed, 0, 0);
    Error err;
    for (int w = 0; w < N_WORDS; w++) {
        const int len = 1 + (int)rng_below(&rng, WORD_MAX);
        char word[WORD_MAX + 1] = "";
        for (int i = 0; i < len; i++) {
            word[i] = (char)('a' + rng_below(&rng, LETTERS));
        }
        p->counts[w] = 1 + (int)rng_below(&rng, 3);
        for (int k = 0; k < p->counts[w]; k++) {
            ck_assert_int_eq(buffer_printf(text, &err, "%s%s", text->len > 0 ? " " : "", word), OK);
        }
        p->lens[w] = len + 1;
        p->symbols[w][0] = 0;
        for (int i = 0; i < len; i++) {
            p->symbols[w][i + 1] = word[i]; /* a letter; turned into an id below */
        }
    }
}

START_TEST(incremental_counts_agree_with_counting_anew)
{
    static Plain p;
    for (uint64_t seed = 0; seed < 16; seed++) {
        Buffer text = {0};
        Error err;
        Bpe bpe;
        memset(&p, 0, sizeof p);
        make_lines(&p, &text, seed);
        const char *const texts[] = {text.bytes};
        LineArray array = {texts, &text.len, 1, 0};
        const Lines lines = lines_of_array(&array);
        const TokenizerOptions options = {TOKENIZER_BPE, 400, 2, NORMALIZE_NFC, 0};
        ck_assert_int_eq(bpe_init(&bpe, &err), OK);
        ck_assert_int_eq(bpe_learn(&bpe, &options, &lines, &err), OK);

        /* The alphabet is taken over: its order is tested elsewhere. */
        ck_assert_int_eq(bpe.n_alphabet, 1 + LETTERS);
        for (int i = 0; i < bpe.n_alphabet; i++) {
            size_t len;
            const char *name = piece_text(&bpe.pieces, i, &len);
            memcpy(p.names[i], name, len);
        }
        p.n_ids = bpe.n_alphabet;
        for (int w = 0; w < N_WORDS; w++) {
            for (int i = 1; i < p.lens[w]; i++) {
                const char name[2] = {(char)p.symbols[w][i], '\0'};
                p.symbols[w][i] = plain_find(&p, name);
            }
        }
        int n_merges = 0;
        while (BPE_WORD_START + p.n_ids < options.vocab_size) {
            int left = 0, right = 0;
            if (plain_best(&p, &left, &right) < options.min_frequency) {
                break;
            }
            char name[8 * WORD_MAX];
            (void)snprintf(name, sizeof name, "%s%s", p.names[left], p.names[right]);
            int result = plain_find(&p, name);
            if (bpe_merge_result(&bpe, BPE_WORD_START + left, BPE_WORD_START + right) == 0 ||
                n_merges >= bpe.n_merges) {
                ck_abort_msg("seed %d: %s + %s is missing", (int)seed, p.names[left],
                             p.names[right]);
            }
            /* A pair that came back was merged before and is not listed again. */
            int is_new = 1;
            for (int m = 0; m < n_merges; m++) {
                is_new = is_new && (bpe.merges[m][0] != BPE_WORD_START + left ||
                                    bpe.merges[m][1] != BPE_WORD_START + right);
            }
            if (is_new) {
                ck_assert_int_eq(bpe.merges[n_merges][0], BPE_WORD_START + left);
                ck_assert_int_eq(bpe.merges[n_merges][1], BPE_WORD_START + right);
                n_merges++;
            }
            if (result < 0) {
                result = p.n_ids++;
                ck_assert_uint_lt(strlen(name), sizeof p.names[0]);
                memcpy(p.names[result], name, strlen(name) + 1);
            }
            plain_merge(&p, left, right, result);
        }
        ck_assert_int_eq(n_merges, bpe.n_merges);
        ck_assert_int_eq(p.n_ids, bpe.pieces.n);
        bpe_free(&bpe);
        buffer_free(&text);
    }
}
END_TEST

static int has_piece(const Bpe *bpe, const char *text)
{
    return piece_find(&bpe->pieces, text, strlen(text)) >= 0;
}

static void learn(Bpe *bpe, const char *text, int vocab_size, int min_frequency)
{
    const size_t len = strlen(text);
    const char *const texts[] = {text};
    LineArray array = {texts, &len, 1, 0};
    const Lines lines = lines_of_array(&array);
    const TokenizerOptions options = {TOKENIZER_BPE, vocab_size, min_frequency, NORMALIZE_NFC, 0};
    Error err;
    ck_assert_int_eq(bpe_init(bpe, &err), OK);
    ck_assert_int_eq(bpe_learn(bpe, &options, &lines, &err), OK);
}

START_TEST(the_alphabet_takes_the_most_frequent_units)
{
    Bpe bpe;
    learn(&bpe, "aaaa bbb cc d aaaa", BPE_WORD_START + 3, 1);
    ck_assert(has_piece(&bpe, "a") && has_piece(&bpe, "b"));
    ck_assert(!has_piece(&bpe, "c") && !has_piece(&bpe, "d"));
    ck_assert_int_eq(bpe.n_merges, 0);
    bpe_free(&bpe);
    learn(&bpe, "aaaa bbb cc d aaaa", 400, 2); /* rarer than the minimum: by bytes */
    ck_assert(has_piece(&bpe, "c") && !has_piece(&bpe, "d"));
    bpe_free(&bpe);
}
END_TEST

START_TEST(clusters_are_units_and_rare_ones_fall_to_code_points)
{
    /* None of these has a composed form. */
    Bpe bpe;
    learn(&bpe, "q\u0323\u0307 q\u0323\u0307 j\u0329\u0304 x\u0329\u0304 j\u0304", 400, 2);
    ck_assert(has_piece(&bpe, "q\u0323\u0307")); /* twice: a unit */
    ck_assert(!has_piece(&bpe, "q"));            /* never alone */
    ck_assert(has_piece(&bpe, "j") && has_piece(&bpe, "\u0304"));
    ck_assert(!has_piece(&bpe, "j\u0329\u0304"));
    bpe_free(&bpe);
}
END_TEST

/* q with one mark is a unit; in a cluster too long to be one, a merge makes the same text, and a
 * pair that was merged already stands there again. */
START_TEST(a_pair_that_comes_back_is_merged_again)
{
    static const char marks[] = "\u0329\u0329\u0329\u0329\u0329\u0329\u0329\u0329";
    Bpe bpe;
    Buffer text = {0};
    Error err;
    /* The counts make q + mark come before x + q, and x before what follows q. */
    for (int i = 0; i < 30; i++) {
        ck_assert_int_eq(
            buffer_printf(&text, &err, "\"q %s%s ", i < 15 ? "\"xq\u0323" : "", i < 3 ? marks : ""),
            OK);
    }
    learn(&bpe, text.bytes, 600, 2);
    ck_assert(has_piece(&bpe, "xq\u0323"));
    Buffer whole = {0};
    ck_assert_int_eq(buffer_printf(&whole, &err, "xq\u0323%s", marks), OK);
    ck_assert(has_piece(&bpe, whole.bytes));
    buffer_free(&whole);
    buffer_free(&text);
    bpe_free(&bpe);
}
END_TEST

START_TEST(control_characters_and_the_mark_stay_bytes)
{
    Bpe bpe;
    learn(&bpe, "\x01\x01 \u2581\u2581 \u2581\u2581 \t\t \x7F\x7F \u2028\u2028 ab ab", 400, 2);
    ck_assert(!has_piece(&bpe, "\x01") && !has_piece(&bpe, "\t") && !has_piece(&bpe, "\u2028"));
    ck_assert(!has_piece(&bpe, "\u2581\u2581"));
    ck_assert(has_piece(&bpe, "\u2581"
                              "ab"));
    bpe_free(&bpe);
}
END_TEST

START_TEST(scripts_without_blanks_ask_for_cohesion)
{
    /* "A B" stand together always; "C" stands before many, "D" among them. */
    Bpe bpe;
    Buffer text = {0};
    Error err;
    for (int i = 0; i < 40; i++) {
        char other[UNICODE_MAX_BYTES + 1] = "";
        (void)unicode_encode(0x4E10 + (uint32_t)i % 20, other);
        ck_assert_int_eq(
            buffer_printf(&text, &err, "\u559C\u6B22 \u7684%s ", i < 3 ? "\u732B" : other), OK);
    }
    learn(&bpe, text.bytes, 600, 2);
    ck_assert(has_piece(&bpe, "\u559C\u6B22"));
    ck_assert(!has_piece(&bpe, "\u7684\u732B"));
    bpe_free(&bpe);
    /* The same in letters is merged by frequency alone. */
    buffer_clear(&text);
    for (int i = 0; i < 40; i++) {
        ck_assert_int_eq(buffer_printf(&text, &err, "qu x%c ", i < 3 ? 'y' : 'a' + i % 20), OK);
    }
    learn(&bpe, text.bytes, 600, 2);
    ck_assert(has_piece(&bpe, "\u2581qu") && has_piece(&bpe, "\u2581xy"));
    bpe_free(&bpe);
    buffer_free(&text);
}
END_TEST

TEST_MAIN("bpe_learn", tcase_add_test(c, incremental_counts_agree_with_counting_anew);
          tcase_add_test(c, the_alphabet_takes_the_most_frequent_units);
          tcase_add_test(c, clusters_are_units_and_rare_ones_fall_to_code_points);
          tcase_add_test(c, a_pair_that_comes_back_is_merged_again);
          tcase_add_test(c, control_characters_and_the_mark_stay_bytes);
          tcase_add_test(c, scripts_without_blanks_ask_for_cohesion);)

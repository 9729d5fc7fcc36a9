/* Word alignment by counting: the hidden Markov model against a sum over all its paths, and links
 * of a toy language whose word order is reversed. */
#include "train/aligner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/check_main.h"
#include "support/scratch.h"
#include "decode/link_table.h"
#include "nn/hmm.h"

/* ---- The model of one pair ---- */

enum { N_OUT = 3, N_IN = 3, WIDTH = N_IN + 1 };

/* The probability of a jump, straight from the header's formula. */
static double jump(const HmmJumps *jumps, int from, int to)
{
    double sum = 0;
    for (int i = 0; i < N_IN; i++) {
        sum += jumps->v[i - from + HMM_JUMP_MAX];
    }
    return (1 - HMM_NULL) *
           ((1 - HMM_EVEN) * jumps->v[to - from + HMM_JUMP_MAX] / sum + HMM_EVEN / N_IN);
}

/* Sums over every way to choose a place, or none, for each word. */
static void enumerate(double posterior[N_OUT][WIDTH], double counts[HMM_JUMPS],
                      double emission[N_OUT][WIDTH], const HmmJumps *jumps)
{
    double total = 0;
    const int n_paths = WIDTH * WIDTH * WIDTH;
    memset(posterior, 0, N_OUT * sizeof *posterior);
    memset(counts, 0, HMM_JUMPS * sizeof *counts);
    for (int round = 0; round < 2; round++) {
        for (int path = 0; path < n_paths; path++) {
            int distance[N_OUT], n_jumps = 0, at = -1;
            double p = 1;
            for (int j = 0, rest = path; j < N_OUT; j++, rest /= WIDTH) {
                const int place = rest % WIDTH;
                p *= emission[j][place] * (place < N_IN ? jump(jumps, at, place) : HMM_NULL);
                if (place < N_IN) {
                    distance[n_jumps++] = place - at;
                    at = place;
                }
            }
            if (round == 0) {
                total += p;
                continue;
            }
            for (int j = 0, rest = path; j < N_OUT; j++, rest /= WIDTH) {
                posterior[j][rest % WIDTH] += p / total;
            }
            for (int k = 0; k < n_jumps; k++) {
                counts[distance[k] + HMM_JUMP_MAX] += p / total;
            }
        }
    }
}

START_TEST(posteriors_are_those_of_all_paths)
{
    double emission[N_OUT][WIDTH], wanted[N_OUT][WIDTH], wanted_counts[HMM_JUMPS];
    double found[N_OUT][WIDTH];
    HmmJumps jumps, counts = {{0}};
    Arena *arena;
    Rng rng = rng_stream(5, 1, 1);
    for (int k = 0; k < HMM_JUMPS; k++) {
        jumps.v[k] = 0.1 + (double)rng_uniform(&rng);
    }
    for (int j = 0; j < N_OUT; j++) {
        for (int i = 0; i < WIDTH; i++) {
            emission[j][i] = 0.01 + (double)rng_uniform(&rng);
        }
    }
    enumerate(wanted, wanted_counts, emission, &jumps);
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(
        hmm_posteriors(found[0], &counts, emission[0], N_OUT, N_IN, &jumps, arena, NULL), OK);
    for (int j = 0; j < N_OUT; j++) {
        for (int i = 0; i < WIDTH; i++) {
            ck_assert_double_eq_tol(found[j][i], wanted[j][i], 1e-12);
        }
    }
    for (int k = 0; k < HMM_JUMPS; k++) {
        ck_assert_double_eq_tol(counts.v[k], wanted_counts[k], 1e-12);
    }
    arena_free(arena);
}
END_TEST

START_TEST(far_jumps_share_one_count)
{
    HmmJumps counts = {{0}};
    counts.v[0] = 8;
    counts.v[HMM_JUMP_MAX + 1] = 8;
    const HmmJumps jumps = hmm_jumps_of_counts(&counts);
    ck_assert_double_eq_tol(jumps.v[HMM_JUMP_MAX + 1] / jumps.v[0], 4, 1e-3);
    ck_assert(jumps.v[HMM_JUMP_MAX] > 0); /* what was never seen stays possible */
}
END_TEST

/* ---- A corpus ---- */

enum { N_PAIRS = 400, N_WORDS = 40, LENGTH_MAX = 9 };

/* Sentences of words s0 .. s39; the target has t0 .. t39 for them from the last to the first, and
 * "the", which translates nothing, at its beginning. */
static void write_pairs(const char *path)
{
    static char text[N_PAIRS * (LENGTH_MAX + 1) * 10];
    size_t len = 0;
    Rng rng = rng_stream(11, 2, 3);
    for (int i = 0; i < N_PAIRS; i++) {
        int words[LENGTH_MAX];
        const int n = 2 + (int)(rng_next(&rng) % (LENGTH_MAX - 1));
        for (int j = 0; j < n; j++) {
            words[j] = (int)(rng_next(&rng) % N_WORDS);
            len += (size_t)snprintf(text + len, 10, "s%d ", words[j]);
        }
        len += (size_t)snprintf(text + len, 10, "\tthe");
        for (int j = n - 1; j >= 0; j--) {
            len += (size_t)snprintf(text + len, 10, " t%d", words[j]);
        }
        text[len++] = '\n';
    }
    scratch_write(path, text, len);
}

static Tokenizer *learn(const Corpus *corpus, int side)
{
    Tokenizer *t;
    CorpusLines state = {.corpus = corpus, .side = side};
    const Lines lines = corpus_lines(&state);
    const TokenizerOptions options = {TOKENIZER_SPACE, 500, 1, NORMALIZE_NFC, 0};
    ck_assert_int_eq(tokenizer_learn(&t, &options, &lines, NULL), OK);
    return t;
}

/* Counts the links, and those of a word to its translation. */
static void check_links(const Links *links, const Data *data, double least)
{
    int ids[64];
    long n_links = 0, n_right = 0, n_wanted = 0;
    for (long i = 0; i < data_size(data); i++) {
        IdPair pair;
        const int(*v)[2];
        ck_assert_int_eq(data_pair(data, &pair, i, 0, ids, NULL, NULL), OK);
        const int n = links_of(links, data_corpus_index(data, i), &v);
        for (int k = 0; k < n; k++) {
            n_right += v[k][0] == pair.n_target - 1 - v[k][1];
        }
        n_links += n;
        n_wanted += pair.n_source;
    }
    ck_assert(n_right > (long)(least * (double)n_wanted));
    ck_assert(n_right > (long)(least * (double)n_links));
}

/* The table by itself finds the words of a pair that was in no corpus. */
static void check_table(const Buffer *bytes, const Tokenizer *source, const Tokenizer *target)
{
    LinkTable *table;
    Arena *arena;
    int from[3], to[3];
    float weights[3][4] = {{0}};
    for (int i = 0; i < 3; i++) {
        char name[8];
        int len = snprintf(name, sizeof name, "s%d", 7 * i);
        from[i] = tokenizer_find(source, name, (size_t)len);
        len = snprintf(name, sizeof name, "t%d", 7 * (2 - i));
        to[i] = tokenizer_find(target, name, (size_t)len);
        ck_assert(from[i] >= 0 && to[i] >= 0);
    }
    const IdPair pair = {from, to, 3, 3};
    ck_assert_int_eq(link_table_read(&table, bytes->bytes, bytes->len, tokenizer_size(source),
                                     tokenizer_size(target), NULL),
                     OK);
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(link_table_weigh(table, &weights[0][0], &weights[0][0], ALIGN_BY_COUNTS, &pair,
                                      arena, NULL),
                     OK);
    for (int t = 0; t < 3; t++) {
        ck_assert(weights[t][2 - t] > 0.9F);
    }
    arena_free(arena);
    link_table_free(table);
}

START_TEST(reversed_sentences_are_linked_from_end_to_end)
{
    char path[SCRATCH_PATH];
    Corpus *corpus;
    Data *data;
    Threads *threads;
    Links *links, *again;
    Buffer table = {0}, table_again = {0};
    const CorpusFilter filter = {0};
    scratch_path(path, "pairs.tsv");
    write_pairs(path);
    ck_assert_int_eq(corpus_load_tsv(&corpus, path, &filter, NULL), OK);
    Tokenizer *source = learn(corpus, SIDE_SOURCE), *target = learn(corpus, SIDE_TARGET);
    const DataOptions options = {.max_length = LENGTH_MAX}; /* the longest targets have one more */
    ck_assert_int_eq(threads_create(&threads, 1, NULL), OK);
    ck_assert_int_eq(data_create(&data, corpus, source, target, &options, threads, NULL), OK);
    ck_assert(data_n_long(data) > 0);
    ck_assert_int_eq(aligner_run(&links, &table, data, corpus_size(corpus), tokenizer_size(source),
                                 tokenizer_size(target), threads, NULL, NULL),
                     OK);
    check_links(links, data, 0.98);
    threads_free(threads);
    ck_assert_int_eq(threads_create(&threads, 3, NULL), OK);
    ck_assert_int_eq(aligner_run(&again, &table_again, data, corpus_size(corpus),
                                 tokenizer_size(source), tokenizer_size(target), threads, NULL,
                                 NULL),
                     OK);
    ck_assert_uint_eq(links_checksum(links, 0), links_checksum(again, 0));
    ck_assert_uint_eq(table.len, table_again.len);
    ck_assert_mem_eq(table.bytes, table_again.bytes, table.len);
    check_table(&table, source, target);
    buffer_free(&table);
    buffer_free(&table_again);
    links_free(links);
    links_free(again);
    data_free(data);
    threads_free(threads);
    tokenizer_free(source);
    tokenizer_free(target);
    corpus_free(corpus);
    scratch_clean();
}
END_TEST

TEST_MAIN("aligner", tcase_add_test(c, posteriors_are_those_of_all_paths);
          tcase_add_test(c, far_jumps_share_one_count);
          tcase_add_test(c, reversed_sentences_are_linked_from_end_to_end);)

/* Shared n-grams; see the header. */
#include "metric/ngram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A position and what it is sorted by. */
typedef struct Keyed {
    uint64_t key;
    uint32_t position;
} Keyed;

/* A word and its position. */
typedef struct KeyedWord {
    CharacterRun word;
    size_t position;
} KeyedWord;

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = ((const Keyed *)a)->key, y = ((const Keyed *)b)->key;
    return (x > y) - (x < y);
}

static int compare_words(const void *a, const void *b)
{
    const CharacterRun *x = &((const KeyedWord *)a)->word, *y = &((const KeyedWord *)b)->word;
    if (x->n != y->n) {
        return x->n < y->n ? -1 : 1;
    }
    return memcmp(x->v, y->v, x->n * sizeof *x->v);
}

/* Sorts the keys of one order, writes each position's rank, and counts; positions below
 * n_hypothesis are the hypothesis's. */
static void count_order(NgramCounts *out, int k, Keyed *keys, size_t n, uint32_t *rank,
                        size_t n_hypothesis)
{
    qsort(keys, n, sizeof *keys, compare_keys);
    out->n_hypothesis[k] = out->n_reference[k] = out->n_matches[k] = 0;
    uint32_t next_rank = 0;
    for (size_t i = 0; i < n;) {
        const uint64_t key = keys[i].key;
        long in_hypothesis = 0, in_reference = 0;
        for (; i < n && keys[i].key == key; i++) {
            const int is_hypothesis = keys[i].position < n_hypothesis;
            in_hypothesis += is_hypothesis;
            in_reference += !is_hypothesis;
            rank[keys[i].position] = next_rank;
        }
        next_rank++;
        out->n_hypothesis[k] += in_hypothesis;
        out->n_reference[k] += in_reference;
        out->n_matches[k] += in_hypothesis < in_reference ? in_hypothesis : in_reference;
    }
}

Status ngram_count(NgramCounts *out, int order, const uint32_t *hypothesis, size_t n_hypothesis,
                   const uint32_t *reference, size_t n_reference, Error *err)
{
    assert(order >= 1 && order <= NGRAM_MAX_ORDER);
    const size_t n = n_hypothesis + n_reference;
    if (n < n_reference || n >= UINT32_MAX) {
        return fail(err, ERR_ARG, "a sentence pair of %zu symbols is too long to be compared", n);
    }
    Keyed *keys = mem_alloc(n, sizeof *keys);
    uint32_t *rank = mem_alloc(n, sizeof *rank);     /* of the n-gram of the last order */
    uint32_t *symbol = mem_alloc(n, sizeof *symbol); /* rank of order 1 */
    Status status = OK;
    if (keys == NULL || rank == NULL || symbol == NULL) {
        status = mem_fail(err, "n-grams", n, sizeof *keys);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t id = i < n_hypothesis ? hypothesis[i] : reference[i - n_hypothesis];
        keys[i] = (Keyed){(uint32_t)id, (uint32_t)i};
    }
    count_order(out, 0, keys, n, symbol, n_hypothesis);
    memcpy(rank, symbol, n * sizeof *rank);
    for (int k = 1; k < order; k++) {
        size_t n_keys = 0;
        for (size_t i = 0; i + (size_t)k < n; i++) {
            if (i + (size_t)k < n_hypothesis || i >= n_hypothesis) { /* within one side */
                keys[n_keys++] =
                    (Keyed){(uint64_t)rank[i] << 32 | symbol[i + (size_t)k], (uint32_t)i};
            }
        }
        count_order(out, k, keys, n_keys, rank, n_hypothesis);
    }
out:
    mem_free(keys);
    mem_free(rank);
    mem_free(symbol);
    return status;
}

/* ids (n) is written: equal words get equal numbers. */
static void intern(uint32_t *ids, KeyedWord *words, size_t n)
{
    qsort(words, n, sizeof *words, compare_words);
    uint32_t id = 0;
    for (size_t i = 0; i < n; i++) {
        id += i > 0 && compare_words(&words[i - 1], &words[i]) != 0;
        ids[words[i].position] = id;
    }
}

Status ngram_count_words(NgramCounts *out, int order, const CharacterRun *hypothesis,
                         size_t n_hypothesis, const CharacterRun *reference, size_t n_reference,
                         Error *err)
{
    const size_t n = n_hypothesis + n_reference;
    KeyedWord *words = mem_alloc(n, sizeof *words);
    uint32_t *ids = mem_alloc(n, sizeof *ids);
    Status status = OK;
    if (words == NULL || ids == NULL) {
        status = mem_fail(err, "words", n, sizeof *words);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        words[i] = (KeyedWord){i < n_hypothesis ? hypothesis[i] : reference[i - n_hypothesis], i};
    }
    intern(ids, words, n);
    status = ngram_count(out, order, ids, n_hypothesis, ids + n_hypothesis, n_reference, err);
out:
    mem_free(words);
    mem_free(ids);
    return status;
}

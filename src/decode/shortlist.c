/* Shortlists; see the header. */
#include "decode/shortlist.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/lines.h"
#include "text/words.h"

typedef struct Pair {
    int source, target;
} Pair;

struct Shortlist {
    int n_source, n_target; /* sizes of the vocabularies */
    int n_first, n_best;
    int *offset;  /* [n_source + 1]: targets offset[s] .. offset[s + 1] - 1 belong to piece s */
    int *targets; /* of all pieces */
    int *first;   /* [n_first] */
};

/* What is collected while the file is read. */
typedef struct Reading {
    Shortlist *list;
    const Tokenizer *source, *target;
    const char *path;
    Pair *pairs;
    size_t n, cap;
    uint64_t *counts; /* [n_target] */
} Reading;

/* ---- Reading ---- */

/* The next column of a line; *at goes behind its tab, to NULL at the last one. */
static const char *column(const char **at, const char *end, size_t *len)
{
    const char *begin = *at;
    const char *tab = memchr(begin, '\t', (size_t)(end - begin));
    *len = (size_t)((tab == NULL ? end : tab) - begin);
    *at = tab == NULL ? NULL : tab + 1;
    return begin;
}

static Status read_count(uint64_t *out, const char *text, size_t len, const Reading *r, long number,
                         Error *err)
{
    uint64_t count = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || len > 18) {
            return fail(err, ERR_FORMAT, "%s:%ld: the count \"%.*s\" is no number below 10^18",
                        r->path, number, (int)(len < 40 ? len : 40), text);
        }
        count = count * 10 + (uint64_t)(text[i] - '0');
    }
    *out = count;
    return OK;
}

static Status add_pair(Reading *r, Pair pair, Error *err)
{
    if (r->n == r->cap) {
        const size_t cap = r->cap == 0 ? 4096 : r->cap * 2;
        Pair *pairs = mem_resize(r->pairs, cap, sizeof *pairs);
        if (pairs == NULL) {
            return mem_fail(err, r->path, cap, sizeof *pairs);
        }
        r->pairs = pairs;
        r->cap = cap;
    }
    r->pairs[r->n++] = pair;
    r->list->offset[pair.source + 1]++;
    return OK;
}

static Status add_line(Reading *r, const Line *line, Error *err)
{
    const char *end = line->text + line->len, *at = line->text, *texts[5] = {NULL};
    size_t lens[5] = {0};
    uint64_t count = 1;
    int n = 0;
    while (at != NULL && n < 5) {
        texts[n] = column(&at, end, &lens[n]);
        n++;
    }
    if (n < 2) {
        return words_is_blank(line->text, line->len)
                   ? OK
                   : fail(err, ERR_FORMAT, "%s:%ld: no tab between source and target", r->path,
                          line->number);
    }
    if (n == 5) {
        TRY(read_count(&count, texts[4], lens[4], r, line->number, err));
    }
    const int s = tokenizer_find(r->source, texts[0], lens[0]);
    const int t = tokenizer_find(r->target, texts[1], lens[1]);
    if (s < 0 || t < 0) {
        return OK;
    }
    r->counts[t] += count;
    return r->list->offset[s + 1] < r->list->n_best ? add_pair(r, (Pair){s, t}, err) : OK;
}

static Status read_all(Reading *r, Error *err)
{
    LineReader *reader;
    Status status = OK;
    TRY(lines_open(&reader, r->path, err));
    for (;;) {
        Line line;
        status = lines_next(reader, &line, err);
        if (status != OK || line.text == NULL) {
            break;
        }
        status = add_line(r, &line, err);
        if (status != OK) {
            break;
        }
    }
    lines_close(reader);
    return status;
}

/* ---- Building ---- */

typedef struct Counted {
    uint64_t count;
    int word;
} Counted;

/* The more frequent first, equal ones by id. */
static int compare_counted(const void *a, const void *b)
{
    const Counted *x = a, *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return (x->word > y->word) - (x->word < y->word);
}

static Status choose_first(const Reading *r, Error *err)
{
    Shortlist *list = r->list;
    Counted *order = mem_alloc((size_t)list->n_target, sizeof *order);
    list->first = mem_alloc((size_t)list->n_target, sizeof *list->first);
    if (order == NULL || list->first == NULL) {
        mem_free(order);
        return mem_fail(err, r->path, (size_t)list->n_target, sizeof *order);
    }
    for (int w = 0; w < list->n_target; w++) {
        order[w] = (Counted){r->counts[w], w};
    }
    qsort(order, (size_t)list->n_target, sizeof *order, compare_counted);
    const int most = list->n_first < list->n_target ? list->n_first : list->n_target;
    int n = 0;
    while (n < most && order[n].count > 0) {
        list->first[n] = order[n].word;
        n++;
    }
    list->n_first = n;
    mem_free(order);
    return OK;
}

/* Sorts the pairs by their source; those of one source keep the order of the file. */
static Status sort_pairs(const Reading *r, Error *err)
{
    Shortlist *list = r->list;
    list->targets = mem_alloc(r->n, sizeof *list->targets);
    if (list->targets == NULL) {
        return mem_fail(err, r->path, r->n, sizeof *list->targets);
    }
    for (int s = 0; s < list->n_source; s++) {
        list->offset[s + 1] += list->offset[s];
    }
    for (size_t i = r->n; i > 0; i--) { /* offset[s + 1] goes down from the end of s to its begin */
        list->targets[--list->offset[r->pairs[i - 1].source + 1]] = r->pairs[i - 1].target;
    }
    for (int s = 0; s < list->n_source; s++) {
        list->offset[s] = list->offset[s + 1];
    }
    list->offset[list->n_source] = (int)r->n;
    return OK;
}

static Status build(Reading *r, Error *err)
{
    Shortlist *list = r->list;
    list->offset = mem_zero_alloc((size_t)list->n_source + 1, sizeof *list->offset);
    r->counts = mem_zero_alloc((size_t)list->n_target, sizeof *r->counts);
    if (list->offset == NULL || r->counts == NULL) {
        return mem_fail(err, r->path, (size_t)list->n_source + 1, sizeof *list->offset);
    }
    TRY(read_all(r, err));
    TRY(choose_first(r, err));
    TRY(sort_pairs(r, err));
    int is_empty = 1;
    for (int w = 0; w < list->n_target && is_empty; w++) {
        is_empty = r->counts[w] == 0;
    }
    return is_empty ? fail(err, ERR_FORMAT,
                           "%s: no line has pieces of this model on both sides; `heed align "
                           "--pieces --lexicon FILE` writes such a file",
                           r->path)
                    : OK;
}

Status shortlist_load(Shortlist **out, const char *path, int n_first, int n_best,
                      const Tokenizer *source, const Tokenizer *target, Error *err)
{
    Shortlist *list = mem_zero_alloc(1, sizeof *list);
    if (list == NULL) {
        return mem_fail(err, path, 1, sizeof *list);
    }
    list->n_source = tokenizer_size(source);
    list->n_target = tokenizer_size(target);
    list->n_first = n_first;
    list->n_best = n_best;
    Reading reading = {.list = list, .source = source, .target = target, .path = path};
    const Status status = build(&reading, err);
    mem_free(reading.pairs);
    mem_free(reading.counts);
    if (status != OK) {
        shortlist_free(list);
        return status;
    }
    *out = list;
    return OK;
}

void shortlist_free(Shortlist *list)
{
    if (list != NULL) {
        mem_free(list->offset);
        mem_free(list->targets);
        mem_free(list->first);
        mem_free(list);
    }
}

/* ---- Using ---- */

static void mark(unsigned char *is_in, const int *words, int n)
{
    for (int i = 0; i < n; i++) {
        is_in[words[i]] = 1;
    }
}

Status shortlist_words(const Shortlist *list, int **words, int *n, const int *source, int n_source,
                       const int *prefix, int n_prefix, Arena *arena, Error *err)
{
    void *flags, *block;
    const int V = list->n_target;
    TRY(arena_alloc(arena, &flags, (size_t)V, 1, err));
    unsigned char *is_in = flags;
    memset(is_in, 0, (size_t)V);
    memset(is_in, 1, N_SPECIAL_TOKENS);
    mark(is_in, list->first, list->n_first);
    mark(is_in, prefix, n_prefix);
    for (int i = 0; i < n_source; i++) {
        assert(source[i] >= 0 && source[i] < list->n_source);
        const int begin = list->offset[source[i]];
        mark(is_in, list->targets + begin, list->offset[source[i] + 1] - begin);
    }
    int count = 0;
    for (int w = 0; w < V; w++) {
        count += is_in[w];
    }
    TRY(arena_alloc(arena, &block, (size_t)count, sizeof(int), err));
    int *out = block;
    for (int w = 0, at = 0; w < V; w++) {
        if (is_in[w]) {
            out[at++] = w;
        }
    }
    *words = out;
    *n = count;
    return OK;
}

int shortlist_bound(const Shortlist *list, int n_source)
{
    const double n = N_SPECIAL_TOKENS + list->n_first + (double)n_source * list->n_best;
    return n < list->n_target ? (int)n : list->n_target;
}

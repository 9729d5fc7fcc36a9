/* Counts in bounded memory; see the header. */
#include "text/counter.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static Status reserve(Counter *counter, Error *err)
{
    if (counter->texts.n >= counter->cap) {
        const int cap = 2 * counter->cap + 64;
        long *grown = mem_resize(counter->counts, (size_t)cap, sizeof *grown);
        if (grown == NULL) {
            return mem_fail(err, "counts of words", (size_t)cap, sizeof *grown);
        }
        counter->counts = grown;
        counter->cap = cap;
    }
    return OK;
}

/* True when more than one part-th of a bound is held. */
static int is_over(const Counter *counter, int part)
{
    return (counter->max_types > 0 && counter->texts.n > counter->max_types / part) ||
           (counter->max_bytes > 0 && counter->texts.len_text > counter->max_bytes / (size_t)part);
}

/* Keeps the texts seen more than `rarest` times. Only new texts are added to the new table, in the
 * old order, so nothing is asked for beyond what the old one had. */
static Status forget(Counter *counter, long rarest, Error *err)
{
    PieceTable kept = {0};
    int n = 0;
    for (int i = 0; i < counter->texts.n; i++) {
        if (counter->counts[i] > rarest) {
            size_t len;
            int number;
            const char *text = piece_text(&counter->texts, i, &len);
            const Status status = piece_add(&kept, &number, text, len, err);
            if (status != OK) {
                piece_table_free(&kept);
                return status;
            }
            counter->counts[n++] = counter->counts[i];
        }
    }
    piece_table_free(&counter->texts);
    counter->texts = kept;
    return OK;
}

Status counter_add(Counter *counter, const char *bytes, size_t len, long n, Error *err)
{
    int number;
    const int n_before = counter->texts.n;
    TRY(reserve(counter, err));
    TRY(piece_add(&counter->texts, &number, bytes, len, err));
    if (number == n_before) {
        counter->counts[number] = 0;
    }
    counter->counts[number] += n;
    if (is_over(counter, 1)) {
        for (long rarest = 1; counter->texts.n > 1 && is_over(counter, 2); rarest++) {
            TRY(forget(counter, rarest, err));
            counter->n_lost++;
        }
    }
    return OK;
}

typedef struct Ranked {
    const char *text;
    size_t len;
    long count;
    int number;
} Ranked;

static int compare_ranked(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    const int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order != 0 ? order : x->len < y->len ? -1 : x->len > y->len;
}

Status counter_order(const Counter *counter, int **order, int *n, long min_count, Error *err)
{
    const size_t n_texts = (size_t)counter->texts.n;
    Ranked *ranked = mem_alloc(n_texts, sizeof *ranked);
    int *numbers = mem_alloc(n_texts, sizeof *numbers);
    if (ranked == NULL || numbers == NULL) {
        mem_free(ranked);
        mem_free(numbers);
        return mem_fail(err, "an order of words", n_texts, sizeof *ranked);
    }
    int n_ranked = 0;
    for (int i = 0; i < counter->texts.n; i++) {
        if (counter->counts[i] >= min_count) {
            Ranked *r = &ranked[n_ranked++];
            r->text = piece_text(&counter->texts, i, &r->len);
            r->count = counter->counts[i];
            r->number = i;
        }
    }
    qsort(ranked, (size_t)n_ranked, sizeof *ranked, compare_ranked);
    for (int i = 0; i < n_ranked; i++) {
        numbers[i] = ranked[i].number;
    }
    mem_free(ranked);
    *order = numbers;
    *n = n_ranked;
    return OK;
}

void counter_free(Counter *counter)
{
    if (counter != NULL) {
        piece_table_free(&counter->texts);
        mem_free(counter->counts);
        counter->counts = NULL;
        counter->cap = 0;
    }
}

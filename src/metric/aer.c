/* Alignment error rate; see the header. */
#include "metric/aer.h"

#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Reads digits at *at below end; -1 when there are none or the number passes INT_MAX. */
static int read_index(const char **at, const char *end)
{
    const char *begin = *at;
    long long number = 0;
    for (; *at < end && **at >= '0' && **at <= '9' && number <= INT_MAX; (*at)++) {
        number = number * 10 + (**at - '0');
    }
    return *at == begin || number > INT_MAX ? -1 : (int)number;
}

static Status refuse_word(const AerFormat *format, const char *word, size_t len, Error *err)
{
    return fail(err, ERR_FORMAT, "%s:%ld: \"%.*s\" is no link; links look like 0-1, 0?1 or 0p1",
                format->name, format->line_number, (int)(len < 60 ? len : 60), word);
}

static Status check_range(const AerFormat *format, const char *side, int index, int n, Error *err)
{
    const int lowest = format->is_one_based ? 1 : 0;
    if (index < lowest) {
        return fail(err, ERR_FORMAT, "%s:%ld: link to %s word %d, but words count from 1",
                    format->name, format->line_number, side, index);
    }
    if (n >= 0 && index - lowest >= n) {
        return fail(err, ERR_FORMAT, "%s:%ld: link to %s word %d, but the sentence has %d words",
                    format->name, format->line_number, side, index, n);
    }
    return OK;
}

static Status parse_link(AerLink *out, const char *word, size_t len, const AerFormat *format,
                         Error *err)
{
    const char *at = word, *end = word + len;
    const int source = read_index(&at, end);
    if (source < 0 || at >= end || (*at != '-' && *at != '?' && *at != 'p')) {
        return refuse_word(format, word, len, err);
    }
    const int is_sure = *at++ == '-';
    const int target = read_index(&at, end);
    if (target < 0 || at != end) {
        return refuse_word(format, word, len, err);
    }
    TRY(check_range(format, "source", source, format->n_source, err));
    TRY(check_range(format, "target", target, format->n_target, err));
    const int base = format->is_one_based ? 1 : 0;
    *out = (AerLink){source - base, target - base, is_sure};
    return OK;
}

static Status add_link(AerLinks *links, AerLink link, Error *err)
{
    if (links->n == links->cap) {
        const size_t cap = links->cap == 0 ? 64 : links->cap * 2;
        AerLink *v = mem_resize(links->v, cap, sizeof *v);
        if (v == NULL) {
            return mem_fail(err, "links", cap, sizeof *v);
        }
        links->v = v;
        links->cap = cap;
    }
    links->v[links->n++] = link;
    return OK;
}

/* By source, then target. */
static int compare_places(const AerLink *x, const AerLink *y)
{
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->target > y->target) - (x->target < y->target);
}

/* The same, the sure one of two first. */
static int compare_links(const void *a, const void *b)
{
    const int order = compare_places(a, b);
    return order != 0 ? order : ((const AerLink *)b)->is_sure - ((const AerLink *)a)->is_sure;
}

static void sort_and_drop_doubles(AerLinks *links)
{
    if (links->n == 0) {
        return;
    }
    qsort(links->v, links->n, sizeof *links->v, compare_links);
    size_t n = 1;
    for (size_t i = 1; i < links->n; i++) {
        if (compare_places(&links->v[n - 1], &links->v[i]) != 0) {
            links->v[n++] = links->v[i];
        }
    }
    links->n = n;
}

Status aer_parse(AerLinks *out, const char *line, size_t len, const AerFormat *format, Error *err)
{
    AerLinks links = {0};
    for (size_t i = 0; i < len;) {
        if (is_blank(line[i])) {
            i++;
            continue;
        }
        const size_t begin = i;
        while (i < len && !is_blank(line[i])) {
            i++;
        }
        AerLink link = {0};
        Status status = parse_link(&link, line + begin, i - begin, format, err);
        status = status == OK ? add_link(&links, link, err) : status;
        if (status != OK) {
            aer_free(&links);
            return status;
        }
    }
    sort_and_drop_doubles(&links);
    aer_free(out);
    *out = links;
    return OK;
}

void aer_free(AerLinks *links)
{
    mem_free(links->v);
    *links = (AerLinks){0};
}

void aer_add(AerStats *stats, const AerLinks *links, const AerLinks *gold)
{
    size_t g = 0;
    for (size_t i = 0; i < links->n; i++) {
        while (g < gold->n && compare_places(&gold->v[g], &links->v[i]) < 0) {
            g++;
        }
        if (g < gold->n && compare_places(&gold->v[g], &links->v[i]) == 0) {
            stats->n_possible_hits++;
            stats->n_sure_hits += gold->v[g].is_sure;
        }
    }
    stats->n_links += (long)links->n;
    stats->n_possible += (long)gold->n;
    for (g = 0; g < gold->n; g++) {
        stats->n_sure += gold->v[g].is_sure;
    }
}

double aer_precision(const AerStats *s)
{
    if (s->n_links == 0) {
        return s->n_possible == 0 ? 1 : 0;
    }
    return (double)s->n_possible_hits / (double)s->n_links;
}

double aer_recall(const AerStats *s)
{
    if (s->n_sure == 0) {
        return s->n_links == 0 ? 1 : 0;
    }
    return (double)s->n_sure_hits / (double)s->n_sure;
}

double aer_error_rate(const AerStats *s)
{
    const long n = s->n_links + s->n_sure;
    return n == 0 ? 0 : 1 - (double)(s->n_sure_hits + s->n_possible_hits) / (double)n;
}

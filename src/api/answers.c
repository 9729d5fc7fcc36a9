/* Results of translating and scoring; see heed.h. */
#include "api/handle.h"

#include <string.h>

#include "base/mem.h"

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

Status results_create(HeedResults **out, size_t n, const HeedOptions *options, Error *err)
{
    HeedResults *results = mem_zero_alloc(1, sizeof *results);
    if (results == NULL) {
        return mem_fail(err, "results", 1, sizeof *results);
    }
    results->n_lines = n;
    results->has_attention = options->wants_attention;
    results->has_pieces = options->uses_pieces;
    Status status = arena_create(&results->arena, 0, err);
    status = status == OK ? take(&results->lines, results->arena, n, sizeof *results->lines, err)
                          : status;
    if (status != OK) {
        heed_results_free(results);
        return status;
    }
    if (n > 0) {
        memset(results->lines, 0, n * sizeof *results->lines);
    }
    *out = results;
    return OK;
}

void heed_results_free(HeedResults *results)
{
    if (results == NULL) {
        return;
    }
    mem_free(results->all);
    arena_free(results->arena);
    mem_free(results);
}

/* A copy that ends in a NUL. */
static Status copy_text(const char **out, Arena *arena, DumpText text, Error *err)
{
    char *copy;
    TRY(take(&copy, arena, text.len + 1, 1, err));
    if (text.len > 0) {
        memcpy(copy, text.bytes, text.len);
    }
    copy[text.len] = '\0';
    *out = copy;
    return OK;
}

static Status copy_tokens(const char *const **out, Arena *arena, const DumpText *tokens, int n,
                          Error *err)
{
    const char **copy;
    TRY(take(&copy, arena, (size_t)n, sizeof *copy, err));
    for (int i = 0; i < n; i++) {
        TRY(copy_text(&copy[i], arena, tokens[i], err));
    }
    *out = copy;
    return OK;
}

static Status copy_spans(const int (**out)[2], Arena *arena, const int (*spans)[2], int n,
                         Error *err)
{
    int(*copy)[2];
    TRY(take(&copy, arena, (size_t)n, sizeof *copy, err));
    if (n > 0) {
        memcpy(copy, spans, (size_t)n * sizeof *copy);
    }
    *out = (const int(*)[2])copy;
    return OK;
}

static Status copy_attention(HeedTranslation *t, const Dump *dump, Arena *arena, Error *err)
{
    TRY(copy_tokens(&t->source_tokens, arena, dump->source_tokens, dump->n_source, err));
    TRY(copy_tokens(&t->target_tokens, arena, dump->target_tokens, dump->n_target, err));
    TRY(copy_spans(&t->source_spans, arena, dump->source_spans, dump->n_source, err));
    TRY(copy_spans(&t->target_spans, arena, dump->target_spans, dump->n_target, err));
    const size_t cells = (size_t)dump->n_source * (size_t)dump->n_target;
    float *weights;
    TRY(take(&weights, arena, cells, sizeof *weights, err));
    memcpy(weights, dump->attention, cells * sizeof *weights);
    t->attention = weights;
    t->n_source = dump->n_source;
    t->n_target = dump->n_target;
    return OK;
}

static Status make_room(HeedResults *results, Error *err)
{
    if (results->n_all < results->cap_all) {
        return OK;
    }
    const size_t cap = results->cap_all == 0 ? results->n_lines + 1 : 2 * results->cap_all;
    HeedTranslation **all = mem_resize(results->all, cap, sizeof *all);
    if (all == NULL) {
        return mem_fail(err, "results", cap, sizeof *all);
    }
    results->all = all;
    results->cap_all = cap;
    return OK;
}

Status results_add(HeedResults *results, size_t line, const Dump *dump, Error *err)
{
    TRY(make_room(results, err));
    HeedTranslation *t;
    TRY(take(&t, results->arena, 1, sizeof *t, err));
    *t = (HeedTranslation){.len = dump->target.len,
                           .score = dump->score,
                           .normalized_score = dump->normalized_score,
                           .is_finished = dump->is_finished};
    TRY(copy_text(&t->text, results->arena, dump->target, err));
    if (results->has_attention && dump->n_source > 0 && dump->attention != NULL) {
        Dump words = *dump;
        if (!results->has_pieces) {
            TRY(dump_to_words(&words, dump, results->arena, err));
        }
        TRY(copy_attention(t, &words, results->arena, err));
    }
    ResultLine *l = &results->lines[line];
    l->first = l->n == 0 ? results->n_all : l->first;
    l->n++;
    results->all[results->n_all++] = t;
    return OK;
}

size_t heed_count(const HeedResults *results)
{
    return results->n_lines;
}

size_t heed_hypotheses(const HeedResults *results, size_t line)
{
    return line < results->n_lines ? results->lines[line].n : 0;
}

const HeedTranslation *heed_get(const HeedResults *results, size_t line, size_t rank)
{
    return rank < heed_hypotheses(results, line) ? results->all[results->lines[line].first + rank]
                                                 : NULL;
}

const HeedTranslation *heed_best(const HeedResults *results, size_t line)
{
    return heed_get(results, line, 0);
}

/* The record that a translation was, as far as links need it. */
static Status links_of(DumpLink **out, int *n, const HeedTranslation *t, double threshold,
                       Arena *arena, Error *err)
{
    static const char end[] = "</s>";
    const Dump dump = {.n_source = t->n_source,
                       .n_target = t->n_target,
                       .has_source_end =
                           t->n_source > 0 && strcmp(t->source_tokens[t->n_source - 1], end) == 0,
                       .has_target_end = t->n_target > 0 && t->is_finished,
                       .attention = t->attention};
    return dump_links(out, n, &dump, threshold, arena, err);
}

HeedStatus heed_links(const HeedTranslation *translation, double threshold, HeedLink *links,
                      size_t cap, size_t *n, HeedError *err)
{
    Error e = {0};
    if (!(threshold >= 0 && threshold < 1)) {
        return handle_report(
            fail(&e, ERR_ARG, "threshold %g: must be at least 0 and below 1", threshold), &e, err);
    }
    Arena *arena;
    Status status = arena_create(&arena, 0, &e);
    if (status != OK) {
        return handle_report(status, &e, err);
    }
    DumpLink *found = NULL;
    int n_found = 0;
    if (translation->n_target > 0) {
        status = links_of(&found, &n_found, translation, threshold, arena, &e);
    }
    for (size_t i = 0; status == OK && i < (size_t)n_found && i < cap; i++) {
        links[i] = (HeedLink){found[i].source, found[i].target};
    }
    if (status == OK) {
        *n = (size_t)n_found;
    }
    arena_free(arena);
    return handle_report(status, &e, err);
}

/* Given pairs; see the header. */
#include "decode/rescore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/force.h"

enum { TASK_PAIRS = 64 };

struct Rescorer {
    const Translator *translator;
    Arenas results, scratch; /* by worker */
    Arena *window;
    Pieces pieces;
};

/* One side of a pair, encoded; tokens end in the end token where the side has one. */
typedef struct Side {
    int *ids; /* without special ones */
    int n;
    DumpText *tokens;
    int (*spans)[2];
} Side;

typedef struct Item {
    Side source, target;
    int ends; /* the target ends in </s> */
    Forced forced;
    const float *link_weights;
} Item;

typedef struct Window {
    Rescorer *r;
    const RescoreOptions *options;
    const RescorePair *pairs;
    Item *items;
    int n;
    int *order;     /* longest target first */
    Status *status; /* by task */
    Error *errors;
} Window;

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

Status rescorer_create(Rescorer **out, const Translator *translator, Error *err)
{
    Rescorer *r = mem_zero_alloc(1, sizeof *r);
    if (r == NULL) {
        return mem_fail(err, "a scorer", 1, sizeof *r);
    }
    const int n = threads_count(translator_threads(translator));
    r->translator = translator;
    Status status = arena_create(&r->window, 0, err);
    status = status == OK ? arenas_create(&r->results, n, err) : status;
    status = status == OK ? arenas_create(&r->scratch, n, err) : status;
    if (status != OK) {
        rescorer_free(r);
        return status;
    }
    *out = r;
    return OK;
}

void rescorer_free(Rescorer *r)
{
    if (r == NULL) {
        return;
    }
    arenas_free(&r->results);
    arenas_free(&r->scratch);
    arena_free(r->window);
    pieces_free(&r->pieces);
    mem_free(r);
}

/* ---- Encoding ---- */

/* Room for n tokens and an end token. */
static Status side_alloc(Side *side, int n, Arena *arena, Error *err)
{
    side->n = n;
    TRY(take(&side->ids, arena, (size_t)n, sizeof *side->ids, err));
    TRY(take(&side->tokens, arena, (size_t)n + 1, sizeof *side->tokens, err));
    return take(&side->spans, arena, (size_t)n + 1, sizeof *side->spans, err);
}

static void set_end(Side *side, size_t len)
{
    side->tokens[side->n] = (DumpText){DUMP_END_TOKEN, sizeof DUMP_END_TOKEN - 1};
    side->spans[side->n][0] = side->spans[side->n][1] = (int)len;
}

static Status encode_line(Window *w, Side *side, const Tokenizer *t, const char *line, size_t len,
                          int *is_cut, int *is_malformed, Error *err)
{
    Rescorer *r = w->r;
    TRY(tokenizer_encode(t, line, len, &r->pieces, err));
    const int most = w->options->max_length;
    const int n = r->pieces.len < most ? r->pieces.len : most;
    *is_cut |= n < r->pieces.len;
    *is_malformed |= r->pieces.n_malformed > 0;
    TRY(side_alloc(side, n, r->window, err));
    for (int i = 0; i < n; i++) {
        side->ids[i] = r->pieces.ids[i];
        side->tokens[i].bytes = tokenizer_piece(t, side->ids[i], &side->tokens[i].len);
        memcpy(side->spans[i], r->pieces.spans[i], sizeof *side->spans);
    }
    set_end(side, len);
    return OK;
}

/* The pieces of a record's side. */
static Status find_pieces(Window *w, Side *side, const Tokenizer *t, const RescorePair *pair,
                          int is_target, Error *err)
{
    const Dump *d = pair->given;
    const int n = is_target ? d->n_target - d->has_target_end : d->n_source - d->has_source_end;
    const DumpText *tokens = is_target ? d->target_tokens : d->source_tokens;
    TRY(side_alloc(side, n, w->r->window, err));
    for (int i = 0; i < n; i++) {
        side->tokens[i] = tokens[i];
        memcpy(side->spans[i], (is_target ? d->target_spans : d->source_spans)[i],
               sizeof *side->spans);
        side->ids[i] = tokenizer_find(t, tokens[i].bytes, tokens[i].len);
        if (side->ids[i] < 0) {
            return fail(err, ERR_FORMAT,
                        "record %ld.%d: the %s token %d, \"%.*s\", is no piece of the model's "
                        "vocabulary (dumps to be scored are made with --pieces)",
                        pair->id, pair->rank, is_target ? "target" : "source", i,
                        (int)(tokens[i].len < 100 ? tokens[i].len : 100), tokens[i].bytes);
        }
    }
    set_end(side, is_target ? d->target.len : d->source.len);
    return OK;
}

static Status encode_pair(Window *w, int i, RescoreCounts *counts, Error *err)
{
    const RescorePair *pair = &w->pairs[i];
    const Translator *t = w->r->translator;
    const Tokenizer *source = translator_tokenizer(t, 0), *target = translator_tokenizer(t, 1);
    Item *item = &w->items[i];
    int is_cut = 0, is_malformed = 0;
    *item = (Item){.ends = 1};
    if (pair->given != NULL) {
        item->ends = pair->given->has_target_end;
        TRY(find_pieces(w, &item->source, source, pair, 0, err));
        return find_pieces(w, &item->target, target, pair, 1, err);
    }
    TRY(encode_line(w, &item->source, source, pair->source, pair->len_source, &is_cut,
                    &is_malformed, err));
    TRY(encode_line(w, &item->target, target, pair->target, pair->len_target, &is_cut,
                    &is_malformed, err));
    counts->n_cut += is_cut;
    if (is_malformed && counts->n_malformed++ == 0) {
        counts->first_malformed = pair->id;
    }
    return OK;
}

/* ---- Batches ---- */

typedef struct SortKey {
    int n, item;
} SortKey;

static int compare_keys(const void *a, const void *b)
{
    const SortKey *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->item > y->item) - (x->item < y->item);
}

static Status sort_items(Window *w, Error *err)
{
    SortKey *keys;
    TRY(take(&keys, w->r->window, (size_t)w->n, sizeof *keys, err));
    TRY(take(&w->order, w->r->window, (size_t)w->n, sizeof *w->order, err));
    for (int i = 0; i < w->n; i++) {
        keys[i] = (SortKey){w->items[i].target.n, i};
    }
    qsort(keys, (size_t)w->n, sizeof *keys, compare_keys);
    for (int i = 0; i < w->n; i++) {
        w->order[i] = keys[i].item;
    }
    return OK;
}

/* Row t becomes row t + 1; the last stays. */
static Status shift_rows(Forced *f, Arena *arena, Error *err)
{
    float *shifted;
    const size_t width = (size_t)f->n_source, n = (size_t)f->n_target;
    TRY(take(&shifted, arena, n * width, sizeof *shifted, err));
    memcpy(shifted, f->attention + width, (n - 1) * width * sizeof *shifted);
    memcpy(shifted + (n - 1) * width, f->attention + (n - 1) * width, width * sizeof *shifted);
    f->attention = shifted;
    return OK;
}

/* The attention as the options ask for it, and what links are taken from. */
static Status weigh_links(const Window *w, Item *item, Arena *results, Arena *scratch, Error *err)
{
    const RescoreOptions *o = w->options;
    Forced *f = &item->forced;
    if (o->is_shifted) {
        TRY(shift_rows(f, results, err));
    }
    item->link_weights = f->attention;
    if (o->align_by == ALIGN_BY_ATTENTION) {
        return OK;
    }
    const size_t n = (size_t)f->n_target * (size_t)f->n_source;
    const IdPair pair = {item->source.ids, item->target.ids, item->source.n, item->target.n};
    float *weights;
    TRY(take(&weights, results, n, sizeof *weights, err));
    memcpy(weights, f->attention, n * sizeof *weights);
    arena_reset(scratch);
    TRY(link_table_weigh(translator_links(w->r->translator), weights, weights, o->align_by, &pair,
                         scratch, err));
    item->link_weights = weights;
    return OK;
}

static Status force_task(Window *w, int task, int worker, Error *err)
{
    IdPair pairs[TASK_PAIRS];
    Forced forced[TASK_PAIRS];
    const int first = task * TASK_PAIRS;
    const int n = w->n - first < TASK_PAIRS ? w->n - first : TASK_PAIRS;
    for (int i = 0; i < n; i++) {
        const Item *item = &w->items[w->order[first + i]];
        pairs[i] = (IdPair){item->source.ids, item->target.ids, item->source.n, item->target.n};
    }
    TRY(force_decode(forced, translator_ensemble(w->r->translator), pairs, n,
                     w->options->keeps_attention, w->r->results.v[worker], w->r->scratch.v[worker],
                     err));
    for (int i = 0; i < n; i++) {
        Item *item = &w->items[w->order[first + i]];
        item->forced = forced[i];
        if (w->options->keeps_attention) {
            TRY(weigh_links(w, item, w->r->results.v[worker], w->r->scratch.v[worker], err));
        }
    }
    return OK;
}

static void run_task(void *context, int task, int worker)
{
    Window *w = context;
    w->status[task] = force_task(w, task, worker, &w->errors[task]);
}

static Status force_all(Window *w, Error *err)
{
    const int n_tasks = (w->n + TASK_PAIRS - 1) / TASK_PAIRS;
    TRY(sort_items(w, err));
    TRY(take(&w->status, w->r->window, (size_t)n_tasks, sizeof *w->status, err));
    TRY(take(&w->errors, w->r->window, (size_t)n_tasks, sizeof *w->errors, err));
    arenas_reset(&w->r->results);
    threads_run(translator_threads(w->r->translator), run_task, w, n_tasks);
    for (int i = 0; i < n_tasks; i++) {
        if (w->status[i] != OK) {
            return fail(err, w->status[i], "%s", w->errors[i].message);
        }
    }
    return OK;
}

/* ---- Records ---- */

static void build_record(const Window *w, Dump *out, int i)
{
    const RescorePair *pair = &w->pairs[i];
    const Item *item = &w->items[i];
    const Forced *f = &item->forced;
    const int n_target = item->target.n + item->ends;
    double score = 0;
    for (int t = 0; t < n_target; t++) {
        score += (double)f->word_scores[t];
    }
    Dump d = {.id = pair->id,
              .rank = pair->rank,
              .source = {pair->source, pair->len_source},
              .target = {pair->target, pair->len_target},
              .score = score,
              .normalized_score = n_target > 0 ? score / pow(n_target, w->options->alpha) : 0,
              .is_finished = item->ends,
              .n_source = item->source.n + 1,
              .n_target = n_target,
              .has_source_end = 1,
              .has_target_end = item->ends,
              .source_tokens = item->source.tokens,
              .target_tokens = item->target.tokens,
              .source_spans = (const int(*)[2])item->source.spans,
              .target_spans = (const int(*)[2])item->target.spans,
              .attention = f->attention,
              .word_scores = f->word_scores};
    if (pair->given != NULL) {
        d.source = pair->given->source;
        d.target = pair->given->target;
    }
    *out = d;
}

static Status run_window(Window *w, RescoreSink sink, void *context, RescoreCounts *counts,
                         Error *err)
{
    arena_reset(w->r->window);
    TRY(take(&w->items, w->r->window, (size_t)w->n, sizeof *w->items, err));
    for (int i = 0; i < w->n; i++) {
        TRY(encode_pair(w, i, counts, err));
    }
    TRY(force_all(w, err));
    for (int i = 0; i < w->n; i++) {
        Dump dump;
        build_record(w, &dump, i);
        counts->n_pairs++;
        counts->n_tokens += dump.n_target;
        counts->score += dump.score;
        TRY(sink(context, &dump, w->items[i].link_weights, err));
    }
    return OK;
}

Status rescorer_run(Rescorer *r, const RescoreOptions *options, const RescorePair *pairs, int n,
                    RescoreSink sink, void *context, RescoreCounts *counts, Error *err)
{
    if (options->align_by != ALIGN_BY_ATTENTION && translator_links(r->translator) == NULL) {
        return fail(err, ERR_ARG,
                    "the model has no counted links: it was trained without --estimate-alignment");
    }
    for (int done = 0; done < n; done += RESCORE_WINDOW) {
        Window w = {.r = r,
                    .options = options,
                    .pairs = pairs + done,
                    .n = n - done < RESCORE_WINDOW ? n - done : RESCORE_WINDOW};
        TRY(run_window(&w, sink, context, counts, err));
    }
    return OK;
}

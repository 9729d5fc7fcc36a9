/* The translator; see the header. */
#include "decode/translator.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/split.h"
#include "model/model_file.h"
#include "text/words.h"

enum {
    WINDOW_BATCHES = 4,
    WINDOW_MAX_LINES = 1 << 16,
    WINDOW_MAX_BYTES = 1 << 20, /* of text; attention takes more memory */
    WINDOW_MAX_BYTES_ATTENTION = 1 << 18
};

struct Translator {
    Ensemble ensemble;
    const Tokenizer *source, *target;
    Threads *threads;
    int is_owner; /* of the networks, tokenizers and threads */
    Seq2Seq *owned_models[ENSEMBLE_MAX];
    Tokenizer *owned_source, *owned_target;
    LinkTable *links; /* NULL: nothing was counted */

    int n_workers;
    Beam **beams;   /* by worker */
    Arenas results; /* by worker: the hypotheses of a window */
    Arena *window;  /* pieces, parts and records of a window */
    Arena *record;  /* of one line */
    Pieces pieces;
    Buffer text;
};

/* A part of a line: what the network translates at once. */
typedef struct Part {
    long line; /* in the window */
    int first, n;
    HypothesisList list;
} Part;

/* A line of a window. */
typedef struct Item {
    const TranslateLine *line;
    int *ids, (*spans)[2];
    int n_pieces;
    int *prefix, n_prefix;
    long first_part;
    int n_parts; /* 0 for a blank line */
} Item;

typedef struct Window {
    Translator *t;
    const TranslateOptions *options;
    TranslateCounts *counts;
    Item *items;
    long n_items;
    long n_before; /* lines of the call in the windows before */
    Part *parts;
    long n_parts, cap_parts;
    long *order;   /* parts, longest first */
    long *batches; /* first place in order of each batch, n_batches + 1 */
    int n_batches;
    Status *status; /* by batch */
    Error *errors;  /* by batch */
} Window;

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

TranslateOptions translate_defaults(void)
{
    return (TranslateOptions){.beam = beam_defaults(), .mini_batch = 64, .max_length = 200};
}

Status translate_check(const TranslateOptions *o, Error *err)
{
    TRY(beam_check(&o->beam, err));
    if (o->mini_batch < 1 || o->mini_batch > TRANSLATE_MAX_BATCH) {
        return fail(err, ERR_ARG, "batches of %d sentences: must be between 1 and %d",
                    o->mini_batch, TRANSLATE_MAX_BATCH);
    }
    if (o->max_length < 1) {
        return fail(err, ERR_ARG, "maximum length %d: must be at least 1", o->max_length);
    }
    return OK;
}

/* ---- Opening ---- */

static Status start_workers(Translator *t, Error *err)
{
    t->n_workers = threads_count(t->threads);
    const size_t n = (size_t)t->n_workers;
    t->beams = mem_zero_alloc(n, sizeof *t->beams);
    if (t->beams == NULL) {
        return mem_fail(err, "workers", n, sizeof *t->beams);
    }
    for (int w = 0; w < t->n_workers; w++) {
        TRY(beam_create(&t->beams[w], &t->ensemble, err));
    }
    TRY(arenas_create(&t->results, t->n_workers, err));
    TRY(arena_create(&t->window, 0, err));
    return arena_create(&t->record, 0, err);
}

static Status check_sizes(const Translator *t, Error *err)
{
    const Config *c = &t->ensemble.models[0]->config;
    if (tokenizer_size(t->source) != c->source_vocab ||
        tokenizer_size(t->target) != c->target_vocab) {
        return fail(err, ERR_FORMAT,
                    "the tokenizers have %d and %d pieces, the network %d and %d: must be the same",
                    tokenizer_size(t->source), tokenizer_size(t->target), c->source_vocab,
                    c->target_vocab);
    }
    return OK;
}

Status translator_create(Translator **out, const Ensemble *ensemble, const Tokenizer *source,
                         const Tokenizer *target, Threads *threads, Error *err)
{
    Translator *t = mem_zero_alloc(1, sizeof *t);
    if (t == NULL) {
        return mem_fail(err, "a translator", 1, sizeof *t);
    }
    t->ensemble = *ensemble;
    t->source = source;
    t->target = target;
    t->threads = threads;
    Status status = check_sizes(t, err);
    status = status == OK ? start_workers(t, err) : status;
    if (status != OK) {
        translator_free(t);
        return status;
    }
    *out = t;
    return OK;
}

static int equals(const Buffer *a, const Buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

/* Loads model m; the first one's tokenizers are kept in `first` for comparison. */
static Status open_model(Translator *t, ModelText *first, const char *const *paths, int m,
                         Error *err)
{
    ModelText text = {0};
    TRY(model_file_load(&t->owned_models[m], m == 0 ? first : &text, paths[m], err));
    t->ensemble.models[m] = t->owned_models[m];
    t->ensemble.n = m + 1;
    if (m == 0) {
        return OK;
    }
    const int is_same = equals(&text.source_tokenizer, &first->source_tokenizer) &&
                        equals(&text.target_tokenizer, &first->target_tokenizer);
    model_text_free(&text);
    return is_same ? OK
                   : fail(err, ERR_ARG,
                          "%s: has other vocabularies than %s; models can only translate "
                          "together with the same",
                          paths[m], paths[0]);
}

static Status open_tokenizer(Tokenizer **out, const Buffer *bytes, const char *path, Error *err)
{
    const Status status = tokenizer_load(out, bytes->bytes, bytes->len, err);
    return status == OK ? OK : fail_within(err, path);
}

static Status open_links(Translator *t, const Buffer *bytes, const char *path, Error *err)
{
    if (bytes->len == 0) {
        return OK;
    }
    const Status status =
        link_table_read(&t->links, bytes->bytes, bytes->len, tokenizer_size(t->source),
                        tokenizer_size(t->target), err);
    return status == OK ? OK : fail_within(err, path);
}

static Status open_all(Translator *t, ModelText *text, const char *const *paths, int n,
                       int n_threads, Error *err)
{
    for (int m = 0; m < n; m++) {
        TRY(open_model(t, text, paths, m, err));
    }
    if (n == 1) {
        TRY(seq2seq_screen(t->owned_models[0], NULL, err));
    }
    TRY(open_tokenizer(&t->owned_source, &text->source_tokenizer, paths[0], err));
    TRY(open_tokenizer(&t->owned_target, &text->target_tokenizer, paths[0], err));
    t->source = t->owned_source;
    t->target = t->owned_target;
    const Status status = check_sizes(t, err);
    if (status != OK) {
        return fail_within(err, paths[0]);
    }
    TRY(open_links(t, &text->links, paths[0], err));
    TRY(threads_create(&t->threads, n_threads, err));
    return start_workers(t, err);
}

Status translator_open(Translator **out, const char *const *paths, int n, int n_threads, Error *err)
{
    if (n < 1 || n > ENSEMBLE_MAX) {
        return fail(err, ERR_ARG, "%d models: must be between 1 and %d", n, ENSEMBLE_MAX);
    }
    Translator *t = mem_zero_alloc(1, sizeof *t);
    if (t == NULL) {
        return mem_fail(err, "a translator", 1, sizeof *t);
    }
    ModelText text = {0};
    t->is_owner = 1;
    const Status status = open_all(t, &text, paths, n, n_threads, err);
    model_text_free(&text);
    if (status != OK) {
        translator_free(t);
        return status;
    }
    *out = t;
    return OK;
}

void translator_free(Translator *t)
{
    if (t == NULL) {
        return;
    }
    for (int w = 0; w < t->n_workers; w++) {
        if (t->beams != NULL) {
            beam_free(t->beams[w]);
        }
    }
    mem_free(t->beams);
    arenas_free(&t->results);
    arena_free(t->window);
    arena_free(t->record);
    pieces_free(&t->pieces);
    buffer_free(&t->text);
    if (t->is_owner) {
        threads_free(t->threads);
        for (int m = 0; m < t->ensemble.n; m++) {
            seq2seq_free(t->owned_models[m]);
        }
        tokenizer_free(t->owned_source);
        tokenizer_free(t->owned_target);
        link_table_free(t->links);
    }
    mem_free(t);
}

const Ensemble *translator_ensemble(const Translator *t)
{
    return &t->ensemble;
}

const LinkTable *translator_links(const Translator *t)
{
    return t->links;
}

const Tokenizer *translator_tokenizer(const Translator *t, int is_target)
{
    return is_target ? t->target : t->source;
}

Threads *translator_threads(const Translator *t)
{
    return t->threads;
}

long translator_window(const Translator *t, const TranslateOptions *o)
{
    if (o->mini_batch == 1) {
        return 1;
    }
    const long n = (long)o->mini_batch * t->n_workers * WINDOW_BATCHES;
    return n < WINDOW_MAX_LINES ? n : WINDOW_MAX_LINES;
}

/* ---- Encoding a window ---- */

static Status copy_pieces(Item *item, const Pieces *pieces, Arena *arena, Error *err)
{
    const size_t n = (size_t)pieces->len;
    TRY(take(&item->ids, arena, n, sizeof *item->ids, err));
    TRY(take(&item->spans, arena, n, sizeof *item->spans, err));
    if (n > 0) {
        memcpy(item->ids, pieces->ids, n * sizeof *item->ids);
        memcpy(item->spans, pieces->spans, n * sizeof *item->spans);
    }
    item->n_pieces = pieces->len;
    return OK;
}

static Status encode_prefix(Window *w, Item *item, Error *err)
{
    Translator *t = w->t;
    const TranslateLine *line = item->line;
    if (line->prefix == NULL || line->len_prefix == 0) {
        return OK;
    }
    TRY(tokenizer_encode(t->target, line->prefix, line->len_prefix, &t->pieces, err));
    TRY(take(&item->prefix, t->window, (size_t)t->pieces.len, sizeof(int), err));
    item->n_prefix = t->pieces.len;
    if (item->n_prefix > 0) {
        memcpy(item->prefix, t->pieces.ids, (size_t)item->n_prefix * sizeof(int));
    }
    return OK;
}

/* The parts are in the window's arena; a larger array takes the place of a full one. */
static Status add_part(Window *w, long line, int first, int n, Error *err)
{
    if (w->n_parts == w->cap_parts) {
        Part *parts;
        const long cap = w->cap_parts == 0 ? w->n_items + 16 : w->cap_parts * 2;
        TRY(take(&parts, w->t->window, (size_t)cap, sizeof *parts, err));
        if (w->n_parts > 0) {
            memcpy(parts, w->parts, (size_t)w->n_parts * sizeof *parts);
        }
        w->parts = parts;
        w->cap_parts = cap;
    }
    w->parts[w->n_parts++] = (Part){.line = line, .first = first, .n = n};
    w->items[line].n_parts++;
    return OK;
}

static Status divide(Window *w, long i, Error *err)
{
    Item *item = &w->items[i];
    const int most = w->options->max_length;
    item->first_part = w->n_parts;
    if (item->n_pieces > most && w->options->is_cropped) {
        w->counts->n_cropped++;
        return add_part(w, i, 0, most, err);
    }
    w->counts->n_divided += item->n_pieces > most;
    int first = 0;
    while (item->n_pieces - first > most) {
        const int n = split_find(item->line->text, (const int(*)[2])item->spans, first, most);
        TRY(add_part(w, i, first, n, err));
        first += n;
    }
    return add_part(w, i, first, item->n_pieces - first, err);
}

static Status encode_line(Window *w, long i, Error *err)
{
    Translator *t = w->t;
    Item *item = &w->items[i];
    const TranslateLine *line = item->line;
    w->counts->n_lines++;
    if (words_is_blank(line->text, line->len)) {
        w->counts->n_blank++;
        return OK;
    }
    TRY(tokenizer_encode(t->source, line->text, line->len, &t->pieces, err));
    if (t->pieces.n_malformed > 0 && w->counts->n_malformed++ == 0) {
        w->counts->first_malformed = line->id;
    }
    TRY(copy_pieces(item, &t->pieces, t->window, err));
    if (item->n_pieces == 0) {
        w->counts->n_blank++;
        return OK;
    }
    w->counts->n_source += item->n_pieces;
    TRY(encode_prefix(w, item, err));
    return divide(w, i, err);
}

/* ---- Batches ---- */

/* A part on its way to its place: sorted by length, then by its number, so that the order is one.
 */
typedef struct SortKey {
    int n;
    long part;
} SortKey;

static int compare_keys(const void *a, const void *b)
{
    const SortKey *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->part > y->part) - (x->part < y->part);
}

static Status sort_parts(Window *w, Error *err)
{
    SortKey *keys;
    TRY(take(&keys, w->t->window, (size_t)w->n_parts, sizeof *keys, err));
    TRY(take(&w->order, w->t->window, (size_t)w->n_parts, sizeof *w->order, err));
    for (long i = 0; i < w->n_parts; i++) {
        keys[i] = (SortKey){w->parts[i].n, i};
    }
    qsort(keys, (size_t)w->n_parts, sizeof *keys, compare_keys);
    for (long i = 0; i < w->n_parts; i++) {
        w->order[i] = keys[i].part;
    }
    return OK;
}

/* Cuts the sorted parts into batches: of at most mini_batch parts, one for each worker at least,
 * and no more than memory allows. */
static Status cut_batches(Window *w, Error *err)
{
    const Translator *t = w->t;
    const long share = (w->n_parts + t->n_workers - 1) / t->n_workers;
    const long most = share < w->options->mini_batch ? share : w->options->mini_batch;
    TRY(take(&w->batches, t->window, (size_t)w->n_parts + 1, sizeof *w->batches, err));
    w->n_batches = 0;
    for (long at = 0; at < w->n_parts;) {
        const int longest = w->parts[w->order[at]].n;
        const long limit = beam_batch_limit(&t->ensemble, &w->options->beam, longest);
        w->batches[w->n_batches++] = at;
        at += limit < most ? limit : most;
    }
    w->batches[w->n_batches] = w->n_parts;
    TRY(take(&w->status, t->window, (size_t)w->n_batches, sizeof *w->status, err));
    return take(&w->errors, t->window, (size_t)w->n_batches, sizeof *w->errors, err);
}

static Status translate_batch(Window *w, int batch, int worker, Error *err)
{
    const long first = w->batches[batch];
    const int n = (int)(w->batches[batch + 1] - first);
    Arena *arena = w->t->results.v[worker];
    BeamInput *inputs;
    HypothesisList *lists;
    TRY(take(&inputs, arena, (size_t)n, sizeof *inputs, err));
    TRY(take(&lists, arena, (size_t)n, sizeof *lists, err));
    for (int i = 0; i < n; i++) {
        const long number = w->order[first + i];
        const Part *part = &w->parts[number];
        const Item *item = &w->items[part->line];
        inputs[i] = (BeamInput){.source = item->ids + part->first,
                                .n_source = part->n,
                                .line = (uint64_t)item->line->id,
                                .part = (uint64_t)(number - item->first_part)};
        if (number == item->first_part) {
            inputs[i].prefix = item->prefix;
            inputs[i].n_prefix = item->n_prefix;
        }
    }
    TRY(beam_search(w->t->beams[worker], lists, &w->options->beam, inputs, n, arena, err));
    for (int i = 0; i < n; i++) {
        w->parts[w->order[first + i]].list = lists[i];
    }
    return OK;
}

static void batch_task(void *context, int task, int worker)
{
    Window *w = context;
    if (worker == 0) { /* the caller; batches are handed out in order */
        const double done = (double)w->batches[task] / (double)w->n_parts;
        progress_tell(w->options->progress, "translating", "lines",
                      (double)w->n_before + done * (double)w->n_items, -1);
    }
    w->status[task] = translate_batch(w, task, worker, &w->errors[task]);
}

static Status translate_parts(Window *w, Error *err)
{
    if (w->n_parts == 0) {
        return OK;
    }
    TRY(sort_parts(w, err));
    TRY(cut_batches(w, err));
    arenas_reset(&w->t->results);
    threads_run(w->t->threads, batch_task, w, w->n_batches);
    for (int i = 0; i < w->n_batches; i++) {
        if (w->status[i] != OK) {
            return fail(err, w->status[i], "%s", w->errors[i].message);
        }
    }
    return OK;
}

/* ---- Records ---- */

static RecordLine record_line(const Window *w, const Item *item, const RecordPart *parts)
{
    return (RecordLine){.source = w->t->source,
                        .target = w->t->target,
                        .text = item->line->text,
                        .len = item->line->len,
                        .ids = item->ids,
                        .spans = (const int(*)[2])item->spans,
                        .parts = parts,
                        .n_parts = item->n_parts,
                        .alpha = w->options->beam.alpha,
                        .unknown = w->options->unknown,
                        .has_tokens = w->options->has_tokens};
}

/* Records of the parts of a line whose matrix would be too large; their texts are copied, since the
 * buffer is used again. */
static Status build_blocks(const Window *w, Translation *out, const RecordLine *line, Error *err)
{
    Translator *t = w->t;
    Dump *blocks;
    TRY(take(&blocks, t->record, (size_t)line->n_parts, sizeof *blocks, err));
    for (int i = 0; i < line->n_parts; i++) {
        int(*shifted)[2];
        RecordPart *part;
        char *text;
        TRY(take(&shifted, t->record, (size_t)line->parts[i].n, sizeof *shifted, err));
        TRY(take(&part, t->record, 1, sizeof *part, err));
        const RecordLine alone = record_part_line(line, i, shifted, part);
        TRY(record_build(&blocks[i], &alone, &t->text, t->record, err));
        TRY(take(&text, t->record, t->text.len + 1, 1, err));
        memcpy(text, t->text.len > 0 ? t->text.bytes : "", t->text.len);
        blocks[i].target.bytes = text;
        blocks[i].id = out->dump.id;
    }
    out->blocks = blocks;
    out->n_blocks = line->n_parts;
    return OK;
}

/* Builds the record of rank `rank`. */
static Status build(const Window *w, Translation *out, const Item *item, int rank, Error *err)
{
    Translator *t = w->t;
    RecordPart *parts;
    arena_reset(t->record);
    TRY(take(&parts, t->record, (size_t)item->n_parts, sizeof *parts, err));
    for (int i = 0; i < item->n_parts; i++) {
        const Part *part = &w->parts[item->first_part + i];
        parts[i] = (RecordPart){part->first, part->n, &part->list.v[rank]};
        out->n_tokens += part->list.v[rank].n_tokens;
    }
    RecordLine line = record_line(w, item, parts);
    out->dump.id = item->line->id;
    if (item->n_parts > 1 && line.has_tokens && record_cells(&line) > RECORD_MAX_CELLS) {
        TRY(build_blocks(w, out, &line, err));
        line.has_tokens = 0;
        line.unknown.is_replaced = 0;
        TRY(record_build(&out->dump, &line, &t->text, t->record, err));
    } else {
        TRY(record_build(&out->dump, &line, &t->text, t->record, err));
        out->blocks = &out->dump;
        out->n_blocks = 1;
    }
    out->dump.id = item->line->id;
    out->dump.rank = rank;
    out->n_parts = item->n_parts;
    return OK;
}

static Status send_line(const Window *w, const Item *item, TranslateSink sink, void *context,
                        Error *err)
{
    /* the ranks of several parts do not combine: a line that was divided has one */
    const int n = item->n_parts == 1 ? w->parts[item->first_part].list.n : 1;
    for (int rank = 0; rank < n; rank++) {
        Translation translation = {.is_first = rank == 0, .is_last = rank + 1 == n};
        TRY(build(w, &translation, item, rank, err));
        if (rank == 0) {
            w->counts->n_unfinished += !translation.dump.is_finished;
        }
        TRY(sink(context, &translation, err));
    }
    for (int i = 0; i < item->n_parts; i++) {
        w->counts->n_target += w->parts[item->first_part + i].list.v[0].n_tokens;
    }
    return OK;
}

static Status translate_window(Window *w, const TranslateLine *lines, long n, TranslateSink sink,
                               void *context, Error *err)
{
    arena_reset(w->t->window);
    w->n_items = n;
    TRY(take(&w->items, w->t->window, (size_t)n, sizeof *w->items, err));
    for (long i = 0; i < n; i++) {
        w->items[i] = (Item){.line = &lines[i]};
        TRY(encode_line(w, i, err));
    }
    TRY(translate_parts(w, err));
    for (long i = 0; i < n; i++) {
        TRY(send_line(w, &w->items[i], sink, context, err));
    }
    return OK;
}

/* How many of the lines make the next window. */
static long window_size(const Translator *t, const TranslateOptions *o, const TranslateLine *lines,
                        long n)
{
    const long most = translator_window(t, o);
    const size_t most_bytes =
        o->beam.keeps_attention ? WINDOW_MAX_BYTES_ATTENTION : WINDOW_MAX_BYTES;
    size_t bytes = 0;
    long size = 0;
    while (size < n && size < most && (size == 0 || bytes + lines[size].len <= most_bytes)) {
        bytes += lines[size++].len;
    }
    return size;
}

Status translator_translate(Translator *t, const TranslateOptions *options,
                            const TranslateLine *lines, long n, TranslateSink sink, void *context,
                            TranslateCounts *counts, Error *err)
{
    TranslateCounts ignored = {0};
    TRY(translate_check(options, err));
    for (long done = 0; done < n;) {
        const long size = window_size(t, options, lines + done, n - done);
        Window window = {.t = t,
                         .options = options,
                         .n_before = done,
                         .counts = counts == NULL ? &ignored : counts};
        TRY(translate_window(&window, lines + done, size, sink, context, err));
        done += size;
    }
    return OK;
}

/* Pairs to score or align; see the header. */
#include "cli/pair_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/dump_read.h"

enum { MAX_JSON_BYTES = 128 << 20 };

static Status check(const PairPaths *p, Error *err)
{
    const int n_ways =
        (p->tsv != NULL) + (p->target != NULL) + (p->nbest != NULL) + (p->dump != NULL);
    if (n_ways != 1) {
        return fail(err, ERR_ARG,
                    "%s: give PAIRS.tsv, or --source and --target, or another of the inputs that "
                    "--help lists",
                    n_ways == 0 ? "no pairs" : "more than one kind of pairs");
    }
    const int needs_source = p->target != NULL || p->nbest != NULL;
    if (needs_source != (p->source != NULL)) {
        return fail(err, ERR_ARG,
                    needs_source ? "--source: is needed too" : "--source: needs --target");
    }
    return OK;
}

Status pair_source_open(PairSource *source, const PairPaths *p, Error *err)
{
    *source = (PairSource){.source_id = -1, .last_id = -1};
    TRY(check(p, err));
    source->pairs = mem_alloc(RESCORE_WINDOW, sizeof *source->pairs);
    source->offsets = mem_alloc(RESCORE_WINDOW, sizeof *source->offsets);
    source->dumps = mem_alloc(RESCORE_WINDOW, sizeof *source->dumps);
    if (source->pairs == NULL || source->offsets == NULL || source->dumps == NULL) {
        return mem_fail(err, "a window of pairs", RESCORE_WINDOW, sizeof *source->pairs);
    }
    if (p->tsv != NULL) {
        return pairs_open_tsv(&source->reader, p->tsv, err);
    }
    if (p->target != NULL) {
        return pairs_open_files(&source->reader, p->source, p->target, err);
    }
    source->is_dump = p->dump != NULL;
    TRY(arena_create(&source->arena, 0, err));
    TRY(lines_open(&source->list, source->is_dump ? p->dump : p->nbest, err));
    return source->is_dump ? OK : lines_open(&source->sources, p->source, err);
}

void pair_source_close(PairSource *source)
{
    pairs_close(source->reader);
    lines_close(source->list);
    lines_close(source->sources);
    buffer_free(&source->source);
    buffer_free(&source->text);
    buffer_free(&source->json);
    arena_free(source->arena);
    mem_free(source->offsets);
    mem_free(source->dumps);
    mem_free(source->pairs);
}

double pair_source_fraction(const PairSource *source)
{
    return source->reader != NULL ? pairs_fraction(source->reader) : lines_fraction(source->list);
}

/* Adds a pair's texts; their addresses are filled in when the window is complete. */
static Status add_pair(PairSource *source, const char *a, size_t len_a, const char *b, size_t len_b,
                       Error *err)
{
    const int i = source->n;
    source->offsets[i][0] = source->text.len;
    TRY(buffer_add(&source->text, a, len_a, err));
    source->offsets[i][1] = source->text.len;
    TRY(buffer_add(&source->text, b, len_b, err));
    source->pairs[i] = (RescorePair){.len_source = len_a, .len_target = len_b, .id = source->id++};
    source->n++;
    return OK;
}

static Status read_pair(PairSource *source, int *is_end, Error *err)
{
    PairLine line;
    TRY(pairs_next(source->reader, &line, err));
    *is_end = line.text[SIDE_SOURCE] == NULL;
    if (*is_end) {
        return OK;
    }
    source->n_cut += line.is_cut;
    return add_pair(source, line.text[SIDE_SOURCE], line.len[SIDE_SOURCE], line.text[SIDE_TARGET],
                    line.len[SIDE_TARGET], err);
}

/* ---- N-best lists ---- */

static const char BAR[] = " ||| ";
enum { LEN_BAR = sizeof BAR - 1 };

/* The first bar in len bytes, or NULL. */
static const char *find_bar(const char *text, size_t len)
{
    for (size_t i = 0; i + LEN_BAR <= len; i++) {
        if (memcmp(text + i, BAR, LEN_BAR) == 0) {
            return text + i;
        }
    }
    return NULL;
}

static Status refuse_entry(const PairSource *source, const Line *line, const char *what, Error *err)
{
    return fail(err, ERR_FORMAT, "%s:%ld: %s; expected: number ||| translation ||| ...",
                lines_path(source->list), line->number, what);
}

/* Reads sources up to that of number `id`. */
static Status find_source(PairSource *source, const Line *entry, long id, Error *err)
{
    while (source->source_id < id) {
        Line line;
        TRY(lines_next(source->sources, &line, err));
        if (line.text == NULL) {
            return fail(err, ERR_FORMAT, "%s:%ld: number %ld, but %s has %ld lines",
                        lines_path(source->list), entry->number, id, lines_path(source->sources),
                        source->source_id + 1);
        }
        buffer_clear(&source->source);
        TRY(buffer_add(&source->source, line.text, line.len, err));
        source->n_cut += line.is_continued;
        while (line.is_continued) {
            TRY(lines_next(source->sources, &line, err));
        }
        source->source_id++;
    }
    return OK;
}

static Status read_entry(PairSource *source, int *is_end, Error *err)
{
    Line line;
    TRY(lines_next(source->list, &line, err));
    *is_end = line.text == NULL;
    if (*is_end) {
        return OK;
    }
    char *end;
    const char *bar = find_bar(line.text, line.len);
    char number[24] = {0};
    const size_t len_number = bar == NULL ? 0 : (size_t)(bar - line.text);
    if (bar == NULL || len_number == 0 || len_number >= sizeof number || line.is_continued) {
        return refuse_entry(source, &line, "no entry of an n-best list", err);
    }
    memcpy(number, line.text, len_number);
    const long id = strtol(number, &end, 10);
    if (*end != '\0' || id < 0 || id < source->last_id) {
        return refuse_entry(source, &line, "the number is none, or goes back", err);
    }
    const char *text = bar + LEN_BAR;
    const size_t len_rest = line.len - (size_t)(text - line.text);
    const char *next = find_bar(text, len_rest);
    TRY(find_source(source, &line, id, err));
    source->rank = id == source->last_id ? source->rank + 1 : 0;
    source->last_id = id;
    source->id = id;
    TRY(add_pair(source, source->source.bytes, source->source.len, text,
                 next == NULL ? len_rest : (size_t)(next - text), err));
    source->pairs[source->n - 1].rank = source->rank;
    return OK;
}

/* ---- Dumps ---- */

static Status read_record(PairSource *source, int *is_end, Error *err)
{
    Line part;
    buffer_clear(&source->json);
    do {
        TRY(lines_next(source->list, &part, err));
        *is_end = part.text == NULL;
        if (*is_end) {
            return OK;
        }
        if (part.len > MAX_JSON_BYTES - source->json.len) {
            return fail(err, ERR_FORMAT, "%s:%ld: a line of more than %d bytes",
                        lines_path(source->list), part.number, MAX_JSON_BYTES);
        }
        TRY(buffer_add(&source->json, part.text, part.len, err));
    } while (part.is_continued);
    Dump *dump = &source->dumps[source->n];
    TRY(dump_parse(dump, source->json.bytes == NULL ? "" : source->json.bytes, source->json.len,
                   source->arena, lines_path(source->list), part.number, err));
    TRY(add_pair(source, "", 0, "", 0, err));
    RescorePair *pair = &source->pairs[source->n - 1];
    pair->given = dump;
    pair->id = dump->id;
    pair->rank = dump->rank;
    return OK;
}

/* Bytes that the window holds. */
static size_t window_bytes(const PairSource *source)
{
    return source->text.len + (source->arena == NULL ? 0 : arena_used(source->arena));
}

Status pair_source_read(PairSource *source, Error *err)
{
    int is_end = 0;
    source->n = 0;
    buffer_clear(&source->text);
    TRY(buffer_reserve(&source->text, 1, err)); /* empty lines have an address too */
    if (source->arena != NULL) {
        arena_reset(source->arena);
    }
    while (source->n < RESCORE_WINDOW && !is_end && window_bytes(source) < PAIR_WINDOW_BYTES) {
        TRY(source->reader != NULL ? read_pair(source, &is_end, err)
            : source->is_dump      ? read_record(source, &is_end, err)
                                   : read_entry(source, &is_end, err));
    }
    for (int i = 0; i < source->n; i++) {
        source->pairs[i].source = source->text.bytes + source->offsets[i][0];
        source->pairs[i].target = source->text.bytes + source->offsets[i][1];
    }
    return OK;
}

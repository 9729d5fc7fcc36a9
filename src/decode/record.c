/* Records of translations; see the header. */
#include "decode/record.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "decode/detokenize.h"

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

/* Pieces of a hypothesis without its end token. */
static int n_words(const Hypothesis *h)
{
    return h->n_tokens - h->is_finished;
}

/* Sums over the parts. */
typedef struct Totals {
    int n_source, n_target; /* pieces without end tokens */
    int n_scored;           /* tokens, all end tokens counted */
    int is_finished, ends;  /* all parts are; the last one is */
    int has_attention;
    double score;
} Totals;

static Totals sum_parts(const RecordLine *line)
{
    Totals t = {.is_finished = 1, .ends = line->n_parts > 0, .has_attention = line->n_parts > 0};
    for (int i = 0; i < line->n_parts; i++) {
        const Hypothesis *h = line->parts[i].hypothesis;
        t.n_source += line->parts[i].n;
        t.n_target += n_words(h);
        t.n_scored += h->n_tokens;
        t.is_finished &= h->is_finished;
        t.ends = h->is_finished;
        t.has_attention &= h->attention != NULL;
        t.score += h->score;
    }
    return t;
}

double record_cells(const RecordLine *line)
{
    const Totals t = sum_parts(line);
    return (t.n_target + 1.0) * (t.n_source + 1.0);
}

/* A line of several parts is normalised as a whole. */
static double normalize(const RecordLine *line, const Totals *t)
{
    if (line->n_parts == 1) {
        return line->parts[0].hypothesis->normalized_score;
    }
    return t->n_scored == 0 ? 0 : t->score / pow(t->n_scored, line->alpha);
}

static void set_token(DumpText *token, const Tokenizer *t, int id)
{
    token->bytes = tokenizer_piece(t, id, &token->len);
}

static void set_end(DumpText *token, int span[2], size_t len)
{
    *token = (DumpText){DUMP_END_TOKEN, sizeof DUMP_END_TOKEN - 1};
    span[0] = span[1] = (int)len;
}

static Status add_source(Dump *out, const RecordLine *line, const Totals *t, Arena *arena,
                         Error *err)
{
    DumpText *tokens;
    int(*spans)[2];
    const size_t n = (size_t)t->n_source + 1;
    TRY(take(&tokens, arena, n, sizeof *tokens, err));
    TRY(take(&spans, arena, n, sizeof *spans, err));
    int at = 0;
    for (int i = 0; i < line->n_parts; i++) {
        for (int j = line->parts[i].first; j < line->parts[i].first + line->parts[i].n; j++) {
            set_token(&tokens[at], line->source, line->ids[j]);
            memcpy(spans[at++], line->spans[j], sizeof *spans);
        }
    }
    set_end(&tokens[at], spans[at], line->len);
    out->n_source = at + 1;
    out->has_source_end = 1;
    out->source_tokens = tokens;
    out->source_spans = (const int(*)[2])spans;
    return OK;
}

static Status add_target(Dump *out, const RecordLine *line, const Totals *t, const int *ids,
                         int (*spans)[2], Arena *arena, Error *err)
{
    DumpText *tokens;
    TRY(take(&tokens, arena, (size_t)t->n_target + 1, sizeof *tokens, err));
    for (int i = 0; i < t->n_target; i++) {
        set_token(&tokens[i], line->target, ids[i]);
    }
    if (t->ends) {
        set_end(&tokens[t->n_target], spans[t->n_target], out->target.len);
    }
    out->n_target = t->n_target + t->ends;
    out->has_target_end = t->ends;
    out->target_tokens = tokens;
    out->target_spans = (const int(*)[2])spans;
    return OK;
}

/* Blocks of the matrix and the scores, part by part. */
static Status add_numbers(Dump *out, const RecordLine *line, const Totals *t, Arena *arena,
                          Error *err)
{
    const size_t width = (size_t)t->n_source + 1, n = (size_t)out->n_target;
    float *attention = NULL, *scores;
    TRY(take(&scores, arena, n, sizeof *scores, err));
    if (t->has_attention) {
        TRY(take(&attention, arena, mem_times(n, width), sizeof *attention, err));
        memset(attention, 0, n * width * sizeof *attention);
    }
    size_t row = 0, column = 0;
    double carried = 0; /* of the end token before */
    for (int i = 0; i < line->n_parts; i++) {
        const Hypothesis *h = line->parts[i].hypothesis;
        const size_t n_source = (size_t)line->parts[i].n;
        const int is_last = i + 1 == line->n_parts;
        for (int k = 0; k < h->n_tokens; k++) {
            carried += (double)h->word_scores[k];
            if (k == n_words(h) && !is_last) {
                continue;
            }
            scores[row] = (float)carried;
            carried = 0;
            if (attention != NULL) {
                const float *from = h->attention + (size_t)k * (n_source + 1);
                float *to = attention + row * width;
                memcpy(to + column, from, n_source * sizeof *to);
                to[width - 1] = from[n_source];
            }
            row++;
        }
        column += n_source;
    }
    out->attention = attention;
    out->word_scores = scores;
    return OK;
}

/* ---- Unknown words ---- */

/* The source token that row `row` looks at most, the end token apart; -1 when there is none. */
static int best_source(const Dump *dump, int row)
{
    const float *weights = dump->attention + (size_t)row * (size_t)dump->n_source;
    int best = dump->n_source > 1 ? 0 : -1;
    for (int s = 1; s + 1 < dump->n_source; s++) {
        best = weights[s] > weights[best] ? s : best;
    }
    return best;
}

/* Puts `len` bytes in the place of a token of the text and moves the spans behind it. */
static Status replace_token(Buffer *text, int (*spans)[2], int n, int at, const char *bytes,
                            size_t len, Error *err)
{
    const size_t begin = (size_t)spans[at][0], end = (size_t)spans[at][1];
    Buffer changed = {0};
    Status status = buffer_add(&changed, text->bytes, begin, err);
    status = status == OK ? buffer_add(&changed, bytes, len, err) : status;
    status = status == OK ? buffer_add(&changed, text->bytes + end, text->len - end, err) : status;
    if (status != OK) {
        buffer_free(&changed);
        return status;
    }
    buffer_free(text);
    *text = changed;
    const int shift = (int)len - (int)(end - begin);
    spans[at][1] += shift;
    for (int i = at + 1; i < n; i++) {
        spans[i][0] += shift;
        spans[i][1] += shift;
    }
    return OK;
}

static Status replace_unknown(const Dump *dump, const RecordLine *line, const int *ids, int n,
                              Buffer *text, int (*spans)[2], Error *err)
{
    for (int i = 0; i < n; i++) {
        const int s = ids[i] == TOKEN_UNKNOWN ? best_source(dump, i) : -1;
        if (s < 0) {
            continue;
        }
        const int *span = dump->source_spans[s];
        const char *word = line->text + span[0], *found = NULL;
        size_t len = (size_t)(span[1] - span[0]), len_found = 0;
        if (line->unknown.find != NULL) {
            found = line->unknown.find(line->unknown.context, word, len, &len_found);
        }
        TRY(replace_token(text, spans, n, i, found != NULL ? found : word,
                          found != NULL ? len_found : len, err));
    }
    return OK;
}

/* ---- The whole ---- */

/* The pieces of all parts, one after the other. */
static Status join_ids(int **out, const RecordLine *line, const Totals *t, Arena *arena, Error *err)
{
    TRY(take(out, arena, (size_t)t->n_target, sizeof **out, err));
    int at = 0;
    for (int i = 0; i < line->n_parts; i++) {
        const Hypothesis *h = line->parts[i].hypothesis;
        memcpy(*out + at, h->tokens, (size_t)n_words(h) * sizeof **out);
        at += n_words(h);
    }
    return OK;
}

static void set_text(Dump *out, const Buffer *text)
{
    out->target = (DumpText){text->bytes == NULL ? "" : text->bytes, text->len};
}

Status record_build(Dump *out, const RecordLine *line, Buffer *text, Arena *arena, Error *err)
{
    const Totals t = sum_parts(line);
    Dump dump = {.source = {line->text, line->len},
                 .score = t.score,
                 .normalized_score = normalize(line, &t),
                 .is_finished = t.is_finished};
    int *ids, (*spans)[2];
    buffer_clear(text);
    TRY(join_ids(&ids, line, &t, arena, err));
    const int replaces = line->unknown.is_replaced && t.has_attention;
    if (line->n_parts == 0 || (!line->has_tokens && !replaces)) {
        TRY(detokenize(line->target, ids, t.n_target, text, err));
        set_text(&dump, text);
        *out = dump;
        return OK;
    }
    TRY(take(&spans, arena, (size_t)t.n_target + 1, sizeof *spans, err));
    TRY(detokenize_spans(line->target, ids, t.n_target, text, spans, err));
    TRY(add_source(&dump, line, &t, arena, err));
    dump.n_target = t.n_target + t.ends;
    TRY(add_numbers(&dump, line, &t, arena, err));
    if (replaces) {
        TRY(replace_unknown(&dump, line, ids, t.n_target, text, spans, err));
    }
    set_text(&dump, text);
    TRY(add_target(&dump, line, &t, ids, spans, arena, err));
    *out = dump;
    return OK;
}

RecordLine record_part_line(const RecordLine *line, int i, int (*shifted)[2], RecordPart *part)
{
    const int first = line->parts[i].first, n = line->parts[i].n;
    const int begin = line->spans[first][0], end = line->spans[first + n - 1][1];
    for (int j = 0; j < n; j++) {
        shifted[j][0] = line->spans[first + j][0] - begin;
        shifted[j][1] = line->spans[first + j][1] - begin;
    }
    *part = (RecordPart){0, n, line->parts[i].hypothesis};
    RecordLine alone = *line;
    alone.text = line->text + begin;
    alone.len = (size_t)(end - begin);
    alone.ids = line->ids + first;
    alone.spans = (const int(*)[2])shifted;
    alone.n_parts = 1;
    alone.parts = part;
    return alone;
}

/* The page of an attention dump; see the header. */
#include "view/html.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "text/dump_write.h"

#include "view/html_page.inc"

static Status add_lines(Buffer *out, const char *const *lines, Error *err)
{
    for (; *lines != NULL; lines++) {
        TRY(buffer_add_text(out, *lines, err));
    }
    return OK;
}

/* "name":[...] of strings, with a comma behind. */
static Status add_tokens(Buffer *out, const char *name, const DumpText *tokens, int n, Error *err)
{
    TRY(buffer_printf(out, err, "\"%s\":[", name));
    for (int i = 0; i < n; i++) {
        TRY(buffer_add_text(out, i > 0 ? "," : "", err));
        TRY(dump_add_string(out, tokens[i].bytes, tokens[i].len, 1, err));
    }
    return buffer_add_text(out, "],", err);
}

/* A weight with four decimals and no zeros at its ends; what is no number is 0. */
static Status add_weight(Buffer *out, float weight, Error *err)
{
    const double rounded = isfinite(weight) ? round((double)weight * 1e4) / 1e4 : 0;
    return number_add_float(out, (float)rounded, "0", err);
}

static Status add_matrix(Buffer *out, const Dump *d, Error *err)
{
    TRY(buffer_add_byte(out, '{', err));
    TRY(add_tokens(out, "source", d->source_tokens, d->n_source, err));
    TRY(add_tokens(out, "target", d->target_tokens, d->n_target, err));
    TRY(buffer_printf(out, err, "\"source_end\":%d,\"target_end\":%d,\"a\":[", d->has_source_end,
                      d->has_target_end));
    for (int t = 0; t < d->n_target; t++) {
        TRY(buffer_add_text(out, t > 0 ? ",[" : "[", err));
        for (int s = 0; s < d->n_source; s++) {
            TRY(buffer_add_text(out, s > 0 ? "," : "", err));
            TRY(add_weight(out, d->attention[(size_t)t * (size_t)d->n_source + (size_t)s], err));
        }
        TRY(buffer_add_byte(out, ']', err));
    }
    return buffer_add_text(out, "]}", err);
}

static int same_tokens(const DumpText *x, int n_x, const DumpText *y, int n_y)
{
    if (n_x != n_y) {
        return 0;
    }
    for (int i = 0; i < n_x; i++) {
        if (x[i].len != y[i].len || memcmp(x[i].bytes, y[i].bytes, x[i].len) != 0) {
            return 0;
        }
    }
    return 1;
}

static Status add_dump(Buffer *out, const Dump *d, Arena *arena, Error *err)
{
    Dump words;
    arena_reset(arena);
    TRY(dump_to_words(&words, d, arena, err));
    TRY(buffer_printf(out, err, "{\"id\":%ld,\"rank\":%d,\"source\":", d->id, d->rank));
    TRY(dump_add_string(out, d->source.bytes, d->source.len, 1, err));
    TRY(buffer_add_text(out, ",\"score\":", err));
    TRY(number_add_double(out, d->score, "0", err));
    TRY(buffer_add_text(out, ",\"normalized\":", err));
    TRY(number_add_double(out, d->normalized_score, "0", err));
    TRY(buffer_printf(out, err, ",\"finished\":%s,\"words\":", d->is_finished ? "true" : "false"));
    TRY(add_matrix(out, &words, err));
    TRY(buffer_add_text(out, ",\"pieces\":", err));
    if (same_tokens(d->source_tokens, d->n_source, words.source_tokens, words.n_source) &&
        same_tokens(d->target_tokens, d->n_target, words.target_tokens, words.n_target)) {
        TRY(buffer_add_text(out, "null", err));
    } else {
        TRY(add_matrix(out, d, err));
    }
    return buffer_add_byte(out, '}', err);
}

Status html_write(Buffer *out, const Dump *dumps, int n, Error *err)
{
    Arena *arena;
    TRY(arena_create(&arena, 0, err));
    Status status = add_lines(out, PAGE_HEAD, err);
    status = status == OK ? buffer_add_byte(out, '[', err) : status;
    for (int i = 0; i < n && status == OK; i++) {
        status = i > 0 ? buffer_add_text(out, ",\n", err) : OK;
        status = status == OK ? add_dump(out, &dumps[i], arena, err) : status;
    }
    status = status == OK ? buffer_add_text(out, "]\n", err) : status;
    status = status == OK ? add_lines(out, PAGE_TAIL, err) : status;
    arena_free(arena);
    return status;
}

/* The page of an attention dump; see the header. */
#include "view/html.h"

#include <string.h>

#include "base/number.h"
#include "text/dump_write.h"
#include "view/embed.h"

#include "view/html_page.inc"

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
    TRY(embed_matrix(out, &words, err));
    TRY(buffer_add_text(out, ",\"pieces\":", err));
    if (same_tokens(d->source_tokens, d->n_source, words.source_tokens, words.n_source) &&
        same_tokens(d->target_tokens, d->n_target, words.target_tokens, words.n_target)) {
        TRY(buffer_add_text(out, "null", err));
    } else {
        TRY(embed_matrix(out, d, err));
    }
    return buffer_add_byte(out, '}', err);
}

Status html_write(Buffer *out, const Dump *dumps, int n, Error *err)
{
    Arena *arena;
    TRY(arena_create(&arena, 0, err));
    Status status = embed_lines(out, EMBED_PAGE_BEGIN, err);
    status = status == OK ? embed_lines(out, PAGE_HEAD, err) : status;
    status = status == OK ? buffer_add_byte(out, '[', err) : status;
    for (int i = 0; i < n && status == OK; i++) {
        status = i > 0 ? buffer_add_text(out, ",\n", err) : OK;
        status = status == OK ? add_dump(out, &dumps[i], arena, err) : status;
    }
    status = status == OK ? buffer_add_text(out, "]\n", err) : status;
    status = status == OK ? embed_lines(out, PAGE_TAIL, err) : status;
    arena_free(arena);
    return status;
}

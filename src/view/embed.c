/* Embedding in HTML; see the header. */
#include "view/embed.h"

#include <math.h>

#include "base/number.h"
#include "text/dump_write.h"

#include "view/embed_page.inc"

Status embed_lines(Buffer *out, const char *const *lines, Error *err)
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

Status embed_matrix(Buffer *out, const Dump *d, Error *err)
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

/* Writing attention; see the header. */
#include "text/dump_write.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "text/unicode.h"

Status dump_parse_alignment(DumpAlignment *out, const char *text, Error *err)
{
    if (strcmp(text, "hard") == 0) {
        *out = (DumpAlignment){DUMP_HARD, 0};
        return OK;
    }
    if (strcmp(text, "soft") == 0) {
        *out = (DumpAlignment){DUMP_SOFT, 0};
        return OK;
    }
    char *end;
    const double threshold = strtod(text, &end);
    if (end == text || *end != '\0' || !(threshold > 0 && threshold < 1)) {
        return fail(err, ERR_ARG,
                    "--alignment %.200s: must be hard, soft or a number above 0 and below 1", text);
    }
    *out = (DumpAlignment){DUMP_THRESHOLD, threshold};
    return OK;
}

Status dump_add_string(Buffer *out, const char *bytes, size_t len, int is_html, Error *err)
{
    TRY(buffer_add_byte(out, '"', err));
    for (size_t i = 0; i < len;) {
        uint32_t point;
        char utf8[UNICODE_MAX_BYTES];
        i += unicode_decode(bytes + i, len - i, &point, NULL);
        const int is_markup = is_html && (point == '<' || point == '>' || point == '&' ||
                                          point == 0x2028 || point == 0x2029);
        if (point == '"' || point == '\\') {
            TRY(buffer_add_byte(out, '\\', err));
            TRY(buffer_add_byte(out, (char)point, err));
        } else if (point < 0x20 || point == 0x7F || is_markup) {
            TRY(buffer_printf(out, err, "\\u%04x", (unsigned)point));
        } else {
            TRY(buffer_add(out, utf8, unicode_encode(point, utf8), err));
        }
    }
    return buffer_add_byte(out, '"', err);
}

/* "name":[...] of strings, with a comma before. */
static Status add_tokens(Buffer *out, const char *name, const DumpText *tokens, int n, Error *err)
{
    TRY(buffer_printf(out, err, ",\"%s\":[", name));
    for (int i = 0; i < n; i++) {
        TRY(buffer_add_text(out, i > 0 ? "," : "", err));
        TRY(dump_add_string(out, tokens[i].bytes, tokens[i].len, 0, err));
    }
    return buffer_add_byte(out, ']', err);
}

static Status add_spans(Buffer *out, const char *name, const int (*spans)[2], int n, Error *err)
{
    TRY(buffer_printf(out, err, ",\"%s\":[", name));
    for (int i = 0; i < n; i++) {
        TRY(buffer_printf(out, err, "%s[%d,%d]", i > 0 ? "," : "", spans[i][0], spans[i][1]));
    }
    return buffer_add_byte(out, ']', err);
}

/* Numbers with a separator between. */
static Status add_row(Buffer *out, const float *row, int n, char separator, const char *not_finite,
                      Error *err)
{
    for (int i = 0; i < n; i++) {
        if (i > 0) {
            TRY(buffer_add_byte(out, separator, err));
        }
        TRY(number_add_float(out, row[i], not_finite, err));
    }
    return OK;
}

static const float *row_of(const Dump *dump, int t)
{
    return dump->attention + (size_t)t * (size_t)dump->n_source;
}

static Status add_attention(Buffer *out, const Dump *dump, Error *err)
{
    TRY(buffer_add_text(out, ",\"attention\":[", err));
    for (int t = 0; t < dump->n_target; t++) {
        TRY(buffer_add_text(out, t > 0 ? ",[" : "[", err));
        TRY(add_row(out, row_of(dump, t), dump->n_source, ',', "null", err));
        TRY(buffer_add_byte(out, ']', err));
    }
    return buffer_add_byte(out, ']', err);
}

Status dump_write_json(Buffer *out, const Dump *dump, Error *err)
{
    TRY(buffer_printf(out, err, "{\"id\":%ld,\"rank\":%d,\"source\":", dump->id, dump->rank));
    TRY(dump_add_string(out, dump->source.bytes, dump->source.len, 0, err));
    TRY(buffer_add_text(out, ",\"target\":", err));
    TRY(dump_add_string(out, dump->target.bytes, dump->target.len, 0, err));
    TRY(buffer_add_text(out, ",\"score\":", err));
    TRY(number_add_double(out, dump->score, "null", err));
    TRY(buffer_add_text(out, ",\"normalized_score\":", err));
    TRY(number_add_double(out, dump->normalized_score, "null", err));
    TRY(buffer_printf(out, err, ",\"finished\":%s", dump->is_finished ? "true" : "false"));
    TRY(add_tokens(out, "source_tokens", dump->source_tokens, dump->n_source, err));
    TRY(add_tokens(out, "target_tokens", dump->target_tokens, dump->n_target, err));
    TRY(add_spans(out, "source_spans", dump->source_spans, dump->n_source, err));
    TRY(add_spans(out, "target_spans", dump->target_spans, dump->n_target, err));
    TRY(add_attention(out, dump, err));
    if (dump->word_scores != NULL) {
        TRY(buffer_add_text(out, ",\"word_scores\":[", err));
        TRY(add_row(out, dump->word_scores, dump->n_target, ',', "null", err));
        TRY(buffer_add_byte(out, ']', err));
    }
    return buffer_add_text(out, "}\n", err);
}

Status dump_write_links(Buffer *out, const Dump *dump, double threshold, Error *err)
{
    Arena *arena;
    DumpLink *links;
    int n_links;
    TRY(arena_create(&arena, 0, err));
    Status status = dump_links(&links, &n_links, dump, threshold, arena, err);
    for (int i = 0; i < n_links && status == OK; i++) {
        status =
            buffer_printf(out, err, "%s%d-%d", i > 0 ? " " : "", links[i].source, links[i].target);
    }
    arena_free(arena);
    return status;
}

Status dump_write_soft(Buffer *out, const Dump *dump, Error *err)
{
    for (int t = 0; t < dump->n_target; t++) {
        if (t > 0) {
            TRY(buffer_add_byte(out, ' ', err));
        }
        TRY(add_row(out, row_of(dump, t), dump->n_source, ',', "nan", err));
    }
    return OK;
}

Status dump_write_alignment(Buffer *out, const Dump *dump, DumpAlignment alignment, Error *err)
{
    return alignment.kind == DUMP_SOFT ? dump_write_soft(out, dump, err)
                                       : dump_write_links(out, dump, alignment.threshold, err);
}

Status dump_write_aligned(Buffer *out, const Dump *dump, DumpAlignment alignment, Error *err)
{
    TRY(unicode_repair(out, dump->target.bytes, dump->target.len, err));
    TRY(buffer_add_text(out, " ||| ", err));
    return dump_write_alignment(out, dump, alignment, err);
}

Status dump_write_nbest(Buffer *out, const Dump *dump, const DumpAlignment *alignment,
                        int with_word_scores, Error *err)
{
    TRY(buffer_printf(out, err, "%ld ||| ", dump->id));
    TRY(unicode_repair(out, dump->target.bytes, dump->target.len, err));
    if (alignment != NULL) {
        TRY(buffer_add_text(out, " ||| ", err));
        TRY(dump_write_alignment(out, dump, *alignment, err));
    }
    if (with_word_scores) {
        TRY(buffer_add_text(out, " ||| WordScores= ", err));
        TRY(add_row(out, dump->word_scores, dump->n_target, ' ', "nan", err));
    }
    TRY(buffer_add_text(out, " ||| F0= ", err));
    TRY(number_add_double(out, dump->score, "nan", err));
    TRY(buffer_add_text(out, " ||| ", err));
    return number_add_double(out, dump->normalized_score, "nan", err);
}

/* Tokens between blanks, so without any of their own. */
static Status add_unspaced(Buffer *out, const DumpText *tokens, int n, Error *err)
{
    for (int i = 0; i < n; i++) {
        if (i > 0) {
            TRY(buffer_add_byte(out, ' ', err));
        }
        for (size_t at = 0; at < tokens[i].len;) {
            uint32_t point;
            char utf8[UNICODE_MAX_BYTES];
            at += unicode_decode(tokens[i].bytes + at, tokens[i].len - at, &point, NULL);
            if (unicode_class(point) == CLASS_SPACE) {
                point = 0x2581;
            }
            TRY(buffer_add(out, utf8, unicode_encode(point, utf8), err));
        }
    }
    return OK;
}

/* Row t of a matrix of the given size, zero where the dump has no number. */
static Status add_padded_row(Buffer *out, const Dump *dump, int t, int n_columns, Error *err)
{
    for (int s = 0; s < n_columns; s++) {
        const int is_inside = t < dump->n_target && s < dump->n_source;
        TRY(buffer_add_text(out, s > 0 ? " " : "", err));
        TRY(number_add_float(out, is_inside ? row_of(dump, t)[s] : 0, "nan", err));
    }
    return buffer_add_byte(out, '\n', err);
}

Status dump_write_matrix(Buffer *out, const Dump *dump, Error *err)
{
    const int n_source = dump->n_source - dump->has_source_end;
    const int n_target = dump->n_target - dump->has_target_end;
    TRY(buffer_printf(out, err, "%ld ||| ", dump->id));
    TRY(add_unspaced(out, dump->target_tokens, n_target, err));
    TRY(buffer_add_text(out, " ||| ", err));
    TRY(number_add_double(out, dump->score, "nan", err));
    TRY(buffer_add_text(out, " ||| ", err));
    TRY(add_unspaced(out, dump->source_tokens, n_source, err));
    TRY(buffer_printf(out, err, " ||| %d %d\n", n_source + 1, n_target + 1));
    if (dump->n_source == 0 && dump->n_target == 0) {
        return buffer_add_text(out, "1\n\n", err);
    }
    for (int t = 0; t < n_target + 1; t++) {
        TRY(add_padded_row(out, dump, t, n_source + 1, err));
    }
    return buffer_add_byte(out, '\n', err);
}

/* A field of a spreadsheet; line ends, which would end the row in a careless reader, become blanks.
 */
static Status add_field(Buffer *out, const DumpText *token, Error *err)
{
    const int is_quoted = memchr(token->bytes, '"', token->len) != NULL ||
                          memchr(token->bytes, '\t', token->len) != NULL;
    TRY(buffer_add_text(out, is_quoted ? "\"" : "", err));
    for (size_t at = 0; at < token->len;) {
        uint32_t point;
        char utf8[UNICODE_MAX_BYTES];
        at += unicode_decode(token->bytes + at, token->len - at, &point, NULL);
        point = point == '\n' || point == '\r' || point == 0 ? ' ' : point;
        TRY(buffer_add_text(out, point == '"' ? "\"" : "", err));
        TRY(buffer_add(out, utf8, unicode_encode(point, utf8), err));
    }
    return buffer_add_text(out, is_quoted ? "\"" : "", err);
}

Status dump_write_tsv(Buffer *out, const Dump *dump, Error *err)
{
    TRY(buffer_printf(out, err, "%ld.%d", dump->id, dump->rank));
    for (int s = 0; s < dump->n_source; s++) {
        TRY(buffer_add_byte(out, '\t', err));
        TRY(add_field(out, &dump->source_tokens[s], err));
    }
    for (int t = 0; t < dump->n_target; t++) {
        TRY(buffer_add_byte(out, '\n', err));
        TRY(add_field(out, &dump->target_tokens[t], err));
        TRY(buffer_add_text(out, dump->n_source > 0 ? "\t" : "", err));
        TRY(add_row(out, row_of(dump, t), dump->n_source, '\t', "nan", err));
    }
    return buffer_add_text(out, "\n\n", err);
}

Status dump_write_npy(Buffer *out, const Dump *dump, Error *err)
{
    /* magic, version 1.0, two bytes of header length, the header padded to a multiple of 64 */
    enum { PREFIX = 10, ALIGNMENT = 64 };
    Buffer header = {0};
    Status status =
        buffer_printf(&header, err, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }",
                      dump->n_target, dump->n_source);
    while (status == OK && (PREFIX + header.len + 1) % ALIGNMENT != 0) {
        status = buffer_add_byte(&header, ' ', err);
    }
    status = status == OK ? buffer_add_byte(&header, '\n', err) : status;
    if (status == OK) {
        const char prefix[PREFIX] = {'\x93',
                                     'N',
                                     'U',
                                     'M',
                                     'P',
                                     'Y',
                                     1,
                                     0,
                                     (char)(header.len & 0xFF),
                                     (char)(header.len >> 8)};
        status = buffer_add(out, prefix, PREFIX, err);
        status = status == OK ? buffer_add(out, header.bytes, header.len, err) : status;
    }
    buffer_free(&header);
    const size_t n = (size_t)dump->n_target * (size_t)dump->n_source;
    for (size_t i = 0; i < n && status == OK; i++) {
        uint32_t bits;
        memcpy(&bits, &dump->attention[i], sizeof bits);
        const char bytes[4] = {(char)(bits & 0xFF), (char)(bits >> 8 & 0xFF),
                               (char)(bits >> 16 & 0xFF), (char)(bits >> 24)};
        status = buffer_add(out, bytes, 4, err);
    }
    return status;
}

Status dump_npy_path(Buffer *out, const char *prefix, const Dump *dump, Error *err)
{
    return buffer_printf(out, err, "%s.%ld.%d.npy", prefix, dump->id, dump->rank);
}

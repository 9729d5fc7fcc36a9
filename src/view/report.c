/* The report of a training run; see the header. */
#include "view/report.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "text/dump_write.h"
#include "view/embed.h"

#include "view/report_page.inc"

/* The columns of a point that are plain numbers, in the order of the table. */
typedef struct Column {
    const char *name;
    size_t offset;
} Column;

static const Column COLUMNS[] = {{"minutes", offsetof(ReportPoint, minutes)},
                                 {"train_loss", offsetof(ReportPoint, train_loss)},
                                 {"valid_loss", offsetof(ReportPoint, valid_loss)},
                                 {"bleu", offsetof(ReportPoint, bleu)},
                                 {"chrf", offsetof(ReportPoint, chrf)},
                                 {"learn_rate", offsetof(ReportPoint, learn_rate)},
                                 {"gradient_norm", offsetof(ReportPoint, gradient_norm)},
                                 {"tokens_per_second", offsetof(ReportPoint, tokens_per_second)}};

enum { N_COLUMNS = sizeof COLUMNS / sizeof *COLUMNS };

static double value_of(const ReportPoint *point, int column)
{
    double value;
    memcpy(&value, (const char *)point + COLUMNS[column].offset, sizeof value);
    return value;
}

/* Six digits are enough to plot. */
static Status add_number(Buffer *out, double x, const char *unknown, Error *err)
{
    return isfinite(x) ? buffer_printf(out, err, "%.6g", x) : buffer_add_text(out, unknown, err);
}

static Status add_text(Buffer *out, const char *text, size_t len, Error *err)
{
    return dump_add_string(out, text, len, 1, err);
}

static Status add_points(Buffer *out, const Report *report, Error *err)
{
    TRY(buffer_add_text(out, ",\n\"points\":[", err));
    for (int i = 0; i < report->n_points; i++) {
        const ReportPoint *p = &report->points[i];
        TRY(buffer_printf(out, err, "%s{\"epoch\":%ld,\"update\":%ld,\"is_best\":%s",
                          i > 0 ? ",\n" : "", p->epoch, p->update, p->is_best ? "true" : "false"));
        for (int c = 0; c < N_COLUMNS; c++) {
            TRY(buffer_printf(out, err, ",\"%s\":", COLUMNS[c].name));
            /* time is always known; a chart needs a number */
            TRY(add_number(out, value_of(p, c), c == 0 ? "0" : "null", err));
        }
        TRY(buffer_add_byte(out, '}', err));
    }
    return buffer_add_byte(out, ']', err);
}

/* {"source":...,"target":...,"words":{...}} */
static Status add_dump(Buffer *out, const Dump *dump, Arena *arena, Error *err)
{
    Dump words;
    arena_reset(arena);
    TRY(dump_to_words(&words, dump, arena, err));
    TRY(buffer_add_text(out, "{\"source\":", err));
    TRY(add_text(out, dump->source.bytes, dump->source.len, err));
    TRY(buffer_add_text(out, ",\"target\":", err));
    TRY(add_text(out, dump->target.bytes, dump->target.len, err));
    TRY(buffer_add_text(out, ",\"words\":", err));
    TRY(embed_matrix(out, &words, err));
    return buffer_add_byte(out, '}', err);
}

static Status add_samples(Buffer *out, const Report *report, Arena *arena, Error *err)
{
    TRY(buffer_add_text(out, ",\n\"references\":[", err));
    for (int k = 0; k < report->n_samples; k++) {
        TRY(buffer_add_text(out, k > 0 ? "," : "", err));
        TRY(add_text(out, report->references[k].bytes, report->references[k].len, err));
    }
    TRY(buffer_add_text(out, "],\n\"samples\":[", err));
    for (int p = 0; p < report->n_points; p++) {
        TRY(buffer_add_text(out, p > 0 ? ",\n[" : "[", err));
        for (int k = 0; k < report->n_samples; k++) {
            const size_t at = (size_t)p * (size_t)report->n_samples + (size_t)k;
            TRY(buffer_add_text(out, k > 0 ? "," : "", err));
            TRY(add_dump(out, &report->samples[at], arena, err));
        }
        TRY(buffer_add_byte(out, ']', err));
    }
    TRY(buffer_add_text(out, "],\n\"fixed\":[", err));
    for (int p = 0; p < report->n_points && report->fixed != NULL; p++) {
        TRY(buffer_add_text(out, p > 0 ? ",\n" : "", err));
        TRY(add_dump(out, &report->fixed[p], arena, err));
    }
    return buffer_add_byte(out, ']', err);
}

/* Lines cut at a separator (at most `max_cells` cells each) as arrays of strings. */
static Status add_table(Buffer *out, const char *name, const char *text, const char *separator,
                        int max_cells, Error *err)
{
    TRY(buffer_printf(out, err, ",\n\"%s\":[", name));
    for (const char *line = text; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        const char *end = line + len, *cell = line;
        TRY(buffer_add_text(out, line > text ? ",[" : "[", err));
        for (int n = 1;; n++) {
            const char *stop = n < max_cells ? strstr(cell, separator) : NULL;
            const int is_last = stop == NULL || stop > end;
            stop = is_last ? end : stop;
            TRY(buffer_add_text(out, n > 1 ? "," : "", err));
            TRY(add_text(out, cell, (size_t)(stop - cell), err));
            if (is_last) {
                break;
            }
            cell = stop + strlen(separator);
        }
        TRY(buffer_add_byte(out, ']', err));
        line = end + (*end == '\n');
    }
    return buffer_add_byte(out, ']', err);
}

static Status add_data(Buffer *out, const Report *report, Arena *arena, Error *err)
{
    TRY(buffer_add_text(out, "{\"title\":", err));
    TRY(add_text(out, report->title, strlen(report->title), err));
    TRY(buffer_add_text(out, ",\"status\":", err));
    TRY(add_text(out, report->status, strlen(report->status), err));
    TRY(add_points(out, report, err));
    TRY(add_samples(out, report, arena, err));
    TRY(add_table(out, "corpus", report->corpus, "\t", 1000, err));
    TRY(add_table(out, "options", report->options, " = ", 2, err));
    return buffer_add_text(out, "}\n", err);
}

Status report_html(Buffer *out, const Report *report, Error *err)
{
    Arena *arena;
    TRY(arena_create(&arena, 0, err));
    Status status = embed_lines(out, EMBED_PAGE_BEGIN, err);
    status = status == OK ? embed_lines(out, REPORT_HEAD, err) : status;
    status = status == OK ? add_data(out, report, arena, err) : status;
    status = status == OK ? embed_lines(out, REPORT_TAIL, err) : status;
    arena_free(arena);
    return status;
}

Status report_tsv(Buffer *out, const Report *report, Error *err)
{
    TRY(buffer_add_text(out, "epoch\tupdate", err));
    for (int c = 0; c < N_COLUMNS; c++) {
        TRY(buffer_printf(out, err, "\t%s", COLUMNS[c].name));
    }
    TRY(buffer_add_text(out, "\tbest\n", err));
    for (int i = 0; i < report->n_points; i++) {
        const ReportPoint *p = &report->points[i];
        TRY(buffer_printf(out, err, "%ld\t%ld", p->epoch, p->update));
        for (int c = 0; c < N_COLUMNS; c++) {
            TRY(buffer_add_byte(out, '\t', err));
            TRY(add_number(out, value_of(p, c), "", err));
        }
        TRY(buffer_printf(out, err, "\t%d\n", p->is_best ? 1 : 0));
    }
    return OK;
}

/* The matrix in a terminal; see the header. */
#include "view/terminal.h"

#include <string.h>

#include "base/mem.h"
#include "view/label.h"

enum { MAX_LABEL = 18, GAP = 2 };

#define ARROW     "\u2190" /* marks a word written from right to left */
#define ISOLATE   "\u2068"
#define POP       "\u2069"
#define HIGHLIGHT "\x1b[1;36m"
#define PLAIN     "\x1b[0m"

/* A label and its width. */
typedef struct Label {
    Buffer text;
    int columns;
} Label;

typedef struct Picture {
    const Dump *dump;
    TerminalOptions options;
    Label *source, *target;
    int margin; /* width of the widest target label */
} Picture;

static void free_labels(Label *labels, int n)
{
    for (int i = 0; labels != NULL && i < n; i++) {
        buffer_free(&labels[i].text);
    }
    mem_free(labels);
}

static Status make_label(Label *label, DumpText token, Error *err)
{
    const int is_rtl = label_is_rtl(token);
    TRY(buffer_add_text(&label->text, is_rtl ? ARROW ISOLATE : "", err));
    TRY(label_add(&label->text, &label->columns, token, MAX_LABEL, err));
    TRY(buffer_add_text(&label->text, is_rtl ? POP : "", err));
    label->columns += is_rtl;
    return OK;
}

static Status make_labels(Label **out, const DumpText *tokens, int n, Error *err)
{
    Label *labels = mem_zero_alloc((size_t)n, sizeof *labels);
    if (labels == NULL) {
        return mem_fail(err, "labels", (size_t)n, sizeof *labels);
    }
    *out = labels;
    for (int i = 0; i < n; i++) {
        TRY(make_label(&labels[i], tokens[i], err));
    }
    return OK;
}

static Status add_repeated(Buffer *out, const char *text, int n, Error *err)
{
    for (int i = 0; i < n; i++) {
        TRY(buffer_add_text(out, text, err));
    }
    return OK;
}

static const char *shade(double weight, int is_log)
{
    static const double LINEAR[] = {0.05, 0.25, 0.5, 0.75}, LOG[] = {0.01, 0.032, 0.1, 0.32};
    static const char *const SHADES[] = {"\u00b7", "\u2591", "\u2592", "\u2593", "\u2588"};
    int level = 0;
    while (level < 4 && weight >= (is_log ? LOG : LINEAR)[level]) {
        level++;
    }
    return SHADES[level];
}

/* One cell, as wide as its column; a weight too small for a shade is a single point. */
static Status add_cell(Buffer *out, const Picture *p, float weight, int columns, int is_largest,
                       Error *err)
{
    const char *sign = shade((double)weight, p->options.is_log);
    const int is_point = strcmp(sign, "\u00b7") == 0;
    const int n = is_point ? 1 : columns, before = (columns - n) / 2;
    const int is_colored = p->options.has_color && is_largest && !is_point;
    TRY(add_repeated(out, " ", GAP + before, err));
    TRY(buffer_add_text(out, is_colored ? HIGHLIGHT : "", err));
    TRY(add_repeated(out, sign, n, err));
    TRY(buffer_add_text(out, is_colored ? PLAIN : "", err));
    return add_repeated(out, " ", columns - n - before, err);
}

/* Blanks at the end of a line say nothing. */
static Status end_line(Buffer *out, Error *err)
{
    while (out->len > 0 && out->bytes[out->len - 1] == ' ') {
        out->len--;
    }
    return buffer_add_byte(out, '\n', err);
}

/* The columns first .. last - 1 with their heading. */
static Status draw_block(Buffer *out, const Picture *p, int first, int last, Error *err)
{
    const Dump *d = p->dump;
    TRY(add_repeated(out, " ", p->margin, err));
    for (int s = first; s < last; s++) {
        TRY(add_repeated(out, " ", GAP, err));
        TRY(buffer_add(out, p->source[s].text.bytes, p->source[s].text.len, err));
    }
    TRY(end_line(out, err));
    for (int t = 0; t < d->n_target; t++) {
        const float *row = d->attention + (size_t)t * (size_t)d->n_source;
        int largest = 0;
        for (int s = 1; s < d->n_source; s++) {
            largest = row[s] > row[largest] ? s : largest;
        }
        TRY(add_repeated(out, " ", p->margin - p->target[t].columns, err));
        TRY(buffer_add(out, p->target[t].text.bytes, p->target[t].text.len, err));
        for (int s = first; s < last; s++) {
            TRY(add_cell(out, p, row[s], p->source[s].columns, s == largest, err));
        }
        TRY(end_line(out, err));
    }
    return OK;
}

/* The end of the block that begins at column first: as many columns as fit, at least one. */
static int find_block_end(const Picture *p, int first)
{
    int width = p->margin, last = first;
    while (last < p->dump->n_source) {
        width += GAP + p->source[last].columns;
        if (p->options.width > 0 && width > p->options.width && last > first) {
            break;
        }
        last++;
    }
    return last;
}

static Status draw(Buffer *out, Picture *p, Error *err)
{
    TRY(make_labels(&p->source, p->dump->source_tokens, p->dump->n_source, err));
    TRY(make_labels(&p->target, p->dump->target_tokens, p->dump->n_target, err));
    for (int t = 0; t < p->dump->n_target; t++) {
        p->margin = p->target[t].columns > p->margin ? p->target[t].columns : p->margin;
    }
    for (int first = 0; first < p->dump->n_source;) {
        const int last = find_block_end(p, first);
        TRY(buffer_add_text(out, first > 0 ? "\n" : "", err));
        TRY(draw_block(out, p, first, last, err));
        first = last;
    }
    return OK;
}

Status terminal_draw(Buffer *out, const Dump *dump, TerminalOptions options, Error *err)
{
    if (dump->n_source == 0 || dump->n_target == 0) {
        return buffer_add_text(out, "(no words)\n", err);
    }
    Picture picture = {.dump = dump, .options = options};
    const Status status = draw(out, &picture, err);
    free_labels(picture.source, dump->n_source);
    free_labels(picture.target, dump->n_target);
    return status;
}

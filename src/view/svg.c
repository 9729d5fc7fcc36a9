/* The matrix in SVG; see the header. */
#include "view/svg.h"

#include <math.h>

#include "view/label.h"

/* All in pixels. COLUMN is the width of one column of a terminal in the font used. */
enum { CELL = 26, FONT = 14, COLUMN = 8, PAD = 12, MAX_LABEL = 24 };

/* What of a label's length rises above the matrix when it is turned by 55 degrees, and what of it
 * sticks out to the right. */
static const double RISE = 0.82, LEAN = 0.58;

/* Size of one matrix with its labels. */
typedef struct Layout {
    double left, top, width, height;
} Layout;

static Status widest(int *out, const DumpText *tokens, int n, Error *err)
{
    Buffer text = {0};
    Status status = OK;
    *out = 1;
    for (int i = 0; i < n && status == OK; i++) {
        int columns;
        buffer_clear(&text);
        status = label_add(&text, &columns, tokens[i], MAX_LABEL, err);
        if (status == OK && columns > *out) {
            *out = columns;
        }
    }
    buffer_free(&text);
    return status;
}

static Status lay_out(Layout *out, const Dump *dump, Error *err)
{
    int source = 1, target = 1;
    TRY(widest(&source, dump->source_tokens, dump->n_source, err));
    TRY(widest(&target, dump->target_tokens, dump->n_target, err));
    out->left = PAD + target * COLUMN + PAD;
    out->top = PAD + source * COLUMN * RISE + PAD;
    out->width = out->left + dump->n_source * CELL + source * COLUMN * LEAN + 2 * PAD;
    out->height = out->top + dump->n_target * CELL + PAD;
    return OK;
}

static Status add_label(Buffer *out, DumpText token, Error *err)
{
    Buffer text = {0};
    int columns;
    Status status = label_add(&text, &columns, token, MAX_LABEL, err);
    if (status == OK) {
        status = label_add_xml(out, text.bytes, text.len, err);
    }
    buffer_free(&text);
    return status;
}

static double opacity(double weight, int is_log)
{
    const double x = is_log ? 1 + log10(weight > 1e-4 ? weight : 1e-4) / 4 : weight;
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static Status add_cell(Buffer *out, const Dump *dump, const Layout *l, int t, int s, int is_log,
                       Error *err)
{
    const double weight = (double)dump->attention[(size_t)t * (size_t)dump->n_source + (size_t)s];
    TRY(buffer_printf(out, err,
                      "<rect class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
                      "fill-opacity=\"%.3f\"><title>",
                      l->left + s * CELL, l->top + t * CELL, CELL - 1, CELL - 1,
                      opacity(weight, is_log)));
    TRY(add_label(out, dump->target_tokens[t], err));
    TRY(buffer_add_text(out, " \u2192 ", err));
    TRY(add_label(out, dump->source_tokens[s], err));
    return buffer_printf(out, err, ": %.1f %%</title></rect>\n", 100 * weight);
}

static Status add_matrix(Buffer *out, const Dump *dump, const Layout *l, double y, int is_log,
                         Error *err)
{
    TRY(buffer_printf(out, err, "<g transform=\"translate(0 %.1f)\">\n<title>", y));
    TRY(label_add_xml(out, dump->source.bytes, dump->source.len, err));
    TRY(buffer_add_text(out, " \u2192 ", err));
    TRY(label_add_xml(out, dump->target.bytes, dump->target.len, err));
    TRY(buffer_add_text(out, "</title>\n", err));
    TRY(buffer_printf(out, err,
                      "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n",
                      l->left - 0.5, l->top - 0.5, dump->n_source * CELL, dump->n_target * CELL));
    for (int s = 0; s < dump->n_source; s++) {
        TRY(buffer_printf(out, err, "<text transform=\"translate(%.1f %.1f) rotate(-55)\">",
                          l->left + s * CELL + CELL * 0.6, l->top - 6));
        TRY(add_label(out, dump->source_tokens[s], err));
        TRY(buffer_add_text(out, "</text>\n", err));
    }
    for (int t = 0; t < dump->n_target; t++) {
        TRY(buffer_printf(out, err, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", l->left - 8,
                          l->top + t * CELL + CELL * 0.68));
        TRY(add_label(out, dump->target_tokens[t], err));
        TRY(buffer_add_text(out, "</text>\n", err));
        for (int s = 0; s < dump->n_source; s++) {
            TRY(add_cell(out, dump, l, t, s, is_log, err));
        }
    }
    return buffer_add_text(out, "</g>\n", err);
}

static Status begin_picture(Buffer *out, double width, double height, SvgOptions options,
                            Error *err)
{
    TRY(buffer_add_text(
        out, options.is_inline ? "" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", err));
    TRY(buffer_printf(out, err,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" class=\"attention\" "
                      "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n"
                      "<title>Attention: rows are target words, columns source words</title>\n",
                      width, height, width, height));
    if (options.is_inline) {
        return OK;
    }
    return buffer_printf(
        out, err,
        "<style>\n"
        "text { font: %dpx \"Noto Sans\", \"Noto Sans CJK SC\", sans-serif; fill: #1b1f24 }\n"
        ".paper { fill: #fff } .cell { fill: #064082 } .frame { fill: #eef1f4 }\n"
        "@media (prefers-color-scheme: dark) {\n"
        "text { fill: #e6e9ec } .paper { fill: #14171a } .cell { fill: #6db3ff } "
        ".frame { fill: #23282d }\n"
        "}\n"
        "</style>\n"
        "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
        FONT);
}

Status svg_draw(Buffer *out, const Dump *const *dumps, int n, SvgOptions options, Error *err)
{
    double width = 2 * PAD, height = 0;
    Layout layout;
    for (int i = 0; i < n; i++) {
        TRY(lay_out(&layout, dumps[i], err));
        width = layout.width > width ? layout.width : width;
        height += layout.height;
    }
    TRY(begin_picture(out, ceil(width), ceil(height), options, err));
    double y = 0;
    for (int i = 0; i < n; i++) {
        TRY(lay_out(&layout, dumps[i], err));
        TRY(add_matrix(out, dumps[i], &layout, y, options.is_log, err));
        y += layout.height;
    }
    return buffer_add_text(out, "</svg>\n", err);
}

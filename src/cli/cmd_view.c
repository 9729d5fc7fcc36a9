/* heed view: an attention dump in the terminal, as SVG or as one HTML file. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/results.h"
#include "base/options.h"
#include "text/dump.h"
#include "text/dump_read.h"
#include "text/lines.h"
#include "view/html.h"
#include "view/svg.h"
#include "view/terminal.h"

typedef struct Settings {
    const char *html, *svg;
    int id, rank, is_pieces, has_end, is_log, color, width;
} Settings;

static const Option OPTIONS[] = {
    {"html", 0, OPTION_TEXT, offsetof(Settings, html), NULL, 0, 0, "FILE",
     "write a page that needs nothing else, for a browser; - is standard output"},
    {"svg", 0, OPTION_TEXT, offsetof(Settings, svg), NULL, 0, 0, "FILE",
     "write a picture; - is standard output"},
    {"id", 0, OPTION_INT, offsetof(Settings, id), NULL, 0, INT_MAX, "N",
     "only the hypotheses of this line, from 0"},
    {"rank", 0, OPTION_INT, offsetof(Settings, rank), NULL, 0, INT_MAX, "N",
     "only the hypotheses of this rank in their n-best list; 0 is the best"},
    {"pieces", 0, OPTION_FLAG, offsetof(Settings, is_pieces), NULL, 0, 0, NULL,
     "show the tokens of the file, not merged to words (the page has both)"},
    {"eos", 0, OPTION_FLAG, offsetof(Settings, has_end), "yes", 0, 0, NULL,
     "show the end token; --no-eos leaves it out and scales the rows to 1"},
    {"log", 0, OPTION_FLAG, offsetof(Settings, is_log), NULL, 0, 0, NULL,
     "shade by the logarithm, so that small weights can be seen (the page has both)"},
    {"color", 0, OPTION_CHOICE, offsetof(Settings, color), "auto", 0, 0, "auto|always|never",
     "colour in the terminal; auto: on a terminal, unless NO_COLOR is set"},
    {"width", 0, OPTION_INT, offsetof(Settings, width), NULL, 0, 100000, "N",
     "columns of the terminal, 0 for no bound; the terminal's own when not given"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

/* A line of JSON may be longer than a line of text. */
enum { MAX_LINE_BYTES = 128 << 20 };

/* What was read, on its way to a picture. */
typedef struct View {
    const Parsed *parsed;
    const Settings *settings;
    LineReader *reader;
    Buffer line;
    Arena *arena; /* holds all dumps of a picture, one dump in the terminal */
    Dump *dumps;
    size_t n, cap;
} View;

/* Reads a whole line into view->line; *number 0 at the end. */
static Status read_line(View *view, long *number, Error *err)
{
    Line part;
    buffer_clear(&view->line);
    *number = 0;
    do {
        TRY(lines_next(view->reader, &part, err));
        if (part.text == NULL) {
            return OK;
        }
        if (part.len > MAX_LINE_BYTES - view->line.len) {
            return fail(err, ERR_FORMAT, "%s:%ld: a line of more than %d bytes",
                        lines_path(view->reader), part.number, MAX_LINE_BYTES);
        }
        TRY(buffer_add(&view->line, part.text, part.len, err));
    } while (part.is_continued);
    *number = part.number;
    return OK;
}

static int is_wanted(const View *view, const Dump *dump)
{
    return (!options_given(view->parsed, "id") || dump->id == view->settings->id) &&
           (!options_given(view->parsed, "rank") || dump->rank == view->settings->rank);
}

/* Reads up to the next hypothesis that was asked for, with the end token as asked; *is_end 1 when
 * there is none. */
static Status read_dump(View *view, Dump *out, int *is_end, Error *err)
{
    for (;;) {
        long number;
        TRY(read_line(view, &number, err));
        *is_end = number == 0;
        if (*is_end) {
            return OK;
        }
        if (view->line.len == 0) {
            return fail(err, ERR_FORMAT, "%s:%ld: an empty line, expected a JSON object",
                        lines_path(view->reader), number);
        }
        TRY(dump_parse(out, view->line.bytes, view->line.len, view->arena, lines_path(view->reader),
                       number, err));
        if (is_wanted(view, out)) {
            return view->settings->has_end ? OK : dump_drop_end(out, out, view->arena, err);
        }
    }
}

static Status refuse_none(const View *view, Error *err)
{
    return fail(err, ERR_FORMAT, "%s: holds no hypothesis%s", lines_path(view->reader),
                options_given(view->parsed, "id") || options_given(view->parsed, "rank")
                    ? " of that --id and --rank"
                    : "");
}

static int terminal_width(const View *view)
{
    return options_given(view->parsed, "width") ? view->settings->width
                                                : screen_width(STDOUT_FILENO);
}

static Status print(Buffer *text, Error *err)
{
    if (fwrite(text->bytes, 1, text->len, stdout) != text->len || fflush(stdout) != 0) {
        return fail(err, ERR_IO, "standard output: cannot write");
    }
    buffer_clear(text);
    return OK;
}

/* One hypothesis after another; memory is that of one. */
static Status show(View *view, Buffer *out, Error *err)
{
    const TerminalOptions options = {.has_color = screen_has_color(view->settings->color),
                                     .is_log = view->settings->is_log,
                                     .width = terminal_width(view)};
    for (long n = 0;; n++) {
        Dump dump;
        int is_end;
        arena_reset(view->arena);
        TRY(read_dump(view, &dump, &is_end, err));
        if (is_end) {
            return n > 0 ? OK : refuse_none(view, err);
        }
        if (!view->settings->is_pieces) {
            TRY(dump_to_words(&dump, &dump, view->arena, err));
        }
        TRY(buffer_printf(out, err, "%s%ld.%d  score %.3f (%.3f)%s\n", n > 0 ? "\n" : "", dump.id,
                          dump.rank, dump.score, dump.normalized_score,
                          dump.is_finished ? "" : "  stopped by length"));
        TRY(terminal_draw(out, &dump, options, err));
        TRY(print(out, err));
    }
}

static Status keep(View *view, const Dump *dump, Error *err)
{
    if (view->n == INT_MAX) {
        return fail(err, ERR_FORMAT, "%s: more than %d hypotheses", lines_path(view->reader),
                    INT_MAX);
    }
    if (view->n == view->cap) {
        const size_t cap = view->cap == 0 ? 64 : view->cap * 2;
        Dump *dumps = mem_resize(view->dumps, cap, sizeof *dumps);
        if (dumps == NULL) {
            return mem_fail(err, "hypotheses", cap, sizeof *dumps);
        }
        view->dumps = dumps;
        view->cap = cap;
    }
    view->dumps[view->n++] = *dump;
    return OK;
}

static Status read_all(View *view, Error *err)
{
    for (;;) {
        Dump dump;
        int is_end;
        TRY(read_dump(view, &dump, &is_end, err));
        if (is_end) {
            return view->n > 0 ? OK : refuse_none(view, err);
        }
        TRY(keep(view, &dump, err));
    }
}

/* Writes a picture whole or not at all. */
static Status save(const char *path, Buffer *text, Error *err)
{
    if (strcmp(path, "-") == 0) {
        return print(text, err);
    }
    IoSave *file;
    TRY(io_save_begin(&file, path, err));
    const Status status = io_save_write(file, text->bytes, text->len, err);
    if (status != OK) {
        io_save_abort(file);
        return status;
    }
    return io_save_commit(file, err);
}

static Status draw_svg(View *view, Buffer *out, Error *err)
{
    const Dump **order = mem_alloc(view->n, sizeof *order);
    if (order == NULL) {
        return mem_fail(err, "hypotheses", view->n, sizeof *order);
    }
    Status status = OK;
    for (size_t i = 0; i < view->n && status == OK; i++) {
        order[i] = &view->dumps[i];
        if (!view->settings->is_pieces) {
            status = dump_to_words(&view->dumps[i], &view->dumps[i], view->arena, err);
        }
    }
    if (status == OK) {
        status =
            svg_draw(out, order, (int)view->n, (SvgOptions){.is_log = view->settings->is_log}, err);
    }
    mem_free(order);
    return status;
}

static Status write_pictures(View *view, Buffer *out, Error *err)
{
    const Settings *s = view->settings;
    TRY(read_all(view, err));
    if (s->html != NULL) {
        TRY(html_write(out, view->dumps, (int)view->n, err));
        TRY(save(s->html, out, err));
        buffer_clear(out);
    }
    if (s->svg != NULL) {
        TRY(draw_svg(view, out, err));
        TRY(save(s->svg, out, err));
    }
    return OK;
}

static Status run(const Parsed *parsed, Error *err)
{
    View view = {.parsed = parsed, .settings = parsed->settings};
    Buffer out = {0};
    if (parsed->n_operands != 1) {
        return fail(err, ERR_ARG,
                    "heed view needs a file that `heed translate --attention` wrote, or - for "
                    "standard input");
    }
    const Settings *s = view.settings;
    TRY(results_check("html", s->html, parsed->operands, 1, err));
    TRY(results_check("svg", s->svg, parsed->operands, 1, err));
    TRY(results_check_other("svg", s->svg, "html", s->html, err));
    TRY(lines_open(&view.reader, parsed->operands[0], err));
    Status status = arena_create(&view.arena, 0, err);
    if (status == OK) {
        const int is_picture = view.settings->html != NULL || view.settings->svg != NULL;
        status = is_picture ? write_pictures(&view, &out, err) : show(&view, &out, err);
    }
    buffer_free(&out);
    buffer_free(&view.line);
    mem_free(view.dumps);
    arena_free(view.arena);
    lines_close(view.reader);
    return status;
}

const Command command_view = {
    .name = "view",
    .operands = "FILE.jsonl",
    .summary = "show attention in the terminal, as a picture or as a page",
    .details = "  heed view attention.jsonl\n"
               "  heed view attention.jsonl --html attention.html\n"
               "  heed view attention.jsonl --id 3 --rank 0 --svg attention.svg\n"
               "Rows are target words, columns source words; the darker a cell, the more the\n"
               "translator looked there.",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = 1,
    .run = run};

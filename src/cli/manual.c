/* The manual page; see the header. */
#include "cli/manual.h"

#include <string.h>

/* Appends text as troff wants it: a backslash and a hyphen are escaped, and no line begins with a
 * point or a quote that would be taken for a request. */
static Status add_text(Buffer *out, const char *text, size_t len, Error *err)
{
    for (size_t i = 0; i < len; i++) {
        const int at_start = out->len == 0 || out->bytes[out->len - 1] == '\n';
        if (at_start && (text[i] == '.' || text[i] == '\'')) {
            TRY(buffer_add_text(out, "\\&", err));
        }
        switch (text[i]) {
        case '\\':
            TRY(buffer_add_text(out, "\\e", err));
            break;
        case '-':
            TRY(buffer_add_text(out, "\\-", err));
            break;
        case '\'':
            TRY(buffer_add_text(out, "\\(aq", err));
            break;
        case '`':
            TRY(buffer_add_text(out, "\\(ga", err));
            break;
        case '^':
            TRY(buffer_add_text(out, "\\(ha", err));
            break;
        case '~':
            TRY(buffer_add_text(out, "\\(ti", err));
            break;
        default:
            TRY(buffer_add_byte(out, text[i], err));
        }
    }
    return OK;
}

static Status add_line(Buffer *out, const char *text, Error *err)
{
    TRY(add_text(out, text, strlen(text), err));
    return buffer_add_byte(out, '\n', err);
}

/* Paragraphs as --help shows them: lines that begin with a blank are examples and stay as they
 * are, an empty line parts paragraphs, all other lines are filled. */
static Status add_paragraphs(Buffer *out, const char *text, Error *err)
{
    int is_example = 0, is_pending = 0;
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        const int wants_example = len > 0 && text[0] == ' ';
        if (len == 0) {
            is_pending = 1;
        } else {
            if (is_example && !wants_example) {
                TRY(buffer_add_text(out, ".fi\n.RE\n", err));
                is_pending = 1;
            }
            if (is_pending) {
                TRY(buffer_add_text(out, ".PP\n", err));
            }
            if (wants_example && !is_example) {
                TRY(buffer_add_text(out, ".RS 4\n.nf\n", err));
            }
            const size_t blanks = strspn(text, " ");
            const size_t skip = wants_example ? (blanks < 4 ? blanks : 4) : 0;
            TRY(add_text(out, text + skip, len - skip, err));
            TRY(buffer_add_byte(out, '\n', err));
            is_example = wants_example;
            is_pending = 0;
        }
        text += len + (text[len] == '\n');
    }
    return is_example ? buffer_add_text(out, ".fi\n.RE\n", err) : OK;
}

static Status add_option(const Option *o, Buffer *out, Error *err)
{
    TRY(buffer_add_text(out, ".TP\n", err));
    if (o->letter != 0) {
        TRY(buffer_printf(out, err, "\\fB\\-%c\\fR, ", o->letter));
    }
    TRY(buffer_add_text(out, "\\fB\\-\\-", err));
    TRY(add_text(out, o->name, strlen(o->name), err));
    TRY(buffer_add_text(out, "\\fR", err));
    if (o->kind != OPTION_FLAG) {
        TRY(buffer_add_text(out, " \\fI", err));
        TRY(add_text(out, o->value, strlen(o->value), err));
        TRY(buffer_add_text(out, "\\fR", err));
    }
    TRY(buffer_add_byte(out, '\n', err));
    for (const char *at = o->help; *at != '\0';) {
        const size_t len = strcspn(at, "\n");
        const size_t blanks = strspn(at, " ");
        TRY(add_text(out, at + blanks, len - blanks, err));
        TRY(buffer_add_byte(out, '\n', err));
        at += len + (at[len] == '\n');
    }
    if (o->kind == OPTION_INT) {
        TRY(buffer_printf(out, err, "[%.0f to %.0f]\n", o->min, o->max));
    } else if (o->kind == OPTION_REAL) {
        TRY(buffer_printf(out, err, "[%g to %g]\n", o->min, o->max));
    }
    if (o->fallback != NULL && o->kind != OPTION_FLAG) {
        TRY(buffer_add_text(out, "(default: ", err));
        TRY(add_text(out, o->fallback, strlen(o->fallback), err));
        TRY(buffer_add_text(out, ")\n", err));
    }
    return OK;
}

static Status add_command(const Command *command, Buffer *out, Error *err)
{
    TRY(buffer_printf(out, err, ".SS heed %s\n", command->name));
    TRY(buffer_printf(out, err, ".B heed %s\n[\\fIOPTION\\fR]...", command->name));
    if (command->operands[0] != '\0') {
        TRY(buffer_add_byte(out, ' ', err));
        TRY(add_text(out, command->operands, strlen(command->operands), err));
    }
    TRY(buffer_add_text(out, "\n.PP\n", err));
    TRY(add_line(out, command->summary, err));
    if (command->details[0] != '\0') {
        TRY(buffer_add_text(out, ".PP\n", err));
        TRY(add_paragraphs(out, command->details, err));
    }
    for (const Option *o = command->options; o->name != NULL; o++) {
        TRY(add_option(o, out, err));
    }
    return OK;
}

static const char HEAD[] =
    ".\\\" Written by `heed --manual` from the option tables.\n"
    ".TH HEED 1 \"\" \"heed " HEED_VERSION "\" \"User Commands\"\n"
    ".SH NAME\n"
    "heed \\- train a small neural translator, translate, and see where it looked\n"
    ".SH SYNOPSIS\n"
    ".B heed\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n"
    ".br\n"
    ".B heed\n\\fB\\-\\-version\\fR | \\fB\\-\\-help\\fR\n"
    ".SH DESCRIPTION\n"
    "heed trains a GRU encoder\\-decoder with attention on a small parallel corpus, on a CPU, and\n"
    "translates with it. At every target word it can show where in the source it looked.\n"
    ".PP\n"
    "Parallel text is a TSV (source, a tab, target; further columns are ignored) or two files "
    "with\n"
    "a line for a line. A file name of \\fB\\-\\fR is standard input or standard output.\n"
    ".SH COMMON OPTIONS\n"
    "Every command takes these besides its own (heed info has a \\fB\\-\\-config\\fR of another "
    "kind).\n"
    ".TP\n\\fB\\-\\-config\\fR \\fIFILE\\fR\n"
    "Read options from a file. Each line is \\fIoption\\fR = \\fIvalue\\fR, with the names and "
    "values\n"
    "of the command's options and yes or no for those that take none; a line that begins with #\n"
    "is a remark. An option of the command line wins over the file.\n"
    ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
    "List the options of the command.\n"
    ".SH COMMANDS\n";

static const char TAIL[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nDone.\n"
    ".TP\n.B 1\nThe system refused: a missing file, no memory, a full disk; or training diverged.\n"
    ".TP\n.B 2\nAn option or a combination of options.\n"
    ".TP\n.B 3\nThe content of an input file.\n"
    ".TP\n.B 128+n\nEnded by signal n after the work was saved.\n"
    ".PP\n"
    "The last line on standard error names the cause.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B HEED_ISA\n"
    "The instruction set of the inner loops: plain, sse2, avx2, avx512 or avx512bf16. Without it "
    "the best "
    "that\n"
    "the processor has is taken.\n"
    ".TP\n.B NO_COLOR\nWhen set and not empty, nothing is coloured.\n"
    ".SH SEE ALSO\n"
    "The header \\fIheed.h\\fR describes the same as a C library.\n";

Status manual_page(const Command *const *commands, Buffer *out, Error *err)
{
    TRY(buffer_add_text(out, HEAD, err));
    for (const Command *const *c = commands; *c != NULL; c++) {
        TRY(add_command(*c, out, err));
    }
    return buffer_add_text(out, TAIL, err);
}

/* Lines to translate, a window at a time: of a file, or the words of the command line.
 *
 * Very long lines come in chunks of at most SOURCE_CHUNK_BYTES, so that memory stays bounded; a chunk
 * ends behind a blank where there is one in its second half. What a line has beyond SOURCE_MAX_BYTES
 * is read and left out, so that time stays bounded too; such lines are counted.
 *
 * Threads: a LineSource belongs to one thread. */
#ifndef HEED_CLI_LINE_SOURCE_H
#define HEED_CLI_LINE_SOURCE_H

#include "base/buffer.h"
#include "decode/translator.h"
#include "text/lines.h"

enum { SOURCE_CHUNK_BYTES = 1 << 15, SOURCE_WINDOW_BYTES = 1 << 18, SOURCE_MAX_BYTES = 1 << 20 };

/* What is to be known of a line of the window beside its text. */
typedef struct SourceMark {
    int continues;    /* the line before is the beginning of this one */
    int is_continued; /* the line goes on behind this one */
    int has_blank;    /* a blank came before, at the cut */
} SourceMark;

typedef struct LineSource {
    const char *const *texts; /* operands, when there is no reader */
    int n_texts, at_text;
    LineReader *reader;
    int has_prefix;       /* a line is source, tab, beginning of the translation */
    Line line;            /* the one under way; its text is what is left of it */
    int is_inside;        /* there is something left of it */
    Buffer kept;          /* the beginning of a line that is read on to its end */
    long n_cut;           /* lines of more than SOURCE_MAX_BYTES */
    SourceMark mark;      /* of the next chunk */
    long id;              /* of the next line */
    Buffer text;          /* of the window */
    size_t *offsets;      /* [cap] */
    TranslateLine *lines; /* [cap]: the window */
    SourceMark *marks;    /* [cap] */
    long n, cap;
} LineSource;

/* path NULL: the texts. An empty file is no line. */
Status line_source_open(LineSource *source, const char *path, const char *const *texts, int n_texts,
                        int has_prefix, Error *err) MUST_USE;
void line_source_close(LineSource *source);

/* How much of the input has been handed out, 0 .. 1; -1 when that is not known. */
double line_source_fraction(const LineSource *source);

/* Fills source->lines and marks with up to `most` lines; source->n is 0 at the end. They live until
 * the next call. */
Status line_source_read(LineSource *source, long most, Error *err) MUST_USE;

#endif

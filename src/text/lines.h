/* Lines: of a file, of an array, of anything that yields them one by one.
 *
 * Only LF ends a line; a CR before it goes. The last line needs no LF. A byte order mark at the
 * start of a file is dropped. NUL and malformed bytes are text. A file that begins with gzip's
 * magic is inflated on the way (several members too). Memory is bounded: a line of more than
 * LINE_MAX_BYTES comes in parts, cut where a code point begins. A line that has not ended after
 * LINE_ENDLESS_BYTES is refused: it is no text, and may have no end (/dev/zero).
 *
 * Threads: a LineReader belongs to one thread at a time. */
#ifndef HEED_TEXT_LINES_H
#define HEED_TEXT_LINES_H

#include <stddef.h>

#include "base/progress.h"
#include "base/status.h"

enum { LINE_MAX_BYTES = 4 << 20, LINE_ENDLESS_BYTES = 1 << 28 };

/* Any source of lines: next yields a line that lives until the call after it, *line NULL at the
 * end, and tells progress of the reading itself. */
typedef struct Lines {
    Status (*next)(void *context, const char **line, size_t *len, Error *err);
    void *context;
    const Progress *progress; /* whoever works on what it has read tells it; may be NULL */
} Lines;

/* The lines of an array; `at` is where to go on, 0 at first. */
typedef struct LineArray {
    const char *const *text;
    const size_t *lens;
    long n, at;
} LineArray;
Lines lines_of_array(LineArray *array);

typedef struct Line {
    const char *text; /* NULL at the end of the file; no NUL behind it */
    size_t len;
    long number;      /* from 1; all parts of a line have the same */
    int is_continued; /* the next call yields a further part of this line */
} Line;

typedef struct LineReader LineReader;

/* Opens a file, or standard input for "-". */
Status lines_open(LineReader **out, const char *path, Error *err) MUST_USE;

/* The line lives until the next call. ERR_FORMAT when gzip data is damaged or ends too early, or a
 * line does not end. */
Status lines_next(LineReader *reader, Line *line, Error *err) MUST_USE;

/* How much of the file has been handed out, 0 .. 1; -1 when its size is not known (a pipe). */
double lines_fraction(const LineReader *reader);

/* The name for messages: the path, or "standard input". */
const char *lines_path(const LineReader *reader);

/* True when the file begins with the byte order mark of UTF-16 (known after the first line was
 * read). Its lines are malformed UTF-8; a sentence to the user is in order. */
int lines_is_utf16(const LineReader *reader);

/* What the file looks like when that is certainly no text, as "a PNG picture", else NULL; and the
 * same for whatever kind is known, as "HTML". Known after the first line was read. */
const char *lines_binary(const LineReader *reader);
const char *lines_look(const LineReader *reader);

void lines_close(LineReader *reader);

#endif

/* The record (text/dump.h) of a translation, from the pieces and the hypotheses of the parts of its
 * line.
 *
 * A line that was divided has one hypothesis a part. Their matrices stand as blocks on the diagonal
 * of one matrix:
 *
 *              part 1   part 2  </s>        The end tokens between the parts are left out: their
 *     part 1    a a a    0 0     e          columns' weight goes to the last column, their rows
 *     part 2    0 0 0    a a     a          are dropped, their log-probability goes to the token
 *     </s>      0 0 0    a a     a          behind them.
 *
 * Threads: the functions share nothing; results live in the arena, the text in the caller's buffer.
 */
#ifndef HEED_DECODE_RECORD_H
#define HEED_DECODE_RECORD_H

#include "decode/beam.h"
#include "text/dump.h"
#include "text/tokenizer.h"

/* The source pieces first .. first + n - 1 of a line and what they became. */
typedef struct RecordPart {
    int first, n;
    const Hypothesis *hypothesis;
} RecordPart;

/* Where the raw source word of an unknown target word is looked up; find may be NULL: the word
 * itself is taken. find returns NULL for a word that it does not have. */
typedef struct RecordUnknown {
    int is_replaced;
    const char *(*find)(void *context, const char *word, size_t len, size_t *len_found);
    void *context;
} RecordUnknown;

typedef struct RecordLine {
    const Tokenizer *source, *target;
    const char *text; /* the raw line */
    size_t len;
    const int *ids;        /* of its pieces */
    const int (*spans)[2]; /* of its pieces */
    const RecordPart *parts;
    int n_parts; /* 0: a blank line */
    double alpha;
    RecordUnknown unknown; /* needs attention */
    int has_tokens;        /* tokens, spans and attention are wanted, else text and scores alone */
} RecordLine;

/* The most numbers a matrix may have when a line was divided. */
enum { RECORD_MAX_CELLS = 1 << 22 };

/* How many numbers the matrix of the line has. */
double record_cells(const RecordLine *line);

/* Fills all but id and rank. The output's text is put into *text (replaced), to which out points.
 * Without attention in the hypotheses the record has none (NULL). */
Status record_build(Dump *out, const RecordLine *line, Buffer *text, Arena *arena,
                    Error *err) MUST_USE;

/* The line that part i alone is, spans from its own beginning; for lines whose matrix would be too
 * large. shifted [n of the part] and part are where its spans and its part go. */
RecordLine record_part_line(const RecordLine *line, int i, int (*shifted)[2], RecordPart *part);

#endif

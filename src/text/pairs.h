/* Pairs of lines, one by one: of a TSV (source, tab, target, further columns ignored) or of two
 * files with a line each. Files are read as text/lines.h says. A blank line of a TSV is a pair of
 * two empty sides; any other line without a tab is refused.
 *
 * Threads: a PairReader belongs to one thread at a time. */
#ifndef HEED_TEXT_PAIRS_H
#define HEED_TEXT_PAIRS_H

#include <stddef.h>

#include "base/status.h"

enum { SIDE_SOURCE = 0, SIDE_TARGET = 1, N_SIDES = 2 };

typedef struct PairLine {
    const char *text[N_SIDES]; /* both NULL at the end */
    size_t len[N_SIDES];
    long number; /* of the line, from 1 */
    int is_cut;  /* a line of more than LINE_MAX_BYTES lost its end */
} PairLine;

typedef struct PairReader PairReader;

Status pairs_open_tsv(PairReader **out, const char *path, Error *err) MUST_USE;
/* ERR_ARG when both are standard input. */
Status pairs_open_files(PairReader **out, const char *source_path, const char *target_path,
                        Error *err) MUST_USE;

/* The pair lives until the next call. ERR_FORMAT for a line without a tab, and when one file ends
 * before the other: the sentence has both counts. */
Status pairs_next(PairReader *reader, PairLine *pair, Error *err) MUST_USE;

/* "corpus.tsv", or "corpus.de and corpus.en". */
const char *pairs_name(const PairReader *reader);

/* How much of the source's file has been handed out; lines_fraction. */
double pairs_fraction(const PairReader *reader);

/* True when a file turned out to be UTF-16. */
int pairs_is_utf16(const PairReader *reader);

/* What a file looks like that is certainly no text (lines_binary), its name in *path; else NULL. */
const char *pairs_binary(const PairReader *reader, const char **path);

void pairs_close(PairReader *reader);

#endif

/* Pairs to score or align, a window at a time: of a TSV or of two files, of an n-best list with its
 * sources, or of a dump of pieces.
 *
 * Threads: a PairSource belongs to one thread. */
#ifndef HEED_CLI_PAIR_SOURCE_H
#define HEED_CLI_PAIR_SOURCE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "decode/rescore.h"
#include "text/lines.h"
#include "text/pairs.h"

enum { PAIR_WINDOW_BYTES = 1 << 16 };

/* What the command line names; all but one of tsv, source with target, nbest with source, and dump
 * are NULL. */
typedef struct PairPaths {
    const char *tsv, *source, *target, *nbest, *dump;
} PairPaths;

typedef struct PairSource {
    PairReader *reader;
    LineReader *list;    /* the n-best list or the dump */
    LineReader *sources; /* of the n-best list */
    int is_dump;
    Buffer source;           /* the line of the n-best list's last entry */
    long source_id, last_id; /* of that line, -1 at first; of the last entry */
    int rank;
    Buffer text; /* of the window */
    size_t (*offsets)[2];
    Buffer json;
    Arena *arena; /* the dumps of the window */
    Dump *dumps;
    RescorePair *pairs; /* the window */
    int n;
    long id;    /* of the next pair */
    long n_cut; /* lines that lost their end when they were read */
} PairSource;

/* ERR_ARG names what is missing or too much. */
Status pair_source_open(PairSource *source, const PairPaths *paths, Error *err) MUST_USE;
void pair_source_close(PairSource *source);

/* How much of the input has been handed out, 0 .. 1; -1 when that is not known. */
double pair_source_fraction(const PairSource *source);

/* Fills source->pairs with up to RESCORE_WINDOW pairs; source->n is 0 at the end. They live until
 * the next call. */
Status pair_source_read(PairSource *source, Error *err) MUST_USE;

#endif

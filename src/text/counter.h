/* Counts of texts (words, characters), in bounded memory.
 *
 * When more than max_types different texts, or more than max_bytes of them, are held, the rarest
 * are forgotten: first those seen once, then twice, and so on until at most half remain. A text
 * that is forgotten starts again from 0, so counts are short by at most n_lost.
 *
 * Threads: a Counter belongs to one thread. */
#ifndef HEED_TEXT_COUNTER_H
#define HEED_TEXT_COUNTER_H

#include "text/piece_table.h"

typedef struct Counter {
    PieceTable texts; /* number i has been seen counts[i] times */
    long *counts;
    int cap;
    int max_types;    /* 0: no bound */
    size_t max_bytes; /* 0: no bound */
    long n_lost;      /* what a count may be short by; 0 while nothing was forgotten */
} Counter;

Status counter_add(Counter *counter, const char *bytes, size_t len, long n, Error *err) MUST_USE;

/* Numbers of the texts with at least min_count, most frequent first, ties by bytes; the caller
 * frees *order with mem_free. */
Status counter_order(const Counter *counter, int **order, int *n, long min_count,
                     Error *err) MUST_USE;

void counter_free(Counter *counter);

#endif

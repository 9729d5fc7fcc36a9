/* Counts of texts (words, characters), in bounded memory.
 *
 * When more than max_types different texts, or more than max_bytes of them, are held, the rarest
 * are forgotten: the floor rises until at most half remain. What is lost that way was seen at most
 * `floor` times since, so frequent texts keep counts that are short by at most `floor`.
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
    long floor;       /* 0 while nothing was forgotten */
} Counter;

Status counter_add(Counter *counter, const char *bytes, size_t len, long n, Error *err) MUST_USE;

/* Numbers of the texts with at least min_count, most frequent first, ties by bytes; the caller
 * frees *order with mem_free. */
Status counter_order(const Counter *counter, int **order, int *n, long min_count,
                     Error *err) MUST_USE;

void counter_free(Counter *counter);

#endif

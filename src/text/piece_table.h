/* Pieces of text numbered from 0, found by their bytes.
 *
 * All texts stand one after the other in one pool; a hash table finds them. Numbers are given in
 * the order of adding.
 *
 * Threads: reading from many at once; adding from one. */
#ifndef HEED_TEXT_PIECE_TABLE_H
#define HEED_TEXT_PIECE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct PieceTable {
    char *text;
    size_t len_text, cap_text;
    uint32_t *offsets; /* n + 1 of them */
    int n, cap;
    int32_t *slots; /* number of a piece + 1, 0 when free */
    size_t n_slots;
} PieceTable;

uint64_t piece_hash(const char *bytes, size_t len);

/* The number of the piece, or -1. */
int piece_find(const PieceTable *table, const char *bytes, size_t len);

/* Adds a piece (or finds it) and yields its number. The texts together may have 2^32 - 1 bytes. */
Status piece_add(PieceTable *table, int *number, const char *bytes, size_t len,
                 Error *err) MUST_USE;

const char *piece_text(const PieceTable *table, int number, size_t *len);

/* Forgets the pieces and keeps the memory. */
void piece_clear(PieceTable *table);
void piece_table_free(PieceTable *table);

#endif

/* An arena: activations of one batch, taken one after another and released all at once.
 *
 *     block 0: [used ........ free]   block 1: [used ..free]   ...
 *
 * Blocks are kept over a reset and joined into one at the next reset, so that after the first few
 * batches no memory is asked for any more.
 *
 * Threads: an arena belongs to one thread at a time. */
#ifndef HEED_BASE_ARENA_H
#define HEED_BASE_ARENA_H

#include <stddef.h>

#include "base/status.h"

typedef struct Arena Arena;

/* max_bytes bounds what the arena may ever hold; 0 means no bound. */
Status arena_create(Arena **out, size_t max_bytes, Error *err) MUST_USE;
void arena_free(Arena *arena);

/* Returns count * size bytes through out, 64-byte aligned, content undefined; they live until the
 * next reset. ERR_NOMEM when memory is refused, the product overflows or the bound is passed. */
Status arena_alloc(Arena *arena, void **out, size_t count, size_t size, Error *err) MUST_USE;

void arena_reset(Arena *arena);

/* An arena for each of n workers; arenas_free accepts one of zeros. */
typedef struct Arenas {
    Arena **v;
    int n;
} Arenas;

Status arenas_create(Arenas *out, int n, Error *err) MUST_USE;
void arenas_free(Arenas *arenas);
void arenas_reset(Arenas *arenas);

/* Bytes handed out since the last reset, and bytes the arena holds. */
size_t arena_used(const Arena *arena);
size_t arena_held(const Arena *arena);

#endif

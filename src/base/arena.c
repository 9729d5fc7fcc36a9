/* Arena of blocks; see the header. */
#include "base/arena.h"

#include <stdint.h>

#include "base/mem.h"

typedef struct Block {
    struct Block *next;
    size_t size, used;
    char *bytes;
} Block;

struct Arena {
    Block *blocks;                      /* the newest first */
    size_t max_bytes, held, used, peak; /* peak: the most that was used between two resets */
    int n_joined;                       /* how often several blocks became one */
};

enum { ARENA_MIN_BLOCK = 1 << 16 };

Status arena_create(Arena **out, size_t max_bytes, Error *err)
{
    Arena *arena = mem_zero_alloc(1, sizeof *arena);
    if (arena == NULL) {
        return mem_fail(err, "an arena", 1, sizeof *arena);
    }
    arena->max_bytes = max_bytes == 0 ? SIZE_MAX : max_bytes;
    *out = arena;
    return OK;
}

static void free_blocks(Arena *arena)
{
    while (arena->blocks != NULL) {
        Block *block = arena->blocks;
        arena->blocks = block->next;
        mem_free(block->bytes);
        mem_free(block);
    }
    arena->held = 0;
}

void arena_free(Arena *arena)
{
    if (arena != NULL) {
        free_blocks(arena);
        mem_free(arena);
    }
}

static Status add_block(Arena *arena, size_t size, Error *err)
{
    if (size > arena->max_bytes - arena->held) {
        return fail(err, ERR_NOMEM, "a batch needs more than %zu bytes of activations",
                    arena->max_bytes);
    }
    Block *block = mem_alloc(1, sizeof *block);
    char *bytes = mem_alloc_block(size, 1);
    if (block == NULL || bytes == NULL) {
        mem_free(block);
        mem_free(bytes);
        return mem_fail(err, "the activations of a batch", size, 1);
    }
    *block = (Block){.next = arena->blocks, .size = size, .used = 0, .bytes = bytes};
    arena->blocks = block;
    arena->held += size;
    return OK;
}

Status arena_alloc(Arena *arena, void **out, size_t count, size_t size, Error *err)
{
    size_t bytes = mem_times(count, size);
    if (bytes > SIZE_MAX - MEM_ALIGNMENT) {
        return mem_fail(err, "the activations of a batch", count, size);
    }
    bytes = (bytes + MEM_ALIGNMENT - 1) / MEM_ALIGNMENT * MEM_ALIGNMENT;
    if (arena->blocks == NULL || arena->blocks->size - arena->blocks->used < bytes) {
        size_t wanted = arena->held / 4 < ARENA_MIN_BLOCK ? ARENA_MIN_BLOCK : arena->held / 4;
        wanted = wanted > arena->max_bytes - arena->held ? arena->max_bytes - arena->held : wanted;
        TRY(add_block(arena, bytes > wanted ? bytes : wanted, err));
    }
    *out = arena->blocks->bytes + arena->blocks->used;
    arena->blocks->used += bytes;
    arena->used += bytes;
    return OK;
}

void arena_reset(Arena *arena)
{
    arena->peak = arena->used > arena->peak ? arena->used : arena->peak;
    arena->used = 0;
    if (arena->blocks == NULL) {
        return;
    }
    if (arena->blocks->next == NULL) {
        arena->blocks->used = 0;
        return;
    }
    free_blocks(arena);
    /* What outgrew its one block will do so again, and fresh memory is slow: a quarter to spare. */
    const size_t spare = arena->n_joined++ == 0 ? 0 : arena->peak / 4;
    const size_t room = arena->max_bytes - arena->peak;
    const size_t size = arena->peak + (spare < room ? spare : room);
    /* When memory is refused here the next arena_alloc asks again and reports it. */
    if (add_block(arena, size, NULL) != OK) {
        arena->held = 0;
    }
}

size_t arena_used(const Arena *arena)
{
    return arena->used;
}

size_t arena_held(const Arena *arena)
{
    return arena->held;
}

Status arenas_create(Arenas *out, int n, Error *err)
{
    Arenas a = {.v = mem_zero_alloc((size_t)n, sizeof *a.v)};
    if (a.v == NULL) {
        return mem_fail(err, "the arenas of workers", (size_t)n, sizeof *a.v);
    }
    for (; a.n < n; a.n++) {
        const Status status = arena_create(&a.v[a.n], 0, err);
        if (status != OK) {
            arenas_free(&a);
            return status;
        }
    }
    *out = a;
    return OK;
}

void arenas_free(Arenas *arenas)
{
    for (int i = 0; i < arenas->n; i++) {
        arena_free(arenas->v[i]);
    }
    mem_free(arenas->v);
    *arenas = (Arenas){0};
}

void arenas_reset(Arenas *arenas)
{
    for (int i = 0; i < arenas->n; i++) {
        arena_reset(arenas->v[i]);
    }
}

/* The packed order; see the header. */
#include "model/packing.h"

#include <assert.h>

#include "base/mem.h"

Status packing_create(Packing *out, const int *length, int B, Arena *arena, Error *err)
{
    assert(B >= 1);
    Packing p = {.B = B, .T = length[0], .length = length};
    void *active, *offset;
    TRY(arena_alloc(arena, &active, (size_t)p.T, sizeof(int), err));
    TRY(arena_alloc(arena, &offset, (size_t)p.T + 1, sizeof(int), err));
    p.active = active;
    p.offset = offset;
    int n = B;
    for (int t = 0; t < p.T; t++) {
        while (length[n - 1] <= t) {
            n--;
        }
        assert(n == B || length[n] <= length[n - 1]);
        p.active[t] = n;
        p.offset[t] = p.N;
        p.N += n;
    }
    p.offset[p.T] = p.N;
    *out = p;
    return OK;
}

Status packing_positions(int **out, const Packing *p, Arena *arena, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, mem_times((size_t)p->B, (size_t)p->T), sizeof(int), err));
    int *position = block;
    for (int b = 0; b < p->B; b++) {
        for (int t = 0; t < p->T; t++) {
            position[b * p->T + t] = t < p->length[b] ? packing_row(p, t, b) : 0;
        }
    }
    *out = position;
    return OK;
}

/* The different words of a batch; see the header. */
#include "model/distinct.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

static Status take(int **out, Arena *arena, size_t count, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, sizeof **out, err));
    *out = block;
    return OK;
}

Status distinct_create(Distinct *out, const int *ids, int N, Arena *arena, Error *err)
{
    Distinct d = {0};
    int *slots; /* open addressing: 1 + a place in d.ids, 0 for none; at most half full */
    size_t n_slots = 16;
    while (n_slots < 2 * (size_t)N) {
        n_slots *= 2;
    }
    TRY(take(&d.ids, arena, (size_t)N, err));
    TRY(take(&d.row, arena, (size_t)N, err));
    TRY(take(&slots, arena, n_slots, err));
    memset(slots, 0, n_slots * sizeof *slots);
    for (int i = 0; i < N; i++) {
        assert(ids[i] >= 0);
        size_t at = ((uint32_t)ids[i] * 0x9e3779b1u >> 7) & (n_slots - 1);
        while (slots[at] != 0 && d.ids[slots[at] - 1] != ids[i]) {
            at = (at + 1) & (n_slots - 1);
        }
        if (slots[at] == 0) {
            d.ids[d.n] = ids[i];
            slots[at] = ++d.n;
        }
        d.row[i] = slots[at] - 1;
    }
    *out = d;
    return OK;
}

/* Batches; see the header. */
#include "model/batch.h"

#include <assert.h>

#include "base/mem.h"

static Status alloc_ints(int **out, size_t n, Arena *arena, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, n, sizeof(int), err));
    *out = block;
    return OK;
}

static Status check_ids(const int *ids, int n, int vocab, const char *side, Error *err)
{
    for (int i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= vocab) {
            return fail(err, ERR_ARG, "%s piece %d: must be between 0 and %d", side, ids[i],
                        vocab - 1);
        }
    }
    return OK;
}

/* order [n] becomes 0 .. n-1, sorted by length, longest first; equal lengths keep their order (a
 * merge sort would do, but batches are small and nearly sorted: insertion). */
static void sort_by_length(int *order, const int *length, int n)
{
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && length[order[at - 1]] < length[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* Sorts one side: order [n] and the lengths [n] in that order, the end token counted. */
static Status sort_side(int **order, int **length, const IdPair *pairs, int n, int is_target,
                        Arena *arena, Error *err)
{
    int *unsorted;
    TRY(alloc_ints(&unsorted, (size_t)n, arena, err));
    TRY(alloc_ints(order, (size_t)n, arena, err));
    TRY(alloc_ints(length, (size_t)n, arena, err));
    for (int i = 0; i < n; i++) {
        unsorted[i] = 1 + (is_target ? pairs[i].n_target : pairs[i].n_source);
    }
    sort_by_length(*order, unsorted, n);
    for (int i = 0; i < n; i++) {
        (*length)[i] = unsorted[(*order)[i]];
    }
    return OK;
}

static Status pack_source(Batch *b, const IdPair *pairs, int n, Arena *arena, Error *err)
{
    int *order, *length, *ids, *position;
    TRY(sort_side(&order, &length, pairs, n, 0, arena, err));
    TRY(packing_create(&b->source, length, n, arena, err));
    TRY(packing_positions(&position, &b->source, arena, err));
    TRY(alloc_ints(&ids, (size_t)b->source.N, arena, err));
    for (int r = 0; r < n; r++) {
        const IdPair *p = &pairs[order[r]];
        for (int t = 0; t <= p->n_source; t++) {
            ids[packing_row(&b->source, t, r)] = t < p->n_source ? p->source[t] : ID_END;
        }
    }
    b->source_ids = ids;
    b->position = position;
    b->source_pair = order;
    return OK;
}

static Status pack_target(Batch *b, const IdPair *pairs, int n, Arena *arena, Error *err)
{
    int *order, *length, *input, *output, *sentence, *source_row;
    TRY(sort_side(&order, &length, pairs, n, 1, arena, err));
    TRY(packing_create(&b->target, length, n, arena, err));
    TRY(alloc_ints(&input, (size_t)b->target.N, arena, err));
    TRY(alloc_ints(&output, (size_t)b->target.N, arena, err));
    TRY(alloc_ints(&sentence, (size_t)n, arena, err));
    TRY(alloc_ints(&source_row, (size_t)n, arena, err));
    for (int r = 0; r < n; r++) {
        source_row[b->source_pair[r]] = r;
    }
    for (int r = 0; r < n; r++) {
        const IdPair *p = &pairs[order[r]];
        sentence[r] = source_row[order[r]];
        for (int t = 0; t <= p->n_target; t++) {
            const int row = packing_row(&b->target, t, r);
            input[row] = t == 0 ? ID_BEGIN : p->target[t - 1];
            output[row] = t < p->n_target ? p->target[t] : ID_END;
        }
    }
    b->input_ids = input;
    b->output_ids = output;
    b->sentence = sentence;
    b->target_pair = order;
    return OK;
}

Status batch_create(Batch *out, const IdPair *pairs, int n, int source_vocab, int target_vocab,
                    Arena *arena, Error *err)
{
    assert(n >= 1);
    Batch b = {0};
    const int has_target = pairs[0].target != NULL;
    for (int i = 0; i < n; i++) {
        assert((pairs[i].target != NULL) == has_target);
        TRY(check_ids(pairs[i].source, pairs[i].n_source, source_vocab, "source", err));
        TRY(check_ids(pairs[i].target, has_target ? pairs[i].n_target : 0, target_vocab, "target",
                      err));
    }
    TRY(pack_source(&b, pairs, n, arena, err));
    if (has_target) {
        TRY(pack_target(&b, pairs, n, arena, err));
    }
    *out = b;
    return OK;
}

/* Two directions of links; see the header. */
#include "decode/symmetry.h"

#include <string.h>

#include "base/mem.h"

/* Cells [n_target][n_source]. */
enum { IN_FORWARD = 1, IN_BACKWARD = 2, IS_CHOSEN = 4 };

typedef struct Grid {
    unsigned char *cells;
    unsigned char *has_source, *has_target; /* the word has a link */
    int n_source, n_target;
} Grid;

static Status take(void *out, Arena *arena, size_t count, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, 1, err));
    memset(block, 0, count);
    memcpy(out, &block, sizeof block);
    return OK;
}

static unsigned char *cell(const Grid *g, int source, int target)
{
    return &g->cells[(size_t)target * (size_t)g->n_source + (size_t)source];
}

static Status grid_create(Grid *g, const Links *forward, const Links *backward, int n_source,
                          int n_target, Arena *arena, Error *err)
{
    *g = (Grid){.n_source = n_source, .n_target = n_target};
    TRY(take(&g->cells, arena, mem_times((size_t)n_source, (size_t)n_target), err));
    TRY(take(&g->has_source, arena, (size_t)n_source, err));
    TRY(take(&g->has_target, arena, (size_t)n_target, err));
    for (int i = 0; i < forward->n; i++) {
        *cell(g, forward->v[i].source, forward->v[i].target) |= IN_FORWARD;
    }
    for (int i = 0; i < backward->n; i++) {
        *cell(g, backward->v[i].source, backward->v[i].target) |= IN_BACKWARD;
    }
    return OK;
}

static void choose(Grid *g, int source, int target)
{
    *cell(g, source, target) |= IS_CHOSEN;
    g->has_source[source] = 1;
    g->has_target[target] = 1;
}

/* Chooses every cell that has all of (or any of) the marks. */
static void choose_marked(Grid *g, int marks, int needs_all)
{
    for (int t = 0; t < g->n_target; t++) {
        for (int s = 0; s < g->n_source; s++) {
            const int found = *cell(g, s, t) & marks;
            if (needs_all ? found == marks : found != 0) {
                choose(g, s, t);
            }
        }
    }
}

/* Adds the neighbours of a chosen cell; true when there was one to add. */
static int grow_from(Grid *g, int source, int target)
{
    static const int AROUND[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                     {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    int has_grown = 0;
    for (int k = 0; k < 8; k++) {
        const int s = source + AROUND[k][0], t = target + AROUND[k][1];
        if (s < 0 || t < 0 || s >= g->n_source || t >= g->n_target) {
            continue;
        }
        const int found = *cell(g, s, t);
        if (found != 0 && (found & IS_CHOSEN) == 0 && (!g->has_source[s] || !g->has_target[t])) {
            choose(g, s, t);
            has_grown = 1;
        }
    }
    return has_grown;
}

static void grow_diagonally(Grid *g)
{
    int has_grown;
    do {
        has_grown = 0;
        for (int t = 0; t < g->n_target; t++) {
            for (int s = 0; s < g->n_source; s++) {
                if (*cell(g, s, t) & IS_CHOSEN) {
                    has_grown |= grow_from(g, s, t);
                }
            }
        }
    } while (has_grown);
}

/* Adds the links of a direction between two words without any. */
static void finish(Grid *g, int direction)
{
    for (int t = 0; t < g->n_target; t++) {
        for (int s = 0; s < g->n_source; s++) {
            if ((*cell(g, s, t) & direction) && !g->has_source[s] && !g->has_target[t]) {
                choose(g, s, t);
            }
        }
    }
}

static Status read_chosen(Links *out, const Grid *g, Arena *arena, Error *err)
{
    int n = 0;
    for (size_t i = 0; i < (size_t)g->n_source * (size_t)g->n_target; i++) {
        n += (g->cells[i] & IS_CHOSEN) != 0;
    }
    DumpLink *links;
    TRY(take(&links, arena, mem_times((size_t)n, sizeof *links), err));
    *out = (Links){.v = links};
    for (int s = 0; s < g->n_source; s++) {
        for (int t = 0; t < g->n_target; t++) {
            if (*cell(g, s, t) & IS_CHOSEN) {
                links[out->n++] = (DumpLink){s, t};
            }
        }
    }
    return OK;
}

Status symmetry_join(Links *out, const Links *forward, const Links *backward, int n_source,
                     int n_target, Symmetry symmetry, Arena *arena, Error *err)
{
    Grid g;
    TRY(grid_create(&g, forward, backward, n_source, n_target, arena, err));
    choose_marked(&g, IN_FORWARD | IN_BACKWARD, symmetry != SYMMETRY_UNION);
    if (symmetry == SYMMETRY_GROW_DIAG || symmetry == SYMMETRY_GROW_DIAG_FINAL_AND) {
        grow_diagonally(&g);
    }
    if (symmetry == SYMMETRY_GROW_DIAG_FINAL_AND) {
        finish(&g, IN_FORWARD);
        finish(&g, IN_BACKWARD);
    }
    return read_chosen(out, &g, arena, err);
}

/* Gradients of parameters; see the header. */
#include "nn/gradients.h"

#include <assert.h>

#include "math/vec.h"

static void add_note(Gradients *g, GradientNote note)
{
    assert(g->n < GRADIENT_NOTES_MAX);
    g->notes[g->n++] = note;
}

void gradients_note_product(Gradients *g, const Weights *W, const Param *bias, Mat dy, Mat x)
{
    assert(dy.rows == x.rows && dy.cols == W->param->val.rows && x.cols == W->cols);
    add_note(g, (GradientNote){.matrix = W->param,
                               .vector = bias,
                               .first = W->first,
                               .dy = dy,
                               .x = x,
                               .is_bfloat16 = W->forward.kind == PACKED_BFLOAT16});
}

void gradients_note_vector(Gradients *g, const Param *bias, Mat dy)
{
    assert(dy.cols == bias->val.cols);
    add_note(g, (GradientNote){.vector = bias, .dy = dy});
}

void gradients_note_rows(Gradients *g, const Param *table, const int *ids, Mat dx)
{
    assert(dx.cols == table->val.cols);
    add_note(g, (GradientNote){.matrix = table, .dy = dx, .ids = ids});
}

int gradients_tiles(const ParamList *list, GradientTile *tiles)
{
    int n = 0;
    for (int i = 0; i < list->n; i++) {
        const Param *p = &list->items[i];
        for (int first = 0; first < p->val.rows; first += GRADIENT_TILE_ROWS) {
            const int left = p->val.rows - first;
            if (tiles != NULL) {
                tiles[n] =
                    (GradientTile){p, first, left < GRADIENT_TILE_ROWS ? left : GRADIENT_TILE_ROWS};
            }
            n++;
        }
    }
    return n;
}

static void add_rows(const GradientTile *tile, const GradientNote *note)
{
    const VecOps *ops = vec_ops();
    for (int i = 0; i < note->dy.rows; i++) {
        const int id = note->ids[i];
        if (id >= tile->first && id < tile->first + tile->rows) {
            ops->add(mat_row(tile->param->grad, id), mat_row(note->dy, i), note->dy.cols);
        }
    }
}

static void add_column_sums(Mat grad, Mat dy)
{
    for (int i = 0; i < dy.rows; i++) {
        vec_ops()->add(grad.v, mat_row(dy, i), dy.cols);
    }
}

static void add_note_to_tile(const GradientTile *tile, const GradientNote *note)
{
    if (note->matrix == tile->param) {
        if (note->ids != NULL) {
            add_rows(tile, note);
        } else {
            const Mat grad = mat_cols(mat_rows(tile->param->grad, tile->first, tile->rows),
                                      note->first, note->x.cols);
            const Mat dy = mat_cols(note->dy, tile->first, tile->rows);
            if (note->is_bfloat16) {
                gemm_tn_bfloat16(grad, dy, note->x);
            } else {
                gemm_tn(grad, dy, note->x);
            }
        }
    }
    if (note->vector == tile->param) {
        add_column_sums(tile->param->grad, note->dy);
    }
}

void gradients_form(const GradientTile *tile, const Gradients *const *lists, int n_lists)
{
    for (int l = 0; l < n_lists; l++) {
        for (int i = 0; i < lists[l]->n; i++) {
            add_note_to_tile(tile, &lists[l]->notes[i]);
        }
    }
}

void gradients_form_all(const ParamList *list, const Gradients *g)
{
    for (int i = 0; i < list->n; i++) {
        const Param *p = &list->items[i];
        gradients_form(&(GradientTile){p, 0, p->val.rows}, &g, 1);
    }
}

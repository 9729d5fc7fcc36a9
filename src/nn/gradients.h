/* Gradients of parameters, formed after the backward pass.
 *
 * While a shard of a batch runs backward, each module notes what its parameters' gradients consist
 * of: a product dY^T X over all time steps, rows of an embedding, or a finished vector. When all
 * shards are done, gradients_form adds the noted parts to one tile of one tensor, in the order
 * shards and notes have; tiles are independent of each other and of the number of threads.
 *
 * The noted matrices must stay alive until then. Threads: a Gradients list belongs to its shard's
 * worker while it is filled, and is read by all afterwards. */
#ifndef HEED_NN_GRADIENTS_H
#define HEED_NN_GRADIENTS_H

#include "nn/param.h"

enum { GRADIENT_NOTES_MAX = 512, GRADIENT_TILE_ROWS = 256 };

typedef struct GradientNote {
    const Param *matrix, *vector; /* the tensors it adds to; either may be NULL */
    int first;                    /* first column in matrix */
    Mat dy, x;                    /* matrix[:, first ..] += dy^T x;  vector += column sums of dy */
    int is_bfloat16;              /* the product is of rounded factors */
    const int *ids;               /* embedding: matrix[ids[i]] += dy_i, for ids[i] >= 0 */
} GradientNote;

typedef struct Gradients {
    GradientNote notes[GRADIENT_NOTES_MAX];
    int n;
} Gradients;

/* Notes W.grad += dy^T x and bias.grad += column sums of dy. bias may be NULL. */
void gradients_note_product(Gradients *g, const Weights *W, const Param *bias, Mat dy, Mat x);
/* Notes bias.grad += column sums of dy. */
void gradients_note_vector(Gradients *g, const Param *bias, Mat dy);
/* Notes table.grad[ids[i]] += dx_i; ids [dx.rows], a negative one is passed over. */
void gradients_note_rows(Gradients *g, const Param *table, const int *ids, Mat dx);

/* A tile: rows first .. first + rows - 1 of one tensor. */
typedef struct GradientTile {
    const Param *param;
    int first, rows;
} GradientTile;

/* Cuts all tensors of the list into tiles. tiles may be NULL to count them. */
int gradients_tiles(const ParamList *list, GradientTile *tiles);

/* Adds what lists[0 .. n_lists-1] noted to the tile's gradient. */
void gradients_form(const GradientTile *tile, const Gradients *const *lists, int n_lists);

/* All tiles, in the calling thread; what tests and small runs use. */
void gradients_form_all(const ParamList *list, const Gradients *g);

#endif

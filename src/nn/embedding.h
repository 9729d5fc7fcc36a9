/* Embedding: a table of one row per token; x_i = table[id_i]. table [V, E].
 * Capitals: N tokens, E embedding size. */
#ifndef HEED_NN_EMBEDDING_H
#define HEED_NN_EMBEDDING_H

#include "nn/gradients.h"
#include "nn/param.h"

/* x (N, E) is written; ids [N] in 0 .. V-1, a negative id gives a row of zeros (a dropped word). */
void embedding_forward(const Param *table, Mat x, const int *ids);

/* Notes the table's gradient: table.grad[id_i] += dx_i. */
void embedding_backward(const Param *table, Gradients *g, Mat dx, const int *ids);

#endif

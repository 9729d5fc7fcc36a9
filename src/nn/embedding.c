/* Embedding; see the header. */
#include "nn/embedding.h"

#include <assert.h>
#include <string.h>

void embedding_forward(const Param *table, Mat x, const int *ids)
{
    assert(x.cols == table->val.cols);
    const size_t len = (size_t)x.cols * sizeof(real);
    for (int i = 0; i < x.rows; i++) {
        assert(ids[i] < table->val.rows);
        if (ids[i] < 0) {
            memset(mat_row(x, i), 0, len);
        } else {
            param_read_row(mat_row(x, i), table, ids[i]);
        }
    }
}

void embedding_backward(const Param *table, Gradients *g, Mat dx, const int *ids)
{
    gradients_note_rows(g, table, ids, dx);
}

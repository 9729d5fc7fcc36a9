/* Dropout; see the header. */
#include "nn/dropout.h"

#include <assert.h>

#include "math/vec.h"

void dropout_mask(Mat mask, double rate, Rng *rng)
{
    for (int i = 0; i < mask.rows; i++) {
        vec_ops()->dropout_mask(mat_row(mask, i), mask.cols, rate, rng_next(rng));
    }
}

void dropout_apply(Mat x, Mat mask)
{
    if (mask.v == NULL) {
        return;
    }
    assert(x.rows == mask.rows && x.cols == mask.cols);
    for (int i = 0; i < x.rows; i++) {
        vec_ops()->multiply(mat_row(x, i), mat_row(mask, i), x.cols);
    }
}

void dropout_words(int *ids, int n, double rate, Rng *rng)
{
    for (int i = 0; i < n; i++) {
        if (rng_uniform(rng) < rate) {
            ids[i] = -1;
        }
    }
}

/* Dropout; see the header. */
#include "nn/dropout.h"

#include <assert.h>

#include "math/vec.h"

void dropout_mask(Mat mask, double rate, Rng *rng)
{
    /* Each random word serves two units; 32 bits resolve any rate that matters. */
    const uint64_t threshold = (uint64_t)(rate * 4294967296.0);
    const real keep = (real)(1 / (1 - rate));
    for (int i = 0; i < mask.rows; i++) {
        real *row = mat_row(mask, i);
        for (int j = 0; j < mask.cols; j += 2) {
            const uint64_t word = rng_next(rng);
            row[j] = (word & 0xffffffffu) < threshold ? 0 : keep;
            if (j + 1 < mask.cols) {
                row[j + 1] = (word >> 32) < threshold ? 0 : keep;
            }
        }
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

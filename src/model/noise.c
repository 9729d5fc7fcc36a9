/* Dropout of one run; see the header. */
#include "model/noise.h"

#include <string.h>

#include "math/vec.h"

Status noise_mask(Mat *mask, Arena *arena, double rate, int rows, int cols, Noise *noise,
                  Error *err)
{
    if (noise == NULL || rate <= 0) {
        *mask = (Mat){NULL, rows, cols, cols};
        return OK;
    }
    TRY(mat_alloc(mask, arena, rows, cols, err));
    dropout_mask(*mask, rate, &noise->rng);
    return OK;
}

Status noise_words(const int **out, Arena *arena, double rate, const int *ids, int n, Noise *noise,
                   Error *err)
{
    if (noise == NULL || rate <= 0) {
        *out = ids;
        return OK;
    }
    void *copy;
    TRY(arena_alloc(arena, &copy, (size_t)n, sizeof(int), err));
    memcpy(copy, ids, (size_t)n * sizeof(int));
    dropout_words(copy, n, rate, &noise->rng);
    *out = copy;
    return OK;
}

void noise_apply_to_sequences(Mat y, Mat x, Mat mask, const Packing *packing)
{
    if (y.v != x.v) {
        mat_copy(y, x);
    }
    for (int t = 0; t < packing->T; t++) {
        for (int b = 0; b < packing->active[t]; b++) {
            vec_ops()->multiply(mat_row(y, packing_row(packing, t, b)), mat_row(mask, b), y.cols);
        }
    }
}

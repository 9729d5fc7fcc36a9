/* Random matrices; see the header. */
#include "support/random_mat.h"

#include <check.h>
#undef fail

#include "base/mem.h"

Mat zero_mat(int rows, int cols)
{
    real *v = mem_alloc_aligned((size_t)rows * (size_t)cols, sizeof *v);
    ck_assert_ptr_nonnull(v);
    return mat(v, rows, cols);
}

Mat random_mat(int rows, int cols, Rng *rng)
{
    const Mat m = zero_mat(rows, cols);
    for (int i = 0; i < rows * cols; i++) {
        m.v[i] = (real)(0.7 * rng_normal(rng));
    }
    return m;
}

void random_params(ParamList *params, Rng *rng)
{
    Error err;
    ck_assert_int_eq(params_allocate(params, 1, &err), OK);
    for (int i = 0; i < params->n; i++) {
        const Mat m = params->items[i].val;
        for (int j = 0; j < m.rows * m.cols; j++) {
            m.v[j] = (real)(0.5 * rng_normal(rng));
        }
    }
    params_pack(params, NULL);
}

double weighted_sum(Mat m, Mat weights)
{
    double sum = 0;
    for (int i = 0; i < m.rows; i++) {
        for (int j = 0; j < m.cols; j++) {
            sum += (double)mat_row(m, i)[j] * (double)mat_row(weights, i)[j];
        }
    }
    return sum;
}

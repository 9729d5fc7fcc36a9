/* Initial values; see the header. */
#include "nn/init.h"

#include "math/vec.h"

static void fill_uniform(Mat m, double bound, Rng *rng)
{
    for (int i = 0; i < m.rows; i++) {
        for (int j = 0; j < m.cols; j++) {
            mat_row(m, i)[j] = (real)(bound * (2 * rng_uniform(rng) - 1));
        }
    }
}

static void fill_normal(Mat m, double deviation, Rng *rng)
{
    for (int i = 0; i < m.rows; i++) {
        for (int j = 0; j < m.cols; j++) {
            mat_row(m, i)[j] = (real)(deviation * rng_normal(rng));
        }
    }
}

/* Gram-Schmidt over the rows of a normal matrix, twice for accuracy. */
static void fill_orthogonal_square(Mat m, Rng *rng)
{
    const VecOps *ops = vec_ops();
    fill_normal(m, 1, rng);
    for (int i = 0; i < m.rows; i++) {
        real *row = mat_row(m, i);
        for (int pass = 0; pass < 2; pass++) {
            for (int j = 0; j < i; j++) {
                ops->axpy(row, -ops->dot(row, mat_row(m, j), m.cols), mat_row(m, j), m.cols);
            }
        }
        ops->scale(row, 1 / sqrt(ops->dot(row, row, m.cols)), m.cols);
    }
}

void init_values(Mat m, ParamInit init, Rng *rng)
{
    switch (init) {
    case INIT_ZERO:
    case INIT_COUNT:
        mat_zero(m);
        break;
    case INIT_ONE:
        for (int j = 0; j < m.cols; j++) {
            mat_row(m, 0)[j] = 1;
        }
        break;
    case INIT_GLOROT:
        fill_uniform(m, sqrt(6.0 / (m.rows + m.cols)), rng);
        break;
    case INIT_ORTHOGONAL:
        for (int first = 0; first < m.rows; first += m.cols) {
            fill_orthogonal_square(mat_rows(m, first, m.cols), rng);
        }
        break;
    case INIT_EMBEDDING:
        fill_normal(m, 1 / sqrt((double)m.cols), rng);
        break;
    }
}

void params_init(ParamList *list, uint64_t seed)
{
    for (int i = 0; i < list->n; i++) {
        Rng rng = rng_stream(seed, 1, (uint64_t)i);
        init_values(list->items[i].val, list->items[i].init, &rng);
    }
}

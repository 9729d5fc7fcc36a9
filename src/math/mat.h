/* A matrix view: `rows` rows of `cols` numbers, row i at v + i * stride. It owns nothing.
 * An empty view (v == NULL) stands for an argument that nobody needs. */
#ifndef HEED_MATH_MAT_H
#define HEED_MATH_MAT_H

#include <stddef.h>

#include "base/arena.h"
#include "math/real.h"

typedef struct Mat {
    real *v;
    int rows, cols, stride;
} Mat;

static inline Mat mat(real *v, int rows, int cols)
{
    return (Mat){v, rows, cols, cols};
}

static inline real *mat_row(Mat m, int i)
{
    return m.v + (ptrdiff_t)i * m.stride;
}

/* Rows first .. first + n - 1. */
static inline Mat mat_rows(Mat m, int first, int n)
{
    return (Mat){m.v == NULL ? NULL : mat_row(m, first), n, m.cols, m.stride};
}

/* Columns first .. first + n - 1. */
static inline Mat mat_cols(Mat m, int first, int n)
{
    return (Mat){m.v == NULL ? NULL : m.v + first, m.rows, n, m.stride};
}

/* Takes a rows x cols matrix from the arena; the content is undefined (mat_alloc) or 0. */
Status mat_alloc(Mat *out, Arena *arena, int rows, int cols, Error *err) MUST_USE;
Status mat_alloc_zero(Mat *out, Arena *arena, int rows, int cols, Error *err) MUST_USE;

void mat_zero(Mat m);

/* to and from have the same shape and do not overlap. */
void mat_copy(Mat to, Mat from);

/* y += x. */
void mat_add(Mat y, Mat x);

#endif

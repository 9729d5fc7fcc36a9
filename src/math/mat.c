/* Matrix views; see the header. */
#include "math/mat.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "math/vec.h"

Status mat_alloc(Mat *out, Arena *arena, int rows, int cols, Error *err)
{
    void *v;
    TRY(arena_alloc(arena, &v, mem_times((size_t)rows, (size_t)cols), sizeof(real), err));
    *out = mat(v, rows, cols);
    return OK;
}

Status mat_alloc_zero(Mat *out, Arena *arena, int rows, int cols, Error *err)
{
    TRY(mat_alloc(out, arena, rows, cols, err));
    mat_zero(*out);
    return OK;
}

void mat_zero(Mat m)
{
    for (int i = 0; i < m.rows; i++) {
        memset(mat_row(m, i), 0, (size_t)m.cols * sizeof(real));
    }
}

void mat_copy(Mat to, Mat from)
{
    assert(to.rows == from.rows && to.cols == from.cols);
    for (int i = 0; i < from.rows; i++) {
        memcpy(mat_row(to, i), mat_row(from, i), (size_t)from.cols * sizeof(real));
    }
}

void mat_add(Mat y, Mat x)
{
    assert(y.rows == x.rows && y.cols == x.cols);
    for (int i = 0; i < x.rows; i++) {
        vec_ops()->add(mat_row(y, i), mat_row(x, i), x.cols);
    }
}

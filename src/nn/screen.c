/* The copy in bytes; see the header. */
#include "nn/screen.h"

#include "base/mem.h"
#include "math/quantize.h"
#include "math/vec.h"

/* Rows that one task turns into bytes: whole panels of every kernel. */
enum { TASK_ROWS = 480 };

typedef struct Renewal {
    Screen *screen;
    Mat W;
    int8_t *rows;         /* (V, K): the bytes before they are packed */
    real *scratch;        /* (tasks, K) */
    real *errors, *sizes; /* [tasks] squares of the longest */
} Renewal;

void screen_free(Screen *screen)
{
    if (screen != NULL) {
        mem_free(screen->bytes.bytes);
        mem_free(screen->scales);
        mem_free(screen);
    }
}

static Status create(Screen **out, int V, int K, Error *err)
{
    Screen *s = mem_zero_alloc(1, sizeof *s);
    if (s == NULL) {
        return mem_fail(err, "the bytes of the output layer", 1, sizeof *s);
    }
    s->scales = mem_alloc_block((size_t)V, sizeof *s->scales);
    s->bytes = (Packed){.N = V, .K = K, .kind = PACKED_INT8, .scales = s->scales};
    s->bytes.bytes = mem_alloc_block(packed_int8_count(V, K), 1);
    if (s->scales == NULL || s->bytes.bytes == NULL) {
        screen_free(s);
        return mem_fail(err, "the bytes of the output layer", packed_int8_count(V, K), 1);
    }
    *out = s;
    return OK;
}

static real larger_or_nan(real a, real b)
{
    return isnan(a) || a >= b ? a : b;
}

/* Squares of the lengths of w - scale q and of scale q. */
static void measure_row(real *error, real *size, real *scratch, const int8_t *q, real scale,
                        const real *w, int K)
{
    const VecOps *ops = vec_ops();
    quantize_restore(scratch, q, scale, K);
    const real square = (real)ops->sum_squares(scratch, K);
    ops->axpy(scratch, -1, w, K);
    const real apart = (real)ops->sum_squares(scratch, K);
    *size = larger_or_nan(*size, square);
    *error = larger_or_nan(*error, apart);
}

static void renew_rows(void *context, int task, int worker)
{
    (void)worker;
    const Renewal *r = context;
    const int V = r->W.rows, K = r->W.cols, first = task * TASK_ROWS;
    const int n = V - first < TASK_ROWS ? V - first : TASK_ROWS;
    int8_t *bytes = r->rows + (ptrdiff_t)first * K;
    real *scratch = r->scratch + (ptrdiff_t)task * K;
    quantize_rows(bytes, r->screen->scales + first, mat_rows(r->W, first, n));
    r->errors[task] = r->sizes[task] = 0;
    for (int j = 0; j < n; j++) {
        measure_row(&r->errors[task], &r->sizes[task], scratch, bytes + (ptrdiff_t)j * K,
                    r->screen->scales[first + j], mat_row(r->W, first + j), K);
    }
}

static Status fill(Screen *s, Mat W, Threads *threads, Arena *arena, Error *err)
{
    const int n_tasks = (W.rows + TASK_ROWS - 1) / TASK_ROWS;
    Mat scratch, longest;
    void *rows;
    TRY(arena_alloc(arena, &rows, (size_t)W.rows, (size_t)W.cols, err));
    TRY(mat_alloc(&scratch, arena, n_tasks, W.cols, err));
    TRY(mat_alloc(&longest, arena, 2, n_tasks, err));
    Renewal renewal = {s, W, rows, scratch.v, mat_row(longest, 0), mat_row(longest, 1)};
    threads_run(threads, renew_rows, &renewal, n_tasks);
    packed_fill_int8(&s->bytes, rows, W.cols);
    const real error = sqrt(vec_ops()->maximum(renewal.errors, n_tasks));
    const real size = sqrt(vec_ops()->maximum(renewal.sizes, n_tasks));
    s->error = error;
    s->size = size;
    s->is_current = isfinite(error) && isfinite(size);
    return OK;
}

Status screen_renew(Screen **screen, Mat W, Threads *threads, Error *err)
{
    if (*screen == NULL) {
        TRY(create(screen, W.rows, W.cols, err));
    }
    Arena *arena;
    TRY(arena_create(&arena, 0, err));
    const Status status = fill(*screen, W, threads, arena, err);
    arena_free(arena);
    return status;
}

real screen_bound(const Screen *screen, const real *x, real x_scale, int K)
{
    const real length = sqrt((real)vec_ops()->sum_squares(x, K));
    return SCREEN_DEVIATIONS *
           (length * screen->error / sqrt((real)K) + screen->size * x_scale / sqrt((real)12));
}

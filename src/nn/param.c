/* The list of parameters; see the header. */
#include "nn/param.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "math/quantize.h"
#include "math/vec.h"

Precision precision_choose(Precision wish, int hidden)
{
    const int is_fast = vec_ops()->has_bfloat16 && hidden >= PRECISION_UNITS;
    return wish != PRECISION_AUTO ? wish : is_fast ? PRECISION_BFLOAT16 : PRECISION_FLOAT32;
}

const char *precision_name(Precision precision)
{
    static const char *const names[] = {"auto", "float32", "bfloat16"};
    return names[precision];
}

Status params_create(ParamList **out, Error *err)
{
    ParamList *list = mem_zero_alloc(1, sizeof *list);
    if (list == NULL) {
        return mem_fail(err, "the list of parameters", 1, sizeof *list);
    }
    *out = list;
    return OK;
}

void params_free(ParamList *list)
{
    if (list != NULL) {
        for (int i = 0; i < list->n_weights; i++) {
            screen_free(list->weights[i].screen);
        }
        mem_free(list->values);
        mem_free(list->grads);
        mem_free(list->packed);
        mem_free(list->scales);
        mem_free(list->packed_bytes);
        mem_free(list->adopted);
        mem_free(list);
    }
}

static Status add_named(ParamList *list, Param **out, const Param *param, const char *format,
                        va_list args, Error *err)
{
    if (list->n == PARAMS_MAX) {
        return fail(err, ERR_ARG, "a network of more than %d tensors", PARAMS_MAX);
    }
    Param *p = &list->items[list->n++];
    *p = *param;
    (void)vsnprintf(p->name, sizeof p->name, format, args);
    *out = p;
    return OK;
}

Status params_add(ParamList *list, Param **out, ParamInit init, int rows, int cols, Error *err,
                  const char *format, ...)
{
    const Param param = {.n_dims = 2, .init = init, .val = mat(NULL, rows, cols)};
    va_list args;
    va_start(args, format);
    const Status status = add_named(list, out, &param, format, args, err);
    va_end(args);
    return status;
}

Status params_add_vector(ParamList *list, Param **out, ParamInit init, int cols, Error *err,
                         const char *format, ...)
{
    const Param param = {.n_dims = 1, .init = init, .val = mat(NULL, 1, cols)};
    va_list args;
    va_start(args, format);
    const Status status = add_named(list, out, &param, format, args, err);
    va_end(args);
    return status;
}

Status params_add_weights(ParamList *list, Weights **out, const Param *param, int first, int cols,
                          int is_recurrent, Error *err)
{
    if (list->n_weights == WEIGHTS_MAX) {
        return fail(err, ERR_ARG, "a network of more than %d products", WEIGHTS_MAX);
    }
    Weights *w = &list->weights[list->n_weights++];
    *w = (Weights){.param = param,
                   .first = first,
                   .cols = cols,
                   .is_recurrent = is_recurrent,
                   .forward = {.N = param->val.rows, .K = cols},
                   .backward = {.N = cols, .K = param->val.rows}};
    *out = w;
    return OK;
}

/* Numbers that a tensor takes in its block, rounded up to whole cache lines. */
static size_t padded(Mat m)
{
    const size_t line = MEM_ALIGNMENT / sizeof(real);
    return (mem_times((size_t)m.rows, (size_t)m.cols) + line - 1) / line * line;
}

static Status allocate_block(real **out, size_t count, Error *err)
{
    *out = mem_alloc_aligned(count, sizeof(real));
    return *out == NULL ? mem_fail(err, "the parameters", count, sizeof(real)) : OK;
}

/* Packing writes all of it. */
static Status allocate_packed(real **out, size_t count, Error *err)
{
    *out = mem_alloc_block(count, sizeof(real));
    return *out == NULL ? mem_fail(err, "the parameters", count, sizeof(real)) : OK;
}

/* Whether dx = dy W of floats goes over a packed copy. */
static int goes_back(const Weights *w, int with_gradients)
{
    return w->is_recurrent && with_gradients;
}

/* Room for the packed copies of either precision. */
static size_t room_for(const Weights *w, int with_gradients)
{
    const Packed *f = &w->forward, *b = &w->backward;
    const size_t numbers =
        packed_count(f->N, f->K) + (goes_back(w, with_gradients) ? packed_count(b->N, b->K) : 0);
    const size_t pairs = packed_bfloat16_count(f->N, f->K) + packed_bfloat16_count(b->N, b->K);
    return with_gradients && pairs > numbers ? pairs : numbers;
}

/* Points the packed copies into their room. */
static void share_room(Weights *w, Precision precision, int with_gradients)
{
    Packed *f = &w->forward, *b = &w->backward;
    f->kind = b->kind = precision == PRECISION_BFLOAT16 ? PACKED_BFLOAT16 : PACKED_REAL;
    f->panels = b->panels = NULL;
    f->pairs = b->pairs = NULL;
    if (precision == PRECISION_BFLOAT16) {
        f->pairs = w->room;
        b->pairs = f->pairs + packed_bfloat16_count(f->N, f->K);
    } else {
        f->panels = w->room;
        b->panels = goes_back(w, with_gradients) ? f->panels + packed_count(f->N, f->K) : NULL;
    }
}

void params_set_precision(ParamList *list, Precision precision)
{
    assert(precision != PRECISION_AUTO && !list->is_int8);
    assert(precision == PRECISION_FLOAT32 || list->grads != NULL);
    for (int i = 0; i < list->n_weights; i++) {
        share_room(&list->weights[i], precision, list->grads != NULL);
    }
}

Status params_allocate(ParamList *list, int with_gradients, Error *err)
{
    list->count = list->packed_count = 0;
    for (int i = 0; i < list->n; i++) {
        list->count += padded(list->items[i].val);
    }
    for (int i = 0; i < list->n_weights; i++) {
        list->packed_count += room_for(&list->weights[i], with_gradients);
    }
    TRY(allocate_block(&list->values, list->count, err));
    TRY(allocate_packed(&list->packed, list->packed_count, err));
    if (with_gradients) {
        TRY(allocate_block(&list->grads, list->count, err));
    }
    size_t at = 0;
    for (int i = 0; i < list->n; i++) {
        Param *p = &list->items[i];
        p->val.v = list->values + at;
        p->grad = p->val;
        p->grad.v = with_gradients ? list->grads + at : NULL;
        at += padded(p->val);
    }
    real *packed = list->packed;
    for (int i = 0; i < list->n_weights; i++) {
        Weights *w = &list->weights[i];
        w->room = packed;
        packed += room_for(w, with_gradients);
        share_room(w, PRECISION_FLOAT32, with_gradients);
    }
    return OK;
}

static int is_matrix(const Param *p)
{
    return p->n_dims == 2;
}

static size_t padded_bytes(const Packed *packed)
{
    return (packed_int8_count(packed->N, packed->K) + MEM_ALIGNMENT - 1) / MEM_ALIGNMENT *
           MEM_ALIGNMENT;
}

/* Blocks of the list for weights of one byte, sized by what it holds. */
static Status allocate_int8_blocks(ParamList *list, Error *err)
{
    size_t n_scales = 0, n_packed = 0;
    list->count = list->packed_count = 0;
    for (int i = 0; i < list->n; i++) {
        const Param *p = &list->items[i];
        n_scales += is_matrix(p) ? (size_t)p->val.rows : 0;
        list->count += is_matrix(p) ? 0 : padded(p->val);
    }
    for (int i = 0; i < list->n_weights; i++) {
        n_packed += padded_bytes(&list->weights[i].forward);
    }
    TRY(allocate_block(&list->values, list->count, err));
    TRY(allocate_block(&list->scales, n_scales, err));
    list->packed_bytes = mem_alloc_aligned(n_packed, 1);
    return list->packed_bytes == NULL ? mem_fail(err, "the parameters", n_packed, 1) : OK;
}

Status params_allocate_int8(ParamList *list, Error *err)
{
    TRY(allocate_int8_blocks(list, err));
    list->is_int8 = 1;
    real *values = list->values, *scales = list->scales;
    for (int i = 0; i < list->n; i++) {
        Param *p = &list->items[i];
        if (is_matrix(p)) {
            p->scales = scales;
            scales += p->val.rows;
        } else {
            p->val.v = values;
            values += padded(p->val);
        }
    }
    int8_t *packed = list->packed_bytes;
    for (int i = 0; i < list->n_weights; i++) {
        Packed *forward = &list->weights[i].forward;
        forward->kind = PACKED_INT8;
        forward->bytes = packed;
        forward->scales = list->weights[i].param->scales;
        packed += padded_bytes(forward);
    }
    return OK;
}

void param_read_row(real *out, const Param *param, int i)
{
    const int n = param->val.cols;
    if (param->bytes != NULL) {
        quantize_restore(out, param->bytes + (ptrdiff_t)i * n, param->scales[i], n);
    } else {
        memcpy(out, mat_row(param->val, i), (size_t)n * sizeof *out);
    }
}

static Mat block(const Weights *w)
{
    return mat_cols(w->param->val, w->first, w->cols);
}

/* Whether dx = dy W has a packed copy. */
static int is_packed_backward(const Weights *w)
{
    return w->backward.panels != NULL || w->backward.pairs != NULL;
}

static void pack_one(void *context, int task, int worker)
{
    (void)worker;
    const Weights *w = (const Weights *)context + task;
    if (w->forward.kind == PACKED_INT8) {
        packed_fill_int8(&w->forward, w->param->bytes + w->first, w->param->val.cols);
        return;
    }
    packed_fill(&w->forward, block(w));
    if (is_packed_backward(w)) {
        packed_fill_transposed(&w->backward, block(w));
    }
}

void params_pack(ParamList *list, Threads *threads)
{
    threads_run(threads, pack_one, list->weights, list->n_weights);
    for (int i = 0; i < list->n_weights; i++) {
        if (list->weights[i].screen != NULL) {
            list->weights[i].screen->is_current = 0;
        }
    }
}

Status params_screen(Weights *W, Threads *threads, Error *err)
{
    const int is_useful = W->forward.kind == PACKED_REAL && W->forward.N >= SCREEN_MIN_WORDS &&
                          W->forward.K <= VEC_INT8_MAX_INPUTS;
    return is_useful ? screen_renew(&W->screen, block(W), threads, err) : OK;
}

size_t params_learnt(const ParamList *list)
{
    size_t sum = 0;
    for (int i = 0; i < list->n; i++) {
        sum += (size_t)list->items[i].val.rows * (size_t)list->items[i].val.cols;
    }
    return sum;
}

Param *params_find(ParamList *list, const char *name)
{
    for (int i = 0; i < list->n; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

void weights_forward(Mat y, Mat x, const Weights *W, const Param *bias)
{
    gemm_packed(y, x, &W->forward, bias == NULL ? NULL : bias->val.v);
}

void weights_forward_add(Mat y, Mat x, const Weights *W)
{
    gemm_packed_add(y, x, &W->forward);
}

void weights_backward(Mat dx, Mat dy, const Weights *W)
{
    assert(W->forward.kind != PACKED_INT8);
    if (is_packed_backward(W)) {
        gemm_packed(dx, dy, &W->backward, NULL);
    } else {
        gemm_nn(dx, dy, block(W));
    }
}

void weights_backward_add(Mat dx, Mat dy, const Weights *W)
{
    assert(W->forward.kind != PACKED_INT8);
    if (is_packed_backward(W)) {
        gemm_packed_add(dx, dy, &W->backward);
    } else {
        gemm_nn_add(dx, dy, block(W));
    }
}

/* Attention; see the header for the equations. */
#include "nn/attention.h"

#include <assert.h>
#include <string.h>

#include "math/vec.h"

static int is_dot(const Attention *a)
{
    return a->type == ATTENTION_DOT || a->type == ATTENTION_SCALED_DOT;
}

Status attention_create(Attention *attention, ParamList *params, AttentionType type, int H, int A,
                        Error *err)
{
    *attention = (Attention){.type = type, .H = H};
    Param *W;
    if (type == ATTENTION_NONE) {
        return OK;
    }
    attention->K = is_dot(attention) ? H : A;
    if (type == ATTENTION_ADDITIVE) {
        TRY(params_add(params, &W, INIT_GLOROT, A, H, err, "attention.query.weight"));
        TRY(params_add_weights(params, &attention->query, W, 0, H, 1, err));
    }
    TRY(params_add(params, &W, INIT_GLOROT, attention->K, 2 * H, err, "attention.key.weight"));
    TRY(params_add_weights(params, &attention->key, W, 0, 2 * H, 0, err));
    if (type == ATTENTION_ADDITIVE) {
        TRY(params_add_vector(params, &attention->bias, INIT_ZERO, A, err, "attention.bias"));
        TRY(params_add_vector(params, &attention->score, INIT_GLOROT, A, err,
                              "attention.score.weight"));
    }
    return OK;
}

Status memory_alloc(Memory *memory, const Attention *attention, Arena *arena, int N,
                    int is_training, Error *err)
{
    Memory m = *memory;
    const int K = attention->K;
    if (K > 0) {
        TRY(mat_alloc(&m.keys, arena, N, K, err));
    }
    if (attention->type == ATTENTION_ADDITIVE) {
        void *flags;
        TRY(mat_alloc(&m.exp_keys, arena, N, K, err));
        TRY(arena_alloc(arena, &flags, (size_t)N, 1, err));
        m.is_large = flags;
    }
    if (is_training) {
        TRY(mat_alloc_zero(&m.dh, arena, N, 2 * attention->H, err));
        if (K > 0) {
            TRY(mat_alloc_zero(&m.dkeys, arena, N, K, err));
        }
    }
    *memory = m;
    return OK;
}

Status attention_tape_alloc(AttentionTape *tape, const Attention *attention, Arena *arena, int N,
                            int S, int is_training, Error *err)
{
    AttentionTape t = {0};
    TRY(mat_alloc(&t.weights, arena, N, S, err));
    TRY(mat_alloc(&t.scores, arena, 1, S, err));
    if (attention->type == ATTENTION_ADDITIVE) {
        TRY(mat_alloc(&t.queries, arena, N, attention->K, err));
        TRY(mat_alloc(&t.exp_queries, arena, N, attention->K, err));
    }
    if (attention->type == ATTENTION_ADDITIVE && is_training) {
        TRY(mat_alloc_zero(&t.dqueries, arena, N, attention->K, err));
        TRY(mat_alloc_zero(&t.dscore, arena, 1, attention->K, err));
    }
    *tape = t;
    return OK;
}

/* Whether a number of x is beyond the limit of the product of exponentials. A NaN is not: it shows
 * itself on either road. */
static int row_is_large(const real *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (fabs(x[i]) > VEC_ADDITIVE_LIMIT) {
            return 1;
        }
    }
    return 0;
}

/* y = exp(2 x). */
static void double_exp(real *y, const real *x, int n)
{
    memcpy(y, x, (size_t)n * sizeof *y);
    vec_ops()->add(y, x, n);
    (vec_ops()->exp)(y, y, n); /* parentheses keep the type-generic macro of that name away */
}

void attention_keys_forward(const Attention *attention, Memory *memory)
{
    if (attention->type == ATTENTION_NONE) {
        return;
    }
    weights_forward(memory->keys, memory->h, attention->key, attention->bias);
    if (attention->type != ATTENTION_ADDITIVE) {
        return;
    }
    for (int i = 0; i < memory->keys.rows; i++) {
        const real *key = mat_row(memory->keys, i);
        memory->is_large[i] = (unsigned char)row_is_large(key, attention->K);
        double_exp(mat_row(memory->exp_keys, i), key, attention->K);
    }
}

void attention_keys_backward(const Attention *attention, Memory *memory, Gradients *g)
{
    if (attention->type == ATTENTION_NONE) {
        return;
    }
    /* forward: keys = h W_k^T + b */
    weights_backward_add(memory->dh, memory->dkeys, attention->key);
    gradients_note_product(g, attention->key, attention->bias, memory->dkeys, memory->h);
}

/* The additive score by its definition, less the constant sum(v) as in the kernel. */
static real score_by_tanh(const real *q, const real *k, const real *v, int A)
{
    real sum = 0;
    for (int a = 0; a < A; a++) {
        sum += v[a] * (tanh(q[a] + k[a]) - 1);
    }
    return sum;
}

/* Scores of one query over n positions; rows whose size is beyond the kernel's limit are done
 * again. */
static void additive_forward(const Attention *attention, AttentionTape *tape, const Memory *memory,
                             int row, const int *position, int n)
{
    const int A = attention->K;
    const real *q = mat_row(tape->queries, row);
    const int query_is_large = row_is_large(q, A);
    real *scores = tape->scores.v;
    double_exp(mat_row(tape->exp_queries, row), q, A);
    vec_ops()->additive_forward(scores, mat_row(tape->exp_queries, row), memory->exp_keys.v,
                                memory->exp_keys.stride, position, n, attention->score->val.v, A);
    for (int s = 0; s < n; s++) {
        if (query_is_large || memory->is_large[position[s]]) {
            scores[s] =
                score_by_tanh(q, mat_row(memory->keys, position[s]), attention->score->val.v, A);
        }
    }
}

/* The way back of score_by_tanh for one position. */
static void tanh_backward(const Attention *attention, AttentionTape *tape, Memory *memory, int row,
                          int position, real de)
{
    const real *q = mat_row(tape->queries, row), *k = mat_row(memory->keys, position);
    const real *v = attention->score->val.v;
    real *dq = mat_row(tape->dqueries, row), *dk = mat_row(memory->dkeys, position);
    for (int a = 0; a < attention->K; a++) {
        const real t = tanh(q[a] + k[a]);
        const real d = de * v[a] * (1 - t * t);
        dq[a] += d;
        dk[a] += d;
        tape->dscore.v[a] += de * (t - 1);
    }
}

static void additive_backward(const Attention *attention, AttentionTape *tape, Memory *memory,
                              int row, const int *position, int n, const real *de)
{
    const int A = attention->K;
    const int query_is_large = row_is_large(mat_row(tape->queries, row), A);
    /* Runs of positions that the kernel can do, the others one by one. */
    for (int s = 0; s < n;) {
        if (query_is_large || memory->is_large[position[s]]) {
            tanh_backward(attention, tape, memory, row, position[s], de[s]);
            s++;
            continue;
        }
        int end = s + 1;
        while (end < n && !memory->is_large[position[end]]) {
            end++;
        }
        vec_ops()->additive_backward(mat_row(tape->dqueries, row), memory->dkeys.v, tape->dscore.v,
                                     de + s, mat_row(tape->exp_queries, row), memory->exp_keys.v,
                                     memory->exp_keys.stride, position + s, end - s,
                                     attention->score->val.v, A);
        s = end;
    }
}

/* The factor of a dot product. */
static real dot_scale(const Attention *attention)
{
    return attention->type == ATTENTION_SCALED_DOT ? 1 / sqrt((real)attention->H) : 1;
}

static void scores_forward(const Attention *attention, AttentionTape *tape, const Memory *memory,
                           int row, const real *q, const int *position, int n)
{
    if (attention->type == ATTENTION_ADDITIVE) {
        additive_forward(attention, tape, memory, row, position, n);
        return;
    }
    vec_ops()->rows_dot(tape->scores.v, q, memory->keys.v, memory->keys.stride, position, n,
                        attention->H);
    vec_ops()->scale(tape->scores.v, dot_scale(attention), n);
}

void attention_step_forward(const Attention *attention, AttentionTape *tape, const Memory *memory,
                            int first, Mat c, Mat q, const int *sentence)
{
    const VecOps *ops = vec_ops();
    const Mat attended = memory->products.v != NULL ? memory->products : memory->h;
    assert(c.cols == attended.cols);
    if (attention->type == ATTENTION_ADDITIVE) {
        weights_forward(mat_rows(tape->queries, first, q.rows), q, attention->query, NULL);
    }
    for (int i = 0; i < c.rows; i++) {
        const int b = sentence[i], n = memory->length[b];
        const int *position = memory->position + (ptrdiff_t)b * memory->S;
        real *a = mat_row(tape->weights, first + i);
        if (attention->type == ATTENTION_NONE) {
            for (int s = 0; s < n; s++) {
                a[s] = 1 / (real)n;
            }
        } else {
            /* a = softmax(e) */
            scores_forward(attention, tape, memory, first + i, mat_row(q, i), position, n);
            memcpy(a, tape->scores.v, (size_t)n * sizeof *a);
            ops->softmax(a, n);
        }
        memset(a + n, 0, (size_t)(tape->weights.cols - n) * sizeof *a);
        /* c = sum_s a_s h_s */
        ops->rows_sum(mat_row(c, i), a, attended.v, attended.stride, position, n, c.cols);
    }
}

/* de (in place of da) from da: forward a = softmax(e). */
static void softmax_backward(real *da, const real *a, int n)
{
    const real along = vec_ops()->dot(da, a, n);
    for (int s = 0; s < n; s++) {
        da[s] = a[s] * (da[s] - along);
    }
}

static void scores_backward(const Attention *attention, AttentionTape *tape, Memory *memory,
                            int row, real *dq, const real *q, const int *position, int n, real *de)
{
    const VecOps *ops = vec_ops();
    if (attention->type == ATTENTION_ADDITIVE) {
        additive_backward(attention, tape, memory, row, position, n, de);
        return;
    }
    /* forward: e_s = scale q . k_s */
    ops->scale(de, dot_scale(attention), n);
    for (int s = 0; s < n; s++) {
        ops->axpy(dq, de[s], mat_row(memory->keys, position[s]), attention->H);
    }
    ops->rows_add(memory->dkeys.v, memory->dkeys.stride, position, n, de, q, attention->H);
}

void attention_step_backward(const Attention *attention, AttentionTape *tape, Memory *memory,
                             int first, Mat dq, Mat dc, Mat dweights, Mat q, const int *sentence)
{
    const VecOps *ops = vec_ops();
    real *da = tape->scores.v;
    for (int i = 0; i < dc.rows; i++) {
        const int b = sentence[i], n = memory->length[b];
        const int *position = memory->position + (ptrdiff_t)b * memory->S;
        const real *a = mat_row(tape->weights, first + i);
        /* forward: c = sum_s a_s h_s */
        ops->rows_add(memory->dh.v, memory->dh.stride, position, n, a, mat_row(dc, i), dc.cols);
        if (attention->type == ATTENTION_NONE) {
            continue;
        }
        ops->rows_dot(da, mat_row(dc, i), memory->h.v, memory->h.stride, position, n, dc.cols);
        if (dweights.v != NULL) {
            ops->add(da, mat_row(dweights, i), n);
        }
        softmax_backward(da, a, n);
        scores_backward(attention, tape, memory, first + i, mat_row(dq, i), mat_row(q, i), position,
                        n, da);
    }
    if (attention->type == ATTENTION_ADDITIVE) {
        /* forward: queries = q W_q^T */
        weights_backward_add(dq, mat_rows(tape->dqueries, first, dc.rows), attention->query);
    }
}

void attention_note(const Attention *attention, const AttentionTape *tape, Gradients *g, Mat q)
{
    if (attention->type == ATTENTION_ADDITIVE) {
        gradients_note_product(g, attention->query, NULL, tape->dqueries, q);
        gradients_note_vector(g, attention->score, tape->dscore);
    }
}

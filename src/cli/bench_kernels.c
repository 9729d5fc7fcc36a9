/* The kernels of math/ one by one; see bench.h. */
#include "cli/bench.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "math/gemm.h"
#include "math/quantize.h"
#include "math/vec.h"

/* Sizes as in a network with 512 units, a vocabulary of 8,000 and sentences of 13 words. */
enum { H = 512, V = 8000, S = 13, ROWS_MAX = 256, WEIGHTS = 1 << 20, SENTENCES = 64 };

/* Everything the kernels work on, and what a run of one is. */
typedef struct Kernels {
    real *a, *b, *c, *d; /* [WEIGHTS] numbers around 0 */
    real *positive;      /* [WEIGHTS] */
    real *logits;        /* [V], a copy that a kernel may spoil */
    int index[S], found[V];
    double sums[2];
} Kernels;

static void run_exp(void *context)
{
    Kernels *k = context;
    (vec_ops()->exp)(k->b, k->a, H);
}

static void run_tanh(void *context)
{
    Kernels *k = context;
    (vec_ops()->tanh)(k->b, k->a, H);
}

static void run_sigmoid(void *context)
{
    Kernels *k = context;
    vec_ops()->sigmoid(k->b, k->a, H);
}

static void run_gru_forward(void *context)
{
    Kernels *k = context;
    vec_ops()->gru_forward(k->b, k->c, k->a, k->a + 3 * H, k->a + 6 * H, H);
}

static void run_gru_backward(void *context)
{
    Kernels *k = context;
    memset(k->b, 0, H * sizeof *k->b);
    vec_ops()->gru_backward(k->d, k->d + 3 * H, k->b, k->a, k->c, k->a + H, H);
}

static void run_additive_forward(void *context)
{
    Kernels *k = context;
    vec_ops()->additive_forward(k->b, k->positive, k->positive, H, k->index, S, k->a, H);
}

static void run_additive_backward(void *context)
{
    Kernels *k = context;
    vec_ops()->additive_backward(k->b, k->c, k->d, k->a, k->positive, k->positive, H, k->index, S,
                                 k->a, H);
}

static void run_cross_entropy(void *context)
{
    Kernels *k = context;
    memcpy(k->logits, k->a, V * sizeof *k->logits);
    vec_ops()->cross_entropy(k->logits, V, 17, (real)0.1, 1, &k->sums[0], &k->sums[1]);
}

/* A row of logits as the search for the best words takes it: stretch by stretch, the sum and those above a bound, which
 * about one number in a thousand exceeds. */
static void run_word_search(void *context)
{
    enum { STRETCH = 480 };
    Kernels *k = context;
    real max = (real)-INFINITY, sum = 0;
    for (int first = 0; first < V; first += STRETCH) {
        const int n = V - first < STRETCH ? V - first : STRETCH;
        vec_ops()->log_sum_exp_add(&max, &sum, k->a + first, n);
        (void)vec_ops()->above(k->found, k->a + first, n, 3);
    }
    k->sums[0] = (double)max + log((double)sum);
}

static void run_dropout(void *context)
{
    Kernels *k = context;
    vec_ops()->dropout_mask(k->b, H, 0.3, 7);
}

static void run_adam(void *context)
{
    Kernels *k = context;
    vec_ops()->adam(k->b, k->c, k->positive, k->a, WEIGHTS, 1, (real)1e-9, (real)0.9, (real)0.999,
                    1, (real)1e-8, 0);
}

typedef struct KernelRun {
    const char *name, *unit;
    void (*run)(void *context);
    double per_call, scale; /* how many of the unit a call does, and 1e9 for ns or 1e6 for us */
} KernelRun;

static const KernelRun RUNS[] = {
    {"exp", "ns a number", run_exp, H, 1e9},
    {"tanh", "ns a number", run_tanh, H, 1e9},
    {"sigmoid", "ns a number", run_sigmoid, H, 1e9},
    {"GRU gates, forward", "ns a unit", run_gru_forward, H, 1e9},
    {"GRU gates, backward", "ns a unit", run_gru_backward, H, 1e9},
    {"additive attention, forward", "ns a unit and position", run_additive_forward, H *S, 1e9},
    {"additive attention, backward", "ns a unit and position", run_additive_backward, H *S, 1e9},
    {"cross-entropy of 8,000 words, with gradient", "us a row", run_cross_entropy, 1, 1e6},
    {"log sum of 8,000 words and those above a bound", "us a row", run_word_search, 1, 1e6},
    {"dropout mask", "ns a number", run_dropout, H, 1e9},
    {"Adam", "ns a parameter", run_adam, WEIGHTS, 1e9},
};

static Status kernels_alloc(Kernels *k, Arena *arena, Error *err)
{
    real **const blocks[] = {&k->a, &k->b, &k->c, &k->d, &k->positive, &k->logits};
    Rng rng = rng_stream(1, 2, 3);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        Mat block;
        TRY(mat_alloc_zero(&block, arena, 1, WEIGHTS, err));
        *blocks[i] = block.v;
    }
    for (int i = 0; i < WEIGHTS; i++) {
        k->a[i] = (real)rng_normal(&rng);
        k->positive[i] = (real)(0.1 + rng_uniform(&rng));
    }
    /* As in a batch in time-major order: a sentence's positions are a batch apart. */
    for (int i = 0; i < S; i++) {
        k->index[i] = i * SENTENCES;
    }
    return OK;
}

/* ---- products ---- */

typedef struct ProductRun {
    Mat y, x;
    Packed packed;
    Mat a, b, c; /* of the backward pass */
} ProductRun;

static void run_packed(void *context)
{
    const ProductRun *p = context;
    gemm_packed(p->y, p->x, &p->packed, NULL);
}

static void run_tn_bfloat16(void *context)
{
    const ProductRun *p = context;
    gemm_tn_bfloat16(p->c, p->a, p->b);
}

static void run_tn(void *context)
{
    const ProductRun *p = context;
    gemm_tn(p->c, p->a, p->b);
}

static void run_nn(void *context)
{
    const ProductRun *p = context;
    gemm_nn(p->c, p->a, p->b);
}

static void run_blas_tn(void *context)
{
    const ProductRun *p = context;
    gemm_blas_tn(p->c, p->a, p->b);
}

static void run_blas_nn(void *context)
{
    const ProductRun *p = context;
    gemm_blas_nn(p->c, p->a, p->b);
}

static void tell_product(Bench *b, const char *name, PackedKind kind, double operations,
                         double seconds)
{
    const double rate = operations / seconds;
    const char *unit = kind == PACKED_INT8 ? "Gop/s" : "GFLOP/s";
    bench_figure(b, name, rate * 1e-9, unit, rate / b->peak);
}

static Status alloc_product(ProductRun *p, Arena *arena, int N, int K, PackedKind kind, Error *err)
{
    void *block;
    Mat w, panels, scales;
    Rng rng = rng_stream(4, 5, 6);
    TRY(mat_alloc(&w, arena, N, K, err));
    TRY(mat_alloc(&p->x, arena, ROWS_MAX, K, err));
    TRY(mat_alloc(&p->y, arena, ROWS_MAX, N, err));
    for (int i = 0; i < N * K; i++) {
        w.v[i] = (real)rng_normal(&rng);
    }
    for (int i = 0; i < ROWS_MAX * K; i++) {
        p->x.v[i] = (real)rng_normal(&rng);
    }
    p->packed = (Packed){.N = N, .K = K, .kind = kind};
    if (kind == PACKED_REAL) {
        TRY(mat_alloc(&panels, arena, 1, (int)packed_count(N, K), err));
        p->packed.panels = panels.v;
        packed_fill(&p->packed, w);
        return OK;
    }
    if (kind == PACKED_BFLOAT16) {
        TRY(arena_alloc(arena, &block, packed_bfloat16_count(N, K), sizeof(uint32_t), err));
        p->packed.pairs = block;
        packed_fill(&p->packed, w);
        return OK;
    }
    TRY(mat_alloc(&scales, arena, 1, N, err));
    TRY(arena_alloc(arena, &block, packed_int8_count(N, K), 1, err));
    p->packed.bytes = block;
    TRY(arena_alloc(arena, &block, (size_t)N * (size_t)K, 1, err));
    quantize_rows(block, scales.v, w);
    packed_fill_int8(&p->packed, block, K);
    p->packed.scales = scales.v;
    return OK;
}

static Status packed_products(Bench *b, Arena *arena, int N, int K, PackedKind kind, Error *err)
{
    static const char *const names[] = {"packed", "bfloat16", "8-bit"};
    const int rows[] = {1, 2, 5, 8, 16, 64, 256};
    ProductRun run;
    arena_reset(arena);
    TRY(alloc_product(&run, arena, N, K, kind, err));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[80];
        ProductRun part = run;
        part.x = mat_rows(run.x, 0, rows[i]);
        part.y = mat_rows(run.y, 0, rows[i]);
        const double seconds = bench_best(run_packed, &part);
        (void)snprintf(name, sizeof name, "%s weights %d x %d, %d row%s", names[kind], N, K,
                       rows[i], rows[i] == 1 ? "" : "s");
        tell_product(b, name, kind, 2.0 * rows[i] * N * K, seconds);
    }
    return OK;
}

/* The large products of the backward pass, of 256 positions, by our kernels and by BLAS. */
static Status back_products(Bench *b, Arena *arena, Error *err)
{
    ProductRun nn, tn;
    const double nn_operations = 2.0 * ROWS_MAX * V * H, tn_operations = 2.0 * ROWS_MAX * 3 * H * H;
    arena_reset(arena);
    TRY(mat_alloc_zero(&nn.a, arena, ROWS_MAX, V, err));
    TRY(mat_alloc_zero(&nn.b, arena, V, H, err));
    TRY(mat_alloc_zero(&nn.c, arena, ROWS_MAX, H, err));
    TRY(mat_alloc_zero(&tn.a, arena, ROWS_MAX, 3 * H, err));
    TRY(mat_alloc_zero(&tn.b, arena, ROWS_MAX, H, err));
    TRY(mat_alloc_zero(&tn.c, arena, 3 * H, H, err));
    tell_product(b, "256 rows x (8000 x 512)", PACKED_REAL, nn_operations, bench_best(run_nn, &nn));
    tell_product(b, "BLAS: 256 rows x (8000 x 512)", PACKED_REAL, nn_operations,
                 bench_best(run_blas_nn, &nn));
    tell_product(b, "gradient of 1536 x 512, 256 rows", PACKED_REAL, tn_operations,
                 bench_best(run_tn, &tn));
    tell_product(b, "bfloat16: gradient of 1536 x 512, 256 rows", PACKED_BFLOAT16, tn_operations,
                 bench_best(run_tn_bfloat16, &tn));
    tell_product(b, "BLAS: gradient of 1536 x 512, 256 rows", PACKED_REAL, tn_operations,
                 bench_best(run_blas_tn, &tn));
    return OK;
}

static Status measure(Bench *b, Arena *arena, Error *err)
{
    Kernels k = {0};
    TRY(kernels_alloc(&k, arena, err));
    for (size_t i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        const double seconds = bench_best(RUNS[i].run, &k);
        bench_figure(b, RUNS[i].name, seconds * RUNS[i].scale / RUNS[i].per_call, RUNS[i].unit, 0);
    }
    for (int kind = PACKED_REAL; kind <= PACKED_INT8; kind++) {
        TRY(packed_products(b, arena, 3 * H, H, (PackedKind)kind, err));
        TRY(packed_products(b, arena, V, H, (PackedKind)kind, err));
    }
    return back_products(b, arena, err);
}

Status bench_kernels(Bench *b, Error *err)
{
    Arena *arena;
    TRY(arena_create(&arena, 0, err));
    bench_section(b, "Kernels, one core, processor time");
    const Status status = measure(b, arena, err);
    arena_free(arena);
    return status;
}

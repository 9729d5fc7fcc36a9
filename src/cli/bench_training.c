/* Training, as a whole and in parts; see bench.h. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/bench_network.h"
#include "math/vec.h"

enum { WARM_UP = 2 };

/* Batch k of the plan; they come round again. */
static Status add_batch(BenchNetwork *n, UpdateResult *result, long k, Error *err)
{
    const long at = k % n->plan.n_batches;
    const int *pairs = n->plan.order + n->plan.first[at];
    const int count = (int)(n->plan.first[at + 1] - n->plan.first[at]);
    TRY(updater_add(n->updater, result, pairs, count, 1, k + 1, 0, err));
    updater_apply(n->updater, result, 1e-3, k + 1);
    return result->is_finite ? OK : fail(err, ERR_DIVERGED, "an update is not finite");
}

/* One measured update. */
typedef struct Measured {
    double rate, seconds, busy, pieces, operations;
} Measured;

static Status measure_updates(BenchNetwork *n, Measured *out, int n_updates, Error *err)
{
    for (int k = 0; k < WARM_UP + n_updates; k++) {
        UpdateResult result = {0};
        const double begin = clock_seconds(), begin_busy = clock_process_seconds();
        TRY(add_batch(n, &result, k, err));
        const double seconds = clock_seconds() - begin;
        const double pieces = (double)(result.n_source + result.n_target);
        if (k >= WARM_UP) {
            const double adds = bench_multiply_adds(&n->model->config, (double)result.n_source,
                                                    (double)result.n_target);
            out[k - WARM_UP] = (Measured){.rate = pieces / seconds,
                                          .seconds = seconds,
                                          .busy = (clock_process_seconds() - begin_busy) / seconds,
                                          .pieces = pieces,
                                          .operations = 2 * 3 * adds};
        }
    }
    return OK;
}

static double median_of(const Measured *m, int n, size_t offset, double *scratch)
{
    for (int i = 0; i < n; i++) {
        memcpy(&scratch[i], (const char *)&m[i] + offset, sizeof *scratch);
    }
    return bench_median(scratch, n);
}

#define MEDIAN(member) median_of(measured, n, offsetof(Measured, member), scratch)

static Status summarise(BenchRun *out, BenchNetwork *network, int n, Error *err)
{
    Status status = mem_fail(NULL, "", 0, 0);
    Measured *measured = mem_zero_alloc((size_t)n, sizeof *measured);
    double *scratch = mem_alloc((size_t)n, sizeof *scratch);
    if (measured == NULL || scratch == NULL) {
        status = mem_fail(err, "measurements", (size_t)n, sizeof *measured);
    } else if ((status = measure_updates(network, measured, n, err)) == OK) {
        out->pieces_per_second = MEDIAN(rate);
        out->seconds = MEDIAN(seconds);
        out->busy = MEDIAN(busy);
        out->n_pieces = MEDIAN(pieces);
        out->flops = MEDIAN(operations);
    }
    mem_free(measured);
    mem_free(scratch);
    return status;
}

/* As the trainer does, all memory is taken before the first update. */
static Status reserve(BenchNetwork *n, size_t *bytes, int n_updates, Error *err)
{
    for (long k = 0; k < n_updates && k < n->plan.n_batches; k++) {
        const long first = n->plan.first[k], count = n->plan.first[k + 1] - first;
        TRY(updater_reserve(n->updater, bytes, n->plan.order + first, (int)count, err));
    }
    return OK;
}

static Status run_updates(BenchRun *out, BenchNetwork *network, const BenchWork *work, Error *err)
{
    size_t bytes = 0;
    TRY(reserve(network, &bytes, WARM_UP + work->n_updates, err));
    TRY(summarise(out, network, work->n_updates, err));
    const ParamList *params = network->model->params;
    out->bytes = bytes + (params->count * 4 + params->packed_count) * sizeof(real);
    return OK;
}

Status bench_run(BenchRun *out, const BenchWork *work, int n_threads, Error *err)
{
    BenchNetwork network;
    const long n_pairs = (long)work->mini_batch * (WARM_UP + work->n_updates);
    Status status = bench_network_create(&network, work, n_pairs, n_threads, 1, err);
    status = status == OK ? run_updates(out, &network, work, err) : status;
    bench_network_free(&network);
    return status;
}

static double peak_megabytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}

Status bench_training(Bench *b, const BenchWork *work, Error *err)
{
    double alone = 0;
    bench_section(b,
                  "Training, %s products, %d units, vocabulary %d, %d pairs a batch, median of %d "
                  "updates",
                  precision_name(precision_choose(work->precision, work->size)), work->size,
                  work->vocab, work->mini_batch, work->n_updates);
    for (int n = work->is_alone ? work->n_threads : 1; n <= work->n_threads;
         n = n < work->n_threads ? work->n_threads : n + 1) {
        char key[80];
        BenchRun run;
        TRY(bench_run(&run, work, n, err));
        const char *plural = n == 1 ? "" : "s";
        (void)snprintf(key, sizeof key, "train %d, %d thread%s", work->size, n, plural);
        bench_figure(b, key, run.pieces_per_second, "source and target pieces a second",
                     run.flops / run.seconds / (b->peak * n));
        (void)snprintf(key, sizeof key, "train %d, %d thread%s, by processor time", work->size, n,
                       plural);
        bench_figure(b, key, run.pieces_per_second / run.busy, "a second of one processor",
                     run.flops / (run.seconds * run.busy) / b->peak);
        (void)snprintf(key, sizeof key, "train %d, %d thread%s, an update", work->size, n, plural);
        bench_figure(b, key, 1e3 * run.seconds, "ms", 0);
        if (n == 1) {
            alone = run.pieces_per_second;
            (void)snprintf(key, sizeof key, "train %d: parameters and activations", work->size);
            bench_figure(b, key, (double)run.bytes / 1048576, "MB", 0);
        } else if (!work->is_alone) {
            (void)snprintf(key, sizeof key, "train %d: %d threads over 1", work->size, n);
            bench_figure(b, key, run.pieces_per_second / alone, "times", 0);
        }
    }
    char key[80];
    (void)snprintf(key, sizeof key, "peak of the whole process after train %d", work->size);
    bench_figure(b, key, peak_megabytes(), "MB", 0);
    return OK;
}

/* ---- parts ---- */

/* One shard after its forward and backward pass: each part can be run on it again. */
typedef struct Parts {
    const Seq2Seq *model;
    Batch batch;
    Seq2SeqTape tape;
    Gradients *gradients;
    Mat dlogits, ds, dc, dy, dh, dmean; /* to begin each backward part anew */
    BenchNetwork *network;
    const GradientTile *tiles;
    int n_tiles;
} Parts;

static void part_encoder(void *context)
{
    Parts *p = context;
    (void)encoder_forward(&p->model->encoder, &p->tape.encoder);
    mat_copy(p->tape.memory.dh, p->dh);
    p->gradients->n = 0;
    encoder_backward(&p->model->encoder, &p->tape.encoder, p->gradients, p->tape.memory.dh);
}

/* Keys and all steps, as the decoder has them take place. */
static void part_attention(void *context)
{
    Parts *p = context;
    const Attention *attention = &p->model->decoder.attention;
    DecoderTape *d = &p->tape.decoder;
    Memory *memory = &p->tape.memory;
    const Packing *packing = &p->batch.target;
    const Mat none = {0};
    attention_keys_forward(attention, memory);
    for (int t = 0; t < packing->T; t++) {
        const int first = packing->offset[t], n = packing->active[t];
        attention_step_forward(attention, &d->attention, memory, first, mat_rows(d->c, first, n),
                               mat_rows(d->query, first, n), d->sentence);
    }
    for (int t = packing->T - 1; t >= 0; t--) {
        const int first = packing->offset[t], n = packing->active[t];
        attention_step_backward(attention, &d->attention, memory, first, mat_rows(d->ds, 0, n),
                                mat_rows(p->dc, first, n), none, mat_rows(d->query, first, n),
                                d->sentence);
    }
    p->gradients->n = 0;
    attention_keys_backward(attention, memory, p->gradients);
}

static void part_decoder(void *context)
{
    Parts *p = context;
    (void)decoder_forward(&p->model->decoder, &p->tape.decoder, &p->tape.memory);
    mat_copy(p->tape.ds, p->ds);
    mat_copy(p->tape.dc, p->dc);
    mat_copy(p->tape.dy, p->dy);
    p->gradients->n = 0;
    decoder_backward(&p->model->decoder, &p->tape.decoder, &p->tape.memory, p->gradients,
                     p->tape.ds, p->tape.dc, p->tape.dy, (Mat){0});
}

static void part_output(void *context)
{
    Parts *p = context;
    Seq2SeqTape *t = &p->tape;
    Loss loss = {0};
    readout_forward(&p->model->readout, &t->readout, t->s, t->decoder.y, t->decoder.c);
    readout_logits_forward(&p->model->readout, &t->readout);
    loss_forward_backward(&loss, t->readout.logits, p->batch.output_ids, 0.1);
    p->gradients->n = 0;
    readout_backward(&p->model->readout, &t->readout, p->gradients, t->ds, t->dy, t->dc, t->s,
                     t->decoder.y, t->decoder.c);
}

static void part_gradients(void *context)
{
    Parts *p = context;
    const Gradients *const lists[] = {p->gradients};
    for (int i = 0; i < p->n_tiles; i++) {
        gradients_form(&p->tiles[i], lists, 1);
    }
}

/* The step of Adam, the norm before it and the packing after it, with a rate of nothing. */
static void part_optimiser(void *context)
{
    Parts *p = context;
    ParamList *params = p->model->params;
    const Adam adam = {.b1 = 0.9, .b2 = 0.999, .epsilon = 1e-8};
    const AdamStep step = {.rate = 1e-9, .scale = 1e-3, .t = 10};
    (void)vec_ops()->sum_squares(params->grads, (int)params->count);
    adam_step(&adam, &step, params->values, p->network->moments.m, p->network->moments.v, NULL,
              params->grads, (int)params->count);
    params_pack(params, NULL);
}

static Status copy_of(Mat *out, Arena *arena, Mat from, Error *err)
{
    TRY(mat_alloc(out, arena, from.rows, from.cols, err));
    mat_copy(*out, from);
    return OK;
}

/* Takes the first pairs of the plan as a shard, forward and backward, and keeps what each part
 * begins with. */
static Status prepare(Parts *p, int n_pairs, Arena *arena, Error *err)
{
    void *block;
    BenchNetwork *n = p->network;
    Pieces scratch = {0};
    Loss loss = {0};
    Noise noise = {.rates = {.input = 0.3, .readout = 0.3}, .rng = rng_stream(1, 1, 1)};
    const Config *c = &n->model->config;
    TRY(arena_alloc(arena, &block, (size_t)n_pairs, sizeof(IdPair), err));
    IdPair *pairs = block;
    for (int i = 0; i < n_pairs; i++) {
        const int pair = n->plan.order[i];
        TRY(arena_alloc(arena, &block, (size_t)data_pair_room(n->data, pair), sizeof(int), err));
        TRY(data_pair(n->data, &pairs[i], pair, 1, block, &scratch, err));
    }
    pieces_free(&scratch);
    TRY(batch_create(&p->batch, pairs, n_pairs, c->source_vocab, c->target_vocab, arena, err));
    TRY(seq2seq_tape_alloc(&p->tape, n->model, arena, &p->batch, 1, &noise, err));
    seq2seq_forward(n->model, &p->tape);
    loss_forward_backward(&loss, p->tape.readout.logits, p->batch.output_ids, 0.1);
    p->gradients->n = 0;
    readout_backward(&n->model->readout, &p->tape.readout, p->gradients, p->tape.ds, p->tape.dy,
                     p->tape.dc, p->tape.s, p->tape.decoder.y, p->tape.decoder.c);
    TRY(copy_of(&p->ds, arena, p->tape.ds, err));
    TRY(copy_of(&p->dc, arena, p->tape.dc, err));
    TRY(copy_of(&p->dy, arena, p->tape.dy, err));
    TRY(copy_of(&p->dh, arena, p->tape.memory.dh, err));
    TRY(arena_alloc(arena, &block, (size_t)gradients_tiles(n->model->params, NULL),
                    sizeof(GradientTile), err));
    p->n_tiles = gradients_tiles(n->model->params, block);
    p->tiles = block;
    return OK;
}

static void tell_part(Bench *b, const BenchWork *work, const char *what, double seconds,
                      double total)
{
    char key[80], unit[40];
    (void)snprintf(key, sizeof key, "part of train %d: %s", work->size, what);
    (void)snprintf(unit, sizeof unit, "ms an update %5.1f %%", 100 * seconds / total);
    bench_figure(b, key, 1e3 * seconds, unit, 0);
}

/* What a batch takes: its shards one after another, then the update. */
static void measure_parts(Bench *b, Parts *p, const BenchWork *work, double n_shards)
{
    const double encoder = n_shards * bench_best(part_encoder, p);
    const double attention = n_shards * bench_best(part_attention, p);
    const double all_decoder = n_shards * bench_best(part_decoder, p);
    const double output = n_shards * bench_best(part_output, p);
    /* the notes of a whole shard */
    p->gradients->n = 0;
    seq2seq_forward(p->model, &p->tape);
    Loss loss = {0};
    loss_forward_backward(&loss, p->tape.readout.logits, p->batch.output_ids, 0.1);
    seq2seq_backward(p->model, &p->tape, p->gradients, (Mat){0});
    const double gradients = n_shards * bench_best(part_gradients, p);
    const double optimiser = bench_best(part_optimiser, p);
    const double decoder = all_decoder > attention ? all_decoder - attention : 0;
    const double total = encoder + attention + decoder + output + gradients + optimiser;
    tell_part(b, work, "encoder", encoder, total);
    tell_part(b, work, "attention", attention, total);
    tell_part(b, work, "decoder", decoder, total);
    tell_part(b, work, "output and loss", output, total);
    tell_part(b, work, "gradients of the weights", gradients, total);
    tell_part(b, work, "optimiser and packing", optimiser, total);
    tell_part(b, work, "their sum, one core", total, total);
}

/* How many times the shard goes into an update of the usual length. */
static double shards_of_an_update(const Parts *p)
{
    const Data *data = p->network->data;
    const double pieces = (double)(data_n_pieces(data, SIDE_SOURCE) +
                                   data_n_pieces(data, SIDE_TARGET) + 2 * data_size(data));
    return pieces / (double)p->network->plan.n_batches / (p->batch.source.N + p->batch.target.N);
}

static Status parts_of(Bench *b, Parts *p, const BenchWork *work, Arena *arena, Error *err)
{
    const long in_batch = p->network->plan.first[1];
    const int n_pairs = (int)((in_batch + BATCH_SHARDS - 1) / BATCH_SHARDS);
    p->model = p->network->model;
    p->gradients = mem_zero_alloc(1, sizeof *p->gradients);
    if (p->gradients == NULL) {
        return mem_fail(err, "gradients", 1, sizeof *p->gradients);
    }
    const Status status = prepare(p, n_pairs, arena, err);
    if (status == OK) {
        measure_parts(b, p, work, shards_of_an_update(p));
    }
    mem_free(p->gradients);
    return status;
}

Status bench_parts(Bench *b, const BenchWork *work, Error *err)
{
    Arena *arena;
    BenchNetwork network;
    Parts parts = {.network = &network};
    TRY(arena_create(&arena, 0, err));
    Status status = bench_network_create(&network, work, 4L * work->mini_batch, 1, 1, err);
    if (status == OK) {
        bench_section(b, "Parts of an update of %d units, each alone on one core", work->size);
        status = parts_of(b, &parts, work, arena, err);
    }
    bench_network_free(&network);
    arena_free(arena);
    return status;
}

/* ---- growth ---- */

enum { SWEEP_POINTS = 5, BAR = 40 };

static const char *const QUANTITIES[] = {"units", "vocabulary", "words a sentence",
                                         "pairs a batch"};

static BenchWork at_point(const BenchWork *work, int quantity, int point)
{
    static const int values[][SWEEP_POINTS] = {{64, 128, 256, 512, 1024},
                                               {1000, 2000, 4000, 8000, 16000},
                                               {5, 10, 20, 40, 80},
                                               {8, 16, 32, 64, 128}};
    BenchWork w = *work;
    int *const members[] = {&w.size, &w.vocab, &w.length, &w.mini_batch};
    *members[quantity] = values[quantity][point];
    return w;
}

Status bench_sweep(Bench *b, const BenchWork *work, int quantity, Error *err)
{
    BenchRun runs[SWEEP_POINTS];
    double most = 0;
    bench_section(b, "Growth over %s: pieces a second, us a piece, memory", QUANTITIES[quantity]);
    for (int i = 0; i < SWEEP_POINTS; i++) {
        const BenchWork w = at_point(work, quantity, i);
        TRY(bench_run(&runs[i], &w, w.n_threads, err));
        const double rate = runs[i].pieces_per_second;
        most = rate > most ? rate : most;
    }
    for (int i = 0; i < SWEEP_POINTS; i++) {
        const BenchWork w = at_point(work, quantity, i);
        const int value[] = {w.size, w.vocab, w.length, w.mini_batch};
        const double rate = runs[i].pieces_per_second;
        char key[80], unit[80], bar[BAR + 1];
        const int len = (int)(BAR * rate / most + 0.5);
        memset(bar, '#', sizeof bar);
        bar[len] = '\0';
        (void)snprintf(unit, sizeof unit, "%7.1f us %7.1f MB %s", 1e6 / rate,
                       (double)runs[i].bytes / 1048576, bar);
        (void)snprintf(key, sizeof key, "%d %s", value[quantity], QUANTITIES[quantity]);
        bench_figure(b, key, rate, unit, 0);
    }
    return OK;
}

/* One update; see the header. */
#include "train/update.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "math/vec.h"
#include "nn/guided.h"

/* Everything one shard works with. */
typedef struct Shard {
    const int *pairs; /* [n] */
    int n;
    int number; /* within the batch: names its random masks */
    Arena *arena;
    Gradients *gradients;
    Batch batch;
    Seq2SeqTape tape;
    Loss loss;
    Status status;
    Error err;
} Shard;

struct Updater {
    Seq2Seq *model;
    ModelMoments *moments;
    const Data *data;
    UpdateOptions options;
    Threads *threads;
    Pieces *pieces; /* by worker */
    Shard *shards;
    int n_shards_made;
    GradientTile *tiles;
    double *tile_squares;
    const Gradients **lists;
    int n_tiles;
    int is_empty; /* nothing was added since the last apply */
    /* Of the run under way. */
    int n_shards, part; /* n_shards: of the wave */
    long epoch, update;
    AdamStep step;
};

Status updater_create(Updater **out, Seq2Seq *model, ModelMoments *moments, const Data *data,
                      const UpdateOptions *options, Threads *threads, Error *err)
{
    Updater *u = mem_zero_alloc(1, sizeof *u);
    if (u == NULL) {
        return mem_fail(err, "the trainer", 1, sizeof *u);
    }
    *u = (Updater){.model = model,
                   .moments = moments,
                   .data = data,
                   .options = *options,
                   .threads = threads,
                   .n_tiles = gradients_tiles(model->params, NULL),
                   .is_empty = 1};
    u->pieces = mem_zero_alloc((size_t)threads_count(threads), sizeof *u->pieces);
    u->tiles = mem_alloc((size_t)u->n_tiles, sizeof *u->tiles);
    u->tile_squares = mem_alloc((size_t)u->n_tiles, sizeof *u->tile_squares);
    if (u->pieces == NULL || u->tiles == NULL || u->tile_squares == NULL) {
        const Status status = mem_fail(err, "the trainer", (size_t)u->n_tiles, sizeof *u->tiles);
        updater_free(u);
        return status;
    }
    (void)gradients_tiles(model->params, u->tiles);
    *out = u;
    return OK;
}

void updater_free(Updater *u)
{
    if (u == NULL) {
        return;
    }
    for (int i = 0; i < u->n_shards_made; i++) {
        arena_free(u->shards[i].arena);
        mem_free(u->shards[i].gradients);
    }
    for (int w = 0; u->pieces != NULL && w < threads_count(u->threads); w++) {
        pieces_free(&u->pieces[w]);
    }
    mem_free(u->pieces);
    mem_free(u->shards);
    mem_free(u->tiles);
    mem_free(u->tile_squares);
    mem_free(u->lists);
    mem_free(u);
}

/* Makes shards until there are n. */
static Status need_shards(Updater *u, int n, Error *err)
{
    if (n <= u->n_shards_made) {
        return OK;
    }
    Shard *shards = mem_resize(u->shards, (size_t)n, sizeof *shards);
    if (shards == NULL) {
        return mem_fail(err, "the shards of a batch", (size_t)n, sizeof *shards);
    }
    u->shards = shards;
    const Gradients **lists = mem_resize(u->lists, (size_t)n, sizeof *lists);
    if (lists == NULL) {
        return mem_fail(err, "the shards of a batch", (size_t)n, sizeof *lists);
    }
    u->lists = lists;
    while (u->n_shards_made < n) {
        Shard *shard = &u->shards[u->n_shards_made];
        *shard = (Shard){.gradients = mem_zero_alloc(1, sizeof *shard->gradients)};
        if (shard->gradients == NULL) {
            return mem_fail(err, "the shards of a batch", 1, sizeof *shard->gradients);
        }
        const Status status = arena_create(&shard->arena, 0, err);
        if (status != OK) {
            mem_free(shard->gradients);
            return status;
        }
        u->lists[u->n_shards_made++] = shard->gradients;
    }
    return OK;
}

static int copies_of(const Updater *u)
{
    return u->options.r_drop > 0 ? 2 : 1;
}

static long pair_pieces(const Updater *u, int pair)
{
    return data_length(u->data, SIDE_SOURCE, pair) + data_length(u->data, SIDE_TARGET, pair) + 2;
}

static long all_pieces(const Updater *u, const int *pairs, int n)
{
    long pieces = 0;
    for (int i = 0; i < n; i++) {
        pieces += pair_pieces(u, pairs[i]);
    }
    return pieces;
}

/* How a batch is cut into shards, and how far that is done. */
typedef struct Cutting {
    const int *pairs; /* [n] */
    int n, used;
    int n_shards, next;         /* of the whole batch; those that begin at nothing count too */
    int in_wave;                /* at most */
    int number;                 /* of the next shard that has pairs */
    long pieces, pieces_before; /* of all pairs, of the used ones */
} Cutting;

enum { WAVE_SHARDS_MIN = 2 };

/* Waves of about the same number of shards. */
static int wave_shards(const Updater *u, int n_shards)
{
    const int n_threads = threads_count(u->threads);
    const int most = n_threads < WAVE_SHARDS_MIN ? WAVE_SHARDS_MIN : n_threads;
    const int n_waves = (n_shards + most - 1) / most;
    return (n_shards + n_waves - 1) / n_waves;
}

static Cutting cutting_of(const Updater *u, const int *pairs, int n)
{
    Cutting c = {.pairs = pairs, .n = n, .pieces = all_pieces(u, pairs, n)};
    c.n_shards =
        BATCH_SHARDS * (int)((c.pieces * copies_of(u) + SHARDED_PIECES - 1) / SHARDED_PIECES);
    c.in_wave = wave_shards(u, c.n_shards);
    return c;
}

/* Cuts the next wave; all shards of a batch get equal shares of the pieces. */
static Status cut_wave(Updater *u, Cutting *c, Error *err)
{
    TRY(need_shards(u, c->in_wave, err));
    u->n_shards = 0;
    for (int i = 0; i < c->in_wave && c->used < c->n; i++) {
        Shard *shard = &u->shards[u->n_shards];
        const long end = c->pieces * ++c->next / c->n_shards;
        *shard = (Shard){.arena = shard->arena,
                         .gradients = shard->gradients,
                         .pairs = c->pairs + c->used,
                         .number = c->number};
        while (c->used < c->n && c->pieces_before < end) {
            c->pieces_before += pair_pieces(u, c->pairs[c->used++]);
            shard->n++;
        }
        u->n_shards += shard->n > 0;
        c->number += shard->n > 0;
    }
    return OK;
}

/* Builds the shard's batch; with R-Drop each pair stands twice, side by side. */
static Status build_batch(Updater *u, Shard *shard, int worker, Error *err)
{
    const int copies = copies_of(u), n = shard->n, *pairs = shard->pairs;
    const Config *c = &u->model->config;
    void *block;
    TRY(arena_alloc(shard->arena, &block, (size_t)(n * copies), sizeof(IdPair), err));
    IdPair *list = block;
    for (int i = 0; i < n; i++) {
        const size_t room = (size_t)data_pair_room(u->data, pairs[i]);
        TRY(arena_alloc(shard->arena, &block, room, sizeof(int), err));
        TRY(data_pair(u->data, &list[i * copies], pairs[i], u->epoch, block, &u->pieces[worker],
                      err));
        if (copies == 2) {
            list[i * 2 + 1] = list[i * 2];
        }
    }
    return batch_create(&shard->batch, list, n * copies, c->source_vocab, c->target_vocab,
                        shard->arena, err);
}

/* Adds the loss of guided alignment and yields its gradient by the attention weights. */
static Status guide_backward(const Updater *u, Shard *shard, Mat *dweights, Error *err)
{
    const Batch *batch = &shard->batch;
    const int copies = copies_of(u);
    void *block;
    TRY(mat_alloc_zero(dweights, shard->arena, batch->target.N, batch->source.T, err));
    TRY(arena_alloc(shard->arena, &block, (size_t)batch->source.T, sizeof(int), err));
    int *positions = block;
    for (int r = 0; r < batch->target.B; r++) {
        const int(*links)[2];
        const int pair = shard->pairs[batch->target_pair[r] / copies];
        const int n = links_of(u->options.links, data_corpus_index(u->data, pair), &links);
        for (int i = 0, n_row = 0; i < n; i++) {
            const int t = links[i][0];
            assert(t < batch->target.length[r] - 1);
            assert(links[i][1] < batch->source.length[batch->sentence[r]] - 1);
            positions[n_row++] = links[i][1];
            if (i + 1 == n || links[i + 1][0] != t) {
                const int row = packing_row(&batch->target, t, r);
                shard->loss.smoothed += guided_row(
                    mat_row(*dweights, row), mat_row(shard->tape.decoder.attention.weights, row),
                    positions, n_row, u->options.guide_weight);
                n_row = 0;
            }
        }
    }
    return OK;
}

static Status run_shard(Updater *u, Shard *shard, int worker, Error *err)
{
    const UpdateOptions *o = &u->options;
    Noise noise = {.rates = o->noise,
                   .rng = rng_stream(o->seed, 0x6e6f6900u + (uint64_t)u->update,
                                     ((uint64_t)u->part << 32) + (uint64_t)shard->number)};
    Mat dweights = {0};
    arena_reset(shard->arena);
    shard->gradients->n = 0;
    shard->loss = (Loss){0};
    TRY(build_batch(u, shard, worker, err));
    TRY(seq2seq_tape_alloc(&shard->tape, u->model, shard->arena, &shard->batch, 1, &noise, err));
    seq2seq_forward(u->model, &shard->tape);
    if (o->r_drop > 0) {
        loss_pairs_forward_backward(&shard->loss, shard->tape.readout.logits,
                                    shard->batch.output_ids, o->label_smoothing, o->r_drop);
    } else {
        loss_forward_backward(&shard->loss, shard->tape.readout.logits, shard->batch.output_ids,
                              o->label_smoothing);
    }
    if (o->links != NULL) {
        TRY(guide_backward(u, shard, &dweights, err));
    }
    seq2seq_backward(u->model, &shard->tape, shard->gradients, dweights);
    return OK;
}

static void shard_task(void *context, int task, int worker)
{
    Updater *u = context;
    Shard *shard = &u->shards[task];
    shard->status = run_shard(u, shard, worker, &shard->err);
}

/* Forms one tile's gradient, from zero when it is the first part of the update. */
static void tile_task(void *context, int task, int worker)
{
    (void)worker;
    Updater *u = context;
    const GradientTile *tile = &u->tiles[task];
    if (u->is_empty) {
        mat_zero(mat_rows(tile->param->grad, tile->first, tile->rows));
    }
    gradients_form(tile, u->lists, u->n_shards);
}

/* Runs the wave, adds its loss to result and forms its share of the gradient. */
static Status run_wave(Updater *u, UpdateResult *result, Error *err)
{
    const int copies = copies_of(u);
    threads_run(u->threads, shard_task, u, u->n_shards);
    for (int i = 0; i < u->n_shards; i++) {
        const Shard *shard = &u->shards[i];
        if (shard->status != OK) {
            if (err != NULL) {
                *err = shard->err;
            }
            return shard->status;
        }
        result->nll += shard->loss.nll / copies;
        result->smoothed += shard->loss.smoothed / copies;
        result->n_source += shard->batch.source.N / copies;
        result->n_target += shard->batch.target.N / copies;
    }
    threads_run(u->threads, tile_task, u, u->n_tiles);
    u->is_empty = 0;
    return OK;
}

Status updater_add(Updater *u, UpdateResult *result, const int *pairs, int n, long epoch,
                   long update, int part, Error *err)
{
    u->epoch = epoch;
    u->update = update;
    u->part = part;
    for (Cutting cutting = cutting_of(u, pairs, n); cutting.used < n;) {
        TRY(cut_wave(u, &cutting, err));
        TRY(run_wave(u, result, err));
    }
    return OK;
}

/* Where a tile lies in the blocks of numbers. */
static size_t tile_offset(const Updater *u, const GradientTile *tile)
{
    return (size_t)(mat_row(tile->param->val, tile->first) - u->model->params->values);
}

static void square_task(void *context, int task, int worker)
{
    (void)worker;
    Updater *u = context;
    const GradientTile *tile = &u->tiles[task];
    const int n = tile->rows * tile->param->val.cols;
    real *g = u->model->params->grads + tile_offset(u, tile);
    if (u->options.l2 > 0) {
        /* The gradient is still a sum over target pieces, so the penalty is multiplied up. */
        vec_ops()->axpy(g, (real)(u->options.l2 / u->step.scale),
                        u->model->params->values + tile_offset(u, tile), n);
    }
    u->tile_squares[task] = vec_ops()->sum_squares(g, n);
}

static void adam_task(void *context, int task, int worker)
{
    (void)worker;
    Updater *u = context;
    const GradientTile *tile = &u->tiles[task];
    const size_t at = tile_offset(u, tile);
    real *average = u->moments->average;
    adam_step(&u->options.adam, &u->step, u->model->params->values + at, u->moments->m + at,
              u->moments->v + at, average == NULL ? NULL : average + at,
              u->model->params->grads + at, tile->rows * tile->param->val.cols);
}

/* The sum of squares over all tiles, in their order; names the first tensor that is not finite. */
static double total_squares(const Updater *u, UpdateResult *result)
{
    double sum = 0;
    for (int i = 0; i < u->n_tiles; i++) {
        if (!isfinite(u->tile_squares[i]) && result->culprit == NULL) {
            result->culprit = u->tiles[i].param->name;
        }
        sum += u->tile_squares[i];
    }
    return sum;
}

void updater_apply(Updater *u, UpdateResult *result, double rate, long t)
{
    assert(!u->is_empty);
    const int copies = copies_of(u);
    const double per_piece = 1 / ((double)result->n_target * copies);
    u->step = (AdamStep){.rate = rate, .scale = per_piece, .t = t};
    /* A young average forgets fast, so that it does not hang on to the initial weights. */
    u->step.smoothing = fmin(u->options.smoothing, (double)t / (double)(t + 10));
    threads_run(u->threads, square_task, u, u->n_tiles);
    result->culprit = isfinite(result->smoothed) ? NULL : "loss";
    result->norm = sqrt(total_squares(u, result)) * per_piece;
    result->is_finite = isfinite(result->norm) && result->culprit == NULL;
    u->is_empty = 1;
    if (!result->is_finite) {
        return;
    }
    if (u->options.clip_norm > 0 && result->norm > u->options.clip_norm) {
        u->step.scale *= u->options.clip_norm / result->norm;
    }
    threads_run(u->threads, adam_task, u, u->n_tiles);
    params_pack(u->model->params, u->threads);
}

static Status reserve_shard(Updater *u, Shard *shard, Error *err)
{
    Noise noise = {.rates = u->options.noise, .rng = rng_stream(0, 0, 0)};
    arena_reset(shard->arena);
    TRY(build_batch(u, shard, 0, err));
    return seq2seq_tape_alloc(&shard->tape, u->model, shard->arena, &shard->batch, 1, &noise, err);
}

Status updater_reserve(Updater *u, size_t *bytes, const int *pairs, int n, Error *err)
{
    u->epoch = 0;
    for (Cutting cutting = cutting_of(u, pairs, n); cutting.used < n;) {
        TRY(cut_wave(u, &cutting, err));
        for (int i = 0; i < u->n_shards; i++) {
            TRY(reserve_shard(u, &u->shards[i], err));
        }
    }
    *bytes = 0;
    for (int i = 0; i < u->n_shards_made; i++) {
        *bytes += arena_held(u->shards[i].arena);
    }
    return OK;
}

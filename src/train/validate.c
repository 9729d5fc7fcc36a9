/* Validation; see the header. */
#include "train/validate.h"

#include "base/mem.h"
#include "train/data.h"
#include "math/vec.h"

enum { LOSS_BATCH = 32 };

void validation_free(Validation *validation)
{
    for (int i = 0; i < VALIDATION_SAMPLES; i++) {
        buffer_free(&validation->translations[i]);
    }
}

/* The loss of all pairs; each task is a batch of its own, summed in order. */
typedef struct LossRun {
    const Seq2Seq *model;
    const Data *data;
    Arena **arenas; /* by worker */
    Pieces *pieces;
    Loss *loss; /* by task */
    long *n_target;
    Status *status; /* by task */
    Error *errors;  /* by worker */
} LossRun;

static Status run_loss_batch(LossRun *run, int task, int worker, Error *err)
{
    const long first = (long)task * LOSS_BATCH, left = data_size(run->data) - first;
    const int n = left < LOSS_BATCH ? (int)left : LOSS_BATCH;
    const Config *c = &run->model->config;
    Arena *arena = run->arenas[worker];
    IdPair pairs[LOSS_BATCH];
    Batch batch;
    Seq2SeqTape tape;
    arena_reset(arena);
    for (int i = 0; i < n; i++) {
        void *ids;
        TRY(arena_alloc(arena, &ids, (size_t)data_pair_room(run->data, first + i), sizeof(int),
                        err));
        TRY(data_pair(run->data, &pairs[i], first + i, 0, ids, &run->pieces[worker], err));
    }
    TRY(batch_create(&batch, pairs, n, c->source_vocab, c->target_vocab, arena, err));
    TRY(seq2seq_tape_alloc(&tape, run->model, arena, &batch, 0, NULL, err));
    seq2seq_forward(run->model, &tape);
    for (int i = 0; i < batch.target.N; i++) {
        const real *logits = mat_row(tape.readout.logits, i);
        run->loss[task].nll += (double)vec_ops()->log_sum_exp(logits, c->target_vocab) -
                               (double)logits[batch.output_ids[i]];
    }
    run->n_target[task] = batch.target.N;
    return OK;
}

static void loss_task(void *context, int task, int worker)
{
    LossRun *run = context;
    run->status[task] = run_loss_batch(run, task, worker, &run->errors[worker]);
}

static Status sum_losses(const LossRun *run, double *loss, int n_tasks, int n_workers, Error *err)
{
    double nll = 0;
    long n_target = 0;
    for (int i = 0; i < n_tasks; i++) {
        if (run->status[i] != OK) {
            for (int w = 0; w < n_workers; w++) {
                if (run->errors[w].code == run->status[i] && err != NULL) {
                    *err = run->errors[w];
                }
            }
            return run->status[i];
        }
        nll += run->loss[i].nll;
        n_target += run->n_target[i];
    }
    *loss = nll / (double)(n_target > 0 ? n_target : 1);
    return OK;
}

static Status measure_loss(double *loss, const Seq2Seq *model, const Data *data, Threads *threads,
                           Error *err)
{
    const int n_tasks = (int)((data_size(data) + LOSS_BATCH - 1) / LOSS_BATCH);
    const int n_workers = threads_count(threads);
    LossRun run = {.model = model,
                   .data = data,
                   .arenas = mem_zero_alloc((size_t)n_workers, sizeof *run.arenas),
                   .pieces = mem_zero_alloc((size_t)n_workers, sizeof *run.pieces),
                   .loss = mem_zero_alloc((size_t)n_tasks, sizeof *run.loss),
                   .n_target = mem_zero_alloc((size_t)n_tasks, sizeof *run.n_target),
                   .status = mem_zero_alloc((size_t)n_tasks, sizeof *run.status),
                   .errors = mem_zero_alloc((size_t)n_workers, sizeof *run.errors)};
    Status status = OK;
    if (run.arenas == NULL || run.pieces == NULL || run.loss == NULL || run.n_target == NULL ||
        run.status == NULL || run.errors == NULL) {
        status = mem_fail(err, "validation", (size_t)n_tasks, sizeof *run.loss);
    }
    for (int w = 0; w < n_workers && status == OK; w++) {
        status = arena_create(&run.arenas[w], 0, err);
    }
    if (status == OK) {
        threads_run(threads, loss_task, &run, n_tasks);
        status = sum_losses(&run, loss, n_tasks, n_workers, err);
    }
    for (int w = 0; w < n_workers; w++) {
        if (run.arenas != NULL) {
            arena_free(run.arenas[w]);
        }
        if (run.pieces != NULL) {
            pieces_free(&run.pieces[w]);
        }
    }
    mem_free(run.arenas);
    mem_free(run.pieces);
    mem_free(run.loss);
    mem_free(run.n_target);
    mem_free(run.status);
    mem_free(run.errors);
    return status;
}

BleuTokenizer validate_choose_tokenizer(const Corpus *valid)
{
    (void)valid;
    return BLEU_13A;
}

Status validate(Validation *out, const Seq2Seq *model, const Tokenizer *source,
                const Tokenizer *target, const Corpus *valid, const ValidateOptions *options,
                Threads *threads, Error *err)
{
    Data *data;
    const DataOptions whole = {.max_length = 0};
    (void)options;
    TRY(data_create(&data, valid, source, target, &whole, threads, err));
    const Status status = measure_loss(&out->loss, model, data, threads, err);
    data_free(data);
    out->metric = -out->loss;
    return status;
}

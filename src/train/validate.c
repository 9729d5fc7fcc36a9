/* Validation; see the header. */
#include "train/validate.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/beam.h"
#include "math/vec.h"
#include "text/script.h"
#include "text/unicode.h"
#include "train/data.h"

enum { LOSS_BATCH = 32, TRANSLATE_BATCH = 32 };

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
    /* Scripts that are written without spaces have a word for each grapheme (text/words.h). */
    long n_words = 0, n_each = 0;
    for (long i = 0; i < corpus_size(valid) && i < 1000; i++) {
        size_t len;
        const char *line = corpus_line(valid, SIDE_TARGET, i, &len);
        for (size_t at = 0; at < len;) {
            uint32_t point;
            long n_malformed = 0;
            at += unicode_decode(line + at, len - at, &point, &n_malformed);
            const Script script = script_of(point);
            n_each +=
                script == SCRIPT_HAN || script == SCRIPT_HIRAGANA || script == SCRIPT_KATAKANA;
            n_words += point == ' ';
        }
    }
    return n_each > n_words ? BLEU_ZH : BLEU_13A;
}

/* Translations of the first n lines of the source, made in batches of like length. */
typedef struct TranslateRun {
    const Tokenizer *target;
    const Data *data;
    BeamOptions beam;
    Beam **beams; /* by worker */
    Arena **arenas;
    Pieces *pieces;
    const int *order; /* lines by length */
    long n;
    Buffer *out; /* by line */
    Status *status;
    Error *errors;
} TranslateRun;

static Status translate_batch(TranslateRun *run, int task, int worker, Error *err)
{
    const long first = (long)task * TRANSLATE_BATCH, left = run->n - first;
    const int n = left < TRANSLATE_BATCH ? (int)left : TRANSLATE_BATCH;
    BeamInput inputs[TRANSLATE_BATCH] = {0};
    HypothesisList lists[TRANSLATE_BATCH];
    Arena *arena = run->arenas[worker];
    arena_reset(arena);
    for (int i = 0; i < n; i++) {
        void *ids;
        IdPair pair;
        const long line = run->order[first + i];
        TRY(arena_alloc(arena, &ids, (size_t)data_pair_room(run->data, line), sizeof(int), err));
        TRY(data_pair(run->data, &pair, line, 0, ids, &run->pieces[worker], err));
        inputs[i] =
            (BeamInput){.source = pair.source, .n_source = pair.n_source, .line = (uint64_t)line};
    }
    TRY(beam_search(run->beams[worker], lists, &run->beam, inputs, n, arena, err));
    for (int i = 0; i < n; i++) {
        const Hypothesis *best = &lists[i].v[0];
        const int n_tokens = best->n_tokens - best->is_finished;
        if (inputs[i].n_source > 0) {
            TRY(tokenizer_decode(run->target, best->tokens, n_tokens,
                                 &run->out[run->order[first + i]], err));
        }
    }
    return OK;
}

static void translate_task(void *context, int task, int worker)
{
    TranslateRun *run = context;
    if (run->status[worker] == OK) {
        run->status[worker] = translate_batch(run, task, worker, &run->errors[worker]);
    }
}

/* order [n] by source length: a counting sort, stable. */
static Status order_by_length(int **out, const Data *data, long n, Error *err)
{
    int longest = 0;
    for (long i = 0; i < n; i++) {
        const int length = data_length(data, SIDE_SOURCE, i);
        longest = length > longest ? length : longest;
    }
    long *at = mem_zero_alloc((size_t)longest + 2, sizeof *at);
    int *order = mem_alloc((size_t)n, sizeof *order);
    if (at == NULL || order == NULL) {
        mem_free(at);
        mem_free(order);
        return mem_fail(err, "validation", (size_t)n, sizeof *order);
    }
    for (long i = 0; i < n; i++) {
        at[data_length(data, SIDE_SOURCE, i) + 1]++;
    }
    for (int length = 0; length < longest; length++) {
        at[length + 1] += at[length];
    }
    for (long i = 0; i < n; i++) {
        order[at[data_length(data, SIDE_SOURCE, i)]++] = (int)i;
    }
    mem_free(at);
    *out = order;
    return OK;
}

static Status run_translation(TranslateRun *run, const Ensemble *ensemble, Threads *threads,
                              Error *err)
{
    const int n_workers = threads_count(threads);
    if (run->beams == NULL || run->arenas == NULL || run->pieces == NULL || run->status == NULL ||
        run->errors == NULL) {
        return mem_fail(err, "validation", (size_t)n_workers, sizeof *run->errors);
    }
    for (int w = 0; w < n_workers; w++) {
        TRY(arena_create(&run->arenas[w], 0, err));
        TRY(beam_create(&run->beams[w], ensemble, err));
    }
    threads_run(threads, translate_task, run,
                (int)((run->n + TRANSLATE_BATCH - 1) / TRANSLATE_BATCH));
    for (int w = 0; w < n_workers; w++) {
        if (run->status[w] != OK) {
            *err = run->errors[w];
            return run->status[w];
        }
    }
    return OK;
}

/* out [n] receives the translations of the first n lines. */
static Status translate_lines(Buffer *out, long n, const Seq2Seq *model, const Tokenizer *target,
                              const Data *data, int beam_size, Threads *threads, Error *err)
{
    const size_t n_workers = (size_t)threads_count(threads);
    const Ensemble ensemble = {.models = {model}, .n = 1};
    int *order = NULL;
    TRY(order_by_length(&order, data, n, err));
    TranslateRun run = {.target = target,
                        .data = data,
                        .beam = beam_defaults(),
                        .beams = mem_zero_alloc(n_workers, sizeof *run.beams),
                        .arenas = mem_zero_alloc(n_workers, sizeof *run.arenas),
                        .pieces = mem_zero_alloc(n_workers, sizeof *run.pieces),
                        .order = order,
                        .n = n,
                        .out = out,
                        .status = mem_zero_alloc(n_workers, sizeof *run.status),
                        .errors = mem_zero_alloc(n_workers, sizeof *run.errors)};
    run.beam.beam_size = beam_size;
    const Status status = run_translation(&run, &ensemble, threads, err);
    for (size_t w = 0; w < n_workers; w++) {
        if (run.beams != NULL) {
            beam_free(run.beams[w]);
        }
        if (run.arenas != NULL) {
            arena_free(run.arenas[w]);
        }
        if (run.pieces != NULL) {
            pieces_free(&run.pieces[w]);
        }
    }
    mem_free(run.beams);
    mem_free(run.arenas);
    mem_free(run.pieces);
    mem_free(run.status);
    mem_free(run.errors);
    mem_free(order);
    return status;
}

static int is_same(const Buffer *buf, const char *text, size_t len)
{
    return buf->len == len && (len == 0 || memcmp(buf->bytes, text, len) == 0);
}

static int compare_buffers(const void *a, const void *b)
{
    const Buffer *x = *(const Buffer *const *)a, *y = *(const Buffer *const *)b;
    const size_t n = x->len < y->len ? x->len : y->len;
    const int order = n == 0 ? 0 : memcmp(x->bytes, y->bytes, n);
    return order != 0 ? order : x->len < y->len ? -1 : x->len > y->len;
}

/* The share of different outputs. */
static Status measure_distinct(double *out, const Buffer *outputs, long n, Error *err)
{
    const Buffer **sorted = mem_alloc((size_t)n, sizeof *sorted);
    if (sorted == NULL) {
        return mem_fail(err, "validation", (size_t)n, sizeof *sorted);
    }
    for (long i = 0; i < n; i++) {
        sorted[i] = &outputs[i];
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare_buffers);
    long n_different = 1;
    for (long i = 1; i < n; i++) {
        n_different += compare_buffers(&sorted[i - 1], &sorted[i]) != 0;
    }
    mem_free(sorted);
    *out = (double)n_different / (double)n;
    return OK;
}

/* BLEU, chrF, the shares and the samples, from the outputs. */
static Status judge(Validation *out, const Buffer *outputs, long n, const Corpus *valid,
                    const ValidateOptions *options, Error *err)
{
    BleuStats bleu = {0};
    ChrfStats chrf = {0};
    long n_copied = 0;
    for (long i = 0; i < n; i++) {
        size_t len, len_source;
        const char *reference = corpus_line(valid, SIDE_TARGET, i, &len);
        const char *source = corpus_line(valid, SIDE_SOURCE, i, &len_source);
        const char *text = outputs[i].len == 0 ? "" : outputs[i].bytes;
        TRY(bleu_add(&bleu, (BleuOptions){options->tokenizer, 0}, text, outputs[i].len, reference,
                     len, err));
        TRY(chrf_add(&chrf, (ChrfOptions){0}, text, outputs[i].len, reference, len, err));
        n_copied += is_same(&outputs[i], source, len_source);
    }
    out->bleu = bleu_score(&bleu).bleu;
    out->chrf = chrf_score(&chrf, (ChrfOptions){0});
    out->copied = (double)n_copied / (double)n;
    for (int i = 0; i < VALIDATION_SAMPLES; i++) {
        out->samples[i] = (2 * i + 1) * n / (2 * VALIDATION_SAMPLES);
        const Buffer *sample = &outputs[out->samples[i]];
        TRY(buffer_add(&out->translations[i], sample->bytes, sample->len, err));
    }
    return measure_distinct(&out->distinct, outputs, n, err);
}

static Status measure_translations(Validation *out, const Seq2Seq *model, const Tokenizer *target,
                                   const Data *data, const Corpus *valid,
                                   const ValidateOptions *options, Threads *threads, Error *err)
{
    long n = data_size(data);
    n = options->max_sentences > 0 && options->max_sentences < n ? options->max_sentences : n;
    Buffer *outputs = mem_zero_alloc((size_t)n, sizeof *outputs);
    if (outputs == NULL) {
        return mem_fail(err, "validation", (size_t)n, sizeof *outputs);
    }
    Status status =
        translate_lines(outputs, n, model, target, data, options->beam_size, threads, err);
    if (status == OK) {
        status = judge(out, outputs, n, valid, options, err);
    }
    for (long i = 0; i < n; i++) {
        buffer_free(&outputs[i]);
    }
    mem_free(outputs);
    return status;
}

Status validate(Validation *out, const Seq2Seq *model, const Tokenizer *source,
                const Tokenizer *target, const Corpus *valid, const ValidateOptions *options,
                Threads *threads, Error *err)
{
    Data *data;
    Error local = {0}; /* the workers' errors are copied somewhere even when the caller wants none */
    const DataOptions whole = {.max_length = 0};
    Validation v = {0};
    err = err == NULL ? &local : err;
    TRY(data_create(&data, valid, source, target, &whole, threads, err));
    Status status = measure_loss(&v.loss, model, data, threads, err);
    if (status == OK) {
        status = measure_translations(&v, model, target, data, valid, options, threads, err);
    }
    data_free(data);
    if (status != OK) {
        validation_free(&v);
        return status;
    }
    v.metric = options->metric == VALID_BLEU   ? v.bleu
               : options->metric == VALID_CHRF ? v.chrf
                                               : -v.loss;
    *out = v;
    return OK;
}

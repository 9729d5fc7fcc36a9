/* Validation; see the header. */
#include "train/validate.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/translator.h"
#include "math/vec.h"
#include "text/script.h"
#include "text/unicode.h"
#include "train/data.h"
#include "train/samples.h"

enum { LOSS_BATCH = 8 };

/* The loss reads at most so many pieces of a side: pairs for validation are not filtered, and one that
 * is a megabyte long must not end the training. */
enum { LOSS_MAX_PIECES = 1000 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

void validation_free(Validation *validation)
{
    arena_free(validation->arena);
    validation->arena = NULL;
}

/* The loss of all pairs; each task is a batch of its own, summed in order. */
typedef struct LossRun {
    const Seq2Seq *model;
    const Data *data;
    Arenas arenas; /* by worker */
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
    Arena *arena = run->arenas.v[worker];
    IdPair pairs[LOSS_BATCH];
    Batch batch;
    Seq2SeqTape tape;
    arena_reset(arena);
    for (int i = 0; i < n; i++) {
        void *ids;
        TRY(arena_alloc(arena, &ids, (size_t)data_pair_room(run->data, first + i), sizeof(int),
                        err));
        TRY(data_pair(run->data, &pairs[i], first + i, 0, ids, &run->pieces[worker], err));
        pairs[i].n_source = least(pairs[i].n_source, LOSS_MAX_PIECES);
        pairs[i].n_target = least(pairs[i].n_target, LOSS_MAX_PIECES);
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
                   .pieces = mem_zero_alloc((size_t)n_workers, sizeof *run.pieces),
                   .loss = mem_zero_alloc((size_t)n_tasks, sizeof *run.loss),
                   .n_target = mem_zero_alloc((size_t)n_tasks, sizeof *run.n_target),
                   .status = mem_zero_alloc((size_t)n_tasks, sizeof *run.status),
                   .errors = mem_zero_alloc((size_t)n_workers, sizeof *run.errors)};
    Status status = arenas_create(&run.arenas, n_workers, err);
    if (run.pieces == NULL || run.loss == NULL || run.n_target == NULL || run.status == NULL ||
        run.errors == NULL) {
        status = mem_fail(err, "validation", (size_t)n_tasks, sizeof *run.loss);
    }
    if (status == OK) {
        threads_run(threads, loss_task, &run, n_tasks);
        status = sum_losses(&run, loss, n_tasks, n_workers, err);
    }
    for (int w = 0; w < n_workers; w++) {
        if (run.pieces != NULL) {
            pieces_free(&run.pieces[w]);
        }
    }
    arenas_free(&run.arenas);
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

/* Keeps the best translation of each line. */
static Status keep_translation(void *context, const Translation *translation, Error *err)
{
    Buffer *outputs = context;
    const Dump *dump = &translation->dump;
    return translation->is_first
               ? buffer_add(&outputs[dump->id], dump->target.bytes, dump->target.len, err)
               : OK;
}

/* outputs [n] receives the translations of the first n lines, by the search of `heed translate`. */
static Status translate_lines(Buffer *outputs, long n, const Seq2Seq *model,
                              const Tokenizer *source, const Tokenizer *target, const Corpus *valid,
                              int beam_size, Threads *threads, Error *err)
{
    const Ensemble ensemble = {.models = {model}, .n = 1};
    TranslateOptions options = translate_defaults();
    options.beam.beam_size = beam_size;
    Translator *translator;
    TranslateLine *lines = mem_zero_alloc((size_t)n, sizeof *lines);
    if (lines == NULL) {
        return mem_fail(err, "validation", (size_t)n, sizeof *lines);
    }
    for (long i = 0; i < n; i++) {
        lines[i].text = corpus_line(valid, SIDE_SOURCE, i, &lines[i].len);
        lines[i].id = i;
    }
    Status status = translator_create(&translator, &ensemble, source, target, threads, err);
    if (status == OK) {
        status = translator_translate(translator, &options, lines, n, keep_translation, outputs,
                                      NULL, err);
        translator_free(translator);
    }
    mem_free(lines);
    return status;
}

static int is_same(const Buffer *buf, const char *text, size_t len)
{
    return buf->len == len && (len == 0 || memcmp(buf->bytes, text, len) == 0);
}

static int compare_texts(const void *a, const void *b)
{
    const DumpText *x = a, *y = b;
    const size_t n = x->len < y->len ? x->len : y->len;
    const int order = n == 0 ? 0 : memcmp(x->bytes, y->bytes, n);
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

/* Sorts the texts and counts the different ones; *most is how often the most frequent one occurs.
 */
static long count_different(DumpText *texts, long n, long *most)
{
    long n_different = 0, run = 0;
    qsort(texts, (size_t)n, sizeof *texts, compare_texts);
    *most = 0;
    for (long i = 0; i < n; i++) {
        const int is_new = i == 0 || compare_texts(&texts[i - 1], &texts[i]) != 0;
        n_different += is_new;
        run = is_new ? 1 : run + 1;
        *most = run > *most ? run : *most;
    }
    return n_different;
}

/* Whether the model says the same whatever it is given. Sources that occur twice may well have one
 * translation. */
static Status measure_distinct(Validation *out, const Buffer *outputs, long n, const Corpus *valid,
                               Error *err)
{
    DumpText *texts = mem_alloc((size_t)n, sizeof *texts);
    long most;
    if (texts == NULL) {
        return mem_fail(err, "validation", (size_t)n, sizeof *texts);
    }
    for (long i = 0; i < n; i++) {
        texts[i].bytes = corpus_line(valid, SIDE_SOURCE, i, &texts[i].len);
    }
    out->n_sources = count_different(texts, n, &most);
    for (long i = 0; i < n; i++) {
        texts[i] = (DumpText){outputs[i].bytes, outputs[i].len};
    }
    out->distinct = fmin(1, (double)count_different(texts, n, &most) / (double)out->n_sources);
    out->commonest = (double)most / (double)n;
    mem_free(texts);
    return OK;
}

/* BLEU, chrF and the shares, from the outputs. */
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
    return measure_distinct(out, outputs, n, valid, err);
}

/* Samples from all over the part that is translated, and the fixed pair. */
static Status take_samples(Validation *out, const SampleSource *from, long n, int n_samples,
                           Error *err)
{
    const long fixed = sample_choose(from->corpus);
    out->n_samples = n_samples < n ? n_samples : (int)n;
    for (int i = 0; i < out->n_samples; i++) {
        const long place = (2 * i + 1) * n / (2 * out->n_samples);
        TRY(sample_translate(&out->samples[i], from, place, out->arena, err));
    }
    return fixed < 0 ? OK : sample_force(&out->fixed, from, fixed, out->arena, err);
}

static Status measure_translations(Validation *out, const Seq2Seq *model, const Tokenizer *source,
                                   const Tokenizer *target, const Corpus *valid,
                                   const ValidateOptions *options, Threads *threads, Error *err)
{
    long n = corpus_size(valid);
    n = options->max_sentences > 0 && options->max_sentences < n ? options->max_sentences : n;
    Buffer *outputs = mem_zero_alloc((size_t)n, sizeof *outputs);
    if (outputs == NULL) {
        return mem_fail(err, "validation", (size_t)n, sizeof *outputs);
    }
    Status status =
        translate_lines(outputs, n, model, source, target, valid, options->beam_size, threads, err);
    if (status == OK) {
        status = judge(out, outputs, n, valid, options, err);
    }
    for (long i = 0; i < n; i++) {
        buffer_free(&outputs[i]);
    }
    mem_free(outputs);
    return status;
}

/* The value that is maximised. A young model has BLEU 0 for a while: equal scores go by the loss, which is
 * scaled so that it decides nothing else. */
static double metric_of(const Validation *v, ValidMetric metric)
{
    const double tie_break = 1e-6 * v->loss;
    switch (metric) {
    case VALID_BLEU:
        return v->bleu - tie_break;
    case VALID_CHRF:
        return v->chrf - tie_break;
    case VALID_LOSS:
        break;
    }
    return -v->loss;
}

Status validate(Validation *out, const Seq2Seq *model, const Tokenizer *source,
                const Tokenizer *target, const Corpus *valid, const ValidateOptions *options,
                Threads *threads, Error *err)
{
    Data *data;
    Error local = {
        0}; /* the workers' errors are copied somewhere even when the caller wants none */
    const DataOptions whole = {.max_length = 0};
    Validation v = {0};
    err = err == NULL ? &local : err;
    TRY(data_create(&data, valid, source, target, &whole, threads, err));
    Status status = measure_loss(&v.loss, model, data, threads, err);
    if (status == OK) {
        status = measure_translations(&v, model, source, target, valid, options, threads, err);
    }
    if (status == OK) {
        status = arena_create(&v.arena, 0, err);
    }
    if (status == OK) {
        const SampleSource from = {model, source, target, valid, options->beam_size};
        const long size = corpus_size(valid), most = options->max_sentences;
        status =
            take_samples(&v, &from, most > 0 && most < size ? most : size, options->n_samples, err);
    }
    data_free(data);
    if (status != OK) {
        validation_free(&v);
        return status;
    }
    v.metric = metric_of(&v, options->metric);
    *out = v;
    return OK;
}

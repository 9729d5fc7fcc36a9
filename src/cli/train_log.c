/* What a training leaves to look at; see the header. */
#include "cli/train_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "text/lines.h"
#include "view/report.h"

enum { N_FIELDS = 11 };

struct TrainLog {
    TrainLogOptions options;
    ReportPoint *points;
    Dump *samples; /* n_samples a point */
    Dump *fixed;   /* one a point */
    int n, cap, n_samples;
    DumpText references[VALIDATION_SAMPLES];
    Arena *arena; /* of the records */
    Buffer corpus;
    Status status; /* the first failure; after it nothing more is tried */
    Error err;
};

/* "--report" has the table of the corpus as cells; corpus_report is for the screen. */
static Status describe_corpus(TrainLog *log, Error *err)
{
    static const struct {
        CorpusReason reason;
        const char *name;
    } rows[] = {{CORPUS_BLANK, "blank side"},
                {CORPUS_MALFORMED, "malformed UTF-8"},
                {CORPUS_LONG, "too long"},
                {CORPUS_RATIO, "extreme length ratio"},
                {CORPUS_IDENTICAL, "identical sides"},
                {CORPUS_DUPLICATE, "exact duplicate"}};
    const Corpus *train = log->options.train;
    Buffer *out = &log->corpus;
    TRY(buffer_printf(out, err, "pairs\tnumber\tthey were\n"));
    TRY(buffer_printf(out, err, "read\t%ld\t\ntraining\t%ld\tkept\nvalidation\t%ld\t\n",
                      corpus_n_read(train), corpus_size(train), corpus_size(log->options.valid)));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const CorpusCount *count = corpus_count(train, rows[i].reason);
        if (count->n > 0) {
            TRY(buffer_printf(out, err, "%s\t%ld\t%s\n", rows[i].name, count->n,
                              count->is_dropped ? "dropped" : "kept"));
        }
    }
    return OK;
}

Status train_log_create(TrainLog **out, const TrainLogOptions *options, Error *err)
{
    TrainLog *log = mem_zero_alloc(1, sizeof *log);
    if (log == NULL) {
        return mem_fail(err, "the log", 1, sizeof *log);
    }
    log->options = *options;
    Status status = arena_create(&log->arena, 0, err);
    status = status == OK ? describe_corpus(log, err) : status;
    if (status != OK) {
        train_log_free(log);
        return status;
    }
    *out = log;
    return OK;
}

void train_log_free(TrainLog *log)
{
    if (log != NULL) {
        mem_free(log->points);
        mem_free(log->samples);
        mem_free(log->fixed);
        arena_free(log->arena);
        buffer_free(&log->corpus);
        mem_free(log);
    }
}

static Status grow(void **block, int n, size_t size, Error *err)
{
    void *grown = mem_resize(*block, (size_t)n, size);
    if (grown == NULL) {
        return mem_fail(err, "the log", (size_t)n, size);
    }
    *block = grown;
    return OK;
}

/* Adds a point without samples. */
static Status add_point(TrainLog *log, const ReportPoint *point, Error *err)
{
    if (log->n == log->cap) {
        const int cap = 2 * log->cap + 16;
        void *points = log->points, *samples = log->samples, *fixed = log->fixed;
        Status status = grow(&points, cap, sizeof *log->points, err);
        log->points = points;
        status = status == OK ? grow(&samples, cap * VALIDATION_SAMPLES, sizeof *log->samples, err)
                              : status;
        log->samples = samples;
        status = status == OK ? grow(&fixed, cap, sizeof *log->fixed, err) : status;
        log->fixed = fixed;
        TRY(status);
        log->cap = cap;
    }
    log->points[log->n] = *point;
    log->fixed[log->n] = (Dump){0};
    for (int i = 0; i < log->n_samples; i++) {
        log->samples[log->n * log->n_samples + i] = (Dump){0};
    }
    log->n++;
    return OK;
}

/* A copy in words that depends on the log's arena and the corpora alone, and on the tokenizers
 * where a side is nothing but blanks. */
static Status keep(TrainLog *log, Dump *out, const Dump *dump, Error *err)
{
    void *text;
    Dump copy = *dump;
    TRY(arena_alloc(log->arena, &text, dump->target.len + 1, 1, err));
    if (dump->target.len > 0) {
        memcpy(text, dump->target.bytes, dump->target.len);
    }
    copy.target.bytes = text;
    copy.word_scores = NULL;
    return dump_to_words(out, &copy, log->arena, err);
}

static Status add_validation(TrainLog *log, const TrainValidation *v, Error *err)
{
    const Validation *r = &v->result;
    const ReportPoint point = {.epoch = v->epoch,
                               .update = v->update,
                               .minutes = v->elapsed / 60,
                               .train_loss = v->train_loss > 0 ? v->train_loss : (double)NAN,
                               .valid_loss = r->loss,
                               .bleu = r->bleu,
                               .chrf = r->chrf,
                               .learn_rate = v->rate,
                               .gradient_norm = v->norm,
                               .tokens_per_second = v->pieces_per_second,
                               .is_best = v->is_best};
    for (int i = 0; log->n_samples == 0 && i < r->n_samples; i++) {
        log->references[i].bytes =
            corpus_line(log->options.valid, SIDE_TARGET, r->samples[i].id, &log->references[i].len);
    }
    if (log->n_samples == 0 && r->n_samples > 0) { /* the points so far come from the table */
        log->n_samples = r->n_samples;
        for (int i = 0; i < log->n * log->n_samples; i++) {
            log->samples[i] = (Dump){0};
        }
    }
    TRY(add_point(log, &point, err));
    for (int i = 0; i < log->n_samples; i++) {
        TRY(keep(log, &log->samples[(log->n - 1) * log->n_samples + i], &r->samples[i], err));
    }
    return keep(log, &log->fixed[log->n - 1], &r->fixed, err);
}

static Status save(const char *path, const Buffer *text, Error *err)
{
    IoSave *file;
    TRY(io_save_begin(&file, path, err));
    const Status status = io_save_write(file, text->bytes, text->len, err);
    if (status != OK) {
        io_save_abort(file);
        return status;
    }
    return io_save_commit(file, err);
}

static Status write_files(const TrainLog *log, const char *sentence, Error *err)
{
    const Report report = {.title = log->options.title,
                           .status = sentence,
                           .points = log->points,
                           .n_points = log->n,
                           .references = log->references,
                           .samples = log->samples,
                           .n_samples = log->n_samples,
                           .fixed = log->fixed,
                           .corpus = log->corpus.bytes,
                           .options = log->options.settings};
    Buffer text = {0};
    Status status = OK;
    if (log->options.table != NULL) {
        status = report_tsv(&text, &report, err);
        status = status == OK ? save(log->options.table, &text, err) : status;
    }
    if (status == OK && log->options.page != NULL) {
        buffer_clear(&text);
        status = report_html(&text, &report, err);
        status = status == OK ? save(log->options.page, &text, err) : status;
    }
    buffer_free(&text);
    return status;
}

/* Reads a line of the table; false when it is none. */
static int read_point(ReportPoint *out, const char *line, size_t len)
{
    double v[N_FIELDS];
    char text[512];
    if (len >= sizeof text || memchr(line, 0, len) != NULL) {
        return 0;
    }
    memcpy(text, line, len);
    text[len] = '\0';
    char *at = text;
    for (int i = 0; i < N_FIELDS; i++) {
        char *end = at + strcspn(at, "\t"), *stop;
        if ((*end == '\0') != (i == N_FIELDS - 1)) {
            return 0;
        }
        v[i] = at == end ? (double)NAN : strtod(at, &stop);
        if (at != end && stop != end) {
            return 0;
        }
        at = end + 1;
    }
    if (!(v[0] >= 0 && v[0] < 1e15 && v[1] >= 0 && v[1] < 1e15)) {
        return 0;
    }
    *out = (ReportPoint){(long)v[0], (long)v[1], v[2], v[3], v[4],     v[5],
                         v[6],       v[7],       v[8], v[9], v[10] > 0};
    return 1;
}

/* The points of an earlier session of the run. A line that is none (the heading) is passed over. */
static Status read_table(TrainLog *log, long last_update, Error *err)
{
    LineReader *reader;
    Line line;
    TRY(lines_open(&reader, log->options.table, err));
    Status status = lines_next(reader, &line, err);
    while (status == OK && line.text != NULL) {
        ReportPoint point;
        const int is_point = !line.is_continued && read_point(&point, line.text, line.len);
        if (is_point && point.update <= last_update &&
            (log->n == 0 || point.update > log->points[log->n - 1].update)) {
            status = add_point(log, &point, err);
        }
        status = status == OK ? lines_next(reader, &line, err) : status;
    }
    lines_close(reader);
    return status;
}

void train_log_started(TrainLog *log, const TrainStart *start)
{
    if (log->options.table != NULL && start->resumed_update > 0 && io_exists(log->options.table)) {
        log->status = read_table(log, start->resumed_update, &log->err);
    }
}

void train_log_validated(TrainLog *log, const TrainValidation *v)
{
    if (log->status == OK) {
        log->status = add_validation(log, v, &log->err);
    }
    if (log->status == OK) {
        log->status = write_files(log, "training goes on", &log->err);
    }
}

void train_log_stopped(TrainLog *log, const char *reason)
{
    if (log->status == OK) {
        log->status = write_files(log, reason, &log->err);
    }
}

Status train_log_status(const TrainLog *log, Error *err)
{
    if (log->status != OK && err != NULL) {
        *err = log->err;
    }
    return log->status;
}

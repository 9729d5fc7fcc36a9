/* The parts of `heed bench`: measuring, and telling.
 *
 * A figure is told at once as a line of text, and kept when all are wanted as JSON at the end.
 *
 * Times of kernels are processor time of the thread, the best of several tries: other work on the
 * machine lengthens a try, nothing shortens it. Training is told in medians of wall time and, since
 * a busy machine lends us a processor now and then only, by processor time too; translating, which
 * is measured in one thread, by processor time. */
#ifndef HEED_CLI_BENCH_H
#define HEED_CLI_BENCH_H

#include "base/buffer.h"
#include "base/threads.h"
#include "nn/param.h"

typedef struct Bench {
    Buffer json; /* members of the object, when is_json */
    int is_json, n_figures;
    double peak; /* measured multiply-adds of one core, operations per second */
    Error *err;
    Status status; /* the first failure of telling */
} Bench;

/* What training and translating are measured on. */
typedef struct BenchWork {
    int size;       /* embedding, hidden and attention size alike */
    int vocab;      /* pieces of a side */
    int mini_batch; /* pairs of a batch */
    int length;     /* mean words of a made-up sentence */
    int n_updates;  /* measured ones */
    int n_threads;
    Precision precision; /* of the products of training; may be auto */
    int is_alone;        /* not with one thread besides */
    int is_bahdanau;     /* the decoder of one GRU, as the paper and the usual programs have it */
    const char *source, *target; /* files of pairs, or NULL for made-up ones */
} BenchWork;

/* A heading. */
void bench_section(Bench *b, const char *format, ...) CHECK_FORMAT(2, 3);

/* A figure: "key" names it in JSON. share is that of the peak, or 0 for none. */
void bench_figure(Bench *b, const char *key, double value, const char *unit, double share);

/* A line of text; in JSON a string. */
void bench_fact(Bench *b, const char *key, const char *value);

/* Seconds of processor time that one call of run takes. */
double bench_best(void (*run)(void *context), void *context);

/* The middle one of n values, which are sorted. */
double bench_median(double *values, int n);

/* Each measures its part; the first failure is kept in b or returned. */
void bench_machine(Bench *b, int n_threads);
Status bench_kernels(Bench *b, Error *err) MUST_USE;
Status bench_training(Bench *b, const BenchWork *work, Error *err) MUST_USE;
Status bench_parts(Bench *b, const BenchWork *work, Error *err) MUST_USE;
Status bench_decoding(Bench *b, const BenchWork *work, Error *err) MUST_USE;

/* Pieces per second, bytes and so on of one training run, for bench_training and the sweep. */
typedef struct BenchRun {
    double pieces_per_second, seconds, busy; /* of the update in the middle; busy: processors had */
    double flops;                            /* of one update's products */
    size_t bytes;                            /* of parameters and activations */
    double n_pieces;                         /* of an update, source and target */
} BenchRun;
Status bench_run(BenchRun *out, const BenchWork *work, int n_threads, Error *err) MUST_USE;

/* A chart of training speed and memory over one quantity: 0 size, 1 vocabulary, 2 length, 3 batch. */
Status bench_sweep(Bench *b, const BenchWork *work, int quantity, Error *err) MUST_USE;

#endif

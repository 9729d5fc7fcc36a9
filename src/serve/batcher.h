/* A queue in front of the translator, so that lines of many clients share a batch.
 *
 *     job A  a0 a1            one worker takes up to max_batch lines (BATCHER_MAX_BYTES of text)
 *     job B  b0 b1 b2 ...     of jobs that ask alike, in the order of arrival, and hands them to
 *     job C  c0               `answer` together; a job with lines left goes behind the others
 *
 * While the worker is busy further jobs arrive, so the batch grows with the load and a lone client
 * never waits for company. A job that fails in company is tried again alone.
 *
 * Threads: every function may be called from any thread. The callbacks run in the worker's. */
#ifndef HEED_SERVE_BATCHER_H
#define HEED_SERVE_BATCHER_H

#include "base/buffer.h"
#include "serve/request.h"

enum { BATCHER_MAX_BYTES = 8 << 10 };

typedef struct Batcher Batcher;
typedef struct Job Job;

/* Answers n lines: appends to out[i] the JSON value for line i. */
typedef Status (*BatcherAnswer)(void *context, Buffer *out, const RequestSettings *settings,
                                const RequestText *lines, const RequestText *prefixes, int n,
                                Error *err);

/* Called once for a job that was not released, when it has succeeded or failed; short, and without
 * a call of the functions here. */
typedef void (*JobDone)(void *context);

typedef struct BatcherLoad {
    long queued;                      /* lines that wait or are being answered */
    unsigned long n_batches, n_lines; /* answered since the start */
} BatcherLoad;

/* max_queued bounds the lines that may wait. */
Status batcher_create(Batcher **out, BatcherAnswer answer, void *context, int max_batch,
                      long max_queued, Error *err) MUST_USE;

/* Finishes the batch under work and ends the worker. All jobs are released before. */
void batcher_free(Batcher *batcher);

/* Queues a request of at least one line and takes it over. *out is NULL, without an error and with
 * the request untouched, when the queue is full. Otherwise the caller ends *out with job_release.
 */
Status batcher_submit(Batcher *batcher, Job **out, Request *request, JobDone done,
                      void *done_context, Error *err) MUST_USE;

BatcherLoad batcher_load(Batcher *batcher);

/* After done: OK, or why it failed. */
Status job_status(const Job *job, const Error **err);

/* After done, when OK: how many lines, and the JSON value of each. */
int job_count(const Job *job);
const Buffer *job_answer(const Job *job, int line);

/* Ends a job: done will not be called from here on, and lines that nobody works on are dropped.
 * Does not wait. NULL is allowed. */
void job_release(Batcher *batcher, Job *job);

#endif

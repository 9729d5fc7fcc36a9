/* The queue in front of the translator; see the header. */
#include "serve/batcher.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"

struct Job {
    Request request;
    Buffer *answers; /* [n_lines] */
    int n_taken, n_answered;
    int is_released, is_done, is_alone; /* is_alone: it failed in company */
    Status status;
    Error error;
    JobDone done;
    void *done_context;
    Job *next; /* in the queue */
    int is_queued;
};

/* A line of the batch under work. */
typedef struct Place {
    Job *job;
    int line;
} Place;

struct Batcher {
    pthread_mutex_t lock; /* of everything below but the scratch of the worker */
    pthread_cond_t work;
    pthread_t worker;
    int is_ending;
    Job *first, *last;
    BatcherLoad load;
    long max_queued;
    BatcherAnswer answer;
    void *context;
    /* Scratch of the worker, [max_batch]. */
    int max_batch;
    Place *places;
    RequestText *lines, *prefixes;
    Buffer *out;
};

static void job_free(Job *job)
{
    for (int i = 0; job->answers != NULL && i < job->request.n_lines; i++) {
        buffer_free(&job->answers[i]);
    }
    mem_free(job->answers);
    request_free(&job->request);
    mem_free(job);
}

static void enqueue(Batcher *b, Job *job)
{
    job->next = NULL;
    job->is_queued = 1;
    if (b->last != NULL) {
        b->last->next = job;
    } else {
        b->first = job;
    }
    b->last = job;
}

static void dequeue(Batcher *b, Job *job)
{
    Job *before = NULL;
    for (Job *j = b->first; j != job; j = j->next) {
        before = j;
    }
    if (before != NULL) {
        before->next = job->next;
    } else {
        b->first = job->next;
    }
    if (b->last == job) {
        b->last = before;
    }
    job->is_queued = 0;
}

/* No lines are left that somebody works on. */
static int job_is_idle(const Job *job)
{
    return job->n_taken == job->n_answered && !job->is_queued;
}

static int settings_equal(const RequestSettings *a, const RequestSettings *b)
{
    return a->model == b->model && a->beam_size == b->beam_size && a->n_best == b->n_best &&
           a->wants_attention == b->wants_attention && a->wants_pieces == b->wants_pieces;
}

/* Takes lines of a job into the batch, which has n lines and *bytes of text; returns its lines. */
static int take_lines(Batcher *b, Job *job, int n, size_t *bytes)
{
    const Request *r = &job->request;
    while (job->n_taken < r->n_lines && n < b->max_batch) {
        const RequestText line = r->lines[job->n_taken];
        if (n > 0 && *bytes + line.len > BATCHER_MAX_BYTES) {
            break;
        }
        *bytes += line.len;
        b->lines[n] = line;
        b->prefixes[n] = r->prefixes[job->n_taken];
        b->places[n++] = (Place){job, job->n_taken++};
    }
    return n;
}

/* Fills the batch from the queue; returns its lines. Called with the lock held. */
static int take_batch(Batcher *b)
{
    const Job *head = b->first;
    size_t bytes = 0;
    int n = 0;
    Job *unfinished = NULL, *next;
    for (Job *job = b->first; job != NULL && unfinished == NULL; job = next) {
        next = job->next;
        if (job != head && (head->is_alone || job->is_alone ||
                            !settings_equal(&job->request.settings, &head->request.settings))) {
            continue;
        }
        const int before = n;
        n = take_lines(b, job, n, &bytes);
        if (n == before) {
            break; /* full; the job keeps its place */
        }
        dequeue(b, job);
        unfinished = job->n_taken < job->request.n_lines ? job : NULL;
    }
    if (unfinished != NULL) {
        enqueue(b, unfinished);
    }
    return n;
}

/* Tells the owner, or frees what has none. Called with the lock held. */
static void finish_if_ready(Batcher *b, Job *job)
{
    if (job->status != OK && job->is_queued) {
        b->load.queued -= job->request.n_lines - job->n_taken;
        dequeue(b, job);
    }
    if (!job_is_idle(job)) {
        return;
    }
    if (job->is_released) {
        job_free(job);
    } else if (!job->is_done && (job->status != OK || job->n_answered == job->request.n_lines)) {
        job->is_done = 1;
        job->done(job->done_context);
    }
}

/* A batch of several jobs failed: each is asked again by itself. */
static void requeue_alone(Batcher *b, int n)
{
    for (int i = 0; i < n; i++) {
        Job *job = b->places[i].job;
        job->n_taken--;
        job->is_alone = 1;
        if (job->is_released) {
            b->load.queued--;
            if ((i + 1 == n || b->places[i + 1].job != job) && job_is_idle(job)) {
                job_free(job);
            }
        } else if (!job->is_queued) {
            enqueue(b, job);
        }
    }
}

/* Hands the answers over. Called with the lock held. */
static void store_answers(Batcher *b, int n, Status status, const Error *err)
{
    const int is_company = n > 0 && b->places[0].job != b->places[n - 1].job;
    if (status != OK && status != ERR_NOMEM && is_company) {
        requeue_alone(b, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        Job *job = b->places[i].job;
        job->answers[b->places[i].line] = b->out[i];
        b->out[i] = (Buffer){0};
        job->n_answered++;
        if (status != OK) {
            job->status = status;
            job->error = *err;
        }
        if (i + 1 == n || b->places[i + 1].job != job) {
            finish_if_ready(b, job);
        }
    }
    b->load.queued -= n;
    b->load.n_lines += (unsigned long)n;
    b->load.n_batches++;
}

static void *work(void *context)
{
    Batcher *b = context;
    (void)pthread_mutex_lock(&b->lock);
    for (;;) {
        while (b->first == NULL && !b->is_ending) {
            (void)pthread_cond_wait(&b->work, &b->lock);
        }
        if (b->is_ending) {
            break;
        }
        const int n = take_batch(b);
        const RequestSettings settings = b->places[0].job->request.settings;
        (void)pthread_mutex_unlock(&b->lock);
        Error err = {0};
        const Status status =
            b->answer(b->context, b->out, &settings, b->lines, b->prefixes, n, &err);
        (void)pthread_mutex_lock(&b->lock);
        store_answers(b, n, status, &err);
        for (int i = 0; i < n; i++) {
            buffer_free(&b->out[i]);
        }
    }
    (void)pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void free_scratch(Batcher *b)
{
    mem_free(b->places);
    mem_free(b->lines);
    mem_free(b->prefixes);
    mem_free(b->out);
    mem_free(b);
}

Status batcher_create(Batcher **out, BatcherAnswer answer, void *context, int max_batch,
                      long max_queued, Error *err)
{
    Batcher *b = mem_zero_alloc(1, sizeof *b);
    if (b == NULL) {
        return mem_fail(err, "the queue", 1, sizeof *b);
    }
    b->answer = answer;
    b->context = context;
    b->max_batch = max_batch;
    b->max_queued = max_queued;
    b->places = mem_zero_alloc((size_t)max_batch, sizeof *b->places);
    b->lines = mem_zero_alloc((size_t)max_batch, sizeof *b->lines);
    b->prefixes = mem_zero_alloc((size_t)max_batch, sizeof *b->prefixes);
    b->out = mem_zero_alloc((size_t)max_batch, sizeof *b->out);
    if (b->places == NULL || b->lines == NULL || b->prefixes == NULL || b->out == NULL) {
        free_scratch(b);
        return mem_fail(err, "the queue", (size_t)max_batch, sizeof *b->places);
    }
    if (pthread_mutex_init(&b->lock, NULL) != 0) {
        free_scratch(b);
        return fail(err, ERR_IO, "the queue: the system refused a lock");
    }
    if (pthread_cond_init(&b->work, NULL) != 0) {
        (void)pthread_mutex_destroy(&b->lock);
        free_scratch(b);
        return fail(err, ERR_IO, "the queue: the system refused a condition");
    }
    if (pthread_create(&b->worker, NULL, work, b) != 0) {
        (void)pthread_cond_destroy(&b->work);
        (void)pthread_mutex_destroy(&b->lock);
        free_scratch(b);
        return fail(err, ERR_IO, "the queue: the system refused a thread");
    }
    *out = b;
    return OK;
}

void batcher_free(Batcher *b)
{
    if (b == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&b->lock);
    b->is_ending = 1;
    (void)pthread_cond_signal(&b->work);
    (void)pthread_mutex_unlock(&b->lock);
    (void)pthread_join(b->worker, NULL);
    (void)pthread_cond_destroy(&b->work);
    (void)pthread_mutex_destroy(&b->lock);
    free_scratch(b);
}

Status batcher_submit(Batcher *b, Job **out, Request *request, JobDone done, void *done_context,
                      Error *err)
{
    Job *job = mem_zero_alloc(1, sizeof *job);
    Buffer *answers = mem_zero_alloc((size_t)request->n_lines, sizeof *answers);
    if (job == NULL || answers == NULL) {
        mem_free(job);
        mem_free(answers);
        return mem_fail(err, "a job", (size_t)request->n_lines, sizeof *answers);
    }
    *job =
        (Job){.request = *request, .answers = answers, .done = done, .done_context = done_context};
    (void)pthread_mutex_lock(&b->lock);
    const int is_full = b->load.queued + request->n_lines > b->max_queued;
    if (!is_full) {
        b->load.queued += request->n_lines;
        *out = job;
        enqueue(b, job);
        (void)pthread_cond_signal(&b->work);
    }
    (void)pthread_mutex_unlock(&b->lock);
    if (is_full) {
        mem_free(answers);
        mem_free(job);
        *out = NULL;
        return OK;
    }
    *request = (Request){0};
    return OK;
}

BatcherLoad batcher_load(Batcher *b)
{
    (void)pthread_mutex_lock(&b->lock);
    const BatcherLoad load = b->load;
    (void)pthread_mutex_unlock(&b->lock);
    return load;
}

Status job_status(const Job *job, const Error **err)
{
    *err = &job->error;
    return job->status;
}

int job_count(const Job *job)
{
    return job->request.n_lines;
}

const Buffer *job_answer(const Job *job, int line)
{
    return &job->answers[line];
}

void job_release(Batcher *b, Job *job)
{
    if (job == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&b->lock);
    job->is_released = 1;
    if (job->is_queued) {
        b->load.queued -= job->request.n_lines - job->n_taken;
        dequeue(b, job);
    }
    if (job_is_idle(job)) {
        job_free(job);
    }
    (void)pthread_mutex_unlock(&b->lock);
}

/* Worker pool; see the header. */
#if !defined(_GNU_SOURCE) && defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/mem.h"

enum { SPIN_ROUNDS = 2000, YIELD_ROUNDS = 200 };

typedef struct Worker {
    Threads *pool;
    pthread_t thread;
    int index;
} Worker;

struct Threads {
    Worker *workers; /* n - 1 of them, the caller is none of these */
    int n;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_ulong round; /* grows by one with each run */
    atomic_int is_stopping, n_sleeping;
    atomic_int next_task, n_busy;
    /* Written before `round` grows, read by workers after they saw it grow. */
    ThreadTask run;
    void *context;
    int n_tasks;
};

static void take_tasks(Threads *pool, int worker)
{
    int task;
    while ((task = atomic_fetch_add(&pool->next_task, 1)) < pool->n_tasks) {
        pool->run(pool->context, task, worker);
    }
}

/* Waits until `round` differs from seen: spin, yield, sleep. */
static void await_round(Threads *pool, unsigned long seen)
{
    for (int i = 0; i < SPIN_ROUNDS + YIELD_ROUNDS; i++) {
        if (atomic_load(&pool->round) != seen) {
            return;
        }
        if (i >= SPIN_ROUNDS) {
            (void)sched_yield();
        }
    }
    (void)pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->n_sleeping, 1);
    while (atomic_load(&pool->round) == seen) {
        (void)pthread_cond_wait(&pool->wake, &pool->lock);
    }
    atomic_fetch_sub(&pool->n_sleeping, 1);
    (void)pthread_mutex_unlock(&pool->lock);
}

/* Starts a new round; sleepers are woken only when there are any. */
static void begin_round(Threads *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->n_sleeping) > 0) {
        (void)pthread_cond_broadcast(&pool->wake);
    }
    (void)pthread_mutex_unlock(&pool->lock);
}

static void *work(void *argument)
{
    Worker *worker = argument;
    Threads *pool = worker->pool;
    for (unsigned long seen = 0;; seen++) {
        await_round(pool, seen);
        if (atomic_load(&pool->is_stopping)) {
            return NULL;
        }
        take_tasks(pool, worker->index);
        atomic_fetch_sub(&pool->n_busy, 1);
    }
}

/* Starts the workers with all signals blocked, so that signals reach the caller's thread. Fewer
 * start when the system refuses. */
static void start_workers(Threads *pool, int n)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pool->n = 1; pool->n < n; pool->n++) {
        Worker *worker = &pool->workers[pool->n - 1];
        *worker = (Worker){.pool = pool, .index = pool->n};
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            break;
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

Status threads_create(Threads **out, int n, Error *err)
{
    if (n < 1 || n > THREADS_MAX) {
        return fail(err, ERR_ARG, "%d threads: must be between 1 and %d", n, THREADS_MAX);
    }
    Threads *pool = mem_zero_alloc(1, sizeof *pool);
    Worker *workers = mem_zero_alloc((size_t)n, sizeof *workers);
    if (pool == NULL || workers == NULL) {
        mem_free(pool);
        mem_free(workers);
        return mem_fail(err, "threads", (size_t)n, sizeof *workers);
    }
    pool->workers = workers;
    if (pthread_mutex_init(&pool->lock, NULL) != 0) {
        goto refused;
    }
    if (pthread_cond_init(&pool->wake, NULL) != 0) {
        (void)pthread_mutex_destroy(&pool->lock);
        goto refused;
    }
    start_workers(pool, n);
    *out = pool;
    return OK;

refused:
    mem_free(workers);
    mem_free(pool);
    return fail(err, ERR_IO, "the system refuses a lock for threads");
}

void threads_free(Threads *threads)
{
    if (threads == NULL) {
        return;
    }
    atomic_store(&threads->is_stopping, 1);
    begin_round(threads);
    for (int i = 0; i < threads->n - 1; i++) {
        (void)pthread_join(threads->workers[i].thread, NULL);
    }
    (void)pthread_cond_destroy(&threads->wake);
    (void)pthread_mutex_destroy(&threads->lock);
    mem_free(threads->workers);
    mem_free(threads);
}

int threads_count(const Threads *threads)
{
    return threads == NULL ? 1 : threads->n;
}

void threads_run(Threads *threads, ThreadTask run, void *context, int n_tasks)
{
    if (threads == NULL || threads->n == 1 || n_tasks <= 1) {
        for (int task = 0; task < n_tasks; task++) {
            run(context, task, 0);
        }
        return;
    }
    threads->run = run;
    threads->context = context;
    threads->n_tasks = n_tasks;
    atomic_store(&threads->next_task, 0);
    atomic_store(&threads->n_busy, threads->n - 1);
    begin_round(threads);
    take_tasks(threads, 0);
    for (int i = 0; atomic_load(&threads->n_busy) > 0; i++) {
        if (i >= SPIN_ROUNDS) {
            (void)sched_yield();
        }
    }
}

int threads_available(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return CPU_COUNT(&set);
    }
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (int)n;
}

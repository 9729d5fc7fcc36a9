/* A pool of workers that run numbered tasks.
 *
 * threads_run hands the tasks 0 .. n-1 out in order to whoever is free and returns when all are
 * done. Which worker ran a task is not fixed, so a task may only write what is its own; then
 * results do not depend on the number of threads. The caller is worker 0. Waiting spins briefly,
 * then yields, then sleeps, so that a busy machine or more threads than cores cost little.
 *
 * When the system refuses a thread, the pool works with those it got. */
#ifndef HEED_BASE_THREADS_H
#define HEED_BASE_THREADS_H

#include "base/status.h"

typedef struct Threads Threads;

enum { THREADS_MAX = 1024 };

/* task is 0 .. n_tasks-1, worker is 0 .. n_workers-1. */
typedef void (*ThreadTask)(void *context, int task, int worker);

/* Makes a pool of n workers (1 <= n <= THREADS_MAX), the caller among them. */
Status threads_create(Threads **out, int n, Error *err) MUST_USE;
void threads_free(Threads *threads);

/* How many workers the pool has; at least 1, fewer than asked when the system refused some. */
int threads_count(const Threads *threads);

/* Runs all tasks. threads may be NULL: then the caller runs them all. Not reentrant. */
void threads_run(Threads *threads, ThreadTask run, void *context, int n_tasks);

/* The number of processors this process may use, at least 1. */
int threads_available(void);

#endif

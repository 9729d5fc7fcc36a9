/* base/threads when the system refuses threads, and the failure hooks under threads. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/threads.h"
#include "support/check_main.h"

enum { N_TASKS = 100 };

static void add_one(void *context, int task, int worker)
{
    (void)worker;
    ((int *)context)[task]++;
}

/* As an ordinary user who may have no further thread: 0 when one worker did all tasks. */
static int works_alone(void)
{
    Threads *threads;
    Error err;
    static int counts[N_TASKS];
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
        return 77;
    }
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_NPROC, &none) != 0) {
        return 77;
    }
    if (threads_create(&threads, 8, &err) != OK || threads_count(threads) != 1) {
        return 1;
    }
    threads_run(threads, add_one, counts, N_TASKS);
    threads_free(threads);
    for (int i = 0; i < N_TASKS; i++) {
        if (counts[i] != 1) {
            return 2;
        }
    }
    return 0;
}

START_TEST(refused_threads_leave_one_worker)
{
    int how;
    (void)fflush(stdout);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        _exit(works_alone());
    }
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert(WIFEXITED(how));
    if (WEXITSTATUS(how) == 77) {
        puts("skipped: threads cannot be limited here");
    } else {
        ck_assert_int_eq(WEXITSTATUS(how), 0);
    }
}
END_TEST

START_TEST(numbers_of_threads_out_of_bounds_are_refused)
{
    Threads *threads;
    Error err;
    ck_assert_int_eq(threads_create(&threads, 0, &err), ERR_ARG);
    ck_assert_int_eq(threads_create(&threads, THREADS_MAX + 1, &err), ERR_ARG);
    ck_assert_int_eq(threads_create(&threads, 1000000000, &err), ERR_ARG);
    mem_fail_at(2, 0);
    ck_assert_int_eq(threads_create(&threads, 2, &err), ERR_NOMEM);
    mem_fail_at(0, 0);
    threads_free(NULL);
}
END_TEST

/* Signals reach the thread that made the pool, so that a handler sees its state. */
static atomic_int handled_by_worker;
static pthread_t maker;

static void on_signal(int number)
{
    (void)number;
    if (!pthread_equal(pthread_self(), maker)) {
        atomic_store(&handled_by_worker, 1);
    }
}

START_TEST(workers_take_no_signals)
{
    Threads *threads;
    Error err;
    static int counts[N_TASKS];
    maker = pthread_self();
    const struct sigaction action = {.sa_handler = on_signal};
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(threads_create(&threads, 4, &err), OK);
    /* While the maker does not take the signal either, it has to wait. */
    sigset_t one, waiting;
    (void)sigemptyset(&one);
    (void)sigaddset(&one, SIGUSR1);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &one, NULL), 0);
    ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
    threads_run(threads, add_one, counts, N_TASKS);
    ck_assert_int_eq(sigpending(&waiting), 0);
    ck_assert_int_eq(sigismember(&waiting, SIGUSR1), 1);
    ck_assert_int_eq(pthread_sigmask(SIG_UNBLOCK, &one, NULL), 0);
    threads_free(threads);
    ck_assert(!atomic_load(&handled_by_worker));
}
END_TEST

/* Tasks of all workers allocate; the block is counted. */
static void allocate(void *context, int task, int worker)
{
    (void)worker;
    void *block = mem_alloc(1, 1);
    ((int *)context)[task] = block == NULL;
    mem_free(block);
}

START_TEST(the_hook_counts_over_all_threads)
{
    Threads *threads;
    Error err;
    int failed[N_TASKS];
    ck_assert_int_eq(threads_create(&threads, 4, &err), OK);
    for (int round = 0; round < 100; round++) {
        for (int and_later = 0; and_later < 2; and_later++) {
            mem_fail_at(40, and_later);
            threads_run(threads, allocate, failed, N_TASKS);
            mem_fail_at(0, 0);
            int n = 0;
            for (int i = 0; i < N_TASKS; i++) {
                n += failed[i];
            }
            ck_assert_int_eq(n, and_later ? N_TASKS - 39 : 1);
            ck_assert(mem_failed());
        }
    }
    threads_free(threads);
}
END_TEST

TEST_MAIN("threads", tcase_add_test(c, refused_threads_leave_one_worker);
          tcase_add_test(c, numbers_of_threads_out_of_bounds_are_refused);
          tcase_add_test(c, workers_take_no_signals);
          tcase_add_test(c, the_hook_counts_over_all_threads);)

/* The queue in front of the translator. The answer to a line is the line itself in brackets. */
#include "serve/batcher.h"

#include <pthread.h>
#include <string.h>

#include "support/check_main.h"

static const char *const NAMES[] = {"first", "second"};
static const RequestSettings FALLBACK = {0, 5, 1, 0, 0};

/* Counts what is done, and can hold the worker back. */
typedef struct Bench {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_held, n_done, n_calls, n_waiting;
    int largest;
} Bench;

static void bench_init(Bench *bench)
{
    *bench = (Bench){0};
    ck_assert_int_eq(pthread_mutex_init(&bench->lock, NULL), 0);
    ck_assert_int_eq(pthread_cond_init(&bench->changed, NULL), 0);
}

static Status answer(void *context, Buffer *out, const RequestSettings *settings,
                     const RequestText *lines, const RequestText *prefixes, int n, Error *err)
{
    (void)prefixes;
    Bench *bench = context;
    pthread_mutex_lock(&bench->lock);
    bench->n_calls++;
    bench->n_waiting++;
    bench->largest = n > bench->largest ? n : bench->largest;
    pthread_cond_broadcast(&bench->changed);
    while (bench->is_held) {
        pthread_cond_wait(&bench->changed, &bench->lock);
    }
    bench->n_waiting--;
    pthread_mutex_unlock(&bench->lock);
    for (int i = 0; i < n; i++) {
        if (lines[i].len == 3 && memcmp(lines[i].bytes, "bad", 3) == 0) {
            return fail(err, ERR_ARG, "a bad line");
        }
        TRY(buffer_printf(&out[i], err, "[%d:%.*s]", settings->model, (int)lines[i].len,
                          lines[i].bytes));
    }
    return OK;
}

static void done(void *context)
{
    Bench *bench = context;
    pthread_mutex_lock(&bench->lock);
    bench->n_done++;
    pthread_cond_broadcast(&bench->changed);
    pthread_mutex_unlock(&bench->lock);
}

static void hold(Bench *bench, int is_held)
{
    pthread_mutex_lock(&bench->lock);
    bench->is_held = is_held;
    pthread_cond_broadcast(&bench->changed);
    pthread_mutex_unlock(&bench->lock);
}

/* Waits until n jobs are done, or n_waiting batches are held. */
static void wait_for(Bench *bench, int n_done, int n_waiting)
{
    pthread_mutex_lock(&bench->lock);
    while (bench->n_done < n_done || bench->n_waiting < n_waiting) {
        pthread_cond_wait(&bench->changed, &bench->lock);
    }
    pthread_mutex_unlock(&bench->lock);
}

static Job *submit(Batcher *batcher, Bench *bench, const char *body)
{
    Request request;
    Error err = {0};
    Job *job = NULL;
    ck_assert_int_eq(request_parse(&request, body, strlen(body), NAMES, 2, &FALLBACK, &err), OK);
    ck_assert_int_eq(batcher_submit(batcher, &job, &request, done, bench, &err), OK);
    if (job == NULL) {
        request_free(&request);
    }
    return job;
}

static void expect_answer(const Job *job, int line, const char *expected)
{
    const Error *err;
    ck_assert_int_eq(job_status(job, &err), OK);
    ck_assert_str_eq(job_answer(job, line)->bytes, expected);
}

START_TEST(lines_of_waiting_jobs_share_a_batch)
{
    Bench bench;
    bench_init(&bench);
    Batcher *batcher;
    ck_assert_int_eq(batcher_create(&batcher, answer, &bench, 4, 100, NULL), OK);
    hold(&bench, 1);
    Job *a = submit(batcher, &bench, "{\"text\":\"a\"}");
    wait_for(&bench, 0, 1);
    Job *b = submit(batcher, &bench, "{\"text\":[\"b0\",\"b1\"]}");
    Job *other = submit(batcher, &bench, "{\"text\":\"o\",\"model\":\"second\"}");
    Job *c = submit(batcher, &bench, "{\"text\":[\"c0\",\"c1\",\"c2\"]}");
    ck_assert_int_eq((int)batcher_load(batcher).queued, 7);
    hold(&bench, 0);
    wait_for(&bench, 4, 0);
    expect_answer(a, 0, "[0:a]");
    expect_answer(b, 1, "[0:b1]");
    expect_answer(other, 0, "[1:o]");
    expect_answer(c, 0, "[0:c0]");
    expect_answer(c, 2, "[0:c2]");
    ck_assert_int_eq(bench.n_calls, 4); /* a; b0 b1 c0 c1; o; c2 */
    ck_assert_int_eq(bench.largest, 4);
    job_release(batcher, a);
    job_release(batcher, b);
    job_release(batcher, other);
    job_release(batcher, c);
    ck_assert_int_eq((int)batcher_load(batcher).queued, 0);
    ck_assert_int_eq((int)batcher_load(batcher).n_lines, 7);
    batcher_free(batcher);
}
END_TEST

START_TEST(a_full_queue_refuses)
{
    Bench bench;
    bench_init(&bench);
    Batcher *batcher;
    ck_assert_int_eq(batcher_create(&batcher, answer, &bench, 4, 2, NULL), OK);
    hold(&bench, 1);
    Job *a = submit(batcher, &bench, "{\"text\":[\"a\",\"b\"]}");
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_null(submit(batcher, &bench, "{\"text\":\"c\"}"));
    hold(&bench, 0);
    wait_for(&bench, 1, 0);
    job_release(batcher, a);
    Job *c = submit(batcher, &bench, "{\"text\":\"c\"}");
    ck_assert_ptr_nonnull(c);
    wait_for(&bench, 2, 0);
    job_release(batcher, c);
    batcher_free(batcher);
}
END_TEST

START_TEST(one_that_fails_does_not_fail_its_company)
{
    Bench bench;
    bench_init(&bench);
    Batcher *batcher;
    ck_assert_int_eq(batcher_create(&batcher, answer, &bench, 8, 100, NULL), OK);
    hold(&bench, 1);
    Job *first = submit(batcher, &bench, "{\"text\":\"first\"}");
    wait_for(&bench, 0, 1);
    Job *good = submit(batcher, &bench, "{\"text\":[\"x\",\"y\"]}");
    Job *bad = submit(batcher, &bench, "{\"text\":[\"z\",\"bad\"]}");
    Job *late = submit(batcher, &bench, "{\"text\":[\"l0\",\"l1\",\"l2\",\"l3\",\"l4\",\"l5\"]}");
    hold(&bench, 0);
    wait_for(&bench, 4, 0);
    expect_answer(good, 1, "[0:y]");
    for (int i = 0; i < 6; i++) {
        const char expected[] = {'[', '0', ':', 'l', (char)('0' + i), ']', 0};
        expect_answer(late, i, expected);
    }
    const Error *err;
    ck_assert_int_eq(job_status(bad, &err), ERR_ARG);
    ck_assert_str_eq(err->message, "a bad line");
    job_release(batcher, first);
    job_release(batcher, good);
    job_release(batcher, bad);
    job_release(batcher, late);
    ck_assert_int_eq((int)batcher_load(batcher).queued, 0);
    batcher_free(batcher);
}
END_TEST

START_TEST(a_released_job_is_never_done)
{
    Bench bench;
    bench_init(&bench);
    Batcher *batcher;
    ck_assert_int_eq(batcher_create(&batcher, answer, &bench, 1, 100, NULL), OK);
    hold(&bench, 1);
    Job *under_work = submit(batcher, &bench, "{\"text\":[\"a\",\"b\",\"c\"]}");
    Job *waiting = submit(batcher, &bench, "{\"text\":\"d\"}");
    wait_for(&bench, 0, 1);
    job_release(batcher, waiting);
    job_release(batcher, under_work);
    hold(&bench, 0);
    Job *last = submit(batcher, &bench, "{\"text\":\"e\"}");
    wait_for(&bench, 1, 0);
    expect_answer(last, 0, "[0:e]");
    ck_assert_int_eq(bench.n_done, 1);
    ck_assert_int_eq(bench.n_calls, 2); /* a, and e */
    ck_assert_int_eq((int)batcher_load(batcher).queued, 0);
    job_release(batcher, last);
    batcher_free(batcher);
}
END_TEST

TEST_MAIN("batcher", tcase_add_test(c, lines_of_waiting_jobs_share_a_batch);
          tcase_add_test(c, a_full_queue_refuses);
          tcase_add_test(c, one_that_fails_does_not_fail_its_company);
          tcase_add_test(c, a_released_job_is_never_done);)

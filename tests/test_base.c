/* base: memory, arena, buffer, random numbers, threads, files. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "support/check_main.h"

START_TEST(mem_refuses_an_overflow)
{
    ck_assert_ptr_null(mem_alloc((size_t)-1 / 2, 3));
}
END_TEST

START_TEST(mem_hook_fails_the_nth_call)
{
    mem_fail_at(2, 0);
    void *first = mem_alloc(1, 1), *second = mem_alloc(1, 1), *third = mem_alloc(1, 1);
    mem_fail_at(0, 0);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(second);
    ck_assert_ptr_nonnull(third);
    mem_free(first);
    mem_free(third);
}
END_TEST

START_TEST(arena_joins_its_blocks_on_reset)
{
    Arena *arena;
    Error err;
    void *p;
    ck_assert_int_eq(arena_create(&arena, 0, &err), OK);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(arena_alloc(arena, &p, 1000, 4, &err), OK);
        ck_assert_uint_eq((size_t)p % 64, 0);
        memset(p, 1, 4000);
    }
    arena_reset(arena);
    const size_t held = arena_held(arena);
    ck_assert_int_eq(arena_alloc(arena, &p, held, 1, &err), OK);
    ck_assert_uint_eq(arena_held(arena), held);
    arena_free(arena);
}
END_TEST

START_TEST(arena_keeps_its_bound)
{
    Arena *arena;
    Error err;
    void *p;
    ck_assert_int_eq(arena_create(&arena, 100000, &err), OK);
    ck_assert_int_eq(arena_alloc(arena, &p, 100001, 1, &err), ERR_NOMEM);
    ck_assert_int_eq(arena_alloc(arena, &p, (size_t)-1, 2, &err), ERR_NOMEM);
    ck_assert_int_eq(arena_alloc(arena, &p, 90000, 1, &err), OK);
    arena_free(arena);
}
END_TEST

/* Refused at each allocation in turn, then made: one arena a worker, and nothing leaks. */
START_TEST(arenas_are_made_for_every_worker_or_for_none)
{
    Arenas arenas = {0};
    Error err;
    void *p;
    arenas_free(&arenas);
    for (int nth = 1; nth <= 4; nth++) {
        mem_fail_at(nth, 0);
        ck_assert_int_eq(arenas_create(&arenas, 3, &err), ERR_NOMEM);
        mem_fail_at(0, 0);
        ck_assert_ptr_null(arenas.v);
    }
    ck_assert_int_eq(arenas_create(&arenas, 3, &err), OK);
    ck_assert_int_eq(arenas.n, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(arena_alloc(arenas.v[i], &p, 1000, 1, &err), OK);
    }
    arenas_reset(&arenas);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(arena_used(arenas.v[i]), 0);
    }
    arenas_free(&arenas);
}
END_TEST

START_TEST(rng_streams_repeat_and_differ)
{
    Rng a = rng_stream(1, 2, 3), b = rng_stream(1, 2, 3), c = rng_stream(1, 3, 2);
    ck_assert_uint_eq(rng_next(&a), rng_next(&b));
    ck_assert_uint_ne(rng_next(&a), rng_next(&c));
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        sum += rng_uniform(&a);
    }
    ck_assert_double_eq_tol(sum / 10000, 0.5, 0.02);
}
END_TEST

static void add_one(void *context, int task, int worker)
{
    (void)worker;
    ((int *)context)[task]++;
}

START_TEST(threads_run_every_task_once)
{
    enum { N = 1000 };
    static int counts[N];
    Threads *threads;
    Error err;
    ck_assert_int_eq(threads_create(&threads, 4, &err), OK);
    for (int round = 0; round < 200; round++) {
        threads_run(threads, add_one, counts, N);
    }
    threads_free(threads);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(counts[i], 200);
    }
}
END_TEST

static void expect_content(const char *path, const char *text)
{
    IoFile *file;
    Error err;
    char bytes[64];
    size_t len;
    ck_assert_int_eq(io_open_read(&file, path, &err), OK);
    ck_assert_int_eq(io_read(file, bytes, sizeof bytes, &len, &err), OK);
    ck_assert_uint_eq(len, strlen(text));
    ck_assert_mem_eq(bytes, text, len);
    io_discard(file);
}

START_TEST(io_save_replaces_whole_or_not_at_all)
{
    char path[64], temporary[80];
    (void)snprintf(path, sizeof path, "/tmp/heed-test-save-%ld", (long)getpid());
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", path);
    Error err;
    IoSave *save, *second;
    ck_assert_int_eq(io_save_begin(&save, path, &err), OK);
    ck_assert_int_eq(io_save_write(save, "old", 3, &err), OK);
    ck_assert_int_eq(io_save_begin(&second, path, &err), ERR_IO);
    ck_assert_int_eq(io_save_commit(save, &err), OK);
    expect_content(path, "old");

    int n_failures = 0;
    for (int n = 1;; n++) { /* each system call in turn fails */
        io_fail_at(n, 1);
        Status status = io_save_begin(&save, path, &err);
        if (status == OK) {
            status = io_save_write(save, "new", 3, &err);
            if (status == OK) {
                status = io_save_commit(save, &err);
            } else {
                io_save_abort(save);
            }
        }
        const int has_failed = io_failed();
        io_fail_at(0, 0);
        ck_assert(!io_exists(temporary));
        if (!has_failed) {
            ck_assert_int_eq(status, OK);
            break;
        }
        n_failures++;
        ck_assert_int_eq(status, ERR_IO);
    }
    ck_assert_int_ge(n_failures, 5);
    expect_content(path, "new");
    (void)unlink(path);
}
END_TEST

START_TEST(buffer_refuses_to_pass_its_bound)
{
    Buffer buf = {.max = 10};
    Error err;
    ck_assert_int_eq(buffer_printf(&buf, &err, "%d", 12345), OK);
    ck_assert_int_eq(buffer_add(&buf, "123456", 6, &err), ERR_NOMEM);
    ck_assert_str_eq(buf.bytes, "12345");
    buffer_free(&buf);
}
END_TEST

TEST_MAIN("base", tcase_add_test(c, mem_refuses_an_overflow);
          tcase_add_test(c, mem_hook_fails_the_nth_call);
          tcase_add_test(c, arena_joins_its_blocks_on_reset);
          tcase_add_test(c, arena_keeps_its_bound);
          tcase_add_test(c, arenas_are_made_for_every_worker_or_for_none);
          tcase_add_test(c, rng_streams_repeat_and_differ);
          tcase_add_test(c, threads_run_every_task_once);
          tcase_add_test(c, io_save_replaces_whole_or_not_at_all);
          tcase_add_test(c, buffer_refuses_to_pass_its_bound);)

/* The frame of a unit test program: list the tests, and main runs them.
 *
 *     TEST_MAIN("gru", tcase_add_test(c, gru_masked_sentence_keeps_state); ...)
 */
#ifndef HEED_TESTS_CHECK_MAIN_H
#define HEED_TESTS_CHECK_MAIN_H

#include <check.h>

/* Check keeps an old name of its own, which base/status.h needs. */
#undef fail

/* Runs a suite of one case; returns the exit code of the program. A test may take 120 seconds. */
int run_suite(const char *name, void (*add)(TCase *c));

#define TEST_MAIN(name, adds)                                                                      \
    static void add_tests(TCase *c)                                                                \
    {                                                                                              \
        adds                                                                                       \
    }                                                                                              \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_suite(name, add_tests);                                                         \
    }

#endif

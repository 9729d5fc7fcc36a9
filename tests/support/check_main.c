/* The frame of a unit test program; see the header. */
#include "support/check_main.h"

#include <stdlib.h>

#include "math/gemm.h"

int run_suite(const char *name, void (*add)(TCase *c))
{
    gemm_use_one_thread(); /* as in every program of ours */
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 120);
    add(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

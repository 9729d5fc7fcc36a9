/* Time; see the header. */
#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double clock_thread_seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double clock_process_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* Signals; see the header. */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t pending;
static struct timespec first_time; /* touched by the handler alone */

static double seconds_since_first(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - first_time.tv_sec) +
           1e-9 * (double)(now.tv_nsec - first_time.tv_nsec);
}

static void on_signal(int number)
{
    if (pending == 0) {
        (void)clock_gettime(CLOCK_MONOTONIC, &first_time);
        pending = number;
    } else if (seconds_since_first() > 0.1) {
        (void)signal(number, SIG_DFL);
        (void)raise(number); /* delivered when the handler returns */
    }
}

static void set(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void signals_begin(void)
{
    set(SIGXFSZ, SIG_IGN);
    set(SIGPIPE, SIG_DFL);
}

void signals_install(void)
{
    struct sigaction before;
    set(SIGPIPE, SIG_IGN);
    set(SIGINT, on_signal);
    set(SIGTERM, on_signal);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        set(SIGHUP, on_signal);
    }
}

int signals_pending(void)
{
    return (int)pending;
}

/* Signals; see the header. */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t pending;

static void on_signal(int number)
{
    if (pending != 0) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    pending = number;
}

void signals_install(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGXFSZ, &action, NULL);
}

int signals_pending(void)
{
    return (int)pending;
}

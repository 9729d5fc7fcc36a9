/* Failure on demand: counts calls and tells which of them must fail. mem and io keep one hook each.
 *
 * Threads: every function may be called from any thread; calls are counted over all of them. */
#ifndef HEED_BASE_FAULT_H
#define HEED_BASE_FAULT_H

#include <stdatomic.h>

typedef struct FaultHook {
    atomic_long at;      /* the call that fails, counted from 1; 0 while the hook is off */
    atomic_long n_calls; /* calls since the hook was set */
    atomic_int and_later, has_failed;
} FaultHook;

/* From now on the n-th call fails, once or with every later one; n = 0 switches the hook off. What
 * has_failed says stays until the next n > 0. */
void fault_set(FaultHook *hook, long n, int and_later);

/* Counts a call; 1 when it must fail. */
int fault_hits(FaultHook *hook);

/* Whether a call has failed since the hook was last set. */
int fault_has_hit(FaultHook *hook);

#endif

/* Failure on demand; see the header. */
#include "base/fault.h"

void fault_set(FaultHook *hook, long n, int and_later)
{
    atomic_store(&hook->at, 0);
    if (n > 0) {
        atomic_store(&hook->and_later, and_later);
        atomic_store(&hook->has_failed, 0);
        atomic_store(&hook->n_calls, 0);
        atomic_store(&hook->at, n);
    }
}

int fault_hits(FaultHook *hook)
{
    const long at = atomic_load_explicit(&hook->at, memory_order_relaxed);
    if (at == 0) {
        return 0;
    }
    const long n = atomic_fetch_add(&hook->n_calls, 1) + 1;
    if (n == at || (n > at && atomic_load(&hook->and_later))) {
        atomic_store(&hook->has_failed, 1);
        return 1;
    }
    return 0;
}

int fault_has_hit(FaultHook *hook)
{
    return atomic_load(&hook->has_failed);
}

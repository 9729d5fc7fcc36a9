/* The choice of kernels; see vec.h. */
#include "math/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The once-set table. Threads that race here compute and store the same pointer. */
static _Atomic(const VecOps *) chosen;

/* The tables of this build, the best first, each with what the processor and the operating system
 * must support. */
static const VecOps *nth_supported(int n)
{
    const VecOps *found[5];
    int n_found = 0;
#ifdef VEC_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("fma")) {
        const int has_vnni = __builtin_cpu_supports("avx512vnni");
        if (has_vnni && __builtin_cpu_supports("avx512bf16")) {
            found[n_found++] = &VEC_AVX512_BFLOAT16;
        }
        found[n_found++] = has_vnni ? &VEC_AVX512_VNNI : &VEC_AVX512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        found[n_found++] = &VEC_AVX2;
    }
    found[n_found++] = &VEC_SSE2;
#endif
    found[n_found++] = &VEC_PLAIN;
    return n < n_found ? found[n] : NULL;
}

const VecOps *vec_find(const char *name)
{
    const VecOps *ops;
    for (int i = 0; (ops = nth_supported(i)) != NULL; i++) {
        if (strcmp(ops->name, name) == 0) {
            return ops;
        }
    }
    return NULL;
}

static const VecOps *choose(void)
{
    const char *wish = getenv("HEED_ISA");
    const VecOps *ops = wish == NULL || wish[0] == '\0' ? NULL : vec_find(wish);
    return ops == NULL ? nth_supported(0) : ops;
}

const VecOps *vec_ops(void)
{
    const VecOps *ops = atomic_load_explicit(&chosen, memory_order_acquire);
    if (ops == NULL) {
        ops = choose();
        atomic_store_explicit(&chosen, ops, memory_order_release);
    }
    return ops;
}

Status vec_check(Error *err)
{
    const char *wish = getenv("HEED_ISA");
    if (wish != NULL && wish[0] != '\0' && vec_find(wish) == NULL) {
        return fail(
            err, ERR_ARG,
            "HEED_ISA=%.40s: must be plain, sse2, avx2, avx512 or avx512bf16 and be supported "
            "by this processor and build",
            wish);
    }
    return OK;
}

int vec_use(const char *name)
{
    const VecOps *ops = name == NULL ? choose() : vec_find(name);
    if (ops == NULL) {
        return 0;
    }
    atomic_store_explicit(&chosen, ops, memory_order_release);
    return 1;
}

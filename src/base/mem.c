/* Allocation; see the header. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/mem.h"

#if defined(__linux__)
#include <malloc.h>
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fault.h"

static FaultHook hook;

void mem_fail_at(long n, int and_later)
{
    fault_set(&hook, n, and_later);
}

int mem_failed(void)
{
    return fault_has_hit(&hook);
}

size_t mem_times(size_t a, size_t b)
{
    return a != 0 && b > SIZE_MAX / a ? SIZE_MAX : a * b;
}

/* The bytes to ask for, 0 when the request cannot be met. */
static size_t request(size_t count, size_t size)
{
    const size_t bytes = mem_times(count, size);
    if (bytes > PTRDIFF_MAX || fault_hits(&hook)) {
        return 0;
    }
    return bytes == 0 ? 1 : bytes;
}

void *mem_alloc(size_t count, size_t size)
{
    const size_t bytes = request(count, size);
    return bytes == 0 ? NULL : malloc(bytes);
}

void *mem_zero_alloc(size_t count, size_t size)
{
    const size_t bytes = request(count, size);
    return bytes == 0 ? NULL : calloc(bytes, 1);
}

void *mem_resize(void *block, size_t count, size_t size)
{
    const size_t bytes = request(count, size);
    return bytes == 0 ? NULL : realloc(block, bytes);
}

/* The smallest block that gets pages of its own. */
enum { LARGE_BLOCK = 1 << 22 };

/* glibc raises its bound for separate pages with the sizes it sees freed; then large blocks of changing size would
 * come from its heaps and leave holes there. With the bound fixed it would give back each free end of its heap, and get
 * it anew a moment later, so that end may be some blocks long. */
static void keep_large_blocks_apart(void)
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    (void)mallopt(M_TRIM_THRESHOLD, 4 * LARGE_BLOCK);
#endif
}

/* Blocks of weights and activations are walked through again and again: large pages spare the processor most of the
 * address look-ups, and the system most of the page faults. Merely a wish; the system may decline it. */
static void wish_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(block, bytes, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}

void *mem_alloc_block(size_t count, size_t size)
{
    const size_t bytes = request(count, size), large_page = (size_t)1 << 21;
    const int is_large = bytes >= LARGE_BLOCK;
    void *block = NULL;
    if (is_large) {
        keep_large_blocks_apart();
    }
    if (bytes == 0 || posix_memalign(&block, is_large ? large_page : MEM_ALIGNMENT, bytes) != 0) {
        return NULL;
    }
    if (is_large) {
        wish_large_pages(block, bytes);
    }
    return block;
}

void *mem_alloc_aligned(size_t count, size_t size)
{
    void *block = mem_alloc_block(count, size);
    if (block != NULL) {
        memset(block, 0, count * size);
    }
    return block;
}

void mem_free(void *block)
{
    free(block);
}

void mem_trim(void)
{
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
}

char *mem_copy_text(const char *text, size_t len)
{
    char *copy = mem_alloc(len + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

Status mem_fail(Error *err, const char *what, size_t count, size_t size)
{
    return fail(err, ERR_NOMEM, "out of memory for %s (%zu bytes)", what, mem_times(count, size));
}

/* Allocation: the one place that calls malloc.
 *
 * Sizes are given as count times element size and checked for overflow. A test build can make the
 * N-th call fail (mem_fail_at). Blocks are aligned for any type; mem_alloc_aligned gives 64 bytes,
 * one cache line and one AVX-512 register.
 *
 * Threads: all functions may be called from any thread; the failure hook counts over all of them.
 */
#ifndef HEED_BASE_MEM_H
#define HEED_BASE_MEM_H

#include <stddef.h>

#include "base/status.h"

enum { MEM_ALIGNMENT = 64 };

/* Returns count * size bytes, or NULL when memory is refused or the product overflows. The content
 * is undefined (mem_alloc) or zero (mem_zero_alloc). A size of 0 yields a block that can be freed.
 */
void *mem_alloc(size_t count, size_t size) MUST_USE;
void *mem_zero_alloc(size_t count, size_t size) MUST_USE;

/* Resizes block (or NULL) to count * size bytes. On NULL the old block stays valid. */
void *mem_resize(void *block, size_t count, size_t size) MUST_USE;

/* 64-byte aligned, in large pages where the system has them; freed by mem_free like the others. The
 * content is zero (mem_alloc_aligned) or undefined (mem_alloc_block). */
void *mem_alloc_aligned(size_t count, size_t size) MUST_USE;
void *mem_alloc_block(size_t count, size_t size) MUST_USE;

void mem_free(void *block);

/* Hands memory that was freed back to the system where the system has a way; worth a call after a large
 * piece of preparation is over. */
void mem_trim(void);

/* Copies len bytes and a final NUL. */
char *mem_copy_text(const char *text, size_t len) MUST_USE;

/* The sentence for a refused allocation: "out of memory for WHAT (N bytes)". */
Status mem_fail(Error *err, const char *what, size_t count, size_t size);

/* a * b, or SIZE_MAX when it overflows. */
size_t mem_times(size_t a, size_t b);

/* Test hook: the n-th call from now (n >= 1) fails, once, or with `and_later` every later call too;
 * n = 0 switches the hook off. mem_failed tells whether a call has failed since. */
void mem_fail_at(long n, int and_later);
int mem_failed(void);

#endif

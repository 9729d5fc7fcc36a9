/* A growable run of bytes. It always ends in a NUL that is not counted, so that `bytes` of a buffer
 * that holds text can be read as a C string.
 *
 * Threads: a Buffer belongs to one thread. */
#ifndef HEED_BASE_BUFFER_H
#define HEED_BASE_BUFFER_H

#include <stddef.h>

#include "base/status.h"

typedef struct Buffer {
    char *bytes; /* NULL while nothing was added */
    size_t len, cap;
    size_t max; /* the buffer refuses to grow beyond; 0 means no bound */
} Buffer;

/* Appends; ERR_NOMEM when memory is refused or max is passed. `bytes` may not point into buf. */
Status buffer_add(Buffer *buf, const void *bytes, size_t len, Error *err) MUST_USE;
Status buffer_add_text(Buffer *buf, const char *text, Error *err) MUST_USE;
Status buffer_add_byte(Buffer *buf, char byte, Error *err) MUST_USE;
Status buffer_printf(Buffer *buf, Error *err, const char *format, ...) CHECK_FORMAT(3, 4) MUST_USE;

/* Makes room for len further bytes without adding any. */
Status buffer_reserve(Buffer *buf, size_t len, Error *err) MUST_USE;

/* Forgets the content and keeps the memory. */
void buffer_clear(Buffer *buf);

/* Releases the memory; the buffer may be used again. */
void buffer_free(Buffer *buf);

#endif

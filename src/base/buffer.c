/* Growable bytes; see the header. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

Status buffer_reserve(Buffer *buf, size_t len, Error *err)
{
    const size_t max = buf->max == 0 ? SIZE_MAX / 4 : buf->max;
    if (len > max || buf->len > max - len) {
        return fail(err, ERR_NOMEM, "a text grows beyond its limit of %zu bytes", max);
    }
    const size_t needed = buf->len + len + 1;
    if (needed <= buf->cap) {
        return OK;
    }
    size_t cap = buf->cap < 64 ? 64 : buf->cap * 2;
    cap = cap < needed ? needed : cap;
    char *bytes = mem_resize(buf->bytes, cap, 1);
    if (bytes == NULL) {
        return mem_fail(err, "a text", cap, 1);
    }
    buf->bytes = bytes;
    buf->cap = cap;
    buf->bytes[buf->len] = '\0';
    return OK;
}

Status buffer_add(Buffer *buf, const void *bytes, size_t len, Error *err)
{
    TRY(buffer_reserve(buf, len, err));
    if (len > 0) {
        memcpy(buf->bytes + buf->len, bytes, len);
    }
    buf->len += len;
    buf->bytes[buf->len] = '\0';
    return OK;
}

Status buffer_add_text(Buffer *buf, const char *text, Error *err)
{
    return buffer_add(buf, text, strlen(text), err);
}

Status buffer_add_byte(Buffer *buf, char byte, Error *err)
{
    return buffer_add(buf, &byte, 1, err);
}

Status buffer_printf(Buffer *buf, Error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0) {
        return fail(err, ERR_ARG, "a text cannot be formatted");
    }
    TRY(buffer_reserve(buf, (size_t)len, err));
    va_start(args, format);
    (void)vsnprintf(buf->bytes + buf->len, (size_t)len + 1, format, args);
    va_end(args);
    buf->len += (size_t)len;
    return OK;
}

void buffer_clear(Buffer *buf)
{
    buf->len = 0;
    if (buf->bytes != NULL) {
        buf->bytes[0] = '\0';
    }
}

void buffer_free(Buffer *buf)
{
    mem_free(buf->bytes);
    buf->bytes = NULL;
    buf->len = buf->cap = 0;
}

/* Error sentences; see the header. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Status fail(Error *err, Status code, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        if (vsnprintf(err->message, ERROR_CAP, format, args) < 0) {
            err->message[0] = '\0';
        }
        va_end(args);
        err->code = code;
        err->signal = 0;
    }
    return code;
}

Status fail_within(Error *err, const char *prefix)
{
    if (err == NULL) {
        return ERR_IO;
    }
    char inner[ERROR_CAP];
    memcpy(inner, err->message, ERROR_CAP);
    const int len = snprintf(err->message, ERROR_CAP, "%.300s: ", prefix);
    if (len > 0 && len < ERROR_CAP) {
        const size_t room = (size_t)(ERROR_CAP - 1 - len);
        size_t n = strlen(inner);
        n = n < room ? n : room;
        memcpy(err->message + len, inner, n);
        err->message[(size_t)len + n] = '\0';
    }
    return err->code;
}

int status_exit_code(Status status)
{
    switch (status) {
    case OK:
        return 0;
    case ERR_ARG:
        return 2;
    case ERR_FORMAT:
        return 3;
    case ERR_NOMEM:
    case ERR_IO:
    case ERR_DIVERGED:
    case ERR_SIGNAL:
        break;
    }
    return 1;
}

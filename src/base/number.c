/* Numbers as text; see the header. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

Status number_add_float(Buffer *out, float x, const char *not_finite, Error *err)
{
    static const int DIGITS[] = {6, 8, 9};
    char text[32];
    if (!isfinite(x)) {
        return buffer_add_text(out, not_finite, err);
    }
    for (int i = 0; i < 3; i++) {
        (void)snprintf(text, sizeof text, "%.*g", DIGITS[i], (double)x);
        if (strtof(text, NULL) == x) {
            break;
        }
    }
    return buffer_add_text(out, text, err);
}

Status number_add_double(Buffer *out, double x, const char *not_finite, Error *err)
{
    static const int DIGITS[] = {9, 15, 16, 17};
    char text[32];
    if (!isfinite(x)) {
        return buffer_add_text(out, not_finite, err);
    }
    for (int i = 0; i < 4; i++) {
        (void)snprintf(text, sizeof text, "%.*g", DIGITS[i], x);
        if (strtod(text, NULL) == x) {
            break;
        }
    }
    return buffer_add_text(out, text, err);
}

/* Numbers as text: short, exact, and never in the manner of a locale. */
#ifndef HEED_BASE_NUMBER_H
#define HEED_BASE_NUMBER_H

#include "base/buffer.h"
#include "base/status.h"

/* Appends a decimal form that reads back as the same number, of few digits where few suffice: at
 * most 9 significant ones for a float, 17 for a double. Numbers that are not finite are written as
 * `not_finite` (JSON has none; "nan" elsewhere). */
Status number_add_float(Buffer *out, float x, const char *not_finite, Error *err) MUST_USE;
Status number_add_double(Buffer *out, double x, const char *not_finite, Error *err) MUST_USE;

#endif

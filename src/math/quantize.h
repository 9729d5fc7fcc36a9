/* Smaller numbers for storage: bytes with one scale a row, and bf16.
 *
 *     int8   w = scale q, q in -127 .. 127, scale = largest |w| of the row / 127; an error of at
 * most half a scale bf16   the upper 16 bits of a float, rounded to nearest, ties to even; a
 * relative error of at most 2^-8, the range of float; NaN stays NaN
 */
#ifndef HEED_MATH_QUANTIZE_H
#define HEED_MATH_QUANTIZE_H

#include <stdint.h>

#include "math/mat.h"

/* q [rows, cols], without gaps, and scale [rows] are written from W, whose numbers are finite. A
 * row whose largest number is too small to divide by becomes 0 with scale 0. */
void quantize_rows(int8_t *q, real *scale, Mat W);

/* x [n] = scale q. */
void quantize_restore(real *x, const int8_t *q, real scale, int n);

void bf16_from_real(uint16_t *to, const real *from, size_t n);
void bf16_to_real(real *to, const uint16_t *from, size_t n);

#endif

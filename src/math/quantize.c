/* Bytes and bf16; see the header. */
#include "math/quantize.h"

#include <string.h>

#include "math/vec.h"

void quantize_rows(int8_t *q, real *scale, Mat W)
{
    const VecOps *ops = vec_ops();
    for (int i = 0; i < W.rows; i++, q += W.cols) {
        const real max = ops->max_abs(mat_row(W, i), W.cols);
        const real inverse = max > 0 ? 127 / max : 0;
        if (max > 0 && isfinite(inverse)) {
            scale[i] = max / 127;
            ops->quantize(q, mat_row(W, i), inverse, W.cols);
        } else {
            scale[i] = 0;
            memset(q, 0, (size_t)W.cols);
        }
    }
}

void quantize_restore(real *x, const int8_t *q, real scale, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = scale * (real)q[i];
    }
}

void bf16_from_real(uint16_t *to, const real *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float x = (float)from[i];
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        /* A NaN keeps a bit of its fraction, which rounding could carry away. */
        to[i] = isnan(x) ? (uint16_t)(bits >> 16 | 0x40u)
                         : (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    }
}

void bf16_to_real(real *to, const uint16_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        float x;
        memcpy(&x, &bits, sizeof x);
        to[i] = (real)x;
    }
}

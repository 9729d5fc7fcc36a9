/* Adam (Kingma & Ba 2015) with bias correction, over one tile of parameters at a time:
 *
 *     m = b1 m + (1 - b1) g          v = b2 v + (1 - b2) g^2
 *     w -= rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon) + rate * decay * w
 *
 * decay > 0 is AdamW (Loshchilov & Hutter 2019). The moving average of the weights follows:
 *     average = smoothing average + (1 - smoothing) w */
#ifndef HEED_TRAIN_ADAM_H
#define HEED_TRAIN_ADAM_H

#include "math/mat.h"

typedef struct Adam {
    double b1, b2, epsilon, decay;
} Adam;

/* What one update does to all tiles. */
typedef struct AdamStep {
    double rate;      /* learning rate */
    double scale;     /* of the gradient: 1 / tokens and the clipping */
    long t;           /* 1, 2, ...: the update */
    double smoothing; /* of the average, 0 .. 1 */
} AdamStep;

/* Updates n numbers of w; reads g; average may be NULL. */
void adam_step(const Adam *adam, const AdamStep *step, real *w, real *m, real *v, real *average,
               const real *g, int n);

#endif

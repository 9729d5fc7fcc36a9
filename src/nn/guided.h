/* Guided alignment: the cross-entropy between given links and the attention (Chen et al. 2016).
 *
 *     L = - sum_t sum_s g_ts log a_ts        dL/da_ts = - g_ts / a_ts
 *
 * a_ts is the attention of target word t at source word s. g_ts is 1/n_t for the n_t source words
 * that t is linked to, which share its mass evenly, and 0 for the others; a word without links has
 * no part in the sum.
 *
 * Below a = 1e-30 the logarithm goes on along its tangent, so that a weight that has vanished still
 * has a finite gradient, which is that of the loss. */
#ifndef HEED_NN_GUIDED_H
#define HEED_NN_GUIDED_H

#include "math/real.h"

/* One row t: adds scale * dL/da to da, reads the weights a, both by source word; s [n] are the
 * linked source words, n >= 1, each once. Returns scale * L. */
double guided_row(real *da, const real *a, const int *s, int n, double scale);

#endif

/* Dropout (Srivastava et al. 2014), inverted: a unit is 0 with probability p, else scaled by 1 / (1
 * - p). Variational dropout (Gal & Ghahramani 2016) uses one mask per sentence for all time steps:
 * here the rows of a step's mask are the sentences. */
#ifndef HEED_NN_DROPOUT_H
#define HEED_NN_DROPOUT_H

#include "base/rng.h"
#include "math/mat.h"

/* Draws a mask: each number is 0 or 1 / (1 - rate); 0 <= rate < 1. */
void dropout_mask(Mat mask, double rate, Rng *rng);

/* x *= mask, shape by shape; the way back is the same on dx. mask may be empty: nothing happens. */
void dropout_apply(Mat x, Mat mask);

/* Replaces each id by -1 with probability rate (a whole word is dropped, Gal & Ghahramani 2016). */
void dropout_words(int *ids, int n, double rate, Rng *rng);

#endif

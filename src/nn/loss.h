/* The loss of a batch: cross-entropy with label smoothing (Szegedy et al. 2016), summed over the N
 * target positions:
 *
 *     loss = sum of -(1-eps) log p(y) - eps mean_v log p(v)
 *
 * and, for R-Drop (Liang et al. 2021), rows that come in pairs 2i, 2i+1 with the same target under
 * different dropout: their two losses plus weight * (KL(p1||p2) + KL(p2||p1)) / 2. */
#ifndef HEED_NN_LOSS_H
#define HEED_NN_LOSS_H

#include "math/mat.h"

typedef struct Loss {
    double smoothed; /* what is minimised, summed */
    double nll;      /* -log p(y), summed: what is reported */
} Loss;

/* Adds the rows' loss to *loss, and turns logits (N, V) into the gradient of `smoothed`. targets
 * [N]. */
void loss_forward_backward(Loss *loss, Mat logits, const int *targets, double eps);

/* The same for pairs of rows; N is even and targets [2i] = targets [2i+1]. */
void loss_pairs_forward_backward(Loss *loss, Mat logits, const int *targets, double eps,
                                 double weight);

#endif

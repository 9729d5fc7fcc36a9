/* Numeric gradients: a hand-written derivative is held against five-point differences of the loss.
 *
 * Agreement, signed, element by element:  |a - n| <= 1e-6 max(|a|, |n|, 1e-3 of the tensor's
 * largest). For the double build; in float the differences are too coarse to say anything. */
#ifndef HEED_TESTS_GRADCHECK_H
#define HEED_TESTS_GRADCHECK_H

#include "math/mat.h"
#include "nn/param.h"

typedef double (*LossFunction)(void *context);

/* Compares analytic (the shape of x) with numeric derivatives of loss by every element of x.
 * Returns the number of elements that disagree and prints the first of them with the name. */
int gradcheck_mat(const char *name, Mat x, Mat analytic, LossFunction loss, void *context);

/* The same for every tensor of a list: compares .grad with differences by .val. The loss function
 * packs the parameters itself. */
int gradcheck_params(ParamList *params, LossFunction loss, void *context);

#endif

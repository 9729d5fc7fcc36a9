/* Matrices of random numbers for tests; freed by mem_free(m.v). */
#ifndef HEED_TESTS_RANDOM_MAT_H
#define HEED_TESTS_RANDOM_MAT_H

#include "base/rng.h"
#include "math/mat.h"
#include "nn/param.h"

Mat random_mat(int rows, int cols, Rng *rng);
Mat zero_mat(int rows, int cols);

/* Allocates the list, fills every value with random numbers and packs. */
void random_params(ParamList *params, Rng *rng);

/* sum of weights * m, the linear loss whose gradient at m is weights. */
double weighted_sum(Mat m, Mat weights);

#endif

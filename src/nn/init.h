/* Initial values of a tensor; the kinds are named in param.h. */
#ifndef HEED_NN_INIT_H
#define HEED_NN_INIT_H

#include "base/rng.h"
#include "nn/param.h"

/* Draws initial values; each tensor has its own stream, by its place in the list. */
void params_init(ParamList *list, uint64_t seed);

/* Writes m. INIT_ORTHOGONAL wants rows to be a multiple of cols; INIT_ONE one row. */
void init_values(Mat m, ParamInit init, Rng *rng);

#endif

/* The number type of the network: float, or double with -DREAL_IS_DOUBLE for gradient tests.
 * <tgmath.h> lets exp(x), tanh(x), sqrt(x) follow the type. */
#ifndef HEED_MATH_REAL_H
#define HEED_MATH_REAL_H

#include <tgmath.h>

#ifdef REAL_IS_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif

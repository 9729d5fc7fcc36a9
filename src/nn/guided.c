/* Guided alignment; see the header. */
#include "nn/guided.h"

#define FLOOR 1e-30

double guided_row(real *da, const real *a, const int *s, int n, double scale)
{
    const double g = scale / n;
    double loss = 0;
    for (int i = 0; i < n; i++) {
        const double x = (double)a[s[i]];
        const double bounded = x > FLOOR ? x : FLOOR;
        loss -= g * (log(bounded) + (x - bounded) / bounded);
        da[s[i]] -= (real)(g / bounded);
    }
    return loss;
}

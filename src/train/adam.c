/* Adam; see the header. */
#include "train/adam.h"

#include "math/vec.h"

void adam_step(const Adam *adam, const AdamStep *step, real *w, real *m, real *v, real *average,
               const real *g, int n)
{
    /* The corrections of m and v are folded into the rate and into a factor of sqrt(v). */
    const double rate = step->rate / (1 - pow(adam->b1, (double)step->t));
    const double correction = 1 / sqrt(1 - pow(adam->b2, (double)step->t));
    vec_ops()->adam(w, m, v, g, n, (real)step->scale, (real)rate, (real)adam->b1, (real)adam->b2,
                    (real)correction, (real)adam->epsilon, (real)(step->rate * adam->decay));
    if (average != NULL) {
        vec_ops()->scale(average, (real)step->smoothing, n);
        vec_ops()->axpy(average, (real)(1 - step->smoothing), w, n);
    }
}

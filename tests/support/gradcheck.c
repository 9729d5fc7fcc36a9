/* Numeric gradients; see the header. */
#include "support/gradcheck.h"

#include <stdio.h>

/* (-f(x+2h) + 8 f(x+h) - 8 f(x-h) + f(x-2h)) / 12h */
static double numeric(real *x, double h, LossFunction loss, void *context)
{
    const real kept = *x;
    double f[4];
    const int steps[4] = {2, 1, -1, -2};
    for (int i = 0; i < 4; i++) {
        *x = kept + (real)(steps[i] * h);
        f[i] = loss(context);
    }
    *x = kept;
    return (-f[0] + 8 * f[1] - 8 * f[2] + f[3]) / (12 * h);
}

/* Wide steps err by curvature, narrow ones by rounding: the element agrees when it does at one of
 * the widths. */
static int agrees(real *x, double analytic, double least, double *seen, LossFunction loss,
                  void *context)
{
    const double widths[] = {1e-3, 1e-4, 1e-2, 1e-5};
    for (int i = 0; i < 4; i++) {
        *seen = numeric(x, widths[i], loss, context);
        if (fabs(analytic - *seen) <= 1e-6 * fmax(fmax(fabs(analytic), fabs(*seen)), least)) {
            return 1;
        }
    }
    return 0;
}

int gradcheck_mat(const char *name, Mat x, Mat analytic, LossFunction loss, void *context)
{
    double largest = 0;
    for (int i = 0; i < x.rows; i++) {
        for (int j = 0; j < x.cols; j++) {
            largest = fmax(largest, fabs((double)mat_row(analytic, i)[j]));
        }
    }
    int n_wrong = 0;
    for (int i = 0; i < x.rows; i++) {
        for (int j = 0; j < x.cols; j++) {
            const double a = (double)mat_row(analytic, i)[j];
            double n;
            if (!agrees(mat_row(x, i) + j, a, fmax(1e-3 * largest, 1e-7), &n, loss, context) &&
                n_wrong++ == 0) {
                printf("%s [%d, %d]: analytic %.12g, numeric %.12g\n", name, i, j, a, n);
            }
        }
    }
    return n_wrong;
}

int gradcheck_params(ParamList *params, LossFunction loss, void *context)
{
    int n_wrong = 0;
    for (int i = 0; i < params->n; i++) {
        Param *p = &params->items[i];
        n_wrong += gradcheck_mat(p->name, p->val, p->grad, loss, context);
    }
    return n_wrong;
}

/* The loss; see the header. */
#include "nn/loss.h"

#include <assert.h>

#include "math/vec.h"

void loss_forward_backward(Loss *loss, Mat logits, const int *targets, double eps)
{
    for (int i = 0; i < logits.rows; i++) {
        double smoothed, nll;
        vec_ops()->cross_entropy(mat_row(logits, i), logits.cols, targets[i], (real)eps, 1,
                                 &smoothed, &nll);
        loss->smoothed += smoothed;
        loss->nll += nll;
    }
}

/* Turns a row of logits into log p. */
static void log_softmax(real *x, int V)
{
    const real lse = vec_ops()->log_sum_exp(x, V);
    for (int v = 0; v < V; v++) {
        x[v] -= lse;
    }
}

/* KL(p||q) of two rows of log-probabilities. */
static double divergence(const real *log_p, const real *log_q, int V)
{
    double sum = 0;
    for (int v = 0; v < V; v++) {
        sum += (double)(exp(log_p[v]) * (log_p[v] - log_q[v]));
    }
    return sum;
}

void loss_pairs_forward_backward(Loss *loss, Mat logits, const int *targets, double eps,
                                 double weight)
{
    assert(logits.rows % 2 == 0);
    const int V = logits.cols;
    const real share = (real)(eps / V), half = (real)(weight / 2);
    for (int i = 0; i < logits.rows; i += 2) {
        real *a = mat_row(logits, i), *b = mat_row(logits, i + 1);
        const int y = targets[i];
        assert(y == targets[i + 1]);
        log_softmax(a, V);
        log_softmax(b, V);
        double sum = 0;
        for (int v = 0; v < V; v++) {
            sum += (double)a[v] + (double)b[v];
        }
        const double nll = -(double)a[y] - (double)b[y];
        const double ab = divergence(a, b, V), ba = divergence(b, a, V);
        loss->nll += nll;
        loss->smoothed += (1 - eps) * nll - eps * sum / V + weight * (ab + ba) / 2;
        /* With l = log p - log q: d KL(p||q) / d logits_p = p (l - KL(p||q)), and
         * d KL(q||p) / d logits_p = p - q. */
        for (int v = 0; v < V; v++) {
            const real p = exp(a[v]), q = exp(b[v]), l = a[v] - b[v];
            a[v] = p - share + half * (p * (l - (real)ab) + p - q);
            b[v] = q - share + half * (q * (-l - (real)ba) + q - p);
        }
        a[y] -= (real)(1 - eps);
        b[y] -= (real)(1 - eps);
    }
}

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

void loss_pairs_forward_backward(Loss *loss, Mat logits, const int *targets, double eps,
                                 double weight)
{
    assert(logits.rows % 2 == 0);
    for (int i = 0; i < logits.rows; i += 2) {
        double smoothed, nll;
        assert(targets[i] == targets[i + 1]);
        vec_ops()->cross_entropy_pair(mat_row(logits, i), mat_row(logits, i + 1), logits.cols,
                                      targets[i], (real)eps, (real)weight, 1, &smoothed, &nll);
        loss->smoothed += smoothed;
        loss->nll += nll;
    }
}

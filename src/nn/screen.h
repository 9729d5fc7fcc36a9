/* A copy of an output layer in bytes that tells at a quarter of the cost which words can be among
 * the best of a row.
 *
 * Row j of the weights is scales[j] times its bytes but for an error of length at most `error`; a
 * row x of inputs is x_scale times its bytes with errors up to half of x_scale. Errors of rounding
 * take no side, so that the logit from the bytes has about the deviation
 *
 *     |x| error / sqrt(K) + size x_scale / sqrt(12)
 *
 * from the exact one, and SCREEN_DEVIATIONS times that as its bound. A word among the k best is not
 * further than twice the bound below the k-th best from the bytes.
 *
 * Threads: written by screen_renew alone, else read only. Capitals: V words, K inputs. */
#ifndef HEED_NN_SCREEN_H
#define HEED_NN_SCREEN_H

#include "base/threads.h"
#include "math/gemm.h"

typedef struct Screen {
    Packed bytes;   /* V outputs; panels and scales are owned */
    real *scales;   /* [V] */
    real error;     /* the longest w_j - scales[j] q_j */
    real size;      /* the longest scales[j] q_j */
    int is_current; /* made from the values as they are */
} Screen;

/* Smaller vocabularies are searched as they are: there is little to save. */
enum { SCREEN_MIN_WORDS = 4096 };
enum { SCREEN_DEVIATIONS = 8 };

/* Makes *screen (NULL at first) from W [V, K], or renews it; threads may be NULL. Weights that are
 * not finite leave it with is_current = 0. */
Status screen_renew(Screen **screen, Mat W, Threads *threads, Error *err) MUST_USE;
void screen_free(Screen *screen);

/* That bound for a row x of K numbers whose bytes have the scale x_scale. */
real screen_bound(const Screen *screen, const real *x, real x_scale, int K);

#endif

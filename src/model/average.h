/* The average of the weights of several models: often better than each of them, when they come from
 * one run (checkpoints) or began from one model.
 *
 *     w = sum_k p_k w_k,  sum_k p_k = 1       in double, in the order of the files */
#ifndef HEED_MODEL_AVERAGE_H
#define HEED_MODEL_AVERAGE_H

#include "base/progress.h"
#include "model/model_file.h"

/* Loads n >= 1 models, or the weights of checkpoints, and averages them; weights [n] are not
 * negative, with a positive sum, and are scaled to sum 1; NULL for equal ones. Text and settings are
 * those of the first. The caller frees both results. ERR_FORMAT names the first file whose
 * configuration or tokenizers differ from the first one's. progress may be NULL. */
Status average_load(Seq2Seq **model, ModelText *text, const char *const *paths,
                    const double *weights, int n, const Progress *progress, Error *err) MUST_USE;

#endif

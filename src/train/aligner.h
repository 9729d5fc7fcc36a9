/* Word alignment of the training pairs by counting, without a network: what guides the attention
 * when nobody gives links.
 *
 * Two models, of the target given the source and of the source given the target, are trained
 * together by expectation maximisation so that they agree (Liang, Taskar & Klein 2006): the
 * expected count of a link is the product of its posteriors in both. First as IBM model 1 (Brown et
 * al. 1993), which knows no order, then as hidden Markov models (nn/hmm.h). A pair of pieces is
 * linked when the product of both posteriors is above a bound.
 *
 * Memory: 20 bytes for each distinct pair of a source and a target piece that meet in a sentence
 * pair. Time: linear in pairs, cubic in their length.
 *
 * Threads: uses the workers of a pool; the result is the same for any number of them. */
#ifndef HEED_TRAIN_ALIGNER_H
#define HEED_TRAIN_ALIGNER_H

#include "base/progress.h"
#include "train/data.h"
#include "train/links.h"

/* Links of pieces for all pairs of the data, which keep ids (no BPE-dropout), and added to table what
 * was counted of the target given the source (decode/link_table.h). corpus_size is the number of
 * pairs of the corpus they were made from; pairs left out get no links. progress may be NULL. */
Status aligner_run(Links **out, Buffer *table, const Data *data, long corpus_size, int source_vocab,
                   int target_vocab, Threads *threads, const Progress *progress,
                   Error *err) MUST_USE;

#endif

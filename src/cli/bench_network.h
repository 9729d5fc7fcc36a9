/* A network, its data and what training needs, for the measurements of `heed bench`.
 *
 * The pairs are made up (words drawn at random, lengths around the mean wanted) or read from two
 * files, lower-cased and cut into words. Weights are the initial ones: speed does not depend on what
 * a network has learnt. */
#ifndef HEED_CLI_BENCH_NETWORK_H
#define HEED_CLI_BENCH_NETWORK_H

#include "cli/bench.h"
#include "train/update.h"

typedef struct BenchNetwork {
    Corpus *corpus;
    Tokenizer *source, *target;
    Data *data;
    EpochPlan plan;
    Seq2Seq *model;
    ModelMoments moments;
    Updater *updater; /* NULL without training */
    Threads *threads;
} BenchNetwork;

/* n_pairs is how many pairs are made up at least. The caller frees out whatever happens. */
Status bench_network_create(BenchNetwork *out, const BenchWork *work, long n_pairs, int n_threads,
                            int is_training, Error *err) MUST_USE;
void bench_network_free(BenchNetwork *n);

/* Multiply-adds of one pass over so many source and target pieces, forward: twice as many more go
 * backward. */
double bench_multiply_adds(const Config *c, double n_source, double n_target);

#endif

/* A small network and a small batch for tests. */
#ifndef HEED_TESTS_TOY_H
#define HEED_TESTS_TOY_H

#include "model/seq2seq.h"

/* Sizes that differ from each other, so that a swapped dimension shows. */
Config toy_config(void);

/* A network with random values everywhere, biases and gains too. */
Seq2Seq *toy_model(const Config *config, uint64_t seed);

enum { TOY_PAIRS = 3 };

/* Pairs of source lengths 5, 1, 3 and target lengths 2, 4, 1 (without end tokens). */
const IdPair *toy_pairs(void);

/* The summed smoothed loss of the pairs; with gradients, those of all parameters are set to its
 * gradient. Without dropout when rates is NULL; else with masks from a fixed seed. */
typedef struct ToyRun {
    Seq2Seq *model;
    const IdPair *pairs;
    int n_pairs;
    double eps;
    const NoiseRates *rates;
    double pair_weight; /* R-Drop: the pairs come in twos of the same; 0 for the plain loss */
    int has_guide;      /* adds a loss on the attention weights */
} ToyRun;

double toy_loss(const ToyRun *run, int with_gradients);

#endif

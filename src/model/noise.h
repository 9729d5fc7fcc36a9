/* The dropout of one run: the rates, and where its random numbers come from. Masks are drawn when a
 * tape is taken from the arena, so that forward and backward see the same ones. */
#ifndef HEED_MODEL_NOISE_H
#define HEED_MODEL_NOISE_H

#include "base/rng.h"
#include "model/packing.h"
#include "nn/dropout.h"

typedef struct NoiseRates {
    double embedding;   /* numbers of an embedded word, drawn anew for each word */
    double input;       /* inputs of GRUs, one mask a sentence */
    double state;       /* states inside W_hh s, one mask a sentence */
    double readout;     /* numbers of the readout's hidden layer, drawn anew for each word */
    double source_word; /* whole words become zero */
    double target_word;
} NoiseRates;

typedef struct Noise {
    NoiseRates rates;
    Rng rng;
} Noise;

/* Draws a rows x cols mask when rate > 0; else *mask is empty. noise may be NULL: no dropout. */
Status noise_mask(Mat *mask, Arena *arena, double rate, int rows, int cols, Noise *noise,
                  Error *err) MUST_USE;

/* Copies ids and drops whole words; *out is ids itself when rate is 0 or noise is NULL. */
Status noise_words(const int **out, Arena *arena, double rate, const int *ids, int n, Noise *noise,
                   Error *err) MUST_USE;

/* y (N, X) = x * mask where the row of sequence b is masked by row b of mask (B, X). mask may not
 * be empty. */
void noise_apply_to_sequences(Mat y, Mat x, Mat mask, const Packing *packing);

#endif

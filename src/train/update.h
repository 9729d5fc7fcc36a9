/* One update of the weights from one batch.
 *
 *     shards   a batch is cut into runs of pairs with about the same number of pieces, BATCH_SHARDS of them for
 *              each SHARDED_PIECES source and target pieces; each goes forward and backward in an arena of its
 *              own, on whichever worker is free
 *     waves    as many shards as there are workers, though at least two, make a wave, which bounds the memory
 *              for activations
 *     tiles    the gradient of each tile of each tensor is formed over the shards, in their order, a wave at a
 *              time
 *     step     its norm is taken over all tiles in order, the gradient is clipped, and Adam moves the
 *              weights
 *
 * Neither shards nor tiles depend on the number of threads; waves do, but not the order of shards in any sum; and
 * random masks belong to (seed, update, shard): so the same seed gives the same bits with any number of threads.
 *
 * An update whose loss or gradient is not finite is skipped: neither weights nor moments change. */
#ifndef HEED_TRAIN_UPDATE_H
#define HEED_TRAIN_UPDATE_H

#include "model/model_file.h"
#include "train/adam.h"
#include "train/data.h"
#include "train/links.h"

enum { SHARDED_PIECES = 2048, BATCH_SHARDS = 4 };

typedef struct UpdateOptions {
    NoiseRates noise;
    double label_smoothing;
    double r_drop;    /* weight of the divergence between two passes; 0 is one pass */
    double clip_norm; /* 0: no clipping */
    double l2;        /* adds l2 * w to the gradient */
    Adam adam;
    double smoothing; /* of the average of the weights */
    uint64_t seed;
    const Links *links;  /* of pieces, for guided alignment, or NULL */
    double guide_weight; /* of its loss beside that of the words */
} UpdateOptions;

typedef struct UpdateResult {
    double nll;              /* -log p, summed over the target pieces */
    double smoothed;         /* what was minimised, summed: with label smoothing, R-Drop, links */
    long n_source, n_target; /* pieces, end tokens counted */
    double norm;             /* of the gradient per target piece, before clipping */
    int is_finite;
    const char *culprit; /* when it is not finite: the first such tensor, or "loss" */
} UpdateResult;

typedef struct Updater Updater;

/* model has gradients and moments its blocks; all outlive the updater. threads may be NULL. */
Status updater_create(Updater **out, Seq2Seq *model, ModelMoments *moments, const Data *data,
                      const UpdateOptions *options, Threads *threads, Error *err) MUST_USE;
void updater_free(Updater *u);

/* Runs pairs [n] of an epoch forward and backward and adds to the gradients and to result. update
 * and part name the random masks. */
Status updater_add(Updater *u, UpdateResult *result, const int *pairs, int n, long epoch,
                   long update, int part, Error *err) MUST_USE;

/* Clips and applies what was added, with the rate; t counts the applied updates from 1. Sets norm
 * and is_finite in result; begins anew for the next update. */
void updater_apply(Updater *u, UpdateResult *result, double rate, long t);

/* Takes the memory that a batch of these pairs needs, and yields the bytes that all arenas then
 * hold. */
Status updater_reserve(Updater *u, size_t *bytes, const int *pairs, int n, Error *err) MUST_USE;

#endif

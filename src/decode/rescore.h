/* Given pairs by forced decoding: raw lines, or the pieces of a dump, to their records with score
 * and attention. What `heed score` and `heed align` share.
 *
 * A pair with a blank side is scored as it is. Sides longer than max_length pieces are cut. Pairs
 * are shared out to the workers of a translator; the records come to the sink in the order of the
 * pairs, and batches and threads change nothing in them. Memory does not grow with their number.
 *
 * Threads: a Rescorer belongs to one thread at a time, the one of its translator. */
#ifndef HEED_DECODE_RESCORE_H
#define HEED_DECODE_RESCORE_H

#include "decode/translator.h"

enum { RESCORE_WINDOW = 512 };

/* Raw lines; or, when `given` is not NULL, a record whose tokens are pieces of the vocabularies. */
typedef struct RescorePair {
    const char *source, *target;
    size_t len_source, len_target;
    const Dump *given;
    long id;
    int rank;
} RescorePair;

typedef struct RescoreOptions {
    int max_length;      /* pieces of a side, at least 1 */
    int keeps_attention; /* the records have it */
    int is_shifted;      /* row t is the attention one step later, when token t is known; the last
                            row stays */
    AlignBy align_by;    /* what links are weighed by; all but attention need a model whose training
                            counted links, and keeps_attention */
    double alpha;        /* of the normalised score */
} RescoreOptions;

typedef struct RescoreCounts {
    long n_pairs, n_tokens;                   /* target pieces and end tokens */
    double score;                             /* sum of all */
    long n_cut, n_malformed, first_malformed; /* pairs; the first one's id */
} RescoreCounts;

/* Called for each pair in order; the record's tokens are pieces, its memory that of the call.
 * link_weights, of the shape of the attention, is what links are to be taken from: the attention
 * itself unless align_by says otherwise; its end row always is the attention's. */
typedef Status (*RescoreSink)(void *context, const Dump *dump, const float *link_weights,
                              Error *err);

typedef struct Rescorer Rescorer;

/* The translator must outlive it. */
Status rescorer_create(Rescorer **out, const Translator *translator, Error *err) MUST_USE;
void rescorer_free(Rescorer *r);

/* Adds to counts. ERR_FORMAT when a token of a given record is no piece of the vocabulary. */
Status rescorer_run(Rescorer *r, const RescoreOptions *options, const RescorePair *pairs, int n,
                    RescoreSink sink, void *context, RescoreCounts *counts, Error *err) MUST_USE;

#endif

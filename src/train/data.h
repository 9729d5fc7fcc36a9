/* Training data: the pairs of a corpus as ids, and their order in batches.
 *
 * Ids are kept in 16 or 32 bits, whichever the vocabularies need. With BPE-dropout the text itself
 * is kept and encoded anew whenever a pair is used, from the random stream of (seed, epoch, pair).
 *
 * An epoch's order depends on (seed, epoch) alone: pairs are shuffled, sorted by length within
 * pools of many batches, cut into batches, and the batches shuffled. A batch holds up to
 * `sentences` pairs and up to `words` target pieces, whichever bound is given.
 *
 * Threads: read only once made, but for an EpochPlan, which belongs to one thread. */
#ifndef HEED_TRAIN_DATA_H
#define HEED_TRAIN_DATA_H

#include "base/threads.h"
#include "model/batch.h"
#include "text/corpus.h"
#include "text/tokenizer.h"

typedef struct DataOptions {
    int max_length;     /* pieces of a side; longer pairs are left out and counted; 0: no bound */
    double bpe_dropout; /* 0 keeps ids, else text */
    uint64_t seed;
    const Progress *progress; /* who is told how far the encoding is; may be NULL */
} DataOptions;

typedef struct Data Data;

/* Encodes the corpus. The corpus and tokenizers must outlive the data when bpe_dropout > 0 (corpus)
 * and always (tokenizers). ERR_FORMAT when no pair is left. */
Status data_create(Data **out, const Corpus *corpus, const Tokenizer *source,
                   const Tokenizer *target, const DataOptions *options, Threads *threads,
                   Error *err) MUST_USE;
void data_free(Data *data);

long data_size(const Data *data);
long data_n_long(const Data *data); /* pairs left out as too long */
long data_n_pieces(const Data *data, int side);

/* Lengths of pair i in pieces, end tokens not counted. */
int data_length(const Data *data, int side, long i);

/* The place of pair i in the corpus it was made from. */
long data_corpus_index(const Data *data, long i);

/* The ids of pair i for an epoch. They are put into ids [data_pair_room(data, i)] when they have to
 * be made, and out points there; scratch is a Pieces per thread. */
int data_pair_room(const Data *data, long i);
Status data_pair(const Data *data, IdPair *out, long i, long epoch, int *ids, Pieces *scratch,
                 Error *err) MUST_USE;

/* The batches of one epoch: batch k is pairs order[first[k] .. first[k+1]-1]. */
typedef struct EpochPlan {
    int *order;
    long *first;
    long n_batches;
} EpochPlan;

Status data_plan(EpochPlan *out, const Data *data, long epoch, int sentences, int words,
                 Error *err) MUST_USE;
void epoch_plan_free(EpochPlan *plan);

#endif

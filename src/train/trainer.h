/* The training loop: epochs of updates, validation, early stopping, checkpoints.
 *
 *     M.safetensors        the best model so far (the averaged weights when there is an average)
 *     M.last.safetensors   the checkpoint to resume from
 *     M.prev.safetensors   the checkpoint before
 *
 * A run is fixed by its data, recipe and seed; it gives the same bits with any number of threads,
 * and whether or not it was interrupted and resumed. Only stops by time are exempt.
 *
 * Nothing here prints: what happens is told through TrainEvents.
 * Threads: a Trainer belongs to one thread; it uses the workers of a pool. */
#ifndef HEED_TRAIN_TRAINER_H
#define HEED_TRAIN_TRAINER_H

#include "base/threads.h"
#include "model/model_file.h"
#include "text/corpus.h"
#include "text/tokenizer.h"
#include "train/schedule.h"
#include "train/update.h"
#include "train/validate.h"

/* Everything that shapes a run. */
typedef struct Recipe {
    Config config;              /* vocabulary sizes are filled in by the trainer */
    TokenizerOptions tokenizer; /* of each side; vocab_size of the joint one when is_joint */
    int is_joint;               /* one vocabulary learnt from both sides */
    UpdateOptions update;
    Schedule schedule;
    Budget budget;
    int batch_sentences, batch_words; /* bounds of a batch; one may be 0 */
    int accumulate;                   /* batches per update */
    int max_length;                   /* pieces of a side */
    double bpe_dropout;
    long valid_every;      /* updates between validations, 0: at the end of each epoch */
    int patience;          /* validations without progress until the end, 0: no bound */
    double plateau_factor; /* of the learning rate when a validation stalls, 1: none */
    int restarts;          /* on a stall go back to the best weights */
    ValidateOptions validate;
    Precision precision; /* of the products of an update; a model is judged with float32 */
    uint64_t seed;
    const Progress *progress; /* who is told of the work before the first update; may be NULL */
    Links *links;        /* of words or pieces, for guided alignment, or NULL; the caller's, but the
                   * trainer makes them links of pieces */
    int estimates_links; /* without links: makes them itself (train/aligner.h) */
} Recipe;

typedef struct TrainProgress {
    long epoch, update, n_batches; /* from 1; batches of the epoch */
    long batch;                    /* done in this epoch */
    long n_sentences;              /* since the beginning of the epoch */
    double loss;                   /* nats per target piece since the last report */
    double norm, rate;             /* of the last update */
    double pieces_per_second;      /* source and target, since the last report */
    double elapsed, left;          /* seconds; left < 0 when it is not known */
    double share;                  /* 0 .. 1 of the budget or of the epoch */
    long n_skipped;                /* updates skipped because they were not finite */
} TrainProgress;

typedef enum StopReason {
    STOP_EPOCHS,
    STOP_UPDATES,
    STOP_TIME,
    STOP_PATIENCE,
    STOP_SIGNAL,
    STOP_DIVERGED
} StopReason;

typedef struct TrainValidation {
    long epoch, update;
    double elapsed;
    Validation result;
    double best; /* of the metric, so far */
    int is_best;
    int n_stalled, patience;
    double train_loss;        /* nats per target piece since the last scheduled validation */
    double rate, norm;        /* of the last update */
    double pieces_per_second; /* as of the last report */
} TrainValidation;

typedef struct TrainStart {
    size_t n_parameters;
    size_t bytes_parameters, bytes_activations; /* of the run */
    long n_pairs, n_valid, n_long;
    long n_estimated; /* links found by counting; 0 when they were not looked for */
    int source_vocab, target_vocab;
    long n_updates_per_epoch;
    const Config *config;
    Precision precision;
    long resumed_update; /* 0 for a new run */
} TrainStart;

/* What happens is told to these; each may be NULL. */
typedef struct TrainEvents {
    void (*started)(void *context, const TrainStart *start);
    void (*progress)(void *context, const TrainProgress *progress);
    void (*validated)(void *context, const TrainValidation *validation);
    void (*stopped)(void *context, StopReason reason, const TrainValidation *best);
    int (*pending_signal)(void *context); /* the number of a signal that asks to stop, or 0 */
    void *context;
} TrainEvents;

typedef struct Trainer Trainer;

/* Begins a new run: learns the tokenizers and makes the network. The corpora must outlive the
 * trainer. settings: "option = value" lines that the model keeps. init: a model file to start from
 * (its tokenizers and configuration are used), or NULL. */
Status trainer_create(Trainer **out, const Corpus *train, const Corpus *valid, const Recipe *recipe,
                      const char *settings, const char *path, const char *init, Threads *threads,
                      Error *err) MUST_USE;

/* Goes on with the run whose checkpoint is at path's M.last (or M.prev) .safetensors; settings are
 * what its models keep from now on, NULL for those of the checkpoint. ERR_FORMAT
 * when train (or the links) are not those that the run began with. */
Status trainer_resume(Trainer **out, const Corpus *train, const Corpus *valid, const Recipe *recipe,
                      const char *settings, const char *path, Threads *threads,
                      Error *err) MUST_USE;

/* Appends the settings of the run that trainer_resume would go on with. */
Status trainer_settings(Buffer *out, const char *path, Error *err) MUST_USE;

/* Trains until something ends it. OK for a budget or patience; ERR_SIGNAL after saving;
 * ERR_DIVERGED. */
Status trainer_run(Trainer *trainer, const TrainEvents *events, Error *err) MUST_USE;

void trainer_free(Trainer *trainer);

/* "M.safetensors" and "last" give "M.last.safetensors"; a path without that ending just gets
 * ".last". */
Status trainer_path(Buffer *out, const char *path, const char *tag, Error *err) MUST_USE;

#endif

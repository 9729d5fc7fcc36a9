/* A run of training from its options (train/train_settings.h): the checks, the pairs, the lock, the
 * trainer. What the program and the library share.
 *
 * Nothing here prints: what happens is told through SessionEvents.
 * Threads: a session belongs to one thread; it makes a pool of workers. */
#ifndef HEED_TRAIN_SESSION_H
#define HEED_TRAIN_SESSION_H

#include "base/options.h"
#include "train/train_settings.h"
#include "train/trainer.h"

/* What is known when training is about to begin; all of it outlives the session's events. */
typedef struct SessionFacts {
    const char *preset; /* NULL for a resumed run */
    const TrainSettings *settings;
    const char *lines; /* "option = value", as the model keeps them */
    const Corpus *train, *valid;
} SessionFacts;

/* Each may be NULL; they get the context of `train`. */
typedef struct SessionEvents {
    TrainEvents train;
    const Progress *progress; /* of reading, learning a vocabulary, encoding */
    /* The pairs are read and filtered. */
    void (*loaded)(void *context, const Corpus *corpus);
    /* Whoever has it sees to --log and --report, which are refused otherwise. A failure ends the
     * session. */
    Status (*completed)(void *context, const SessionFacts *facts, Error *err);
} SessionEvents;

/* Trains as the parsed options say. Errors as trainer_run, and ERR_ARG for options that do not go
 * together. */
Status session_run(const Parsed *given, const SessionEvents *events, Error *err) MUST_USE;

#endif

/* What a training leaves to look at: a table (--log) and a page (--report), written anew after each
 * validation, whole or not at all. A resumed run goes on with the table that is there; the page
 * then has its curves from the beginning, and samples from the resumption on.
 *
 * A file that cannot be written does not stop the training: the first failure is kept, and
 * train_log_status tells it in the end. */
#ifndef HEED_CLI_TRAIN_LOG_H
#define HEED_CLI_TRAIN_LOG_H

#include "train/trainer.h"

typedef struct TrainLog TrainLog;

typedef struct TrainLogOptions {
    const char *table, *page; /* paths, either may be NULL */
    const char *title;
    const char *settings; /* "option = value" lines; outlives the log, like the corpora */
    const Corpus *train, *valid;
} TrainLogOptions;

Status train_log_create(TrainLog **out, const TrainLogOptions *options, Error *err) MUST_USE;
void train_log_free(TrainLog *log);

/* Takes the points up to the update at which the run goes on from the table that is there; 0 for a
 * new run. */
void train_log_started(TrainLog *log, const TrainStart *start);
void train_log_validated(TrainLog *log, const TrainValidation *validation);
void train_log_stopped(TrainLog *log, const char *reason);

/* The first failure so far. */
Status train_log_status(const TrainLog *log, Error *err) MUST_USE;

#endif

/* What `heed train` says on standard error: a beginning, progress, validations, an end. On a
 * terminal the progress is one live line; in a file it is a line each time. */
#ifndef HEED_CLI_TRAIN_SCREEN_H
#define HEED_CLI_TRAIN_SCREEN_H

#include "cli/live_line.h"
#include "train/trainer.h"

typedef struct TrainScreen {
    int is_quiet;
    const Corpus *valid; /* where the samples come from */
    LiveLine live;       /* live_begin is the caller's */
} TrainScreen;

void train_screen_started(TrainScreen *screen, const TrainStart *start);
void train_screen_progress(TrainScreen *screen, const TrainProgress *progress);

/* A line of numbers, the samples, and a warning when the model says nearly the same whatever it is
 * given. */
void train_screen_validated(TrainScreen *screen, const TrainValidation *validation);
void train_screen_stopped(TrainScreen *screen, StopReason reason, const TrainValidation *best);

/* Says something of its own line, also with --quiet. */
void train_screen_warn(TrainScreen *screen, const char *sentence);

/* Takes the live line away; before anything else is written. */
void train_screen_clear(TrainScreen *screen);

/* "all epochs done", and so on. */
const char *train_screen_reason(StopReason reason);

/* Whether the outputs are nearly all the same: one takes more than half, or fewer than one of ten
 * differ. */
int train_screen_is_collapsed(const Validation *v);

#endif

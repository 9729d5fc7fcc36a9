/* heed train: pairs of sentences to a model. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/train_log.h"
#include "cli/train_screen.h"
#include "train/session.h"

/* Who is told what happens. */
typedef struct Audience {
    TrainScreen screen;
    TrainLog *log; /* NULL when neither table nor page is wanted */
} Audience;

static void on_start(void *context, const TrainStart *start)
{
    Audience *a = context;
    train_screen_started(&a->screen, start);
    if (a->log != NULL) {
        train_log_started(a->log, start);
    }
}

static void on_progress(void *context, const TrainProgress *progress)
{
    Audience *a = context;
    train_screen_progress(&a->screen, progress);
}

/* Says once that the log cannot be written any more. */
static void warn_of_log(Audience *a, Status before)
{
    Error err;
    if (before == OK && train_log_status(a->log, &err) != OK) {
        train_screen_warn(&a->screen, err.message);
    }
}

static void on_validation(void *context, const TrainValidation *validation)
{
    Audience *a = context;
    train_screen_validated(&a->screen, validation);
    if (a->log != NULL) {
        const Status before = train_log_status(a->log, NULL);
        train_log_validated(a->log, validation);
        warn_of_log(a, before);
    }
}

static void on_stop(void *context, StopReason reason, const TrainValidation *best)
{
    Audience *a = context;
    train_screen_stopped(&a->screen, reason, best);
    if (a->log != NULL) {
        const Status before = train_log_status(a->log, NULL);
        train_log_stopped(a->log, train_screen_reason(reason));
        warn_of_log(a, before);
    }
}

static int on_signal_check(void *context)
{
    (void)context;
    return signals_pending();
}

static void on_loaded(void *context, const Corpus *corpus)
{
    Audience *a = context;
    train_screen_clear(&a->screen);
    Buffer table = {0};
    if (!a->screen.is_quiet && corpus_report(corpus, &table, NULL) == OK) {
        (void)fwrite(table.bytes, 1, table.len, stderr);
    }
    buffer_free(&table);
}

/* From here on a signal asks the trainer to save and stop. */
static Status on_completed(void *context, const SessionFacts *facts, Error *err)
{
    Audience *a = context;
    const TrainSettings *s = facts->settings;
    signals_install();
    train_screen_clear(&a->screen);
    a->screen.valid = facts->valid;
    if (!s->quiet && facts->preset != NULL) {
        (void)fprintf(stderr, "preset %s for %ld pairs; vocabularies of at most %d pieces\n",
                      facts->preset, corpus_size(facts->train), s->vocab_size);
    }
    if (s->log == NULL && s->report == NULL) {
        return OK;
    }
    const TrainLogOptions options = {.table = s->log,
                                     .page = s->report,
                                     .title = s->model,
                                     .settings = facts->lines,
                                     .train = facts->train,
                                     .valid = facts->valid};
    return train_log_create(&a->log, &options, err);
}

static Status run(const Parsed *parsed, Error *err)
{
    const TrainSettings *s = parsed->settings;
    Audience a = {.screen = {.is_quiet = s->quiet}};
    live_begin(&a.screen.live, s->quiet);
    const SessionEvents events = {
        {on_start, on_progress, on_validation, on_stop, on_signal_check, &a},
        live_progress(&a.screen.live),
        on_loaded,
        on_completed};
    Status status = session_run(parsed, &events, err);
    train_screen_clear(&a.screen);
    if (status == OK && a.log != NULL) {
        status = train_log_status(a.log, err);
    }
    train_log_free(a.log);
    return status;
}

const Command command_train = {
    .name = "train",
    .operands = "",
    .summary = "pairs of sentences to a model",
    .details =
        "Trains a translator on a parallel corpus and writes M.safetensors (the best model) and\n"
        "M.last.safetensors (the checkpoint). Ctrl-C saves and stops; --resume goes on.\n\n"
        "  heed train --train pairs.tsv --model M.safetensors\n"
        "  heed train --train-source t.en --train-target t.fr --model M.safetensors --after 30m",
    .options = TRAIN_OPTIONS,
    .settings_size = sizeof(TrainSettings),
    .max_operands = 0,
    .run = run,
};

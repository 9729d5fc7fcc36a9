/* A run of training from its options; see the header. */
#include "train/session.h"

#include <string.h>

#include "base/io.h"
#include "math/vec.h"

/* Everything that a session holds; freed in one place. */
typedef struct Session {
    Parsed parsed; /* presets and checkpoints fill its settings */
    TrainSettings *settings;
    const SessionEvents *events;
    Buffer adopted, lines; /* the checkpoint's settings; those that the model will keep */
    IoLock *lock;
    Corpus *train, *valid;
    Links *links;
    Threads *threads;
    Trainer *trainer;
} Session;

static void session_free(Session *s)
{
    trainer_free(s->trainer);
    links_free(s->links);
    threads_free(s->threads);
    corpus_free(s->train);
    corpus_free(s->valid);
    io_unlock(s->lock);
    buffer_free(&s->adopted);
    buffer_free(&s->lines);
}

/* The training or validation pairs that the options name. *out is NULL when they name none. */
static Status load_side(Corpus **out, const char *tsv, const char *source, const char *target,
                        const char *what, const CorpusFilter *filter, Error *err)
{
    *out = NULL;
    if (tsv != NULL && (source != NULL || target != NULL)) {
        return fail(err, ERR_ARG, "--%s and --%s-source: one or the other", what, what);
    }
    if ((source != NULL) != (target != NULL)) {
        return fail(err, ERR_ARG, "--%s-source and --%s-target: both are needed", what, what);
    }
    if (tsv != NULL) {
        return corpus_load_tsv(out, tsv, filter, err);
    }
    return source == NULL ? OK : corpus_load_files(out, source, target, filter, err);
}

static Status check_flags(const TrainSettings *s, Error *err)
{
    if (s->model == NULL) {
        return fail(err, ERR_ARG, "--model: is needed, the file to write");
    }
    if (s->resume && s->overwrite) {
        return fail(err, ERR_ARG, "--resume and --overwrite: one or the other");
    }
    if (s->resume && s->init != NULL) {
        return fail(err, ERR_ARG, "--resume and --init: one or the other");
    }
    if (!s->resume && !s->overwrite && io_exists(s->model)) {
        return fail(err, ERR_ARG, "%s: exists; --resume goes on, --overwrite replaces it",
                    s->model);
    }
    return OK;
}

/* A file that training writes, and the option that names it. */
typedef struct Output {
    const char *option, *path;
} Output;

/* Refuses, before hours of work, a path that cannot be saved and one that something is read from.
 */
static Status check_output(const Parsed *parsed, Output output, Error *err)
{
    const TrainSettings *s = parsed->settings;
    const char *const inputs[] = {s->train,  s->train_source, s->train_target,
                                  s->valid,  s->valid_source, s->valid_target,
                                  s->guided, s->init,         parsed->config_path};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (inputs[i] != NULL && io_save_replaces(output.path, inputs[i])) {
            return fail(err, ERR_ARG, "--%s %s: training would replace its input %s", output.option,
                        output.path, inputs[i]);
        }
    }
    return io_check_writable(output.path, err);
}

/* All files are looked at once the model's lock is held. */
static Status check_outputs(const Parsed *parsed, Error *err)
{
    const TrainSettings *s = parsed->settings;
    Buffer last = {0}, prev = {0};
    Status status = trainer_path(&last, s->model, "last", err);
    status = status == OK ? trainer_path(&prev, s->model, "prev", err) : status;
    const Output outputs[] = {{"model", s->model},
                              {"model", last.bytes},
                              {"model", prev.bytes},
                              {"log", s->log},
                              {"report", s->report}};
    const int n = sizeof outputs / sizeof *outputs;
    for (int i = 0; i < n && status == OK; i++) {
        if (outputs[i].path == NULL) {
            continue;
        }
        status = check_output(parsed, outputs[i], err);
        /* The checkpoints may be names of one file for a moment; only tables and pages can clash.
         */
        for (int j = 0; j < i && i > 2 && status == OK; j++) {
            if (outputs[j].path != NULL && (strcmp(outputs[i].path, outputs[j].path) == 0 ||
                                            io_save_replaces(outputs[i].path, outputs[j].path))) {
                status = fail(err, ERR_ARG, "--%s %s: the file of --%s, too", outputs[i].option,
                              outputs[i].path, outputs[j].option);
            }
        }
    }
    buffer_free(&last);
    buffer_free(&prev);
    return status;
}

/* Reads the pairs and, for guided alignment, their links. */
static Status load_data(Session *session, Error *err)
{
    const TrainSettings *s = session->settings;
    const CorpusFilter filter = {.max_words = s->max_words,
                                 .max_ratio = s->max_ratio,
                                 .drop_duplicates = s->duplicates,
                                 .drop_identical = s->identical,
                                 .progress = session->events->progress};
    TRY(load_side(&session->train, s->train, s->train_source, s->train_target, "train", &filter,
                  err));
    if (session->train == NULL) {
        return fail(err, ERR_ARG,
                    "--train, or --train-source and --train-target: the pairs are needed");
    }
    TRY(load_side(&session->valid, s->valid, s->valid_source, s->valid_target, "valid", NULL, err));
    if (session->valid != NULL && corpus_size(session->valid) == 0) {
        return fail(err, ERR_FORMAT, "%s: no pairs, but validation needs at least one",
                    s->valid != NULL ? s->valid : s->valid_source);
    }
    if (session->valid == NULL) {
        TRY(corpus_hold_out(&session->valid, session->train, (uint64_t)s->seed, err));
    }
    if (session->events->loaded != NULL) {
        session->events->loaded(session->events->train.context, session->train);
    }
    return s->guided == NULL
               ? OK
               : links_load(&session->links, s->guided, s->guided_pieces, session->train, err);
}

/* Fills what a new run's user left open, and tells that all is known. */
static Status complete(Session *session, Error *err)
{
    const TrainSettings *s = session->settings;
    const SessionEvents *events = session->events;
    const char *preset = NULL;
    if (!s->resume) {
        TRY(train_settings_complete(&preset, &session->parsed, corpus_size(session->train), err));
    }
    TRY(train_settings_check(&session->parsed, err));
    TRY(train_settings_print(&session->parsed, &session->lines, err));
    const SessionFacts facts = {.preset = preset,
                                .settings = s,
                                .lines = session->lines.bytes,
                                .train = session->train,
                                .valid = session->valid};
    return events->completed == NULL ? OK : events->completed(events->train.context, &facts, err);
}

static Status create_trainer(Session *session, Error *err)
{
    const TrainSettings *s = session->settings;
    const char *lines = session->lines.bytes;
    Recipe recipe = train_settings_recipe(s, session->valid);
    recipe.links = session->links;
    recipe.progress = session->events->progress;
    if (s->after != NULL) {
        TRY(budget_parse(&recipe.budget, s->after, err));
    }
    return s->resume ? trainer_resume(&session->trainer, session->train, session->valid, &recipe,
                                      lines, s->model, session->threads, err)
                     : trainer_create(&session->trainer, session->train, session->valid, &recipe,
                                      lines, s->model, s->init, session->threads, err);
}

static Status run_session(Session *session, Error *err)
{
    TrainSettings *s = session->settings;
    Budget budget;
    TRY(check_flags(s, err));
    if (s->resume) {
        TRY(train_settings_adopt(&session->parsed, &session->adopted, err));
    }
    if (s->after != NULL) {
        TRY(budget_parse(&budget, s->after, err));
    }
    if (session->events->completed == NULL && (s->log != NULL || s->report != NULL)) {
        return fail(err, ERR_ARG, "--%s: the program writes it, the library does not",
                    s->log != NULL ? "log" : "report");
    }
    TRY(io_lock(&session->lock, s->model, err));
    TRY(check_outputs(&session->parsed, err));
    TRY(load_data(session, err));
    TRY(threads_create(&session->threads, s->threads > 0 ? s->threads : threads_available(), err));
    TRY(complete(session, err));
    TRY(create_trainer(session, err));
    return trainer_run(session->trainer, &session->events->train, err);
}

Status session_run(const Parsed *given, const SessionEvents *events, Error *err)
{
    Session session = {.parsed = *given, .settings = given->settings, .events = events};
    TRY(vec_check(err));
    const Status status = run_session(&session, err);
    session_free(&session);
    return status;
}

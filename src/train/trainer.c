/* The training loop; see the header. */
#include "train/trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/mem.h"
#include "nn/init.h"
#include "train/aligner.h"
#include "train/state.h"

#define REPORT_SECONDS 1.0

enum { SKIPPED_IN_A_ROW_MAX = 10 };

struct Trainer {
    Recipe recipe;
    const Corpus *train, *valid;
    Threads *threads;
    Tokenizer *source, *target; /* target may be source */
    Seq2Seq *model;
    ModelText text;
    ModelMoments moments;
    Data *data;
    Links *estimated; /* or NULL */
    Updater *updater;
    Buffer path, last_path, prev_path;
    State state;
    EpochPlan plan;
    double began; /* clock at the begin of this session */
    int is_resumed;
    long resumed_update;
    const TrainEvents *events;
    /* Since the last report. */
    double report_time, report_nll;
    long report_target, report_pieces, report_sentences;
    TrainProgress progress;
    UpdateResult last_result;
    int n_skipped_in_a_row;
};

void trainer_free(Trainer *t)
{
    if (t == NULL) {
        return;
    }
    updater_free(t->updater);
    data_free(t->data);
    links_free(t->estimated);
    epoch_plan_free(&t->plan);
    seq2seq_free(t->model);
    model_moments_free(&t->moments);
    model_text_free(&t->text);
    if (t->target != t->source) {
        tokenizer_free(t->target);
    }
    tokenizer_free(t->source);
    buffer_free(&t->path);
    buffer_free(&t->last_path);
    buffer_free(&t->prev_path);
    mem_free(t);
}

static Status learn_tokenizers(Trainer *t, Error *err)
{
    CorpusLines state = {.corpus = t->train,
                         .side = t->recipe.is_joint ? N_SIDES : SIDE_SOURCE,
                         .progress = t->recipe.progress};
    Lines lines = corpus_lines(&state);
    TRY(tokenizer_learn(&t->source, &t->recipe.tokenizer, &lines, err));
    if (t->recipe.is_joint) {
        t->target = t->source;
    } else {
        state =
            (CorpusLines){.corpus = t->train, .side = SIDE_TARGET, .progress = t->recipe.progress};
        lines = corpus_lines(&state);
        TRY(tokenizer_learn(&t->target, &t->recipe.tokenizer, &lines, err));
    }
    TRY(tokenizer_save(t->source, &t->text.source_tokenizer, err));
    return tokenizer_save(t->target, &t->text.target_tokenizer, err);
}

static Status load_tokenizers(Trainer *t, Error *err)
{
    const Buffer *source = &t->text.source_tokenizer, *target = &t->text.target_tokenizer;
    TRY(tokenizer_load(&t->source, source->bytes, source->len, err));
    TRY(tokenizer_load(&t->target, target->bytes, target->len, err));
    if (tokenizer_size(t->source) != t->model->config.source_vocab ||
        tokenizer_size(t->target) != t->model->config.target_vocab) {
        return fail(err, ERR_FORMAT,
                    "%s: the tokenizers have %d and %d pieces, the network %d and %d",
                    t->path.bytes, tokenizer_size(t->source), tokenizer_size(t->target),
                    t->model->config.source_vocab, t->model->config.target_vocab);
    }
    return OK;
}

static Status alloc_moments(Trainer *t, Error *err)
{
    const size_t count = t->model->params->count;
    t->moments.m = mem_alloc_aligned(count, sizeof(real));
    t->moments.v = mem_alloc_aligned(count, sizeof(real));
    const int has_average = t->recipe.update.smoothing > 0;
    t->moments.average = has_average ? mem_alloc_aligned(count, sizeof(real)) : NULL;
    if (t->moments.m == NULL || t->moments.v == NULL ||
        (has_average && t->moments.average == NULL)) {
        return mem_fail(err, "the optimiser", count, 3 * sizeof(real));
    }
    if (has_average) {
        memcpy(t->moments.average, t->model->params->values, count * sizeof(real));
    }
    return OK;
}

/* The training data must be those that the run began with; a new run notes them. */
static Status check_data(Trainer *t, Error *err)
{
    State *state = &t->state;
    const long n_pairs = corpus_size(t->train);
    uint32_t crc = corpus_checksum(t->train);
    if (t->recipe.links != NULL) {
        crc = links_checksum(t->recipe.links, crc);
    }
    if (t->is_resumed && (state->n_pairs != n_pairs || state->checksum != (long)crc)) {
        return fail(err, ERR_FORMAT,
                    "%s: was trained on other data: %ld pairs of checksum %08lx, these are %ld of "
                    "%08lx",
                    t->last_path.bytes, state->n_pairs, (unsigned long)state->checksum, n_pairs,
                    (unsigned long)crc);
    }
    state->n_pairs = n_pairs;
    state->checksum = (long)crc;
    return OK;
}

static Status prepare_links(Trainer *t, Error *err)
{
    if (t->recipe.links != NULL) {
        t->recipe.update.links = t->recipe.links;
        return links_to_pieces(t->recipe.links, t->train, t->source, t->target,
                               t->recipe.max_length, err);
    }
    if (t->recipe.estimates_links) {
        buffer_clear(&t->text.links);
        TRY(aligner_run(&t->estimated, &t->text.links, t->data, corpus_size(t->train),
                        tokenizer_size(t->source), tokenizer_size(t->target), t->threads,
                        t->recipe.progress, err));
        t->recipe.update.links = t->estimated;
    }
    return OK;
}

/* What the products of the next pass take. */
static void pack(Trainer *t, Precision precision)
{
    params_set_precision(t->model->params, precision);
    params_pack(t->model->params, t->threads);
}

/* What new and resumed runs have in common, once model and tokenizers stand. */
static Status prepare(Trainer *t, Error *err)
{
    const DataOptions options = {.max_length = t->recipe.max_length,
                                 .bpe_dropout = t->recipe.bpe_dropout,
                                 .seed = t->recipe.seed,
                                 .progress = t->recipe.progress};
    t->recipe.config = t->model->config;
    t->recipe.update.seed = t->recipe.seed;
    TRY(check_data(t, err));
    TRY(data_create(&t->data, t->train, t->source, t->target, &options, t->threads, err));
    TRY(prepare_links(t, err));
    t->recipe.precision = precision_choose(t->recipe.precision, t->recipe.config.hidden);
    pack(t, t->recipe.precision);
    return updater_create(&t->updater, t->model, &t->moments, t->data, &t->recipe.update,
                          t->threads, err);
}

static Status begin(Trainer **out, const Corpus *train, const Corpus *valid, const Recipe *recipe,
                    const char *path, Threads *threads, Error *err)
{
    Trainer *t = mem_zero_alloc(1, sizeof *t);
    if (t == NULL) {
        return mem_fail(err, "the trainer", 1, sizeof *t);
    }
    t->recipe = *recipe;
    t->train = train;
    t->valid = valid;
    t->threads = threads;
    t->state.plateau = 1;
    Status status = buffer_add_text(&t->path, path, err);
    status = status == OK ? trainer_path(&t->last_path, path, "last", err) : status;
    status = status == OK ? trainer_path(&t->prev_path, path, "prev", err) : status;
    if (status != OK) {
        trainer_free(t);
        return status;
    }
    *out = t;
    return OK;
}

static Status create_network(Trainer *t, const char *init, Error *err)
{
    if (init != NULL) {
        Seq2Seq *loaded;
        TRY(model_file_load_numbers(&loaded, &t->text, init, err));
        const Status status = seq2seq_create(&t->model, &loaded->config, 1, err);
        if (status == OK) {
            memcpy(t->model->params->values, loaded->params->values,
                   loaded->params->count * sizeof(real));
        }
        seq2seq_free(loaded);
        TRY(status);
        return load_tokenizers(t, err);
    }
    TRY(learn_tokenizers(t, err));
    t->recipe.config.source_vocab = tokenizer_size(t->source);
    t->recipe.config.target_vocab = tokenizer_size(t->target);
    TRY(seq2seq_create(&t->model, &t->recipe.config, 1, err));
    params_init(t->model->params, t->recipe.seed);
    return OK;
}

static Status fill_new(Trainer *t, const char *settings, const char *init, Error *err)
{
    TRY(create_network(t, init, err));
    buffer_clear(&t->text.settings);
    TRY(buffer_add_text(&t->text.settings, settings, err));
    TRY(alloc_moments(t, err));
    return prepare(t, err);
}

Status trainer_create(Trainer **out, const Corpus *train, const Corpus *valid, const Recipe *recipe,
                      const char *settings, const char *path, const char *init, Threads *threads,
                      Error *err)
{
    Trainer *t;
    TRY(begin(&t, train, valid, recipe, path, threads, err));
    const Status status = fill_new(t, settings, init, err);
    if (status != OK) {
        trainer_free(t);
        return status;
    }
    *out = t;
    return OK;
}

static Status fill_resumed(Trainer *t, const char *settings, Error *err)
{
    const char *path = NULL;
    TRY(state_find_checkpoint(&path, &t->last_path, &t->prev_path, err));
    TRY(checkpoint_load(&t->model, &t->text, &t->moments, path, err));
    TRY(state_read(&t->state, t->moments.state.bytes, path, err));
    TRY(load_tokenizers(t, err));
    if (settings != NULL) {
        buffer_clear(&t->text.settings);
        TRY(buffer_add_text(&t->text.settings, settings, err));
    }
    t->is_resumed = 1;
    t->resumed_update = t->state.update;
    return prepare(t, err);
}

Status trainer_resume(Trainer **out, const Corpus *train, const Corpus *valid, const Recipe *recipe,
                      const char *settings, const char *path, Threads *threads, Error *err)
{
    Trainer *t;
    TRY(begin(&t, train, valid, recipe, path, threads, err));
    const Status status = fill_resumed(t, settings, err);
    if (status != OK) {
        trainer_free(t);
        return status;
    }
    *out = t;
    return OK;
}

static double elapsed(const Trainer *t)
{
    return t->state.elapsed + clock_seconds() - t->began;
}

static Status save_checkpoint(Trainer *t, Error *err)
{
    State state = t->state;
    state.elapsed = elapsed(t);
    TRY(state_write(&t->moments.state, &state, err));
    return checkpoint_save(t->last_path.bytes, t->prev_path.bytes, t->model, &t->text, &t->moments,
                           err);
}

/* Exchanges the weights and their average, which is what is validated and saved as the model. */
static void swap_average(Trainer *t)
{
    ParamList *params = t->model->params;
    for (size_t i = 0; t->moments.average != NULL && i < params->count; i++) {
        const real kept = params->values[i];
        params->values[i] = t->moments.average[i];
        t->moments.average[i] = kept;
    }
}

/* Puts the best model's weights in the place of the current ones. */
static Status restart_from_best(Trainer *t, Error *err)
{
    Seq2Seq *best;
    ModelText text = {0};
    TRY(model_file_load_numbers(&best, &text, t->path.bytes, err));
    const size_t bytes = best->params->count * sizeof(real);
    memcpy(t->model->params->values, best->params->values, bytes);
    if (t->moments.average != NULL) {
        memcpy(t->moments.average, best->params->values, bytes);
    }
    memset(t->moments.m, 0, bytes);
    memset(t->moments.v, 0, bytes);
    t->state.applied = 0;
    pack(t, t->recipe.precision);
    seq2seq_free(best);
    model_text_free(&text);
    return OK;
}

/* Judges the model as it is now and keeps it when it is the best. A scheduled validation moves
 * patience and plateau; the one at the end of a run does not, so that a resumed run goes on as if
 * it had not been. */
static Status run_validation(Trainer *t, int is_scheduled, Error *err)
{
    TrainValidation v = {
        .epoch = t->state.epoch + (t->state.batch > 0),
        .update = t->state.update,
        .patience = t->recipe.patience,
        .train_loss =
            t->state.curve_target > 0 ? t->state.curve_nll / (double)t->state.curve_target : 0,
        .rate = schedule_rate(&t->recipe.schedule, t->state.update, t->state.plateau),
        .norm = t->last_result.norm,
        .pieces_per_second = t->progress.pieces_per_second};
    swap_average(t);
    pack(t, PRECISION_FLOAT32);
    Status status = seq2seq_screen(t->model, t->threads, err);
    status = status == OK ? validate(&v.result, t->model, t->source, t->target, t->valid,
                                     &t->recipe.validate, t->threads, err)
                          : status;
    v.is_best = status == OK && (t->state.best_update == 0 || v.result.metric > t->state.best);
    if (v.is_best) {
        status = model_file_save(t->path.bytes, t->model, &t->text, err);
    }
    swap_average(t);
    pack(t, t->recipe.precision);
    if (status == OK && v.is_best) {
        t->state.best = v.result.metric;
        t->state.best_update = t->state.update;
        t->state.best_epoch = v.epoch;
    }
    if (status == OK && is_scheduled) {
        t->state.curve_nll = 0;
        t->state.curve_target = 0;
        t->state.n_stalled = v.is_best ? 0 : t->state.n_stalled + 1;
        if (!v.is_best && t->recipe.plateau_factor < 1) {
            t->state.plateau *= t->recipe.plateau_factor;
            status = t->recipe.restarts ? restart_from_best(t, err) : OK;
        }
    }
    v.best = t->state.best;
    v.n_stalled = (int)t->state.n_stalled;
    v.elapsed = elapsed(t);
    if (status == OK && t->events->validated != NULL) {
        t->events->validated(t->events->context, &v);
    }
    validation_free(&v.result);
    return status;
}

/* The share of the run that is done, by the bound that is nearest; 0 when there is no bound. */
static double budget_share(const Trainer *t)
{
    const Budget *b = &t->recipe.budget;
    const double epochs =
        (double)t->state.epoch +
        (double)t->state.batch / (double)(t->plan.n_batches > 0 ? t->plan.n_batches : 1);
    double share = 0;
    share = b->epochs > 0 ? fmax(share, epochs / (double)b->epochs) : share;
    share = b->updates > 0 ? fmax(share, (double)t->state.update / (double)b->updates) : share;
    share = b->minutes > 0 ? fmax(share, elapsed(t) / 60 / b->minutes) : share;
    return fmin(share, 1);
}

static void report(Trainer *t, int is_due)
{
    const double now = clock_seconds(), seconds = now - t->report_time;
    if (t->report_target == 0 || (!is_due && seconds < REPORT_SECONDS)) {
        return;
    }
    const double share = budget_share(t);
    TrainProgress *p = &t->progress;
    *p = (TrainProgress){.epoch = t->state.epoch + 1,
                         .update = t->state.update,
                         .n_batches = t->plan.n_batches,
                         .batch = t->state.batch,
                         .n_sentences = t->plan.first == NULL ? 0 : t->plan.first[t->state.batch],
                         .loss = t->report_nll / (double)t->report_target,
                         .norm = t->last_result.norm,
                         .rate =
                             schedule_rate(&t->recipe.schedule, t->state.update, t->state.plateau),
                         .pieces_per_second = (double)t->report_pieces / fmax(seconds, 1e-9),
                         .elapsed = elapsed(t),
                         .left = share > 0 ? elapsed(t) * (1 - share) / share : -1,
                         .share = share,
                         .n_skipped = t->state.n_skipped};
    if (t->events->progress != NULL) {
        t->events->progress(t->events->context, p);
    }
    t->report_time = now;
    t->report_nll = 0;
    t->report_target = t->report_pieces = 0;
}

/* A batch that gave no finite number: counted, and ten in a row end the run. */
static Status skip_update(Trainer *t, const UpdateResult *result, double rate, Error *err)
{
    t->state.n_skipped++;
    if (++t->n_skipped_in_a_row < SKIPPED_IN_A_ROW_MAX) {
        return OK;
    }
    return fail(
        err, ERR_DIVERGED,
        "update %ld: %d updates in a row had no finite loss and gradient; learning rate %g, "
        "first in %s",
        t->state.update, t->n_skipped_in_a_row, rate, result->culprit);
}

/* One update over the next batches of the epoch. */
static Status run_update(Trainer *t, Error *err)
{
    UpdateResult result = {0};
    const long update = t->state.update + 1;
    for (int part = 0; part < t->recipe.accumulate && t->state.batch < t->plan.n_batches; part++) {
        const long first = t->plan.first[t->state.batch], end = t->plan.first[t->state.batch + 1];
        TRY(updater_add(t->updater, &result, t->plan.order + first, (int)(end - first),
                        t->state.epoch, update, part, err));
        t->state.batch++;
    }
    t->state.update = update;
    const double rate = schedule_rate(&t->recipe.schedule, update, t->state.plateau);
    updater_apply(t->updater, &result, rate, t->state.applied + 1);
    t->last_result = result;
    if (!result.is_finite) {
        return skip_update(t, &result, rate, err);
    }
    t->n_skipped_in_a_row = 0;
    t->state.applied++;
    t->state.curve_nll += result.nll;
    t->state.curve_target += result.n_target;
    t->report_nll += result.nll;
    t->report_target += result.n_target;
    t->report_pieces += result.n_source + result.n_target;
    report(t, 0);
    return OK;
}

/* Why the run must end now, if it must. */
static int must_stop(const Trainer *t, StopReason *reason)
{
    const Budget *b = &t->recipe.budget;
    const TrainEvents *e = t->events;
    if (e->pending_signal != NULL && e->pending_signal(e->context) != 0) {
        *reason = STOP_SIGNAL;
    } else if (b->epochs > 0 && t->state.epoch >= b->epochs) {
        *reason = STOP_EPOCHS;
    } else if (b->updates > 0 && t->state.update >= b->updates) {
        *reason = STOP_UPDATES;
    } else if (b->minutes > 0 && elapsed(t) >= 60 * b->minutes) {
        *reason = STOP_TIME;
    } else if (t->recipe.patience > 0 && t->state.n_stalled >= t->recipe.patience) {
        *reason = STOP_PATIENCE;
    } else {
        return 0;
    }
    return 1;
}

static Status plan_epoch(Trainer *t, Error *err)
{
    epoch_plan_free(&t->plan);
    return data_plan(&t->plan, t->data, t->state.epoch, t->recipe.batch_sentences,
                     t->recipe.batch_words, err);
}

/* Ends an epoch when its batches are used up. */
static Status end_epoch_if_due(Trainer *t, Error *err)
{
    if (t->state.batch < t->plan.n_batches) {
        return OK;
    }
    report(t, 1);
    t->state.epoch++;
    t->state.batch = 0;
    return plan_epoch(t, err);
}

static int is_validation_due(const Trainer *t)
{
    return t->recipe.valid_every > 0 ? t->state.update % t->recipe.valid_every == 0
                                     : t->state.batch == 0;
}

/* Updates, validations and checkpoints until something ends the run. */
static Status run_until_stop(Trainer *t, StopReason *reason, long *validated, Error *err)
{
    while (!must_stop(t, reason)) {
        TRY(run_update(t, err));
        TRY(end_epoch_if_due(t, err));
        if (is_validation_due(t)) {
            report(t, 1);
            TRY(run_validation(t, 1, err));
            *validated = t->state.update;
            TRY(save_checkpoint(t, err));
            t->report_time = clock_seconds();
        }
    }
    return OK;
}

/* The batch with the most work of an epoch: it tells how much memory a run needs. */
static Status reserve(Trainer *t, size_t *bytes, Error *err)
{
    long heaviest = 0, most = -1;
    for (long k = 0; k < t->plan.n_batches; k++) {
        long pieces = 0;
        for (long i = t->plan.first[k]; i < t->plan.first[k + 1]; i++) {
            pieces += data_length(t->data, SIDE_SOURCE, t->plan.order[i]) +
                      data_length(t->data, SIDE_TARGET, t->plan.order[i]) + 2;
        }
        if (pieces > most) {
            most = pieces;
            heaviest = k;
        }
    }
    const long first = t->plan.first[heaviest];
    return updater_reserve(t->updater, bytes, t->plan.order + first,
                           (int)(t->plan.first[heaviest + 1] - first), err);
}

static Status start(Trainer *t, Error *err)
{
    const ParamList *params = t->model->params;
    TrainStart s = {.n_parameters = params_learnt(params),
                    .n_pairs = data_size(t->data),
                    .n_valid = corpus_size(t->valid),
                    .n_long = data_n_long(t->data),
                    .n_estimated = t->estimated == NULL ? 0 : links_count(t->estimated),
                    .source_vocab = tokenizer_size(t->source),
                    .target_vocab = tokenizer_size(t->target),
                    .config = &t->model->config,
                    .precision = t->recipe.precision,
                    .resumed_update = t->resumed_update};
    TRY(plan_epoch(t, err));
    mem_trim();
    TRY(reserve(t, &s.bytes_activations, err));
    s.n_updates_per_epoch = (t->plan.n_batches + t->recipe.accumulate - 1) / t->recipe.accumulate;
    const size_t n_blocks = t->moments.average == NULL ? 4 : 5;
    s.bytes_parameters = (n_blocks * params->count + params->packed_count) * sizeof(real);
    if (t->events->started != NULL) {
        t->events->started(t->events->context, &s);
    }
    t->report_time = clock_seconds();
    return OK;
}

/* Whatever ended the run: the work is saved, and a model stands. */
static Status finish(Trainer *t, StopReason reason, long validated, Error *err)
{
    report(t, 1);
    TRY(save_checkpoint(t, err));
    const int is_interrupted = reason == STOP_SIGNAL || reason == STOP_DIVERGED;
    if (!is_interrupted && validated != t->state.update) {
        TRY(run_validation(t, 0, err));
    } else if (!io_exists(t->path.bytes)) {
        swap_average(t);
        const Status status = model_file_save(t->path.bytes, t->model, &t->text, err);
        swap_average(t);
        TRY(status);
    }
    if (t->events->stopped != NULL) {
        const TrainValidation best = {.epoch = t->state.best_epoch,
                                      .update = t->state.best_update,
                                      .best = t->state.best,
                                      .elapsed = elapsed(t)};
        t->events->stopped(t->events->context, reason, &best);
    }
    return OK;
}

Status trainer_run(Trainer *t, const TrainEvents *events, Error *err)
{
    static const TrainEvents silent = {0};
    StopReason reason = STOP_EPOCHS;
    t->events = events == NULL ? &silent : events;
    t->began = clock_seconds();
    /* a checkpoint of an update whose validation is due was saved after it */
    long validated = t->resumed_update > 0 && is_validation_due(t) ? t->state.update : -1;
    TRY(start(t, err));
    const Status status = run_until_stop(t, &reason, &validated, err);
    if (status == ERR_DIVERGED) {
        Error ignored;
        (void)!finish(t, STOP_DIVERGED, validated, &ignored);
        return status;
    }
    TRY(status);
    TRY(finish(t, reason, validated, err));
    if (reason == STOP_SIGNAL) {
        const int number = t->events->pending_signal(t->events->context);
        (void)fail(err, ERR_SIGNAL, "ended by signal %d at update %ld; the work is saved in %s",
                   number, t->state.update, t->last_path.bytes);
        if (err != NULL) {
            err->signal = number;
        }
        return ERR_SIGNAL;
    }
    return OK;
}

/* Training through the library; see heed.h. */
#include <signal.h>

#include "api/handle.h"
#include "train/session.h"

static const Command TRAINING = {
    .name = "train",
    .operands = "",
    .summary = "",
    .details = "",
    .options = TRAIN_OPTIONS,
    .settings_size = sizeof(TrainSettings),
};

/* Passes events on to the callback. */
typedef struct Listener {
    HeedCallback callback;
    void *context;
    int is_stopping;
} Listener;

static void tell(Listener *listener, const HeedProgress *progress)
{
    if (listener->callback != NULL && listener->callback(listener->context, progress) != 0) {
        listener->is_stopping = 1;
    }
}

static void on_progress(void *context, const TrainProgress *p)
{
    tell(context, &(HeedProgress){.epoch = p->epoch,
                                  .update = p->update,
                                  .share = p->share,
                                  .loss = p->loss,
                                  .norm = p->norm,
                                  .learn_rate = p->rate,
                                  .tokens_per_second = p->pieces_per_second,
                                  .elapsed = p->elapsed,
                                  .left = p->left});
}

static void on_validation(void *context, const TrainValidation *v)
{
    tell(context, &(HeedProgress){.epoch = v->epoch,
                                  .update = v->update,
                                  .loss = v->train_loss,
                                  .norm = v->norm,
                                  .learn_rate = v->rate,
                                  .tokens_per_second = v->pieces_per_second,
                                  .elapsed = v->elapsed,
                                  .left = -1,
                                  .is_validation = 1,
                                  .valid_loss = v->result.loss,
                                  .bleu = v->result.bleu,
                                  .chrf = v->result.chrf,
                                  .is_best = v->is_best});
}

/* The trainer knows no other reason to save and stop than a signal. */
static int on_stop_check(void *context)
{
    const Listener *listener = context;
    return listener->is_stopping ? SIGTERM : 0;
}

HeedStatus heed_train(const char *settings, HeedCallback callback, void *context, HeedError *err)
{
    Error e = {0};
    Listener listener = {callback, context, 0};
    const SessionEvents events = {.train = {.progress = on_progress,
                                            .validated = on_validation,
                                            .pending_signal = on_stop_check,
                                            .context = &listener}};
    TrainSettings values;
    Parsed parsed;
    Status status = options_parse_lines(&parsed, &TRAINING, &values, settings, "settings", &e);
    if (status == OK) {
        status = session_run(&parsed, &events, &e);
        options_free(&parsed);
    }
    return handle_report(status, &e, err);
}

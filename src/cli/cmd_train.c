/* heed train: pairs of sentences to a model. */
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/signals.h"
#include "train/session.h"

/* What the lines on stderr need. */
typedef struct Screen {
    int is_terminal, is_quiet, has_live_line;
} Screen;

static void clear_live_line(Screen *screen)
{
    if (screen->has_live_line) {
        (void)fputs("\r\033[K", stderr);
        screen->has_live_line = 0;
    }
}

static void format_time(char *out, size_t cap, double seconds)
{
    const long s = seconds < 0 ? 0 : (long)seconds;
    if (seconds < 0) {
        (void)snprintf(out, cap, "?");
    } else if (s < 3600) {
        (void)snprintf(out, cap, "%ld:%02ld", s / 60, s % 60);
    } else {
        (void)snprintf(out, cap, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    }
}

static void on_start(void *context, const TrainStart *s)
{
    const Screen *screen = context;
    const Config *c = s->config;
    if (screen->is_quiet) {
        return;
    }
    (void)fprintf(
        stderr,
        "%ld training pairs, %ld left out as too long, %ld for validation; vocabularies %d "
        "and %d\n",
        s->n_pairs, s->n_long, s->n_valid, s->source_vocab, s->target_vocab);
    (void)fprintf(
        stderr,
        "embedding %d, hidden %d, attention %s %d, decoder %s, layers %d + %d: %.2f million "
        "parameters\n",
        c->embedding, c->hidden, config_attention_name(c->attention), c->attention_size,
        config_decoder_name(c->decoder), c->encoder_layers, c->decoder_layers,
        (double)s->n_parameters / 1e6);
    (void)fprintf(stderr, "memory: %.0f MB for parameters and optimiser, %.0f MB for a batch\n",
                  (double)s->bytes_parameters / 1e6, (double)s->bytes_activations / 1e6);
    if (s->resumed_update > 0) {
        (void)fprintf(stderr, "resuming after update %ld\n", s->resumed_update);
    }
}

static void on_progress(void *context, const TrainProgress *p)
{
    Screen *screen = context;
    char elapsed[32], left[32];
    if (screen->is_quiet) {
        return;
    }
    format_time(elapsed, sizeof elapsed, p->elapsed);
    format_time(left, sizeof left, p->left);
    clear_live_line(screen);
    (void)fprintf(
        stderr,
        "epoch %ld %3.0f%% update %ld sentences %ld loss %.4f, %.0f tokens/s, norm %.3f, "
        "rate %.3g, %s elapsed, %s left",
        p->epoch, 100.0 * (double)p->batch / (double)(p->n_batches > 0 ? p->n_batches : 1),
        p->update, p->n_sentences, p->loss, p->pieces_per_second, p->norm, p->rate, elapsed, left);
    if (p->n_skipped > 0) {
        (void)fprintf(stderr, ", %ld updates skipped", p->n_skipped);
    }
    if (screen->is_terminal) {
        screen->has_live_line = 1;
    } else {
        (void)fputc('\n', stderr);
    }
}

static void on_validation(void *context, const TrainValidation *v)
{
    Screen *screen = context;
    char elapsed[32];
    if (screen->is_quiet) {
        return;
    }
    clear_live_line(screen);
    format_time(elapsed, sizeof elapsed, v->elapsed);
    (void)fprintf(stderr,
                  "validation: epoch %ld update %ld loss %.4f BLEU %.2f chrF %.2f, best %.2f%s, "
                  "stalled %d of %d, %s elapsed\n",
                  v->epoch, v->update, v->result.loss, v->result.bleu, v->result.chrf, v->best,
                  v->is_best ? " (now)" : "", v->n_stalled, v->patience, elapsed);
}

static void on_stop(void *context, StopReason reason, const TrainValidation *best)
{
    static const char *const reasons[] = {"all epochs done",
                                          "all updates done",
                                          "the time is up",
                                          "no more progress on validation",
                                          "asked to stop by a signal",
                                          "no finite numbers any more"};
    Screen *screen = context;
    if (screen->is_quiet) {
        return;
    }
    clear_live_line(screen);
    char elapsed[32];
    format_time(elapsed, sizeof elapsed, best->elapsed);
    (void)fprintf(stderr, "stopped: %s; best %.2f at epoch %ld, update %ld; %s in all\n",
                  reasons[reason], best->best, best->epoch, best->update, elapsed);
}

static int on_signal_check(void *context)
{
    (void)context;
    return signals_pending();
}

static void on_loaded(void *context, const Corpus *corpus)
{
    const Screen *screen = context;
    Buffer table = {0};
    if (!screen->is_quiet && corpus_report(corpus, &table, NULL) == OK) {
        (void)fwrite(table.bytes, 1, table.len, stderr);
    }
    buffer_free(&table);
}

/* From here on a signal asks the trainer to save and stop. */
static void on_completed(void *context, const char *preset, long n_pairs,
                         const TrainSettings *settings)
{
    const Screen *screen = context;
    if (!screen->is_quiet) {
        (void)fprintf(stderr, "preset %s for %ld pairs; vocabularies of at most %d pieces\n",
                      preset, n_pairs, settings->vocab_size);
    }
    signals_install();
}

static Status run(const Parsed *parsed, Error *err)
{
    const TrainSettings *s = parsed->settings;
    Screen screen = {.is_terminal = isatty(STDERR_FILENO), .is_quiet = s->quiet};
    const SessionEvents events = {
        {on_start, on_progress, on_validation, on_stop, on_signal_check, &screen},
        on_loaded,
        on_completed};
    const Status status = session_run(parsed, &events, err);
    clear_live_line(&screen);
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

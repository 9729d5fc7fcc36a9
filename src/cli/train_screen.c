/* What `heed train` says; see the header. */
#include "cli/train_screen.h"

#include <math.h>
#include <stdio.h>

void train_screen_clear(TrainScreen *screen)
{
    live_clear(&screen->live);
}

const char *train_screen_reason(StopReason reason)
{
    static const char *const reasons[] = {"all epochs done",
                                          "all updates done",
                                          "the time is up",
                                          "no more progress on validation",
                                          "asked to stop by a signal",
                                          "no finite numbers any more"};
    return reasons[reason];
}

void train_screen_warn(TrainScreen *screen, const char *sentence)
{
    train_screen_clear(screen);
    (void)fprintf(stderr, "warning: %s\n", sentence);
}

void train_screen_started(TrainScreen *screen, const TrainStart *s)
{
    const Config *c = s->config;
    if (screen->is_quiet) {
        return;
    }
    train_screen_clear(screen);
    (void)fprintf(
        stderr,
        "%ld training pairs, %ld left out as too long, %ld for validation; vocabularies %d "
        "and %d\n",
        s->n_pairs, s->n_long, s->n_valid, s->source_vocab, s->target_vocab);
    (void)fprintf(
        stderr,
        "embedding %d, hidden %d, attention %s %d, decoder %s, layers %d + %d: %.2f million "
        "parameters, products of %s\n",
        c->embedding, c->hidden, config_attention_name(c->attention), c->attention_size,
        config_decoder_name(c->decoder), c->encoder_layers, c->decoder_layers,
        (double)s->n_parameters / 1e6, precision_name(s->precision));
    (void)fprintf(stderr, "memory: %.0f MB for parameters and optimiser, %.0f MB for a batch\n",
                  (double)s->bytes_parameters / 1e6, (double)s->bytes_activations / 1e6);
    if (s->n_estimated > 0) {
        (void)fprintf(stderr, "the attention is guided by %ld links found by counting\n",
                      s->n_estimated);
    }
    if (s->resumed_update > 0) {
        (void)fprintf(stderr, "resuming after update %ld\n", s->resumed_update);
    }
}

/* Most wanted first: what does not fit is left out. */
static void draw_progress(TrainScreen *screen, const TrainProgress *p)
{
    char elapsed[32], left[32];
    LiveFields fields = {.n = 0};
    live_time(elapsed, sizeof elapsed, p->elapsed);
    live_time(left, sizeof left, p->left);
    live_field(&fields, "%s left", left);
    live_field(&fields, "loss %.4f", p->loss);
    live_field(&fields, "%.0f tokens/s", p->pieces_per_second);
    live_field(&fields, "update %ld", p->update);
    live_field(&fields, "%s elapsed", elapsed);
    live_field(&fields, "norm %.3f", p->norm);
    live_field(&fields, "rate %.3g", p->rate);
    if (p->n_skipped > 0) {
        live_field(&fields, "%ld updates skipped", p->n_skipped);
    }
    char what[48];
    (void)snprintf(what, sizeof what, "epoch %ld", p->epoch);
    live_draw(&screen->live, what, p->share, &fields);
}

void train_screen_progress(TrainScreen *screen, const TrainProgress *p)
{
    char elapsed[32], left[32];
    if (screen->is_quiet) {
        return;
    }
    if (screen->live.is_on) {
        draw_progress(screen, p);
        return;
    }
    live_time(elapsed, sizeof elapsed, p->elapsed);
    live_time(left, sizeof left, p->left);
    (void)fprintf(
        stderr,
        "epoch %ld %3.0f%% update %ld sentences %ld loss %.4f, %.0f tokens/s, norm %.3f, "
        "rate %.3g, %s elapsed, %s left",
        p->epoch, 100.0 * (double)p->batch / (double)(p->n_batches > 0 ? p->n_batches : 1),
        p->update, p->n_sentences, p->loss, p->pieces_per_second, p->norm, p->rate, elapsed, left);
    if (p->n_skipped > 0) {
        (void)fprintf(stderr, ", %ld updates skipped", p->n_skipped);
    }
    (void)fputc('\n', stderr);
}

/* Text as it is, but for what a terminal would obey: control characters. */
static void print_sentence(const char *label, DumpText text)
{
    (void)fprintf(stderr, "  %s", label);
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.bytes[i];
        const unsigned char next = i + 1 < text.len ? (unsigned char)text.bytes[i + 1] : 0;
        const int is_control = c < 0x20 || c == 0x7f;
        const int is_c1 = c == 0xC2 && next >= 0x80 && next < 0xA0; /* U+0080 .. U+009F */
        (void)fputc(is_control || is_c1 ? '?' : c, stderr);
        i += (size_t)is_c1;
    }
    (void)fputc('\n', stderr);
}

int train_screen_is_collapsed(const Validation *v)
{
    return v->n_sources >= 10 && (v->commonest > 0.5 || v->distinct < 0.1);
}

void train_screen_validated(TrainScreen *screen, const TrainValidation *v)
{
    char elapsed[32];
    if (screen->is_quiet) {
        return;
    }
    train_screen_clear(screen);
    live_time(elapsed, sizeof elapsed, v->elapsed);
    const Validation *r = &v->result;
    (void)fprintf(stderr,
                  "validation: epoch %ld update %ld loss %.4f BLEU %.2f chrF %.2f perplexity %.2f, "
                  "best %.2f%s, stalled %d of %d, %.0f%% distinct, %.0f%% copied, %s elapsed\n",
                  v->epoch, v->update, r->loss, r->bleu, r->chrf, exp(r->loss), fabs(v->best),
                  v->is_best ? " (now)" : "", v->n_stalled, v->patience, 100 * r->distinct,
                  100 * r->copied, elapsed);
    if (train_screen_is_collapsed(r)) {
        (void)fprintf(stderr,
                      "warning: %.0f%% of the translations are one sentence, %.0f%% differ: the "
                      "model hardly looks at the source yet\n",
                      100 * r->commonest, 100 * r->distinct);
    }
    for (int i = 0; i < r->n_samples; i++) {
        const Dump *sample = &r->samples[i];
        DumpText reference;
        reference.bytes = corpus_line(screen->valid, SIDE_TARGET, sample->id, &reference.len);
        print_sentence("source     ", sample->source);
        print_sentence("reference  ", reference);
        print_sentence("output     ", sample->target);
    }
}

void train_screen_stopped(TrainScreen *screen, StopReason reason, const TrainValidation *best)
{
    if (screen->is_quiet) {
        return;
    }
    train_screen_clear(screen);
    char elapsed[32];
    live_time(elapsed, sizeof elapsed, best->elapsed);
    (void)fprintf(stderr, "stopped: %s; best %.2f at epoch %ld, update %ld; %s in all\n",
                  train_screen_reason(reason), fabs(best->best), best->epoch, best->update,
                  elapsed);
}

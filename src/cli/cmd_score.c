/* heed score: log-probabilities of given translations. */
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "cli/attention_out.h"
#include "cli/commands.h"
#include "cli/live_line.h"
#include "cli/model_list.h"
#include "base/options.h"
#include "cli/pair_source.h"
#include "cli/results.h"

typedef struct Settings {
    const char *model, *source, *target, *nbest, *dump, *output, *attention;
    double alpha;
    int has_word_scores, format, is_pieces, max_length, threads, is_quiet;
} Settings;

#define AT(member) offsetof(Settings, member)

static const Option OPTIONS[] = {
    {"model", 'm', OPTION_TEXT, AT(model), NULL, 0, 0, "M[,M2...]",
     "the model file; several with commas between score together (an ensemble)"},
    {"source", 0, OPTION_TEXT, AT(source), NULL, 0, 0, "FILE", "source lines"},
    {"target", 0, OPTION_TEXT, AT(target), NULL, 0, 0, "FILE", "their translations, line by line"},
    {"n-best-list", 0, OPTION_TEXT, AT(nbest), NULL, 0, 0, "FILE",
     "translations of --source as an n-best list: number from 0 ||| translation ||| ..."},
    {"dump", 0, OPTION_TEXT, AT(dump), NULL, 0, 0, "FILE.jsonl",
     "the very pieces that `heed translate --pieces --attention FILE.jsonl` wrote"},
    {"output", 'o', OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
     "where the scores go, in place of standard output"},
    {"normalize", 'n', OPTION_REAL, AT(alpha), NULL, 0, 100, "ALPHA",
     "a further column: the log-probability divided by tokens^ALPHA"},
    {"word-scores", 0, OPTION_FLAG, AT(has_word_scores), NULL, 0, 0, NULL,
     "a last column: the log-probability of each token, the end token's last"},
    {"attention", 0, OPTION_TEXT, AT(attention), NULL, 0, 0, "FILE",
     "write where each word looked in the source"},
    {"attention-format", 0, OPTION_CHOICE, AT(format), "jsonl", 0, 0, ATTENTION_FORMATS,
     "JSON lines, blocks for SoftAlignments, tables, or NumPy files FILE.LINE.RANK.npy"},
    {"pieces", 0, OPTION_FLAG, AT(is_pieces), NULL, 0, 0, NULL,
     "attention by pieces of the vocabulary, not merged to words"},
    {"max-length", 0, OPTION_INT, AT(max_length), "1000", 1, 100000, "N",
     "sides of more than N pieces are cut"},
    {"threads", 0, OPTION_INT, AT(threads), "0", 0, THREADS_MAX, "N",
     "worker threads; 0 means the number of cores. Changes no score"},
    {"quiet", 'q', OPTION_FLAG, AT(is_quiet), NULL, 0, 0, NULL,
     "no progress, no warnings, no perplexity"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

typedef struct Session {
    const Settings *settings;
    int has_alpha;
    Translator *translator;
    Rescorer *rescorer;
    PairSource source;
    Results *results;
    AttentionOut *attention;
    Arena *arena;
    Buffer text;
    RescoreCounts counts;
    LiveLine live;
} Session;

static Status write_score(void *context, const Dump *dump, const float *link_weights, Error *err)
{
    (void)link_weights;
    Session *s = context;
    TRY(number_add_double(&s->text, dump->score, "nan", err));
    TRY(buffer_printf(&s->text, err, "\t%d", dump->n_target));
    if (s->has_alpha) {
        TRY(buffer_add_byte(&s->text, '\t', err));
        TRY(number_add_double(&s->text, dump->normalized_score, "nan", err));
    }
    for (int t = 0; t < dump->n_target && s->settings->has_word_scores; t++) {
        TRY(buffer_add_byte(&s->text, t > 0 ? ' ' : '\t', err));
        TRY(number_add_float(&s->text, dump->word_scores[t], "nan", err));
    }
    TRY(buffer_add_byte(&s->text, '\n', err));
    if (s->attention != NULL) {
        Dump shown;
        arena_reset(s->arena);
        TRY(attention_shape(&shown, dump, s->settings->is_pieces, 1, s->arena, err));
        TRY(attention_out_write(s->attention, &shown, err));
    }
    return results_write(s->results, &s->text, err);
}

static Status score_all(Session *s, Error *err)
{
    const RescoreOptions options = {.max_length = s->settings->max_length,
                                    .keeps_attention = s->attention != NULL,
                                    .alpha = s->settings->alpha};
    for (;;) {
        progress_tell(live_progress(&s->live), "scoring", "pairs", (double)s->source.id,
                      pair_source_fraction(&s->source));
        TRY(pair_source_read(&s->source, err));
        if (s->source.n == 0) {
            return OK;
        }
        TRY(rescorer_run(s->rescorer, &options, s->source.pairs, s->source.n, write_score, s,
                         &s->counts, err));
        TRY(results_flush(s->results, err));
    }
}

static void report(const Session *s)
{
    const RescoreCounts *c = &s->counts;
    if (s->settings->is_quiet) {
        return;
    }
    if (c->n_malformed > 0) {
        (void)fprintf(stderr,
                      "heed: warning: %ld pairs are not valid UTF-8, first pair %ld; malformed "
                      "bytes count as U+FFFD\n",
                      c->n_malformed, c->first_malformed + 1);
    }
    const long n_cut = c->n_cut + s->source.n_cut;
    if (n_cut > 0) {
        (void)fprintf(stderr, "heed: warning: %ld %s cut at %d pieces a side\n", n_cut,
                      n_cut == 1 ? "pair was" : "pairs were", s->settings->max_length);
    }
    const double tokens = c->n_tokens > 0 ? (double)c->n_tokens : 1;
    (void)fprintf(stderr, "perplexity %.4f, log-probability %.4f, %ld tokens, %ld pairs\n",
                  exp(-c->score / tokens), c->score, c->n_tokens, c->n_pairs);
}

static Status open_all(Session *session, const Parsed *parsed, const ModelList *models, Error *err)
{
    const Settings *s = session->settings;
    const PairPaths paths = {parsed->n_operands > 0 ? parsed->operands[0] : NULL, s->source,
                             s->target, s->nbest, s->dump};
    const char *inputs[ENSEMBLE_MAX + 5] = {paths.tsv, s->source, s->target, s->nbest, s->dump};
    int n = 5;
    for (int m = 0; m < models->n; m++) {
        inputs[n++] = models->paths[m];
    }
    TRY(results_check("output", s->output, inputs, n, err));
    TRY(results_check("attention", s->attention, inputs, n, err));
    TRY(results_check_other("attention", s->attention, "output",
                            s->output == NULL ? "-" : s->output, err));
    session->has_alpha = options_given(parsed, "normalize");
    TRY(pair_source_open(&session->source, &paths, err));
    live_begin(&session->live, s->is_quiet || live_is_shared(s->output == NULL, NULL));
    TRY(arena_create(&session->arena, 0, err));
    TRY(model_list_open(&session->translator, models, s->threads, err));
    TRY(rescorer_create(&session->rescorer, session->translator, err));
    TRY(results_open(&session->results, s->output, err));
    return s->attention == NULL ? OK
                                : attention_out_open(&session->attention, s->attention,
                                                     (AttentionFormat)s->format, err);
}

static Status run(const Parsed *parsed, Error *err)
{
    Session session = {.settings = parsed->settings};
    ModelList models;
    TRY(model_list_parse(&models, session.settings->model, err));
    Status status = open_all(&session, parsed, &models, err);
    status = status == OK ? score_all(&session, err) : status;
    live_clear(&session.live);
    status = attention_out_close(session.attention, status, err);
    status = results_close(session.results, status, err);
    if (status == OK) {
        report(&session);
    }
    pair_source_close(&session.source);
    rescorer_free(session.rescorer);
    translator_free(session.translator);
    arena_free(session.arena);
    buffer_free(&session.text);
    model_list_free(&models);
    return status;
}

const Command command_score = {
    .name = "score",
    .operands = "[PAIRS.tsv]",
    .summary = "log-probabilities of given translations, and their perplexity",
    .details = "  heed score --model M.safetensors pairs.tsv\n"
               "  heed score --model M.safetensors --source a.txt --target b.txt\n"
               "A line for each pair: the natural log-probability of the translation, and its\n"
               "number of tokens (the end token counted). The perplexity of all follows on\n"
               "standard error.",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = 1,
    .run = run};

/* heed align: which word of a given translation comes from which word of its source. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/attention_out.h"
#include "cli/commands.h"
#include "cli/live_line.h"
#include "cli/model_list.h"
#include "base/options.h"
#include "cli/pair_source.h"
#include "cli/results.h"
#include "decode/lexicon.h"
#include "decode/symmetry.h"
#include "text/dump_write.h"

typedef struct Settings {
    const char *model, *reverse_model, *source, *target, *dump, *output;
    const char *attention, *alignment, *lexicon;
    int align_by, symmetry, is_shifted, is_pieces, has_end, format, has_summary;
    int lexicon_min_count, max_length, threads, is_quiet;
} Settings;

#define AT(member) offsetof(Settings, member)

static const Option OPTIONS[] = {
    {"model", 'm', OPTION_TEXT, AT(model), NULL, 0, 0, "M[,M2...]",
     "the model file; several with commas between align together (an ensemble)"},
    {"reverse-model", 0, OPTION_TEXT, AT(reverse_model), NULL, 0, 0, "M[,M2...]",
     "a model from target to source; the links of both directions are joined"},
    {"symmetrize", 0, OPTION_CHOICE, AT(symmetry), "grow-diag-final-and", 0, 0, SYMMETRY_NAMES,
     "how the links of both directions are joined"},
    {"source", 0, OPTION_TEXT, AT(source), NULL, 0, 0, "FILE", "source lines"},
    {"target", 0, OPTION_TEXT, AT(target), NULL, 0, 0, "FILE", "their translations, line by line"},
    {"dump", 0, OPTION_TEXT, AT(dump), NULL, 0, 0, "FILE.jsonl",
     "the very pieces that `heed translate --pieces --attention FILE.jsonl` wrote"},
    {"output", 'o', OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
     "where the links go, in place of standard output"},
    {"alignment", 0, OPTION_TEXT, AT(alignment), "hard", 0, 0, "hard|soft|T",
     "links to the best source word, to all above T, or all weights"},
    {"align-by", 0, OPTION_CHOICE, AT(align_by), "both", 0, 0, ALIGN_BY_NAMES,
     "what links follow: the attention, the counts that --estimate-alignment left in the model, or "
     "both as far as there are any. Attention that is written stays attention"},
    {"shift", 0, OPTION_FLAG, AT(is_shifted), NULL, 0, 0, NULL,
     "read the attention one step later, when the word has been written"},
    {"attention", 0, OPTION_TEXT, AT(attention), NULL, 0, 0, "FILE",
     "write the attention matrices"},
    {"attention-format", 0, OPTION_CHOICE, AT(format), "jsonl", 0, 0, ATTENTION_FORMATS,
     "JSON lines, blocks for SoftAlignments, tables, or NumPy files FILE.LINE.RANK.npy"},
    {"pieces", 0, OPTION_FLAG, AT(is_pieces), NULL, 0, 0, NULL,
     "link pieces of the vocabulary, not words"},
    {"eos", 0, OPTION_FLAG, AT(has_end), "yes", 0, 0, NULL,
     "keep the end token in attention; --no-eos drops it and scales the rows to 1"},
    {"lexicon", 0, OPTION_TEXT, AT(lexicon), NULL, 0, 0, "FILE",
     "write a glossary: source, target, p(t|s), p(s|t), count; with --pieces of pieces, as "
     "`heed translate --shortlist` reads it"},
    {"lexicon-min-count", 0, OPTION_INT, AT(lexicon_min_count), "1", 1, 1000000000, "N",
     "leave out of the glossary what was linked less often"},
    {"summary", 0, OPTION_FLAG, AT(has_summary), NULL, 0, 0, NULL,
     "at the end, on standard error: the mean entropy of the attention and the share of the end "
     "token"},
    {"max-length", 0, OPTION_INT, AT(max_length), "1000", 1, 100000, "N",
     "sides of more than N pieces are cut"},
    {"threads", 0, OPTION_INT, AT(threads), "0", 0, THREADS_MAX, "N",
     "worker threads; 0 means the number of cores. Changes no link"},
    {"quiet", 'q', OPTION_FLAG, AT(is_quiet), NULL, 0, 0, NULL, "no progress, no warnings"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

/* What --summary tells, over all target tokens. */
typedef struct Summary {
    double entropy, end_share, uniform;
    long n_rows;
} Summary;

/* One direction. */
typedef struct Direction {
    Translator *translator;
    Rescorer *rescorer;
} Direction;

typedef struct Session {
    const Settings *settings;
    DumpAlignment alignment;
    Direction forward, backward; /* the second is empty without --reverse-model */
    PairSource source;
    RescorePair *turned;   /* the window with its sides exchanged */
    Links *backward_links; /* [window], in words of the forward direction */
    int at;                /* pair of the window */
    Results *results;
    AttentionOut *attention;
    Lexicon *lexicon;
    Results *lexicon_results;
    Arena *arena;  /* of one pair */
    Arena *window; /* links of the backward direction */
    Buffer text;
    Summary summary;
    RescoreCounts counts, backward_counts;
    LiveLine live;
} Session;

static void summarize(Summary *summary, const Dump *d)
{
    for (int t = 0; t < d->n_target && d->n_source > 0; t++) {
        const float *row = d->attention + (size_t)t * (size_t)d->n_source;
        double entropy = 0;
        for (int s = 0; s < d->n_source; s++) {
            const double p = (double)row[s];
            entropy -= p > 0 ? p * log(p) : 0;
        }
        summary->entropy += entropy;
        summary->uniform += log(d->n_source);
        summary->end_share += d->has_source_end ? (double)row[d->n_source - 1] : 0;
        summary->n_rows++;
    }
}

static Status find_links(Session *s, Links *out, const Dump *dump, const float *weights,
                         Arena *arena, Error *err)
{
    Dump weighed = *dump, shown;
    weighed.attention = weights;
    TRY(attention_shape(&shown, &weighed, s->settings->is_pieces, 1, s->arena, err));
    return dump_links(&out->v, &out->n, &shown, s->alignment.threshold, arena, err);
}

static int compare_links(const DumpLink *a, const DumpLink *b)
{
    return a->source != b->source ? a->source - b->source : a->target - b->target;
}

/* Exchanges source and target of the links and sorts them again. */
static void turn(Links *links)
{
    for (int i = 0; i < links->n; i++) {
        const DumpLink link = {links->v[i].target, links->v[i].source};
        int at = i;
        for (; at > 0 && compare_links(&links->v[at - 1], &link) > 0; at--) {
            links->v[at] = links->v[at - 1];
        }
        links->v[at] = link;
    }
}

/* The backward direction: keeps the links of each pair of the window. */
static Status keep_backward(void *context, const Dump *dump, const float *link_weights, Error *err)
{
    Session *s = context;
    arena_reset(s->arena);
    Links *links = &s->backward_links[s->at++];
    TRY(find_links(s, links, dump, link_weights, s->window, err));
    turn(links);
    return OK;
}

static Status add_links(Buffer *out, const Links *links, Error *err)
{
    for (int i = 0; i < links->n; i++) {
        TRY(buffer_printf(out, err, "%s%d-%d", i > 0 ? " " : "", links->v[i].source,
                          links->v[i].target));
    }
    return OK;
}

/* The number of tokens without the end token. */
static int n_words(int n, int has_end)
{
    return n - has_end;
}

static Status join(Session *s, Links *links, const Dump *shown, Error *err)
{
    const Links *backward = &s->backward_links[s->at];
    const int n_source = n_words(shown->n_source, shown->has_source_end);
    const int n_target = n_words(shown->n_target, shown->has_target_end);
    for (int i = 0; i < backward->n; i++) {
        if (backward->v[i].source >= n_source || backward->v[i].target >= n_target) {
            return fail(err, ERR_ARG,
                        "pair %ld: the two models count its pieces differently; leave --pieces out",
                        shown->id + 1);
        }
    }
    return symmetry_join(links, links, backward, n_source, n_target,
                         (Symmetry)s->settings->symmetry, s->arena, err);
}

static Status write_pair(void *context, const Dump *dump, const float *link_weights, Error *err)
{
    Session *s = context;
    Dump shown, kept;
    Links links;
    arena_reset(s->arena);
    TRY(attention_shape(&shown, dump, s->settings->is_pieces, 1, s->arena, err));
    summarize(&s->summary, &shown);
    TRY(find_links(s, &links, dump, link_weights, s->arena, err));
    if (s->backward.rescorer != NULL) {
        TRY(join(s, &links, &shown, err));
    }
    if (s->lexicon != NULL) {
        TRY(lexicon_add(s->lexicon, &shown, &links, err));
    }
    TRY(attention_shape(&kept, &shown, 1, s->settings->has_end, s->arena, err));
    TRY(s->alignment.kind == DUMP_SOFT ? dump_write_soft(&s->text, &kept, err)
                                       : add_links(&s->text, &links, err));
    TRY(buffer_add_byte(&s->text, '\n', err));
    if (s->attention != NULL) {
        TRY(attention_out_write(s->attention, &kept, err));
    }
    s->at++;
    return results_write(s->results, &s->text, err);
}

/* ---- Running ---- */

/* The window's pairs with source and target exchanged. */
static void turn_pairs(Session *s)
{
    for (int i = 0; i < s->source.n; i++) {
        const RescorePair *p = &s->source.pairs[i];
        s->turned[i] = *p;
        s->turned[i].source = p->target;
        s->turned[i].len_source = p->len_target;
        s->turned[i].target = p->source;
        s->turned[i].len_target = p->len_source;
    }
}

/* The options of a direction: a model without counted links is asked for both as for attention. */
static RescoreOptions options_of(const Session *s, const Direction *d)
{
    const AlignBy by = (AlignBy)s->settings->align_by;
    const int has_links = translator_links(d->translator) != NULL;
    return (RescoreOptions){.max_length = s->settings->max_length,
                            .keeps_attention = 1,
                            .is_shifted = s->settings->is_shifted,
                            .align_by = by == ALIGN_BY_BOTH && !has_links ? ALIGN_BY_ATTENTION : by,
                            .alpha = 1};
}

static Status align_window(Session *s, Error *err)
{
    RescoreOptions options;
    if (s->backward.rescorer != NULL) {
        arena_reset(s->window);
        turn_pairs(s);
        s->at = 0;
        options = options_of(s, &s->backward);
        TRY(rescorer_run(s->backward.rescorer, &options, s->turned, s->source.n, keep_backward, s,
                         &s->backward_counts, err));
    }
    s->at = 0;
    options = options_of(s, &s->forward);
    return rescorer_run(s->forward.rescorer, &options, s->source.pairs, s->source.n, write_pair, s,
                        &s->counts, err);
}

static Status write_lexicon_line(void *context, Buffer *line, Error *err)
{
    const Session *s = context;
    return results_write(s->lexicon_results, line, err);
}

static Status align_all(Session *s, Error *err)
{
    for (;;) {
        progress_tell(live_progress(&s->live), "aligning", "pairs", (double)s->source.id,
                      pair_source_fraction(&s->source));
        TRY(pair_source_read(&s->source, err));
        if (s->source.n == 0) {
            break;
        }
        TRY(align_window(s, err));
        TRY(results_flush(s->results, err));
    }
    return s->lexicon == NULL ? OK
                              : lexicon_write(s->lexicon, s->settings->lexicon_min_count,
                                              write_lexicon_line, s, err);
}

static void report(const Session *s)
{
    const RescoreCounts *c = &s->counts;
    if (!s->settings->is_quiet && c->n_malformed > 0) {
        (void)fprintf(stderr,
                      "heed: warning: %ld pairs are not valid UTF-8, first pair %ld; malformed "
                      "bytes count as U+FFFD\n",
                      c->n_malformed, c->first_malformed + 1);
    }
    const long n_cut = c->n_cut + s->source.n_cut;
    if (!s->settings->is_quiet && n_cut > 0) {
        (void)fprintf(stderr, "heed: warning: %ld %s cut at %d pieces a side\n", n_cut,
                      n_cut == 1 ? "pair was" : "pairs were", s->settings->max_length);
    }
    if (!s->settings->is_quiet && s->lexicon != NULL && lexicon_has_forgotten(s->lexicon)) {
        (void)fprintf(stderr, "heed: warning: the rarest pairs of the glossary were forgotten\n");
    }
    if (s->settings->has_summary) {
        const double n = s->summary.n_rows > 0 ? (double)s->summary.n_rows : 1;
        (void)fprintf(stderr,
                      "attention: mean entropy %.4f nats (uniform would be %.4f), %.2f %% on the "
                      "end token, %ld target tokens, %ld pairs\n",
                      s->summary.entropy / n, s->summary.uniform / n,
                      100 * s->summary.end_share / n, s->summary.n_rows, c->n_pairs);
    }
}

static Status open_direction(Direction *d, const char *model, int n_threads, Error *err)
{
    ModelList models;
    TRY(model_list_parse(&models, model, err));
    const Status status = model_list_open(&d->translator, &models, n_threads, err);
    model_list_free(&models);
    return status == OK ? rescorer_create(&d->rescorer, d->translator, err) : status;
}

static Status check_options(Session *session, const Parsed *parsed, const PairPaths *paths,
                            Error *err)
{
    const Settings *s = session->settings;
    const char *inputs[] = {paths->tsv, s->source, s->target, s->dump, s->model, s->reverse_model};
    const char *output = s->output == NULL ? "-" : s->output;
    TRY(dump_parse_alignment(&session->alignment, s->alignment, err));
    if (s->model == NULL) {
        return fail(err, ERR_ARG, "--model: is needed, the model file");
    }
    if (s->reverse_model == NULL && options_given(parsed, "symmetrize")) {
        return fail(err, ERR_ARG, "--symmetrize: needs --reverse-model");
    }
    if (s->align_by != ALIGN_BY_ATTENTION && session->alignment.kind == DUMP_SOFT &&
        options_given(parsed, "align-by")) {
        return fail(err, ERR_ARG, "--align-by: weighs links; --alignment soft writes attention");
    }
    if (s->reverse_model != NULL && (s->dump != NULL || session->alignment.kind == DUMP_SOFT)) {
        return fail(err, ERR_ARG, "--reverse-model: does not go with --dump or --alignment soft");
    }
    TRY(results_check("output", s->output, inputs, 6, err));
    TRY(results_check("attention", s->attention, inputs, 6, err));
    TRY(results_check("lexicon", s->lexicon, inputs, 6, err));
    TRY(results_check_other("attention", s->attention, "output", output, err));
    TRY(results_check_other("lexicon", s->lexicon, "output", output, err));
    return results_check_other("lexicon", s->lexicon, "attention", s->attention, err);
}

static Status open_all(Session *session, const Parsed *parsed, Error *err)
{
    const Settings *s = session->settings;
    const PairPaths paths = {.tsv = parsed->n_operands > 0 ? parsed->operands[0] : NULL,
                             .source = s->source,
                             .target = s->target,
                             .dump = s->dump};
    TRY(check_options(session, parsed, &paths, err));
    TRY(pair_source_open(&session->source, &paths, err));
    live_begin(&session->live, s->is_quiet || live_is_shared(s->output == NULL, NULL));
    TRY(arena_create(&session->arena, 0, err));
    TRY(arena_create(&session->window, 0, err));
    session->turned = mem_alloc(RESCORE_WINDOW, sizeof *session->turned);
    session->backward_links = mem_alloc(RESCORE_WINDOW, sizeof *session->backward_links);
    if (session->turned == NULL || session->backward_links == NULL) {
        return mem_fail(err, "a window of pairs", RESCORE_WINDOW, sizeof *session->turned);
    }
    TRY(open_direction(&session->forward, s->model, s->threads, err));
    if (s->reverse_model != NULL) {
        TRY(open_direction(&session->backward, s->reverse_model, s->threads, err));
    }
    if (s->lexicon != NULL) {
        TRY(lexicon_create(&session->lexicon, s->is_pieces, err));
        TRY(results_open(&session->lexicon_results, s->lexicon, err));
    }
    TRY(results_open(&session->results, s->output, err));
    return s->attention == NULL ? OK
                                : attention_out_open(&session->attention, s->attention,
                                                     (AttentionFormat)s->format, err);
}

static void close_direction(Direction *d)
{
    rescorer_free(d->rescorer);
    translator_free(d->translator);
}

static Status run(const Parsed *parsed, Error *err)
{
    Session session = {.settings = parsed->settings};
    Status status = open_all(&session, parsed, err);
    status = status == OK ? align_all(&session, err) : status;
    live_clear(&session.live);
    status = attention_out_close(session.attention, status, err);
    status = results_close(session.lexicon_results, status, err);
    status = results_close(session.results, status, err);
    if (status == OK) {
        report(&session);
    }
    pair_source_close(&session.source);
    close_direction(&session.forward);
    close_direction(&session.backward);
    lexicon_free(session.lexicon);
    mem_free(session.turned);
    mem_free(session.backward_links);
    arena_free(session.arena);
    arena_free(session.window);
    buffer_free(&session.text);
    return status;
}

const Command command_align = {
    .name = "align",
    .operands = "[PAIRS.tsv]",
    .summary = "word links and attention of given translations, and glossaries",
    .details =
        "  heed align --model M.safetensors pairs.tsv > links\n"
        "  heed align --model M.safetensors --source a.txt --target b.txt --alignment soft\n"
        "  heed align --model en-fr.safetensors --reverse-model fr-en.safetensors pairs.tsv\n"
        "A line for each pair: links `source-target`, words counted from 0.",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = 1,
    .run = run};

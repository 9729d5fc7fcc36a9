/* heed translate: lines to lines, with n-best lists, scores and attention. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/attention_out.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/live_line.h"
#include "cli/model_list.h"
#include "base/options.h"
#include "cli/results.h"
#include "decode/phrase_table.h"
#include "text/dump_write.h"
#include "text/unicode.h"
#include "view/terminal.h"

typedef struct Settings {
    const char *model, *input, *output;
    int beam_size, n_best, min_length, max_length, is_cropped, max_offset, no_repeat_ngram;
    double alpha, coverage, max_factor;
    int bans_unknown, has_prefix;
    int is_sampling, top_k, seed;
    double temperature, top_p;
    int mini_batch, threads;
    const char *attention, *alignment;
    int format, shows, color, has_word_scores, is_pieces, has_end;
    int replaces_unknown;
    const char *phrase_table, *shortlist;
    int shortlist_first, shortlist_best;
    int is_quiet;
} Settings;

#define AT(member) offsetof(Settings, member)

static const Option OPTIONS[] = {
    {"model", 'm', OPTION_TEXT, AT(model), NULL, 0, 0, "M[,M2...]",
     "the model file; several with commas between translate together (an ensemble)"},
    {"input", 'i', OPTION_TEXT, AT(input), NULL, 0, 0, "FILE",
     "lines to translate; standard input when neither this nor TEXT is given"},
    {"output", 'o', OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
     "where the translations go, in place of standard output"},
    {"beam-size", 'b', OPTION_INT, AT(beam_size), "5", 1, BEAM_MAX, "N",
     "hypotheses kept at each word; 1 is greedy search"},
    {"n-best", 0, OPTION_INT, AT(n_best), "1", 1, BEAM_MAX, "N",
     "write the N best translations of each line, as Moses does; at most the beam size"},
    {"normalize", 'n', OPTION_REAL, AT(alpha), "1", 0, 100, "ALPHA",
     "scores are divided by length^ALPHA, the end token counted; 0: not at all"},
    {"coverage-penalty", 0, OPTION_REAL, AT(coverage), "0", 0, 1000, "BETA",
     "weight of the penalty for source words that got little attention (Wu et al. 2016)"},
    {"min-length", 0, OPTION_INT, AT(min_length), "0", 0, 1000000, "N",
     "pieces that a translation has at least"},
    {"max-output-factor", 0, OPTION_REAL, AT(max_factor), "3", 0, 1000, "X",
     "a translation has at most X times the source's pieces ..."},
    {"max-output-offset", 0, OPTION_INT, AT(max_offset), "10", 0, 1000000, "N", "... and N more"},
    {"max-length", 0, OPTION_INT, AT(max_length), "200", 1, 100000, "N",
     "lines of more than N pieces are translated in parts: sentences, else phrases"},
    {"max-length-crop", 0, OPTION_FLAG, AT(is_cropped), NULL, 0, 0, NULL,
     "cut such lines at N pieces instead"},
    {"no-repeat-ngram", 0, OPTION_INT, AT(no_repeat_ngram), "0", 0, 1000, "N",
     "no N pieces in a row come twice in a translation; 0: off"},
    {"ban-unknown", 0, OPTION_FLAG, AT(bans_unknown), NULL, 0, 0, NULL, "never write <unk>"},
    {"prefix", 0, OPTION_FLAG, AT(has_prefix), NULL, 0, 0, NULL,
     "a line is source, tab, and the text its translation begins with"},
    {"sampling", 0, OPTION_FLAG, AT(is_sampling), NULL, 0, 0, NULL,
     "draw translations at random instead of searching; --n-best of them, equal ones once"},
    {"temperature", 0, OPTION_REAL, AT(temperature), "1", 0.01, 100, "T",
     "sampling: below 1 the probable words gain, above 1 the others"},
    {"top-k", 0, OPTION_INT, AT(top_k), "0", 0, 10000000, "K",
     "sampling: draw from the K most probable words; 0: from all"},
    {"top-p", 0, OPTION_REAL, AT(top_p), "1", 1e-6, 1, "P",
     "sampling: draw from the fewest words that have the probability P together"},
    {"seed", 0, OPTION_INT, AT(seed), "1", 0, 2147483647, "N",
     "sampling: the drawn words follow from the seed and the number of the line"},
    {"mini-batch", 'B', OPTION_INT, AT(mini_batch), "64", 1, TRANSLATE_MAX_BATCH, "N",
     "lines translated together; 1 answers each line at once. Changes no translation"},
    {"threads", 0, OPTION_INT, AT(threads), "0", 0, THREADS_MAX, "N",
     "worker threads; 0 means the number of cores. Changes no translation"},
    {"attention", 0, OPTION_TEXT, AT(attention), NULL, 0, 0, "FILE",
     "write where each word of each translation looked in the source"},
    {"attention-format", 0, OPTION_CHOICE, AT(format), "jsonl", 0, 0, ATTENTION_FORMATS,
     "JSON lines, blocks for SoftAlignments, tables, or NumPy files FILE.LINE.RANK.npy"},
    {"alignment", 0, OPTION_TEXT, AT(alignment), NULL, 0, 0, "hard|soft|T",
     "behind each translation: word links (best source word, or all above T), or all weights"},
    {"show", 0, OPTION_FLAG, AT(shows), NULL, 0, 0, NULL,
     "draw the attention matrix below each translation"},
    {"color", 0, OPTION_CHOICE, AT(color), "auto", 0, 0, "auto|always|never",
     "colour of --show; auto: on a terminal, unless NO_COLOR is set"},
    {"word-scores", 0, OPTION_FLAG, AT(has_word_scores), NULL, 0, 0, NULL,
     "behind each translation: the log-probabilities of its words"},
    {"pieces", 0, OPTION_FLAG, AT(is_pieces), NULL, 0, 0, NULL,
     "attention, links and word scores by pieces of the vocabulary, not merged to words"},
    {"eos", 0, OPTION_FLAG, AT(has_end), "yes", 0, 0, NULL,
     "keep the end token in attention; --no-eos drops it and scales the rows to 1"},
    {"replace-unk", 0, OPTION_FLAG, AT(replaces_unknown), NULL, 0, 0, NULL,
     "write for <unk> the source word that got the most attention (models of whole words)"},
    {"phrase-table", 0, OPTION_TEXT, AT(phrase_table), NULL, 0, 0, "FILE",
     "with --replace-unk: translate that word by lines of source, tab, target"},
    {"shortlist", 0, OPTION_TEXT, AT(shortlist), NULL, 0, 0, "FILE",
     "choose only among pieces that this lexicon of `heed align --pieces --lexicon FILE` gives for "
     "the line: faster with a large vocabulary"},
    {"shortlist-first", 0, OPTION_INT, AT(shortlist_first), "100", 0, SHORTLIST_MAX, "N",
     "... the N most frequent pieces of all ..."},
    {"shortlist-best", 0, OPTION_INT, AT(shortlist_best), "50", 0, SHORTLIST_MAX, "N",
     "... and the N most frequent ones of each source piece"},
    {"quiet", 'q', OPTION_FLAG, AT(is_quiet), NULL, 0, 0, NULL, "no progress, no warnings"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

/* A run of the command. */
typedef struct Session {
    const Settings *settings;
    TranslateOptions options;
    DumpAlignment alignment;
    Translator *translator;
    PhraseTable *phrases;
    Shortlist *shortlist;
    LineSource source;
    Results *results;
    AttentionOut *attention;
    Arena *arena; /* of one record */
    Buffer text;
    long at;      /* line of the window that the next translation belongs to */
    double score; /* of the line under way that comes in chunks */
    long n_tokens;
    Buffer links, word_scores; /* of the line under way, and its words so far */
    int n_source, n_target;
    long n_chunked; /* lines that came in chunks */
    TranslateCounts counts;
    LiveLine live;
    Progress progress;
    double before, n_before; /* of the window: fraction of the input and lines before it */
} Session;

/* ---- Writing ---- */

/* Links of a block of a line, its words counted on from the blocks before. */
static Status gather_links(Session *s, const Dump *block, Error *err)
{
    DumpLink *links;
    int n_links;
    TRY(dump_links(&links, &n_links, block, s->alignment.threshold, s->arena, err));
    for (int i = 0; i < n_links; i++) {
        TRY(buffer_printf(&s->links, err, "%s%d-%d", s->links.len > 0 ? " " : "",
                          s->n_source + links[i].source, s->n_target + links[i].target));
    }
    s->n_source += block->n_source - block->has_source_end;
    s->n_target += block->n_target - block->has_target_end;
    return OK;
}

static void begin_line(Session *s)
{
    buffer_clear(&s->links);
    buffer_clear(&s->word_scores);
    s->n_source = 0;
    s->n_target = 0;
    s->score = 0;
    s->n_tokens = 0;
}

/* Adds the links or weights, and the word scores, of blocks to those of the line under way. */
static Status gather(Session *s, const Dump *blocks, int n, Error *err)
{
    for (int b = 0; b < n; b++) {
        if (s->settings->alignment != NULL && s->alignment.kind != DUMP_SOFT) {
            TRY(gather_links(s, &blocks[b], err));
        } else if (s->settings->alignment != NULL && blocks[b].n_target > 0) {
            TRY(buffer_add_text(&s->links, s->links.len > 0 ? " " : "", err));
            TRY(dump_write_soft(&s->links, &blocks[b], err));
        }
        for (int i = 0; i < blocks[b].n_target && s->settings->has_word_scores; i++) {
            TRY(buffer_add_byte(&s->word_scores, ' ', err));
            TRY(number_add_float(&s->word_scores, blocks[b].word_scores[i], "nan", err));
        }
    }
    return OK;
}

/* What follows the translation: links or weights, then word scores. */
static Status add_extras(Session *s, Error *err)
{
    if (s->settings->alignment != NULL) {
        TRY(buffer_add_text(&s->text, " ||| ", err));
        TRY(buffer_add(&s->text, s->links.bytes, s->links.len, err));
    }
    if (s->settings->has_word_scores) {
        TRY(buffer_add_text(&s->text, " ||| WordScores=", err));
        TRY(buffer_add(&s->text, s->word_scores.bytes, s->word_scores.len, err));
    }
    return OK;
}

static Status add_scores(Session *s, double score, double normalized, Error *err)
{
    TRY(buffer_add_text(&s->text, " ||| F0= ", err));
    TRY(number_add_double(&s->text, score, "nan", err));
    TRY(buffer_add_text(&s->text, " ||| ", err));
    return number_add_double(&s->text, normalized, "nan", err);
}

static Status draw(Session *s, const Dump *blocks, int n, Error *err)
{
    const TerminalOptions options = {.has_color = screen_has_color(s->settings->color),
                                     .width = screen_width(STDOUT_FILENO)};
    for (int b = 0; b < n; b++) {
        TRY(terminal_draw(&s->text, &blocks[b], options, err));
        TRY(buffer_add_byte(&s->text, '\n', err));
    }
    return OK;
}

/* The records of a translation as the options ask for them, in *out. */
static Status shape(Session *s, Dump **out, const Translation *translation, Error *err)
{
    const int n = translation->n_blocks;
    void *block;
    TRY(arena_alloc(s->arena, &block, (size_t)n, sizeof(Dump), err));
    *out = block;
    for (int b = 0; b < n; b++) {
        TRY(attention_shape(*out + b, &translation->blocks[b], s->settings->is_pieces,
                            s->settings->has_end, s->arena, err));
    }
    return OK;
}

/* A line that came whole. */
static Status write_line(Session *s, const Translation *translation, const Dump *blocks, int n,
                         Error *err)
{
    const Dump *d = &translation->dump;
    if (s->settings->n_best > 1) {
        TRY(buffer_printf(&s->text, err, "%ld ||| ", d->id));
    }
    TRY(buffer_add(&s->text, d->target.bytes, d->target.len, err));
    begin_line(s);
    TRY(gather(s, blocks, n, err));
    TRY(add_extras(s, err));
    if (s->settings->n_best > 1) {
        TRY(add_scores(s, d->score, d->normalized_score, err));
    }
    TRY(buffer_add_byte(&s->text, '\n', err));
    return s->settings->shows ? draw(s, blocks, n, err) : OK;
}

/* A chunk of a line: only the best translation's text, then links and scores of the whole. */
static Status write_chunk(Session *s, const Translation *translation, const SourceMark *mark,
                          const Dump *blocks, int n, Error *err)
{
    const Dump *d = &translation->dump;
    if (!mark->continues) {
        s->n_chunked++;
        begin_line(s);
        if (s->settings->n_best > 1) {
            TRY(buffer_printf(&s->text, err, "%ld ||| ", d->id));
        }
    } else if (mark->has_blank) {
        TRY(buffer_add_byte(&s->text, ' ', err));
    }
    TRY(buffer_add(&s->text, d->target.bytes, d->target.len, err));
    s->score += d->score;
    s->n_tokens += translation->n_tokens;
    TRY(gather(s, blocks, n, err));
    if (mark->is_continued) {
        return OK;
    }
    TRY(add_extras(s, err));
    if (s->settings->n_best > 1) {
        const double length = s->n_tokens > 0 ? (double)s->n_tokens : 1;
        TRY(add_scores(s, s->score, s->score / pow(length, s->settings->alpha), err));
    }
    return buffer_add_byte(&s->text, '\n', err);
}

/* Of the window's lines, step->n are under way or done. */
static void on_progress(void *context, const ProgressStep *step)
{
    const Session *s = context;
    const double after = line_source_fraction(&s->source);
    const double done = step->n / (double)s->source.n;
    progress_tell(live_progress(&s->live), step->what, step->unit, s->n_before + step->n,
                  after < 0 ? -1 : s->before + (after - s->before) * done);
}

static Status write_translation(void *context, const Translation *translation, Error *err)
{
    Session *s = context;
    const SourceMark *mark = &s->source.marks[s->at];
    const int is_chunk = mark->continues || mark->is_continued;
    Dump *blocks = NULL;
    int n = 0;
    arena_reset(s->arena);
    if (s->options.has_tokens) {
        TRY(shape(s, &blocks, translation, err));
        n = translation->n_blocks;
    }
    if (!is_chunk) {
        TRY(write_line(s, translation, blocks, n, err));
    } else if (translation->is_first) {
        TRY(write_chunk(s, translation, mark, blocks, n, err));
    }
    for (int b = 0; b < n && s->attention != NULL; b++) {
        TRY(attention_out_write(s->attention, &blocks[b], err));
    }
    s->at += translation->is_last;
    return results_write(s->results, &s->text, err);
}

/* ---- Warnings ---- */

static void warn_plural(long n, const char *one, const char *many, const char *what)
{
    if (n > 0) {
        (void)fprintf(stderr, "heed: warning: %ld %s %s\n", n, n == 1 ? one : many, what);
    }
}

static void warn(const Session *s)
{
    const TranslateCounts *c = &s->counts;
    char what[128];
    if (s->settings->is_quiet) {
        return;
    }
    if (c->n_malformed > 0) {
        (void)fprintf(
            stderr,
            "heed: warning: %ld %s not valid UTF-8, first line %ld; malformed bytes count "
            "as U+FFFD\n",
            c->n_malformed, c->n_malformed == 1 ? "line is" : "lines are", c->first_malformed + 1);
    }
    (void)snprintf(what, sizeof what, "longer than %d pieces and translated in parts",
                   s->options.max_length);
    warn_plural(c->n_divided, "line was", "lines were", what);
    (void)snprintf(what, sizeof what, "cut at %d pieces", s->options.max_length);
    warn_plural(c->n_cropped, "line was", "lines were", what);
    (void)snprintf(what, sizeof what, "longer than %d bytes and translated in chunks%s",
                   SOURCE_CHUNK_BYTES,
                   s->settings->shows        ? ", without pictures"
                   : s->settings->n_best > 1 ? ", each to a list of one"
                                             : "");
    warn_plural(s->n_chunked, "line was", "lines were", what);
    (void)snprintf(what, sizeof what, "longer than %d bytes and cut there", SOURCE_MAX_BYTES);
    warn_plural(s->source.n_cut, "line was", "lines were", what);
    warn_plural(c->n_unfinished, "translation met", "translations met",
                "the limit of length (--max-output-factor, --max-output-offset)");
}

/* Said at once, not when much has been translated in vain. */
static void warn_of_input(const Session *s)
{
    const LineReader *reader = s->source.reader;
    const char *look = reader == NULL ? NULL : lines_binary(reader);
    if (s->settings->is_quiet || reader == NULL) {
        return;
    }
    if (lines_is_utf16(reader)) {
        (void)fprintf(stderr, "heed: warning: %s: is UTF-16; convert it to UTF-8 first\n",
                      lines_path(reader));
    } else if (look != NULL) {
        (void)fprintf(stderr, "heed: warning: %s: looks like %s, not like lines of text\n",
                      lines_path(reader), look);
    }
}

/* ---- Running ---- */

static Status check_combinations(const Parsed *parsed, const Settings *s, Error *err)
{
    static const char *const LISTS[] = {"shortlist-first", "shortlist-best", NULL};
    static const char *const SAMPLING[] = {"temperature", "top-k", "top-p", NULL};
    if (parsed->n_operands > 0 && s->input != NULL) {
        return fail(err, ERR_ARG, "--input and TEXT: one or the other");
    }
    if (!s->is_sampling && s->n_best > s->beam_size) {
        return fail(err, ERR_ARG, "--n-best %d: must be between 1 and the beam size, %d", s->n_best,
                    s->beam_size);
    }
    for (int i = 0; SAMPLING[i] != NULL && !s->is_sampling; i++) {
        if (options_given(parsed, SAMPLING[i])) {
            return fail(err, ERR_ARG, "--%s: needs --sampling", SAMPLING[i]);
        }
    }
    if (s->phrase_table != NULL && !s->replaces_unknown) {
        return fail(err, ERR_ARG, "--phrase-table: needs --replace-unk");
    }
    for (int i = 0; LISTS[i] != NULL && s->shortlist == NULL; i++) {
        if (options_given(parsed, LISTS[i])) {
            return fail(err, ERR_ARG, "--%s: needs --shortlist", LISTS[i]);
        }
    }
    if (s->attention != NULL && strcmp(s->attention, "-") == 0 && s->output == NULL) {
        return fail(err, ERR_ARG,
                    "--attention -: the translations go to standard output; give --output too");
    }
    return OK;
}

static Status check_paths(const Session *session, const ModelList *models, Error *err)
{
    const Settings *s = session->settings;
    const char *inputs[ENSEMBLE_MAX + 3] = {s->input, s->phrase_table, s->shortlist};
    int n = 3;
    for (int m = 0; m < models->n; m++) {
        inputs[n++] = models->paths[m];
    }
    TRY(results_check("output", s->output, inputs, n, err));
    if (s->attention == NULL || s->format == ATTENTION_NPY) {
        return OK;
    }
    TRY(results_check("attention", s->attention, inputs, n, err));
    return results_check_other("attention", s->attention, "output", s->output, err);
}

static void set_options(Session *session)
{
    const Settings *s = session->settings;
    TranslateOptions *o = &session->options;
    const int has_tokens =
        s->attention != NULL || s->alignment != NULL || s->shows || s->has_word_scores;
    *o = translate_defaults();
    o->beam.beam_size = s->beam_size;
    o->beam.n_best = s->n_best;
    o->beam.alpha = s->alpha;
    o->beam.coverage = s->coverage;
    o->beam.min_length = s->min_length;
    o->beam.max_factor = s->max_factor;
    o->beam.max_offset = s->max_offset;
    o->beam.no_repeat_ngram = s->no_repeat_ngram;
    o->beam.bans_unknown = s->bans_unknown;
    o->beam.keeps_attention = has_tokens || s->replaces_unknown;
    o->beam.is_sampling = s->is_sampling;
    o->beam.temperature = s->temperature;
    o->beam.top_k = s->top_k;
    o->beam.top_p = s->top_p;
    o->beam.seed = (uint64_t)s->seed;
    o->mini_batch = s->mini_batch;
    o->max_length = s->max_length;
    o->is_cropped = s->is_cropped;
    o->has_tokens = has_tokens;
    o->unknown.is_replaced = s->replaces_unknown;
    if (session->phrases != NULL) {
        o->unknown.find = phrase_table_find;
        o->unknown.context = session->phrases;
    }
}

static Status translate_all(Session *s, Error *err)
{
    const long most = translator_window(s->translator, &s->options);
    for (;;) {
        s->before = line_source_fraction(&s->source);
        s->n_before += (double)s->source.n;
        TRY(line_source_read(&s->source, most, err));
        if (s->source.n == 0) {
            return OK;
        }
        s->at = 0;
        if (s->n_before == 0) {
            warn_of_input(s);
        }
        TRY(translator_translate(s->translator, &s->options, s->source.lines, s->source.n,
                                 write_translation, s, &s->counts, err));
        TRY(results_flush(s->results, err));
        if (s->attention != NULL) {
            TRY(attention_out_flush(s->attention, err));
        }
    }
}

static Status open_all(Session *session, const Parsed *parsed, const ModelList *models, Error *err)
{
    const Settings *s = session->settings;
    const char *path = s->input != NULL ? s->input : parsed->n_operands > 0 ? NULL : "-";
    if (s->alignment != NULL) {
        TRY(dump_parse_alignment(&session->alignment, s->alignment, err));
    }
    TRY(check_paths(session, models, err));
    TRY(arena_create(&session->arena, 0, err));
    if (s->phrase_table != NULL) {
        TRY(phrase_table_load(&session->phrases, s->phrase_table, err));
    }
    set_options(session);
    session->progress = (Progress){on_progress, session};
    session->options.progress = &session->progress;
    live_begin(&session->live, s->is_quiet || live_is_shared(s->output == NULL, path));
    /* someone who types wants an answer to each line */
    if (path != NULL && strcmp(path, "-") == 0 && isatty(STDIN_FILENO) &&
        !options_given(parsed, "mini-batch")) {
        session->options.mini_batch = 1;
    }
    TRY(model_list_open(&session->translator, models, s->threads, err));
    if (s->shortlist != NULL) {
        TRY(shortlist_load(&session->shortlist, s->shortlist, s->shortlist_first, s->shortlist_best,
                           translator_tokenizer(session->translator, 0),
                           translator_tokenizer(session->translator, 1), err));
        session->options.beam.shortlist = session->shortlist;
    }
    TRY(line_source_open(&session->source, path, parsed->operands, parsed->n_operands,
                         s->has_prefix, err));
    TRY(results_open(&session->results, s->output, err));
    return s->attention == NULL ? OK
                                : attention_out_open(&session->attention, s->attention,
                                                     (AttentionFormat)s->format, err);
}

static Status run(const Parsed *parsed, Error *err)
{
    Session session = {.settings = parsed->settings};
    ModelList models;
    TRY(check_combinations(parsed, session.settings, err));
    TRY(model_list_parse(&models, session.settings->model, err));
    Status status = open_all(&session, parsed, &models, err);
    status = status == OK ? translate_all(&session, err) : status;
    live_clear(&session.live);
    status = attention_out_close(session.attention, status, err);
    status = results_close(session.results, status, err);
    if (status == OK) {
        warn(&session);
    }
    line_source_close(&session.source);
    translator_free(session.translator);
    phrase_table_free(session.phrases);
    shortlist_free(session.shortlist);
    arena_free(session.arena);
    buffer_free(&session.text);
    buffer_free(&session.links);
    buffer_free(&session.word_scores);
    model_list_free(&models);
    return status;
}

const Command command_translate = {
    .name = "translate",
    .operands = "[TEXT]...",
    .summary = "translate lines, and show where each word looked",
    .details =
        "  heed translate --model M.safetensors \"a sentence\"\n"
        "  heed translate --model M.safetensors --input a.txt --output b.txt\n"
        "  heed translate --model M.safetensors --show \"a sentence\"\n"
        "  heed translate --model M.safetensors --attention a.jsonl < a.txt > b.txt\n"
        "Each line of the input gives one line of output; each TEXT is a line. With --n-best a\n"
        "line gives several: number ||| translation ||| F0= log-probability ||| normalised score;\n"
        "a line that is translated in parts has a list of one.",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = OPERANDS_MAX,
    .run = run};

/* heed eval: hypotheses against references (BLEU, chrF), links against gold links (AER). */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "cli/commands.h"
#include "base/options.h"
#include "metric/aer.h"
#include "metric/bleu.h"
#include "metric/chrf.h"
#include "text/lines.h"
#include "text/words.h"

typedef struct Settings {
    const char *hypothesis, *reference;
    int tokenizer, is_lowercase, chrf_word_order, is_chrf_lowercase, is_sentence;
    const char *links, *gold, *source, *target;
    int is_one_based, is_gold_one_based;
    int is_json;
} Settings;

static const Option OPTIONS[] = {
    {"hypothesis", 0, OPTION_TEXT, offsetof(Settings, hypothesis), NULL, 0, 0, "FILE",
     "translations to judge, one a line; - is standard input"},
    {"reference", 0, OPTION_TEXT, offsetof(Settings, reference), NULL, 0, 0, "FILE",
     "the reference of each line"},
    {"tokenize", 0, OPTION_CHOICE, offsetof(Settings, tokenizer), "13a", 0, 0, BLEU_TOKENIZERS,
     "how BLEU finds words: 13a for languages with spaces, zh for Chinese, char or none"},
    {"lowercase", 0, OPTION_FLAG, offsetof(Settings, is_lowercase), NULL, 0, 0, NULL,
     "BLEU of lower-cased text"},
    {"chrf-word-order", 0, OPTION_INT, offsetof(Settings, chrf_word_order), "0", 0,
     CHRF_MAX_WORD_ORDER, "N", "word n-grams in chrF; 2 gives chrF++"},
    {"chrf-lowercase", 0, OPTION_FLAG, offsetof(Settings, is_chrf_lowercase), NULL, 0, 0, NULL,
     "chrF of lower-cased text"},
    {"sentence", 0, OPTION_FLAG, offsetof(Settings, is_sentence), NULL, 0, 0, NULL,
     "a line for each pair, sentence BLEU and chrF, in place of the corpus's scores"},
    {"links", 0, OPTION_TEXT, offsetof(Settings, links), NULL, 0, 0, "FILE",
     "word links to judge, as `heed align` writes them"},
    {"gold", 0, OPTION_TEXT, offsetof(Settings, gold), NULL, 0, 0, "FILE",
     "gold links: i-j sure, i?j or ipj possible"},
    {"source", 0, OPTION_TEXT, offsetof(Settings, source), NULL, 0, 0, "FILE",
     "the sentences that links come from; each link is checked against their lengths"},
    {"target", 0, OPTION_TEXT, offsetof(Settings, target), NULL, 0, 0, "FILE",
     "the sentences that links go to"},
    {"one-based", 0, OPTION_FLAG, offsetof(Settings, is_one_based), NULL, 0, 0, NULL,
     "words of both link files count from 1"},
    {"gold-one-based", 0, OPTION_FLAG, offsetof(Settings, is_gold_one_based), NULL, 0, 0, NULL,
     "words of the gold file count from 1"},
    {"json", 0, OPTION_FLAG, offsetof(Settings, is_json), NULL, 0, 0, NULL,
     "one JSON object in place of text (a line for each pair with --sentence)"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

/* Files read in step, a line of each at a time. */
enum { MAX_FILES = 4 };

typedef struct Files {
    LineReader *reader[MAX_FILES]; /* NULL where there is no such file */
    const char *path[MAX_FILES];
    Line line[MAX_FILES];
    long n_lines[MAX_FILES];
    int n;
} Files;

static void files_close(Files *files)
{
    for (int i = 0; i < files->n; i++) {
        lines_close(files->reader[i]);
    }
}

static Status files_open(Files *files, const char *const *paths, int n, Error *err)
{
    *files = (Files){.n = n};
    int n_standard = 0;
    for (int i = 0; i < n; i++) {
        files->path[i] = paths[i];
        n_standard += paths[i] != NULL && strcmp(paths[i], "-") == 0;
    }
    if (n_standard > 1) {
        return fail(err, ERR_ARG, "-: only one file can be standard input");
    }
    for (int i = 0; i < n; i++) {
        if (paths[i] != NULL) {
            const Status status = lines_open(&files->reader[i], paths[i], err);
            if (status != OK) {
                files_close(files);
                return status;
            }
        }
    }
    return OK;
}

static Status read_one(Files *files, int i, Error *err)
{
    TRY(lines_next(files->reader[i], &files->line[i], err));
    if (files->line[i].text == NULL) {
        return OK;
    }
    if (files->line[i].is_continued) {
        return fail(err, ERR_FORMAT, "%s:%ld: a line of more than %d bytes cannot be evaluated",
                    lines_path(files->reader[i]), files->line[i].number, LINE_MAX_BYTES);
    }
    files->n_lines[i]++;
    return OK;
}

/* Counts the rest of every file, for the sentence about unequal ones. */
static Status refuse_unequal(Files *files, Error *err)
{
    int shortest = 0, longest = 0; /* the first file is always there */
    for (int i = 0; i < files->n; i++) {
        if (files->reader[i] == NULL) {
            continue;
        }
        while (files->line[i].text != NULL) {
            TRY(lines_next(files->reader[i], &files->line[i], err));
            files->n_lines[i] += files->line[i].text != NULL && !files->line[i].is_continued;
        }
    }
    for (int i = 0; i < files->n; i++) {
        if (files->reader[i] == NULL) {
            continue;
        }
        if (files->n_lines[i] < files->n_lines[shortest]) {
            shortest = i;
        }
        if (files->n_lines[i] > files->n_lines[longest]) {
            longest = i;
        }
    }
    return fail(err, ERR_FORMAT, "%s has %ld lines, but %s has %ld",
                lines_path(files->reader[longest]), files->n_lines[longest],
                lines_path(files->reader[shortest]), files->n_lines[shortest]);
}

/* Reads a line of each file; *is_end when all are at their end. */
static Status files_next(Files *files, int *is_end, Error *err)
{
    int n_ended = 0, n_open = 0;
    for (int i = 0; i < files->n; i++) {
        if (files->reader[i] != NULL) {
            TRY(read_one(files, i, err));
            n_open++;
            n_ended += files->line[i].text == NULL;
        }
    }
    *is_end = n_ended == n_open;
    return n_ended == 0 || *is_end ? OK : refuse_unequal(files, err);
}

static Status print(Buffer *out, Error *err)
{
    const int is_written = fwrite(out->bytes, 1, out->len, stdout) == out->len;
    buffer_clear(out);
    return is_written ? OK : fail(err, ERR_IO, "standard output: cannot write");
}

static Status flush(Error *err)
{
    return fflush(stdout) == 0 ? OK : fail(err, ERR_IO, "standard output: cannot write");
}

/* "bleu":28.7,"precisions":[...],"bp":1,"hyp_len":20,"ref_len":20,"chrf":53.3 */
static Status add_json_scores(Buffer *out, const BleuStats *stats, BleuScore bleu, double chrf,
                              Error *err)
{
    TRY(buffer_add_text(out, "\"bleu\":", err));
    TRY(number_add_double(out, bleu.bleu, "null", err));
    TRY(buffer_add_text(out, ",\"precisions\":[", err));
    for (int k = 0; k < BLEU_ORDER; k++) {
        TRY(buffer_add_text(out, k > 0 ? "," : "", err));
        TRY(number_add_double(out, bleu.precisions[k], "null", err));
    }
    TRY(buffer_add_text(out, "],\"bp\":", err));
    TRY(number_add_double(out, bleu.brevity_penalty, "null", err));
    TRY(buffer_printf(out, err, ",\"hyp_len\":%ld,\"ref_len\":%ld,\"chrf\":", stats->len_hypothesis,
                      stats->len_reference));
    return number_add_double(out, chrf, "null", err);
}

static Status print_sentence(Buffer *out, const Settings *s, long id, const BleuStats *stats,
                             double chrf, Error *err)
{
    const BleuScore bleu = bleu_sentence_score(stats);
    if (s->is_json) {
        TRY(buffer_printf(out, err, "{\"id\":%ld,", id));
        TRY(add_json_scores(out, stats, bleu, chrf, err));
        TRY(buffer_add_text(out, "}\n", err));
    } else {
        TRY(buffer_printf(out, err, "%.4f\t%.4f\n", bleu.bleu, chrf));
    }
    return print(out, err);
}

static Status print_corpus(Buffer *out, const Settings *s, const BleuStats *stats,
                           BleuOptions bleu_options, double chrf, ChrfOptions chrf_options,
                           Error *err)
{
    const BleuScore bleu = bleu_score(stats);
    if (s->is_json) {
        TRY(buffer_add_byte(out, '{', err));
        TRY(add_json_scores(out, stats, bleu, chrf, err));
        TRY(buffer_add_text(out, ",\"signature\":\"", err));
        TRY(bleu_signature(out, bleu_options, 0, err));
        TRY(buffer_add_text(out, "\",\"chrf_signature\":\"", err));
        TRY(chrf_signature(out, chrf_options, err));
        TRY(buffer_add_text(out, "\"}\n", err));
        return print(out, err);
    }
    TRY(bleu_print(out, stats, bleu, err));
    TRY(buffer_add_byte(out, '\n', err));
    TRY(chrf_name(out, chrf_options, err));
    TRY(buffer_printf(out, err, " = %.1f\nBLEU ", chrf));
    TRY(bleu_signature(out, bleu_options, 0, err));
    TRY(buffer_add_text(out, "\nchrF ", err));
    TRY(chrf_signature(out, chrf_options, err));
    TRY(buffer_add_byte(out, '\n', err));
    return print(out, err);
}

static Status score_lines(Files *files, const Settings *s, Buffer *out, Error *err)
{
    const BleuOptions bleu_options = {(BleuTokenizer)s->tokenizer, s->is_lowercase};
    const ChrfOptions chrf_options = {s->chrf_word_order, s->is_chrf_lowercase};
    BleuStats bleu = {0};
    ChrfStats chrf = {0};
    for (;;) {
        int is_end;
        TRY(files_next(files, &is_end, err));
        if (is_end) {
            break;
        }
        const Line *h = &files->line[0], *r = &files->line[1];
        BleuStats one_bleu = {0};
        ChrfStats one_chrf = {0};
        TRY(bleu_add(&one_bleu, bleu_options, h->text, h->len, r->text, r->len, err));
        TRY(chrf_add(&one_chrf, chrf_options, h->text, h->len, r->text, r->len, err));
        if (s->is_sentence) {
            TRY(print_sentence(out, s, h->number - 1, &one_bleu,
                               chrf_score(&one_chrf, chrf_options), err));
        }
        bleu_sum(&bleu, &one_bleu);
        chrf_sum(&chrf, &one_chrf);
    }
    return s->is_sentence ? OK
                          : print_corpus(out, s, &bleu, bleu_options,
                                         chrf_score(&chrf, chrf_options), chrf_options, err);
}

static Status eval_text(const Settings *s, Error *err)
{
    Files files;
    Buffer out = {0};
    TRY(files_open(&files, (const char *const[]){s->hypothesis, s->reference}, 2, err));
    const Status status = score_lines(&files, s, &out, err);
    buffer_free(&out);
    files_close(&files);
    return status;
}

/* Whether any link has a 0, which a file that counts from 1 has not. */
static int has_zero(const AerLinks *links)
{
    for (size_t i = 0; i < links->n; i++) {
        if (links->v[i].source == 0 || links->v[i].target == 0) {
            return 1;
        }
    }
    return 0;
}

static Status print_links(Buffer *out, const Settings *s, const AerStats *stats, Error *err)
{
    const double aer = aer_error_rate(stats), precision = aer_precision(stats),
                 recall = aer_recall(stats);
    if (!s->is_json) {
        TRY(buffer_printf(out, err,
                          "AER = %.4f precision = %.4f recall = %.4f (links = %ld sure = %ld "
                          "possible = %ld)\n",
                          aer, precision, recall, stats->n_links, stats->n_sure,
                          stats->n_possible));
        return print(out, err);
    }
    TRY(buffer_add_text(out, "{\"aer\":", err));
    TRY(number_add_double(out, aer, "null", err));
    TRY(buffer_add_text(out, ",\"precision\":", err));
    TRY(number_add_double(out, precision, "null", err));
    TRY(buffer_add_text(out, ",\"recall\":", err));
    TRY(number_add_double(out, recall, "null", err));
    TRY(buffer_printf(out, err, ",\"links\":%ld,\"sure\":%ld,\"possible\":%ld}\n", stats->n_links,
                      stats->n_sure, stats->n_possible));
    return print(out, err);
}

/* Number of words of a line of file i, or -1 where there is no such file. */
static int count_words(const Files *files, int i)
{
    return files->reader[i] == NULL ? -1
                                    : (int)words_count(files->line[i].text, files->line[i].len);
}

/* Adds all lines. The files are links, gold, source, target; saw_zero is for the first two. */
static Status add_all_links(AerStats *stats, int saw_zero[2], Files *files, const Settings *s,
                            AerLinks links[2], Error *err)
{
    for (;;) {
        int is_end;
        TRY(files_next(files, &is_end, err));
        if (is_end) {
            return OK;
        }
        const int n_source = count_words(files, 2), n_target = count_words(files, 3);
        for (int i = 0; i < 2; i++) {
            const AerFormat format = {.is_one_based =
                                          s->is_one_based || (i == 1 && s->is_gold_one_based),
                                      .n_source = n_source,
                                      .n_target = n_target,
                                      .name = lines_path(files->reader[i]),
                                      .line_number = files->line[i].number};
            TRY(aer_parse(&links[i], files->line[i].text, files->line[i].len, &format, err));
            saw_zero[i] |= has_zero(&links[i]);
        }
        aer_add(stats, &links[0], &links[1]);
    }
}

static void warn_without_zero(const char *path, const char *option)
{
    (void)fprintf(stderr, "heed: warning: %s: no link has a 0; if its words count from 1, say %s\n",
                  path, option);
}

static Status eval_links(const Settings *s, Error *err)
{
    Files files;
    Buffer out = {0};
    AerStats stats = {0};
    AerLinks links[2] = {{0}, {0}};
    int saw_zero[2] = {0, 0};
    TRY(files_open(&files, (const char *const[]){s->links, s->gold, s->source, s->target}, 4, err));
    Status status = add_all_links(&stats, saw_zero, &files, s, links, err);
    if (status == OK && !saw_zero[0] && stats.n_links > 0 && !s->is_one_based) {
        warn_without_zero(lines_path(files.reader[0]), "--one-based");
    }
    if (status == OK && !saw_zero[1] && stats.n_possible > 0 && !s->is_one_based &&
        !s->is_gold_one_based) {
        warn_without_zero(lines_path(files.reader[1]), "--one-based or --gold-one-based");
    }
    status = status == OK ? print_links(&out, s, &stats, err) : status;
    aer_free(&links[0]);
    aer_free(&links[1]);
    buffer_free(&out);
    files_close(&files);
    return status;
}

/* The options of the other task are refused, not passed over. */
static Status refuse_given(const Parsed *parsed, const char *const *names, const char *task,
                           Error *err)
{
    for (; *names != NULL; names++) {
        if (options_given(parsed, *names)) {
            return fail(err, ERR_ARG, "--%s: does not go with %s", *names, task);
        }
    }
    return OK;
}

static Status evaluate(const Parsed *parsed, Error *err)
{
    static const char *const TEXT_OPTIONS[] = {
        "hypothesis",      "reference",      "tokenize", "lowercase",
        "chrf-word-order", "chrf-lowercase", "sentence", NULL};
    static const char *const LINK_OPTIONS[] = {"links",     "gold",           "source", "target",
                                               "one-based", "gold-one-based", NULL};
    const Settings *s = parsed->settings;
    if (s->links != NULL || s->gold != NULL) {
        TRY(refuse_given(parsed, TEXT_OPTIONS, "--links and --gold", err));
        if (s->links == NULL || s->gold == NULL) {
            return fail(err, ERR_ARG, "--%s: needs --%s", s->links == NULL ? "gold" : "links",
                        s->links == NULL ? "links" : "gold");
        }
        return eval_links(s, err);
    }
    if (s->hypothesis == NULL || s->reference == NULL) {
        return fail(err, ERR_ARG,
                    "heed eval needs --hypothesis and --reference, or --links and --gold");
    }
    TRY(refuse_given(parsed, LINK_OPTIONS, "--hypothesis and --reference", err));
    return eval_text(s, err);
}

/* A disk that is full may say so only when the last bytes leave. */
static Status run(const Parsed *parsed, Error *err)
{
    TRY(evaluate(parsed, err));
    return flush(err);
}

const Command command_eval = {
    .name = "eval",
    .operands = "",
    .summary = "BLEU and chrF of translations, or the error rate of word links",
    .details = "  heed eval --hypothesis out.txt --reference ref.txt\n"
               "  heed eval --links out.links --gold gold.links\n"
               "BLEU and chrF are those of sacreBLEU. The error rate (AER) is 1 - (sure hits +\n"
               "possible hits) / (links + sure gold links).",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = 0,
    .run = run};

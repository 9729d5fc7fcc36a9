/* BLEU; see the header. */
#include "metric/bleu.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "metric/characters.h"
#include "metric/ngram.h"

/* A tokenizer maps code points to code points with spaces between the tokens: it appends to out. */
typedef Status (*Tokenize)(Characters *out, const uint32_t *text, size_t n, Error *err);

/* Appends text with every `from` (ASCII) replaced by `to`. */
static Status replace(Characters *out, const Characters *text, const char *from, const char *to,
                      Error *err)
{
    const size_t len = strlen(from);
    for (size_t i = 0; i < text->n;) {
        size_t same = 0;
        while (same < len && i + same < text->n && text->v[i + same] == (unsigned char)from[same]) {
            same++;
        }
        if (same < len) {
            TRY(characters_add(out, text->v[i++], err));
            continue;
        }
        for (const char *c = to; *c != '\0'; c++) {
            TRY(characters_add(out, (unsigned char)*c, err));
        }
        i += len;
    }
    return OK;
}

/* mteval's language-independent part: removes its marks and line ends and resolves the entities,
 * one after another, so that "&amp;lt;" becomes "<". text is rewritten. */
static Status unescape(Characters *text, Error *err)
{
    static const char *const PAIRS[][2] = {{"<skipped>", ""}, {"-\n", ""},    {"\n", " "},
                                           {"&quot;", "\""},  {"&amp;", "&"}, {"&lt;", "<"},
                                           {"&gt;", ">"}};
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        Characters replaced = {0};
        const Status status = replace(&replaced, text, PAIRS[i][0], PAIRS[i][1], err);
        if (status != OK) {
            characters_free(&replaced);
            return status;
        }
        characters_free(text);
        *text = replaced;
    }
    return OK;
}

static int is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static int is_point(uint32_t c)
{
    return c == '.' || c == ',';
}

/* ASCII signs that are always tokens of their own; not ' - . , */
static int is_symbol(uint32_t c)
{
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

static int is_after_non_digit(uint32_t first, uint32_t second)
{
    return !is_digit(first) && is_point(second);
}

static int is_before_non_digit(uint32_t first, uint32_t second)
{
    return is_point(first) && !is_digit(second);
}

static int is_dash_after_digit(uint32_t first, uint32_t second)
{
    return is_digit(first) && second == '-';
}

/* One pass over neighbours: where `matches`, the pair is copied with spaces around its point or
 * dash. A pair that matched is used up: the next one begins after it. Pairs are written as
 * "first SPACE second SPACE", or as "SPACE first SPACE second" when the point is the first. */
static Status space_pairs(Characters *out, const Characters *text,
                          int (*matches)(uint32_t, uint32_t), int point_is_first, Error *err)
{
    for (size_t i = 0; i < text->n;) {
        if (i + 1 < text->n && matches(text->v[i], text->v[i + 1])) {
            const uint32_t spaced[2][4] = {{text->v[i], ' ', text->v[i + 1], ' '},
                                           {' ', text->v[i], ' ', text->v[i + 1]}};
            for (int k = 0; k < 4; k++) {
                TRY(characters_add(out, spaced[point_is_first][k], err));
            }
            i += 2;
        } else {
            TRY(characters_add(out, text->v[i++], err));
        }
    }
    return OK;
}

/* mteval's language-dependent part, four passes: symbols apart; points and commas apart unless a
 * digit stands before them; then unless a digit stands after them; dashes apart after a digit. */
static Status space_punctuation(Characters *out, const uint32_t *text, size_t n, Error *err)
{
    Characters first = {0}, second = {0};
    Status status = OK;
    for (size_t i = 0; i < n && status == OK; i++) {
        const int apart = is_symbol(text[i]);
        status = apart ? characters_add(&first, ' ', err) : OK;
        status = status == OK ? characters_add(&first, text[i], err) : status;
        status = status == OK && apart ? characters_add(&first, ' ', err) : status;
    }
    status = status == OK ? space_pairs(&second, &first, is_after_non_digit, 0, err) : status;
    first.n = 0;
    status = status == OK ? space_pairs(&first, &second, is_before_non_digit, 1, err) : status;
    status = status == OK ? space_pairs(out, &first, is_dash_after_digit, 0, err) : status;
    characters_free(&first);
    characters_free(&second);
    return status;
}

static Status tokenize_13a(Characters *out, const uint32_t *text, size_t n, Error *err)
{
    Characters line = {0}, padded = {0};
    Status status = OK;
    for (size_t i = 0; i < n && status == OK; i++) {
        status = characters_add(&line, text[i], err);
    }
    status = status == OK ? unescape(&line, err) : status;
    status = status == OK ? characters_add(&padded, ' ', err) : status;
    for (size_t i = 0; i < line.n && status == OK; i++) {
        status = characters_add(&padded, line.v[i], err);
    }
    status = status == OK ? characters_add(&padded, ' ', err) : status;
    status = status == OK ? space_punctuation(out, padded.v, padded.n, err) : status;
    characters_free(&line);
    characters_free(&padded);
    return status;
}

/* What the zh tokenizer takes for Chinese. The range 2001-2A6D is meant to be Extension B
 * (20000-2A6D6) but four hexadecimal digits of it are lost in the reference implementation, so
 * that general punctuation, arrows and box drawing are in and Extension B is out. Scores are only
 * comparable when this is kept. */
static int is_chinese(uint32_t c)
{
    static const uint32_t RANGES[][2] = {
        {0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
        {0x31C0, 0x31EF}, {0x3200, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D},
        {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++) {
        if (c >= RANGES[i][0] && c <= RANGES[i][1]) {
            return 1;
        }
    }
    return 0;
}

static Status tokenize_zh(Characters *out, const uint32_t *text, size_t n, Error *err)
{
    size_t begin = 0;
    while (begin < n && characters_is_space(text[begin])) {
        begin++;
    }
    Characters spaced = {0};
    Status status = OK;
    for (size_t i = begin; i < n && status == OK; i++) {
        const int apart = is_chinese(text[i]);
        status = apart ? characters_add(&spaced, ' ', err) : OK;
        status = status == OK ? characters_add(&spaced, text[i], err) : status;
        status = status == OK && apart ? characters_add(&spaced, ' ', err) : status;
    }
    status = status == OK ? space_punctuation(out, spaced.v, spaced.n, err) : status;
    characters_free(&spaced);
    return status;
}

static Status tokenize_char(Characters *out, const uint32_t *text, size_t n, Error *err)
{
    for (size_t i = 0; i < n; i++) {
        TRY(characters_add(out, text[i], err));
        TRY(characters_add(out, ' ', err));
    }
    return OK;
}

static Status tokenize_none(Characters *out, const uint32_t *text, size_t n, Error *err)
{
    for (size_t i = 0; i < n; i++) {
        TRY(characters_add(out, text[i], err));
    }
    return OK;
}

/* Appends the tokenized line to out; the spaces at its end are cut off before. */
static Status tokenize(Characters *out, BleuOptions options, const char *line, size_t len,
                       Error *err)
{
    static const Tokenize TOKENIZE[] = {tokenize_13a, tokenize_zh, tokenize_char, tokenize_none};
    Characters text = {0};
    Status status = characters_decode(&text, line, len, options.is_lowercase, err);
    if (status == OK) {
        while (text.n > 0 && characters_is_space(text.v[text.n - 1])) {
            text.n--;
        }
        status = TOKENIZE[options.tokenizer](out, text.v, text.n, err);
    }
    characters_free(&text);
    return status;
}

static void add_counts(BleuStats *stats, const NgramCounts *counts)
{
    for (int k = 0; k < BLEU_ORDER; k++) {
        stats->matches[k] += counts->n_matches[k];
        stats->totals[k] += counts->n_hypothesis[k];
    }
    stats->len_hypothesis += counts->n_hypothesis[0];
    stats->len_reference += counts->n_reference[0];
}

Status bleu_add(BleuStats *stats, BleuOptions options, const char *hypothesis,
                size_t len_hypothesis, const char *reference, size_t len_reference, Error *err)
{
    Characters text[2] = {{0}, {0}};
    CharacterRun *words[2] = {NULL, NULL};
    size_t n_words[2] = {0, 0};
    NgramCounts counts;
    Status status = tokenize(&text[0], options, hypothesis, len_hypothesis, err);
    if (status == OK) {
        status = tokenize(&text[1], options, reference, len_reference, err);
    }
    for (int side = 0; side < 2 && status == OK; side++) {
        status = characters_split(&words[side], &n_words[side], text[side].v, text[side].n, err);
    }
    if (status == OK) {
        status =
            ngram_count_words(&counts, BLEU_ORDER, words[0], n_words[0], words[1], n_words[1], err);
    }
    if (status == OK) {
        add_counts(stats, &counts);
    }
    for (int side = 0; side < 2; side++) {
        mem_free(words[side]);
        characters_free(&text[side]);
    }
    return status;
}

void bleu_sum(BleuStats *stats, const BleuStats *more)
{
    for (int k = 0; k < BLEU_ORDER; k++) {
        stats->matches[k] += more->matches[k];
        stats->totals[k] += more->totals[k];
    }
    stats->len_hypothesis += more->len_hypothesis;
    stats->len_reference += more->len_reference;
}

static double brevity_penalty(const BleuStats *stats)
{
    if (stats->len_hypothesis >= stats->len_reference) {
        return 1;
    }
    if (stats->len_hypothesis == 0) {
        return 0;
    }
    return exp(1 - (double)stats->len_reference / (double)stats->len_hypothesis);
}

static BleuScore score(const BleuStats *stats, int is_sentence)
{
    BleuScore result = {.brevity_penalty = brevity_penalty(stats)};
    if (stats->matches[0] == 0) { /* then no order has a match */
        return result;
    }
    double halving = 1, sum_log = 0;
    int n_orders = 0;
    for (; n_orders < BLEU_ORDER && stats->totals[n_orders] > 0; n_orders++) {
        double matches = (double)stats->matches[n_orders];
        if (stats->matches[n_orders] == 0) {
            halving *= 2;
            matches = 1 / halving;
        }
        result.precisions[n_orders] = 100 * matches / (double)stats->totals[n_orders];
        sum_log += log(result.precisions[n_orders]);
    }
    if (is_sentence || n_orders == BLEU_ORDER) {
        result.bleu = result.brevity_penalty * exp(sum_log / n_orders);
    }
    return result;
}

BleuScore bleu_score(const BleuStats *stats)
{
    return score(stats, 0);
}

BleuScore bleu_sentence_score(const BleuStats *stats)
{
    return score(stats, 1);
}

Status bleu_print(Buffer *out, const BleuStats *stats, BleuScore s, Error *err)
{
    const double ratio = stats->len_reference == 0
                             ? 0
                             : (double)stats->len_hypothesis / (double)stats->len_reference;
    return buffer_printf(
        out, err,
        "BLEU = %.1f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %ld ref_len = %ld)",
        s.bleu, s.precisions[0], s.precisions[1], s.precisions[2], s.precisions[3],
        s.brevity_penalty, ratio, stats->len_hypothesis, stats->len_reference);
}

Status bleu_signature(Buffer *out, BleuOptions options, int is_sentence, Error *err)
{
    static const char *const NAMES[] = {"13a", "zh", "char", "none"};
    return buffer_printf(out, err,
                         "nrefs:1|case:%s|eff:%s|tok:%s|smooth:exp|version:heed-" HEED_VERSION,
                         options.is_lowercase ? "lc" : "mixed", is_sentence ? "yes" : "no",
                         NAMES[options.tokenizer]);
}

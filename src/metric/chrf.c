/* chrF; see the header. */
#include "metric/chrf.h"

#include <assert.h>

#include "base/mem.h"
#include "metric/characters.h"
#include "metric/ngram.h"

enum { ORDERS = CHRF_CHAR_ORDER + CHRF_MAX_WORD_ORDER };

static int is_ascii_punctuation(uint32_t c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/* One sentence, ready to be counted. */
typedef struct Side {
    Characters text;     /* as read */
    Characters letters;  /* without spaces */
    CharacterRun *words; /* with punctuation apart; point into text */
    size_t n_words;
} Side;

static void side_free(Side *side)
{
    characters_free(&side->text);
    characters_free(&side->letters);
    mem_free(side->words);
}

/* Takes a sign apart from the end of each word or else from its beginning. */
static Status take_punctuation_apart(Side *side, Error *err)
{
    CharacterRun *words;
    size_t n_words, n = 0;
    TRY(characters_split(&words, &n_words, side->text.v, side->text.n, err));
    side->words = mem_alloc(n_words, 2 * sizeof *side->words);
    if (side->words == NULL) {
        mem_free(words);
        return mem_fail(err, "words", n_words, 2 * sizeof *side->words);
    }
    for (size_t i = 0; i < n_words; i++) {
        const CharacterRun w = words[i];
        size_t cut = 0; /* where the word is cut in two; 0 is nowhere */
        if (w.n > 1 && is_ascii_punctuation(w.v[w.n - 1])) {
            cut = w.n - 1;
        } else if (w.n > 1 && is_ascii_punctuation(w.v[0])) {
            cut = 1;
        }
        if (cut > 0) {
            side->words[n++] = (CharacterRun){w.v, cut};
        }
        side->words[n++] = (CharacterRun){w.v + cut, w.n - cut};
    }
    side->n_words = n;
    mem_free(words);
    return OK;
}

static Status side_read(Side *side, ChrfOptions options, const char *line, size_t len, Error *err)
{
    TRY(characters_decode(&side->text, line, len, options.is_lowercase, err));
    for (size_t i = 0; i < side->text.n; i++) {
        if (!characters_is_space(side->text.v[i])) {
            TRY(characters_add(&side->letters, side->text.v[i], err));
        }
    }
    return options.word_order > 0 ? take_punctuation_apart(side, err) : OK;
}

/* Adds `order` orders of counts from index `first` on. */
static void add_counts(ChrfStats *stats, int first, int order, const NgramCounts *counts)
{
    for (int k = 0; k < order; k++) {
        if (counts->n_reference[k] > 0) {
            stats->n_hypothesis[first + k] += counts->n_hypothesis[k];
        }
        stats->n_reference[first + k] += counts->n_reference[k];
        stats->n_matches[first + k] += counts->n_matches[k];
    }
}

Status chrf_add(ChrfStats *stats, ChrfOptions options, const char *hypothesis,
                size_t len_hypothesis, const char *reference, size_t len_reference, Error *err)
{
    assert(options.word_order >= 0 && options.word_order <= CHRF_MAX_WORD_ORDER);
    Side h = {0}, r = {0};
    NgramCounts letters, words;
    Status status = side_read(&h, options, hypothesis, len_hypothesis, err);
    if (status == OK) {
        status = side_read(&r, options, reference, len_reference, err);
    }
    if (status == OK) {
        status = ngram_count(&letters, CHRF_CHAR_ORDER, h.letters.v, h.letters.n, r.letters.v,
                             r.letters.n, err);
    }
    if (status == OK && options.word_order > 0) {
        status = ngram_count_words(&words, options.word_order, h.words, h.n_words, r.words,
                                   r.n_words, err);
    }
    if (status == OK) {
        add_counts(stats, 0, CHRF_CHAR_ORDER, &letters);
        if (options.word_order > 0) {
            add_counts(stats, CHRF_CHAR_ORDER, options.word_order, &words);
        }
    }
    side_free(&h);
    side_free(&r);
    return status;
}

void chrf_sum(ChrfStats *stats, const ChrfStats *more)
{
    for (int k = 0; k < ORDERS; k++) {
        stats->n_hypothesis[k] += more->n_hypothesis[k];
        stats->n_reference[k] += more->n_reference[k];
        stats->n_matches[k] += more->n_matches[k];
    }
}

double chrf_score(const ChrfStats *stats, ChrfOptions options)
{
    double precision = 0, recall = 0;
    int n_orders = 0;
    for (int k = 0; k < CHRF_CHAR_ORDER + options.word_order; k++) {
        if (stats->n_hypothesis[k] > 0 && stats->n_reference[k] > 0) {
            precision += (double)stats->n_matches[k] / (double)stats->n_hypothesis[k];
            recall += (double)stats->n_matches[k] / (double)stats->n_reference[k];
            n_orders++;
        }
    }
    if (precision + recall == 0) {
        return 0;
    }
    precision /= n_orders;
    recall /= n_orders;
    const double factor = CHRF_BETA * CHRF_BETA;
    return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}

Status chrf_name(Buffer *out, ChrfOptions options, Error *err)
{
    TRY(buffer_printf(out, err, "chrF%d", CHRF_BETA));
    for (int k = 0; k < options.word_order; k++) {
        TRY(buffer_add_byte(out, '+', err));
    }
    return OK;
}

Status chrf_signature(Buffer *out, ChrfOptions options, Error *err)
{
    return buffer_printf(
        out, err, "nrefs:1|case:%s|eff:yes|nc:%d|nw:%d|space:no|version:heed-" HEED_VERSION,
        options.is_lowercase ? "lc" : "mixed", CHRF_CHAR_ORDER, options.word_order);
}

/* The best words; see the header. */
#include "nn/word_search.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "math/vec.h"

/* A stretch of logits of a few rows stays in the first-level cache, its weights in the second. */
enum { STRETCH_WORDS = 480, TILE_ROWS = 16 };
/* With few words seen the bound is low: the first are taken in small portions. */
enum { FIRST_WORDS = 64 };

typedef struct Word {
    real logit;
    int word;
} Word;

/* One row's search. */
typedef struct WordSearchRow {
    real max, sum; /* log sum exp so far: max + log(sum) */
    real margin;   /* what may lie between a logit from the bytes and the exact one, twice */
    real bound;    /* smaller logits are of no interest */
    Word *best;    /* [k_kept] the largest so far, best first */
    Word *words;   /* [room] all above the bound when they came, in the order of words; screened */
    int n_best, n_words, is_full;
} WordSearchRow;

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

static int stretch_words(void)
{
    const int panel = packed_stretch();
    return panel > STRETCH_WORDS ? panel : STRETCH_WORDS / panel * panel;
}

static const Screen *screen_of(const Readout *readout)
{
    const Screen *screen = readout->output->screen;
    return screen != NULL && screen->is_current ? screen : NULL;
}

Status word_search_alloc(WordSearch *out, const Readout *readout, Arena *arena, int R, int k,
                         Error *err)
{
    WordSearch s = {.R = R, .k = k};
    const size_t all = mem_times((size_t)R, (size_t)k);
    s.is_screened = screen_of(readout) != NULL;
    s.k_kept = s.is_screened && k < WORD_SEARCH_EXACT ? WORD_SEARCH_EXACT : k;
    s.room = s.is_screened ? s.k_kept + WORD_SEARCH_MOST_KEPT : 0;
    TRY(take(&s.n, arena, (size_t)R, sizeof *s.n, err));
    TRY(take(&s.word, arena, all, sizeof *s.word, err));
    TRY(take(&s.logit, arena, all, sizeof *s.logit, err));
    TRY(take(&s.lse, arena, (size_t)R, sizeof *s.lse, err));
    TRY(take(&s.rows, arena, (size_t)R, sizeof *s.rows, err));
    TRY(mat_alloc(&s.stretch, arena, TILE_ROWS, stretch_words(), err));
    if (s.is_screened || readout->output->forward.kind == PACKED_INT8) {
        TRY(byte_rows_alloc(&s.bytes, arena, R, readout->E, err));
    }
    Word *words;
    const size_t each = (size_t)s.k_kept + (size_t)s.room;
    TRY(take(&words, arena, mem_times((size_t)R, each), sizeof *words, err));
    for (int r = 0; r < R; r++, words += each) {
        s.rows[r] = (WordSearchRow){.best = words, .words = words + s.k_kept};
    }
    *out = s;
    return OK;
}

/* Drops the words that the bound has left behind. */
static void drop_words(WordSearchRow *row)
{
    int n = 0;
    for (int i = 0; i < row->n_words; i++) {
        if (row->words[i].logit >= row->bound) {
            row->words[n++] = row->words[i];
        }
    }
    row->n_words = n;
}

/* Puts a word among the n best of at most k; behind its equals. */
static void insert(Word *best, int *n, int k, Word w)
{
    int at = *n < k ? (*n)++ : k - 1;
    for (; at > 0 && w.logit > best[at - 1].logit; at--) {
        best[at] = best[at - 1];
    }
    best[at] = w;
}

static void keep(const WordSearch *s, WordSearchRow *row, Word w)
{
    if (!(w.logit > row->bound)) {
        return;
    }
    if (row->n_best < s->k_kept || w.logit > row->best[s->k_kept - 1].logit) {
        insert(row->best, &row->n_best, s->k_kept, w);
        if (row->n_best == s->k_kept) {
            const real least = row->best[s->k - 1].logit - row->margin;
            const real last = row->best[s->k_kept - 1].logit;
            row->bound = least < last ? least : last;
        }
    }
    if (s->room == 0 || row->is_full) {
        return;
    }
    if (row->n_words == s->room) {
        drop_words(row);
        row->is_full = row->n_words == s->room;
    }
    if (!row->is_full) {
        row->words[row->n_words++] = w;
    }
}

/* Looks through the logits of words first .. first + n - 1. */
static void see(const WordSearch *s, WordSearchRow *row, const real *logits, int first, int n)
{
    int found[STRETCH_WORDS];
    for (int at = 0, some; at < n; at += some) {
        some = n - at < STRETCH_WORDS ? n - at : STRETCH_WORDS;
        if (row->n_best < s->k_kept && some > FIRST_WORDS) {
            some = FIRST_WORDS;
        }
        const int n_found = vec_ops()->above(found, logits + at, some, row->bound);
        for (int i = 0; i < n_found; i++) {
            keep(s, row, (Word){logits[at + found[i]], first + at + found[i]});
        }
    }
}

static void start(WordSearchRow *row, real margin)
{
    row->max = row->bound = (real)-INFINITY;
    row->sum = 0;
    row->margin = margin;
    row->n_best = row->n_words = row->is_full = 0;
}

/* The logits of rows first_row .. first_row + n - 1 for a stretch of words. */
static Mat form_stretch(const Readout *readout, const WordSearch *s, Mat o, int first_row, int n,
                        int first)
{
    const Packed *W = s->is_screened ? &readout->output->screen->bytes : &readout->output->forward;
    const int width = W->N - first < s->stretch.cols ? W->N - first : s->stretch.cols;
    const Mat logits = mat_cols(mat_rows(s->stretch, 0, n), 0, width);
    const real *bias = readout->output_bias->val.v;
    if (s->bytes.bytes != NULL) {
        gemm_bytes_stretch(logits, &s->bytes, first_row, W, first, bias);
    } else {
        gemm_packed_stretch(logits, mat_rows(o, first_row, n), W, first, bias);
    }
    return logits;
}

static void see_stretch(const Readout *readout, const WordSearch *s, Mat o, int first)
{
    for (int r = 0; r < s->R; r += TILE_ROWS) {
        const int n = s->R - r < TILE_ROWS ? s->R - r : TILE_ROWS;
        const Mat logits = form_stretch(readout, s, o, r, n, first);
        for (int i = 0; i < n; i++) {
            WordSearchRow *row = &s->rows[r + i];
            const real *l = mat_row(logits, i);
            vec_ops()->log_sum_exp_add(&row->max, &row->sum, l, logits.cols);
            see(s, row, l, first, logits.cols);
        }
    }
}

/* ---- exact logits ---- */

static void exact_logits(const Readout *readout, const real *o, Word *words, int n)
{
    enum { AT_ONCE = 64 };
    const Weights *W = readout->output;
    const Mat table = mat_cols(W->param->val, W->first, W->cols);
    int index[AT_ONCE];
    real value[AT_ONCE];
    for (int done = 0, some; done < n; done += some) {
        some = n - done < AT_ONCE ? n - done : AT_ONCE;
        for (int i = 0; i < some; i++) {
            index[i] = words[done + i].word;
        }
        vec_ops()->rows_dot(value, o, table.v, table.stride, index, some, table.cols);
        for (int i = 0; i < some; i++) {
            words[done + i].logit = value[i] + readout->output_bias->val.v[index[i]];
        }
    }
}

/* The sum with the exact logits of the largest in the place of those from the bytes. */
static real exact_lse(const Readout *readout, const WordSearchRow *row, const real *o)
{
    Word exact[WORD_SEARCH_EXACT];
    const int n = row->n_best < WORD_SEARCH_EXACT ? row->n_best : WORD_SEARCH_EXACT;
    const double max = (double)row->max;
    double sum = (double)row->sum;
    memcpy(exact, row->best, (size_t)n * sizeof *exact);
    exact_logits(readout, o, exact, n);
    for (int i = 0; i < n; i++) {
        sum += exp((double)exact[i].logit - max) - exp((double)row->best[i].logit - max);
    }
    return (real)(max + log(sum));
}

/* A row with too many words in question is searched again without the screen. */
static void search_whole(const Readout *readout, const WordSearch *s, WordSearchRow *row, Mat o)
{
    WordSearch whole = *s;
    whole.is_screened = whole.room = 0;
    whole.bytes.bytes = NULL;
    start(row, 0);
    for (int first = 0; first < readout->V; first += s->stretch.cols) {
        const Mat logits = form_stretch(readout, &whole, o, 0, 1, first);
        see(&whole, row, logits.v, first, logits.cols);
    }
    memcpy(row->words, row->best, (size_t)row->n_best * sizeof *row->words);
    row->n_words = row->n_best;
}

static void finish_screened(const Readout *readout, WordSearch *s, int r, Mat o)
{
    WordSearchRow *row = &s->rows[r];
    s->lse[r] = exact_lse(readout, row, mat_row(o, r));
    if (row->is_full) {
        search_whole(readout, s, row, mat_rows(o, r, 1));
    }
    drop_words(row);
    exact_logits(readout, mat_row(o, r), row->words, row->n_words);
    row->n_best = 0;
    for (int i = 0; i < row->n_words; i++) {
        if (row->n_best < s->k || row->words[i].logit > row->best[s->k - 1].logit) {
            insert(row->best, &row->n_best, s->k, row->words[i]);
        }
    }
}

static void finish(const Readout *readout, WordSearch *s, int r, Mat o)
{
    WordSearchRow *row = &s->rows[r];
    if (s->is_screened) {
        finish_screened(readout, s, r, o);
    } else {
        s->lse[r] = row->max + log(row->sum);
    }
    s->n[r] = row->n_best < s->k ? row->n_best : s->k;
    for (int i = 0; i < s->n[r]; i++) {
        s->word[r * s->k + i] = row->best[i].word;
        s->logit[r * s->k + i] = row->best[i].logit;
    }
}

void word_search(const Readout *readout, WordSearch *s, Mat o)
{
    assert(o.rows == s->R && o.cols == readout->E);
    if (s->bytes.bytes != NULL) {
        byte_rows_fill(&s->bytes, o);
    }
    for (int r = 0; r < s->R; r++) {
        start(&s->rows[r], s->is_screened ? 2 * screen_bound(screen_of(readout), mat_row(o, r),
                                                             s->bytes.scale[r], readout->E)
                                          : 0);
    }
    for (int first = 0; first < readout->V; first += s->stretch.cols) {
        see_stretch(readout, s, o, first);
    }
    for (int r = 0; r < s->R; r++) {
        finish(readout, s, r, o);
    }
}

real word_logit(const Readout *readout, const real *o, int word)
{
    enum { WIDEST_PANEL = 256 };
    real logits[WIDEST_PANEL];
    if (screen_of(readout) != NULL) {
        Word w = {0, word};
        exact_logits(readout, o, &w, 1);
        return w.logit;
    }
    const Packed *W = &readout->output->forward;
    const int panel = packed_stretch(), first = word / panel * panel;
    const int width = W->N - first < panel ? W->N - first : panel;
    assert(panel <= WIDEST_PANEL);
    /* a product reads its inputs only */
    const Mat row = {(real *)(uintptr_t)o, 1, readout->E, readout->E};
    gemm_packed_stretch(mat(logits, 1, width), row, W, first, readout->output_bias->val.v);
    return logits[word - first];
}

real word_lse(const real *logits, int V)
{
    const int width = stretch_words();
    real max = (real)-INFINITY, sum = 0;
    int first = 0;
    do {
        const int n = V - first < width ? V - first : width;
        vec_ops()->log_sum_exp_add(&max, &sum, logits + first, n);
        first += n;
    } while (first < V);
    return max + log(sum);
}

/* Records of attention: merging, links; see the header. */
#include "text/dump.h"

#include <string.h>

#include "base/mem.h"
#include "text/words.h"

/* One side of a dump on its way to words. */
typedef struct Side {
    DumpText raw;
    int n, has_end;
    const DumpText *tokens;
    const int (*spans)[2];
    int n_words;          /* the end token included */
    DumpText *words;      /* (n_words) */
    int (*word_spans)[2]; /* (n_words) */
    int (*range)[2];      /* (n) first and last word that a token belongs to */
} Side;

static Status take(Arena *arena, void *out, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memset(block, 0, count * size);
    memcpy(out, &block, sizeof block);
    return OK;
}

/* Bytes that a token shares with a word. */
static int overlap(const int token[2], const int word[2])
{
    const int begin = token[0] > word[0] ? token[0] : word[0];
    const int end = token[1] < word[1] ? token[1] : word[1];
    return end > begin ? end - begin : 0;
}

/* The words below n that a span touches; if it touches none, the next word or else the last. */
static void find_range(int range[2], const int span[2], int (*const words)[2], int n)
{
    int low = 0, high = n; /* the first word that ends behind the span's begin */
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (words[middle][1] > span[0]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    range[0] = low < n ? low : n - 1;
    range[1] = range[0];
    while (range[1] + 1 < n && words[range[1] + 1][0] < span[1]) {
        range[1]++;
    }
}

/* How many of n words begin before the last piece ends: those behind it were cut from the line. */
static int count_read(const Side *side, int n_pieces, int (*const words)[2], int n)
{
    const int end = n_pieces == 0 ? 0 : side->spans[n_pieces - 1][1];
    while (n > 1 && words[n - 1][0] >= end) {
        n--;
    }
    return n;
}

/* Fills words, word_spans and range. */
static Status side_group(Side *side, Arena *arena, Error *err)
{
    Words found = {0};
    TRY(words_split(&found, side->raw.bytes, side->raw.len, err));
    const int n_pieces = side->n - side->has_end;
    const int is_kept = found.len == 0; /* no word to merge to: each token stays its own */
    const int n_words = is_kept ? n_pieces : count_read(side, n_pieces, found.spans, found.len);
    side->n_words = n_words + side->has_end;
    Status status = take(arena, &side->words, (size_t)side->n_words, sizeof *side->words, err);
    if (status == OK) {
        status =
            take(arena, &side->word_spans, (size_t)side->n_words, sizeof *side->word_spans, err);
    }
    if (status == OK) {
        status = take(arena, &side->range, (size_t)side->n, sizeof *side->range, err);
    }
    if (status == OK) {
        for (int w = 0; w < n_words; w++) {
            memcpy(side->word_spans[w], is_kept ? side->spans[w] : found.spans[w],
                   sizeof *side->word_spans);
            side->words[w] = is_kept ? side->tokens[w]
                                     : (DumpText){side->raw.bytes + found.spans[w][0],
                                                  (size_t)(found.spans[w][1] - found.spans[w][0])};
        }
        for (int i = 0; i < n_pieces; i++) {
            side->range[i][0] = side->range[i][1] = i;
            if (!is_kept) {
                find_range(side->range[i], side->spans[i], found.spans, n_words);
            }
        }
        if (side->has_end) {
            side->words[n_words] = side->tokens[n_pieces];
            memcpy(side->word_spans[n_words], side->spans[n_pieces], sizeof *side->word_spans);
            side->range[n_pieces][0] = side->range[n_pieces][1] = n_words;
        }
    }
    words_free(&found);
    return status;
}

/* The sums over source pieces: out (n_target, source words) of attention (n_target, n_source). */
static void sum_columns(float *out, const float *attention, const Side *source, int n_target)
{
    for (int s = 0; s < source->n; s++) {
        const int first = source->range[s][0], last = source->range[s][1];
        double total = 0;
        for (int w = first; w <= last; w++) {
            total += overlap(source->spans[s], source->word_spans[w]);
        }
        for (int w = first; w <= last; w++) {
            const double share =
                first == last ? 1 : overlap(source->spans[s], source->word_spans[w]) / total;
            for (int t = 0; t < n_target; t++) {
                out[(size_t)t * (size_t)source->n_words + (size_t)w] +=
                    (float)share * attention[(size_t)t * (size_t)source->n + (size_t)s];
            }
        }
    }
}

/* The means over target pieces: out (target words, n_columns) of rows (n_target, n_columns). */
static Status average_rows(float *out, const float *rows, const Side *target, int n_columns,
                           Arena *arena, Error *err)
{
    int *n_pieces;
    TRY(take(arena, &n_pieces, (size_t)target->n_words, sizeof *n_pieces, err));
    for (int t = 0; t < target->n; t++) {
        for (int w = target->range[t][0]; w <= target->range[t][1]; w++) {
            n_pieces[w]++;
        }
    }
    const size_t n = (size_t)n_columns;
    for (int t = 0; t < target->n; t++) {
        for (int w = target->range[t][0]; w <= target->range[t][1]; w++) {
            for (size_t s = 0; s < n; s++) {
                out[(size_t)w * n + s] += rows[(size_t)t * n + s] / (float)n_pieces[w];
            }
        }
    }
    return OK;
}

/* out (target words) is the sum of the scores of the pieces that begin in each. */
static Status sum_scores(float **out, const float *scores, const Side *target, Arena *arena,
                         Error *err)
{
    TRY(take(arena, out, (size_t)target->n_words, sizeof **out, err));
    for (int t = 0; t < target->n; t++) {
        (*out)[target->range[t][0]] += scores[t];
    }
    return OK;
}

Status dump_to_words(Dump *out, const Dump *in, Arena *arena, Error *err)
{
    Side source = {.raw = in->source,
                   .n = in->n_source,
                   .has_end = in->has_source_end,
                   .tokens = in->source_tokens,
                   .spans = in->source_spans};
    Side target = {.raw = in->target,
                   .n = in->n_target,
                   .has_end = in->has_target_end,
                   .tokens = in->target_tokens,
                   .spans = in->target_spans};
    float *rows, *attention, *scores = NULL;
    TRY(side_group(&source, arena, err));
    TRY(side_group(&target, arena, err));
    TRY(take(arena, &rows, mem_times((size_t)in->n_target, (size_t)source.n_words), sizeof *rows,
             err));
    TRY(take(arena, &attention, mem_times((size_t)target.n_words, (size_t)source.n_words),
             sizeof *attention, err));
    sum_columns(rows, in->attention, &source, in->n_target);
    TRY(average_rows(attention, rows, &target, source.n_words, arena, err));
    if (in->word_scores != NULL) {
        TRY(sum_scores(&scores, in->word_scores, &target, arena, err));
    }
    *out = *in;
    out->n_source = source.n_words;
    out->n_target = target.n_words;
    out->source_tokens = source.words;
    out->target_tokens = target.words;
    out->source_spans = (const int(*)[2])source.word_spans;
    out->target_spans = (const int(*)[2])target.word_spans;
    out->attention = attention;
    out->word_scores = scores;
    return OK;
}

Status dump_drop_end(Dump *out, const Dump *in, Arena *arena, Error *err)
{
    const int n_source = in->n_source - in->has_source_end;
    const int n_target = in->n_target - in->has_target_end;
    float *attention;
    TRY(take(arena, &attention, mem_times((size_t)n_target, (size_t)n_source), sizeof *attention,
             err));
    for (int t = 0; t < n_target; t++) {
        const float *from = in->attention + (size_t)t * (size_t)in->n_source;
        float *to = attention + (size_t)t * (size_t)n_source;
        double sum = 0;
        for (int s = 0; s < n_source; s++) {
            sum += from[s];
        }
        for (int s = 0; s < n_source; s++) {
            to[s] = sum > 0 ? (float)(from[s] / sum) : 0;
        }
    }
    *out = *in;
    out->n_source = n_source;
    out->n_target = n_target;
    out->has_source_end = out->has_target_end = 0;
    out->attention = attention;
    return OK;
}

/* The source token that target token t looks at most, or -1. */
static int find_best(const Dump *dump, int t)
{
    const float *row = dump->attention + (size_t)t * (size_t)dump->n_source;
    int best = -1;
    for (int s = 0; s < dump->n_source; s++) {
        if (row[s] > (best < 0 ? 0 : row[best])) {
            best = s;
        }
    }
    return best == dump->n_source - dump->has_source_end ? -1 : best;
}

Status dump_links(DumpLink **out, int *n_out, const Dump *dump, double threshold, Arena *arena,
                  Error *err)
{
    const int n_source = dump->n_source - dump->has_source_end;
    const int n_target = dump->n_target - dump->has_target_end;
    int *best;
    TRY(take(arena, &best, (size_t)n_target, sizeof *best, err));
    for (int t = 0; t < n_target; t++) {
        best[t] = threshold > 0 ? -1 : find_best(dump, t);
    }
    DumpLink *links = NULL;
    int n = 0;
    for (int pass = 0; pass < 2; pass++) { /* counts, then writes, in sorted order */
        if (pass == 1) {
            TRY(take(arena, &links, (size_t)n, sizeof *links, err));
            n = 0;
        }
        for (int s = 0; s < n_source; s++) {
            for (int t = 0; t < n_target; t++) {
                const double weight =
                    (double)dump->attention[(size_t)t * (size_t)dump->n_source + (size_t)s];
                if (threshold > 0 ? weight > threshold : best[t] == s) {
                    if (pass == 1) {
                        links[n] = (DumpLink){s, t};
                    }
                    n++;
                }
            }
        }
    }
    *out = links;
    *n_out = n;
    return OK;
}

/* Learning byte pair encoding.
 *
 * 1. Different chunks are counted, in bounded memory (text/counter.h).
 * 2. The alphabet is chosen: units seen often enough, most frequent first, then the code points of
 *    the units that were not chosen.
 * 3. The most frequent pair of neighbours is merged, again and again. Counts of pairs are kept up
 *    to date: each pair knows the words it may occur in, and only those are visited. The next pair
 *    comes from a heap whose entries may be out of date: one that claims too much is put back with
 *    the true count, one that claims too little has a better twin. Ties go to the lower ids.
 *
 * Scripts without blanks say nothing of where words end, and frequency alone would glue "I like"
 * together: there, a pair must also cohere: 2 c(xy) / (c(x) + c(y)) >= COHESION (Dice 1945), with
 * the counts of the moment. */
#include "text/bpe.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "text/chunk.h"
#include "text/counter.h"

enum { MAX_TYPES = 500000, MAX_TYPE_BYTES = 8 << 20, MIN_SLOTS = 1024 };
static const double COHESION = 0.15;

typedef struct Pair {
    int left, right;
    long count;
    int *words; /* numbers of words that had the pair when they were noted */
    int n_words, cap_words;
    int has_risen; /* it is in the list of those whose count rose */
} Pair;

typedef struct HeapEntry {
    long count;
    int pair;
} HeapEntry;

typedef struct Word {
    size_t start; /* of its symbols */
    int len;
    long count;
} Word;

typedef struct Learner {
    Bpe *bpe;
    const TokenizerOptions *options;
    Counter chunks; /* as text, a word start as U+2581 */

    Word *words;
    int n_words;
    int *symbols; /* ids, or 0 for what never merges */
    size_t n_symbols, cap_symbols;

    Pair *pairs;
    int n_pairs, cap_pairs;
    int *slots; /* number of a pair + 1, 0 when free */
    size_t n_slots;
    HeapEntry *heap;
    size_t n_heap, cap_heap;
    int *risen; /* pairs whose count rose in the current merge */
    int n_risen, cap_risen;

    long *n_seen;            /* by id: occurrences of the symbol */
    unsigned char *unspaced; /* by id: of a script without blanks */
} Learner;

/* Grows *array (of elements of `size` bytes) so that index n is in it. */
static Status grow(void **array, size_t *cap, size_t n, size_t size, Error *err)
{
    if (n >= *cap) {
        const size_t wanted = n + n / 2 + 4; /* most lists of words stay short */
        void *grown = mem_resize(*array, wanted, size);
        if (grown == NULL) {
            return mem_fail(err, "learning pieces", wanted, size);
        }
        *array = grown;
        *cap = wanted;
    }
    return OK;
}

static Status grow_int(int **array, int *cap, int n, Error *err)
{
    size_t wide = (size_t)*cap;
    void *grown = *array;
    TRY(grow(&grown, &wide, (size_t)n, sizeof **array, err));
    *array = grown;
    *cap = wide > INT_MAX ? INT_MAX : (int)wide;
    return OK;
}

/* 1. Chunks */

static Status count_line(Learner *l, const UnicodeText *text, Error *err)
{
    char bytes[WORD_START_BYTES + CHUNK_MAX_POINTS * UNICODE_MAX_BYTES];
    ChunkReader reader = chunk_reader(text);
    Chunk chunk;
    while (chunk_next(&reader, &chunk)) {
        /* A literal U+2581 stands for itself alone and goes by bytes. */
        if (chunk.is_blank || text->points[chunk.first] == WORD_START_POINT) {
            continue;
        }
        size_t len = 0;
        if (chunk.n_starts > 0) {
            memcpy(bytes, WORD_START_TEXT, WORD_START_BYTES);
            len = WORD_START_BYTES;
        }
        for (size_t i = chunk.first; i < chunk.end; i++) {
            len += unicode_encode(text->points[i], bytes + len);
        }
        TRY(counter_add(&l->chunks, bytes, len, 1, err));
    }
    return OK;
}

static Status count_lines(Learner *l, const Lines *lines, Error *err)
{
    UnicodeText text = {0};
    Status status;
    for (;;) {
        const char *line;
        size_t len;
        status = lines->next(lines->context, &line, &len, err);
        if (status != OK || line == NULL) {
            break;
        }
        status = unicode_text_set(&text, line, len, (Normalization)l->options->normalization,
                                  l->options->lowercase, err);
        if (status == OK) {
            status = count_line(l, &text, err);
        }
        if (status != OK) {
            break;
        }
    }
    unicode_text_free(&text);
    return status;
}

/* The code points of chunk i behind its word start; *has_start tells whether it has one. */
static Status chunk_points(const Learner *l, int i, UnicodeText *text, int *has_start, Error *err)
{
    size_t len;
    const char *bytes = piece_text(&l->chunks.texts, i, &len);
    *has_start = len >= WORD_START_BYTES && memcmp(bytes, WORD_START_TEXT, WORD_START_BYTES) == 0;
    const size_t skip = *has_start ? WORD_START_BYTES : 0;
    return unicode_text_set(text, bytes + skip, len - skip, NORMALIZE_NONE, 0, err);
}

/* 2. Alphabet */

static size_t encode_points(char *bytes, const uint32_t *points, size_t n)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        len += unicode_encode(points[i], bytes + len);
    }
    return len;
}

/* The id of a unit of the alphabet, or 0. */
static int find_unit(const Learner *l, const uint32_t *points, size_t n)
{
    char bytes[UNIT_MAX_POINTS * UNICODE_MAX_BYTES] = {0};
    const size_t len = encode_points(bytes, points, n);
    const int number = piece_find(&l->bpe->pieces, bytes, len);
    return number > 0 ? BPE_WORD_START + number : 0;
}

static Status count_unit(Counter *units, const uint32_t *points, size_t n, long count, Error *err)
{
    if (!bpe_is_unit(points, n)) {
        return OK;
    }
    char bytes[UNIT_MAX_POINTS * UNICODE_MAX_BYTES];
    return counter_add(units, bytes, encode_points(bytes, points, n), count, err);
}

/* Counts units; with is_fallback, the code points of those that are not in the alphabet. */
static Status count_units(const Learner *l, Counter *units, int is_fallback, Error *err)
{
    UnicodeText text = {0};
    Status status = OK;
    for (int w = 0; status == OK && w < l->chunks.texts.n; w++) {
        const long count = l->chunks.counts[w];
        int has_start;
        status = chunk_points(l, w, &text, &has_start, err);
        for (size_t i = 0, end; status == OK && i < text.len; i = end) {
            end = chunk_unit(&text, i, text.len);
            if (!is_fallback) {
                status = count_unit(units, text.points + i, end - i, count, err);
            } else if (find_unit(l, text.points + i, end - i) == 0) {
                for (size_t k = i; status == OK && k < end; k++) {
                    status = count_unit(units, text.points + k, 1, count, err);
                }
            }
        }
    }
    unicode_text_free(&text);
    return status;
}

static Status add_units(Learner *l, int is_fallback, Error *err)
{
    Counter units = {.max_types = MAX_TYPES, .max_bytes = MAX_TYPE_BYTES};
    int *order = NULL, n = 0;
    Status status = count_units(l, &units, is_fallback, err);
    if (status == OK) {
        status = counter_order(&units, &order, &n, l->options->min_frequency, err);
    }
    const int bound = l->options->vocab_size - BPE_WORD_START;
    for (int i = 0; status == OK && i < n && l->bpe->pieces.n < bound; i++) {
        size_t len;
        const char *text = piece_text(&units.texts, order[i], &len);
        status = bpe_add_unit(l->bpe, text, len, err);
    }
    mem_free(order);
    counter_free(&units);
    return status;
}

/* 3. Pairs */

static Status find_pair(Learner *l, int *number, int left, int right, Error *err)
{
    if ((size_t)l->n_pairs + 1 > l->n_slots / 2) {
        const size_t n_slots = l->n_slots == 0 ? MIN_SLOTS : 2 * l->n_slots;
        int *slots = mem_zero_alloc(n_slots, sizeof *slots);
        if (slots == NULL) {
            return mem_fail(err, "pairs of pieces", n_slots, sizeof *slots);
        }
        for (int i = 0; i < l->n_pairs; i++) {
            const uint64_t key = (uint64_t)l->pairs[i].left << 32 | (uint32_t)l->pairs[i].right;
            size_t s = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & (n_slots - 1);
            while (slots[s] != 0) {
                s = (s + 1) & (n_slots - 1);
            }
            slots[s] = i + 1;
        }
        mem_free(l->slots);
        l->slots = slots;
        l->n_slots = n_slots;
    }
    const uint64_t key = (uint64_t)left << 32 | (uint32_t)right;
    size_t s = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & (l->n_slots - 1);
    for (; l->slots[s] != 0; s = (s + 1) & (l->n_slots - 1)) {
        const Pair *p = &l->pairs[l->slots[s] - 1];
        if (p->left == left && p->right == right) {
            *number = l->slots[s] - 1;
            return OK;
        }
    }
    size_t cap = (size_t)l->cap_pairs;
    void *grown = l->pairs;
    TRY(grow(&grown, &cap, (size_t)l->n_pairs, sizeof *l->pairs, err));
    l->pairs = grown;
    l->cap_pairs = (int)cap;
    l->pairs[l->n_pairs] = (Pair){.left = left, .right = right};
    *number = l->n_pairs++;
    l->slots[s] = l->n_pairs;
    return OK;
}

/* n more (or fewer) occurrences of left, right in word w. */
static Status count_pair(Learner *l, int left, int right, long n, int w, Error *err)
{
    if (left == 0 || right == 0) {
        return OK;
    }
    int number = 0;
    TRY(find_pair(l, &number, left, right, err));
    Pair *p = &l->pairs[number];
    p->count += n;
    if (n > 0) {
        if (p->n_words == 0 || p->words[p->n_words - 1] != w) {
            TRY(grow_int(&p->words, &p->cap_words, p->n_words, err));
            p->words[p->n_words++] = w;
        }
        TRY(grow_int(&l->risen, &l->cap_risen, l->n_risen, err));
        if (!p->has_risen) {
            p->has_risen = 1;
            l->risen[l->n_risen++] = number;
        }
    } else if (p->count == 0) { /* it is in no word any more */
        mem_free(p->words);
        p->words = NULL;
        p->n_words = 0;
        p->cap_words = 0;
    }
    return OK;
}

/* True when entry a is to be merged before b. */
static int is_before(const Learner *l, HeapEntry a, HeapEntry b)
{
    if (a.count != b.count) {
        return a.count > b.count;
    }
    const Pair *x = &l->pairs[a.pair], *y = &l->pairs[b.pair];
    return x->left != y->left ? x->left < y->left : x->right < y->right;
}

static Status heap_push(Learner *l, int pair, Error *err)
{
    void *grown = l->heap;
    TRY(grow(&grown, &l->cap_heap, l->n_heap, sizeof *l->heap, err));
    l->heap = grown;
    const HeapEntry entry = {l->pairs[pair].count, pair};
    size_t i = l->n_heap++;
    while (i > 0 && is_before(l, entry, l->heap[(i - 1) / 2])) {
        l->heap[i] = l->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    l->heap[i] = entry;
    return OK;
}

static HeapEntry heap_pop(Learner *l)
{
    const HeapEntry top = l->heap[0], last = l->heap[--l->n_heap];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= l->n_heap) {
            break;
        }
        if (child + 1 < l->n_heap && is_before(l, l->heap[child + 1], l->heap[child])) {
            child++;
        }
        if (!is_before(l, l->heap[child], last)) {
            break;
        }
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = last;
    return top;
}

static Status push_risen(Learner *l, Error *err)
{
    for (int i = 0; i < l->n_risen; i++) {
        l->pairs[l->risen[i]].has_risen = 0;
        if (l->pairs[l->risen[i]].count >= l->options->min_frequency) {
            TRY(heap_push(l, l->risen[i], err));
        }
    }
    l->n_risen = 0;
    return OK;
}

static Status add_symbol(Learner *l, int id, Error *err)
{
    void *grown = l->symbols;
    TRY(grow(&grown, &l->cap_symbols, l->n_symbols, sizeof *l->symbols, err));
    l->symbols = grown;
    l->symbols[l->n_symbols++] = id;
    return OK;
}

/* Appends the symbols of the unit at points i .. end-1. */
static Status add_unit_symbols(Learner *l, const UnicodeText *text, size_t i, size_t end,
                               Error *err)
{
    const int id = find_unit(l, text->points + i, end - i);
    if (id != 0 || end - i == 1) {
        return add_symbol(l, id, err);
    }
    for (; i < end; i++) {
        TRY(add_unit_symbols(l, text, i, i + 1, err));
    }
    return OK;
}

static Status make_word(Learner *l, UnicodeText *text, int w, Error *err)
{
    int has_start;
    TRY(chunk_points(l, w, text, &has_start, err));
    l->words[w] = (Word){l->n_symbols, 0, l->chunks.counts[w]};
    if (has_start) {
        TRY(add_symbol(l, BPE_WORD_START, err));
    }
    for (size_t i = 0; i < text->len;) {
        const size_t end = chunk_unit(text, i, text->len);
        TRY(add_unit_symbols(l, text, i, end, err));
        i = end;
    }
    l->words[w].len = (int)(l->n_symbols - l->words[w].start);
    return OK;
}

/* Turns the chunks into words of symbols and counts their pairs. */
static Status make_words(Learner *l, Error *err)
{
    const size_t n = (size_t)l->chunks.texts.n, n_ids = (size_t)l->options->vocab_size;
    l->words = mem_alloc(n, sizeof *l->words);
    l->n_seen = mem_zero_alloc(n_ids, sizeof *l->n_seen);
    l->unspaced = mem_zero_alloc(n_ids, 1);
    if (l->words == NULL || l->n_seen == NULL || l->unspaced == NULL) {
        return mem_fail(err, "learning pieces", n + n_ids, sizeof *l->words);
    }
    UnicodeText text = {0};
    Status status = OK;
    for (int w = 0; status == OK && w < l->chunks.texts.n; w++) {
        status = make_word(l, &text, w, err);
    }
    unicode_text_free(&text);
    TRY(status);
    l->n_words = l->chunks.texts.n;
    counter_free(&l->chunks);
    for (int w = 0; w < l->n_words; w++) {
        const Word *word = &l->words[w];
        const int *s = l->symbols + word->start;
        for (int i = 0; i < word->len; i++) {
            l->n_seen[s[i]] += word->count;
            if (i > 0) {
                TRY(count_pair(l, s[i - 1], s[i], word->count, w, err));
            }
        }
    }
    for (int i = 1; i < l->bpe->n_alphabet; i++) {
        size_t len;
        uint32_t point;
        const char *unit = piece_text(&l->bpe->pieces, i, &len);
        (void)unicode_decode(unit, len, &point, NULL);
        l->unspaced[BPE_WORD_START + i] = (unsigned char)script_is_unspaced(script_of(point));
    }
    return push_risen(l, err);
}

/* Merges left, right into result wherever word w has them. */
static Status merge_in_word(Learner *l, int w, int left, int right, int result, Error *err)
{
    int *s = l->symbols + l->words[w].start;
    const int n = l->words[w].len;
    const long count = l->words[w].count;
    int n_out = 0;
    for (int i = 0; i < n; n_out++) {
        if (i + 1 == n || s[i] != left || s[i + 1] != right) {
            s[n_out] = s[i++];
            continue;
        }
        if (n_out > 0) {
            TRY(count_pair(l, s[n_out - 1], left, -count, w, err));
            TRY(count_pair(l, s[n_out - 1], result, count, w, err));
        }
        if (i + 2 < n) {
            TRY(count_pair(l, right, s[i + 2], -count, w, err));
            TRY(count_pair(l, result, s[i + 2], count, w, err));
        }
        l->n_seen[left] -= count;
        l->n_seen[right] -= count;
        l->n_seen[result] += count;
        s[n_out] = result;
        i += 2;
    }
    l->words[w].len = n_out;
    return OK;
}

static int is_wanted(const Learner *l, const Pair *p)
{
    size_t len_left, len_right;
    (void)piece_text(&l->bpe->pieces, p->left - BPE_WORD_START, &len_left);
    (void)piece_text(&l->bpe->pieces, p->right - BPE_WORD_START, &len_right);
    if (len_left + len_right > PIECE_MAX_BYTES) {
        return 0;
    }
    if (!l->unspaced[p->left] || !l->unspaced[p->right]) {
        return 1;
    }
    const double n_sides = (double)l->n_seen[p->left] + (double)l->n_seen[p->right];
    return 2.0 * (double)p->count >= COHESION * n_sides;
}

static Status merge_pair(Learner *l, int number, Error *err)
{
    const int left = l->pairs[number].left, right = l->pairs[number].right;
    /* A pair may come back: two merges that make the same text share a piece. */
    int result = bpe_merge_result(l->bpe, left, right);
    if (result == 0) {
        TRY(bpe_add_merge(l->bpe, &result, left, right, err));
    }
    l->unspaced[result] = l->unspaced[left] && l->unspaced[right];
    int *words = l->pairs[number].words;
    const int n = l->pairs[number].n_words;
    l->pairs[number] = (Pair){.left = left, .right = right};
    Status status = OK;
    for (int i = 0; status == OK && i < n; i++) {
        status = merge_in_word(l, words[i], left, right, result, err);
    }
    mem_free(words);
    l->pairs[number].count = 0; /* "aaa" has a pair more than it can merge */
    TRY(status);
    return push_risen(l, err);
}

static Status learn_merges(Learner *l, const Progress *progress, Error *err)
{
    const int bound = l->options->vocab_size - BPE_WORD_START, first = l->bpe->pieces.n;
    while (l->n_heap > 0 && l->bpe->pieces.n < bound) {
        const double n = l->bpe->pieces.n - first;
        progress_tell(progress, "learning pieces", "pieces", n, progress_share(n, bound - first));
        const HeapEntry top = heap_pop(l);
        const Pair *p = &l->pairs[top.pair];
        if (top.count > p->count) {
            if (p->count >= l->options->min_frequency) {
                TRY(heap_push(l, top.pair, err));
            }
        } else if (top.count == p->count && is_wanted(l, p)) {
            TRY(merge_pair(l, top.pair, err));
        }
    }
    return OK;
}

static void learner_free(Learner *l)
{
    for (int i = 0; i < l->n_pairs; i++) {
        mem_free(l->pairs[i].words);
    }
    counter_free(&l->chunks);
    mem_free(l->words);
    mem_free(l->symbols);
    mem_free(l->pairs);
    mem_free(l->slots);
    mem_free(l->heap);
    mem_free(l->risen);
    mem_free(l->n_seen);
    mem_free(l->unspaced);
}

Status bpe_learn(Bpe *bpe, const TokenizerOptions *options, const Lines *lines, Error *err)
{
    Learner l = {.bpe = bpe,
                 .options = options,
                 .chunks = {.max_types = MAX_TYPES, .max_bytes = MAX_TYPE_BYTES}};
    Status status = count_lines(&l, lines, err);
    for (int is_fallback = 0; status == OK && is_fallback < 2; is_fallback++) {
        status = add_units(&l, is_fallback, err);
    }
    if (status == OK) {
        status = make_words(&l, err);
    }
    if (status == OK) {
        status = learn_merges(&l, lines->progress, err);
    }
    learner_free(&l);
    return status;
}

/* Byte pair encoding; see the header. The learning is in bpe_learn.c. */
#include "text/bpe.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "text/chunk.h"

enum {
    SYMBOLS_MAX = CHUNK_MAX_POINTS * UNICODE_MAX_BYTES + CHUNK_MAX_POINTS,
    POOL_MAX = 32 << 20, /* bytes of all pieces */
    NO_RANK = INT_MAX
};

typedef struct Symbol {
    int id;
    int rank; /* of the merge with the next symbol */
    uint32_t begin, end;
} Symbol;

Status bpe_init(Bpe *bpe, Error *err)
{
    int number;
    *bpe = (Bpe){0};
    TRY(piece_add(&bpe->pieces, &number, WORD_START_TEXT, WORD_START_BYTES, err));
    bpe->n_alphabet = 1;
    return OK;
}

void bpe_free(Bpe *bpe)
{
    if (bpe != NULL) {
        piece_table_free(&bpe->pieces);
        mem_free(bpe->merges);
        mem_free(bpe->slots);
        *bpe = (Bpe){0};
    }
}

int bpe_is_unit(const uint32_t *points, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t p = points[i];
        if (p < 0x20 || (p >= 0x7F && p < 0xA0) || p == 0x2028 || p == 0x2029 ||
            p == WORD_START_POINT) {
            return 0;
        }
    }
    return 1;
}

Status bpe_add_unit(Bpe *bpe, const char *text, size_t len, Error *err)
{
    int number;
    uint32_t point;
    TRY(piece_add(&bpe->pieces, &number, text, len, err));
    bpe->n_alphabet = bpe->pieces.n;
    if (unicode_decode(text, len, &point, NULL) == len && point < BPE_DIRECT) {
        bpe->direct[point] = BPE_WORD_START + number;
    }
    return OK;
}

/* The slot of the pair, or the free one where it belongs. */
static BpeSlot *find_slot(const Bpe *bpe, int left, int right)
{
    const uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    size_t i = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & (bpe->n_slots - 1);
    while (bpe->slots[i].left != 0 &&
           (bpe->slots[i].left != left || bpe->slots[i].right != right)) {
        i = (i + 1) & (bpe->n_slots - 1);
    }
    return &bpe->slots[i];
}

static Status grow_slots(Bpe *bpe, Error *err)
{
    const size_t n_old = bpe->n_slots, n_slots = n_old == 0 ? 256 : 2 * n_old;
    BpeSlot *old = bpe->slots, *slots = mem_zero_alloc(n_slots, sizeof *slots);
    if (slots == NULL) {
        return mem_fail(err, "a table of merges", n_slots, sizeof *slots);
    }
    bpe->slots = slots;
    bpe->n_slots = n_slots;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i].left != 0) {
            *find_slot(bpe, old[i].left, old[i].right) = old[i];
        }
    }
    mem_free(old);
    return OK;
}

Status bpe_add_merge(Bpe *bpe, int *result, int left, int right, Error *err)
{
    size_t len_left, len_right;
    const char *text_left = piece_text(&bpe->pieces, left - BPE_WORD_START, &len_left);
    const char *text_right = piece_text(&bpe->pieces, right - BPE_WORD_START, &len_right);
    const size_t len = len_left + len_right;
    char text[2 * PIECE_MAX_BYTES];
    if (len > PIECE_MAX_BYTES || bpe->pieces.len_text + len > POOL_MAX) {
        return fail(err, ERR_FORMAT, "merge %d makes a piece of %zu bytes: at most %d, in all %d",
                    bpe->n_merges, len, (int)PIECE_MAX_BYTES, (int)POOL_MAX);
    }
    memcpy(text, text_left, len_left);
    memcpy(text + len_left, text_right, len_right);
    if (bpe->n_merges == bpe->cap_merges) {
        const int cap = 2 * bpe->cap_merges + 64;
        int(*grown)[2] = mem_resize(bpe->merges, (size_t)cap, sizeof *grown);
        if (grown == NULL) {
            return mem_fail(err, "merges", (size_t)cap, sizeof *grown);
        }
        bpe->merges = grown;
        bpe->cap_merges = cap;
    }
    if ((size_t)bpe->n_merges + 1 > bpe->n_slots / 2) {
        TRY(grow_slots(bpe, err));
    }
    BpeSlot *slot = find_slot(bpe, left, right);
    if (slot->left != 0) {
        return fail(err, ERR_FORMAT, "merge %d is the same as merge %d", bpe->n_merges, slot->rank);
    }
    int number;
    TRY(piece_add(&bpe->pieces, &number, text, len, err));
    *result = BPE_WORD_START + number;
    *slot = (BpeSlot){left, right, bpe->n_merges, *result};
    bpe->merges[bpe->n_merges][0] = left;
    bpe->merges[bpe->n_merges][1] = right;
    bpe->n_merges++;
    return OK;
}

int bpe_merge_result(const Bpe *bpe, int left, int right)
{
    return bpe->n_slots == 0 ? 0 : find_slot(bpe, left, right)->result;
}

Status pieces_add(Pieces *out, int id, uint32_t begin, uint32_t end, Error *err)
{
    if (out->len == out->cap) {
        if (out->cap > INT_MAX / 2 - 64) {
            return fail(err, ERR_ARG, "a line of more than %d pieces", out->cap);
        }
        const int cap = 2 * out->cap + 64;
        int *ids = mem_resize(out->ids, (size_t)cap, sizeof *ids);
        if (ids == NULL) {
            return mem_fail(err, "the pieces of a line", (size_t)cap, sizeof *ids);
        }
        out->ids = ids;
        int(*spans)[2] = mem_resize(out->spans, (size_t)cap, sizeof *spans);
        if (spans == NULL) {
            return mem_fail(err, "the pieces of a line", (size_t)cap, sizeof *spans);
        }
        out->spans = spans;
        out->cap = cap;
    }
    out->ids[out->len] = id;
    out->spans[out->len][0] = (int)begin;
    out->spans[out->len][1] = (int)end;
    out->len++;
    return OK;
}

/* The id of a unit in the alphabet, or 0. */
static int find_unit(const Bpe *bpe, const uint32_t *points, size_t n)
{
    if (n == 1 && points[0] < BPE_DIRECT) {
        return bpe->direct[points[0]];
    }
    char text[UNIT_MAX_POINTS * UNICODE_MAX_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (points[i] == WORD_START_POINT) {
            return 0;
        }
        len += unicode_encode(points[i], text + len);
    }
    const int number = piece_find(&bpe->pieces, text, len);
    return number >= 0 && number < bpe->n_alphabet ? BPE_WORD_START + number : 0;
}

/* Writes the symbols of the unit at points i .. end-1 and returns how many. */
static int split_unit(const Bpe *bpe, Symbol *symbols, const UnicodeText *text, size_t i,
                      size_t end)
{
    int id = find_unit(bpe, text->points + i, end - i);
    if (id != 0) {
        symbols[0] = (Symbol){id, NO_RANK, text->starts[i], text->ends[end - 1]};
        return 1;
    }
    int n = 0;
    for (; i < end; i++) {
        id = find_unit(bpe, text->points + i, 1);
        if (id != 0) {
            symbols[n++] = (Symbol){id, NO_RANK, text->starts[i], text->ends[i]};
            continue;
        }
        char bytes[UNICODE_MAX_BYTES];
        const size_t len = unicode_encode(text->points[i], bytes);
        for (size_t k = 0; k < len; k++) {
            id = BPE_FIRST_BYTE + (unsigned char)bytes[k];
            symbols[n++] = (Symbol){id, NO_RANK, text->starts[i], text->ends[i]};
        }
    }
    return n;
}

static int split_chunk(const Bpe *bpe, Symbol *symbols, const UnicodeText *text, const Chunk *chunk)
{
    int n = 0;
    if (chunk->is_blank) {
        const size_t n_added = (size_t)chunk->n_starts - (chunk->end - chunk->first);
        for (size_t k = 0; k < (size_t)chunk->n_starts; k++) {
            const size_t i = chunk->first + k - n_added;
            const int is_added = k < n_added;
            symbols[n++] = (Symbol){BPE_WORD_START, NO_RANK, is_added ? 0 : text->starts[i],
                                    is_added ? 0 : text->ends[i]};
        }
        return n;
    }
    if (chunk->n_starts > 0) {
        symbols[n++] = (Symbol){BPE_WORD_START, NO_RANK, chunk->start_offset, chunk->start_end};
    }
    for (size_t i = chunk->first; i < chunk->end;) {
        const size_t end = chunk_unit(text, i, chunk->end);
        n += split_unit(bpe, symbols + n, text, i, end);
        i = end;
    }
    return n;
}

static int rank_of(const Bpe *bpe, int left, int right)
{
    if (bpe->n_slots == 0 || left < BPE_WORD_START || right < BPE_WORD_START) {
        return NO_RANK;
    }
    const BpeSlot *slot = find_slot(bpe, left, right);
    return slot->left == 0 ? NO_RANK : slot->rank;
}

/* The leftmost symbol whose merge with the next has the lowest rank, or -1. */
static int best_merge(const Symbol *symbols, int n, double rate, Rng *rng)
{
    int best = -1, lowest = NO_RANK;
    for (int i = 0; i + 1 < n; i++) {
        const int rank = symbols[i].rank;
        if (rank < lowest || (rank != NO_RANK && rate > 0)) {
            if (rate > 0 && rng_uniform(rng) < rate) {
                continue;
            }
            if (rank < lowest) {
                lowest = rank;
                best = i;
            }
        }
    }
    return best;
}

static int merge_symbols(const Bpe *bpe, Symbol *symbols, int n, double rate, Rng *rng)
{
    for (int i = 0; i + 1 < n; i++) {
        symbols[i].rank = rank_of(bpe, symbols[i].id, symbols[i + 1].id);
    }
    for (;;) {
        const int i = best_merge(symbols, n, rate, rng);
        if (i < 0) {
            return n;
        }
        Symbol *s = &symbols[i];
        const int *pair = bpe->merges[s->rank];
        /* The blank that a word start stands for is no part of the piece's span. */
        s->begin = s->id == BPE_WORD_START ? s[1].begin : s->begin;
        s->end = s[1].end;
        s->id = bpe_merge_result(bpe, pair[0], pair[1]);
        memmove(s + 1, s + 2, (size_t)(n - i - 2) * sizeof *s);
        n--;
        s->rank = i + 1 < n ? rank_of(bpe, s->id, s[1].id) : NO_RANK;
        if (i > 0) {
            s[-1].rank = rank_of(bpe, s[-1].id, s->id);
        }
    }
}

Status bpe_encode(const Bpe *bpe, double rate, Rng *rng, Pieces *out, Error *err)
{
    ChunkReader reader = chunk_reader(&out->text);
    Chunk chunk;
    while (chunk_next(&reader, &chunk)) {
        Symbol symbols[SYMBOLS_MAX];
        int n = split_chunk(bpe, symbols, &out->text, &chunk);
        n = merge_symbols(bpe, symbols, n, rate, rng);
        for (int i = 0; i < n; i++) {
            TRY(pieces_add(out, symbols[i].id, symbols[i].begin, symbols[i].end, err));
        }
    }
    return OK;
}

/* Pieces found by their bytes; see the header. */
#include "text/piece_table.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"

/* Eight bytes at a time, mixed by multiplication and a shift. */
uint64_t piece_hash(const char *bytes, size_t len)
{
    uint64_t hash = 0x9E3779B97F4A7C15u ^ (uint64_t)len;
    while (len > 0) {
        uint64_t word = 0;
        const size_t n = len < sizeof word ? len : sizeof word;
        memcpy(&word, bytes, n);
        hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
        hash ^= hash >> 29;
        bytes += n;
        len -= n;
    }
    hash *= 0x94D049BB133111EBu;
    return hash ^ hash >> 32;
}

/* The slot of the piece, or the free one where it belongs. */
static size_t find_slot(const PieceTable *table, const char *bytes, size_t len)
{
    size_t slot = (size_t)piece_hash(bytes, len) & (table->n_slots - 1);
    while (table->slots[slot] != 0) {
        const int number = table->slots[slot] - 1;
        const uint32_t offset = table->offsets[number];
        if (table->offsets[number + 1] - offset == len &&
            memcmp(table->text + offset, bytes, len) == 0) {
            break;
        }
        slot = (slot + 1) & (table->n_slots - 1);
    }
    return slot;
}

int piece_find(const PieceTable *table, const char *bytes, size_t len)
{
    return table->n == 0 ? -1 : table->slots[find_slot(table, bytes, len)] - 1;
}

static Status grow_slots(PieceTable *table, Error *err)
{
    const size_t n_slots = table->n_slots == 0 ? 64 : 2 * table->n_slots;
    int32_t *slots = mem_zero_alloc(n_slots, sizeof *slots);
    if (slots == NULL) {
        return mem_fail(err, "a table of pieces", n_slots, sizeof *slots);
    }
    mem_free(table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    for (int i = 0; i < table->n; i++) {
        const uint32_t offset = table->offsets[i];
        slots[find_slot(table, table->text + offset, table->offsets[i + 1] - offset)] = i + 1;
    }
    return OK;
}

/* Room for one piece of len bytes. */
static Status reserve(PieceTable *table, size_t len, Error *err)
{
    if (table->n == INT_MAX - 1 || len > UINT32_MAX - table->len_text) {
        return fail(err, ERR_NOMEM, "a table of pieces is full at %d pieces, %zu bytes", table->n,
                    table->len_text);
    }
    if (table->n == table->cap) {
        const int cap = table->cap > INT_MAX / 2 - 64 ? INT_MAX : 2 * table->cap + 64;
        uint32_t *grown = mem_resize(table->offsets, (size_t)cap + 1, sizeof *grown);
        if (grown == NULL) {
            return mem_fail(err, "a table of pieces", (size_t)cap + 1, sizeof *grown);
        }
        if (table->n == 0) {
            grown[0] = 0;
        }
        table->offsets = grown;
        table->cap = cap;
    }
    if (len > table->cap_text - table->len_text) {
        const size_t cap = table->len_text + len + table->cap_text / 2 + 256;
        char *grown = mem_resize(table->text, cap, 1);
        if (grown == NULL) {
            return mem_fail(err, "a table of pieces", cap, 1);
        }
        table->text = grown;
        table->cap_text = cap;
    }
    return (size_t)table->n + 1 > table->n_slots / 2 ? grow_slots(table, err) : OK;
}

Status piece_add(PieceTable *table, int *number, const char *bytes, size_t len, Error *err)
{
    const int found = piece_find(table, bytes, len);
    if (found >= 0) {
        *number = found;
        return OK;
    }
    TRY(reserve(table, len, err));
    const size_t slot = find_slot(table, bytes, len);
    if (len > 0) {
        memcpy(table->text + table->len_text, bytes, len);
    }
    table->len_text += len;
    *number = table->n++;
    table->offsets[table->n] = (uint32_t)table->len_text;
    table->slots[slot] = table->n;
    return OK;
}

const char *piece_text(const PieceTable *table, int number, size_t *len)
{
    const uint32_t offset = table->offsets[number];
    *len = table->offsets[number + 1] - offset;
    return table->text + offset;
}

void piece_clear(PieceTable *table)
{
    table->n = 0;
    table->len_text = 0;
    if (table->n_slots > 0) {
        memset(table->slots, 0, table->n_slots * sizeof *table->slots);
    }
}

void piece_table_free(PieceTable *table)
{
    if (table != NULL) {
        mem_free(table->text);
        mem_free(table->offsets);
        mem_free(table->slots);
        *table = (PieceTable){0};
    }
}

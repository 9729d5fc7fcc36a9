/* Counted links; see the header. */
#include "decode/link_table.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum { UNITS = 65535, JUMP_BYTES = 4, MIN_ENTRY_BYTES = 3 };

struct LinkTable {
    int n_source, n_target;
    size_t *first; /* [n_source + 2] */
    int *targets;  /* ascending in each row */
    float *probabilities;
    HmmJumps jumps;
};

/* ---- Writing ---- */

static Status put_number(Buffer *out, uint32_t v, Error *err)
{
    for (; v >= 0x80; v >>= 7) {
        TRY(buffer_add_byte(out, (char)(v | 0x80), err));
    }
    return buffer_add_byte(out, (char)v, err);
}

Status link_table_put_jumps(Buffer *out, const HmmJumps *jumps, Error *err)
{
    for (int k = 0; k < HMM_JUMPS; k++) {
        const float weight = (float)jumps->v[k];
        uint32_t bits;
        memcpy(&bits, &weight, sizeof bits);
        for (int b = 0; b < JUMP_BYTES; b++) {
            TRY(buffer_add_byte(out, (char)(bits >> 8 * b & 0xff), err));
        }
    }
    return OK;
}

Status link_table_put_row(Buffer *out, const LinkEntry *entries, int n, double least, Error *err)
{
    uint32_t n_kept = 0;
    int last = 0;
    for (int i = 0; i < n; i++) {
        n_kept += entries[i].probability >= least;
    }
    TRY(put_number(out, n_kept, err));
    for (int i = 0; i < n; i++) {
        if (entries[i].probability < least) {
            continue;
        }
        const unsigned units = (unsigned)lrint(fmin(entries[i].probability, 1) * UNITS);
        TRY(put_number(out, (uint32_t)(entries[i].target - last), err));
        TRY(buffer_add_byte(out, (char)(units & 0xff), err));
        TRY(buffer_add_byte(out, (char)(units >> 8), err));
        last = entries[i].target;
    }
    return OK;
}

/* ---- Reading ---- */

typedef struct Reader {
    const unsigned char *at, *end;
} Reader;

static Status read_number(Reader *r, uint32_t *out, Error *err)
{
    uint32_t v = 0;
    for (int shift = 0; r->at < r->end && shift < 28; shift += 7) {
        const unsigned char byte = *r->at++;
        v |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = v;
            return OK;
        }
    }
    return fail(err, ERR_FORMAT, "text.links: ends in the middle of a number or has one above %d",
                1 << 28);
}

static Status read_jumps(Reader *r, HmmJumps *jumps, Error *err)
{
    if (r->end - r->at < HMM_JUMPS * JUMP_BYTES) {
        return fail(err, ERR_FORMAT, "text.links: has %ld bytes, its jumps alone are %d",
                    (long)(r->end - r->at), HMM_JUMPS * JUMP_BYTES);
    }
    for (int k = 0; k < HMM_JUMPS; k++) {
        uint32_t bits = 0;
        float weight;
        for (int b = 0; b < JUMP_BYTES; b++) {
            bits |= (uint32_t)*r->at++ << 8 * b;
        }
        memcpy(&weight, &bits, sizeof weight);
        if (!(weight > 0) || !isfinite(weight)) {
            return fail(err, ERR_FORMAT, "text.links: the weight of the jump by %d is %g",
                        k - HMM_JUMP_MAX, (double)weight);
        }
        jumps->v[k] = (double)weight;
    }
    return OK;
}

static Status read_row(LinkTable *table, Reader *r, int row, Error *err)
{
    size_t n = table->first[row];
    uint32_t n_entries, gap;
    TRY(read_number(r, &n_entries, err));
    if (n_entries > (size_t)(r->end - r->at) / MIN_ENTRY_BYTES) {
        return fail(err, ERR_FORMAT, "text.links: row %d has %lu entries in %ld bytes", row,
                    (unsigned long)n_entries, (long)(r->end - r->at));
    }
    long target = 0;
    for (uint32_t i = 0; i < n_entries; i++, n++) {
        TRY(read_number(r, &gap, err));
        target += (long)gap;
        if (target >= table->n_target || (i > 0 && gap == 0)) {
            return fail(err, ERR_FORMAT,
                        "text.links: row %d has the piece %ld: must ascend below %d", row, target,
                        table->n_target);
        }
        if (r->end - r->at < 2) {
            return fail(err, ERR_FORMAT, "text.links: ends in row %d", row);
        }
        table->targets[n] = (int)target;
        table->probabilities[n] = (float)(r->at[0] | r->at[1] << 8) / UNITS;
        r->at += 2;
    }
    table->first[row + 1] = n;
    return OK;
}

static Status read_rows(LinkTable *table, Reader r, Error *err)
{
    TRY(read_jumps(&r, &table->jumps, err));
    for (int row = 0; row <= table->n_source; row++) {
        TRY(read_row(table, &r, row, err));
    }
    return r.at == r.end ? OK
                         : fail(err, ERR_FORMAT, "text.links: has %ld bytes behind its rows",
                                (long)(r.end - r.at));
}

Status link_table_read(LinkTable **out, const void *bytes, size_t len, int n_source, int n_target,
                       Error *err)
{
    const size_t cap = len / MIN_ENTRY_BYTES + 1;
    LinkTable *table = mem_zero_alloc(1, sizeof *table);
    if (table == NULL) {
        return mem_fail(err, "counted links", 1, sizeof *table);
    }
    table->n_source = n_source;
    table->n_target = n_target;
    table->first = mem_zero_alloc((size_t)n_source + 2, sizeof *table->first);
    table->targets = mem_alloc(cap, sizeof *table->targets);
    table->probabilities = mem_alloc(cap, sizeof *table->probabilities);
    Status status;
    if (table->first == NULL || table->targets == NULL || table->probabilities == NULL) {
        status = mem_fail(err, "counted links", cap, 2 * sizeof *table->targets);
    } else {
        status = read_rows(table, (Reader){bytes, (const unsigned char *)bytes + len}, err);
    }
    if (status != OK) {
        link_table_free(table);
        return status;
    }
    *out = table;
    return OK;
}

void link_table_free(LinkTable *table)
{
    if (table == NULL) {
        return;
    }
    mem_free(table->first);
    mem_free(table->targets);
    mem_free(table->probabilities);
    mem_free(table);
}

/* ---- Weighing ---- */

static double probability(const LinkTable *table, int source, int target)
{
    size_t low = table->first[source], high = table->first[source + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table->targets[middle] < target) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < table->first[source + 1] && table->targets[low] == target
               ? (double)table->probabilities[low]
               : 0;
}

static Status take(double **out, Arena *arena, int rows, int columns, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, mem_times((size_t)rows, (size_t)columns), sizeof **out, err));
    *out = block;
    return OK;
}

/* Posteriors [n_target, n_source + 1]. */
static Status find_posteriors(double **out, const LinkTable *table, const IdPair *pair,
                              Arena *arena, Error *err)
{
    const int width = pair->n_source + 1;
    HmmJumps counts = {{0}};
    double *emission;
    TRY(take(out, arena, pair->n_target, width, err));
    TRY(take(&emission, arena, pair->n_target, width, err));
    for (int t = 0; t < pair->n_target; t++) {
        for (int s = 0; s < width; s++) {
            const int source = s < pair->n_source ? pair->source[s] : table->n_source;
            emission[(size_t)t * (size_t)width + (size_t)s] =
                probability(table, source, pair->target[t]) + LINK_TABLE_FLOOR;
        }
    }
    return hmm_posteriors(*out, &counts, emission, pair->n_target, pair->n_source, &table->jumps,
                          arena, err);
}

/* The geometric mean of both rows, scaled to 1. */
static void join_row(float *to, const float *attention, const double *posterior, int n)
{
    double sum = 0;
    for (int s = 0; s < n; s++) {
        const double a = (double)attention[s] + LINK_TABLE_FLOOR;
        const double weight = sqrt(a * (posterior[s] + LINK_TABLE_FLOOR));
        to[s] = (float)weight;
        sum += weight;
    }
    for (int s = 0; s < n; s++) {
        to[s] = (float)((double)to[s] / sum);
    }
}

Status link_table_weigh(const LinkTable *table, float *weights, const float *attention, AlignBy by,
                        const IdPair *pair, Arena *arena, Error *err)
{
    const size_t width = (size_t)pair->n_source + 1;
    double *posterior;
    assert(by != ALIGN_BY_ATTENTION);
    if (pair->n_source == 0 || pair->n_target == 0) {
        memcpy(weights, attention, (size_t)pair->n_target * width * sizeof *weights);
        return OK;
    }
    TRY(find_posteriors(&posterior, table, pair, arena, err));
    for (size_t t = 0; t < (size_t)pair->n_target; t++) {
        const double *p = posterior + t * width;
        if (by == ALIGN_BY_BOTH) {
            join_row(weights + t * width, attention + t * width, p, (int)width);
            continue;
        }
        for (size_t s = 0; s < width; s++) {
            weights[t * width + s] = (float)p[s];
        }
    }
    return OK;
}

/* A parallel corpus; see the header. */
#include "text/corpus.h"

#include <limits.h>
#include <string.h>

#include "base/checksum.h"
#include "base/mem.h"
#include "base/rng.h"
#include "text/piece_table.h"
#include "text/unicode.h"
#include "text/words.h"

enum { FIRST_BLOCK = 1 << 16, LAST_BLOCK = 8 << 20, HEAD_BYTES = 3 * sizeof(uint32_t) };
enum { TOLD_PAIRS = 1000 }; /* progress is told every so many */

struct Corpus {
    char **blocks;
    size_t n_blocks, cap_blocks;
    size_t used, cap; /* of the last block */
    char **pairs;
    size_t n_pairs, cap_pairs;
    long n_read;
    char *name;
    CorpusCount counts[N_CORPUS_REASONS];
};

/* Pairs by their text while loading: numbers + 1, 0 when free. */
typedef struct Seen {
    uint32_t *slots;
    size_t n_slots;
} Seen;

CorpusFilter corpus_filter_default(void)
{
    return (CorpusFilter){.max_words = 1000, .max_ratio = 9, .drop_duplicates = 1};
}

long corpus_size(const Corpus *c)
{
    return (long)c->n_pairs;
}

long corpus_n_read(const Corpus *c)
{
    return c->n_read;
}

const CorpusCount *corpus_count(const Corpus *c, CorpusReason reason)
{
    return &c->counts[reason];
}

/* Source and target of a stored pair, one behind the other; lens of both. */
static const char *pair_text(const char *pair, uint32_t lens[N_SIDES])
{
    memcpy(lens, pair, N_SIDES * sizeof *lens);
    return pair + HEAD_BYTES;
}

const char *corpus_line(const Corpus *c, int side, long i, size_t *len)
{
    uint32_t lens[N_SIDES];
    const char *text = pair_text(c->pairs[i], lens);
    *len = lens[side];
    return side == SIDE_SOURCE ? text : text + lens[SIDE_SOURCE];
}

long corpus_line_number(const Corpus *c, long i)
{
    uint32_t line;
    memcpy(&line, c->pairs[i] + N_SIDES * sizeof line, sizeof line);
    return (long)line;
}

uint32_t corpus_checksum(const Corpus *c)
{
    uint32_t crc = 0;
    for (size_t i = 0; i < c->n_pairs; i++) {
        uint32_t lens[N_SIDES];
        const char *text = pair_text(c->pairs[i], lens);
        unsigned char head[N_SIDES * 4];
        for (int j = 0; j < N_SIDES * 4; j++) { /* little-endian, whatever the machine */
            head[j] = (unsigned char)(lens[j / 4] >> (8 * (j % 4)));
        }
        crc = checksum_crc32(crc, head, sizeof head);
        crc = checksum_crc32(crc, text, (size_t)lens[0] + lens[1]);
    }
    return crc;
}

static Status grow(void **array, size_t *cap, size_t n, size_t size, Error *err)
{
    if (n == *cap) {
        const size_t wanted = n + n / 2 + 64;
        void *grown = mem_resize(*array, wanted, size);
        if (grown == NULL) {
            return mem_fail(err, "a corpus", wanted, size);
        }
        *array = grown;
        *cap = wanted;
    }
    return OK;
}

/* Room for a pair of so many bytes at the end of the last block, or in a new one. */
static Status take_room(Corpus *c, char **room, size_t bytes, Error *err)
{
    if (bytes > c->cap - c->used) {
        const size_t next = c->cap < FIRST_BLOCK      ? FIRST_BLOCK
                            : c->cap < LAST_BLOCK / 2 ? 2 * c->cap
                                                      : LAST_BLOCK;
        const size_t cap = bytes > next ? bytes : next;
        void *grown = c->blocks;
        TRY(grow(&grown, &c->cap_blocks, c->n_blocks, sizeof *c->blocks, err));
        c->blocks = grown;
        char *block = mem_alloc(cap, 1);
        if (block == NULL) {
            return mem_fail(err, "a corpus", cap, 1);
        }
        c->blocks[c->n_blocks++] = block;
        c->used = 0;
        c->cap = cap;
    }
    *room = c->blocks[c->n_blocks - 1] + c->used;
    return OK;
}

static Status add_pair(Corpus *c, const PairLine *pair, Error *err)
{
    const size_t bytes = HEAD_BYTES + pair->len[SIDE_SOURCE] + pair->len[SIDE_TARGET];
    if (c->n_pairs >= INT_MAX) {
        return fail(err, ERR_FORMAT, "%s: more than %d pairs", c->name, INT_MAX);
    }
    if (pair->number > (long)UINT32_MAX) {
        return fail(err, ERR_FORMAT, "%s: more than %lu lines", c->name, (unsigned long)UINT32_MAX);
    }
    void *grown = c->pairs;
    TRY(grow(&grown, &c->cap_pairs, c->n_pairs, sizeof *c->pairs, err));
    c->pairs = grown;
    char *room = NULL;
    TRY(take_room(c, &room, bytes, err));
    c->pairs[c->n_pairs++] = room;
    c->used += bytes;
    const uint32_t head[] = {(uint32_t)pair->len[SIDE_SOURCE], (uint32_t)pair->len[SIDE_TARGET],
                             (uint32_t)pair->number};
    memcpy(room, head, HEAD_BYTES);
    room += HEAD_BYTES;
    for (int side = 0; side < N_SIDES; side++) {
        if (pair->len[side] > 0) {
            memcpy(room, pair->text[side], pair->len[side]);
        }
        room += pair->len[side];
    }
    return OK;
}

static uint64_t hash_pair(const char *source, size_t len_source, const char *target,
                          size_t len_target)
{
    return piece_hash(source, len_source) * 31 + piece_hash(target, len_target);
}

static size_t seen_slot(const Corpus *c, const Seen *seen, const char *const text[N_SIDES],
                        const size_t len[N_SIDES])
{
    size_t slot = (size_t)hash_pair(text[0], len[0], text[1], len[1]) & (seen->n_slots - 1);
    for (; seen->slots[slot] != 0; slot = (slot + 1) & (seen->n_slots - 1)) {
        uint32_t lens[N_SIDES];
        const char *known = pair_text(c->pairs[seen->slots[slot] - 1], lens);
        if (lens[0] == len[0] && lens[1] == len[1] && memcmp(known, text[0], len[0]) == 0 &&
            memcmp(known + len[0], text[1], len[1]) == 0) {
            break;
        }
    }
    return slot;
}

/* Makes room for the next pair in the table of those seen. */
static Status seen_reserve(const Corpus *c, Seen *seen, Error *err)
{
    if (c->n_pairs + 1 <= seen->n_slots / 2) {
        return OK;
    }
    const size_t n_slots = seen->n_slots == 0 ? 1024 : 2 * seen->n_slots;
    Seen larger = {mem_zero_alloc(n_slots, sizeof *larger.slots), n_slots};
    if (larger.slots == NULL) {
        return mem_fail(err, "finding duplicates", n_slots, sizeof *larger.slots);
    }
    for (size_t i = 0; i < c->n_pairs; i++) {
        uint32_t lens[N_SIDES];
        const char *source = pair_text(c->pairs[i], lens);
        const char *const text[N_SIDES] = {source, source + lens[0]};
        const size_t len[N_SIDES] = {lens[0], lens[1]};
        larger.slots[seen_slot(c, &larger, text, len)] = (uint32_t)i + 1;
    }
    mem_free(seen->slots);
    *seen = larger;
    return OK;
}

static void note(Corpus *c, CorpusReason reason, long line)
{
    CorpusCount *count = &c->counts[reason];
    if (count->n < CORPUS_EXAMPLES) {
        count->examples[count->n] = line;
    }
    count->n++;
}

static int is_blank(const PairLine *pair)
{
    return words_is_blank(pair->text[0], pair->len[0]) ||
           words_is_blank(pair->text[1], pair->len[1]);
}

static int is_malformed(const PairLine *pair)
{
    return unicode_count_malformed(pair->text[0], pair->len[0]) +
               unicode_count_malformed(pair->text[1], pair->len[1]) >
           0;
}

static int is_identical(const PairLine *pair)
{
    return pair->len[0] == pair->len[1] && memcmp(pair->text[0], pair->text[1], pair->len[0]) == 0;
}

/* What has to do with length: CORPUS_LONG, CORPUS_RATIO, or N_CORPUS_REASONS for neither. */
static CorpusReason judge_length(const PairLine *pair, const CorpusFilter *filter)
{
    const long n_source = words_count(pair->text[0], pair->len[0]);
    const long n_target = words_count(pair->text[1], pair->len[1]);
    const long longer = n_source > n_target ? n_source : n_target;
    const long shorter = n_source + n_target - longer;
    if (pair->is_cut || (filter->max_words > 0 && longer > filter->max_words)) {
        return CORPUS_LONG;
    }
    if (filter->max_ratio > 0 && (double)longer > filter->max_ratio * (double)shorter) {
        return CORPUS_RATIO;
    }
    return N_CORPUS_REASONS;
}

/* Counts what is to be said of the pair; true when it is dropped. */
static int judge(Corpus *c, const PairLine *pair, const CorpusFilter *filter)
{
    if (is_blank(pair)) {
        note(c, CORPUS_BLANK, pair->number);
        return filter != NULL;
    }
    if (is_malformed(pair)) {
        note(c, CORPUS_MALFORMED, pair->number);
        if (filter != NULL && filter->drop_malformed) {
            return 1;
        }
    }
    if (filter != NULL) {
        const CorpusReason reason = judge_length(pair, filter);
        if (reason != N_CORPUS_REASONS) {
            note(c, reason, pair->number);
            return 1;
        }
    } else if (pair->is_cut) {
        note(c, CORPUS_LONG, pair->number);
    }
    if (is_identical(pair)) {
        note(c, CORPUS_IDENTICAL, pair->number);
        return filter != NULL && filter->drop_identical;
    }
    return 0;
}

/* Notes an exact duplicate; *is_dropped when it is not to be kept. */
static Status judge_duplicate(Corpus *c, Seen *seen, const PairLine *pair,
                              const CorpusFilter *filter, int *is_dropped, Error *err)
{
    TRY(seen_reserve(c, seen, err));
    const size_t slot = seen_slot(c, seen, pair->text, pair->len);
    if (seen->slots[slot] != 0) {
        note(c, CORPUS_DUPLICATE, pair->number);
        *is_dropped = filter->drop_duplicates;
    } else {
        seen->slots[slot] = (uint32_t)c->n_pairs + 1; /* the pair that is added next */
    }
    return OK;
}

static Status load_pairs(Corpus *c, PairReader *reader, const CorpusFilter *filter, Seen *seen,
                         Error *err)
{
    PairLine pair;
    for (;;) {
        const Status status = pairs_next(reader, &pair, err);
        if (filter != NULL && pairs_is_utf16(reader)) { /* the cause, whatever else is wrong */
            return fail(err, ERR_FORMAT,
                        "%s: UTF-16 text; make it UTF-8 with: iconv -f UTF-16 -t UTF-8", c->name);
        }
        const char *path, *look = c->n_read == 0 ? pairs_binary(reader, &path) : NULL;
        if (filter != NULL && look != NULL) {
            return fail(err, ERR_FORMAT, "%s: looks like %s, not like lines of text", path, look);
        }
        TRY(status);
        if (pair.text[0] == NULL) {
            break;
        }
        c->n_read++;
        if (filter != NULL && c->n_read % TOLD_PAIRS == 0) {
            progress_tell(filter->progress, "reading pairs", "pairs", (double)c->n_read,
                          pairs_fraction(reader));
        }
        int is_dropped = judge(c, &pair, filter);
        if (!is_dropped && filter != NULL) {
            TRY(judge_duplicate(c, seen, &pair, filter, &is_dropped, err));
        }
        if (!is_dropped) {
            TRY(add_pair(c, &pair, err));
        }
    }
    if (filter != NULL && c->n_pairs == 0) {
        return fail(err, ERR_FORMAT,
                    "%s: no pair is left for training: %ld read, %ld with a blank side, "
                    "%ld too long or too unequal",
                    c->name, c->n_read, c->counts[CORPUS_BLANK].n,
                    c->counts[CORPUS_LONG].n + c->counts[CORPUS_RATIO].n);
    }
    return OK;
}

static Status load(Corpus **out, PairReader *reader, const CorpusFilter *filter, Error *err)
{
    Seen seen = {NULL, 0};
    Corpus *c = mem_zero_alloc(1, sizeof *c);
    if (c == NULL) {
        pairs_close(reader);
        return mem_fail(err, "a corpus", 1, sizeof *c);
    }
    const char *name = pairs_name(reader);
    c->name = mem_copy_text(name, strlen(name));
    Status status = c->name == NULL ? mem_fail(err, "a corpus", strlen(name), 1)
                                    : load_pairs(c, reader, filter, &seen, err);
    pairs_close(reader);
    mem_free(seen.slots);
    if (status != OK) {
        corpus_free(c);
        return status;
    }
    if (filter != NULL) {
        const int drops[N_CORPUS_REASONS] = {[CORPUS_BLANK] = 1,
                                             [CORPUS_MALFORMED] = filter->drop_malformed,
                                             [CORPUS_LONG] = 1,
                                             [CORPUS_RATIO] = 1,
                                             [CORPUS_IDENTICAL] = filter->drop_identical,
                                             [CORPUS_DUPLICATE] = filter->drop_duplicates};
        for (int i = 0; i < N_CORPUS_REASONS; i++) {
            c->counts[i].is_dropped = drops[i];
        }
    }
    *out = c;
    return OK;
}

Status corpus_load_tsv(Corpus **out, const char *path, const CorpusFilter *filter, Error *err)
{
    PairReader *reader;
    TRY(pairs_open_tsv(&reader, path, err));
    return load(out, reader, filter, err);
}

Status corpus_load_files(Corpus **out, const char *source_path, const char *target_path,
                         const CorpusFilter *filter, Error *err)
{
    PairReader *reader;
    TRY(pairs_open_files(&reader, source_path, target_path, err));
    return load(out, reader, filter, err);
}

static Status add_lines(Corpus *c, Lines source, Lines target, Error *err)
{
    for (long number = 1;; number++) {
        PairLine pair = {.number = number};
        TRY(source.next(source.context, &pair.text[SIDE_SOURCE], &pair.len[SIDE_SOURCE], err));
        TRY(target.next(target.context, &pair.text[SIDE_TARGET], &pair.len[SIDE_TARGET], err));
        if (pair.text[SIDE_SOURCE] == NULL || pair.text[SIDE_TARGET] == NULL) {
            return OK;
        }
        c->n_read++;
        TRY(add_pair(c, &pair, err));
    }
}

Status corpus_of_lines(Corpus **out, const char *name, Lines source, Lines target, Error *err)
{
    Corpus *c = mem_zero_alloc(1, sizeof *c);
    if (c == NULL) {
        return mem_fail(err, "a corpus", 1, sizeof *c);
    }
    c->name = mem_copy_text(name, strlen(name));
    const Status status = c->name == NULL ? mem_fail(err, "a corpus", strlen(name), 1)
                                          : add_lines(c, source, target, err);
    if (status != OK) {
        corpus_free(c);
        return status;
    }
    *out = c;
    return OK;
}

Status corpus_report(const Corpus *c, Buffer *out, Error *err)
{
    static const char *const names[N_CORPUS_REASONS] = {[CORPUS_BLANK] = "blank side",
                                                        [CORPUS_MALFORMED] = "malformed UTF-8",
                                                        [CORPUS_LONG] = "too long",
                                                        [CORPUS_RATIO] = "extreme length ratio",
                                                        [CORPUS_IDENTICAL] = "identical sides",
                                                        [CORPUS_DUPLICATE] = "exact duplicate"};
    TRY(buffer_printf(out, err, "%s: %ld pairs read, %zu kept\n", c->name, c->n_read, c->n_pairs));
    for (int i = 0; i < N_CORPUS_REASONS; i++) {
        const CorpusCount *count = &c->counts[i];
        if (count->n == 0) {
            continue;
        }
        TRY(buffer_printf(out, err, "  %-21s %9ld  %-7s  line%s %ld", names[i], count->n,
                          count->is_dropped ? "dropped" : "kept", count->n > 1 ? "s" : "",
                          count->examples[0]));
        if (count->n > 1) {
            TRY(buffer_printf(out, err, ", %ld%s", count->examples[1],
                              count->n > CORPUS_EXAMPLES ? ", ..." : ""));
        }
        TRY(buffer_add_byte(out, '\n', err));
    }
    return OK;
}

static Status next_line(void *context, const char **line, size_t *len, Error *err)
{
    CorpusLines *state = context;
    const long n = corpus_size(state->corpus);
    (void)err;
    *line = NULL;
    if (state->at % TOLD_PAIRS == 0) {
        const double all = (double)n * (state->side == N_SIDES ? 2 : 1);
        progress_tell(state->progress, "counting words", "lines", (double)state->at,
                      progress_share((double)state->at, all));
    }
    if (state->side == N_SIDES) {
        if (state->at < 2 * n) {
            *line = corpus_line(state->corpus, state->at < n ? SIDE_SOURCE : SIDE_TARGET,
                                state->at < n ? state->at : state->at - n, len);
            state->at++;
        }
    } else if (state->at < n) {
        *line = corpus_line(state->corpus, state->side, state->at++, len);
    }
    return OK;
}

Lines corpus_lines(CorpusLines *state)
{
    return (Lines){next_line, state, state->progress};
}

static size_t n_held_out(size_t n)
{
    if (n < 1000) {
        return n < 10 ? 1 : n / 10;
    }
    return n < 10000 ? 100 : n > 100000 ? 1000 : n / 100;
}

/* Marks the pairs to take: the first of a random order. */
static Status choose(unsigned char *is_taken, size_t n, size_t n_taken, uint64_t seed, Error *err)
{
    int *order = mem_alloc(n, sizeof *order);
    if (order == NULL) {
        return mem_fail(err, "choosing validation pairs", n, sizeof *order);
    }
    for (size_t i = 0; i < n; i++) {
        order[i] = (int)i;
    }
    Rng rng = rng_stream(seed, 0x686F6C64, 0); /* a stream of its own */
    rng_shuffle(&rng, order, n);
    for (size_t i = 0; i < n_taken; i++) {
        is_taken[order[i]] = 1;
    }
    mem_free(order);
    return OK;
}

static Status copy_taken(Corpus *held, const Corpus *c, const unsigned char *is_taken, Error *err)
{
    held->name = mem_copy_text(c->name, strlen(c->name));
    if (held->name == NULL) {
        return mem_fail(err, "a corpus", strlen(c->name), 1);
    }
    for (size_t i = 0; i < c->n_pairs; i++) {
        if (is_taken[i]) {
            PairLine pair = {.number = corpus_line_number(c, (long)i)};
            for (int side = 0; side < N_SIDES; side++) {
                pair.text[side] = corpus_line(c, side, (long)i, &pair.len[side]);
            }
            TRY(add_pair(held, &pair, err));
            held->n_read++;
        }
    }
    return OK;
}

Status corpus_hold_out(Corpus **out, Corpus *c, uint64_t seed, Error *err)
{
    if (c->n_pairs < 2) {
        return fail(err, ERR_FORMAT,
                    "%s: %zu pairs are too few to hold some out for validation; give --valid",
                    c->name, c->n_pairs);
    }
    unsigned char *is_taken = mem_zero_alloc(c->n_pairs, 1);
    Corpus *held = mem_zero_alloc(1, sizeof *held);
    Status status = is_taken == NULL || held == NULL
                        ? mem_fail(err, "choosing validation pairs", c->n_pairs, 1)
                        : choose(is_taken, c->n_pairs, n_held_out(c->n_pairs), seed, err);
    if (status == OK) {
        status = copy_taken(held, c, is_taken, err);
    }
    if (status == OK) {
        size_t n = 0;
        for (size_t i = 0; i < c->n_pairs; i++) {
            if (!is_taken[i]) {
                c->pairs[n++] = c->pairs[i];
            }
        }
        c->n_pairs = n;
        *out = held;
    } else {
        corpus_free(held);
    }
    mem_free(is_taken);
    return status;
}

void corpus_free(Corpus *c)
{
    if (c != NULL) {
        for (size_t i = 0; i < c->n_blocks; i++) {
            mem_free(c->blocks[i]);
        }
        mem_free(c->blocks);
        mem_free(c->pairs);
        mem_free(c->name);
        mem_free(c);
    }
}

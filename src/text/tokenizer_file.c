/* A tokenizer as bytes; the layout is in tokenizer.h. */
#include <string.h>

#include "base/looks.h"
#include "base/mem.h"
#include "text/tokenizer_parts.h"

static const char magic[8] = {'h', 'e', 'e', 'd', 't', 'o', 'k', '1'};

static Status put_number(Buffer *out, uint32_t value, int n_bytes, Error *err)
{
    for (int i = 0; i < n_bytes; i++) {
        TRY(buffer_add_byte(out, (char)(value >> 8 * i & 0xFF), err));
    }
    return OK;
}

Status tokenizer_save(const Tokenizer *t, Buffer *out, Error *err)
{
    const TokenizerOptions *o = &t->options;
    const PieceTable *table = tokenizer_table(t);
    const int is_bpe = o->kind == TOKENIZER_BPE;
    const int first = is_bpe ? 1 : 0, end = is_bpe ? t->bpe.n_alphabet : table->n;
    const uint32_t head[] = {(uint32_t)o->kind,          (uint32_t)o->normalization,
                             (uint32_t)o->lowercase,     (uint32_t)o->vocab_size,
                             (uint32_t)o->min_frequency, (uint32_t)t->bpe.n_merges,
                             (uint32_t)(end - first)};
    TRY(buffer_add(out, magic, sizeof magic, err));
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        TRY(put_number(out, head[i], 4, err));
    }
    for (int i = first; i < end; i++) {
        size_t len;
        const char *text = piece_text(table, i, &len);
        TRY(put_number(out, (uint32_t)len, 2, err));
        TRY(buffer_add(out, text, len, err));
    }
    for (int i = 0; i < t->bpe.n_merges; i++) {
        TRY(put_number(out, (uint32_t)t->bpe.merges[i][0], 4, err));
        TRY(put_number(out, (uint32_t)t->bpe.merges[i][1], 4, err));
    }
    return OK;
}

typedef struct Source {
    const unsigned char *bytes;
    size_t len, at;
} Source;

static Status get_number(Source *s, uint32_t *value, int n_bytes, Error *err)
{
    if (s->len - s->at < (size_t)n_bytes) {
        return fail(err, ERR_FORMAT, "the tokenizer ends at byte %zu, too early", s->len);
    }
    *value = 0;
    for (int i = 0; i < n_bytes; i++) {
        *value |= (uint32_t)s->bytes[s->at++] << 8 * i;
    }
    return OK;
}

/* True for valid UTF-8 without control characters, and without U+2581 unless it may have one. */
static int is_good_piece(const char *text, size_t len, int may_have_start)
{
    for (size_t i = 0; i < len;) {
        uint32_t point;
        long n_malformed = 0;
        i += unicode_decode(text + i, len - i, &point, &n_malformed);
        if (n_malformed > 0 ||
            (!bpe_is_unit(&point, 1) && !(may_have_start && point == WORD_START_POINT))) {
            return 0;
        }
    }
    return len > 0;
}

static Status load_texts(Tokenizer *t, Source *s, uint32_t n, Error *err)
{
    const int is_bpe = t->options.kind == TOKENIZER_BPE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t len;
        TRY(get_number(s, &len, 2, err));
        const char *text = (const char *)s->bytes + s->at;
        if (len < 1 || len > PIECE_MAX_BYTES || len > s->len - s->at) {
            return fail(err, ERR_FORMAT, "piece %lu of the tokenizer has %lu bytes: 1 to %d",
                        (unsigned long)i, (unsigned long)len, (int)PIECE_MAX_BYTES);
        }
        if (!is_good_piece(text, len, !is_bpe)) {
            return fail(err, ERR_FORMAT,
                        "piece %lu of the tokenizer is no text or has control characters",
                        (unsigned long)i);
        }
        if (piece_find(tokenizer_table(t), text, len) >= 0) {
            return fail(err, ERR_FORMAT, "piece %lu of the tokenizer occurs twice",
                        (unsigned long)i);
        }
        int number;
        TRY(is_bpe ? bpe_add_unit(&t->bpe, text, len, err)
                   : piece_add(&t->words, &number, text, len, err));
        s->at += len;
    }
    return OK;
}

static Status load_merges(Tokenizer *t, Source *s, uint32_t n, Error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pair[2];
        int result;
        TRY(get_number(s, &pair[0], 4, err));
        TRY(get_number(s, &pair[1], 4, err));
        const uint32_t end = BPE_WORD_START + (uint32_t)t->bpe.pieces.n;
        for (int k = 0; k < 2; k++) {
            if (pair[k] < BPE_WORD_START || pair[k] >= end) {
                return fail(err, ERR_FORMAT, "merge %lu of the tokenizer has id %lu: %d to %lu",
                            (unsigned long)i, (unsigned long)pair[k], (int)BPE_WORD_START,
                            (unsigned long)end - 1);
            }
        }
        TRY(bpe_add_merge(&t->bpe, &result, (int)pair[0], (int)pair[1], err));
    }
    return OK;
}

static Status load_parts(Tokenizer *t, Source *s, Error *err)
{
    uint32_t head[7];
    if (s->len < sizeof magic || memcmp(s->bytes, magic, sizeof magic) != 0) {
        return fail(err, ERR_FORMAT,
                    "this is no tokenizer: it does not begin with \"heedtok1\"; it looks like %s",
                    looks_like(s->bytes, s->len < LOOKS_BYTES ? s->len : LOOKS_BYTES));
    }
    s->at = sizeof magic;
    for (int i = 0; i < 7; i++) {
        TRY(get_number(s, &head[i], 4, err));
        if (head[i] > TOKENIZER_MAX_SIZE && i != 4) {
            return fail(err, ERR_FORMAT, "number %d of the tokenizer is %lu: at most %d", i,
                        (unsigned long)head[i], (int)TOKENIZER_MAX_SIZE);
        }
    }
    t->options = (TokenizerOptions){.kind = (TokenizerKind)head[0],
                                    .normalization = (int)head[1],
                                    .lowercase = (int)head[2],
                                    .vocab_size = (int)head[3],
                                    .min_frequency = (int)(head[4] & INT32_MAX)};
    if (head[4] > INT32_MAX || tokenizer_check_options(&t->options, err) != OK) {
        return fail(err, ERR_FORMAT, "the tokenizer's settings are out of their ranges");
    }
    const int is_bpe = t->options.kind == TOKENIZER_BPE;
    const uint32_t n_merges = head[5], n_texts = head[6];
    /* A text takes 3 bytes or more, a merge 8. */
    if ((!is_bpe && n_merges > 0) || n_texts > (s->len - s->at) / 3 ||
        n_merges > (s->len - s->at) / 8) {
        return fail(err, ERR_FORMAT, "the tokenizer has %zu bytes, too few for %lu and %lu pieces",
                    s->len, (unsigned long)n_texts, (unsigned long)n_merges);
    }
    if (is_bpe) {
        TRY(bpe_init(&t->bpe, err));
    }
    TRY(load_texts(t, s, n_texts, err));
    TRY(load_merges(t, s, n_merges, err));
    if (s->at != s->len) {
        return fail(err, ERR_FORMAT, "the tokenizer has %zu bytes after its end", s->len - s->at);
    }
    TRY(tokenizer_name_pieces(t, err));
    if (t->size > t->options.vocab_size) {
        return fail(err, ERR_FORMAT, "the tokenizer has %d pieces, more than its bound of %d",
                    t->size, t->options.vocab_size);
    }
    return OK;
}

Status tokenizer_load(Tokenizer **out, const void *bytes, size_t len, Error *err)
{
    Source source = {bytes, len, 0};
    Tokenizer *t = mem_zero_alloc(1, sizeof *t);
    if (t == NULL) {
        return mem_fail(err, "a tokenizer", 1, sizeof *t);
    }
    const Status status = load_parts(t, &source, err);
    if (status != OK) {
        tokenizer_free(t);
        return status;
    }
    *out = t;
    return OK;
}

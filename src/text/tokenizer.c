/* Tokenizers; see the header. The bytes are in tokenizer_file.c. */
#include "text/tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "text/tokenizer_parts.h"

static const char *const special_names[N_SPECIAL_TOKENS] = {"<pad>", "<s>", "</s>", "<unk>"};

void pieces_free(Pieces *pieces)
{
    if (pieces != NULL) {
        mem_free(pieces->ids);
        mem_free(pieces->spans);
        unicode_text_free(&pieces->text);
        *pieces = (Pieces){0};
    }
}

Status tokenizer_check_options(const TokenizerOptions *o, Error *err)
{
    const int least = o->kind == TOKENIZER_BPE ? TOKENIZER_MIN_BPE : N_SPECIAL_TOKENS + 1;
    if ((unsigned)o->kind > TOKENIZER_SPACE) {
        return fail(err, ERR_ARG, "tokenizer kind %d: must be 0 to 3", (int)o->kind);
    }
    if (o->vocab_size < least || o->vocab_size > TOKENIZER_MAX_SIZE) {
        return fail(err, ERR_ARG, "vocabulary size %d: must be between %d and %d", o->vocab_size,
                    least, (int)TOKENIZER_MAX_SIZE);
    }
    if (o->min_frequency < 1) {
        return fail(err, ERR_ARG, "minimum frequency %d: must be at least 1", o->min_frequency);
    }
    if (o->normalization != NORMALIZE_NFC && o->normalization != NORMALIZE_NFKC) {
        return fail(err, ERR_ARG, "normalisation %d: must be NFC (1) or NFKC (2)",
                    o->normalization);
    }
    if (o->lowercase != 0 && o->lowercase != 1) {
        return fail(err, ERR_ARG, "lower-casing %d: must be 0 or 1", o->lowercase);
    }
    return OK;
}

/* Bytes, word starts and words all at one place: names[0..n-1], each with a NUL behind it. */
Status tokenizer_name_pieces(Tokenizer *t, Error *err)
{
    const PieceTable *table = tokenizer_table(t);
    const int n_bytes = t->options.kind == TOKENIZER_BPE ? 256 : 0;
    t->size = N_SPECIAL_TOKENS + n_bytes + table->n;
    t->name_offsets = mem_alloc((size_t)t->size + 1, sizeof *t->name_offsets);
    if (t->name_offsets == NULL) {
        return mem_fail(err, "names of pieces", (size_t)t->size + 1, sizeof *t->name_offsets);
    }
    for (int id = 0; id < t->size; id++) {
        t->name_offsets[id] = t->names.len;
        if (id < N_SPECIAL_TOKENS) {
            TRY(buffer_add_text(&t->names, special_names[id], err));
        } else if (id < N_SPECIAL_TOKENS + n_bytes) {
            TRY(buffer_printf(&t->names, err, "<0x%02X>", (unsigned)(id - N_SPECIAL_TOKENS)));
        } else {
            size_t len;
            const char *text = piece_text(table, id - N_SPECIAL_TOKENS - n_bytes, &len);
            TRY(buffer_add(&t->names, text, len, err));
        }
        TRY(buffer_add_byte(&t->names, '\0', err));
    }
    t->name_offsets[t->size] = t->names.len;
    return OK;
}

Status tokenizer_learn(Tokenizer **out, const TokenizerOptions *options, const Lines *lines,
                       Error *err)
{
    TRY(tokenizer_check_options(options, err));
    Tokenizer *t = mem_zero_alloc(1, sizeof *t);
    if (t == NULL) {
        return mem_fail(err, "a tokenizer", 1, sizeof *t);
    }
    t->options = *options;
    Status status;
    if (options->kind == TOKENIZER_BPE) {
        status = bpe_init(&t->bpe, err);
        if (status == OK) {
            status = bpe_learn(&t->bpe, options, lines, err);
        }
    } else {
        status = word_tokenizer_learn(&t->words, options, lines, err);
    }
    if (status == OK) {
        status = tokenizer_name_pieces(t, err);
    }
    if (status != OK) {
        tokenizer_free(t);
        return status;
    }
    *out = t;
    return OK;
}

void tokenizer_free(Tokenizer *t)
{
    if (t != NULL) {
        bpe_free(&t->bpe);
        piece_table_free(&t->words);
        buffer_free(&t->names);
        mem_free(t->name_offsets);
        mem_free(t);
    }
}

Status tokenizer_encode_dropout(const Tokenizer *t, const char *line, size_t len, double rate,
                                Rng *rng, Pieces *out, Error *err)
{
    const TokenizerOptions *o = &t->options;
    if (len > INT32_MAX) {
        return fail(err, ERR_ARG, "a line of %zu bytes: at most %ld can be encoded", len,
                    (long)INT32_MAX);
    }
    out->len = 0;
    TRY(unicode_text_set(&out->text, line, len, (Normalization)o->normalization, o->lowercase,
                         err));
    out->n_malformed = out->text.n_malformed;
    if (o->kind == TOKENIZER_BPE) {
        return bpe_encode(&t->bpe, rate, rng, out, err);
    }
    return word_tokenizer_encode(&t->words, o->kind, out, err);
}

Status tokenizer_encode(const Tokenizer *t, const char *line, size_t len, Pieces *out, Error *err)
{
    return tokenizer_encode_dropout(t, line, len, 0, NULL, out, err);
}

/* Appends a piece with blanks in the place of U+2581. */
static Status add_text(Buffer *out, const char *text, size_t len, Error *err)
{
    size_t done = 0;
    for (size_t i = 0; i + WORD_START_BYTES <= len; i++) {
        if (memcmp(text + i, WORD_START_TEXT, WORD_START_BYTES) == 0) {
            TRY(buffer_add(out, text + done, i - done, err));
            TRY(buffer_add_byte(out, ' ', err));
            done = i + WORD_START_BYTES;
            i = done - 1;
        }
    }
    return buffer_add(out, text + done, len - done, err);
}

static int has_word_starts(const Tokenizer *t)
{
    return t->options.kind == TOKENIZER_BPE || t->options.kind == TOKENIZER_WORD;
}

/* Writes what the byte pieces from i on say and moves i behind them. */
static Status decode_bytes(const int *ids, int n, int *i, Buffer *out, Error *err)
{
    Buffer run = {0};
    Status status = OK;
    while (status == OK && *i < n && ids[*i] >= BPE_FIRST_BYTE && ids[*i] < BPE_WORD_START) {
        status = buffer_add_byte(&run, (char)(ids[(*i)++] - BPE_FIRST_BYTE), err);
    }
    if (status == OK) {
        status = unicode_repair(out, run.bytes, run.len, err);
    }
    buffer_free(&run);
    return status;
}

static Status decode_pieces(const Tokenizer *t, const int *ids, int n, Buffer *out, Error *err)
{
    const int is_bpe = t->options.kind == TOKENIZER_BPE;
    const int is_space = t->options.kind == TOKENIZER_SPACE;
    const size_t begin = out->len;
    for (int i = 0; i < n;) {
        const int id = ids[i];
        if (is_bpe && id >= BPE_FIRST_BYTE && id < BPE_WORD_START) {
            TRY(decode_bytes(ids, n, &i, out, err));
            continue;
        }
        i++;
        if (id < TOKEN_UNKNOWN) {
            continue;
        }
        size_t len;
        const char *text = tokenizer_piece(t, id, &len);
        if (is_space && out->len >= begin + 2 && memcmp(out->bytes + out->len - 2, "@@", 2) == 0) {
            out->len -= 2; /* "@@ " joins */
        } else if ((is_space && out->len > begin) ||
                   (id == TOKEN_UNKNOWN && t->options.kind == TOKENIZER_WORD)) {
            TRY(buffer_add_byte(out, ' ', err));
        }
        TRY(is_space ? buffer_add(out, text, len, err) : add_text(out, text, len, err));
    }
    return OK;
}

/* The first blank is the one that was added in front, or the first of the line with one added. */
static void drop_first_blank(Buffer *out, size_t begin)
{
    if (out->len > begin && out->bytes[begin] == ' ') {
        memmove(out->bytes + begin, out->bytes + begin + 1, out->len - begin);
        out->len--;
    }
}

Status tokenizer_decode(const Tokenizer *t, const int *ids, int n, Buffer *out, Error *err)
{
    for (int i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= t->size) {
            return fail(err, ERR_ARG, "piece %d has the id %d: must be 0 to %d", i, ids[i],
                        t->size - 1);
        }
    }
    const size_t begin = out->len;
    const Status status = decode_pieces(t, ids, n, out, err);
    if (status != OK) {
        out->len = begin;
    } else if (has_word_starts(t)) {
        drop_first_blank(out, begin);
    }
    return status;
}

int tokenizer_size(const Tokenizer *t)
{
    return t->size;
}

const TokenizerOptions *tokenizer_options(const Tokenizer *t)
{
    return &t->options;
}

const char *tokenizer_piece(const Tokenizer *t, int id, size_t *len)
{
    *len = t->name_offsets[id + 1] - t->name_offsets[id] - 1;
    return t->names.bytes + t->name_offsets[id];
}

int tokenizer_find(const Tokenizer *t, const char *piece, size_t len)
{
    const PieceTable *table = tokenizer_table(t);
    const int number = piece_find(table, piece, len);
    if (number >= 0) {
        return t->size - table->n + number;
    }
    for (int id = 0; id < t->size - table->n; id++) {
        size_t len_name;
        const char *name = tokenizer_piece(t, id, &len_name);
        if (len_name == len && memcmp(name, piece, len) == 0) {
            return id;
        }
    }
    return -1;
}

int tokenizer_default_vocab_size(long n_pairs)
{
    /* log(size) is linear in log(pairs) between these. */
    static const double pairs[] = {5000, 30000, 200000}, sizes[] = {2000, 8000, 16000};
    const int k = n_pairs > 30000;
    const double slope = log(sizes[k + 1] / sizes[k]) / log(pairs[k + 1] / pairs[k]);
    const double n = n_pairs < 1 ? 1 : (double)n_pairs;
    const double size = sizes[k] * exp(slope * log(n / pairs[k]));
    return size < 400 ? 400 : size > 32000 ? 32000 : (int)(size + 0.5);
}

/* Words, characters and blanks; see the header. */
#include "text/word_tokenizer.h"

#include <string.h>

#include "base/mem.h"
#include "text/bpe.h"
#include "text/chunk.h"
#include "text/counter.h"

enum { MAX_TYPES = 500000, MAX_TYPE_BYTES = 8 << 20 };

typedef struct Token {
    char text[PIECE_MAX_BYTES];
    size_t len; /* 0 when the token is unknown whatever the table holds */
    uint32_t begin, end;
} Token;

/* Where a scan of a text for tokens stands. */
typedef struct Scan {
    const UnicodeText *text;
    TokenizerKind kind;
    size_t at, end; /* word: the rest of a chunk that falls to clusters */
    ChunkReader reader;
    Chunk blanks; /* word: a chunk of blanks of which n_blanks are left */
    int n_blanks;
} Scan;

static Scan scan_start(const UnicodeText *text, TokenizerKind kind)
{
    return (Scan){.text = text, .kind = kind, .reader = chunk_reader(text)};
}

/* Sets a token to the points first .. end-1, behind a word start if has_start. */
static void set_token(Token *token, const UnicodeText *t, size_t first, size_t end, int has_start,
                      int may_have_mark)
{
    token->begin = t->starts[first];
    token->end = t->ends[end - 1];
    token->len = 0;
    size_t len = 0;
    if (has_start) {
        memcpy(token->text, WORD_START_TEXT, WORD_START_BYTES);
        len = WORD_START_BYTES;
    }
    for (size_t i = first; i < end; i++) {
        const int is_mark = may_have_mark && t->points[i] == WORD_START_POINT;
        if (len + UNICODE_MAX_BYTES > PIECE_MAX_BYTES ||
            (!is_mark && !bpe_is_unit(t->points + i, 1))) {
            return;
        }
        len += unicode_encode(t->points[i], token->text + len);
    }
    token->len = len;
}

static void set_blank(Token *token, uint32_t begin, uint32_t end)
{
    memcpy(token->text, WORD_START_TEXT, WORD_START_BYTES);
    token->len = WORD_START_BYTES;
    token->begin = begin;
    token->end = end;
}

static int next_word(Scan *scan, Token *token)
{
    const UnicodeText *t = scan->text;
    if (scan->n_blanks > 0) {
        const Chunk *c = &scan->blanks;
        const size_t n_left = (size_t)scan->n_blanks--, n_points = c->end - c->first;
        const size_t i = n_left > n_points ? c->first : c->end - n_left;
        set_blank(token, n_left > n_points ? 0 : t->starts[i], n_left > n_points ? 0 : t->ends[i]);
        return 1;
    }
    if (scan->at < scan->end) {
        const size_t end = chunk_cluster(t, scan->at, scan->end);
        set_token(token, t, scan->at, end, 0, 0);
        scan->at = end;
        return 1;
    }
    Chunk chunk;
    if (!chunk_next(&scan->reader, &chunk)) {
        return 0;
    }
    if (chunk.is_blank) {
        scan->blanks = chunk;
        scan->n_blanks = chunk.n_starts;
        return next_word(scan, token);
    }
    if (chunk.cls == CLASS_LETTER && script_is_word_each(chunk.script)) {
        scan->at = chunk.first;
        scan->end = chunk.end;
        return next_word(scan, token);
    }
    set_token(token, t, chunk.first, chunk.end, chunk.n_starts > 0, 0);
    return 1;
}

static int next_char(Scan *scan, Token *token)
{
    const UnicodeText *t = scan->text;
    if (scan->at == t->len) {
        return 0;
    }
    const size_t end = chunk_cluster(t, scan->at, t->len);
    if (t->points[scan->at] == ' ') {
        set_blank(token, t->starts[scan->at], t->ends[scan->at]);
    } else {
        set_token(token, t, scan->at, end, 0, 0);
    }
    scan->at = end;
    return 1;
}

static int is_separator(uint32_t point)
{
    return point == ' ' || point == '\t';
}

static int next_separated(Scan *scan, Token *token)
{
    const UnicodeText *t = scan->text;
    while (scan->at < t->len && is_separator(t->points[scan->at])) {
        scan->at++;
    }
    if (scan->at == t->len) {
        return 0;
    }
    size_t end = scan->at + 1;
    while (end < t->len && !is_separator(t->points[end])) {
        end++;
    }
    set_token(token, t, scan->at, end, 0, 1);
    scan->at = end;
    return 1;
}

static int scan_next(Scan *scan, Token *token)
{
    switch (scan->kind) {
    case TOKENIZER_CHAR:
        return next_char(scan, token);
    case TOKENIZER_SPACE:
        return next_separated(scan, token);
    default:
        return next_word(scan, token);
    }
}

static Status count_lines(Counter *counter, const TokenizerOptions *options, const Lines *lines,
                          UnicodeText *text, Error *err)
{
    for (;;) {
        const char *line;
        size_t len;
        TRY(lines->next(lines->context, &line, &len, err));
        if (line == NULL) {
            return OK;
        }
        TRY(unicode_text_set(text, line, len, (Normalization)options->normalization,
                             options->lowercase, err));
        Scan scan = scan_start(text, options->kind);
        Token token;
        while (scan_next(&scan, &token)) {
            if (token.len > 0) {
                TRY(counter_add(counter, token.text, token.len, 1, err));
            }
        }
    }
}

Status word_tokenizer_learn(PieceTable *table, const TokenizerOptions *options, const Lines *lines,
                            Error *err)
{
    Counter counter = {.max_types = MAX_TYPES, .max_bytes = MAX_TYPE_BYTES};
    UnicodeText text = {0};
    int *order = NULL, n = 0, number;
    Status status = count_lines(&counter, options, lines, &text, err);
    if (status == OK) {
        status = counter_order(&counter, &order, &n, options->min_frequency, err);
    }
    for (int i = 0; status == OK && i < n && table->n < options->vocab_size - N_SPECIAL_TOKENS;
         i++) {
        size_t len;
        const char *word = piece_text(&counter.texts, order[i], &len);
        status = piece_add(table, &number, word, len, err);
    }
    mem_free(order);
    counter_free(&counter);
    unicode_text_free(&text);
    return status;
}

Status word_tokenizer_encode(const PieceTable *table, TokenizerKind kind, Pieces *out, Error *err)
{
    Scan scan = scan_start(&out->text, kind);
    Token token;
    while (scan_next(&scan, &token)) {
        const int number = token.len > 0 ? piece_find(table, token.text, token.len) : -1;
        const int id = number < 0 ? TOKEN_UNKNOWN : N_SPECIAL_TOKENS + number;
        TRY(pieces_add(out, id, token.begin, token.end, err));
    }
    return OK;
}

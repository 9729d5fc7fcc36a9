/* Pieces to text; see the header. */
#include "decode/detokenize.h"

enum { FIRST_BYTE = N_SPECIAL_TOKENS, END_BYTE = FIRST_BYTE + 256 };

/* A text of one line: a CR at its end would be taken for a part of the line end. */
static void join_lines(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        text[i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
    }
}

Status detokenize(const Tokenizer *t, const int *ids, int n, Buffer *out, Error *err)
{
    const size_t begin = out->len;
    TRY(tokenizer_decode(t, ids, n, out, err));
    if (out->len > begin) {
        join_lines(out->bytes + begin, out->len - begin);
    }
    return OK;
}

/* The piece of a byte that goes on with the code point of the bytes before it. */
static int is_continuation(const Tokenizer *t, int id)
{
    return tokenizer_options(t)->kind == TOKENIZER_BPE && id >= FIRST_BYTE + 0x80 &&
           id < FIRST_BYTE + 0xC0;
}

static int is_byte(const Tokenizer *t, int id)
{
    return tokenizer_options(t)->kind == TOKENIZER_BPE && id >= FIRST_BYTE && id < END_BYTE;
}

/* The end of the group of pieces at i: a byte with those that continue it, or a single piece. */
static int group_end(const Tokenizer *t, const int *ids, int n, int i)
{
    int end = i + 1;
    while (is_byte(t, ids[i]) && end < n && is_continuation(t, ids[end])) {
        end++;
    }
    return end;
}

static size_t common_length(const char *a, size_t len_a, const char *b, size_t len_b)
{
    size_t n = 0;
    while (n < len_a && n < len_b && a[n] == b[n]) {
        n++;
    }
    return n;
}

/* The text of the first pieces is a prefix of the whole, but for a mark that joins two pieces and
 * goes; its length is where the next piece begins. */
static Status find_spans(const Tokenizer *t, const int *ids, int n, const char *text, size_t len,
                         Buffer *prefix, int (*spans)[2], Error *err)
{
    size_t begin = 0;
    for (int i = 0; i < n;) {
        const int end = group_end(t, ids, n, i);
        buffer_clear(prefix);
        TRY(tokenizer_decode(t, ids, end, prefix, err));
        size_t stop = common_length(text, len, prefix->bytes, prefix->len);
        stop = stop < begin ? begin : stop;
        const size_t first = stop - begin > 1 && text[begin] == ' ' ? begin + 1 : begin;
        for (; i < end; i++) {
            spans[i][0] = (int)first;
            spans[i][1] = (int)stop;
        }
        begin = stop;
    }
    return OK;
}

Status detokenize_spans(const Tokenizer *t, const int *ids, int n, Buffer *out, int (*spans)[2],
                        Error *err)
{
    Buffer prefix = {0};
    const size_t begin = out->len;
    TRY(tokenizer_decode(t, ids, n, out, err));
    const Status status = find_spans(t, ids, n, out->bytes == NULL ? "" : out->bytes + begin,
                                     out->len - begin, &prefix, spans, err);
    buffer_free(&prefix);
    if (status == OK && out->len > begin) {
        join_lines(out->bytes + begin, out->len - begin);
    }
    return status;
}

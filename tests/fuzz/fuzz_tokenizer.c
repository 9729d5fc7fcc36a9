/* A saved tokenizer, then a line for it: two bytes give the length of the line, which comes first.
 */
#include "base/buffer.h"
#include "fuzz/fuzz.h"
#include "text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 2) {
        return 0;
    }
    size_t len_line = bytes[0] + 256u * bytes[1];
    len_line = len_line < len - 2 ? len_line : len - 2;
    const char *line = (const char *)bytes + 2;
    Error err;
    Tokenizer *t;
    if (tokenizer_load(&t, line + len_line, len - 2 - len_line, &err) != OK) {
        return 0;
    }
    Pieces pieces = {0};
    Buffer text = {0};
    if (tokenizer_encode(t, line, len_line, &pieces, &err) == OK) {
        for (int i = 0; i < pieces.len; i++) {
            fuzz_expect(pieces.ids[i] >= TOKEN_UNKNOWN && pieces.ids[i] < tokenizer_size(t),
                        "an id of the text is no control token and within the vocabulary");
            fuzz_expect(0 <= pieces.spans[i][0] && pieces.spans[i][0] <= pieces.spans[i][1] &&
                            (size_t)pieces.spans[i][1] <= len_line,
                        "a span lies within the line");
        }
        if (tokenizer_decode(t, pieces.ids, pieces.len, &text, &err) != OK) {
            fuzz_expect(err.code == ERR_NOMEM, "what was encoded can be decoded");
        }
    }
    pieces_free(&pieces);
    buffer_free(&text);
    tokenizer_free(t);
    return 0;
}

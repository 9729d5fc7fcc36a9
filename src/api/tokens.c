/* Tokens through the library; see heed.h. */
#include <string.h>

#include "api/handle.h"
#include "base/mem.h"

/* A HeedTokens and what it points to. */
typedef struct OwnedTokens {
    HeedTokens tokens; /* first, so that the one is the other */
    Pieces pieces;
    const char **names;
} OwnedTokens;

void heed_tokens_free(HeedTokens *tokens)
{
    OwnedTokens *owned = (OwnedTokens *)tokens;
    if (owned == NULL) {
        return;
    }
    pieces_free(&owned->pieces);
    mem_free(owned->names);
    mem_free(owned);
}

static Status check_side(HeedSide side, Error *err)
{
    return side == HEED_SOURCE || side == HEED_TARGET
               ? OK
               : fail(err, ERR_ARG, "side %d: must be HEED_SOURCE or HEED_TARGET", (int)side);
}

static Status fill(OwnedTokens *owned, const Tokenizer *tokenizer, const char *line, Error *err)
{
    TRY(tokenizer_encode(tokenizer, line, strlen(line), &owned->pieces, err));
    const int n = owned->pieces.len;
    owned->names = mem_zero_alloc((size_t)n, sizeof *owned->names);
    if (owned->names == NULL) {
        return mem_fail(err, "tokens", (size_t)n, sizeof *owned->names);
    }
    for (int i = 0; i < n; i++) {
        size_t len;
        owned->names[i] = tokenizer_piece(tokenizer, owned->pieces.ids[i], &len);
    }
    owned->tokens = (HeedTokens){.n = n,
                                 .ids = owned->pieces.ids,
                                 .pieces = owned->names,
                                 .spans = (const int(*)[2])owned->pieces.spans};
    return OK;
}

HeedStatus heed_tokenize(const HeedModel *model, HeedTokens **out, HeedSide side, const char *line,
                         HeedError *err)
{
    Error e = {0};
    Status status = check_side(side, &e);
    OwnedTokens *owned = NULL;
    if (status == OK) {
        owned = mem_zero_alloc(1, sizeof *owned);
        status = owned == NULL ? mem_fail(&e, "tokens", 1, sizeof *owned)
                               : fill(owned, model->tokenizers[side], line, &e);
    }
    if (status != OK) {
        heed_tokens_free((HeedTokens *)owned);
        return handle_report(status, &e, err);
    }
    *out = &owned->tokens;
    return HEED_OK;
}

HeedStatus heed_detokenize(const HeedModel *model, char **out, HeedSide side, const int *ids, int n,
                           HeedError *err)
{
    Error e = {0};
    Buffer text = {0};
    Status status = check_side(side, &e);
    if (status == OK && n < 0) {
        status = fail(&e, ERR_ARG, "%d ids: must be at least 0", n);
    }
    status = status == OK ? buffer_reserve(&text, 1, &e) : status;
    status = status == OK ? tokenizer_decode(model->tokenizers[side], ids, n, &text, &e) : status;
    if (status != OK) {
        buffer_free(&text);
        return handle_report(status, &e, err);
    }
    text.bytes[text.len] = '\0';
    *out = text.bytes;
    return HEED_OK;
}

void heed_text_free(char *text)
{
    mem_free(text);
}

/* What tokenizer.c and tokenizer_file.c share: the inside of a Tokenizer. */
#ifndef HEED_TEXT_TOKENIZER_PARTS_H
#define HEED_TEXT_TOKENIZER_PARTS_H

#include "text/bpe.h"
#include "text/tokenizer.h"
#include "text/word_tokenizer.h"

struct Tokenizer {
    TokenizerOptions options;
    Bpe bpe;          /* of kind bpe */
    PieceTable words; /* of the others */
    int size;
    Buffer names; /* of all ids, each with a NUL behind it */
    size_t *name_offsets;
};

/* The pieces behind the special tokens and the bytes. */
static inline const PieceTable *tokenizer_table(const Tokenizer *t)
{
    return t->options.kind == TOKENIZER_BPE ? &t->bpe.pieces : &t->words;
}

/* ERR_ARG when an option is out of its range. */
Status tokenizer_check_options(const TokenizerOptions *options, Error *err) MUST_USE;

/* Counts the ids and writes their names; called once the pieces are complete. */
Status tokenizer_name_pieces(Tokenizer *t, Error *err) MUST_USE;

#endif

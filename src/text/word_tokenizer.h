/* The tokenizers whose tokens are whole words or characters: word, char, space.
 *
 * A token is found by its text in a table; one that is not there is unknown. In `word` a token is a
 * chunk (text/chunk.h), its word start shown as U+2581; chunks of Han, Kana and Thai fall to
 * grapheme clusters. In `char` it is a grapheme cluster, a blank shown as U+2581. In `space` it is
 * what blanks and tabs separate. Tokens with control characters or of more than PIECE_MAX_BYTES
 * bytes, and in word and char those with a literal U+2581, are unknown always.
 *
 * Threads: tables may be read from many at once. */
#ifndef HEED_TEXT_WORD_TOKENIZER_H
#define HEED_TEXT_WORD_TOKENIZER_H

#include "text/piece_table.h"
#include "text/tokenizer.h"

/* Learns the tokens, most frequent first; token i has the id N_SPECIAL_TOKENS + i. */
Status word_tokenizer_learn(PieceTable *table, const TokenizerOptions *options, const Lines *lines,
                            Error *err) MUST_USE;

/* Appends the tokens of out->text to out. */
Status word_tokenizer_encode(const PieceTable *table, TokenizerKind kind, Pieces *out,
                             Error *err) MUST_USE;

#endif

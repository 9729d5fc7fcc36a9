/* Pieces to a line of text, with the bytes that each piece became.
 *
 * The text is that of tokenizer_decode, but it is one line: a line end that pieces spell out
 * becomes a blank. Threads: the functions share nothing. */
#ifndef HEED_DECODE_DETOKENIZE_H
#define HEED_DECODE_DETOKENIZE_H

#include "base/buffer.h"
#include "text/tokenizer.h"

/* Appends the text of n ids to out. */
Status detokenize(const Tokenizer *t, const int *ids, int n, Buffer *out, Error *err) MUST_USE;

/* The same, and spans [n]: the bytes [begin, end) of each piece, counted from where out ended
 * before, without the blank that its word start stands for. The byte pieces of one code point share
 * a span, as when encoding. */
Status detokenize_spans(const Tokenizer *t, const int *ids, int n, Buffer *out, int (*spans)[2],
                        Error *err) MUST_USE;

#endif

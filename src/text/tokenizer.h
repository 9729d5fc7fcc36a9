/* Tokenizers: a line of text to ids and back.
 *
 *     bpe    reversible subwords (Sennrich et al. 2016) with bytes for what is not in the alphabet:
 *            decode(encode(x)) is the normalised x, byte for byte, for any x
 *     word   chunks as words; Han, Kana and Thai by graphemes; unknown words become <unk>
 *     char   grapheme clusters
 *     space  text that is tokenised already: what blanks separate; "@@ " is joined when decoding
 *
 * Ids: 0 <pad>, 1 <s>, 2 </s>, 3 <unk>; for bpe 4 .. 259 are the bytes 0 .. 255 and 260 the word
 * start; then the alphabet, most frequent first, then what merges made. A literal "<s>" in the text
 * is text and never one of these.
 *
 * Threads: a Tokenizer is immutable after creation and may be shared; a Pieces belongs to one
 * thread. */
#ifndef HEED_TEXT_TOKENIZER_H
#define HEED_TEXT_TOKENIZER_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/rng.h"
#include "base/status.h"
#include "text/lines.h"
#include "text/unicode.h"

typedef enum TokenizerKind {
    TOKENIZER_BPE,
    TOKENIZER_WORD,
    TOKENIZER_CHAR,
    TOKENIZER_SPACE
} TokenizerKind;

enum { TOKEN_PAD = 0, TOKEN_BEGIN = 1, TOKEN_END = 2, TOKEN_UNKNOWN = 3, N_SPECIAL_TOKENS = 4 };

enum {
    TOKENIZER_MIN_BPE = N_SPECIAL_TOKENS + 256 + 1, /* and the word start */
    TOKENIZER_MAX_SIZE = 1000000,
    PIECE_MAX_BYTES = 256 /* of one piece */
};

typedef struct TokenizerOptions {
    TokenizerKind kind;
    int vocab_size;    /* upper bound, specials and bytes included: TOKENIZER_MIN_BPE (bpe) or
                          N_SPECIAL_TOKENS + 1 (others) to TOKENIZER_MAX_SIZE */
    int min_frequency; /* rarer words, characters and pairs get no piece; at least 1 */
    int normalization; /* NORMALIZE_NFC or NORMALIZE_NFKC */
    int lowercase;     /* 1: letters become small */
} TokenizerOptions;

typedef struct Tokenizer Tokenizer;

/* The pieces of a line; all zero at first, used again and again. spans[i] are the raw bytes
 * [begin, end) of piece i, without the blank that its word start stands for; pieces of one
 * code point (bytes) and of code points that normalisation changed together have the same span. */
typedef struct Pieces {
    int *ids;
    int (*spans)[2];
    int len, cap;
    long n_malformed; /* malformed sequences in the line */
    UnicodeText text; /* the normalised line */
} Pieces;

void pieces_free(Pieces *pieces);

/* Learns from all lines; for a joint vocabulary they are those of both sides. Memory is bounded
 * whatever the number of lines: at most 500,000 different words are held (rarer ones are
 * forgotten), about 250 MB in all. The size reached (tokenizer_size) may be less than asked for.
 * Deterministic: the same lines give the same tokenizer. */
Status tokenizer_learn(Tokenizer **out, const TokenizerOptions *options, const Lines *lines,
                       Error *err) MUST_USE;

/* Replaces the content of out; no special tokens are added; an empty line has no pieces. */
Status tokenizer_encode(const Tokenizer *t, const char *line, size_t len, Pieces *out,
                        Error *err) MUST_USE;

/* BPE-dropout (Provilkov et al. 2020): at each step every possible merge is left out with
 * probability rate; 0 is tokenizer_encode, 1 gives the alphabet. Other kinds ignore the rate. */
Status tokenizer_encode_dropout(const Tokenizer *t, const char *line, size_t len, double rate,
                                Rng *rng, Pieces *out, Error *err) MUST_USE;

/* Appends the text of n ids. <pad>, <s> and </s> have none; <unk> is written as such. Always valid
 * UTF-8: ill-formed runs of bytes become U+FFFD. It may hold a LF, as any text may. ERR_ARG for an
 * id that is not in the vocabulary. */
Status tokenizer_decode(const Tokenizer *t, const int *ids, int n, Buffer *out,
                        Error *err) MUST_USE;

int tokenizer_size(const Tokenizer *t);
const TokenizerOptions *tokenizer_options(const Tokenizer *t);

/* The piece as text for display, valid UTF-8, with a NUL behind it: "<s>", "<0x0A>", "\u2581word".
 * It lives as long as t. */
const char *tokenizer_piece(const Tokenizer *t, int id, size_t *len);

/* The id of a piece as tokenizer_piece shows it, or -1. */
int tokenizer_find(const Tokenizer *t, const char *piece, size_t len);

/* The tokenizer as bytes:
 *
 *     8 bytes   "heedtok1"
 *     6 x u32   kind, normalization, lowercase, vocab_size and min_frequency as asked for,
 *               number of merges (0 unless bpe)       (all numbers little-endian)
 *     u32       number of texts: words, or the alphabet of bpe without the word start
 *     each      u16 length (1 .. PIECE_MAX_BYTES), then UTF-8 without control characters
 *     each      merge: u32 left id, u32 right id, both of pieces before it; the result is the piece
 *               of that text, or the next id
 */
Status tokenizer_save(const Tokenizer *t, Buffer *out, Error *err) MUST_USE;

/* ERR_FORMAT for anything that tokenizer_save does not write; every number is held against its
 * bound before memory is asked for. */
Status tokenizer_load(Tokenizer **out, const void *bytes, size_t len, Error *err) MUST_USE;

void tokenizer_free(Tokenizer *t);

/* A size fit for a corpus (Sennrich & Zhang 2019: small corpora want small vocabularies): 2,000 at
 * 5,000 pairs, 8,000 at 30,000, 16,000 at 200,000, between them on straight lines in logarithms;
 * 400 to 32,000. */
int tokenizer_default_vocab_size(long n_pairs);

#endif

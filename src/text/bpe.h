/* Byte pair encoding with a byte for everything else.
 *
 * A chunk (text/chunk.h) begins as symbols: a word start, then its units as far as the alphabet has
 * them, else their code points, else their bytes. Then, as long as two neighbours are a learnt
 * pair, the pair learnt first is merged, the leftmost of several. Bytes never merge.
 *
 * Threads: a Bpe may be read from many at once. */
#ifndef HEED_TEXT_BPE_H
#define HEED_TEXT_BPE_H

#include "text/piece_table.h"
#include "text/tokenizer.h"

enum {
    BPE_FIRST_BYTE = N_SPECIAL_TOKENS,
    BPE_WORD_START = BPE_FIRST_BYTE + 256, /* id of the word start, piece 0 */
    BPE_DIRECT = 0x300                     /* code points found without hashing */
};

#define WORD_START_TEXT "\xE2\x96\x81"
enum { WORD_START_POINT = 0x2581, WORD_START_BYTES = 3 };

typedef struct BpeSlot {
    int left, right; /* ids; left 0 when the slot is free */
    int rank, result;
} BpeSlot;

typedef struct Bpe {
    PieceTable pieces; /* piece i has the id BPE_WORD_START + i; its text has the word start as
                          U+2581, which is in no alphabet */
    int n_alphabet;    /* pieces before the first merge, the word start included */
    int (*merges)[2];  /* ids of left and right, in the order of learning */
    int n_merges, cap_merges;
    BpeSlot *slots;
    size_t n_slots;
    int direct[BPE_DIRECT]; /* id of a code point of the alphabet, or 0 */
} Bpe;

/* Sets up the word start; the alphabet is added next, then the merges. */
Status bpe_init(Bpe *bpe, Error *err) MUST_USE;
void bpe_free(Bpe *bpe);

/* Adds a unit to the alphabet; it may not hold U+2581. */
Status bpe_add_unit(Bpe *bpe, const char *text, size_t len, Error *err) MUST_USE;

/* Adds a merge of two ids that exist, neither a byte; *result is the id of the piece it makes,
 * new or known. ERR_FORMAT when the text would be too long, or the pair is known. */
Status bpe_add_merge(Bpe *bpe, int *result, int left, int right, Error *err) MUST_USE;

/* The id that a merge of the two makes, or 0 when it is not one that was learnt. */
int bpe_merge_result(const Bpe *bpe, int left, int right);

/* Appends the pieces of out->text to out. rng may be NULL when rate is 0. */
Status bpe_encode(const Bpe *bpe, double rate, Rng *rng, Pieces *out, Error *err) MUST_USE;

/* True for a unit that may be in an alphabet: no control or line end, no U+2581. */
int bpe_is_unit(const uint32_t *points, size_t n);

/* In bpe_learn.c: learns alphabet and merges into an empty bpe. */
Status bpe_learn(Bpe *bpe, const TokenizerOptions *options, const Lines *lines,
                 Error *err) MUST_USE;

/* Room for one more piece. */
Status pieces_add(Pieces *out, int id, uint32_t begin, uint32_t end, Error *err) MUST_USE;

#endif

/* A glossary of what words became, counted from word links:
 *
 *     source<TAB>target<TAB>p(t|s)<TAB>p(s|t)<TAB>count      the most frequent first
 *
 * p(t|s) is the count of the pair over that of all links of the source word. Words lose the
 * punctuation at their ends; a word of punctuation alone keeps it. A lexicon of pieces takes them as
 * they are, for a shortlist (decode/shortlist.h). Memory is bounded: beyond a
 * million pairs the rarest are forgotten (text/counter.h).
 *
 * Threads: a Lexicon belongs to one thread. */
#ifndef HEED_DECODE_LEXICON_H
#define HEED_DECODE_LEXICON_H

#include "base/buffer.h"
#include "decode/symmetry.h"

typedef struct Lexicon Lexicon;

Status lexicon_create(Lexicon **out, int is_pieces, Error *err) MUST_USE;
void lexicon_free(Lexicon *lexicon);

/* Counts the links of a record whose tokens are words, or pieces. */
Status lexicon_add(Lexicon *lexicon, const Dump *dump, const Links *links, Error *err) MUST_USE;

/* Hands the lines of pairs with at least min_count to `write`, one by one. */
Status lexicon_write(const Lexicon *lexicon, long min_count,
                     Status (*write)(void *context, Buffer *line, Error *err), void *context,
                     Error *err) MUST_USE;

/* Whether pairs were forgotten. */
int lexicon_has_forgotten(const Lexicon *lexicon);

#endif

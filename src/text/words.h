/* Words of a raw line, as alignments and statistics count them: a run without blanks (white space
 * of any kind); inside it each grapheme cluster of Han, Kana or Thai is a word of its own.
 *
 * Threads: the functions share nothing. */
#ifndef HEED_TEXT_WORDS_H
#define HEED_TEXT_WORDS_H

#include <stddef.h>

#include "base/status.h"

/* Words of a line; all zero at first, used again and again. */
typedef struct Words {
    int (*spans)[2]; /* bytes [begin, end) of the raw line */
    int len, cap;
} Words;

/* Replaces the content of out by the words of the line, in order. ERR_ARG beyond 2^31 - 1 bytes. */
Status words_split(Words *out, const char *line, size_t len, Error *err) MUST_USE;

/* How many words the line has. */
long words_count(const char *line, size_t len);

/* True when the line holds white space only. */
int words_is_blank(const char *line, size_t len);

void words_free(Words *words);

#endif

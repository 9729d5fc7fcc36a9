/* The word somebody may have meant, for the sentence about one that is unknown. */
#ifndef HEED_BASE_NEAREST_H
#define HEED_BASE_NEAREST_H

#include <stddef.h>

enum { NEAREST_MAX_BYTES = 64, NEAREST_NEVER = 1000 };

/* How far candidate is from word (len bytes): the steps of typing between them (insert, delete,
 * replace, or swap two neighbours), capitals counting as small letters; 1 when word is a beginning
 * of it, of three bytes or more, 2 when it is a beginning of word, of four bytes or more;
 * NEAREST_NEVER when nobody would mistake the one for the other. */
int nearest_distance(const char *word, size_t len, const char *candidate);

#endif

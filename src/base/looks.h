/* What a file that is not what was asked for looks like, for the sentence about it. */
#ifndef HEED_BASE_LOOKS_H
#define HEED_BASE_LOOKS_H

#include <stddef.h>

enum { LOOKS_BYTES = 16 }; /* enough to tell; fewer tell most */

/* A phrase such as "gzip data", from the first bytes of a file (len up to any number). */
const char *looks_like(const unsigned char *bytes, size_t len);

/* The same, but NULL for text and for binary data of no known kind. */
const char *looks_known(const unsigned char *bytes, size_t len);

/* The same, but only for what is certainly no text. */
const char *looks_binary(const unsigned char *bytes, size_t len);

#endif

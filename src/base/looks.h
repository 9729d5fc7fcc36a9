/* What a file that is not what was asked for looks like, for the sentence about it. */
#ifndef HEED_BASE_LOOKS_H
#define HEED_BASE_LOOKS_H

#include <stddef.h>

enum { LOOKS_BYTES = 8 }; /* enough to tell */

/* A phrase such as "gzip data", from the first bytes of a file (len up to any number). */
const char *looks_like(const unsigned char *bytes, size_t len);

#endif

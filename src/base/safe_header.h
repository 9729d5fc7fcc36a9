/* The JSON header of a safetensors file (base/safetensors.h tells the format), read by a parser of
 * its own: it works in memory of the header's size whatever the header holds, takes 64-bit numbers
 * without rounding, and knows at which byte the checksum stands.
 *
 * The header is
 *     { "__metadata__": { "key": "value", ... },
 *       "name": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }, ... }
 * in any order, with the blanks of JSON between its parts and behind it. Refused are: a byte of
 * another grammar, a name twice, an unknown or missing key, an unknown type, more than
 * SAFE_MAX_DIMS dimensions, SAFE_MAX_TENSORS tensors or as many metadata, a shape whose bytes are
 * not those of its data_offsets, tensors that overlap, leave a hole, begin at a byte that their
 * element size does not divide, or do not end with the data; text that is not UTF-8 or holds a NUL;
 * a name or key that is empty or holds a control character.
 *
 * Threads: no state. */
#ifndef HEED_BASE_SAFE_HEADER_H
#define HEED_BASE_SAFE_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "base/safetensors.h"
#include "base/status.h"

typedef struct SafeHeader {
    SafeTensor *tensors; /* in the order of their data */
    const SafeTensor **by_name;
    SafePair *pairs; /* sorted by key */
    int n_tensors, cap_tensors, n_pairs, cap_pairs;
    char *text;         /* every name, key and value, each with its NUL */
    size_t checksum_at; /* byte of the header where the eight digits stand; 0 when it has none */
} SafeHeader;

/* Reads the len bytes of a header in front of n_data bytes of data; path is for the sentences.
 * ERR_FORMAT or ERR_NOMEM. */
Status safe_header_parse(SafeHeader *out, const char *path, const char *bytes, size_t len,
                         uint64_t n_data, Error *err) MUST_USE;

/* Releases what safe_header_parse allocated. */
void safe_header_free(SafeHeader *header);

/* The value of a key, NULL when it is absent. */
const char *safe_header_value(const SafeHeader *header, const char *key);

#endif

/* A sentence as an array of Unicode code points, the form in which the metrics count.
 *
 * Threads: a Characters belongs to one thread. */
#ifndef HEED_METRIC_CHARACTERS_H
#define HEED_METRIC_CHARACTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Characters {
    uint32_t *v;
    size_t n, cap;
} Characters;

/* A run of code points inside a Characters that outlives it. */
typedef struct CharacterRun {
    const uint32_t *v;
    size_t n;
} CharacterRun;

Status characters_add(Characters *out, uint32_t code, Error *err) MUST_USE;

/* Appends the code points of UTF-8 bytes, malformed ones as U+FFFD, in lower case if asked (the
 * full mapping of Unicode, with the final sigma). Nothing is normalised. */
Status characters_decode(Characters *out, const char *bytes, size_t len, int lowercase,
                         Error *err) MUST_USE;

/* The class that separates words: White_Space of Unicode and the four separators U+001C to U+001F.
 */
int characters_is_space(uint32_t code);

/* Finds the runs without spaces of text[0 .. n-1]. *runs is allocated and freed by the caller; the
 * runs point into text. */
Status characters_split(CharacterRun **runs, size_t *n_runs, const uint32_t *text, size_t n,
                        Error *err) MUST_USE;

void characters_free(Characters *characters);

#endif

/* Unicode: the only file that calls utf8proc.
 *
 * Text is decoded to code points; every malformed sequence (the longest beginning of a well-formed
 * one, or a single byte: the practice that Unicode recommends) becomes one U+FFFD and is counted.
 * So any bytes are text. Normalisation keeps, for each code point, the raw bytes it came from.
 *
 * Threads: the functions share nothing; a UnicodeText belongs to one thread. */
#ifndef HEED_TEXT_UNICODE_H
#define HEED_TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

enum { UNICODE_REPLACEMENT = 0xFFFD, UNICODE_MAX_BYTES = 4 };

typedef enum Normalization {
    NORMALIZE_NONE, /* only malformed bytes are replaced */
    NORMALIZE_NFC,
    NORMALIZE_NFKC
} Normalization;

typedef enum UnicodeClass {
    CLASS_LETTER,
    CLASS_MARK,
    CLASS_DIGIT,       /* any number */
    CLASS_PUNCTUATION, /* symbols too */
    CLASS_SPACE,       /* blanks, tab, line and page ends */
    CLASS_CONTROL,
    CLASS_OTHER /* format characters, private use, unassigned */
} UnicodeClass;

/* Decodes the code point at the start of bytes (len >= 1) and returns how many bytes it took.
 * A malformed sequence yields U+FFFD and adds 1 to *n_malformed (which may be NULL). */
size_t unicode_decode(const char *bytes, size_t len, uint32_t *point, long *n_malformed);

/* Writes point (a valid scalar value) as UTF-8 and returns the number of bytes, 1 to 4. */
size_t unicode_encode(uint32_t point, char bytes[UNICODE_MAX_BYTES]);

/* How many malformed sequences the bytes hold. */
long unicode_count_malformed(const char *bytes, size_t len);

/* Appends the bytes as valid UTF-8. */
Status unicode_repair(Buffer *out, const char *bytes, size_t len, Error *err) MUST_USE;

UnicodeClass unicode_class(uint32_t point);

/* Columns of a terminal: 0, 1 or 2. */
int unicode_width(uint32_t point);
int unicode_text_width(const char *bytes, size_t len);

/* True when a grapheme cluster ends between two code points that follow each other. *state is 0 at
 * the start of a text and belongs to the scan. */
int unicode_is_break(uint32_t before, uint32_t after, int32_t *state);

/* Bytes of the grapheme cluster at the start of bytes (len >= 1). */
size_t unicode_grapheme(const char *bytes, size_t len);

/* Writes the lower case of n code points to out (room for 2n) and returns how many it wrote: the
 * full mapping of Unicode without language rules, so U+0130 becomes two code points and a capital
 * sigma at the end of a word the final one. Nothing is normalised. out may not overlap points. */
size_t unicode_lower(uint32_t *out, const uint32_t *points, size_t n);

/* A text as code points. starts[i] and ends[i] are the raw bytes that point i came from; where
 * normalisation changed several code points together, each of the results has all their bytes. */
typedef struct UnicodeText {
    uint32_t *points, *starts, *ends;
    size_t len, cap;
    long n_malformed;
    int32_t *scratch;
    size_t scratch_cap;
} UnicodeText;

/* Replaces the content of text (all zero at first) by the normalised bytes, len < 2^32 - 1. With
 * is_lowercase the letters become small before the last normalisation. */
Status unicode_text_set(UnicodeText *text, const char *bytes, size_t len,
                        Normalization normalization, int is_lowercase, Error *err) MUST_USE;
void unicode_text_free(UnicodeText *text);

/* Appends the normalised bytes. */
Status unicode_normalize(Buffer *out, const char *bytes, size_t len, Normalization normalization,
                         int is_lowercase, Error *err) MUST_USE;

#endif

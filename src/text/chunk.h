/* Chunks: the parts of a line that no piece crosses.
 *
 *     I love  "deep learning", 我喜欢!     (· is a blank that became a word start)
 *     ·I|·love|·|·"|deep|·learning|"|,|·|我喜欢|!
 *
 * A chunk holds letters of one script, or digits, or a run of one punctuation mark, or a run of
 * other characters of one class; marks go with their base. A blank (U+0020) becomes the word start
 * of the chunk behind it when that one is of letters, digits or punctuation, and not of a script
 * written without blanks; all other blanks make chunks of their own. At the start of a line a word
 * start is added where a blank would have become one, or where a blank stands. So a line that
 * begins with a word start is always one to which it was added, and taking blanks for word starts
 * and removing the first gives the line back.
 *
 * Inside, a chunk is a run of units: grapheme clusters of at most UNIT_MAX_POINTS code points, and
 * single code points of longer clusters. Chunks are bounded too: CHUNK_MAX_POINTS code points.
 *
 * Threads: a ChunkReader belongs to one thread. */
#ifndef HEED_TEXT_CHUNK_H
#define HEED_TEXT_CHUNK_H

#include "text/script.h"
#include "text/unicode.h"

enum { UNIT_MAX_POINTS = 8, CHUNK_MAX_POINTS = 64 };

typedef struct Chunk {
    size_t first, end;     /* points of the text; equal for a chunk of blanks that were added */
    int is_blank;          /* n_starts blanks and nothing else */
    int n_starts;          /* word starts before the points: 0 or 1; any number with is_blank */
    UnicodeClass cls;      /* of what is not blank */
    Script script;         /* of letters */
    uint32_t start_offset; /* raw bytes of the first word start; equal when it was added */
    uint32_t start_end;
} Chunk;

typedef struct ChunkReader {
    const UnicodeText *text;
    size_t at;
    int has_added_start;
} ChunkReader;

/* Starts at the beginning of text, which must live as long as the reader. */
ChunkReader chunk_reader(const UnicodeText *text);

/* Reads the next chunk; false at the end. */
int chunk_next(ChunkReader *reader, Chunk *chunk);

/* The end of the grapheme cluster that begins at point i, at most `end`. Blanks and control
 * characters are never inside a longer one. */
size_t chunk_cluster(const UnicodeText *text, size_t i, size_t end);

/* The end of the unit that begins at point i, at most `end`. */
size_t chunk_unit(const UnicodeText *text, size_t i, size_t end);

#endif

/* The record of one hypothesis and its attention: what decoding writes and what views and alignment
 * read.
 *
 *                     source tokens 0 .. S-1
 *                   i    love   deep   </s>
 *     target   我  0.9    0.05   0.03   0.02      attention, T x S, row-major: row t says where the
 *     tokens  喜欢  ...                            network looked when it wrote target token t
 *             </s>  ...
 *
 * Tokens are pieces, or words after dump_to_words. The end token `</s>`, where there is one, is the
 * last of its side. A span is the [begin, end) of a token in the bytes of its raw line; that of the
 * end token is [n, n]. A blank line has no tokens at all and score 0.
 *
 * A Dump owns nothing: it points into memory of whoever made it (an arena, for the functions here).
 * Threads: a Dump that nobody changes may be read by all. */
#ifndef HEED_TEXT_DUMP_H
#define HEED_TEXT_DUMP_H

#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

/* Bytes with their length; not ended by a NUL. */
typedef struct DumpText {
    const char *bytes;
    size_t len;
} DumpText;

#define DUMP_END_TOKEN "</s>"

enum { DUMP_MAX_TOKENS = 1 << 20 };

typedef struct Dump {
    long id;                 /* line number from 0 */
    int rank;                /* in its n-best list from 0 */
    DumpText source, target; /* raw lines, without a line end */
    double score;            /* sum of the natural log-probabilities, the end token's included */
    double normalized_score; /* score / length^alpha */
    int is_finished;         /* 0 when the length limit stopped it */

    int n_source, n_target;             /* tokens, the end token included */
    int has_source_end, has_target_end; /* whether the last token is the end token */
    const DumpText *source_tokens;      /* (S) */
    const DumpText *target_tokens;      /* (T) */
    const int (*source_spans)[2];       /* (S) */
    const int (*target_spans)[2];       /* (T) */
    const float *attention;             /* (T, S) */
    const float *word_scores;           /* (T) log-probabilities, or NULL */
} Dump;

/* A link from a source token to a target token. */
typedef struct DumpLink {
    int source, target;
} DumpLink;

/* Merges tokens to the words of the raw lines (text/words.h), by overlap of spans, and keeps the
 * end tokens. A word's column is the sum over its source pieces, its row the mean over its target
 * pieces, its score the sum of theirs. A piece over several words (possible where a script has no
 * spaces) gives each its share of bytes as a source and its whole row as a target; its score goes
 * to the first. A piece over no word belongs to the next one, or else the last. A word without a
 * piece keeps its place with zeros, but words behind the last piece, which a line that was cut has,
 * are left out. A side without any word stays as it is. out may be in. */
Status dump_to_words(Dump *out, const Dump *in, Arena *arena, Error *err) MUST_USE;

/* Drops the end token's row and column and scales each row to sum 1 (a row of zeros stays). out may
 * be in. */
Status dump_drop_end(Dump *out, const Dump *in, Arena *arena, Error *err) MUST_USE;

/* The links of a hypothesis, sorted by source then target, without the end tokens.
 * threshold 0: each target token to the source token with the largest weight (the first of equals);
 * a row won by the source's end token, or without a positive weight, has none.
 * threshold > 0: every cell above it. */
Status dump_links(DumpLink **out, int *n_out, const Dump *dump, double threshold, Arena *arena,
                  Error *err) MUST_USE;

#endif

/* Reads the JSON lines that dump_write_json writes.
 *
 * Needed: id, source, target, source_tokens, target_tokens, source_spans, target_spans, attention.
 * Optional: rank (0), score (0), normalized_score (score), finished (true where there is an end
 * token or no token), word_scores. Other members are passed over. Checked: types, counts against
 * each other (at most DUMP_MAX_TOKENS), 0 <= begin <= end <= length of the line, weights within
 * [0, 1] but for rounding, nesting (by jansson).
 *
 * A token named </s> with an empty span that is the last of its side is the end token. Where a raw
 * line had malformed bytes, its string here has U+FFFD and is longer; spans keep to the raw bytes,
 * so that words near such bytes may come out wrong. */
#ifndef HEED_TEXT_DUMP_READ_H
#define HEED_TEXT_DUMP_READ_H

#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "text/dump.h"

/* Parses one line; everything *out points to is taken from arena. name and line_number (from 1) are
 * for the sentence of ERR_FORMAT, "NAME:LINE: ...". */
Status dump_parse(Dump *out, const char *line, size_t len, Arena *arena, const char *name,
                  long line_number, Error *err) MUST_USE;

#endif

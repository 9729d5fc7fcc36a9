/* What the HTML pages embed: lines of fixed text, and data as JSON in which < > & are escaped, so
 * that no text can end the element it stands in. */
#ifndef HEED_VIEW_EMBED_H
#define HEED_VIEW_EMBED_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/dump.h"

/* Appends the strings of an array that ends in NULL. */
Status embed_lines(Buffer *out, const char *const *lines, Error *err) MUST_USE;

/* Appends {"source":[...],"target":[...],"source_end":1,"target_end":1,"a":[[...],...]}: the tokens
 * and the weights, rounded to four decimals. */
Status embed_matrix(Buffer *out, const Dump *dump, Error *err) MUST_USE;

/* The style that the pages share, up to the open <style> element. */
extern const char *const EMBED_PAGE_BEGIN[];

#endif

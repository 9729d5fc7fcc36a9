/* Attention as one HTML file that needs nothing else: no network, no script from elsewhere (its
 * content policy forbids both). The reader picks a sentence, points at a word of either side or
 * walks with the arrow keys, and the words of the other side light up by their weight; below is the
 * matrix as a table. Words and pieces, linear and logarithmic colours, order by score, entropy or
 * coverage; dark and light.
 *
 * The hypotheses are embedded as JSON in which < > & are escaped, so that no text can end the
 * element it stands in. */
#ifndef HEED_VIEW_HTML_H
#define HEED_VIEW_HTML_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/dump.h"

/* Appends the whole page for n hypotheses. Weights are rounded to four decimals. */
Status html_write(Buffer *out, const Dump *dumps, int n, Error *err) MUST_USE;

#endif

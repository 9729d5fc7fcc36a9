/* Tokens as labels of a picture: safe to show, of known width, escaped for XML and HTML.
 *
 * A token may hold anything: control characters and the format characters that turn the direction
 * of text are shown as U+FFFD or left out, so that no label can change what stands around it. */
#ifndef HEED_VIEW_LABEL_H
#define HEED_VIEW_LABEL_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/dump.h"

/* True when the first letter with a direction is of a script written from right to left. */
int label_is_rtl(DumpText token);

/* Appends the token, cut with an ellipsis at max_columns (>= 2) columns of a terminal; *columns is
 * its width. Blanks inside are shown as U+2423; an empty token as that sign, too. */
Status label_add(Buffer *out, int *columns, DumpText token, int max_columns, Error *err) MUST_USE;

/* Appends text for the content or a quoted attribute of XML or HTML: < > & " ' are escaped, and
 * what XML 1.0 does not allow becomes U+FFFD. */
Status label_add_xml(Buffer *out, const char *bytes, size_t len, Error *err) MUST_USE;

#endif

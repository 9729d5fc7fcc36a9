/* An attention matrix as text: source words above, target words at the left, a shaded cell for
 * each pair.
 *
 *             i  love  deep  learning  </s>
 *       我    █   ░░    ·       ·       ·
 *     喜欢    ·  ████   ·       ·       ·
 *
 * Shades: · below 5 %, then light, medium, dark from 25 and 50 %, full from 75 %. With colour the
 * largest weight of a row stands out; nothing is lost without. Columns are as wide as their words
 * in a terminal (Chinese counts two columns); a matrix wider than the terminal is cut into blocks
 * of columns, one below the other. Words written from right to left are marked with an arrow and
 * isolated, so that a terminal that turns them leaves the columns in place. */
#ifndef HEED_VIEW_TERMINAL_H
#define HEED_VIEW_TERMINAL_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/dump.h"

typedef struct TerminalOptions {
    int has_color; /* escape sequences may be used */
    int is_log;    /* shade by the logarithm: 1 %, 3 %, 10 % and 32 % are the steps */
    int width;     /* columns of the terminal; 0 for no bound */
} TerminalOptions;

/* Appends the picture, with a line end. A blank line's dump gives a line that says so. */
Status terminal_draw(Buffer *out, const Dump *dump, TerminalOptions options, Error *err) MUST_USE;

#endif

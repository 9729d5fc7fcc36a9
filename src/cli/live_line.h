/* The live line of work that takes long: on a terminal, redrawn in place on standard error.
 *
 *     translating  ████████░░░░░░░░░░░░   43 %  0:12 left  812 lines  96 lines/s
 *
 * Nothing is drawn when standard error is no terminal, with --quiet, or before the work has taken
 * LIVE_AFTER seconds; the bar has a colour unless NO_COLOR is set; fields that do not fit the width
 * of the terminal are left out, the last ones first.
 *
 * Threads: a LiveLine belongs to one thread. */
#ifndef HEED_CLI_LIVE_LINE_H
#define HEED_CLI_LIVE_LINE_H

#include <stddef.h>

#include "base/progress.h"

#define LIVE_AFTER 1.0 /* seconds: what takes two or more has a line */
#define LIVE_EVERY 0.1 /* seconds between two drawings */

enum { LIVE_FIELDS = 10, LIVE_FIELD_BYTES = 48 };

typedef struct LiveLine {
    int is_on; /* there is somebody to see it */
    int has_color, has_line;
    double first, drawn;  /* clock at the first step of all, at the last drawing */
    ProgressStep last;    /* the step before */
    double began, n0, f0; /* of the work under way: clock, units and fraction at its first step */
    Progress progress;    /* tells this line */
} LiveLine;

/* The fields behind the bar. */
typedef struct LiveFields {
    char text[LIVE_FIELDS][LIVE_FIELD_BYTES];
    int n;
} LiveFields;

/* is_off: --quiet, or live_is_shared. */
void live_begin(LiveLine *live, int is_off);

/* Whether a terminal shows results or what somebody types already: has_stdout says that results go
 * to standard output, input is the path that is read, "-" for standard input, or NULL. */
int live_is_shared(int has_stdout, const char *input);

/* Whoever tells this draws the line; it lives as long as live, which must not be moved. */
const Progress *live_progress(const LiveLine *live);

/* Draws at once: what, a bar (when fraction is not below 0), the fields. Nothing when it is off. */
void live_draw(LiveLine *live, const char *what, double fraction, const LiveFields *fields);

/* Adds a field as printf does; one too many is dropped. */
void live_field(LiveFields *fields, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "1:02" or "1:02:03"; "?" below 0. */
void live_time(char *out, size_t cap, double seconds);

/* Takes the line away; before anything else is written to the terminal. */
void live_clear(LiveLine *live);

#endif

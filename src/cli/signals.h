/* Signals.
 *
 *     SIGXFSZ            ignored, so that a write beyond the limit reports an error
 *     SIGPIPE            ends the program quietly; ignored once a stop can be asked for, since a
 * log that nobody reads any more is no reason to lose a training SIGINT, SIGTERM    end the
 * program; once a stop can be asked for they ask for it, and the work SIGHUP             under way
 * grants it at a safe point. A second one ends the program at once (one that comes within 0.1
 * seconds is taken for the first, which tools that signal a program and its group send twice).
 * SIGHUP stays ignored if it was. */
#ifndef HEED_CLI_SIGNALS_H
#define HEED_CLI_SIGNALS_H

/* For every command, at its very beginning. */
void signals_begin(void);

/* For a command that asks signals_pending: from now on signals ask for a stop. */
void signals_install(void);

/* The number of the signal that asked for a stop, or 0. */
int signals_pending(void);

#endif

/* Signals: SIGINT and SIGTERM ask for an end, which the work under way grants at a safe point; a
 * second one ends the program at once. SIGXFSZ is ignored, so that a write beyond the limit reports
 * an error. */
#ifndef HEED_CLI_SIGNALS_H
#define HEED_CLI_SIGNALS_H

void signals_install(void);

/* The number of the signal that asked for an end, or 0. */
int signals_pending(void);

#endif

/* Where a command's results go: standard output, or a file that appears whole or not at all.
 *
 * Threads: a Results belongs to one thread. */
#ifndef HEED_CLI_RESULTS_H
#define HEED_CLI_RESULTS_H

#include "base/buffer.h"
#include "base/status.h"

typedef struct Results Results;

/* path NULL or "-" is standard output. */
Status results_open(Results **out, const char *path, Error *err) MUST_USE;

/* Writes the text and forgets it (the buffer keeps its memory). */
Status results_write(Results *results, Buffer *text, Error *err) MUST_USE;

/* Hands over what was written, so that a reader of a pipe sees it. */
Status results_flush(Results *results, Error *err) MUST_USE;

/* Finishes the file, when `status` is OK, else gives it up; returns the first failure. NULL is
 * allowed. */
Status results_close(Results *results, Status status, Error *err) MUST_USE;

/* Refuses a file of results that is one of the n inputs (NULL and "-" are none). */
Status results_check(const char *option, const char *path, const char *const *inputs, int n,
                     Error *err) MUST_USE;

/* Refuses two results in one place, standard output included; NULL is none. Both may go to one
 * device, like /dev/null. */
Status results_check_other(const char *option, const char *path, const char *other_option,
                           const char *other, Error *err) MUST_USE;

/* Whether text for a person may have colours: 0 auto (a terminal, unless NO_COLOR is set), 1
 * always, 2 never; and the columns of the terminal at a descriptor, 0 when there is none. */
int screen_has_color(int choice);
int screen_width(int fd);

#endif

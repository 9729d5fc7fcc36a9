/* The manual page heed(1), written from the option tables, so that it cannot say something else
 * than the program does. */
#ifndef HEED_CLI_MANUAL_H
#define HEED_CLI_MANUAL_H

#include "base/buffer.h"
#include "base/options.h"

/* Appends the page in troff's man macros. commands ends in NULL. */
Status manual_page(const Command *const *commands, Buffer *out, Error *err) MUST_USE;

#endif

/* Completion of the program's words in bash and zsh, written from the option tables. */
#ifndef HEED_CLI_COMPLETION_H
#define HEED_CLI_COMPLETION_H

#include "base/buffer.h"
#include "base/options.h"

/* Appends a script for bash's `complete`. commands ends in NULL. */
Status completion_bash(const Command *const *commands, Buffer *out, Error *err) MUST_USE;

/* Appends a script for zsh's `compdef`. */
Status completion_zsh(const Command *const *commands, Buffer *out, Error *err) MUST_USE;

#endif

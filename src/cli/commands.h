/* The list of subcommands. Each is defined in its own cmd_NAME.c as `const Command command_NAME`.
 */
#ifndef HEED_CLI_COMMANDS_H
#define HEED_CLI_COMMANDS_H

#include "base/options.h"

/* All of them, in the order of `heed --help`; ends in NULL. */
extern const Command *const COMMANDS[];

#endif

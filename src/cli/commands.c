/* The list of subcommands; see the header. */
#include "cli/commands.h"

extern const Command command_eval;

const Command *const COMMANDS[] = {
    &command_eval,
    NULL,
};

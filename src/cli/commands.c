/* The list of subcommands; see the header. */
#include "cli/commands.h"

const Command *const COMMANDS[] = {
    NULL,
};

/* The list of subcommands; see the header. */
#include "cli/commands.h"

extern const Command command_train;
extern const Command command_eval;
extern const Command command_view;

const Command *const COMMANDS[] = {
    &command_train,
    &command_eval,
    &command_view,
    NULL,
};

/* The list of subcommands; see the header. */
#include "cli/commands.h"

extern const Command command_train;
extern const Command command_translate;
extern const Command command_eval;
extern const Command command_tokenize;
extern const Command command_view;
extern const Command command_info;

const Command *const COMMANDS[] = {
    &command_train, &command_translate, &command_eval, &command_tokenize,
    &command_view,  &command_info,      NULL,
};

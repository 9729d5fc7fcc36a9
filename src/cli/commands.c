/* The list of subcommands; see the header. */
#include "cli/commands.h"

extern const Command command_train;
extern const Command command_translate;
extern const Command command_align;
extern const Command command_score;
extern const Command command_eval;
extern const Command command_tokenize;
extern const Command command_view;
extern const Command command_average;
extern const Command command_info;
extern const Command command_bench;
extern const Command command_quantize;
extern const Command command_serve;

const Command *const COMMANDS[] = {
    &command_train,    &command_translate, &command_align, &command_score, &command_eval,
    &command_tokenize, &command_average,   &command_view,  &command_info,  &command_quantize,
    &command_bench,    &command_serve,     NULL,
};

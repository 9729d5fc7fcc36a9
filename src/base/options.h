/* The options of a subcommand: one table, which parsing, checking, --help, the manual page, the
 * configuration file and the settings kept in a model all read.
 *
 *     static const Option OPTIONS[] = {
 *         {"beam-size", 'b', OPTION_INT, offsetof(Settings, beam_size), "5", 1, 1024, "N", "..."},
 *         ...
 *         {NULL}};
 *
 * A value goes to `offset` in the command's settings struct:
 *     OPTION_FLAG   int 0 or 1; takes no value; "--no-NAME" sets 0
 *     OPTION_INT    int in min .. max
 *     OPTION_REAL   double in min .. max
 *     OPTION_TEXT   const char *, NULL when there is no fallback; points into argv or the table
 *     OPTION_CHOICE int, the index in `value`, which reads "first|second|third"
 * Long options may be written "--name value" or "--name=value", short ones "-b 5" or "-b5"; "--"
 * ends the options. Everything else is an operand.
 *
 * Every command also takes --help and, unless its table has a "config" of its own, --config FILE. A
 * configuration file has lines of
 * "name = value", the names and values of the table; a line that begins with # and a blank line say
 * nothing. What the command line gives wins over the file, and both win over presets. */
#ifndef HEED_BASE_OPTIONS_H
#define HEED_BASE_OPTIONS_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/status.h"

typedef enum OptionKind {
    OPTION_FLAG,
    OPTION_INT,
    OPTION_REAL,
    OPTION_TEXT,
    OPTION_CHOICE
} OptionKind;

typedef struct Option {
    const char *name; /* without dashes; NULL ends the table */
    char letter;      /* or 0 */
    OptionKind kind;
    size_t offset;
    const char *fallback; /* the default as a user would write it, NULL for none */
    double min, max;      /* of numbers */
    const char *value;    /* how --help names the value; the choices of OPTION_CHOICE */
    const char *help;     /* one or two lines of plain text */
} Option;

struct Command;

enum { OPTIONS_MAX = 128, OPERANDS_MAX = 4096, CONFIG_FILE_MAX_BYTES = 1 << 20 };

/* What the command line said. */
typedef struct Parsed {
    const struct Command *command;
    void *settings;
    unsigned char
        given[OPTIONS_MAX]; /* by index in the table: the user set it, here or in a file */
    const char **operands;  /* point into argv; the array is owned by Parsed */
    int n_operands;
    int wants_help;
    const char *config_path; /* of --config, or NULL */
    Buffer config;           /* its text, to which text options point */
} Parsed;

typedef struct Command {
    const char *name;
    const char *operands; /* as usage shows them, "" for none */
    const char *summary;  /* one line */
    const char *details;  /* a paragraph or examples for --help, or "" */
    const Option *options;
    size_t settings_size;
    int max_operands;
    /* Runs it. The settings are checked; err gets the sentence. */
    Status (*run)(const Parsed *parsed, Error *err);
} Command;

/* Fills settings with the fallbacks, then with what argv[0 .. argc-1] says (the words after the
 * subcommand) and what the file of --config adds. ERR_ARG with "--name value: must be between ...".
 * On success the caller releases out with options_free; `settings` is owned by the caller. */
Status options_parse(Parsed *out, const Command *command, void *settings, int argc, char **argv,
                     Error *err) MUST_USE;
void options_free(Parsed *parsed);

/* The same from "option = value" lines alone, as a configuration file has them; origin is the
 * file's name in sentences. The text is copied. */
Status options_parse_lines(Parsed *out, const Command *command, void *settings, const char *text,
                           const char *origin, Error *err) MUST_USE;

/* Sets one option from its text unless the user gave it; used by presets, whose name is `origin` in
 * the sentence. The text must outlive the settings. */
Status options_preset(Parsed *parsed, const char *name, const char *text, const char *origin,
                      Error *err) MUST_USE;

/* Whether the user gave the option; name must be in the table. */
int options_given(const Parsed *parsed, const char *name);

/* Appends "name = value" lines for all options that have a value. */
Status options_print(const Command *command, const void *settings, Buffer *out,
                     Error *err) MUST_USE;

/* What becomes of an option when a run goes on that has settings of its own. */
typedef enum Adoption {
    ADOPT_NOT,  /* it stays as the user has it */
    ADOPT_OPEN, /* it is taken unless the user gave it */
    ADOPT_FIXED /* it is taken, and what the user gave must be the same */
} Adoption;

typedef Adoption (*AdoptionRule)(const Parsed *parsed, const char *name);

/* Takes the lines that options_print wrote, each as the rule says. text is cut up in place and must
 * outlive the settings; origin is the file in sentences. ERR_ARG with both values when they differ,
 * ERR_FORMAT for what is no setting. */
Status options_adopt(Parsed *parsed, char *text, AdoptionRule rule, const char *origin,
                     Error *err) MUST_USE;

/* Appends the text of --help. */
Status options_help(const Command *command, Buffer *out, Error *err) MUST_USE;

#endif

/* Option tables; see the header. */
#include "base/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/nearest.h"

/* Where a value came from, for sentences: "--beam-size 0" or "heed.conf: beam-size 0". */
typedef struct Origin {
    const char *file; /* NULL for the command line */
    const Option *option;
    const char *text;
} Origin;

static Status refuse(const Origin *origin, Error *err, const char *expectation)
{
    if (origin->file != NULL) {
        return fail(err, ERR_ARG, "%s: %s = %.200s: %s", origin->file, origin->option->name,
                    origin->text, expectation);
    }
    return fail(err, ERR_ARG, "--%s %.200s: %s", origin->option->name, origin->text, expectation);
}

static Status refuse_range(const Origin *origin, Error *err)
{
    char bounds[96];
    const Option *o = origin->option;
    if (o->kind == OPTION_INT) {
        (void)snprintf(bounds, sizeof bounds, "must be an integer between %.0f and %.0f", o->min,
                       o->max);
    } else {
        (void)snprintf(bounds, sizeof bounds, "must be a number between %g and %g", o->min, o->max);
    }
    return refuse(origin, err, bounds);
}

/* Parses a plain number; the program never leaves the C locale, so a point is a point. */
static int parse_number(const char *text, double *out)
{
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && isfinite(*out);
}

/* The index of text among "a|b|c", or -1. */
static int find_choice(const char *choices, const char *text)
{
    const size_t len = strlen(text);
    int index = 0;
    for (const char *at = choices;; index++) {
        const size_t n = strcspn(at, "|");
        if (n == len && memcmp(at, text, len) == 0) {
            return index;
        }
        if (at[n] == '\0') {
            return -1;
        }
        at += n + 1;
    }
}

static Status store(void *settings, const Origin *origin, Error *err)
{
    const Option *o = origin->option;
    void *place = (char *)settings + o->offset;
    double number = 0;
    int index;
    switch (o->kind) {
    case OPTION_FLAG:
        index = find_choice("0|1|false|true|no|yes", origin->text);
        if (index < 0) {
            return refuse(origin, err, "must be yes or no");
        }
        *(int *)place = index % 2;
        break;
    case OPTION_INT:
        if (!parse_number(origin->text, &number) || number != floor(number) || number < o->min ||
            number > o->max) {
            return refuse_range(origin, err);
        }
        *(int *)place = (int)number;
        break;
    case OPTION_REAL:
        if (!parse_number(origin->text, &number) || number < o->min || number > o->max) {
            return refuse_range(origin, err);
        }
        *(double *)place = number;
        break;
    case OPTION_TEXT:
        *(const char **)place = origin->text;
        break;
    case OPTION_CHOICE:
        index = find_choice(o->value, origin->text);
        if (index < 0) {
            char expectation[256];
            (void)snprintf(expectation, sizeof expectation, "must be one of %.200s", o->value);
            return refuse(origin, err, expectation);
        }
        *(int *)place = index;
        break;
    }
    return OK;
}

static int count_options(const Command *command)
{
    int n = 0;
    while (command->options[n].name != NULL) {
        n++;
    }
    return n;
}

static Status store_fallbacks(const Command *command, void *settings, Error *err)
{
    memset(settings, 0, command->settings_size);
    for (const Option *o = command->options; o->name != NULL; o++) {
        if (o->fallback != NULL) {
            TRY(store(settings, &(Origin){NULL, o, o->fallback}, err));
        }
    }
    return OK;
}

/* Finds "name" or "no-name" (flags only) among the options; -1 when it is unknown. */
static int find_long(const Command *command, const char *name, size_t len, int *negated)
{
    *negated = 0;
    for (int i = 0; command->options[i].name != NULL; i++) {
        const Option *o = &command->options[i];
        if (strlen(o->name) == len && memcmp(o->name, name, len) == 0) {
            return i;
        }
        if (o->kind == OPTION_FLAG && len > 3 && memcmp(name, "no-", 3) == 0 &&
            strlen(o->name) == len - 3 && memcmp(o->name, name + 3, len - 3) == 0) {
            *negated = 1;
            return i;
        }
    }
    return -1;
}

/* Every command reads configuration files, unless its table has a --config of its own. */
static int has_config_file(const Command *command)
{
    int negated;
    return find_long(command, "config", 6, &negated) < 0;
}

static int find_letter(const Command *command, char letter)
{
    for (int i = 0; command->options[i].name != NULL; i++) {
        if (command->options[i].letter == letter) {
            return i;
        }
    }
    return -1;
}

/* What other programs of this kind call it, where no letters are alike. */
static const char *find_synonym(const Command *command, const char *name, size_t len)
{
    static const char *const SYNONYMS[][2] = {
        {"epochs", "after"},      {"max-epochs", "after"},   {"batch-size", "mini-batch"},
        {"lr", "learn-rate"},     {"src", "train-source"},   {"tgt", "train-target"},
        {"src", "source"},        {"tgt", "target"},         {"patience", "early-stopping"},
        {"dim-emb", "embedding"}, {"dim-rnn", "hidden"},     {"workers", "threads"},
        {"jobs", "threads"},      {"cpu-threads", "threads"}};
    for (size_t i = 0; i < sizeof SYNONYMS / sizeof *SYNONYMS; i++) {
        const char *const *s = SYNONYMS[i];
        for (const Option *o = command->options; o->name != NULL; o++) {
            if (strlen(s[0]) == len && memcmp(s[0], name, len) == 0 && strcmp(s[1], o->name) == 0) {
                return o->name;
            }
        }
    }
    return NULL;
}

/* The option that a mistyped name is near to, or NULL. */
static const char *find_near(const Command *command, const char *name, size_t len)
{
    const char *best = NULL;
    int least = NEAREST_NEVER;
    for (const Option *o = command->options; o->name != NULL; o++) {
        const int distance = nearest_distance(name, len, o->name);
        if (distance < least) {
            least = distance;
            best = o->name;
        }
    }
    return nearest_distance(name, len, "config") < least ? "config" : best;
}

/* word is what the user wrote, of which name (len) is the option's name without dashes. place is
 * "" or "FILE:LINE: ". */
static Status unknown(const Command *command, const char *place, const char *word, const char *name,
                      size_t len, Error *err)
{
    const char *synonym = find_synonym(command, name, len);
    const char *near = synonym != NULL ? synonym : find_near(command, name, len);
    const char *dashes = place[0] == '\0' ? "--" : "";
    if (near != NULL) {
        return fail(err, ERR_ARG,
                    "%.400s%.200s: unknown option; did you mean %s%s? `heed %s --help` lists them",
                    place, word, dashes, near, command->name);
    }
    return fail(err, ERR_ARG, "%.400s%.200s: unknown option; `heed %s --help` lists them", place,
                word, command->name);
}

/* Reads the option at argv[*at] and moves *at past it and its value. */
static Status parse_option(Parsed *parsed, int argc, char **argv, int *at, Error *err)
{
    const char *word = argv[*at];
    const char *value = NULL;
    int negated = 0, index;
    if (word[1] == '-') {
        const size_t len = strcspn(word + 2, "=");
        value = word[2 + len] == '=' ? word + 3 + len : NULL;
        if (len == 4 && memcmp(word + 2, "help", 4) == 0) {
            parsed->wants_help = 1;
            (*at)++;
            return OK;
        }
        if (len == 6 && memcmp(word + 2, "config", 6) == 0 && has_config_file(parsed->command)) {
            if (value == NULL && *at + 1 >= argc) {
                return fail(err, ERR_ARG, "--config: needs a value (FILE)");
            }
            parsed->config_path = value != NULL ? value : argv[++*at];
            (*at)++;
            return OK;
        }
        index = find_long(parsed->command, word + 2, len, &negated);
    } else {
        index = find_letter(parsed->command, word[1]);
        value = word[2] != '\0' ? word + 2 : NULL;
        if (index < 0 && word[1] == 'h' && value == NULL) {
            parsed->wants_help = 1;
            (*at)++;
            return OK;
        }
    }
    if (index < 0) {
        const size_t len = word[1] == '-' ? strcspn(word + 2, "=") : 0;
        return unknown(parsed->command, "", word, word + 2, len, err);
    }
    const Option *o = &parsed->command->options[index];
    if (o->kind == OPTION_FLAG) {
        if (value != NULL) {
            return fail(err, ERR_ARG, "%.200s: the option --%s takes no value", word, o->name);
        }
        value = negated ? "no" : "yes";
    } else if (value == NULL) {
        if (*at + 1 >= argc) {
            return fail(err, ERR_ARG, "--%s: needs a value (%s)", o->name, o->value);
        }
        value = argv[++*at];
    }
    (*at)++;
    parsed->given[index] = 1;
    return store(parsed->settings, &(Origin){NULL, o, value}, err);
}

/* Reads the whole file into parsed->config. */
static Status read_config(Parsed *parsed, Error *err)
{
    IoFile *file = NULL;
    TRY(io_open_read(&file, parsed->config_path, err));
    char part[4096];
    size_t len = 1;
    Status status = OK;
    while (len > 0 && status == OK) {
        status = io_read(file, part, sizeof part, &len, err);
        status = status == OK ? buffer_add(&parsed->config, part, len, err) : status;
        if (status == OK && parsed->config.len > CONFIG_FILE_MAX_BYTES) {
            status =
                fail(err, ERR_FORMAT, "%.400s: more than %d bytes; no configuration is that long",
                     parsed->config_path, CONFIG_FILE_MAX_BYTES);
        }
    }
    if (status == OK && parsed->config.len > 0 &&
        memchr(parsed->config.bytes, 0, parsed->config.len) != NULL) {
        status = fail(err, ERR_FORMAT, "%.400s: not text: it has a byte 0", parsed->config_path);
    }
    io_discard(file);
    return status;
}

/* Cuts blanks from both ends of a text, which it ends with a NUL; returns its beginning. */
static char *trim(char *begin, char *end)
{
    while (begin < end && strchr(" \t\r", *begin) != NULL) {
        begin++;
    }
    while (end > begin && strchr(" \t\r", end[-1]) != NULL) {
        end--;
    }
    *end = '\0';
    return begin;
}

/* Applies one line of a file, which is cut up in place. set_at holds, by option, the line that set
 * it, 0 for none. */
static Status apply_config_line(Parsed *parsed, char *line, size_t len, int number, int *set_at,
                                Error *err)
{
    char *text = trim(line, line + len);
    if (text[0] == '\0' || text[0] == '#') {
        return OK;
    }
    char place[512];
    (void)snprintf(place, sizeof place, "%.400s:%d", parsed->config_path, number);
    char *equals = strchr(text, '=');
    if (equals == NULL) {
        return fail(err, ERR_ARG, "%s: %.200s: must read option = value", place, text);
    }
    char *value = trim(equals + 1, equals + strlen(equals));
    char *name = trim(text, equals);
    int negated;
    const int index = find_long(parsed->command, name, strlen(name), &negated);
    if (index < 0 || negated) {
        (void)snprintf(place, sizeof place, "%.400s:%d: ", parsed->config_path, number);
        return unknown(parsed->command, place, name, name, strlen(name), err);
    }
    if (set_at[index] != 0) {
        return fail(err, ERR_ARG, "%s: %s is set a second time; line %d has it too", place, name,
                    set_at[index]);
    }
    set_at[index] = number;
    if (parsed->given[index]) {
        return OK;
    }
    parsed->given[index] = 1;
    const Option *o = &parsed->command->options[index];
    return store(parsed->settings, &(Origin){place, o, value}, err);
}

/* Applies parsed->config, which is cut up in place. */
static Status apply_config(Parsed *parsed, Error *err)
{
    int set_at[OPTIONS_MAX] = {0};
    char *at = parsed->config.bytes;
    for (int number = 1; at != NULL && *at != '\0'; number++) {
        const size_t len = strcspn(at, "\n");
        char *next = at[len] == '\n' ? at + len + 1 : NULL;
        TRY(apply_config_line(parsed, at, len, number, set_at, err));
        at = next;
    }
    return OK;
}

Status options_parse(Parsed *out, const Command *command, void *settings, int argc, char **argv,
                     Error *err)
{
    if (count_options(command) > OPTIONS_MAX) {
        return fail(err, ERR_ARG, "heed %s: more than %d options", command->name, OPTIONS_MAX);
    }
    Parsed parsed = {.command = command, .settings = settings};
    TRY(store_fallbacks(command, settings, err));
    parsed.operands = mem_zero_alloc((size_t)argc + 1, sizeof *parsed.operands);
    if (parsed.operands == NULL) {
        return mem_fail(err, "operands", (size_t)argc, sizeof *parsed.operands);
    }
    Status status = OK;
    int options_ended = 0;
    for (int at = 0; at < argc && status == OK;) {
        const char *word = argv[at];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = 1;
            at++;
        } else if (!options_ended && word[0] == '-' && word[1] != '\0') {
            status = parse_option(&parsed, argc, argv, &at, err);
        } else {
            parsed.operands[parsed.n_operands++] = word;
            at++;
        }
    }
    if (status == OK && !parsed.wants_help && parsed.config_path != NULL) {
        status = read_config(&parsed, err);
        status = status == OK ? apply_config(&parsed, err) : status;
    }
    if (status == OK && !parsed.wants_help && parsed.n_operands > command->max_operands) {
        status = fail(err, ERR_ARG, "%.200s: heed %s takes at most %d operand%s",
                      parsed.operands[command->max_operands], command->name, command->max_operands,
                      command->max_operands == 1 ? "" : "s");
    }
    if (status != OK) {
        options_free(&parsed);
        return status;
    }
    *out = parsed;
    return OK;
}

Status options_parse_lines(Parsed *out, const Command *command, void *settings, const char *text,
                           const char *origin, Error *err)
{
    Parsed parsed;
    TRY(options_parse(&parsed, command, settings, 0, NULL, err));
    parsed.config_path = origin;
    Status status = buffer_add_text(&parsed.config, text, err);
    status = status == OK ? apply_config(&parsed, err) : status;
    if (status != OK) {
        options_free(&parsed);
        return status;
    }
    *out = parsed;
    return OK;
}

void options_free(Parsed *parsed)
{
    mem_free(parsed->operands);
    parsed->operands = NULL;
    buffer_free(&parsed->config);
}

Status options_preset(Parsed *parsed, const char *name, const char *text, const char *origin,
                      Error *err)
{
    int negated;
    const int index = find_long(parsed->command, name, strlen(name), &negated);
    if (index < 0 || negated) {
        return fail(err, ERR_ARG, "%s: %.200s: unknown option; `heed %s --help` lists them", origin,
                    name, parsed->command->name);
    }
    if (parsed->given[index]) {
        return OK;
    }
    const Option *o = &parsed->command->options[index];
    return store(parsed->settings, &(Origin){origin, o, text}, err);
}

int options_given(const Parsed *parsed, const char *name)
{
    int negated;
    const int index = find_long(parsed->command, name, strlen(name), &negated);
    return index >= 0 && parsed->given[index];
}

/* Appends the index-th of "a|b|c". */
static Status add_choice(const char *choices, int index, Buffer *out, Error *err)
{
    for (; index > 0; index--) {
        choices += strcspn(choices, "|") + 1;
    }
    return buffer_add(out, choices, strcspn(choices, "|"), err);
}

/* Appends the value of an option, which is not NULL, as a user would write it. */
static Status print_value(const Option *o, const void *settings, Buffer *out, Error *err)
{
    const void *place = (const char *)settings + o->offset;
    switch (o->kind) {
    case OPTION_FLAG:
        return buffer_add_text(out, *(const int *)place ? "yes" : "no", err);
    case OPTION_INT:
        return buffer_printf(out, err, "%d", *(const int *)place);
    case OPTION_REAL:
        return number_add_double(out, *(const double *)place, "nan", err);
    case OPTION_TEXT:
        return buffer_add_text(out, *(const char *const *)place, err);
    case OPTION_CHOICE:
        return add_choice(o->value, *(const int *)place, out, err);
    }
    return OK;
}

static int has_value(const Option *o, const void *settings)
{
    const void *place = (const char *)settings + o->offset;
    return o->kind != OPTION_TEXT || *(const char *const *)place != NULL;
}

Status options_print(const Command *command, const void *settings, Buffer *out, Error *err)
{
    for (const Option *o = command->options; o->name != NULL; o++) {
        if (has_value(o, settings)) {
            TRY(buffer_printf(out, err, "%s = ", o->name));
            TRY(print_value(o, settings, out, err));
            TRY(buffer_add_byte(out, '\n', err));
        }
    }
    return OK;
}

/* Refuses what the user gave unless it is the value kept. */
static Status check_same(const Parsed *parsed, const Option *o, const char *kept, Error *err)
{
    Buffer given = {0};
    Status status = print_value(o, parsed->settings, &given, err);
    if (status == OK && strcmp(given.bytes == NULL ? "" : given.bytes, kept) != 0) {
        status = fail(err, ERR_ARG, "--%s %.200s: the run to resume has %.200s, which must stay",
                      o->name, given.bytes, kept);
    }
    buffer_free(&given);
    return status;
}

static Status adopt_line(Parsed *parsed, char *line, AdoptionRule rule, const char *origin,
                         Error *err)
{
    char *equals = strstr(line, " = ");
    int negated = 0;
    const int index =
        equals == NULL ? -1 : find_long(parsed->command, line, (size_t)(equals - line), &negated);
    if (index < 0 || negated) {
        return fail(err, ERR_FORMAT,
                    "%s: its settings have a line \"%.200s\"; no option of heed %s", origin, line,
                    parsed->command->name);
    }
    const Option *o = &parsed->command->options[index];
    const char *kept = equals + 3;
    switch (rule(parsed, o->name)) {
    case ADOPT_NOT:
        return OK;
    case ADOPT_FIXED:
        if (parsed->given[index]) {
            return check_same(parsed, o, kept, err);
        }
        break;
    case ADOPT_OPEN:
        if (parsed->given[index]) {
            return OK;
        }
        break;
    }
    if (store(parsed->settings, &(Origin){origin, o, kept}, err) != OK) {
        if (err != NULL) {
            err->code = ERR_FORMAT;
        }
        return ERR_FORMAT;
    }
    return OK;
}

Status options_adopt(Parsed *parsed, char *text, AdoptionRule rule, const char *origin, Error *err)
{
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        char *next = text + len + (text[len] == '\n');
        text[len] = '\0';
        TRY(adopt_line(parsed, text, rule, origin, err));
        text = next;
    }
    return OK;
}

/* "  -b, --beam-size N", then the help, indented, with bounds and default. */
static Status help_option(const Option *o, Buffer *out, Error *err)
{
    if (o->letter != 0) {
        TRY(buffer_printf(out, err, "  -%c, --%s", o->letter, o->name));
    } else {
        TRY(buffer_printf(out, err, "      --%s", o->name));
    }
    if (o->kind != OPTION_FLAG) {
        TRY(buffer_printf(out, err, " %s", o->value));
    }
    TRY(buffer_printf(out, err, "\n          %s", o->help));
    if (o->kind == OPTION_INT) {
        TRY(buffer_printf(out, err, " [%.0f to %.0f]", o->min, o->max));
    } else if (o->kind == OPTION_REAL) {
        TRY(buffer_printf(out, err, " [%g to %g]", o->min, o->max));
    }
    if (o->fallback != NULL && o->kind != OPTION_FLAG) {
        TRY(buffer_printf(out, err, " (default: %s)", o->fallback));
    }
    return buffer_add_byte(out, '\n', err);
}

Status options_help(const Command *command, Buffer *out, Error *err)
{
    TRY(buffer_printf(out, err, "Usage: heed %s [OPTION]...%s%s\n%s\n", command->name,
                      command->operands[0] != '\0' ? " " : "", command->operands,
                      command->summary));
    if (command->details[0] != '\0') {
        TRY(buffer_printf(out, err, "\n%s\n", command->details));
    }
    TRY(buffer_add_text(out, "\nOptions:\n", err));
    for (const Option *o = command->options; o->name != NULL; o++) {
        TRY(help_option(o, out, err));
    }
    if (has_config_file(command)) {
        TRY(buffer_add_text(out,
                            "      --config FILE\n"
                            "          Read options from lines of \"option = value\"; those given "
                            "here win.\n",
                            err));
    }
    return buffer_add_text(out, "  -h, --help\n          This text.\n", err);
}

/* heed: the program. Finds the subcommand, parses its options, runs it, and turns a failure into
 * one sentence on standard error and an exit code. The only place that ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "base/nearest.h"
#include "base/options.h"
#include "cli/signals.h"
#include "math/vec.h"

/* The sentence may quote what a file holds; one line is one line, and no quoted escape sequence
 * reaches the terminal. */
static int report(Status status, const Error *err)
{
    (void)fputs("heed: ", stderr);
    for (const char *c = err->message; *c != '\0'; c++) {
        (void)fputc((unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c, stderr);
    }
    (void)fputc('\n', stderr);
    return status == ERR_SIGNAL ? 128 + err->signal : status_exit_code(status);
}

/* Standard output is checked like any file: a full disk must not pass for success. */
static Status print(const Buffer *text, Error *err)
{
    if (fwrite(text->bytes, 1, text->len, stdout) != text->len || fflush(stdout) != 0) {
        return fail(err, ERR_IO, "standard output: cannot write");
    }
    return OK;
}

static Status print_overview(Error *err)
{
    Buffer text = {0};
    Status status =
        buffer_add_text(&text,
                        "Usage: heed COMMAND [OPTION]...\n"
                        "A translator you can see through: trains a GRU encoder-decoder "
                        "with attention on a small\n"
                        "parallel corpus, translates, and shows where it looked.\n\n"
                        "Commands:\n",
                        err);
    for (const Command *const *c = COMMANDS; *c != NULL && status == OK; c++) {
        status = buffer_printf(&text, err, "  %-10s %s\n", (*c)->name, (*c)->summary);
    }
    if (status == OK) {
        status = buffer_add_text(&text, "\n`heed COMMAND --help` lists the options of a command.\n",
                                 err);
    }
    status = status == OK ? print(&text, err) : status;
    buffer_free(&text);
    return status;
}

static Status print_help(const Command *command, Error *err)
{
    Buffer text = {0};
    Status status = options_help(command, &text, err);
    status = status == OK ? print(&text, err) : status;
    buffer_free(&text);
    return status;
}

/* What `make install` asks for: "--manual", "--completion bash", "--completion zsh". *is_known is 0
 * when the words are none of these. */
static Status print_generated(int *is_known, int argc, char **argv, Error *err)
{
    const char *shell = argc == 3 && strcmp(argv[1], "--completion") == 0 ? argv[2] : "";
    const int is_manual = argc == 2 && strcmp(argv[1], "--manual") == 0;
    const int is_bash = strcmp(shell, "bash") == 0, is_zsh = strcmp(shell, "zsh") == 0;
    *is_known = is_manual || is_bash || is_zsh;
    if (!*is_known) {
        return OK;
    }
    Buffer text = {0};
    Status status = is_manual ? manual_page(COMMANDS, &text, err)
                    : is_bash ? completion_bash(COMMANDS, &text, err)
                              : completion_zsh(COMMANDS, &text, err);
    status = status == OK ? print(&text, err) : status;
    buffer_free(&text);
    return status;
}

static Status refuse_command(const char *name, Error *err)
{
    static const char *const OTHERS[] = {"--help", "--version", NULL};
    const char *near = NULL;
    int least = NEAREST_NEVER;
    for (const char *const *o = OTHERS; *o != NULL; o++) {
        const int distance = nearest_distance(name, strlen(name), *o);
        if (distance < least) {
            least = distance;
            near = *o;
        }
    }
    for (const Command *const *c = COMMANDS; *c != NULL; c++) {
        const int distance = nearest_distance(name, strlen(name), (*c)->name);
        if (distance < least) {
            least = distance;
            near = (*c)->name;
        }
    }
    if (near == NULL) {
        return fail(err, ERR_ARG, "%.200s: unknown command; `heed --help` lists them", name);
    }
    return fail(err, ERR_ARG, "%.200s: unknown command; did you mean %s? `heed --help` lists them",
                name, near);
}

static Status run_command(const Command *command, int argc, char **argv, Error *err)
{
    void *settings = mem_zero_alloc(1, command->settings_size);
    if (settings == NULL) {
        return mem_fail(err, "settings", 1, command->settings_size);
    }
    Parsed parsed;
    Status status = options_parse(&parsed, command, settings, argc, argv, err);
    if (status == OK) {
        status = parsed.wants_help ? print_help(command, err) : vec_check(err);
        if (status == OK && !parsed.wants_help) {
            status = command->run(&parsed, err);
        }
        options_free(&parsed);
    }
    mem_free(settings);
    return status;
}

static Status dispatch(int argc, char **argv, Error *err)
{
    const char *name = argc < 2 ? "--help" : argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        TRY(print_overview(err));
        return argc < 2 ? fail(err, ERR_ARG, "no command given; see the list above") : OK;
    }
    if (strcmp(name, "--version") == 0) {
        static char version[] = "heed " HEED_VERSION "\n";
        return print(&(Buffer){.bytes = version, .len = sizeof version - 1}, err);
    }
    for (const Command *const *c = COMMANDS; *c != NULL; c++) {
        if (strcmp(name, (*c)->name) == 0) {
            return run_command(*c, argc - 2, argv + 2, err);
        }
    }
    int is_known;
    TRY(print_generated(&is_known, argc, argv, err));
    return is_known ? OK : refuse_command(name, err);
}

/* OpenBLAS starts threads before main, and one that finds no room for its 128 MB asks for ever; where
 * the address space has a limit, the end of the program must not wait for it. */
static int leave(int code)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        (void)fflush(NULL);
        _exit(code);
    }
    return code;
}

int main(int argc, char **argv)
{
    Error err = {0};
    signals_begin();
    const Status status = dispatch(argc, argv, &err);
    return leave(status == OK ? EXIT_SUCCESS : report(status, &err));
}

/* Shell completion; see the header. */
#include "cli/completion.h"

#include <string.h>

/* Appends "a b c" for "a|b|c". */
static Status add_choices(Buffer *out, const char *choices, Error *err)
{
    for (; *choices != '\0'; choices++) {
        TRY(buffer_add_byte(out, *choices == '|' ? ' ' : *choices, err));
    }
    return OK;
}

static Status add_command_names(Buffer *out, const Command *const *commands, Error *err)
{
    for (const Command *const *c = commands; *c != NULL; c++) {
        TRY(buffer_printf(out, err, "%s%s", c == commands ? "" : " ", (*c)->name));
    }
    return OK;
}

/* The case of one command: its options, and what may follow each of them. */
static Status add_bash_command(Buffer *out, const Command *command, Error *err)
{
    TRY(buffer_printf(out, err,
                      "    %s)\n"
                      "        options='--config --help",
                      command->name));
    for (const Option *o = command->options; o->name != NULL; o++) {
        TRY(buffer_printf(out, err, " --%s", o->name));
    }
    TRY(buffer_add_text(out, "'\n        case $before in\n", err));
    for (const Option *o = command->options; o->name != NULL; o++) {
        if (o->kind == OPTION_FLAG || o->kind == OPTION_TEXT) {
            continue;
        }
        TRY(buffer_printf(out, err, "        --%s", o->name));
        if (o->letter != 0) {
            TRY(buffer_printf(out, err, " | -%c", o->letter));
        }
        if (o->kind == OPTION_CHOICE) {
            TRY(buffer_add_text(out, ") words='", err));
            TRY(add_choices(out, o->value, err));
            TRY(buffer_add_text(out, "' ;;\n", err));
        } else {
            TRY(buffer_add_text(out, ") words=number ;;\n", err));
        }
    }
    return buffer_add_text(out,
                           "        esac\n"
                           "        ;;\n",
                           err);
}

Status completion_bash(const Command *const *commands, Buffer *out, Error *err)
{
    TRY(buffer_add_text(out,
                        "# bash completion for heed, written by `heed --completion bash`.\n"
                        "_heed()\n"
                        "{\n"
                        "    local word=${COMP_WORDS[COMP_CWORD]} before= options= words= names='",
                        err));
    TRY(add_command_names(out, commands, err));
    TRY(buffer_add_text(
        out,
        "'\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"$names --help --version\" -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    case ${COMP_WORDS[1]} in\n",
        err));
    for (const Command *const *c = commands; *c != NULL; c++) {
        TRY(add_bash_command(out, *c, err));
    }
    return buffer_add_text(out,
                           "    esac\n"
                           "    if [ \"$words\" = number ]; then\n"
                           "        return\n"
                           "    elif [ -n \"$words\" ]; then\n"
                           "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                           "    elif [ \"${word#-}\" != \"$word\" ]; then\n"
                           "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                           "    else\n"
                           "        compopt -o filenames 2>/dev/null\n"
                           "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                           "    fi\n"
                           "}\n"
                           "complete -F _heed heed\n",
                           err);
}

/* Appends text inside single quotes and brackets of an _arguments specification. */
static Status add_zsh_text(Buffer *out, const char *text, size_t len, Error *err)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'') {
            TRY(buffer_add_text(out, "'\\''", err));
            continue;
        }
        if (strchr("[]:\\", text[i]) != NULL) {
            TRY(buffer_add_byte(out, '\\', err));
        }
        TRY(buffer_add_byte(out, text[i] == '\n' ? ' ' : text[i], err));
    }
    return OK;
}

static Status add_zsh_option(Buffer *out, const Option *o, Error *err)
{
    if (o->letter != 0) {
        TRY(buffer_printf(out, err, "            '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name,
                          o->letter, o->kind == OPTION_FLAG ? "" : "+", o->name,
                          o->kind == OPTION_FLAG ? "" : "="));
    } else {
        TRY(buffer_printf(out, err, "            '--%s%s[", o->name,
                          o->kind == OPTION_FLAG ? "" : "="));
    }
    TRY(add_zsh_text(out, o->help, strlen(o->help), err));
    TRY(buffer_add_byte(out, ']', err));
    if (o->kind == OPTION_CHOICE) {
        TRY(buffer_printf(out, err, ":%s:(", o->name));
        TRY(add_choices(out, o->value, err));
        TRY(buffer_add_byte(out, ')', err));
    } else if (o->kind != OPTION_FLAG) {
        TRY(buffer_add_byte(out, ':', err));
        TRY(add_zsh_text(out, o->value, strlen(o->value), err));
        TRY(buffer_add_byte(out, ':', err));
        TRY(buffer_add_text(out, o->kind == OPTION_TEXT ? "_files" : " ", err));
    }
    return buffer_add_text(out, "' \\\n", err);
}

Status completion_zsh(const Command *const *commands, Buffer *out, Error *err)
{
    TRY(buffer_add_text(out,
                        "#compdef heed\n"
                        "# zsh completion for heed, written by `heed --completion zsh`.\n"
                        "_heed()\n"
                        "{\n"
                        "    local -a names\n"
                        "    names=(\n",
                        err));
    for (const Command *const *c = commands; *c != NULL; c++) {
        TRY(buffer_printf(out, err, "        '%s:", (*c)->name));
        TRY(add_zsh_text(out, (*c)->summary, strlen((*c)->summary), err));
        TRY(buffer_add_text(out, "'\n", err));
    }
    TRY(buffer_add_text(out,
                        "    )\n"
                        "    if (( CURRENT == 2 )); then\n"
                        "        _describe -t commands command names\n"
                        "        return\n"
                        "    fi\n"
                        "    local name=$words[2]\n"
                        "    shift words\n"
                        "    (( CURRENT-- ))\n"
                        "    case $name in\n",
                        err));
    for (const Command *const *c = commands; *c != NULL; c++) {
        TRY(buffer_printf(out, err, "    %s)\n        _arguments -s -S \\\n", (*c)->name));
        for (const Option *o = (*c)->options; o->name != NULL; o++) {
            TRY(add_zsh_option(out, o, err));
        }
        TRY(buffer_add_text(out,
                            "            '--config=[read options from a file]:file:_files' \\\n"
                            "            '(-h --help)'{-h,--help}'[list the options]' \\\n"
                            "            '*:file:_files'\n"
                            "        ;;\n",
                            err));
    }
    return buffer_add_text(out,
                           "    esac\n"
                           "}\n"
                           "if [ \"$funcstack[1]\" = _heed ]; then\n"
                           "    _heed \"$@\"\n"
                           "else\n"
                           "    compdef _heed heed\n"
                           "fi\n",
                           err);
}

/* The words of a command line, one to a line, for the command that the first byte chooses; with the
 * first byte's high bit, the lines of a configuration file. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "fuzz/fuzz.h"

enum { MAX_WORDS = 64, MAX_BYTES = 4096 };

static void parse(const Command *command, int n_words, char **words)
{
    Error err = {.code = OK};
    Parsed parsed;
    void *settings = mem_zero_alloc(1, command->settings_size);
    if (settings == NULL) {
        return;
    }
    const Status status = options_parse(&parsed, command, settings, n_words, words, &err);
    if (status == OK) {
        Buffer text = {0};
        if (options_print(command, settings, &text, &err) != OK) {
            fuzz_expect(err.code == ERR_NOMEM, "accepted options can be printed");
        }
        buffer_free(&text);
        options_free(&parsed);
    } else {
        fuzz_expect(err.message[0] != '\0', "a refusal has a sentence");
    }
    mem_free(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    int n_commands = 0;
    while (COMMANDS[n_commands] != NULL) {
        n_commands++;
    }
    if (len == 0 || len > MAX_BYTES) {
        return 0;
    }
    const Command *command = COMMANDS[bytes[0] % 128 % n_commands];
    if (bytes[0] >= 128) {
        char option[] = "--config", *words[2] = {option, NULL};
        char path[64];
        strncpy(path, fuzz_file(bytes + 1, len - 1), sizeof path - 1);
        path[sizeof path - 1] = '\0';
        words[1] = path;
        parse(command, 2, words);
        return 0;
    }
    char text[MAX_BYTES], *words[MAX_WORDS];
    int n_words = 0;
    memcpy(text, bytes + 1, len - 1);
    text[len - 1] = '\0';
    for (char *word = text; word != NULL && n_words < MAX_WORDS;) {
        char *end = strchr(word, '\n');
        words[n_words++] = word;
        word = end == NULL ? NULL : end + 1;
        if (end != NULL) {
            *end = '\0';
        }
        if (strncmp(words[n_words - 1], "--conf", 6) == 0) {
            return 0; /* would open any file of this machine */
        }
    }
    parse(command, n_words, words);
    return 0;
}

/* base/options: memory that is refused at any moment leaves no leak and a sentence; texts of every kind. */
#include "base/options.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"
#include "support/scratch.h"

typedef struct Settings {
    int number, flag, choice;
    double real;
    const char *text;
} Settings;

static const Option OPTIONS[] = {
    {"number", 'n', OPTION_INT, offsetof(Settings, number), "5", 1, 9, "N", "a number"},
    {"real", 0, OPTION_REAL, offsetof(Settings, real), "0.5", 0, 1, "X", "a share"},
    {"flag", 'f', OPTION_FLAG, offsetof(Settings, flag), NULL, 0, 0, NULL, "a flag"},
    {"choice", 0, OPTION_CHOICE, offsetof(Settings, choice), "one", 0, 0, "one|two", "a choice"},
    {"text", 't', OPTION_TEXT, offsetof(Settings, text), NULL, 0, 0, "TEXT", "a text"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

static const Command COMMAND = {.name = "try",
                                .operands = "[FILE]...",
                                .summary = "a command",
                                .details = "",
                                .options = OPTIONS,
                                .settings_size = sizeof(Settings),
                                .max_operands = 3};

static char config_path[SCRATCH_PATH];

/* Everything a command does with its options: a file of them, the command line, --help, the lines
 * that a model keeps, and taking those up again. */
static Status use_all(Error *err)
{
    char number[] = "-n7", file[] = "--config", operand[] = "in";
    char *words[] = {number, file, config_path, operand};
    Settings settings = {0};
    Parsed parsed;
    Buffer text = {0}, help = {0};
    TRY(options_parse(&parsed, &COMMAND, &settings, 4, words, err));
    Status status = options_print(&COMMAND, &settings, &text, err);
    status = status == OK ? options_help(&COMMAND, &help, err) : status;
    if (status == OK) {
        ck_assert_int_eq(settings.number, 7);
        ck_assert_str_eq(settings.text, "a text of its own");
        ck_assert_int_eq(settings.choice, 1);
        ck_assert_ptr_nonnull(strstr(text.bytes, "text = a text of its own\n"));
        ck_assert_ptr_nonnull(strstr(help.bytes, "--choice one|two"));
        ck_assert_int_eq(parsed.n_operands, 1);
    }
    buffer_free(&text);
    buffer_free(&help);
    options_free(&parsed);
    return status;
}

START_TEST(memory_refused_at_any_moment_is_an_error)
{
    static const char config[] =
        "# of a run\nnumber = 3\nchoice = two\ntext = a text of its own\nflag = yes\n";
    Error err;
    scratch_path(config_path, "config");
    scratch_write(config_path, config, sizeof config - 1);
    ck_assert_int_eq(use_all(&err), OK);
    int has_failed = 1, n_failures = 0;
    for (long n = 1; has_failed; n++) {
        mem_fail_at(n, 1);
        const Status status = use_all(&err);
        has_failed = mem_failed();
        mem_fail_at(0, 0);
        ck_assert_int_eq(status, has_failed ? ERR_NOMEM : OK);
        n_failures += has_failed;
    }
    ck_assert_int_ge(n_failures, 4);
    scratch_clean();
}
END_TEST

typedef struct Case {
    const char *text, *sentence;
} Case;

static const Case BAD[] = {
    {"number = 0\n", "between 1 and 9"},
    {"number = 10\n", "between 1 and 9"},
    {"number = 99999999999999999999\n", "between 1 and 9"},
    {"number = 3x\n", "between 1 and 9"},
    {"number =\n", "number"},
    {"real = 1.5\n", "between 0 and 1"},
    {"real = nan\n", "between 0 and 1"},
    {"choice = three\n", "one|two"},
    {"flag = perhaps\n", "yes or no"},
    {"nothing = 1\n", "nothing"},
    {"number\n", "number"},
    {"= 3\n", "unknown option"},
};
enum { N_BAD = sizeof BAD / sizeof *BAD };

START_TEST(bad_lines_are_refused_with_their_origin)
{
    Settings settings = {0};
    Parsed parsed;
    Error err = {.code = OK};
    const Status status =
        options_parse_lines(&parsed, &COMMAND, &settings, BAD[_i].text, "the.file", &err);
    ck_assert_msg(status != OK, "accepted: %s", BAD[_i].text);
    ck_assert_msg(strstr(err.message, "the.file") != NULL, "%s", err.message);
    ck_assert_msg(strstr(err.message, BAD[_i].sentence) != NULL, "%s", err.message);
}
END_TEST

static Adoption fixed(const Parsed *parsed, const char *name)
{
    (void)parsed;
    return strcmp(name, "text") == 0   ? ADOPT_NOT
           : strcmp(name, "flag") == 0 ? ADOPT_OPEN
                                       : ADOPT_FIXED;
}

START_TEST(settings_of_a_run_are_taken_up)
{
    char word[] = "--number=4";
    char *words[] = {word};
    char same[] = "number = 4\nflag = yes\ntext = other\nreal = 0.25\n", other[] = "number = 5\n",
         none[] = "number 4\n", unknown[] = "nothing = 4\n", bad[] = "real = x\n";
    Settings settings = {0};
    Parsed parsed;
    Error err;
    ck_assert_int_eq(options_parse(&parsed, &COMMAND, &settings, 1, words, &err), OK);
    ck_assert_int_eq(options_adopt(&parsed, same, fixed, "m", &err), OK);
    ck_assert_int_eq(settings.flag, 1);
    ck_assert(settings.real == 0.25 && settings.text == NULL);
    ck_assert_int_eq(options_adopt(&parsed, other, fixed, "m", &err), ERR_ARG);
    ck_assert_int_eq(options_adopt(&parsed, none, fixed, "m", &err), ERR_FORMAT);
    ck_assert_int_ne(options_adopt(&parsed, unknown, fixed, "m", &err), OK);
    ck_assert_int_ne(options_adopt(&parsed, bad, fixed, "m", &err), OK);
    options_free(&parsed);
}
END_TEST

TEST_MAIN("options", tcase_add_test(c, memory_refused_at_any_moment_is_an_error);
          tcase_add_loop_test(c, bad_lines_are_refused_with_their_origin, 0, N_BAD);
          tcase_add_test(c, settings_of_a_run_are_taken_up);)

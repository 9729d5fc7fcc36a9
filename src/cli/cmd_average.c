/* heed average: several models of one run to one. */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/options.h"
#include "cli/commands.h"
#include "cli/live_line.h"
#include "model/average.h"

typedef struct Settings {
    const char *model, *weights;
    int overwrite, is_quiet;
} Settings;

static const Option OPTIONS[] = {
    {"model", 'm', OPTION_TEXT, offsetof(Settings, model), NULL, 0, 0, "OUT.safetensors",
     "the model to write"},
    {"weights", 'w', OPTION_TEXT, offsetof(Settings, weights), NULL, 0, 0, "X,Y,...",
     "how much each model counts, a number for each; equal without"},
    {"overwrite", 0, OPTION_FLAG, offsetof(Settings, overwrite), NULL, 0, 0, NULL,
     "replace an existing file"},
    {"quiet", 'q', OPTION_FLAG, offsetof(Settings, is_quiet), NULL, 0, 0, NULL, "no progress"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

/* Reads "1,2,0.5" into weights [n]. */
static Status parse_weights(double *weights, const char *text, int n, Error *err)
{
    double sum = 0;
    const char *at = text;
    for (int k = 0; k < n; k++) {
        char *end;
        weights[k] = strtod(at, &end);
        const char expected = k + 1 < n ? ',' : '\0';
        if (end == at || *end != expected || !(weights[k] >= 0 && weights[k] <= 1e9)) {
            return fail(err, ERR_ARG,
                        "--weights %.200s: must be %d numbers from 0 to 1e9 with commas between",
                        text, n);
        }
        sum += weights[k];
        at = end + 1;
    }
    return sum > 0 ? OK : fail(err, ERR_ARG, "--weights %.200s: all are 0", text);
}

static Status check_output(const Parsed *parsed, const Settings *s, Error *err)
{
    if (s->model == NULL) {
        return fail(err, ERR_ARG, "--model: is needed, the file to write");
    }
    for (int i = 0; i < parsed->n_operands; i++) {
        if (io_save_replaces(s->model, parsed->operands[i])) {
            return fail(err, ERR_ARG, "--model %s: would replace its input %s", s->model,
                        parsed->operands[i]);
        }
    }
    if (!s->overwrite && io_exists(s->model)) {
        return fail(err, ERR_ARG, "%s: exists; --overwrite replaces it", s->model);
    }
    return io_check_writable(s->model, err);
}

static Status average(const Parsed *parsed, const Settings *s, const double *weights, Error *err)
{
    Seq2Seq *model;
    ModelText text = {0};
    LiveLine live;
    live_begin(&live, s->is_quiet);
    Status status = average_load(&model, &text, parsed->operands, weights, parsed->n_operands,
                                 live_progress(&live), err);
    live_clear(&live);
    TRY(status);
    status = model_file_save(s->model, model, &text, err);
    seq2seq_free(model);
    model_text_free(&text);
    return status;
}

static Status run(const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    const int n = parsed->n_operands;
    if (n < 2) {
        return fail(err, ERR_ARG, "%d models given: at least 2 are averaged", n);
    }
    double *weights = mem_alloc((size_t)n, sizeof *weights);
    if (weights == NULL) {
        return mem_fail(err, "the weights", (size_t)n, sizeof *weights);
    }
    Status status = s->weights == NULL ? OK : parse_weights(weights, s->weights, n, err);
    status = status == OK ? check_output(parsed, s, err) : status;
    if (status == OK) {
        status = average(parsed, s, s->weights == NULL ? NULL : weights, err);
    }
    mem_free(weights);
    return status;
}

const Command command_average = {
    .name = "average",
    .operands = "A.safetensors B.safetensors...",
    .summary = "several models of one run to one",
    .details =
        "Averages the weights of models or checkpoints that have the same configuration and\n"
        "tokenizers: those of one run, or of runs that began from one model.\n\n"
        "  heed average M.safetensors M.last.safetensors --model N.safetensors",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = OPERANDS_MAX,
    .run = run,
};

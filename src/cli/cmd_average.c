/* heed average: the mean of the weights of several models. */
#include "cli/commands.h"

#include <stddef.h>
#include <string.h>

#include "base/io.h"
#include "base/io_save.h"
#include "base/mem.h"
#include "model/model_file.h"

enum { AVERAGE_MAX = 256 };

typedef struct Settings {
    const char *model;
    int overwrite;
} Settings;

static const Option OPTIONS[] = {{"model", 'm', OPTION_TEXT, offsetof(Settings, model), NULL, 0, 0,
                                  "OUT.safetensors", "The model to write."},
                                 {"overwrite", 0, OPTION_FLAG, offsetof(Settings, overwrite), NULL,
                                  0, 0, NULL, "Replace an existing model."},
                                 {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

static int is_same_text(const Buffer *a, const Buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

/* Adds the weights of the model at path to sum, which has the sizes and tokenizers that it must share. */
static Status add_model(Seq2Seq *sum, const ModelText *text, const char *first, const char *path,
                        Error *err)
{
    Seq2Seq *model;
    ModelText other;
    TRY(model_file_load(&model, &other, path, err));
    Status status = OK;
    if (memcmp(&model->config, &sum->config, sizeof model->config) != 0) {
        status = fail(err, ERR_FORMAT, "%s: has other sizes than %s", path, first);
    } else if (!is_same_text(&text->source_tokenizer, &other.source_tokenizer) ||
               !is_same_text(&text->target_tokenizer, &other.target_tokenizer)) {
        status = fail(err, ERR_FORMAT, "%s: has other vocabularies than %s", path, first);
    }
    for (size_t i = 0; status == OK && i < sum->params->count; i++) {
        sum->params->values[i] += model->params->values[i];
    }
    seq2seq_free(model);
    model_text_free(&other);
    return status;
}

static Status average(Seq2Seq *sum, const ModelText *text, const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    const int n = parsed->n_operands;
    for (int i = 1; i < n; i++) {
        TRY(add_model(sum, text, parsed->operands[0], parsed->operands[i], err));
    }
    for (size_t i = 0; i < sum->params->count; i++) {
        sum->params->values[i] /= (real)n;
    }
    return model_file_save(s->model, sum, text, err);
}

static Status run(const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    Seq2Seq *sum;
    ModelText text;
    if (s->model == NULL) {
        return fail(err, ERR_ARG, "--model: is needed, the file to write");
    }
    if (parsed->n_operands < 2) {
        return fail(err, ERR_ARG, "%d models given: at least 2 are averaged", parsed->n_operands);
    }
    if (!s->overwrite && io_exists(s->model)) {
        return fail(err, ERR_ARG, "%s: exists; --overwrite replaces it", s->model);
    }
    TRY(io_check_writable(s->model, err));
    TRY(model_file_load(&sum, &text, parsed->operands[0], err));
    const Status status = average(sum, &text, parsed, err);
    seq2seq_free(sum);
    model_text_free(&text);
    return status;
}

const Command command_average = {
    .name = "average",
    .operands = "MODEL MODEL...",
    .summary = "several models to one: the mean of their weights",
    .details =
        "The models share sizes and vocabularies: the best model and the checkpoints of one run,\n"
        "or runs that began from the same --init.\n\n"
        "  heed average M.safetensors M.last.safetensors --model mean.safetensors",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = AVERAGE_MAX,
    .run = run,
};

/* heed quantize: a smaller model for translating. */
#include "base/io.h"
#include "base/options.h"
#include "cli/commands.h"
#include "model/model_file.h"

typedef struct Settings {
    const char *model, *output;
    int type, overwrite;
} Settings;

#define AT(member) offsetof(Settings, member)

static const Option OPTIONS[] = {
    {"model", 'm', OPTION_TEXT, AT(model), NULL, 0, 0, "M.safetensors",
     "the model; of a checkpoint the weights alone"},
    {"output", 'o', OPTION_TEXT, AT(output), NULL, 0, 0, "Q.safetensors", "the model to write"},
    {"type", 0, OPTION_CHOICE, AT(type), "int8", 0, 0, "int8|bf16",
     "int8: a byte for each weight and a scale for each row, a fourth of the size, for translating "
     "alone; bf16: half the size"},
    {"overwrite", 0, OPTION_FLAG, AT(overwrite), NULL, 0, 0, NULL, "replace an existing file"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

static const ModelKind KINDS[] = {MODEL_INT8, MODEL_BF16}; /* by --type */

static Status check_paths(const Settings *s, Error *err)
{
    if (s->model == NULL) {
        return fail(err, ERR_ARG, "--model: is needed, the model file to make smaller");
    }
    if (s->output == NULL) {
        return fail(err, ERR_ARG, "--output: is needed, the file to write");
    }
    if (io_save_replaces(s->output, s->model)) {
        return fail(err, ERR_ARG, "--output %s: would replace its input %s", s->output, s->model);
    }
    if (!s->overwrite && io_exists(s->output)) {
        return fail(err, ERR_ARG, "%s: exists; --overwrite replaces it", s->output);
    }
    return io_check_writable(s->output, err);
}

static Status run(const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    Seq2Seq *model;
    ModelText text = {0};
    TRY(check_paths(s, err));
    TRY(model_file_load_numbers(&model, &text, s->model, err));
    const Status status = model_file_save_small(s->output, model, &text, KINDS[s->type], err);
    seq2seq_free(model);
    model_text_free(&text);
    return status;
}

const Command command_quantize = {
    .name = "quantize",
    .operands = "",
    .summary = "a smaller model for translating",
    .details =
        "Writes the weights of a model in fewer bits. All that translates, aligns and scores\n"
        "takes the result as it takes the model; training goes on from bf16, not from int8.\n\n"
        "  heed quantize --model M.safetensors --output Q.safetensors",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .run = run,
};

/* The metadata of model files; see the header. */
#include "model/model_header.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME    "heed"
#define FORMAT_VERSION "1"

/* The configuration's fields that are plain numbers, by their names in the file. */
typedef struct Field {
    const char *key;
    size_t offset;
    int is_flag;
} Field;

#define FIELD(name, member, is_flag)                                                               \
    {                                                                                              \
        name, offsetof(Config, member), is_flag                                                    \
    }

static const Field FIELDS[] = {
    FIELD("source_vocab", source_vocab, 0),
    FIELD("target_vocab", target_vocab, 0),
    FIELD("embedding", embedding, 0),
    FIELD("hidden", hidden, 0),
    FIELD("attention_size", attention_size, 0),
    FIELD("encoder_layers", encoder_layers, 0),
    FIELD("decoder_layers", decoder_layers, 0),
    FIELD("encoder_depth", encoder_depth, 0),
    FIELD("decoder_depth", decoder_depth, 0),
    FIELD("tied", is_tied, 1),
    FIELD("shared", is_shared, 1),
    FIELD("normalized", is_normalized, 1),
    FIELD("residual", is_residual, 1),
};

enum { N_FIELDS = sizeof FIELDS / sizeof *FIELDS };
_Static_assert((int)N_FIELDS <= (int)MODEL_NUMBERS_MAX, "each field has room for its number");

static const char *const KINDS[] = {"model", "checkpoint", "int8", "bf16"};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static int *field_of(Config *config, const Field *field)
{
    return (int *)(void *)((char *)config + field->offset);
}

Status model_header_need(const SafeFile *file, const char **out, const char *key, const char *path,
                         Error *err)
{
    *out = safe_metadata(file, key);
    if (*out == NULL) {
        return fail(err, ERR_FORMAT, "%s: is no model of heed: no metadata \"%s\"", path, key);
    }
    return OK;
}

static Status read_flag(const SafeFile *file, int *out, const char *key, const char *path,
                        Error *err)
{
    const char *text;
    TRY(model_header_need(file, &text, key, path, err));
    if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0) {
        return fail(err, ERR_FORMAT, "%s: %s \"%.40s\": must be yes or no", path, key, text);
    }
    *out = text[0] == 'y';
    return OK;
}

static Status read_number(const SafeFile *file, int *out, const char *key, const char *path,
                          Error *err)
{
    const char *text;
    TRY(model_header_need(file, &text, key, path, err));
    const size_t len = strlen(text);
    if (len == 0 || len > 7 || strspn(text, "0123456789") != len) {
        return fail(err, ERR_FORMAT, "%s: %s \"%.40s\": must be a number below 10,000,000", path,
                    key, text);
    }
    *out = (int)strtol(text, NULL, 10);
    return OK;
}

static Status read_config(const SafeFile *file, Config *config, const char *path, Error *err)
{
    const char *attention, *decoder;
    for (int i = 0; i < N_FIELDS; i++) {
        int *value = field_of(config, &FIELDS[i]);
        TRY(FIELDS[i].is_flag ? read_flag(file, value, FIELDS[i].key, path, err)
                              : read_number(file, value, FIELDS[i].key, path, err));
    }
    TRY(model_header_need(file, &attention, "attention", path, err));
    TRY(model_header_need(file, &decoder, "decoder", path, err));
    int a = 0, d = 0;
    while (a <= ATTENTION_NONE && strcmp(config_attention_name((AttentionType)a), attention) != 0) {
        a++;
    }
    while (d <= DECODER_BAHDANAU && strcmp(config_decoder_name((DecoderType)d), decoder) != 0) {
        d++;
    }
    if (a > ATTENTION_NONE || d > DECODER_BAHDANAU) {
        return fail(err, ERR_FORMAT, "%s: unknown attention \"%.40s\" or decoder \"%.40s\"", path,
                    attention, decoder);
    }
    config->attention = (AttentionType)a;
    config->decoder = (DecoderType)d;
    return config_check(config, err) == OK ? OK : fail_within(err, path);
}

static Status read_kind(ModelKind *out, const char *kind, const char *path, Error *err)
{
    for (int k = 0; k < N_KINDS; k++) {
        if (strcmp(kind, KINDS[k]) == 0) {
            *out = (ModelKind)k;
            return OK;
        }
    }
    return fail(err, ERR_FORMAT, "%s: kind \"%.40s\": must be model, checkpoint, int8 or bf16",
                path, kind);
}

const char *model_kind_name(ModelKind kind)
{
    return KINDS[kind];
}

Status model_header_read(ModelHeader *out, const SafeFile *file, const char *path, Error *err)
{
    ModelHeader header = {.is_averaged = 0};
    const char *format, *version, *kind;
    TRY(model_header_need(file, &format, "format", path, err));
    TRY(model_header_need(file, &version, "version", path, err));
    TRY(model_header_need(file, &kind, "kind", path, err));
    if (strcmp(format, FORMAT_NAME) != 0 || strcmp(version, FORMAT_VERSION) != 0) {
        return fail(err, ERR_FORMAT,
                    "%s: format \"%.40s\" version \"%.40s\": this program reads " FORMAT_NAME
                    " version " FORMAT_VERSION,
                    path, format, version);
    }
    TRY(read_kind(&header.kind, kind, path, err));
    if (header.kind == MODEL_CHECKPOINT) {
        TRY(read_flag(file, &header.is_averaged, "averaged", path, err));
    }
    TRY(read_config(file, &header.config, path, err));
    *out = header;
    return OK;
}

static void add_pair(ModelMetadata *m, const char *key, const char *value)
{
    m->pairs[m->n++] = (SafePair){key, value};
}

void model_header_describe(ModelMetadata *out, const ModelHeader *header, const char *settings,
                           const char *state)
{
    Config config = header->config;
    out->n = 0;
    add_pair(out, "format", FORMAT_NAME);
    add_pair(out, "version", FORMAT_VERSION);
    add_pair(out, "kind", KINDS[header->kind]);
    for (int i = 0; i < N_FIELDS; i++) {
        const int value = *field_of(&config, &FIELDS[i]);
        if (FIELDS[i].is_flag) {
            add_pair(out, FIELDS[i].key, value ? "yes" : "no");
        } else {
            (void)snprintf(out->numbers[i], MODEL_NUMBER_CAP, "%d", value);
            add_pair(out, FIELDS[i].key, out->numbers[i]);
        }
    }
    add_pair(out, "attention", config_attention_name(config.attention));
    add_pair(out, "decoder", config_decoder_name(config.decoder));
    add_pair(out, "settings", settings);
    if (header->kind == MODEL_CHECKPOINT) {
        add_pair(out, "averaged", header->is_averaged ? "yes" : "no");
        add_pair(out, "state", state);
    }
}

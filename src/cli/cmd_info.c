/* heed info: what a model file holds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/safetensors.h"
#include "cli/commands.h"
#include "decode/link_table.h"
#include "model/model_file.h"
#include "text/dump_write.h"
#include "text/tokenizer.h"

typedef struct Settings {
    int config, tensors, json, check;
} Settings;

static const Option OPTIONS[] = {
    {"config", 0, OPTION_FLAG, offsetof(Settings, config), NULL, 0, 0, NULL,
     "the settings it was trained with, as `heed train --config FILE` reads them"},
    {"tensors", 0, OPTION_FLAG, offsetof(Settings, tensors), NULL, 0, 0, NULL,
     "a line for each tensor: name, type, shape"},
    {"json", 0, OPTION_FLAG, offsetof(Settings, json), NULL, 0, 0, NULL,
     "everything as one JSON object"},
    {"check", 0, OPTION_FLAG, offsetof(Settings, check), NULL, 0, 0, NULL,
     "load all of it as training and translating would: every tensor, number, tokenizer and the "
     "checksum"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

/* A model file that is open, with its tokenizers. */
typedef struct Info {
    const char *path;
    SafeFile *file;
    Tokenizer *tokenizers[2];
    uint64_t n_parameters, n_bytes;
} Info;

static const char *const SIDES[2] = {"source", "target"};
static const char *const KINDS[] = {"bpe", "word", "char", "space"};

static Status load_tokenizer(Info *info, int side, Error *err)
{
    char name[16];
    (void)snprintf(name, sizeof name, "text.%s", SIDES[side]);
    const SafeTensor *t = safe_find(info->file, name);
    if (t == NULL || t->type != SAFE_U8) {
        return fail(err, ERR_FORMAT, "%s: is no model of heed: it has no tensor %s", info->path,
                    name);
    }
    const Status status = tokenizer_load(&info->tokenizers[side], t->data, t->n_bytes, err);
    return status == OK ? OK : fail_within(err, info->path);
}

/* Tensors of the network itself: no text, nothing of the optimiser, no scales of bytes. */
static int is_parameter(const SafeTensor *t)
{
    const char *ending = strrchr(t->name, '.');
    return (ending == NULL || strcmp(ending, ".scale") != 0) && strncmp(t->name, "text.", 5) != 0 &&
           strncmp(t->name, "adam.", 5) != 0 && strncmp(t->name, "average.", 8) != 0;
}

static uint64_t count_numbers(const SafeTensor *t)
{
    return t->n_bytes / safe_type_size(t->type);
}

static void info_close(Info *info)
{
    tokenizer_free(info->tokenizers[0]);
    tokenizer_free(info->tokenizers[1]);
    safe_close(info->file);
}

static Status info_open(Info *info, const char *path, Error *err)
{
    *info = (Info){.path = path};
    TRY(safe_open(&info->file, path, SAFE_CHECKSUM_REQUIRED, err));
    const char *format = safe_metadata(info->file, "format");
    Status status = OK;
    if (format == NULL || strcmp(format, "heed") != 0) {
        status = fail(err, ERR_FORMAT, "%s: a safetensors file, but no model of heed", path);
    }
    status = status == OK ? safe_read(info->file, err) : status;
    for (int side = 0; side < 2 && status == OK; side++) {
        status = load_tokenizer(info, side, err);
    }
    if (status != OK) {
        info_close(info);
        return status;
    }
    for (int i = 0; i < safe_count(info->file); i++) {
        const SafeTensor *t = safe_at(info->file, i);
        info->n_parameters += is_parameter(t) ? count_numbers(t) : 0;
        info->n_bytes += t->n_bytes;
    }
    return OK;
}

static const char *metadata(const Info *info, const char *key)
{
    const char *value = safe_metadata(info->file, key);
    return value == NULL ? "" : value;
}

/* "is_long" metadata that the plain listing leaves out. */
static int is_long(const char *key)
{
    return strcmp(key, "settings") == 0 || strcmp(key, "state") == 0;
}

static Status write_shape(Buffer *out, const SafeTensor *t, const char *between, Error *err)
{
    for (int i = 0; i < t->n_dims; i++) {
        TRY(buffer_printf(out, err, "%s%" PRIu64, i == 0 ? "" : between, t->shape[i]));
    }
    return OK;
}

static Status write_tensors(const Info *info, Buffer *out, Error *err)
{
    for (int i = 0; i < safe_count(info->file); i++) {
        const SafeTensor *t = safe_at(info->file, i);
        TRY(buffer_printf(out, err, "%s\t%s\t", t->name, safe_type_name(t->type)));
        TRY(write_shape(out, t, "x", err));
        TRY(buffer_add_byte(out, '\n', err));
    }
    return OK;
}

static const char *tokenizer_kind(const Info *info, int side)
{
    return KINDS[tokenizer_options(info->tokenizers[side])->kind];
}

static Status write_plain(const Info *info, Buffer *out, Error *err)
{
    TRY(buffer_printf(out, err, "%-18s %s, version %s, checksum %s\n", "kind",
                      metadata(info, "kind"), metadata(info, "version"),
                      metadata(info, "checksum")));
    TRY(buffer_printf(out, err, "%-18s %" PRIu64 " in %d tensors, %.1f MB in all\n", "parameters",
                      info->n_parameters, safe_count(info->file), (double)info->n_bytes / 1e6));
    for (int side = 0; side < 2; side++) {
        const TokenizerOptions *o = tokenizer_options(info->tokenizers[side]);
        TRY(buffer_printf(out, err, "%s tokenizer   %s, %d pieces%s%s\n", SIDES[side],
                          tokenizer_kind(info, side), tokenizer_size(info->tokenizers[side]),
                          o->normalization == NORMALIZE_NFKC ? ", NFKC" : "",
                          o->lowercase ? ", lower case" : ""));
    }
    for (int i = 0; i < safe_count_metadata(info->file); i++) {
        const SafePair pair = safe_metadata_at(info->file, i);
        if (!is_long(pair.key) && strcmp(pair.key, "kind") != 0 &&
            strcmp(pair.key, "version") != 0 && strcmp(pair.key, "checksum") != 0 &&
            strcmp(pair.key, "format") != 0) {
            TRY(buffer_printf(out, err, "%-18s %s\n", pair.key, pair.value));
        }
    }
    const char *state = safe_metadata(info->file, "state");
    return state == NULL ? OK : buffer_printf(out, err, "\n%s", state);
}

static Status add_string(Buffer *out, const char *text, Error *err)
{
    return dump_add_string(out, text, strlen(text), 0, err);
}

/* "option = value" lines as members of an object. */
static Status write_json_lines(Buffer *out, const char *lines, Error *err)
{
    TRY(buffer_add_byte(out, '{', err));
    for (int n = 0; *lines != '\0';) {
        const size_t len = strcspn(lines, "\n");
        const char *equals = memchr(lines, '=', len);
        if (equals != NULL && equals > lines && equals[-1] == ' ' && equals[1] == ' ') {
            TRY(buffer_add_text(out, n++ == 0 ? "" : ",", err));
            TRY(dump_add_string(out, lines, (size_t)(equals - lines) - 1, 0, err));
            TRY(buffer_add_byte(out, ':', err));
            TRY(dump_add_string(out, equals + 2, len - (size_t)(equals - lines) - 2, 0, err));
        }
        lines += len + (lines[len] == '\n');
    }
    return buffer_add_byte(out, '}', err);
}

static Status write_json_metadata(const Info *info, Buffer *out, Error *err)
{
    for (int i = 0; i < safe_count_metadata(info->file); i++) {
        const SafePair pair = safe_metadata_at(info->file, i);
        TRY(buffer_add_text(out, i == 0 ? "" : ",", err));
        TRY(add_string(out, pair.key, err));
        TRY(buffer_add_byte(out, ':', err));
        TRY(is_long(pair.key) ? write_json_lines(out, pair.value, err)
                              : add_string(out, pair.value, err));
    }
    return OK;
}

static Status write_json(const Info *info, Buffer *out, Error *err)
{
    TRY(buffer_add_text(out, "{\"path\":", err));
    TRY(add_string(out, info->path, err));
    TRY(buffer_printf(out, err, ",\"parameters\":%" PRIu64 ",\"bytes\":%" PRIu64,
                      info->n_parameters, info->n_bytes));
    for (int side = 0; side < 2; side++) {
        TRY(buffer_printf(out, err, ",\"%s_tokenizer\":{\"kind\":\"%s\",\"size\":%d}", SIDES[side],
                          tokenizer_kind(info, side), tokenizer_size(info->tokenizers[side])));
    }
    TRY(buffer_add_text(out, ",\"metadata\":{", err));
    TRY(write_json_metadata(info, out, err));
    TRY(buffer_add_text(out, "},\"tensors\":[", err));
    for (int i = 0; i < safe_count(info->file); i++) {
        const SafeTensor *t = safe_at(info->file, i);
        TRY(buffer_add_text(out, i == 0 ? "{\"name\":" : ",{\"name\":", err));
        TRY(add_string(out, t->name, err));
        TRY(buffer_printf(out, err, ",\"type\":\"%s\",\"shape\":[", safe_type_name(t->type)));
        TRY(write_shape(out, t, ",", err));
        TRY(buffer_add_text(out, "]}", err));
    }
    return buffer_add_text(out, "]}\n", err);
}

/* Loads it as those who use it do, and holds the tokenizers against the network. */
static Status check(const Info *info, Buffer *out, Error *err)
{
    Seq2Seq *model = NULL;
    ModelText text = {0};
    ModelMoments moments = {0};
    const int is_checkpoint = strcmp(metadata(info, "kind"), "checkpoint") == 0;
    TRY(is_checkpoint ? checkpoint_load(&model, &text, &moments, info->path, err)
                      : model_file_load(&model, &text, info->path, err));
    const int sizes[2] = {model->config.source_vocab, model->config.target_vocab};
    Status status = OK;
    for (int side = 0; side < 2 && status == OK; side++) {
        if (tokenizer_size(info->tokenizers[side]) != sizes[side]) {
            status = fail(err, ERR_FORMAT, "%s: %d %s pieces, but the network has %d", info->path,
                          tokenizer_size(info->tokenizers[side]), SIDES[side], sizes[side]);
        }
    }
    if (status == OK && text.links.len > 0) {
        LinkTable *links = NULL;
        status = link_table_read(&links, text.links.bytes, text.links.len, sizes[0], sizes[1], err);
        status = status == OK ? OK : fail_within(err, info->path);
        link_table_free(links);
    }
    seq2seq_free(model);
    model_text_free(&text);
    model_moments_free(&moments);
    return status == OK
               ? buffer_printf(out, err, "%s: whole, %d tensors, checksum %s\n", info->path,
                               safe_count(info->file), metadata(info, "checksum"))
               : status;
}

static Status write_info(const Info *info, const Settings *s, Buffer *out, Error *err)
{
    if (s->check) {
        return check(info, out, err);
    }
    if (s->json) {
        return write_json(info, out, err);
    }
    if (s->config) {
        return buffer_add_text(out, metadata(info, "settings"), err);
    }
    return s->tensors ? write_tensors(info, out, err) : write_plain(info, out, err);
}

static Status run(const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    if (parsed->n_operands == 0) {
        return fail(err, ERR_ARG, "info: needs a model file");
    }
    if (s->config + s->tensors + s->json + s->check > 1) {
        return fail(err, ERR_ARG, "--config, --tensors, --json and --check: one at a time");
    }
    Info info;
    TRY(info_open(&info, parsed->operands[0], err));
    Buffer out = {0};
    Status status = write_info(&info, s, &out, err);
    if (status == OK && out.len > 0 &&
        (fwrite(out.bytes, 1, out.len, stdout) != out.len || fflush(stdout) != 0)) {
        status = fail(err, ERR_IO, "standard output: cannot write");
    }
    buffer_free(&out);
    info_close(&info);
    return status;
}

const Command command_info = {
    .name = "info",
    .operands = "M.safetensors",
    .summary = "what a model file holds",
    .details = "  heed info M.safetensors\n"
               "  heed info --config M.safetensors >again.conf && heed train --config again.conf "
               "--model N.safetensors",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = 1,
    .run = run,
};

/* Model files; see the header. */
#include "model/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safetensors.h"

#define FORMAT_NAME    "heed"
#define FORMAT_VERSION "1"

enum { METADATA_MAX = 32, NUMBER_CAP = 16, TEXT_TENSORS = 2, BLOCKS_MAX = 4 };

#ifdef REAL_IS_DOUBLE
static const SafeType REAL_TYPE = SAFE_F64;
#else
static const SafeType REAL_TYPE = SAFE_F32;
#endif

void model_text_free(ModelText *text)
{
    buffer_free(&text->source_tokenizer);
    buffer_free(&text->target_tokenizer);
    buffer_free(&text->settings);
}

void model_moments_free(ModelMoments *moments)
{
    mem_free(moments->m);
    mem_free(moments->v);
    mem_free(moments->average);
    buffer_free(&moments->state);
    moments->m = moments->v = moments->average = NULL;
}

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

static int *field_of(Config *config, const Field *field)
{
    return (int *)(void *)((char *)config + field->offset);
}

/* Reading. */

static Status need(const SafeFile *file, const char **out, const char *key, const char *path,
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
    TRY(need(file, &text, key, path, err));
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
    TRY(need(file, &text, key, path, err));
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
    TRY(need(file, &attention, "attention", path, err));
    TRY(need(file, &decoder, "decoder", path, err));
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

/* What a file holds once its metadata is read. */
typedef struct Header {
    Config config;
    int is_checkpoint, is_averaged;
} Header;

static Status read_header(const SafeFile *file, Header *header, const char *path, Error *err)
{
    const char *format, *version, *kind;
    TRY(need(file, &format, "format", path, err));
    TRY(need(file, &version, "version", path, err));
    TRY(need(file, &kind, "kind", path, err));
    if (strcmp(format, FORMAT_NAME) != 0 || strcmp(version, FORMAT_VERSION) != 0) {
        return fail(err, ERR_FORMAT,
                    "%s: format \"%.40s\" version \"%.40s\": this program reads " FORMAT_NAME
                    " version " FORMAT_VERSION,
                    path, format, version);
    }
    header->is_checkpoint = strcmp(kind, "checkpoint") == 0;
    if (!header->is_checkpoint && strcmp(kind, "model") != 0) {
        return fail(err, ERR_FORMAT, "%s: kind \"%.40s\": must be model or checkpoint", path, kind);
    }
    header->is_averaged = 0;
    if (header->is_checkpoint) {
        TRY(read_flag(file, &header->is_averaged, "averaged", path, err));
    }
    return read_config(file, &header->config, path, err);
}

/* The prefixes under which a file keeps blocks of numbers; the first is the network itself. */
static const char *const PREFIXES[BLOCKS_MAX] = {"", "adam.m.", "adam.v.", "average."};

static int n_blocks(const Header *header)
{
    return header->is_checkpoint ? (header->is_averaged ? 4 : 3) : 1;
}

/* The tensor of a parameter in a block, with the shape it must have. */
static Status find_block_tensor(const SafeFile *file, const SafeTensor **out, int block,
                                const Param *p, const char *path, Error *err)
{
    char name[PARAM_NAME_CAP + 16];
    (void)snprintf(name, sizeof name, "%s%s", PREFIXES[block], p->name);
    const SafeTensor *t = safe_find(file, name);
    if (t == NULL) {
        return fail(err, ERR_FORMAT, "%s: the tensor %s is missing", path, name);
    }
    const uint64_t rows = (uint64_t)p->val.rows, cols = (uint64_t)p->val.cols;
    const int fits = t->type == REAL_TYPE && t->n_dims == p->n_dims &&
                     t->shape[p->n_dims - 1] == cols && (p->n_dims == 1 || t->shape[0] == rows);
    if (!fits) {
        return fail(err, ERR_FORMAT, "%s: the tensor %s is not %s of %d x %d", path, name,
                    safe_type_name(REAL_TYPE), p->val.rows, p->val.cols);
    }
    *out = t;
    return OK;
}

static Status check_tensors(const SafeFile *file, const ParamList *params, const Header *header,
                            const char *path, Error *err)
{
    static const char *const texts[TEXT_TENSORS] = {"text.source", "text.target"};
    for (int i = 0; i < TEXT_TENSORS; i++) {
        const SafeTensor *t = safe_find(file, texts[i]);
        if (t == NULL || t->type != SAFE_U8 || t->n_dims != 1) {
            return fail(err, ERR_FORMAT, "%s: the tensor %s is missing or not U8", path, texts[i]);
        }
    }
    for (int block = 0; block < n_blocks(header); block++) {
        for (int i = 0; i < params->n; i++) {
            const SafeTensor *t;
            TRY(find_block_tensor(file, &t, block, &params->items[i], path, err));
        }
    }
    const int expected = TEXT_TENSORS + n_blocks(header) * params->n;
    if (safe_count(file) != expected) {
        return fail(err, ERR_FORMAT, "%s: has %d tensors, its configuration asks for %d", path,
                    safe_count(file), expected);
    }
    return OK;
}

static Status read_block(const SafeFile *file, real *values, int block, const ParamList *params,
                         const char *path, Error *err)
{
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->items[i];
        const SafeTensor *t;
        TRY(find_block_tensor(file, &t, block, p, path, err));
        real *to = values + (p->val.v - params->values);
        memcpy(to, t->data, (size_t)t->n_bytes);
        const size_t n = (size_t)t->n_bytes / sizeof(real);
        for (size_t j = 0; j < n; j++) {
            if (!isfinite(to[j])) {
                return fail(err, ERR_FORMAT, "%s: the tensor %s%s has a number that is not finite",
                            path, PREFIXES[block], p->name);
            }
        }
    }
    return OK;
}

static Status read_text(const SafeFile *file, ModelText *text, const char *path, Error *err)
{
    const SafeTensor *source = safe_find(file, "text.source");
    const SafeTensor *target = safe_find(file, "text.target");
    const char *settings;
    TRY(need(file, &settings, "settings", path, err));
    TRY(buffer_add(&text->source_tokenizer, source->data, (size_t)source->n_bytes, err));
    TRY(buffer_add(&text->target_tokenizer, target->data, (size_t)target->n_bytes, err));
    return buffer_add_text(&text->settings, settings, err);
}

static Status alloc_block(real **out, const ParamList *params, Error *err)
{
    *out = mem_alloc_aligned(params->count, sizeof(real));
    return *out == NULL ? mem_fail(err, "the optimiser", params->count, sizeof(real)) : OK;
}

static Status read_moments(const SafeFile *file, ModelMoments *moments, const Header *header,
                           const ParamList *params, const char *path, Error *err)
{
    const char *state;
    TRY(need(file, &state, "state", path, err));
    TRY(alloc_block(&moments->m, params, err));
    TRY(read_block(file, moments->m, 1, params, path, err));
    TRY(alloc_block(&moments->v, params, err));
    TRY(read_block(file, moments->v, 2, params, path, err));
    if (header->is_averaged) {
        TRY(alloc_block(&moments->average, params, err));
        TRY(read_block(file, moments->average, 3, params, path, err));
    }
    return buffer_add_text(&moments->state, state, err);
}

/* Names and shapes are compared before any block is allocated: the list of parameters alone knows
 * them. */
static Status load_open(SafeFile *file, Seq2Seq **model, ModelText *text, ModelMoments *moments,
                        const char *path, Error *err)
{
    Header header = {0};
    TRY(read_header(file, &header, path, err));
    if (moments != NULL && !header.is_checkpoint) {
        return fail(err, ERR_FORMAT, "%s: is a model, not a checkpoint", path);
    }
    TRY(seq2seq_declare(model, &header.config, err));
    ParamList *params = (*model)->params;
    TRY(check_tensors(file, params, &header, path, err));
    TRY(params_allocate(params, moments != NULL, err));
    TRY(safe_read(file, err));
    TRY(read_block(file, params->values, 0, params, path, err));
    TRY(read_text(file, text, path, err));
    if (moments != NULL) {
        TRY(read_moments(file, moments, &header, params, path, err));
    }
    params_pack(params, NULL);
    return OK;
}

static Status load(Seq2Seq **model, ModelText *text, ModelMoments *moments, const char *path,
                   Error *err)
{
    SafeFile *file;
    Seq2Seq *loaded = NULL;
    ModelText loaded_text = {0};
    ModelMoments loaded_moments = {0};
    TRY(safe_open(&file, path, SAFE_CHECKSUM_REQUIRED, err));
    const Status status =
        load_open(file, &loaded, &loaded_text, moments == NULL ? NULL : &loaded_moments, path, err);
    safe_close(file);
    if (status != OK) {
        seq2seq_free(loaded);
        model_text_free(&loaded_text);
        model_moments_free(&loaded_moments);
        return status;
    }
    *model = loaded;
    *text = loaded_text;
    if (moments != NULL) {
        *moments = loaded_moments;
    }
    return OK;
}

Status model_file_load(Seq2Seq **model, ModelText *text, const char *path, Error *err)
{
    return load(model, text, NULL, path, err);
}

Status checkpoint_load(Seq2Seq **model, ModelText *text, ModelMoments *moments, const char *path,
                       Error *err)
{
    return load(model, text, moments, path, err);
}

/* Writing. */

typedef struct Metadata {
    SafePair pairs[METADATA_MAX];
    int n;
    char numbers[N_FIELDS][NUMBER_CAP];
} Metadata;

static void add_pair(Metadata *m, const char *key, const char *value)
{
    m->pairs[m->n++] = (SafePair){key, value};
}

static const char *text_or_empty(const Buffer *buf)
{
    return buf->bytes == NULL ? "" : buf->bytes;
}

static void describe(Metadata *m, const Seq2Seq *model, const ModelText *text,
                     const ModelMoments *moments)
{
    Config config = model->config;
    add_pair(m, "format", FORMAT_NAME);
    add_pair(m, "version", FORMAT_VERSION);
    add_pair(m, "kind", moments == NULL ? "model" : "checkpoint");
    for (int i = 0; i < N_FIELDS; i++) {
        const int value = *field_of(&config, &FIELDS[i]);
        if (FIELDS[i].is_flag) {
            add_pair(m, FIELDS[i].key, value ? "yes" : "no");
        } else {
            (void)snprintf(m->numbers[i], NUMBER_CAP, "%d", value);
            add_pair(m, FIELDS[i].key, m->numbers[i]);
        }
    }
    add_pair(m, "attention", config_attention_name(config.attention));
    add_pair(m, "decoder", config_decoder_name(config.decoder));
    add_pair(m, "settings", text_or_empty(&text->settings));
    if (moments != NULL) {
        add_pair(m, "averaged", moments->average == NULL ? "no" : "yes");
        add_pair(m, "state", text_or_empty(&moments->state));
    }
}

/* The tensors of one block; names go to the names given. */
static void list_block(SafeTensor *tensors, char (*names)[PARAM_NAME_CAP + 16], int block,
                       const real *values, const ParamList *params)
{
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->items[i];
        const uint64_t rows = (uint64_t)p->val.rows, cols = (uint64_t)p->val.cols;
        (void)snprintf(names[i], sizeof *names, "%s%s", PREFIXES[block], p->name);
        tensors[i] = (SafeTensor){.name = names[i],
                                  .type = REAL_TYPE,
                                  .n_dims = p->n_dims,
                                  .shape = {p->n_dims == 1 ? cols : rows, cols},
                                  .n_bytes = rows * cols * sizeof(real),
                                  .data = values + (p->val.v - params->values)};
    }
}

static SafeTensor text_tensor(const char *name, const Buffer *bytes)
{
    return (SafeTensor){.name = name,
                        .type = SAFE_U8,
                        .n_dims = 1,
                        .shape = {bytes->len},
                        .n_bytes = bytes->len,
                        .data = text_or_empty(bytes)};
}

static Status save(const char *path, const char *previous, const Seq2Seq *model,
                   const ModelText *text, const ModelMoments *moments, Error *err)
{
    const ParamList *params = model->params;
    const real *blocks[BLOCKS_MAX] = {params->values, NULL, NULL, NULL};
    int n_saved = 1;
    if (moments != NULL) {
        blocks[1] = moments->m;
        blocks[2] = moments->v;
        blocks[3] = moments->average;
        n_saved = moments->average == NULL ? 3 : 4;
    }
    const size_t n = (size_t)(n_saved * params->n);
    SafeTensor *tensors = mem_zero_alloc(n + TEXT_TENSORS, sizeof *tensors);
    char(*names)[PARAM_NAME_CAP + 16] = mem_zero_alloc(n, sizeof *names);
    Status status = OK;
    if (tensors == NULL || names == NULL) {
        status = mem_fail(err, path, n, sizeof *tensors + sizeof *names);
        goto out;
    }
    for (int block = 0; block < n_saved; block++) {
        list_block(tensors + block * params->n, names + block * params->n, block, blocks[block],
                   params);
    }
    tensors[n] = text_tensor("text.source", &text->source_tokenizer);
    tensors[n + 1] = text_tensor("text.target", &text->target_tokenizer);
    Metadata metadata = {.n = 0};
    describe(&metadata, model, text, moments);
    status = safe_write_keeping(path, previous, metadata.pairs, metadata.n, tensors,
                                (int)n + TEXT_TENSORS, err);
out:
    mem_free(tensors);
    mem_free(names);
    return status;
}

Status model_file_save(const char *path, const Seq2Seq *model, const ModelText *text, Error *err)
{
    return save(path, NULL, model, text, NULL, err);
}

Status checkpoint_save(const char *path, const char *previous, const Seq2Seq *model,
                       const ModelText *text, const ModelMoments *moments, Error *err)
{
    return save(path, previous, model, text, moments, err);
}

/* Model files; see the header. */
#include "model/model_file.h"

#include <assert.h>

#include "base/mem.h"
#include "base/safetensors.h"
#include "model/model_header.h"
#include "model/model_tensors.h"

void model_text_free(ModelText *text)
{
    buffer_free(&text->source_tokenizer);
    buffer_free(&text->target_tokenizer);
    buffer_free(&text->links);
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

/* ---- Reading ---- */

static Status read_text(const SafeFile *file, ModelText *text, const char *path, Error *err)
{
    const SafeTensor *source = safe_find(file, "text.source");
    const SafeTensor *target = safe_find(file, "text.target");
    const SafeTensor *links = safe_find(file, "text.links");
    const char *settings;
    TRY(model_header_need(file, &settings, "settings", path, err));
    TRY(buffer_add(&text->source_tokenizer, source->data, (size_t)source->n_bytes, err));
    TRY(buffer_add(&text->target_tokenizer, target->data, (size_t)target->n_bytes, err));
    if (links != NULL) {
        TRY(buffer_add(&text->links, links->data, (size_t)links->n_bytes, err));
    }
    return buffer_add_text(&text->settings, settings, err);
}

static Status alloc_block(real **out, const ParamList *params, Error *err)
{
    *out = mem_alloc_aligned(params->count, sizeof(real));
    return *out == NULL ? mem_fail(err, "the optimiser", params->count, sizeof(real)) : OK;
}

static Status read_moments(const SafeFile *file, ModelMoments *moments, const ModelHeader *header,
                           const ParamList *params, const char *path, Error *err)
{
    const char *state;
    TRY(model_header_need(file, &state, "state", path, err));
    TRY(alloc_block(&moments->m, params, err));
    TRY(model_tensors_read(moments->m, file, params, header, BLOCK_M, path, err));
    TRY(alloc_block(&moments->v, params, err));
    TRY(model_tensors_read(moments->v, file, params, header, BLOCK_V, path, err));
    if (header->is_averaged) {
        TRY(alloc_block(&moments->average, params, err));
        TRY(model_tensors_read(moments->average, file, params, header, BLOCK_AVERAGE, path, err));
    }
    return buffer_add_text(&moments->state, state, err);
}

/* What the caller wants to do with a file. */
typedef enum Purpose { TO_DECODE, TO_COMPUTE, TO_TRAIN } Purpose;

static Status check_purpose(const ModelHeader *header, Purpose purpose, const char *path,
                            Error *err)
{
    if (purpose == TO_TRAIN && header->kind != MODEL_CHECKPOINT) {
        return fail(err, ERR_FORMAT, "%s: is a model (kind %s), not a checkpoint", path,
                    model_kind_name(header->kind));
    }
    if (purpose == TO_COMPUTE && header->kind == MODEL_INT8) {
        return fail(err, ERR_FORMAT,
                    "%s: is an int8 model, for translating alone; take the model that it was made "
                    "from",
                    path);
    }
    return OK;
}

/* Names and shapes are compared before any block is allocated: the list of parameters alone knows
 * them. */
static Status load_open(SafeFile *file, Seq2Seq **model, ModelText *text, ModelMoments *moments,
                        Purpose purpose, const char *path, Error *err)
{
    ModelHeader header;
    TRY(model_header_read(&header, file, path, err));
    TRY(check_purpose(&header, purpose, path, err));
    TRY(seq2seq_declare(model, &header.config, err));
    ParamList *params = (*model)->params;
    TRY(model_tensors_check(file, params, &header, path, err));
    TRY(header.kind == MODEL_INT8 ? params_allocate_int8(params, err)
                                  : params_allocate(params, purpose == TO_TRAIN, err));
    TRY(safe_read(file, err));
    TRY(read_text(file, text, path, err));
    if (purpose == TO_TRAIN) {
        TRY(read_moments(file, moments, &header, params, path, err));
    }
    TRY(header.kind == MODEL_INT8
            ? model_tensors_read_int8(params, file, path, err)
            : model_tensors_read(params->values, file, params, &header, BLOCK_VALUES, path, err));
    params_pack(params, NULL);
    return OK;
}

/* moments is read only to train, else NULL. */
static Status load(Seq2Seq **model, ModelText *text, ModelMoments *moments, Purpose purpose,
                   const char *path, Error *err)
{
    SafeFile *file;
    Seq2Seq *loaded = NULL;
    ModelText loaded_text = {0};
    ModelMoments loaded_moments = {0};
    TRY(safe_open(&file, path, SAFE_CHECKSUM_REQUIRED, err));
    const Status status =
        load_open(file, &loaded, &loaded_text, &loaded_moments, purpose, path, err);
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
    return load(model, text, NULL, TO_DECODE, path, err);
}

Status model_file_load_numbers(Seq2Seq **model, ModelText *text, const char *path, Error *err)
{
    return load(model, text, NULL, TO_COMPUTE, path, err);
}

Status checkpoint_load(Seq2Seq **model, ModelText *text, ModelMoments *moments, const char *path,
                       Error *err)
{
    return load(model, text, moments, TO_TRAIN, path, err);
}

/* ---- Writing ---- */

static const char *text_or_empty(const Buffer *buf)
{
    return buf->bytes == NULL ? "" : buf->bytes;
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

/* moments is NULL but for a checkpoint. */
static Status save(const char *path, const char *previous, const Seq2Seq *model,
                   const ModelText *text, const ModelMoments *moments, ModelKind kind, Error *err)
{
    const real *blocks[MODEL_BLOCKS_MAX] = {[BLOCK_VALUES] = model->params->values};
    ModelHeader header = {.config = model->config, .kind = kind};
    const char *state = NULL;
    if (moments != NULL) {
        blocks[BLOCK_M] = moments->m;
        blocks[BLOCK_V] = moments->v;
        blocks[BLOCK_AVERAGE] = moments->average;
        header.is_averaged = moments->average != NULL;
        state = text_or_empty(&moments->state);
    }
    assert(!model->params->is_int8);
    ModelTensors tensors;
    ModelMetadata metadata;
    TRY(model_tensors_list(&tensors, model->params, kind, blocks, MODEL_TEXTS_MAX, path, err));
    tensors.v[tensors.n++] = text_tensor("text.source", &text->source_tokenizer);
    tensors.v[tensors.n++] = text_tensor("text.target", &text->target_tokenizer);
    if (text->links.len > 0) {
        tensors.v[tensors.n++] = text_tensor("text.links", &text->links);
    }
    model_header_describe(&metadata, &header, text_or_empty(&text->settings), state);
    const Status status =
        safe_write_keeping(path, previous, metadata.pairs, metadata.n, tensors.v, tensors.n, err);
    model_tensors_free(&tensors);
    return status;
}

Status model_file_save(const char *path, const Seq2Seq *model, const ModelText *text, Error *err)
{
    return save(path, NULL, model, text, NULL, MODEL_REAL, err);
}

Status model_file_save_small(const char *path, const Seq2Seq *model, const ModelText *text,
                             ModelKind kind, Error *err)
{
    assert(kind == MODEL_INT8 || kind == MODEL_BF16);
    return save(path, NULL, model, text, NULL, kind, err);
}

Status checkpoint_save(const char *path, const char *previous, const Seq2Seq *model,
                       const ModelText *text, const ModelMoments *moments, Error *err)
{
    return save(path, previous, model, text, moments, MODEL_CHECKPOINT, err);
}

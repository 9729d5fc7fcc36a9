/* The model file NAME.safetensors: weights, configuration, both tokenizers and the settings it was
 * trained with, in one file under one checksum (base/safetensors.h has the container).
 *
 *     metadata   format "heed", version "1", kind "model" or "checkpoint", checksum,
 *                and the configuration: source_vocab, target_vocab, embedding, hidden,
 * attention_size, encoder_layers, decoder_layers, encoder_depth, decoder_depth, attention, decoder,
 * tied, shared, normalized, residual (numbers and yes/no as text); settings: "option = value"
 * lines; a checkpoint has averaged (yes/no) and state: "name = value" lines of the trainer tensors
 * the network's by their names; text.source, text.target: U8, the tokenizers as their layer saved
 * them (opaque here); a checkpoint has adam.m.NAME and adam.v.NAME for each tensor of the network
 * and, when averaged, average.NAME
 *
 * The kind fixes the exact set of tensors; a file with one more, one less or another shape is
 * refused before anything large is allocated, and so is a number that is not finite. */
#ifndef HEED_MODEL_MODEL_FILE_H
#define HEED_MODEL_MODEL_FILE_H

#include "base/buffer.h"
#include "model/seq2seq.h"

/* What a model file holds besides the network. */
typedef struct ModelText {
    Buffer source_tokenizer, target_tokenizer; /* opaque bytes */
    Buffer settings;                           /* "option = value" lines */
} ModelText;

void model_text_free(ModelText *text);

/* What training keeps beside the weights, each block laid out as the parameters' block of values.
 */
typedef struct ModelMoments {
    real *m, *v;   /* Adam's */
    real *average; /* moving average of the weights, NULL when there is none */
    Buffer state;  /* "name = value" lines of the trainer */
} ModelMoments;

void model_moments_free(ModelMoments *moments);

/* Loads a model, packed and ready to translate; of a checkpoint the weights alone. The caller frees
 * both results. ERR_IO, ERR_FORMAT or ERR_NOMEM. */
Status model_file_load(Seq2Seq **model, ModelText *text, const char *path, Error *err) MUST_USE;

/* Saves a model; whole or not at all. */
Status model_file_save(const char *path, const Seq2Seq *model, const ModelText *text,
                       Error *err) MUST_USE;

/* Loads a checkpoint to go on training: the model has room for gradients. The caller frees all
 * three. */
Status checkpoint_load(Seq2Seq **model, ModelText *text, ModelMoments *moments, const char *path,
                       Error *err) MUST_USE;

/* Saves a checkpoint, whole or not at all; the one at path before is kept at previous. */
Status checkpoint_save(const char *path, const char *previous, const Seq2Seq *model,
                       const ModelText *text, const ModelMoments *moments, Error *err) MUST_USE;

#endif

/* The model file NAME.safetensors: weights, configuration, both tokenizers and the settings it was trained
 * with, in one file under one checksum (base/safetensors.h has the container).
 *
 *     metadata   format "heed", version "1", kind "model" or "checkpoint", checksum,
 *                and the configuration: source_vocab, target_vocab, embedding, hidden, attention_size,
 *                encoder_layers, decoder_layers, encoder_depth, decoder_depth, attention, decoder, tied, shared,
 *                normalized, residual (numbers and yes/no as text); settings: "option = value" lines
 *     tensors    the network's by their names, F32; text.source, text.target: U8, the tokenizers as their layer
 *                saved them (opaque here)
 *
 * The kind fixes the exact set of tensors; a file with one more, one less or another shape is refused, and so
 * is a number that is not finite. */
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

/* Loads a model of kind "model" or the network of a "checkpoint", packed and ready to translate. The caller
 * frees both results. ERR_IO, ERR_FORMAT or ERR_NOMEM. */
Status model_file_load(Seq2Seq **model, ModelText *text, const char *path, Error *err) MUST_USE;

/* Saves a model; whole or not at all. */
Status model_file_save(const char *path, const Seq2Seq *model, const ModelText *text, Error *err)
    MUST_USE;

#endif

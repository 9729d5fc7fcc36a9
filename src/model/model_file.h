/* The model file NAME.safetensors: weights, configuration, both tokenizers and the settings it was
 * trained with, in one file under one checksum (base/safetensors.h has the container).
 *
 *     metadata   format "heed", version "1", kind, checksum, and the configuration: source_vocab,
 *                target_vocab, embedding, hidden, attention_size, encoder_layers, decoder_layers,
 *                encoder_depth, decoder_depth, attention, decoder, tied, shared, normalized,
 *                residual (numbers and yes/no as text); settings: "option = value" lines; a
 *                checkpoint has averaged (yes/no) and state: "name = value" lines of the trainer
 *     tensors    text.source, text.target: U8, the tokenizers as their layer saved them (opaque
 *                here); in a model whose training counted links also text.links: U8, the counts
 *                (decode/link_table.h, opaque here); and by kind, for each tensor NAME of the
 *                network,
 *         model        NAME: F32
 *         checkpoint   NAME, adam.m.NAME, adam.v.NAME and, when averaged, average.NAME: F32
 *         int8         a matrix: NAME: I8, -127 .. 127, and NAME.scale: F32, one a row, at least 0;
 *                      a row of weights is its scale times its bytes. A vector: NAME: F32
 *         bf16         a matrix: NAME: BF16. A vector: NAME: F32
 *
 * The kind fixes the exact set of tensors; a file with one more, one less, another type or another
 * shape is refused before anything large is allocated, and so is a number that is not finite. In the
 * double build F64 takes the place of F32 in models and checkpoints. */
#ifndef HEED_MODEL_MODEL_FILE_H
#define HEED_MODEL_MODEL_FILE_H

#include "base/buffer.h"
#include "model/seq2seq.h"

typedef enum ModelKind { MODEL_REAL, MODEL_CHECKPOINT, MODEL_INT8, MODEL_BF16 } ModelKind;

/* The name of a kind in the file: "model", "checkpoint", "int8", "bf16". */
const char *model_kind_name(ModelKind kind);

/* What a model file holds besides the network. */
typedef struct ModelText {
    Buffer source_tokenizer, target_tokenizer; /* opaque bytes */
    Buffer links;                              /* opaque bytes, none when nothing was counted */
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

/* Loads a model of any kind, packed and ready to translate; of a checkpoint the weights alone. The
 * caller frees both results. ERR_IO, ERR_FORMAT or ERR_NOMEM. */
Status model_file_load(Seq2Seq **model, ModelText *text, const char *path, Error *err) MUST_USE;

/* The same for those who go on computing with the numbers: int8, which has lost them, is refused. */
Status model_file_load_numbers(Seq2Seq **model, ModelText *text, const char *path,
                               Error *err) MUST_USE;

/* Saves a model; whole or not at all. */
Status model_file_save(const char *path, const Seq2Seq *model, const ModelText *text,
                       Error *err) MUST_USE;

/* The same with smaller weights: MODEL_INT8 or MODEL_BF16, of a model that has numbers. */
Status model_file_save_small(const char *path, const Seq2Seq *model, const ModelText *text,
                             ModelKind kind, Error *err) MUST_USE;

/* Loads a checkpoint to go on training: the model has room for gradients. The caller frees all
 * three. */
Status checkpoint_load(Seq2Seq **model, ModelText *text, ModelMoments *moments, const char *path,
                       Error *err) MUST_USE;

/* Saves a checkpoint, whole or not at all; the one at path before is kept at previous. */
Status checkpoint_save(const char *path, const char *previous, const Seq2Seq *model,
                       const ModelText *text, const ModelMoments *moments, Error *err) MUST_USE;

#endif

/* The tensors of a model file: which ones a kind of file must have, reading and listing them
 * (model/model_file.h tells the layout).
 *
 * A block is one number for each parameter: the network's own values, and in a checkpoint Adam's
 * moments and the moving average. Threads: no state. */
#ifndef HEED_MODEL_MODEL_TENSORS_H
#define HEED_MODEL_MODEL_TENSORS_H

#include "base/safetensors.h"
#include "model/model_header.h"
#include "nn/param.h"

enum { MODEL_BLOCKS_MAX = 4, MODEL_TEXTS_MAX = 3 };
typedef enum ModelBlock { BLOCK_VALUES, BLOCK_M, BLOCK_V, BLOCK_AVERAGE } ModelBlock;

/* Whether the file has exactly the tensors of its kind and its configuration, by names, types and
 * shapes; reads no data. */
Status model_tensors_check(const SafeFile *file, const ParamList *params, const ModelHeader *header,
                           const char *path, Error *err) MUST_USE;

/* Reads a block of a file of any kind but int8 as numbers, laid out as params->values. Numbers that
 * are not finite are refused. */
Status model_tensors_read(real *values, const SafeFile *file, const ParamList *params,
                          const ModelHeader *header, ModelBlock block, const char *path,
                          Error *err) MUST_USE;

/* Fills a list of weights of one byte (params_allocate_int8) from an int8 file; the list adopts the
 * file's data. Scales and numbers that are not finite, negative scales and bytes of -128 are
 * refused. */
Status model_tensors_read_int8(ParamList *params, SafeFile *file, const char *path,
                               Error *err) MUST_USE;

/* Tensors to be written, text not among them; free them when the file is written. */
typedef struct ModelTensors {
    SafeTensor *v;
    int n;
    char (*names)[PARAM_NAME_CAP + 16];
    void *converted; /* what some of them point into */
} ModelTensors;

/* Lists the blocks [MODEL_BLOCKS_MAX] (NULL: not saved) of a model or checkpoint, or the values as
 * int8 or bf16; room for n_more tensors is left behind the n. ERR_NOMEM, named by path. */
Status model_tensors_list(ModelTensors *out, const ParamList *params, ModelKind kind,
                          const real *const *blocks, int n_more, const char *path,
                          Error *err) MUST_USE;
void model_tensors_free(ModelTensors *tensors);

#endif

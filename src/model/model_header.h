/* The metadata of a model file: what kind of file it is and the configuration of its network
 * (model/model_file.h tells the keys).
 *
 * Threads: no state. */
#ifndef HEED_MODEL_MODEL_HEADER_H
#define HEED_MODEL_MODEL_HEADER_H

#include "base/safetensors.h"
#include "model/config.h"
#include "model/model_file.h"

typedef struct ModelHeader {
    Config config;
    ModelKind kind;
    int is_averaged; /* of a checkpoint: it has the moving average too */
} ModelHeader;

/* ERR_FORMAT names what is missing, unknown or out of its range. */
Status model_header_read(ModelHeader *out, const SafeFile *file, const char *path,
                         Error *err) MUST_USE;

/* The value of a key that every model file has. */
Status model_header_need(const SafeFile *file, const char **out, const char *key, const char *path,
                         Error *err) MUST_USE;

enum { MODEL_METADATA_MAX = 32, MODEL_NUMBER_CAP = 16, MODEL_NUMBERS_MAX = 16 };

typedef struct ModelMetadata {
    SafePair pairs[MODEL_METADATA_MAX]; /* may point into numbers, so it stays where it is */
    int n;
    char numbers[MODEL_NUMBERS_MAX][MODEL_NUMBER_CAP];
} ModelMetadata;

/* The metadata to write; settings and state (of a checkpoint) are pointed to. */
void model_header_describe(ModelMetadata *out, const ModelHeader *header, const char *settings,
                           const char *state);

#endif

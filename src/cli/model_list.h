/* The value of --model: one file, or several separated by commas, which translate together.
 *
 * Threads: a ModelList belongs to one thread. */
#ifndef HEED_CLI_MODEL_LIST_H
#define HEED_CLI_MODEL_LIST_H

#include "decode/translator.h"

typedef struct ModelList {
    char *text; /* owned; the names with NULs between */
    const char *paths[ENSEMBLE_MAX];
    int n;
} ModelList;

/* A file of the whole name, commas and all, is one model. ERR_ARG when there is no name, or too
 * many. */
Status model_list_parse(ModelList *out, const char *text, Error *err) MUST_USE;
void model_list_free(ModelList *list);

/* 0 threads means the number of cores. */
Status model_list_open(Translator **out, const ModelList *list, int n_threads, Error *err) MUST_USE;

#endif

/* The models of a server, by name, and the JSON of what they answer.
 *
 *     {"text":"best translation","hypotheses":[
 *       {"id":0,"rank":0,"source":"...","target":"...","score":-1.2,"normalized_score":-0.4,
 *        "finished":true,                                   and with attention, as in the JSON
 * lines "source_tokens":[...],"target_tokens":[...],       of `heed translate --attention`:
 *        "source_spans":[[b,e],...],"target_spans":[...],"attention":[[...],...]}, ...]}
 *
 * Threads: models_answer belongs to one thread at a time. */
#ifndef HEED_SERVE_MODELS_H
#define HEED_SERVE_MODELS_H

#include "base/buffer.h"
#include "decode/translator.h"
#include "serve/request.h"

enum { MODELS_MAX = 16, MODEL_NAME_MAX = 64 };

typedef struct Models {
    char *names[MODELS_MAX];
    Translator *translators[MODELS_MAX];
    int n;
    TranslateOptions options; /* beam, n-best and attention are the requests' */
    Arena *arena;
} Models;

/* Opens "path" or "name=path,name2=path2"; without a name it is the file's, without its ending.
 * ERR_ARG for a name that is taken or is not of letters, digits, - _ and points. On failure out is
 * as empty as before. */
Status models_open(Models *out, const char *list, const TranslateOptions *options, int n_threads,
                   Error *err) MUST_USE;
void models_free(Models *models);

/* A BatcherAnswer; context is the Models. */
Status models_answer(void *context, Buffer *out, const RequestSettings *settings,
                     const RequestText *lines, const RequestText *prefixes, int n,
                     Error *err) MUST_USE;

#endif

/* Handles and errors; see the header. */
#include "api/handle.h"

#include <string.h>

#include "base/mem.h"
#include "math/vec.h"

HeedStatus handle_report(Status status, const Error *err, HeedError *out)
{
    static const HeedStatus codes[] = {
        [OK] = HEED_OK,
        [ERR_NOMEM] = HEED_NO_MEMORY,
        [ERR_IO] = HEED_IO,
        [ERR_FORMAT] = HEED_FORMAT,
        [ERR_ARG] = HEED_ARGUMENT,
        [ERR_DIVERGED] = HEED_DIVERGED,
        [ERR_SIGNAL] = HEED_STOPPED,
    };
    const HeedStatus code = codes[status];
    if (status != OK && out != NULL) {
        out->code = code;
        memcpy(out->message, err->message, sizeof out->message);
    }
    return code;
}

_Static_assert(sizeof((HeedError *)0)->message == ERROR_CAP, "sentences are copied whole");

const char *heed_version(void)
{
    return HEED_VERSION;
}

void heed_options_init(HeedOptions *options)
{
    const TranslateOptions o = translate_defaults();
    *options = (HeedOptions){.beam_size = o.beam.beam_size,
                             .n_best = o.beam.n_best,
                             .normalize = o.beam.alpha,
                             .mini_batch = o.mini_batch,
                             .threads = 1};
}

Status handle_options(HeedOptions *out, const HeedOptions *given, Error *err)
{
    if (given == NULL) {
        heed_options_init(out);
        return OK;
    }
    if (given->threads < 0 || given->threads > THREADS_MAX) {
        return fail(err, ERR_ARG, "threads %d: must be between 0 and %d", given->threads,
                    THREADS_MAX);
    }
    *out = *given;
    return OK;
}

static Status open_model(HeedModel *model, const char *path, Error *err)
{
    TRY(vec_check(err));
    TRY(model_file_load(&model->network, &model->text, path, err));
    TRY(seq2seq_screen(model->network, NULL, err));
    const Buffer *bytes[2] = {&model->text.source_tokenizer, &model->text.target_tokenizer};
    const int sizes[2] = {model->network->config.source_vocab, model->network->config.target_vocab};
    for (int side = 0; side < 2; side++) {
        if (tokenizer_load(&model->tokenizers[side], bytes[side]->bytes, bytes[side]->len, err) !=
            OK) {
            return err->code == ERR_NOMEM ? ERR_NOMEM : fail_within(err, path);
        }
        if (tokenizer_size(model->tokenizers[side]) != sizes[side]) {
            return fail(err, ERR_FORMAT, "%.400s: a tokenizer of %d pieces, a network of %d", path,
                        tokenizer_size(model->tokenizers[side]), sizes[side]);
        }
    }
    return OK;
}

HeedStatus heed_open(HeedModel **out, const char *path, HeedError *err)
{
    Error e = {0};
    HeedModel *model = mem_zero_alloc(1, sizeof *model);
    if (model == NULL) {
        return handle_report(mem_fail(&e, "a model", 1, sizeof *model), &e, err);
    }
    const Status status = open_model(model, path, &e);
    if (status != OK) {
        heed_close(model);
        return handle_report(status, &e, err);
    }
    *out = model;
    return HEED_OK;
}

void heed_close(HeedModel *model)
{
    if (model == NULL) {
        return;
    }
    tokenizer_free(model->tokenizers[0]);
    tokenizer_free(model->tokenizers[1]);
    model_text_free(&model->text);
    seq2seq_free(model->network);
    mem_free(model);
}

const char *heed_settings(const HeedModel *model)
{
    return model->text.settings.bytes == NULL ? "" : model->text.settings.bytes;
}

Status handle_translator(Translator **out, Threads **threads, const HeedModel *model, int n_threads,
                         Error *err)
{
    const Ensemble ensemble = {.models = {model->network}, .n = 1};
    const int n = n_threads == 0 ? threads_available() : n_threads;
    Threads *pool = NULL;
    if (n > 1) {
        TRY(threads_create(&pool, n, err));
    }
    const Status status = translator_create(out, &ensemble, model->tokenizers[HEED_SOURCE],
                                            model->tokenizers[HEED_TARGET], pool, err);
    if (status != OK) {
        threads_free(pool);
        return status;
    }
    *threads = pool;
    return OK;
}

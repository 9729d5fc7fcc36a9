/* Averages of models; see the header. */
#include "model/average.h"

#include <string.h>

#include "base/mem.h"

static int is_same_text(const Buffer *a, const Buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

/* A Config is numbers alone, without padding. */
static Status check_alike(const Seq2Seq *first, const ModelText *first_text, const Seq2Seq *model,
                          const ModelText *text, const char *first_path, const char *path,
                          Error *err)
{
    if (memcmp(&first->config, &model->config, sizeof first->config) != 0) {
        return fail(err, ERR_FORMAT, "%s: has other sizes than %s", path, first_path);
    }
    if (!is_same_text(&first_text->source_tokenizer, &text->source_tokenizer) ||
        !is_same_text(&first_text->target_tokenizer, &text->target_tokenizer)) {
        return fail(err, ERR_FORMAT, "%s: has other vocabularies than %s", path, first_path);
    }
    return OK;
}

static void add(double *sum, const ParamList *params, double weight)
{
    for (size_t i = 0; i < params->count; i++) {
        sum[i] += weight * (double)params->values[i];
    }
}

/* Adds the models but the first to sum. */
static Status add_others(double *sum, const Seq2Seq *first, const ModelText *first_text,
                         const char *const *paths, const double *weights, int n,
                         const Progress *progress, Error *err)
{
    for (int k = 1; k < n; k++) {
        Seq2Seq *model;
        ModelText text = {0};
        progress_tell(progress, "averaging", "models", k, progress_share(k, n));
        TRY(model_file_load_numbers(&model, &text, paths[k], err));
        const Status status = check_alike(first, first_text, model, &text, paths[0], paths[k], err);
        if (status == OK) {
            add(sum, model->params, weights == NULL ? 1 : weights[k]);
        }
        seq2seq_free(model);
        model_text_free(&text);
        TRY(status);
    }
    return OK;
}

Status average_load(Seq2Seq **model, ModelText *text, const char *const *paths,
                    const double *weights, int n, const Progress *progress, Error *err)
{
    Seq2Seq *first;
    ModelText first_text = {0};
    progress_tell(progress, "averaging", "models", 0, 0);
    TRY(model_file_load_numbers(&first, &first_text, paths[0], err));
    ParamList *params = first->params;
    double *sum = mem_zero_alloc(params->count, sizeof *sum);
    double total = 0;
    for (int k = 0; k < n; k++) {
        total += weights == NULL ? 1 : weights[k];
    }
    Status status = OK;
    if (sum == NULL) {
        status = mem_fail(err, "the average", params->count, sizeof *sum);
    } else {
        add(sum, params, weights == NULL ? 1 : weights[0]);
        status = add_others(sum, first, &first_text, paths, weights, n, progress, err);
    }
    if (status == OK) {
        for (size_t i = 0; i < params->count; i++) {
            params->values[i] = (real)(sum[i] / total);
        }
        params_pack(params, NULL);
        *model = first;
        *text = first_text;
    } else {
        seq2seq_free(first);
        model_text_free(&first_text);
    }
    mem_free(sum);
    return status;
}

/* Translating through the library; see heed.h. */
#include <string.h>

#include "api/handle.h"
#include "base/mem.h"

static Status add_result(void *context, const Translation *translation, Error *err)
{
    return results_add(context, (size_t)translation->dump.id, &translation->dump, err);
}

static TranslateOptions translate_options(const HeedOptions *o)
{
    TranslateOptions t = translate_defaults();
    t.beam.beam_size = o->beam_size;
    t.beam.n_best = o->n_best;
    t.beam.alpha = o->normalize;
    t.beam.keeps_attention = o->wants_attention != 0;
    t.has_tokens = o->wants_attention != 0;
    t.mini_batch = o->mini_batch;
    return t;
}

static Status make_lines(TranslateLine **out, const char *const *lines, const char *const *prefixes,
                         size_t n, Error *err)
{
    TranslateLine *made = mem_zero_alloc(n, sizeof *made);
    if (made == NULL) {
        return mem_fail(err, "lines", n, sizeof *made);
    }
    for (size_t i = 0; i < n; i++) {
        const char *prefix = prefixes == NULL ? NULL : prefixes[i];
        made[i] = (TranslateLine){.text = lines[i],
                                  .len = strlen(lines[i]),
                                  .prefix = prefix,
                                  .len_prefix = prefix == NULL ? 0 : strlen(prefix),
                                  .id = (long)i};
    }
    *out = made;
    return OK;
}

static Status run(HeedResults *results, const HeedModel *model, const TranslateLine *lines,
                  size_t n, const HeedOptions *options, Error *err)
{
    const TranslateOptions o = translate_options(options);
    TRY(translate_check(&o, err));
    Translator *translator;
    Threads *threads;
    TRY(handle_translator(&translator, &threads, model, options->threads, err));
    Status status = OK;
    if (n > 0) {
        status =
            translator_translate(translator, &o, lines, (long)n, add_result, results, NULL, err);
    }
    translator_free(translator);
    threads_free(threads);
    return status;
}

HeedStatus heed_translate_prefixed(const HeedModel *model, HeedResults **out,
                                   const char *const *lines, const char *const *prefixes, size_t n,
                                   const HeedOptions *options, HeedError *err)
{
    Error e = {0};
    HeedOptions o;
    TranslateLine *made = NULL;
    HeedResults *results = NULL;
    Status status = handle_options(&o, options, &e);
    status = status == OK ? make_lines(&made, lines, prefixes, n, &e) : status;
    status = status == OK ? results_create(&results, n, &o, &e) : status;
    status = status == OK ? run(results, model, made, n, &o, &e) : status;
    mem_free(made);
    if (status != OK) {
        heed_results_free(results);
        return handle_report(status, &e, err);
    }
    *out = results;
    return HEED_OK;
}

HeedStatus heed_translate(const HeedModel *model, HeedResults **out, const char *const *lines,
                          size_t n, const HeedOptions *options, HeedError *err)
{
    return heed_translate_prefixed(model, out, lines, NULL, n, options, err);
}

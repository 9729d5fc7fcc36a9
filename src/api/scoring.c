/* Scores and attention of given pairs through the library; see heed.h. */
#include <string.h>

#include "api/handle.h"
#include "base/mem.h"
#include "decode/rescore.h"

static Status add_pair(void *context, const Dump *dump, const float *link_weights, Error *err)
{
    (void)link_weights;
    return results_add(context, (size_t)dump->id, dump, err);
}

/* Hands the pairs over a window at a time. */
static Status score_all(HeedResults *results, const Translator *translator,
                        const char *const *sources, const char *const *targets, size_t n,
                        const HeedOptions *o, Error *err)
{
    const RescoreOptions options = {.max_length = translate_defaults().max_length,
                                    .keeps_attention = o->wants_attention != 0,
                                    .alpha = o->normalize};
    Rescorer *rescorer;
    TRY(rescorer_create(&rescorer, translator, err));
    RescoreCounts counts = {0};
    Status status = OK;
    for (size_t first = 0; first < n && status == OK; first += RESCORE_WINDOW) {
        RescorePair pairs[RESCORE_WINDOW] = {{0}};
        int n_pairs = 0;
        for (; n_pairs < RESCORE_WINDOW && first + (size_t)n_pairs < n; n_pairs++) {
            const size_t i = first + (size_t)n_pairs;
            pairs[n_pairs] = (RescorePair){.source = sources[i],
                                           .target = targets[i],
                                           .len_source = strlen(sources[i]),
                                           .len_target = strlen(targets[i]),
                                           .id = (long)i};
        }
        status = rescorer_run(rescorer, &options, pairs, n_pairs, add_pair, results, &counts, err);
    }
    rescorer_free(rescorer);
    return status;
}

static Status run(HeedResults *results, const HeedModel *model, const char *const *sources,
                  const char *const *targets, size_t n, const HeedOptions *options, Error *err)
{
    if (!(options->normalize >= 0)) {
        return fail(err, ERR_ARG, "normalize %g: must be at least 0", options->normalize);
    }
    Translator *translator;
    Threads *threads;
    TRY(handle_translator(&translator, &threads, model, options->threads, err));
    const Status status = score_all(results, translator, sources, targets, n, options, err);
    translator_free(translator);
    threads_free(threads);
    return status;
}

HeedStatus heed_score(const HeedModel *model, HeedResults **out, const char *const *sources,
                      const char *const *targets, size_t n, const HeedOptions *options,
                      HeedError *err)
{
    Error e = {0};
    HeedOptions o;
    HeedResults *results = NULL;
    Status status = handle_options(&o, options, &e);
    status = status == OK ? results_create(&results, n, &o, &e) : status;
    status = status == OK ? run(results, model, sources, targets, n, &o, &e) : status;
    if (status != OK) {
        heed_results_free(results);
        return handle_report(status, &e, err);
    }
    *out = results;
    return HEED_OK;
}

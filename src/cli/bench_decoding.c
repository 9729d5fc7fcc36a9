/* Translating; see bench.h. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/bench_network.h"
#include "decode/beam.h"

/* Every sentence stops at the length of its reference, so that a network that has learnt nothing
 * does a realistic amount of work. */
typedef struct Decoding {
    const BenchNetwork *network;
    Beam *beam;
    Arena *ids, *results;
    BeamInput *inputs;
    HypothesisList *lists;
    int n;
} Decoding;

static Status take_sentences(Decoding *d, Error *err)
{
    void *block;
    Pieces scratch = {0};
    TRY(arena_alloc(d->ids, &block, (size_t)d->n, sizeof *d->inputs, err));
    d->inputs = block;
    TRY(arena_alloc(d->ids, &block, (size_t)d->n, sizeof *d->lists, err));
    d->lists = block;
    for (int i = 0; i < d->n; i++) {
        IdPair pair;
        TRY(arena_alloc(d->ids, &block, (size_t)data_pair_room(d->network->data, i), sizeof(int),
                        err));
        TRY(data_pair(d->network->data, &pair, i, 1, block, &scratch, err));
        d->inputs[i] = (BeamInput){.source = pair.source,
                                   .n_source = pair.n_source,
                                   .line = (uint64_t)i,
                                   .limit = pair.n_target + 1};
    }
    pieces_free(&scratch);
    return OK;
}

/* Translates all sentences, `at_once` together, and counts the words of the best. */
static Status translate(Decoding *d, long *n_words, int beam_size, int at_once, Error *err)
{
    BeamOptions options = beam_defaults();
    options.beam_size = beam_size;
    options.min_length = BEAM_MAX_LIMIT;
    *n_words = 0;
    for (int i = 0; i < d->n; i += at_once) {
        const int n = d->n - i < at_once ? d->n - i : at_once;
        arena_reset(d->results);
        TRY(beam_search(d->beam, d->lists, &options, d->inputs + i, n, d->results, err));
        for (int k = 0; k < n; k++) {
            *n_words += d->lists[k].v[0].n_tokens;
        }
    }
    return OK;
}

enum { TRIES = 5 };

static Status measure(Bench *b, Decoding *d, const BenchWork *work, int beam_size, int at_once,
                      Error *err)
{
    double rates[TRIES];
    long n_words;
    const int all = d->n;
    if (at_once == 1) {
        d->n = all < 16 ? all : 16;
    }
    TRY(translate(d, &n_words, beam_size, at_once, err));
    for (int i = 0; i < TRIES; i++) {
        const double begin = clock_process_seconds();
        TRY(translate(d, &n_words, beam_size, at_once, err));
        rates[i] = d->n / (clock_process_seconds() - begin);
    }
    const double rate = bench_median(rates, TRIES);
    char key[80], unit[80];
    (void)snprintf(key, sizeof key, "translate %d, beam %d, %d at once", work->size, beam_size,
                   at_once);
    (void)snprintf(unit, sizeof unit, "sentences a second, %.4g words a second",
                   rate * (double)n_words / d->n);
    bench_figure(b, key, rate, unit, 0);
    d->n = all;
    return OK;
}

static Status measure_all(Bench *b, Decoding *d, const BenchWork *work, Error *err)
{
    const int beams[] = {1, 5}, at_once[] = {64, 1};
    TRY(take_sentences(d, err));
    bench_section(
        b, "Translating, %d units, one core, processor time, stopping at the reference's length",
        work->size);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            TRY(measure(b, d, work, beams[k], at_once[i], err));
        }
    }
    return OK;
}

Status bench_decoding(Bench *b, const BenchWork *work, Error *err)
{
    BenchNetwork network;
    Decoding d = {.network = &network, .n = 64};
    Status status = bench_network_create(&network, work, d.n, 1, 0, err);
    if (status == OK) {
        const Ensemble ensemble = {.models = {network.model}, .n = 1};
        d.n = data_size(network.data) < d.n ? (int)data_size(network.data) : d.n;
        status = arena_create(&d.ids, 0, err);
        status = status == OK ? arena_create(&d.results, 0, err) : status;
        status = status == OK ? beam_create(&d.beam, &ensemble, err) : status;
        status = status == OK ? measure_all(b, &d, work, err) : status;
        beam_free(d.beam);
        arena_free(d.results);
        arena_free(d.ids);
    }
    bench_network_free(&network);
    return status;
}

/* heed bench: how fast this machine is, in parts and as a whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/commands.h"
#include "math/gemm.h"
#include "math/vec.h"
#include "nn/param.h"

enum { PART_ALL, PART_MACHINE, PART_KERNELS, PART_TRAINING, PART_PARTS, PART_DECODING };
enum { SWEEP_NONE, SWEEP_ALL };

typedef struct Settings {
    int part, size, vocab, mini_batch, length, n_updates, threads, decoder, precision, sweep,
        is_rival, is_json;
    const char *source, *target;
} Settings;

#define AT(member) offsetof(Settings, member)

static const Option OPTIONS[] = {
    {"part", 'p', OPTION_CHOICE, AT(part), "all", 0, 0,
     "all|machine|kernels|training|parts|decoding", "what to measure"},
    {"size", 0, OPTION_INT, AT(size), "0", 0, 4096, "N",
     "embedding, hidden and attention size; 0 measures 256 and 512"},
    {"vocab-size", 0, OPTION_INT, AT(vocab), "8000", 10, 1000000, "N", "words of a side"},
    {"mini-batch", 0, OPTION_INT, AT(mini_batch), "64", 1, 4096, "N", "pairs of a batch"},
    {"length", 0, OPTION_INT, AT(length), "12", 1, 1000, "N", "mean words of a made-up sentence"},
    {"updates", 0, OPTION_INT, AT(n_updates), "8", 1, 10000, "N", "measured updates of training"},
    {"decoder", 0, OPTION_CHOICE, AT(decoder), "conditional", 0, 0, "conditional|bahdanau",
     "the decoder: heed's own, or that of the paper"},
    {"precision", 0, OPTION_CHOICE, AT(precision), "auto", 0, 0, PRECISION_NAMES,
     "factors of the products of training, as in heed train"},
    {"threads", 0, OPTION_INT, AT(threads), "0", 0, THREADS_MAX, "N",
     "training is measured with one and with N; 0: one for each core"},
    {"train-source", 0, OPTION_TEXT, AT(source), NULL, 0, 0, "FILE",
     "measure on the pairs of this file ..."},
    {"train-target", 0, OPTION_TEXT, AT(target), NULL, 0, 0, "FILE",
     "... and this one, as lower-cased words, in place of made-up pairs"},
    {"sweep", 0, OPTION_CHOICE, AT(sweep), "none", 0, 0, "none|all|size|vocab|length|batch",
     "chart the speed of training over one quantity, or over each"},
    {"rival", 0, OPTION_FLAG, AT(is_rival), NULL, 0, 0, NULL,
     "the work that scripts/rival.py measures beside: training with N threads alone, translating, "
     "the decoder of the paper"},
    {"json", 0, OPTION_FLAG, AT(is_json), NULL, 0, 0, NULL, "everything as one JSON object"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

static int wants(const Settings *s, int part)
{
    if (s->sweep != SWEEP_NONE) {
        return 0;
    }
    if (s->part == PART_ALL && s->is_rival) {
        return part == PART_TRAINING || part == PART_DECODING;
    }
    return s->part == PART_ALL || s->part == part;
}

static Status measure_size(Bench *b, const Settings *s, const BenchWork *work, Error *err)
{
    if (wants(s, PART_TRAINING)) {
        TRY(bench_training(b, work, err));
    }
    if (wants(s, PART_PARTS)) {
        TRY(bench_parts(b, work, err));
    }
    return wants(s, PART_DECODING) ? bench_decoding(b, work, err) : OK;
}

static Status measure_sweeps(Bench *b, const Settings *s, BenchWork work, Error *err)
{
    enum { N_QUANTITIES = 4 };
    work.size = s->size == 0 ? 256 : s->size;
    for (int quantity = 0; quantity < N_QUANTITIES; quantity++) {
        if (s->sweep == SWEEP_ALL || s->sweep == SWEEP_ALL + 1 + quantity) {
            TRY(bench_sweep(b, &work, quantity, err));
        }
    }
    return OK;
}

static Status measure(Bench *b, const Settings *s, Error *err)
{
    BenchWork work = {.vocab = s->vocab,
                      .mini_batch = s->mini_batch,
                      .length = s->length,
                      .n_updates = s->n_updates,
                      .n_threads = s->threads == 0 ? threads_available() : s->threads,
                      .precision = (Precision)s->precision,
                      .is_bahdanau = s->decoder == 1 || s->is_rival,
                      .is_alone = s->is_rival,
                      .source = s->source,
                      .target = s->target};
    gemm_use_one_thread();
    bench_machine(b, work.n_threads);
    TRY(gemm_check_blas(err));
    if (wants(s, PART_KERNELS)) {
        TRY(bench_kernels(b, err));
    }
    if (s->sweep != SWEEP_NONE) {
        return measure_sweeps(b, s, work, err);
    }
    for (work.size = s->size == 0 ? 256 : s->size; work.size <= (s->size == 0 ? 512 : s->size);
         work.size *= 2) {
        TRY(measure_size(b, s, &work, err));
    }
    return OK;
}

static Status run(const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    if ((s->source == NULL) != (s->target == NULL)) {
        return fail(err, ERR_ARG, "--train-source and --train-target: give both or none");
    }
    Bench b = {.is_json = s->is_json, .err = err};
    Status status = measure(&b, s, err);
    status = status == OK ? b.status : status;
    if (status == OK && b.is_json) {
        (void)printf("{%.*s}\n", (int)b.json.len, b.json.bytes);
    }
    if (status == OK && (fflush(stdout) != 0 || ferror(stdout) != 0)) {
        status = fail(err, ERR_IO, "standard output: cannot write");
    }
    buffer_free(&b.json);
    return status;
}

const Command command_bench = {
    .name = "bench",
    .operands = "",
    .summary = "how fast training and translating are on this machine",
    .details = "  heed bench\n"
               "  HEED_ISA=avx2 heed bench --part kernels\n"
               "  heed bench --sweep size --threads 1\n"
               "OpenBLAS chooses its kernels itself unless OPENBLAS_CORETYPE is set; unset it, and "
               "OPENBLAS_L2_SIZE, for a measurement.",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = 0,
    .run = run,
};

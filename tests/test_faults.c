/* Every allocation and every call of the system fails in turn, over what the program does: train
 * two updates, resume, load, translate, align and score. Each time the outcome is either that of an
 * undisturbed run or a clean error, the model and the checkpoint that stood there load, and (by the
 * leak sanitizer) nothing stays behind.
 *
 * HEED_SWEEP=all tries each call; otherwise the steps grow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "decode/beam.h"
#include "decode/force.h"
#include "support/check_main.h"
#include "support/scratch.h"
#include "train/trainer.h"

enum { N_PAIRS = 60, MAX_TEXT = 4096 };

typedef struct Paths {
    char pairs[SCRATCH_PATH], model[SCRATCH_PATH], last[SCRATCH_PATH];
} Paths;

/* What a scenario yields, for comparison. */
typedef struct Outcome {
    char text[MAX_TEXT];
} Outcome;

static const Recipe recipe = {.config = {.embedding = 6,
                                         .hidden = 8,
                                         .attention_size = 4,
                                         .encoder_layers = 1,
                                         .decoder_layers = 1,
                                         .encoder_depth = 1},
                              .tokenizer = {.kind = TOKENIZER_WORD,
                                            .vocab_size = 50,
                                            .min_frequency = 1,
                                            .normalization = NORMALIZE_NFC},
                              .update = {.label_smoothing = 0.1,
                                         .clip_norm = 1,
                                         .adam = {0.9, 0.98, 1e-8, 0},
                                         .smoothing = 0.9},
                              .schedule = {.base = 0.01, .warmup = 4},
                              .batch_sentences = 40,
                              .accumulate = 1,
                              .max_length = 50,
                              .plateau_factor = 1,
                              .validate = {.beam_size = 2, .max_sentences = 2},
                              .seed = 1};

static void make_paths(Paths *p)
{
    scratch_path(p->pairs, "pairs.tsv");
    scratch_path(p->model, "m.safetensors");
    scratch_path(p->last, "m.last.safetensors");
    FILE *file = fopen(p->pairs, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < N_PAIRS; i++) {
        (void)fprintf(file, "a%d b%d c%d\tc%d b%d a%d\n", i % 5, i % 3, i % 4, i % 4, i % 3, i % 5);
    }
    ck_assert_int_eq(fclose(file), 0);
}

static Status train_on(const Paths *p, long updates, int is_resumed, Corpus *train, Corpus *valid,
                       Threads *threads, Error *err)
{
    Trainer *trainer;
    Recipe r = recipe;
    r.budget = (Budget){.updates = updates};
    TRY(is_resumed ? trainer_resume(&trainer, train, valid, &r, NULL, p->model, threads, err)
                   : trainer_create(&trainer, train, valid, &r, "seed = 1\n", p->model, NULL,
                                    threads, err));
    const Status status = trainer_run(trainer, NULL, err);
    trainer_free(trainer);
    return status;
}

/* From the files to a checkpoint. */
static Status train(const Paths *p, long updates, int is_resumed, Error *err)
{
    Corpus *corpus = NULL, *valid = NULL;
    Threads *threads = NULL;
    IoLock *lock = NULL;
    const CorpusFilter filter = {.max_words = 0};
    Status status = io_check_writable(p->model, err);
    if (status == OK) {
        status = io_lock(&lock, p->model, err);
    }
    if (status == OK) {
        status = corpus_load_tsv(&corpus, p->pairs, &filter, err);
    }
    if (status == OK) {
        status = corpus_hold_out(&valid, corpus, 1, err);
    }
    if (status == OK) {
        status = threads_create(&threads, 2, err);
    }
    if (status == OK) {
        status = train_on(p, updates, is_resumed, corpus, valid, threads, err);
    }
    threads_free(threads);
    corpus_free(valid);
    corpus_free(corpus);
    io_unlock(lock);
    return status;
}

static Status train_two(const Paths *p, Outcome *out, Error *err)
{
    out->text[0] = '\0';
    return train(p, 2, 0, err);
}

static Status resume(const Paths *p, Outcome *out, Error *err)
{
    out->text[0] = '\0';
    return train(p, 4, 1, err);
}

/* Beam 5 over a line, then the score and attention of its best hypothesis. */
static Status search(const Seq2Seq *model, const ModelText *text, Beam *beam, Arena *results,
                     Arena *scratch, Outcome *out, Error *err)
{
    static const char line[] = "a1 b2 c3 unknown";
    const Ensemble ensemble = {.models = {model}, .n = 1};
    Tokenizer *source = NULL, *target = NULL;
    Pieces pieces = {0};
    Buffer translation = {0};
    HypothesisList list = {0};
    Forced forced = {0};
    const BeamOptions options = beam_defaults();
    Status status =
        tokenizer_load(&source, text->source_tokenizer.bytes, text->source_tokenizer.len, err);
    if (status == OK) {
        status =
            tokenizer_load(&target, text->target_tokenizer.bytes, text->target_tokenizer.len, err);
    }
    if (status == OK) {
        status = tokenizer_encode(source, line, sizeof line - 1, &pieces, err);
    }
    if (status == OK) {
        const BeamInput input = {.source = pieces.ids, .n_source = pieces.len};
        status = beam_search(beam, &list, &options, &input, 1, results, err);
    }
    if (status == OK) {
        const Hypothesis *best = &list.v[0];
        const IdPair pair = {.source = pieces.ids,
                             .n_source = pieces.len,
                             .target = best->tokens,
                             .n_target = best->n_tokens - best->is_finished};
        status = force_decode(&forced, &ensemble, &pair, 1, 1, results, scratch, err);
    }
    if (status == OK) {
        status = tokenizer_decode(target, list.v[0].tokens, list.v[0].n_tokens, &translation, err);
    }
    if (status == OK) {
        (void)snprintf(out->text, MAX_TEXT, "%s %.9g %.9g %.9g",
                       translation.len == 0 ? "" : translation.bytes, list.v[0].score, forced.score,
                       (double)forced.attention[0]);
    }
    buffer_free(&translation);
    pieces_free(&pieces);
    tokenizer_free(source);
    tokenizer_free(target);
    return status;
}

static Status translate(const Paths *p, Outcome *out, Error *err)
{
    Seq2Seq *model = NULL;
    ModelText text = {0};
    Beam *beam = NULL;
    Arena *results = NULL, *scratch = NULL;
    TRY(model_file_load(&model, &text, p->model, err));
    const Ensemble ensemble = {.models = {model}, .n = 1};
    Status status = beam_create(&beam, &ensemble, err);
    if (status == OK) {
        status = arena_create(&results, 0, err);
    }
    if (status == OK) {
        status = arena_create(&scratch, 0, err);
    }
    if (status == OK) {
        status = search(model, &text, beam, results, scratch, out, err);
    }
    arena_free(scratch);
    arena_free(results);
    beam_free(beam);
    model_text_free(&text);
    seq2seq_free(model);
    return status;
}

static void expect_files_load(const Paths *p)
{
    Error err = {.code = OK};
    Seq2Seq *model;
    ModelText text = {0};
    ModelMoments moments = {0};
    if (model_file_load(&model, &text, p->model, &err) != OK) {
        ck_abort_msg("the model: %s", err.message);
    }
    seq2seq_free(model);
    model_text_free(&text);
    if (checkpoint_load(&model, &text, &moments, p->last, &err) != OK) {
        ck_abort_msg("the checkpoint: %s", err.message);
    }
    seq2seq_free(model);
    model_text_free(&text);
    model_moments_free(&moments);
}

typedef struct Scenario {
    const char *name;
    Status (*run)(const Paths *p, Outcome *out, Error *err);
} Scenario;

static const Scenario scenarios[] = {
    {"train", train_two}, {"resume", resume}, {"translate", translate}};
enum { N_SCENARIOS = sizeof scenarios / sizeof scenarios[0], N_KINDS = 4 };

/* _i chooses the scenario, memory or system, and one failure or all later ones too. */
START_TEST(each_failure_is_a_clean_error)
{
    const Scenario *scenario = &scenarios[_i / N_KINDS];
    const int is_memory = _i & 1, and_later = _i >> 1 & 1;
    const char *asked = getenv("HEED_SWEEP");
    const int is_full = asked != NULL && strcmp(asked, "all") == 0;
    Paths p;
    Outcome undisturbed, found;
    char *checkpoint;
    size_t len_checkpoint;
    Error err = {.code = OK};
    make_paths(&p);
    ck_assert_msg(train(&p, 2, 0, &err) == OK, "%s", err.message);
    scratch_read(p.last, &checkpoint, &len_checkpoint);
    ck_assert_msg(scenario->run(&p, &undisturbed, &err) == OK, "%s", err.message);
    int has_failed = 1, n_failures = 0;
    for (long n = 1; has_failed; n += is_full ? 1 : 1 + n / 16) {
        err.message[0] = '\0';
        scratch_write(p.last, checkpoint, len_checkpoint); /* two updates, each time */
        if (is_memory) {
            mem_fail_at(n, and_later);
        } else {
            io_fail_at(n, and_later);
        }
        const Status status = scenario->run(&p, &found, &err);
        has_failed = is_memory ? mem_failed() : io_failed();
        mem_fail_at(0, 0);
        io_fail_at(0, 0);
        n_failures += has_failed;
        if (status == OK) {
            ck_assert_str_eq(found.text, undisturbed.text);
        } else if (!has_failed || err.message[0] == '\0' ||
                   status != (is_memory ? ERR_NOMEM : ERR_IO)) {
            ck_abort_msg("%s, call %ld: status %d: %s", scenario->name, n, (int)status,
                         err.message);
        }
        expect_files_load(&p);
    }
    mem_free(checkpoint);
    ck_assert_int_ge(n_failures, 4);
    scratch_clean();
}
END_TEST

TEST_MAIN("faults", tcase_add_loop_test(c, each_failure_is_a_clean_error, 0, N_SCENARIOS *N_KINDS);)

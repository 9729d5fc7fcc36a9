/* model/model_file: files of small weights: what they hold, what is refused, what fails cleanly. */
#include "model/model_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/safetensors.h"
#include "math/vec.h"
#include "support/check_main.h"
#include "support/scratch.h"
#include "support/toy.h"

static const ModelKind SMALL[] = {MODEL_INT8, MODEL_BF16};

static Status save_small(const char *path, const Seq2Seq *model, ModelKind kind, Error *err)
{
    ModelText text = {0};
    Status status = buffer_add_text(&text.source_tokenizer, "source", err);
    status = status == OK ? buffer_add_text(&text.target_tokenizer, "target", err) : status;
    status = status == OK ? buffer_add_text(&text.links, "links", err) : status;
    status = status == OK ? buffer_add_text(&text.settings, "seed = 1\n", err) : status;
    status = status == OK ? model_file_save_small(path, model, &text, kind, err) : status;
    model_text_free(&text);
    return status;
}

/* A toy network, and the same from a file of that kind. */
typedef struct Pair {
    Seq2Seq *model, *small;
    char path[SCRATCH_PATH];
} Pair;

static Pair make_pair(const Config *config, ModelKind kind)
{
    Pair pair;
    ModelText text;
    Error err = {.code = OK};
    pair.model = toy_model(config, 5);
    scratch_path(pair.path, "small");
    ck_assert_msg(save_small(pair.path, pair.model, kind, &err) == OK, "%s", err.message);
    ck_assert_msg(model_file_load(&pair.small, &text, pair.path, &err) == OK, "%s", err.message);
    ck_assert_str_eq(text.source_tokenizer.bytes, "source");
    ck_assert_str_eq(text.target_tokenizer.bytes, "target");
    ck_assert_str_eq(text.links.bytes, "links");
    ck_assert_str_eq(text.settings.bytes, "seed = 1\n");
    model_text_free(&text);
    return pair;
}

static void free_pair(Pair *pair)
{
    seq2seq_free(pair->model);
    seq2seq_free(pair->small);
    scratch_clean();
}

static double largest(const real *v, int n)
{
    double max = 0;
    for (int i = 0; i < n; i++) {
        max = fabs((double)v[i]) > max ? fabs((double)v[i]) : max;
    }
    return max;
}

START_TEST(weights_come_back_to_within_the_rounding_of_their_kind)
{
    const ModelKind kind = SMALL[_i];
    const Config c = toy_config();
    Pair pair = make_pair(&c, kind);
    real row[64];
    ck_assert_int_eq(pair.small->params->is_int8, kind == MODEL_INT8);
    for (int i = 0; i < pair.model->params->n; i++) {
        const Param *p = &pair.model->params->items[i], *q = &pair.small->params->items[i];
        ck_assert_int_le(p->val.cols, 64);
        for (int r = 0; r < p->val.rows; r++) {
            const real *want = mat_row(p->val, r);
            param_read_row(row, q, r);
            for (int j = 0; j < p->val.cols; j++) {
                const double size = fabs((double)want[j]);
                const double most = p->n_dims == 1       ? 1e-7 * size
                                    : kind == MODEL_INT8 ? 0.501 / 127 * largest(want, p->val.cols)
                                                         : size / 256;
                if (!(fabs((double)row[j] - (double)want[j]) <= most)) {
                    ck_abort_msg("%s [%d, %d]: %g for %g", p->name, r, j, (double)row[j],
                                 (double)want[j]);
                }
            }
        }
    }
    free_pair(&pair);
}
END_TEST

/* Logits of two steps of every pair, encoded as one batch or one by one. */
enum { N_STEPS = 2, LOGITS_MAX = TOY_PAIRS * N_STEPS * 16 };

static void run_steps(real *out, const Seq2Seq *model, int is_batch)
{
    const int V = model->config.target_vocab;
    Error err;
    Arena *arena;
    ck_assert_int_eq(arena_create(&arena, 0, &err), OK);
    const int n = is_batch ? TOY_PAIRS : 1;
    for (int first = 0; first < TOY_PAIRS; first += n) {
        Encoded encoded;
        StepResult step;
        int words[TOY_PAIRS], rows[TOY_PAIRS];
        ck_assert_int_eq(seq2seq_encode(model, &encoded, toy_pairs() + first, n, arena, &err), OK);
        Mat states[CONFIG_MAX_LAYERS];
        memcpy(states, encoded.start, sizeof states);
        for (int t = 0; t < N_STEPS; t++) {
            for (int r = 0; r < n; r++) {
                words[r] = t == 0 ? 1 : 4;
                rows[r] = r;
            }
            ck_assert_int_eq(
                seq2seq_step(model, &step, &encoded, n, words, rows, states, arena, &err), OK);
            ck_assert_int_eq(seq2seq_logits(model, &step, arena, &err), OK);
            memcpy(states, step.states, sizeof states);
            for (int r = 0; r < n; r++) {
                const int pair = first + encoded.batch.source_pair[r];
                memcpy(out + (pair * N_STEPS + t) * V, mat_row(step.readout.logits, r),
                       (size_t)V * sizeof *out);
            }
        }
    }
    arena_free(arena);
}

static const struct {
    const char *name;
    DecoderType decoder;
    AttentionType attention;
    int layers, depth, is_tied, is_shared, is_normalized;
} VARIANTS[] = {{"plain", DECODER_CONDITIONAL, ATTENTION_ADDITIVE, 1, 1, 0, 0, 0},
                {"two blocks of columns", DECODER_BAHDANAU, ATTENTION_DOT, 1, 1, 0, 0, 0},
                {"tied and shared", DECODER_CONDITIONAL, ATTENTION_NONE, 1, 1, 1, 1, 0},
                {"deep", DECODER_BAHDANAU, ATTENTION_ADDITIVE, 2, 2, 1, 0, 1}};
enum { N_VARIANTS = sizeof VARIANTS / sizeof *VARIANTS };

/* Every product goes over the right weights: the logits are those of the numbers, nearly. */
START_TEST(a_network_of_bytes_computes_nearly_what_its_numbers_do)
{
    Config c = toy_config();
    c.decoder = VARIANTS[_i].decoder;
    c.attention = VARIANTS[_i].attention;
    c.encoder_layers = c.decoder_layers = VARIANTS[_i].layers;
    c.encoder_depth = VARIANTS[_i].depth;
    c.decoder_depth = VARIANTS[_i].depth - 1;
    c.is_tied = VARIANTS[_i].is_tied;
    c.is_shared = VARIANTS[_i].is_shared;
    c.is_normalized = VARIANTS[_i].is_normalized;
    /* the toy's pairs have ids up to 8 */
    c.source_vocab = c.target_vocab = 9;
    static const char *const SETS[] = {"plain", "sse2", "avx2", "avx512", NULL};
    for (int set = 0; set < 5; set++) {
        real want[LOGITS_MAX], found[LOGITS_MAX], alone[LOGITS_MAX];
        const int n = TOY_PAIRS * N_STEPS * c.target_vocab;
        if (!vec_use(SETS[set])) {
            continue;
        }
        Pair pair = make_pair(&c, MODEL_INT8);
        run_steps(want, pair.model, 1);
        run_steps(found, pair.small, 1);
        run_steps(alone, pair.small, 0);
        ck_assert_mem_eq(found, alone, (size_t)n * sizeof *found);
        double apart = 0, size = 0;
        for (int i = 0; i < n; i++) {
            apart += fabs((double)want[i] - (double)found[i]) / n;
            size += fabs((double)want[i]) / n;
        }
        if (!(apart <= 0.02 * size)) {
            ck_abort_msg("%s: %g apart of %g", VARIANTS[_i].name, apart, size);
        }
        free_pair(&pair);
    }
    ck_assert(vec_use(NULL));
}
END_TEST

/* ---- What is refused ---- */

START_TEST(numbers_and_checkpoints_are_not_read_from_bytes)
{
    const Config c = toy_config();
    Pair pair = make_pair(&c, SMALL[_i]);
    Seq2Seq *model = NULL;
    ModelText text;
    ModelMoments moments;
    Error err;
    ck_assert_int_eq(checkpoint_load(&model, &text, &moments, pair.path, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "not a checkpoint"));
    const Status status = model_file_load_numbers(&model, &text, pair.path, &err);
    if (SMALL[_i] == MODEL_INT8) {
        ck_assert_int_eq(status, ERR_FORMAT);
        ck_assert_ptr_nonnull(strstr(err.message, "for translating alone"));
    } else {
        ck_assert_int_eq(status, OK);
        ck_assert_int_eq((int)model->params->count, (int)pair.model->params->count);
        seq2seq_free(model);
        model_text_free(&text);
    }
    free_pair(&pair);
}
END_TEST

static Status load_and_free(const char *path, Error *err)
{
    Seq2Seq *model;
    ModelText text;
    TRY(model_file_load(&model, &text, path, err));
    seq2seq_free(model);
    model_text_free(&text);
    return OK;
}

/* The checksum of the container is tried bit by bit in test_safetensors.c. */
START_TEST(cut_and_damaged_files_are_refused)
{
    const Config c = toy_config();
    Pair pair = make_pair(&c, SMALL[_i]);
    char changed[SCRATCH_PATH], *content;
    size_t len;
    Error err;
    scratch_path(changed, "changed");
    scratch_read(pair.path, &content, &len);
    for (size_t cut = 0; cut < len; cut += 61) {
        scratch_write(changed, content, cut);
        ck_assert_int_eq(load_and_free(changed, &err), ERR_FORMAT);
    }
    for (size_t bit = 0; bit < 8 * len; bit += 419) {
        content[bit / 8] = (char)(content[bit / 8] ^ 1 << bit % 8);
        scratch_write(changed, content, len);
        ck_assert_int_eq(load_and_free(changed, &err), ERR_FORMAT);
        content[bit / 8] = (char)(content[bit / 8] ^ 1 << bit % 8);
    }
    mem_free(content);
    free_pair(&pair);
}
END_TEST

enum { TENSORS_MAX = 128 };

/* Writes a copy of a file in which the named tensor is another one (`with`; its name NULL: none),
 * the kind another one unless NULL, and one tensor more unless `more` is NULL. */
static void write_changed(const char *to, const char *from, const char *name,
                          const SafeTensor *with, const char *kind, const SafeTensor *more)
{
    SafeFile *file;
    SafeTensor tensors[TENSORS_MAX];
    SafePair pairs[TENSORS_MAX];
    int n = 0, n_pairs = 0, n_changed = 0;
    Error err = {.code = OK};
    ck_assert_int_eq(safe_open(&file, from, SAFE_CHECKSUM_REQUIRED, &err), OK);
    ck_assert_int_eq(safe_read(file, &err), OK);
    for (int i = 0; i < safe_count(file); i++) {
        const int is_named = name != NULL && strcmp(safe_at(file, i)->name, name) == 0;
        n_changed += is_named;
        if (is_named && with->name == NULL) {
            continue;
        }
        tensors[n++] = is_named ? *with : *safe_at(file, i);
    }
    if (more != NULL) {
        tensors[n++] = *more;
    }
    for (int i = 0; i < safe_count_metadata(file); i++) {
        SafePair pair = safe_metadata_at(file, i);
        if (strcmp(pair.key, "checksum") != 0) {
            pair.value = kind != NULL && strcmp(pair.key, "kind") == 0 ? kind : pair.value;
            pairs[n_pairs++] = pair;
        }
    }
    ck_assert_int_eq(n_changed, name != NULL);
    ck_assert_msg(safe_write(to, pairs, n_pairs, tensors, n, &err) == OK, "%s", err.message);
    safe_close(file);
}

static void expect_refusal(const char *path, const char *sentence)
{
    Error err = {.code = OK};
    const Status status = load_and_free(path, &err);
    if (status != ERR_FORMAT || strstr(err.message, sentence) == NULL) {
        ck_abort_msg("status %d: %s\nexpected: %s", (int)status, err.message, sentence);
    }
}

#define KEY   "attention.key.weight" /* 5 x 8 */
#define SCALE "attention.key.weight.scale"

/* Right checksums, wrong content. */
START_TEST(hostile_int8_files_are_refused_by_name)
{
    static const float not_finite[][5] = {
        {1, 1, NAN, 1, 1}, {INFINITY, 1, 1, 1, 1}, {1, 1, 1, 1, -INFINITY}, {1, 1, -1e-30f, 1, 1}};
    static const float zeros[64] = {0};
    const Config c = toy_config();
    Pair pair = make_pair(&c, MODEL_INT8);
    char changed[SCRATCH_PATH];
    scratch_path(changed, "changed");
    const SafeTensor none = {.name = NULL};

    write_changed(changed, pair.path, NULL, NULL, NULL, NULL); /* nothing changed: it loads */
    Error err;
    ck_assert_int_eq(load_and_free(changed, &err), OK);

    write_changed(changed, pair.path, SCALE, &none, NULL, NULL);
    expect_refusal(changed, "the tensor " SCALE " is missing");
    write_changed(changed, pair.path, KEY, &none, NULL, NULL);
    expect_refusal(changed, "the tensor " KEY " is missing");

    SafeTensor t = {.name = SCALE, .type = SAFE_F32, .n_dims = 1, .shape = {4}, .n_bytes = 16};
    t.data = zeros;
    write_changed(changed, pair.path, SCALE, &t, NULL, NULL);
    expect_refusal(changed, "the tensor " SCALE " is not F32 of 5");
    t = (SafeTensor){.name = SCALE, .type = SAFE_I8, .n_dims = 1, .shape = {5}, .n_bytes = 5};
    t.data = zeros;
    write_changed(changed, pair.path, SCALE, &t, NULL, NULL);
    expect_refusal(changed, "the tensor " SCALE " is not F32 of 5");
    t = (SafeTensor){.name = SCALE, .type = SAFE_F32, .n_dims = 2, .shape = {5, 1}, .n_bytes = 20};
    t.data = zeros;
    write_changed(changed, pair.path, SCALE, &t, NULL, NULL);
    expect_refusal(changed, "the tensor " SCALE " is not F32 of 5");
    for (int i = 0; i < 4; i++) {
        t = (SafeTensor){.name = SCALE, .type = SAFE_F32, .n_dims = 1, .shape = {5}, .n_bytes = 20};
        t.data = not_finite[i];
        write_changed(changed, pair.path, SCALE, &t, NULL, NULL);
        expect_refusal(changed, i < 3 ? SCALE " has a number that is not finite"
                                      : SCALE " has a scale below 0");
    }

    t = (SafeTensor){.name = KEY, .type = SAFE_I8, .n_dims = 2, .shape = {5, 8}, .n_bytes = 40};
    int8_t bytes[40] = {[1] = 127, [2] = -127, [3] = 1, [38] = -1};
    t.data = bytes;
    for (int i = 0; i < 40; i += 3) {
        const int8_t kept = bytes[i];
        write_changed(changed, pair.path, KEY, &t, NULL, NULL);
        ck_assert_int_eq(load_and_free(changed, &err), OK);
        bytes[i] = -128;
        write_changed(changed, pair.path, KEY, &t, NULL, NULL);
        expect_refusal(changed, KEY " has a byte below -127");
        bytes[i] = kept;
    }
    t.type = SAFE_U8;
    write_changed(changed, pair.path, KEY, &t, NULL, NULL);
    expect_refusal(changed, KEY " is not I8 of 5 x 8");
    t = (SafeTensor){.name = KEY, .type = SAFE_I8, .n_dims = 2, .shape = {8, 5}, .n_bytes = 40};
    t.data = zeros;
    write_changed(changed, pair.path, KEY, &t, NULL, NULL);
    expect_refusal(changed, KEY " is not I8 of 5 x 8");

    t = (SafeTensor){.name = "attention.bias.scale", .type = SAFE_F32, .n_dims = 1, .shape = {1}};
    t.n_bytes = 4;
    t.data = zeros;
    write_changed(changed, pair.path, NULL, NULL, NULL, &t);
    expect_refusal(changed, "its configuration asks for");

    write_changed(changed, pair.path, NULL, NULL, "model", NULL);
    expect_refusal(changed, "is not F");
    write_changed(changed, pair.path, NULL, NULL, "bf16", NULL);
    expect_refusal(changed, "is not BF16");
    write_changed(changed, pair.path, NULL, NULL, "int4", NULL);
    expect_refusal(changed, "kind \"int4\": must be model, checkpoint, int8 or bf16");
    free_pair(&pair);
}
END_TEST

START_TEST(hostile_bf16_files_are_refused_by_name)
{
    static const uint16_t infinite[40] = {[7] = 0x7f80};
    const Config c = toy_config();
    Pair pair = make_pair(&c, MODEL_BF16);
    char changed[SCRATCH_PATH];
    scratch_path(changed, "changed");
    SafeTensor t = {.name = KEY, .type = SAFE_BF16, .n_dims = 2, .shape = {5, 8}, .n_bytes = 80};
    t.data = infinite;
    write_changed(changed, pair.path, KEY, &t, NULL, NULL);
    expect_refusal(changed, KEY " has a number that is not finite");
    t.type = SAFE_F16;
    write_changed(changed, pair.path, KEY, &t, NULL, NULL);
    expect_refusal(changed, KEY " is not BF16 of 5 x 8");
    write_changed(changed, pair.path, NULL, NULL, "int8", NULL);
    expect_refusal(changed, "is not I8");
    free_pair(&pair);
}
END_TEST

/* ---- What the system refuses ---- */

/* _i: memory or files, once or for all later calls, by kind. */
START_TEST(each_refusal_of_the_system_is_a_clean_error)
{
    const ModelKind kind = SMALL[_i >> 2];
    const int is_memory = _i & 1, and_later = _i >> 1 & 1;
    const Config c = toy_config();
    Pair pair = make_pair(&c, kind);
    Error err;
    int has_failed = 1, n_failures = 0;
    for (long n = 1; has_failed; n++) {
        if (is_memory) {
            mem_fail_at(n, and_later);
        } else {
            io_fail_at(n, and_later);
        }
        Status status = save_small(pair.path, pair.model, kind, &err);
        status = status == OK ? load_and_free(pair.path, &err) : status;
        has_failed = is_memory ? mem_failed() : io_failed();
        mem_fail_at(0, 0);
        io_fail_at(0, 0);
        ck_assert_int_eq(status, !has_failed ? OK : is_memory ? ERR_NOMEM : ERR_IO);
        ck_assert_int_eq(load_and_free(pair.path, &err), OK);
        ck_assert_int_eq(scratch_count(), 1);
        n_failures += has_failed;
    }
    ck_assert_int_ge(n_failures, 8);
    free_pair(&pair);
}
END_TEST

TEST_MAIN("model_file",
          tcase_add_loop_test(c, weights_come_back_to_within_the_rounding_of_their_kind, 0, 2);
          tcase_add_loop_test(c, a_network_of_bytes_computes_nearly_what_its_numbers_do, 0,
                              N_VARIANTS);
          tcase_add_loop_test(c, numbers_and_checkpoints_are_not_read_from_bytes, 0, 2);
          tcase_add_loop_test(c, cut_and_damaged_files_are_refused, 0, 2);
          tcase_add_test(c, hostile_int8_files_are_refused_by_name);
          tcase_add_test(c, hostile_bf16_files_are_refused_by_name);
          tcase_add_loop_test(c, each_refusal_of_the_system_is_a_clean_error, 0, 8);)

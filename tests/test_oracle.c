/* The network against results that a separate program made in float64 with automatic
 * differentiation: states, attention, logits, loss and every gradient. tests/data/oracle holds
 * them; HEED_ORACLE names another folder. */
#include "model/seq2seq.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safetensors.h"
#include "support/check_main.h"

#ifdef REAL_IS_DOUBLE
static const double TOLERANCE = 1e-10;
#else
static const double TOLERANCE = 1e-4;
#endif

enum { FILES_MAX = 4096 };

typedef struct Oracle {
    SafeFile *file;
    Seq2Seq *model;
    double eps;
    Arena *arena;
    Batch batch;
    Seq2SeqTape tape;
    Loss loss;
    int n_wrong;
} Oracle;

static int number(const Oracle *o, const char *key)
{
    const char *text = safe_metadata(o->file, key);
    ck_assert_msg(text != NULL, "no metadata %s", key);
    return (int)strtol(text, NULL, 10);
}

static int choice(const Oracle *o, const char *key, const char *const *names, int n)
{
    const char *text = safe_metadata(o->file, key);
    for (int i = 0; text != NULL && i < n; i++) {
        if (strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    ck_abort_msg("metadata %s is none of the known names", key);
    return -1;
}

static Config read_config(const Oracle *o)
{
    static const char *const attentions[] = {"additive", "dot", "scaled-dot", "none"};
    static const char *const decoders[] = {"conditional", "bahdanau"};
    static const char *const flags[] = {"False", "True"};
    return (Config){.source_vocab = number(o, "source_vocab"),
                    .target_vocab = number(o, "target_vocab"),
                    .embedding = number(o, "embedding"),
                    .hidden = number(o, "hidden"),
                    .attention_size = number(o, "attention_size"),
                    .encoder_layers = number(o, "encoder_layers"),
                    .decoder_layers = number(o, "decoder_layers"),
                    .encoder_depth = 1,
                    .attention = (AttentionType)choice(o, "attention", attentions, 4),
                    .decoder = (DecoderType)choice(o, "decoder", decoders, 2),
                    .is_tied = choice(o, "tied", flags, 2)};
}

static const SafeTensor *tensor(const Oracle *o, const char *name)
{
    const SafeTensor *t = safe_find(o->file, name);
    ck_assert_msg(t != NULL, "no tensor %s", name);
    return t;
}

static void read_weights(const Oracle *o)
{
    ParamList *params = o->model->params;
    for (int i = 0; i < params->n; i++) {
        const SafeTensor *t = tensor(o, params->items[i].name);
        const size_t n = (size_t)params->items[i].val.rows * (size_t)params->items[i].val.cols;
        ck_assert_msg(t->type == SAFE_F64 && t->n_bytes == n * 8, "shape of %s", t->name);
        for (size_t j = 0; j < n; j++) {
            params->items[i].val.v[j] = (real)((const double *)t->data)[j];
        }
    }
    params_pack(params, NULL);
}

/* The ids of one side; the end token at the end of targets is left to batch_create. */
static int *read_ids(const SafeTensor *ids)
{
    const size_t n = (size_t)(ids->n_bytes / 8);
    int *out = mem_alloc(n, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        out[i] = (int)((const int64_t *)ids->data)[i];
    }
    return out;
}

static void read_batch(Oracle *o)
{
    const SafeTensor *source = tensor(o, "batch.source"), *target = tensor(o, "batch.target");
    const int64_t *source_length = tensor(o, "batch.source_length")->data;
    const int64_t *target_length = tensor(o, "batch.target_length")->data;
    const int B = (int)source->shape[0], S = (int)source->shape[1], T = (int)target->shape[1];
    int *source_ids = read_ids(source), *target_ids = read_ids(target);
    IdPair *pairs = mem_alloc((size_t)B, sizeof *pairs);
    Error err;
    for (int b = 0; b < B; b++) {
        pairs[b] = (IdPair){source_ids + b * S, target_ids + b * T, (int)source_length[b] - 1,
                            (int)target_length[b] - 1};
        ck_assert_int_eq(source_ids[b * S + pairs[b].n_source], ID_END);
        ck_assert_int_eq(target_ids[b * T + pairs[b].n_target], ID_END);
    }
    ck_assert_int_eq(arena_create(&o->arena, 0, &err), OK);
    ck_assert_msg(batch_create(&o->batch, pairs, B, o->model->config.source_vocab,
                               o->model->config.target_vocab, o->arena, &err) == OK,
                  "%s", err.message);
    mem_free(pairs);
    mem_free(source_ids);
    mem_free(target_ids);
}

/* max |ours - theirs| and max |theirs| over what was compared. */
typedef struct Difference {
    double largest, scale;
} Difference;

static void compare(Difference *d, const real *ours, const double *theirs, int n)
{
    for (int i = 0; i < n; i++) {
        const double gap = fabs((double)ours[i] - theirs[i]);
        d->largest = gap <= d->largest ? d->largest : gap; /* NaN stays */
        d->scale = fmax(d->scale, fabs(theirs[i]));
    }
}

static void judge(Oracle *o, const char *name, Difference d)
{
    if (!(d.largest <= TOLERANCE * d.scale)) {
        printf("  %s: differs by %g, largest %g\n", name, d.largest, d.scale);
        o->n_wrong++;
    }
}

static void compare_states(Oracle *o)
{
    const SafeTensor *t = tensor(o, "expect.states");
    const int S = (int)t->shape[1], W = (int)t->shape[2];
    Difference d = {0, 0};
    for (int r = 0; r < o->batch.source.B; r++) {
        const double *theirs = (const double *)t->data + o->batch.source_pair[r] * S * W;
        for (int s = 0; s < o->batch.source.length[r]; s++) {
            compare(&d, mat_row(o->tape.h, packing_row(&o->batch.source, s, r)), theirs + s * W, W);
        }
        for (int i = o->batch.source.length[r] * W; i < S * W; i++) {
            ck_assert(theirs[i] == 0); /* ours has no padding */
        }
    }
    judge(o, t->name, d);
}

/* Attention rows [B, T, S] or logits [B, T, V]; S may exceed our longest sentence only by zeros. */
static void compare_rows(Oracle *o, const char *name, Mat ours)
{
    const SafeTensor *t = tensor(o, name);
    const int T = (int)t->shape[1], W = (int)t->shape[2];
    Difference d = {0, 0};
    for (int r = 0; r < o->batch.target.B; r++) {
        const double *theirs = (const double *)t->data + o->batch.target_pair[r] * T * W;
        for (int step = 0; step < o->batch.target.length[r]; step++) {
            compare(&d, mat_row(ours, packing_row(&o->batch.target, step, r)), theirs + step * W,
                    W < ours.cols ? W : ours.cols);
        }
    }
    judge(o, name, d);
}

static void compare_gradients(Oracle *o)
{
    const ParamList *params = o->model->params;
    Gradients *g = mem_zero_alloc(1, sizeof *g);
    seq2seq_backward(o->model, &o->tape, g, (Mat){0});
    gradients_form_all(params, g);
    mem_free(g);
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->items[i];
        char name[PARAM_NAME_CAP + 8];
        Difference d = {0, 0};
        (void)snprintf(name, sizeof name, "grad.%s", p->name);
        compare(&d, p->grad.v, tensor(o, name)->data, p->val.rows * p->val.cols);
        judge(o, name, d);
    }
}

/* Every tensor of the file must be one of ours, so that none escapes the comparison. */
static void expect_all_known(const Oracle *o)
{
    int n_weights = 0;
    for (int i = 0; i < safe_count(o->file); i++) {
        const char *name = safe_at(o->file, i)->name;
        n_weights += strncmp(name, "batch.", 6) != 0 && strncmp(name, "expect.", 7) != 0 &&
                     strncmp(name, "grad.", 5) != 0;
    }
    ck_assert_int_eq(n_weights, o->model->params->n);
}

/* Returns how many tensors disagree. */
static int run_file(const char *path)
{
    Error err;
    Oracle o = {0};
    printf("%s\n", path);
    ck_assert_msg(safe_open(&o.file, path, SAFE_CHECKSUM_OPTIONAL, &err) == OK, "%s", err.message);
    ck_assert_msg(safe_read(o.file, &err) == OK, "%s", err.message);
    const Config config = read_config(&o);
    o.eps = strtod(safe_metadata(o.file, "label_smoothing"), NULL);
    ck_assert_msg(seq2seq_create(&o.model, &config, 1, &err) == OK, "%s", err.message);
    expect_all_known(&o);
    read_weights(&o);
    read_batch(&o);
    ck_assert_int_eq(seq2seq_tape_alloc(&o.tape, o.model, o.arena, &o.batch, 1, NULL, &err), OK);
    seq2seq_forward(o.model, &o.tape);
    compare_states(&o);
    compare_rows(&o, "expect.attention", o.tape.decoder.attention.weights);
    compare_rows(&o, "expect.logits", o.tape.readout.logits);
    loss_forward_backward(&o.loss, o.tape.readout.logits, o.batch.output_ids, o.eps);
    const real loss = (real)o.loss.smoothed;
    Difference d = {0, 0};
    compare(&d, &loss, tensor(&o, "expect.loss")->data, 1);
    judge(&o, "expect.loss", d);
    compare_gradients(&o);
    arena_free(o.arena);
    seq2seq_free(o.model);
    safe_close(o.file);
    return o.n_wrong;
}

START_TEST(every_oracle_file_agrees)
{
    const char *folder = getenv("HEED_ORACLE");
    folder = folder == NULL || folder[0] == '\0' ? "tests/data/oracle" : folder;
    DIR *dir = opendir(folder);
    ck_assert_msg(dir != NULL, "%s: cannot be opened", folder);
    int n_files = 0, n_wrong = 0;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const size_t len = strlen(entry->d_name);
        if (len > 12 && strcmp(entry->d_name + len - 12, ".safetensors") == 0) {
            char path[4096];
            (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            n_wrong += run_file(path);
            n_files++;
        }
    }
    (void)closedir(dir);
    printf("%d oracle files, %d tensors disagree (tolerance %g)\n", n_files, n_wrong, TOLERANCE);
    (void)fflush(stdout);
    ck_assert_int_gt(n_files, 0);
    ck_assert_int_eq(n_wrong, 0);
}
END_TEST

TEST_MAIN("oracle", tcase_add_test(c, every_oracle_file_agrees);)

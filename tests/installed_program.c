/* A program of somebody else on the installed library, with nothing but heed.h: trains from files,
 * then lets threads that share one model translate, score, align and tokenize, and compares them.
 * tests/test_install.py builds it through pkg-config. installed_program PAIRS.tsv MODEL */
#include <heed.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { N_LINES = 5, N_THREADS = 6, N_ROUNDS = 8 };

static const char *const LINES[N_LINES] = {"a b 7", "", "b a \xE6\xA0\x91", "a \xFF b", "a a a a"};

typedef struct Answers {
    char text[N_LINES][512];
    double score[N_LINES];
    char links[N_LINES][512];
    int n_pieces[N_LINES];
} Answers;

typedef struct Worker {
    const HeedModel *model;
    const Answers *expected;
    HeedError err;
    int is_wrong;
} Worker;

static int on_progress(void *context, const HeedProgress *progress)
{
    int *n_validations = context;
    *n_validations += progress->is_validation;
    return 0;
}

static int on_progress_stop(void *context, const HeedProgress *progress)
{
    (void)context;
    return progress->update > 0;
}

/* Scores the given translation again and keeps its links. */
static HeedStatus align(const HeedModel *model, Answers *answers, int i, HeedError *err)
{
    const char *target = answers->text[i];
    HeedOptions options;
    HeedResults *results;
    HeedLink links[64];
    size_t n = 0, at = 0;
    heed_options_init(&options);
    options.wants_attention = 1;
    HeedStatus status = heed_score(model, &results, &LINES[i], &target, 1, &options, err);
    if (status != HEED_OK) {
        return status;
    }
    answers->score[i] = heed_best(results, 0)->score;
    status = heed_links(heed_best(results, 0), 0, links, 64, &n, err);
    answers->links[i][0] = '\0';
    for (size_t k = 0; k < n && k < 64; k++) {
        at += (size_t)snprintf(answers->links[i] + at, sizeof answers->links[i] - at, "%d-%d ",
                               links[k].source, links[k].target);
    }
    heed_results_free(results);
    return status;
}

static HeedStatus answer(const HeedModel *model, Answers *answers, HeedError *err)
{
    HeedOptions options;
    HeedResults *results;
    heed_options_init(&options);
    options.n_best = 3;
    HeedStatus status = heed_translate(model, &results, LINES, N_LINES, &options, err);
    if (status != HEED_OK) {
        return status;
    }
    for (int i = 0; i < N_LINES; i++) {
        snprintf(answers->text[i], sizeof answers->text[i], "%s", heed_best(results, i)->text);
    }
    heed_results_free(results);
    for (int i = 0; i < N_LINES && status == HEED_OK; i++) {
        HeedTokens *tokens;
        status = align(model, answers, i, err);
        if (status == HEED_OK) {
            status = heed_tokenize(model, &tokens, HEED_SOURCE, LINES[i], err);
        }
        if (status == HEED_OK) {
            answers->n_pieces[i] = tokens->n;
            heed_tokens_free(tokens);
        }
    }
    return status;
}

static void *work(void *argument)
{
    Worker *worker = argument;
    for (int round = 0; round < N_ROUNDS && !worker->is_wrong; round++) {
        Answers found;
        memset(&found, 0, sizeof found);
        worker->is_wrong = answer(worker->model, &found, &worker->err) != HEED_OK ||
                           memcmp(&found, worker->expected, sizeof found) != 0;
    }
    return NULL;
}

static int fail(const char *what, const HeedError *err)
{
    fprintf(stderr, "installed_program: %s: %s\n", what, err == NULL ? "wrong" : err->message);
    return 1;
}

static int train(const char *pairs, const char *path, HeedCallback callback, void *context,
                 HeedStatus expected)
{
    char settings[2048];
    HeedError err = {HEED_OK, ""};
    snprintf(
        settings, sizeof settings,
        "train = %s\nmodel = %s\noverwrite = yes\npreset = tiny\nafter = 20u\nvalid-freq = 10\n"
        "embedding = 16\nhidden = 16\nattention-size = 16\nvocab-size = 280\nthreads = 1\n",
        pairs, path);
    return heed_train(settings, callback, context, &err) == expected ? 0 : fail("training", &err);
}

int main(int argc, char **argv)
{
    HeedError err = {HEED_OK, ""};
    HeedModel *model;
    int n_validations = 0;
    static Answers expected;
    if (argc != 3) {
        return 2;
    }
    if (train(argv[1], argv[2], on_progress_stop, NULL, HEED_STOPPED) != 0 ||
        train(argv[1], argv[2], on_progress, &n_validations, HEED_OK) != 0) {
        return 1;
    }
    if (n_validations != 2) {
        return fail("the callback's count of validations", NULL);
    }
    if (heed_open(&model, "/nonexistent", &err) != HEED_IO || err.message[0] == '\0') {
        return fail("a missing model", NULL);
    }
    if (heed_open(&model, argv[2], &err) != HEED_OK || answer(model, &expected, &err) != HEED_OK) {
        return fail("the first answers", &err);
    }
    Worker workers[N_THREADS];
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        workers[i] = (Worker){.model = model, .expected = &expected};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) {
            return fail("a thread", NULL);
        }
    }
    int is_wrong = 0;
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        is_wrong |= workers[i].is_wrong ? fail("answers of a thread", &workers[i].err) : 0;
    }
    heed_close(model);
    for (int i = 0; i < N_LINES; i++) {
        printf("%s\n", expected.text[i]);
    }
    return is_wrong;
}

/* Training data; see the header. */
#include "train/data.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct Data {
    const Corpus *corpus; /* kept for BPE-dropout */
    const Tokenizer *tokenizers[N_SIDES];
    DataOptions options;
    long n, n_long;
    long n_pieces[N_SIDES];
    int *index;           /* [n]: place in the corpus */
    int *length[N_SIDES]; /* [n] */
    size_t *offset; /* [n]: first id of the source; the target follows. NULL with BPE-dropout */
    int is_wide;    /* ids take 32 bits */
    void *ids;
};

enum { ENCODE_CHUNK = 512, POOL_BATCHES = 50 };

/* Encoding in parallel: each task takes a run of pairs; lengths and ids go to places of their own.
 */
typedef struct Encoding {
    const Corpus *corpus;
    const Tokenizer *const *tokenizers;
    int *length[N_SIDES]; /* [size of the corpus] */
    Data *data;           /* in the second pass: where the ids go */
    Pieces *pieces;       /* by worker */
    Status *status;       /* by worker */
    Error *errors;
} Encoding;

/* Tasks are handed out in order, so the caller's own tell how far all are. */
static void tell_encoding(const Encoding *e, long first, long size, int worker)
{
    if (worker == 0) {
        progress_tell(e->data->options.progress, "encoding pairs", "pairs", (double)first,
                      progress_share((double)first, (double)size));
    }
}

static Status encode_side(Encoding *e, int side, long pair, int worker, Error *err)
{
    size_t len;
    const char *line = corpus_line(e->corpus, side, pair, &len);
    return tokenizer_encode(e->tokenizers[side], line, len, &e->pieces[worker], err);
}

static void count_chunk(void *context, int task, int worker)
{
    Encoding *e = context;
    const long first = (long)task * ENCODE_CHUNK, size = corpus_size(e->corpus);
    tell_encoding(e, first, size, worker);
    for (long i = first; i < first + ENCODE_CHUNK && i < size; i++) {
        for (int side = 0; side < N_SIDES && e->status[worker] == OK; side++) {
            e->status[worker] = encode_side(e, side, i, worker, &e->errors[worker]);
            e->length[side][i] = e->pieces[worker].len;
        }
    }
}

static void store_ids(Data *data, size_t at, const int *ids, int n)
{
    for (int i = 0; i < n; i++) {
        if (data->is_wide) {
            ((int32_t *)data->ids)[at + (size_t)i] = ids[i];
        } else {
            ((uint16_t *)data->ids)[at + (size_t)i] = (uint16_t)ids[i];
        }
    }
}

static void store_chunk(void *context, int task, int worker)
{
    Encoding *e = context;
    Data *data = e->data;
    const long first = (long)task * ENCODE_CHUNK;
    tell_encoding(e, first, data->n, worker);
    for (long i = first; i < first + ENCODE_CHUNK && i < data->n; i++) {
        size_t at = data->offset[i];
        for (int side = 0; side < N_SIDES && e->status[worker] == OK; side++) {
            e->status[worker] = encode_side(e, side, data->index[i], worker, &e->errors[worker]);
            store_ids(data, at, e->pieces[worker].ids, e->pieces[worker].len);
            at += (size_t)e->pieces[worker].len;
        }
    }
}

static Status run_encoding(Encoding *e, ThreadTask task, long n, Threads *threads, Error *err)
{
    threads_run(threads, task, e, (int)((n + ENCODE_CHUNK - 1) / ENCODE_CHUNK));
    for (int w = 0; w < threads_count(threads); w++) {
        if (e->status[w] != OK) {
            if (err != NULL) {
                *err = e->errors[w];
            }
            return e->status[w];
        }
    }
    return OK;
}

/* Keeps the pairs whose sides are within the bound: fills index, lengths and counts. */
static Status keep_pairs(Data *data, const Encoding *e, Error *err)
{
    const long size = corpus_size(e->corpus);
    const int bound = data->options.max_length;
    for (long i = 0; i < size; i++) {
        const int ns = e->length[SIDE_SOURCE][i], nt = e->length[SIDE_TARGET][i];
        if (bound > 0 && (ns > bound || nt > bound)) {
            data->n_long++;
            continue;
        }
        data->index[data->n] = (int)i;
        data->length[SIDE_SOURCE][data->n] = ns;
        data->length[SIDE_TARGET][data->n] = nt;
        data->n_pieces[SIDE_SOURCE] += ns;
        data->n_pieces[SIDE_TARGET] += nt;
        data->n++;
    }
    if (data->n == 0) {
        return fail(err, ERR_FORMAT,
                    "no training pairs are left: all %ld are longer than %d pieces", size, bound);
    }
    return OK;
}

static Status store_all(Data *data, Encoding *e, Threads *threads, Error *err)
{
    const size_t total = (size_t)(data->n_pieces[SIDE_SOURCE] + data->n_pieces[SIDE_TARGET]);
    data->is_wide = tokenizer_size(data->tokenizers[SIDE_SOURCE]) > 65536 ||
                    tokenizer_size(data->tokenizers[SIDE_TARGET]) > 65536;
    data->offset = mem_alloc((size_t)data->n, sizeof *data->offset);
    data->ids = mem_alloc(total, data->is_wide ? 4 : 2);
    if (data->offset == NULL || data->ids == NULL) {
        return mem_fail(err, "the training data", total, 4);
    }
    size_t at = 0;
    for (long i = 0; i < data->n; i++) {
        data->offset[i] = at;
        at += (size_t)(data->length[SIDE_SOURCE][i] + data->length[SIDE_TARGET][i]);
    }
    return run_encoding(e, store_chunk, data->n, threads, err);
}

static Status fill(Data *data, Encoding *e, Threads *threads, Error *err)
{
    const size_t size = (size_t)corpus_size(e->corpus), n_workers = (size_t)threads_count(threads);
    e->pieces = mem_zero_alloc(n_workers, sizeof *e->pieces);
    e->status = mem_zero_alloc(n_workers, sizeof *e->status);
    e->errors = mem_zero_alloc(n_workers, sizeof *e->errors);
    data->index = mem_alloc(size, sizeof *data->index);
    for (int side = 0; side < N_SIDES; side++) {
        e->length[side] = mem_alloc(size, sizeof(int));
        data->length[side] = mem_alloc(size, sizeof(int));
    }
    if (e->pieces == NULL || e->status == NULL || e->errors == NULL || data->index == NULL ||
        e->length[0] == NULL || e->length[1] == NULL || data->length[0] == NULL ||
        data->length[1] == NULL) {
        return mem_fail(err, "the training data", size, 5 * sizeof(int));
    }
    TRY(run_encoding(e, count_chunk, (long)size, threads, err));
    TRY(keep_pairs(data, e, err));
    return data->options.bpe_dropout > 0 ? OK : store_all(data, e, threads, err);
}

Status data_create(Data **out, const Corpus *corpus, const Tokenizer *source,
                   const Tokenizer *target, const DataOptions *options, Threads *threads,
                   Error *err)
{
    Data *data = mem_zero_alloc(1, sizeof *data);
    if (data == NULL) {
        return mem_fail(err, "the training data", 1, sizeof *data);
    }
    if (corpus_size(corpus) > INT32_MAX) {
        mem_free(data);
        return fail(err, ERR_FORMAT, "a corpus of %ld pairs: at most %d", corpus_size(corpus),
                    INT32_MAX);
    }
    data->corpus = corpus;
    data->tokenizers[SIDE_SOURCE] = source;
    data->tokenizers[SIDE_TARGET] = target;
    data->options = *options;
    Encoding e = {.corpus = corpus, .tokenizers = data->tokenizers, .data = data};
    const Status status = fill(data, &e, threads, err);
    for (int w = 0; e.pieces != NULL && w < threads_count(threads); w++) {
        pieces_free(&e.pieces[w]);
    }
    mem_free(e.pieces);
    mem_free(e.status);
    mem_free(e.errors);
    mem_free(e.length[0]);
    mem_free(e.length[1]);
    if (status != OK) {
        data_free(data);
        return status;
    }
    *out = data;
    return OK;
}

void data_free(Data *data)
{
    if (data != NULL) {
        mem_free(data->index);
        mem_free(data->length[0]);
        mem_free(data->length[1]);
        mem_free(data->offset);
        mem_free(data->ids);
        mem_free(data);
    }
}

long data_size(const Data *data)
{
    return data->n;
}

long data_n_long(const Data *data)
{
    return data->n_long;
}

long data_n_pieces(const Data *data, int side)
{
    return data->n_pieces[side];
}

int data_length(const Data *data, int side, long i)
{
    return data->length[side][i];
}

long data_corpus_index(const Data *data, long i)
{
    return data->index[i];
}

/* With BPE-dropout a line may split as far as its bytes, and a word start more for each. */
int data_pair_room(const Data *data, long i)
{
    if (data->options.bpe_dropout <= 0) {
        return data->length[SIDE_SOURCE][i] + data->length[SIDE_TARGET][i];
    }
    size_t source, target;
    (void)corpus_line(data->corpus, SIDE_SOURCE, data->index[i], &source);
    (void)corpus_line(data->corpus, SIDE_TARGET, data->index[i], &target);
    return (int)(4 * (source + target) + 8);
}

static void load_ids(const Data *data, size_t at, int *ids, int n)
{
    for (int i = 0; i < n; i++) {
        ids[i] = data->is_wide ? ((const int32_t *)data->ids)[at + (size_t)i]
                               : ((const uint16_t *)data->ids)[at + (size_t)i];
    }
}

/* Encodes one side with dropout; a side that comes out longer than the bound is taken without. */
static Status encode_with_dropout(const Data *data, int side, long i, Rng *rng, int *ids, int *n,
                                  Pieces *scratch, Error *err)
{
    size_t len;
    const char *line = corpus_line(data->corpus, side, data->index[i], &len);
    const int bound = data->options.max_length;
    TRY(tokenizer_encode_dropout(data->tokenizers[side], line, len, data->options.bpe_dropout, rng,
                                 scratch, err));
    if (bound > 0 && scratch->len > bound) {
        TRY(tokenizer_encode(data->tokenizers[side], line, len, scratch, err));
    }
    memcpy(ids, scratch->ids, (size_t)scratch->len * sizeof *ids);
    *n = scratch->len;
    return OK;
}

Status data_pair(const Data *data, IdPair *out, long i, long epoch, int *ids, Pieces *scratch,
                 Error *err)
{
    IdPair pair = {.source = ids,
                   .n_source = data->length[SIDE_SOURCE][i],
                   .n_target = data->length[SIDE_TARGET][i]};
    if (data->options.bpe_dropout > 0) {
        Rng rng = rng_stream(data->options.seed, 0x62706500u + (uint64_t)epoch, (uint64_t)i);
        TRY(encode_with_dropout(data, SIDE_SOURCE, i, &rng, ids, &pair.n_source, scratch, err));
        TRY(encode_with_dropout(data, SIDE_TARGET, i, &rng, ids + pair.n_source, &pair.n_target,
                                scratch, err));
    } else {
        load_ids(data, data->offset[i], ids, pair.n_source + pair.n_target);
    }
    pair.target = ids + pair.n_source;
    *out = pair;
    return OK;
}

/* Sorting keys of one pool: by target length, then source length, then place. */
typedef struct Key {
    int target, source, pair;
} Key;

static int compare_keys(const void *a, const void *b)
{
    const Key *x = a, *y = b;
    if (x->target != y->target) {
        return x->target < y->target ? -1 : 1;
    }
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

static void sort_pool(const Data *data, int *order, Key *keys, long n)
{
    for (long i = 0; i < n; i++) {
        keys[i] = (Key){data->length[SIDE_TARGET][order[i]], data->length[SIDE_SOURCE][order[i]],
                        order[i]};
    }
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (long i = 0; i < n; i++) {
        order[i] = keys[i].pair;
    }
}

/* How many of the n pairs from order on fit one batch; at least one. */
static long batch_end(const Data *data, const int *order, long n, int sentences, int words)
{
    long total = 0;
    for (long i = 0; i < n; i++) {
        total += data->length[SIDE_TARGET][order[i]] + 1;
        if (i > 0 && ((sentences > 0 && i >= sentences) || (words > 0 && total > words))) {
            return i;
        }
    }
    return n;
}

/* Batches come in random order, but each stays whole: the runs of `sorted` are laid out anew. */
static void shuffle_batches(EpochPlan *plan, const int *sorted, const long *starts, int *batches,
                            Rng *rng)
{
    long at = 0;
    for (long k = 0; k < plan->n_batches; k++) {
        batches[k] = (int)k;
    }
    rng_shuffle(rng, batches, (size_t)plan->n_batches);
    for (long k = 0; k < plan->n_batches; k++) {
        const long begin = starts[batches[k]], n = starts[batches[k] + 1] - begin;
        memcpy(plan->order + at, sorted + begin, (size_t)n * sizeof *sorted);
        plan->first[k] = at;
        at += n;
    }
    plan->first[plan->n_batches] = at;
}

static void make_plan(EpochPlan *plan, const Data *data, Rng *rng, int *sorted, long *starts,
                      Key *keys, int sentences, int words)
{
    const long n = data->n;
    const double mean = (double)(data->n_pieces[SIDE_TARGET] + n) / (double)n;
    const long per_batch = words > 0 ? (long)(words / mean) + 1 : sentences;
    const long pool = POOL_BATCHES * (per_batch < 1 ? 1 : per_batch);
    for (long i = 0; i < n; i++) {
        sorted[i] = (int)i;
    }
    rng_shuffle(rng, sorted, (size_t)n);
    for (long at = 0; at < n; at += pool) {
        sort_pool(data, sorted + at, keys, n - at < pool ? n - at : pool);
    }
    plan->n_batches = 0;
    for (long at = 0; at < n;) {
        starts[plan->n_batches++] = at;
        at += batch_end(data, sorted + at, n - at, sentences, words);
    }
    starts[plan->n_batches] = n;
}

Status data_plan(EpochPlan *out, const Data *data, long epoch, int sentences, int words, Error *err)
{
    assert(sentences > 0 || words > 0);
    const size_t n = (size_t)data->n;
    EpochPlan plan = {.order = mem_alloc(n, sizeof(int)), .first = mem_alloc(n + 1, sizeof(long))};
    int *sorted = mem_alloc(n, sizeof *sorted), *batches = mem_alloc(n, sizeof *batches);
    long *starts = mem_alloc(n + 1, sizeof *starts);
    Key *keys = mem_alloc(n, sizeof *keys);
    const int refused = plan.order == NULL || plan.first == NULL || sorted == NULL ||
                        batches == NULL || starts == NULL || keys == NULL;
    if (!refused) {
        Rng rng = rng_stream(data->options.seed, 0x6f726400u, (uint64_t)epoch);
        make_plan(&plan, data, &rng, sorted, starts, keys, sentences, words);
        shuffle_batches(&plan, sorted, starts, batches, &rng);
    }
    mem_free(sorted);
    mem_free(batches);
    mem_free(starts);
    mem_free(keys);
    if (refused) {
        epoch_plan_free(&plan);
        return mem_fail(err, "the order of an epoch", n, 60);
    }
    *out = plan;
    return OK;
}

void epoch_plan_free(EpochPlan *plan)
{
    mem_free(plan->order);
    mem_free(plan->first);
    *plan = (EpochPlan){0};
}

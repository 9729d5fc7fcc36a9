/* The network that is measured; see the header. */
#include "cli/bench_network.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/init.h"

/* Sentences of made-up words: every word of the vocabulary once, then any. */
typedef struct MadeUp {
    Rng rng;
    long left; /* sentences still to come */
    int n_words, length, next_word;
    Buffer line;
} MadeUp;

static Status make_up(void *context, const char **line, size_t *len, Error *err)
{
    MadeUp *m = context;
    if (m->left == 0) {
        *line = NULL;
        *len = 0;
        return OK;
    }
    m->left--;
    buffer_clear(&m->line);
    /* lengths from half to one and a half of the mean */
    const int n = m->length / 2 + 1 + (int)rng_below(&m->rng, (uint64_t)m->length);
    for (int i = 0; i < n; i++) {
        const int word = m->next_word < m->n_words ? m->next_word++
                                                   : (int)rng_below(&m->rng, (uint64_t)m->n_words);
        /* three letters or more; digits would be words of their own */
        TRY(buffer_add_text(&m->line, i == 0 ? "" : " ", err));
        for (int rest = word, k = 0; rest > 0 || k < 3; rest /= 26, k++) {
            TRY(buffer_add_byte(&m->line, (char)('a' + rest % 26), err));
        }
    }
    *line = m->line.bytes;
    *len = m->line.len;
    return OK;
}

static Status make_corpus(Corpus **out, const BenchWork *work, long n_pairs, Error *err)
{
    MadeUp sides[2];
    Lines lines[2];
    const long enough = 2L * work->vocab / work->length + 1; /* for every word to occur */
    for (int side = 0; side < 2; side++) {
        sides[side] = (MadeUp){.rng = rng_stream(1, 0xbe7c4, (uint64_t)side),
                               .left = n_pairs > enough ? n_pairs : enough,
                               .n_words = work->vocab - N_SPECIAL_TOKENS,
                               .length = work->length};
        lines[side] = (Lines){make_up, &sides[side], NULL};
    }
    const Status status = corpus_of_lines(out, "made-up pairs", lines[0], lines[1], err);
    buffer_free(&sides[0].line);
    buffer_free(&sides[1].line);
    return status;
}

static Status learn(Tokenizer **out, const Corpus *corpus, int side, int vocab, Error *err)
{
    const TokenizerOptions options = {.kind = TOKENIZER_WORD,
                                      .vocab_size = vocab,
                                      .min_frequency = 1,
                                      .normalization = NORMALIZE_NFC,
                                      .lowercase = 1};
    CorpusLines state = {corpus, side, 0, NULL};
    const Lines lines = corpus_lines(&state);
    return tokenizer_learn(out, &options, &lines, err);
}

static Status alloc_moments(BenchNetwork *n, Error *err)
{
    const size_t count = n->model->params->count;
    n->moments.m = mem_alloc_aligned(count, sizeof(real));
    n->moments.v = mem_alloc_aligned(count, sizeof(real));
    return n->moments.m != NULL && n->moments.v != NULL
               ? OK
               : mem_fail(err, "the optimiser", 2 * count, sizeof(real));
}

/* Everything that ordinary training does: label smoothing, dropout, clipping, Adam. */
static UpdateOptions usual_options(void)
{
    return (UpdateOptions){.noise = {.input = 0.3, .readout = 0.3},
                           .label_smoothing = 0.1,
                           .clip_norm = 1,
                           .adam = {.b1 = 0.9, .b2 = 0.999, .epsilon = 1e-8},
                           .seed = 1};
}

static Config config_of(const BenchWork *work, const BenchNetwork *n)
{
    return (Config){.source_vocab = tokenizer_size(n->source),
                    .target_vocab = tokenizer_size(n->target),
                    .embedding = work->size,
                    .hidden = work->size,
                    .attention_size = work->size,
                    .encoder_layers = 1,
                    .decoder_layers = 1,
                    .encoder_depth = 1,
                    .attention = ATTENTION_ADDITIVE,
                    .decoder = work->is_bahdanau ? DECODER_BAHDANAU : DECODER_CONDITIONAL};
}

Status bench_network_create(BenchNetwork *out, const BenchWork *work, long n_pairs, int n_threads,
                            int is_training, Error *err)
{
    BenchNetwork *n = out;
    *n = (BenchNetwork){0};
    TRY(threads_create(&n->threads, n_threads, err));
    if (work->source == NULL) {
        TRY(make_corpus(&n->corpus, work, n_pairs, err));
    } else {
        const CorpusFilter filter = corpus_filter_default();
        TRY(corpus_load_files(&n->corpus, work->source, work->target, &filter, err));
    }
    TRY(learn(&n->source, n->corpus, SIDE_SOURCE, work->vocab, err));
    TRY(learn(&n->target, n->corpus, SIDE_TARGET, work->vocab, err));
    const DataOptions options = {.max_length = 1000, .seed = 1};
    TRY(data_create(&n->data, n->corpus, n->source, n->target, &options, n->threads, err));
    TRY(data_plan(&n->plan, n->data, 1, work->mini_batch, 0, err));
    mem_trim();
    const Config config = config_of(work, n);
    TRY(seq2seq_create(&n->model, &config, is_training, err));
    params_init(n->model->params, 1);
    if (is_training) {
        params_set_precision(n->model->params, precision_choose(work->precision, work->size));
    }
    params_pack(n->model->params, n->threads);
    TRY(seq2seq_screen(n->model, n->threads, err));
    if (is_training) {
        const UpdateOptions update = usual_options();
        TRY(alloc_moments(n, err));
        TRY(updater_create(&n->updater, n->model, &n->moments, n->data, &update, n->threads, err));
    }
    return OK;
}

void bench_network_free(BenchNetwork *n)
{
    updater_free(n->updater);
    model_moments_free(&n->moments);
    seq2seq_free(n->model);
    epoch_plan_free(&n->plan);
    data_free(n->data);
    tokenizer_free(n->source);
    tokenizer_free(n->target);
    corpus_free(n->corpus);
    threads_free(n->threads);
}

double bench_multiply_adds(const Config *c, double n_source, double n_target)
{
    const double E = c->embedding, H = c->hidden, A = c->attention_size;
    const double encoder = 2 * (3 * H * E + 3 * H * H), keys = 2 * H * A;
    const double gru1 = c->decoder == DECODER_BAHDANAU ? 3 * H * E : 3 * H * E + 3 * H * H;
    const double decoder = gru1 + 6 * H * H + 3 * H * H, query = H * A;
    const double readout = E * (H + E + 2 * H) + (double)c->target_vocab * E;
    return n_source * (encoder + keys) + n_target * (decoder + query + readout);
}

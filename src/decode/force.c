/* Forced decoding; see the header. */
#include "decode/force.h"

#include <string.h>

#include "math/vec.h"

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

/* log p of each word of a batch, rows in packed order, from the logits. */
static void read_scores(double *scores, const Batch *batch, Mat logits)
{
    for (int row = 0; row < logits.rows; row++) {
        const real *l = mat_row(logits, row);
        scores[row] = ensemble_word_score(l[batch->output_ids[row]], word_lse(l, logits.cols));
    }
}

/* The same of a single network, which needs no logits but those of the words. */
static Status score_alone(double *scores, const Batch *batch, const Seq2Seq *model, Mat *attention,
                          Arena *scratch, Error *err)
{
    Seq2SeqTape tape;
    WordSearch found;
    const Readout *readout = &model->readout;
    TRY(seq2seq_states_alloc(&tape, model, scratch, batch, 0, NULL, err));
    seq2seq_states_forward(model, &tape);
    const Mat o = tape.readout.o;
    TRY(word_search_alloc(&found, readout, scratch, o.rows, 1, err));
    word_search(readout, &found, o);
    for (int row = 0; row < o.rows; row++) {
        const real logit = word_logit(readout, mat_row(o, row), batch->output_ids[row]);
        scores[row] = ensemble_word_score(logit, found.lse[row]);
    }
    *attention = tape.decoder.attention.weights;
    return OK;
}

static Status score_together(double *scores, const Batch *batch, const Ensemble *ensemble,
                             Mat *attention_out, Arena *scratch, Error *err)
{
    Mat logits[ENSEMBLE_MAX], attention[ENSEMBLE_MAX];
    for (int m = 0; m < ensemble->n; m++) {
        Seq2SeqTape tape;
        TRY(seq2seq_tape_alloc(&tape, ensemble->models[m], scratch, batch, 0, NULL, err));
        seq2seq_forward(ensemble->models[m], &tape);
        logits[m] = tape.readout.logits;
        attention[m] = tape.decoder.attention.weights;
    }
    ensemble_average(logits[0], logits, ensemble->n);
    ensemble_average(attention[0], attention, ensemble->n);
    read_scores(scores, batch, logits[0]);
    *attention_out = attention[0];
    return OK;
}

/* Reads the results of target row b from scores and attention, rows in packed order. */
static Status read_row(Forced *out, const Batch *batch, int b, const double *all_scores,
                       Mat attention, int keeps_attention, Arena *results, Error *err)
{
    const int T = batch->target.length[b], S = batch->source.length[batch->sentence[b]];
    float *scores, *weights = NULL;
    double sum = 0;
    TRY(take(&scores, results, (size_t)T, sizeof *scores, err));
    if (keeps_attention) {
        TRY(take(&weights, results, (size_t)T * (size_t)S, sizeof *weights, err));
    }
    for (int t = 0; t < T; t++) {
        const int row = packing_row(&batch->target, t, b);
        scores[t] = (float)all_scores[row];
        sum += all_scores[row];
        for (int s = 0; keeps_attention && s < S; s++) {
            weights[(size_t)t * (size_t)S + (size_t)s] = (float)mat_row(attention, row)[s];
        }
    }
    *out = (Forced){
        .n_target = T, .n_source = S, .score = sum, .word_scores = scores, .attention = weights};
    return OK;
}

static Status decode_batch(Forced *out, const Ensemble *ensemble, const IdPair *pairs, int n,
                           int keeps_attention, Arena *results, Arena *scratch, Error *err)
{
    Batch batch;
    Mat attention;
    double *scores;
    const Config *c = &ensemble->models[0]->config;
    arena_reset(scratch);
    TRY(batch_create(&batch, pairs, n, c->source_vocab, c->target_vocab, scratch, err));
    TRY(take(&scores, scratch, (size_t)batch.target.N, sizeof *scores, err));
    if (ensemble->n == 1) {
        TRY(score_alone(scores, &batch, ensemble->models[0], &attention, scratch, err));
    } else {
        TRY(score_together(scores, &batch, ensemble, &attention, scratch, err));
    }
    for (int b = 0; b < n; b++) {
        TRY(read_row(&out[batch.target_pair[b]], &batch, b, scores, attention, keeps_attention,
                     results, err));
    }
    return OK;
}

/* How many of the pairs fit into one batch; at least 1. */
static int count_fitting(const Ensemble *ensemble, const IdPair *pairs, int n)
{
    enum { MOST = 256 };
    const double budget = 16 << 20; /* numbers */
    const Config *c = &ensemble->models[0]->config;
    double used = 0;
    int fitting = 0;
    while (fitting < n && fitting < MOST) {
        const double T = pairs[fitting].n_target + 1, S = pairs[fitting].n_source + 1;
        used += ensemble->n * (T * (c->target_vocab + S + 16.0 * c->hidden * c->decoder_layers) +
                               S * 12.0 * c->hidden * c->encoder_layers);
        if (used > budget && fitting > 0) {
            break;
        }
        fitting++;
    }
    return fitting;
}

Status force_decode(Forced *out, const Ensemble *ensemble, const IdPair *pairs, int n,
                    int keeps_attention, Arena *results, Arena *scratch, Error *err)
{
    for (int done = 0; done < n;) {
        const int some = count_fitting(ensemble, pairs + done, n - done);
        TRY(decode_batch(out + done, ensemble, pairs + done, some, keeps_attention, results,
                         scratch, err));
        done += some;
    }
    return OK;
}

/* Ensembles; see the header. */
#include "decode/ensemble.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"

Status ensemble_check(const Ensemble *ensemble, Error *err)
{
    if (ensemble->n < 1 || ensemble->n > ENSEMBLE_MAX) {
        return fail(err, ERR_ARG, "%d models: must be between 1 and %d", ensemble->n, ENSEMBLE_MAX);
    }
    const Config *first = &ensemble->models[0]->config;
    for (int m = 1; m < ensemble->n; m++) {
        const Config *c = &ensemble->models[m]->config;
        if (c->source_vocab != first->source_vocab || c->target_vocab != first->target_vocab) {
            return fail(err, ERR_ARG,
                        "model %d has vocabularies of %d and %d pieces, the first model of %d "
                        "and %d: an ensemble needs the same",
                        m + 1, c->source_vocab, c->target_vocab, first->source_vocab,
                        first->target_vocab);
        }
    }
    return OK;
}

Status ensemble_encode(const Ensemble *ensemble, EnsembleMemory *out, const IdPair *pairs, int n,
                       Arena *arena, Error *err)
{
    for (int m = 0; m < ensemble->n; m++) {
        TRY(seq2seq_encode(ensemble->models[m], &out->encoded[m], pairs, n, arena, err));
    }
    return OK;
}

void ensemble_average(Mat first, const Mat *all, int n)
{
    if (n == 1) {
        return;
    }
    for (int i = 0; i < first.rows; i++) {
        real *row = mat_row(first, i);
        for (int m = 1; m < n; m++) {
            vec_ops()->add(row, mat_row(all[m], i), first.cols);
        }
        vec_ops()->scale(row, 1 / (real)n, first.cols);
    }
}

Status ensemble_step(const Ensemble *ensemble, EnsembleStep *out, const EnsembleMemory *memory,
                     int R, const int *word, const int *sentence, const EnsembleStates *states,
                     int wants_logits, const EnsembleParts *parts, Arena *arena, Error *err)
{
    Mat logits[ENSEMBLE_MAX] = {{0}}, attention[ENSEMBLE_MAX];
    const int is_alone = ensemble->n == 1;
    for (int m = 0; m < ensemble->n; m++) {
        StepResult step;
        TRY(seq2seq_step(ensemble->models[m], &step, &memory->encoded[m], R, word, sentence,
                         states->v[m], arena, err));
        if (parts != NULL) {
            TRY(mat_alloc(&step.readout.logits, arena, R, parts->n_most, err));
            readout_parts_forward(step.readout.logits, parts->v[m], sentence, step.readout.o);
        } else if (!is_alone || wants_logits) {
            TRY(seq2seq_logits(ensemble->models[m], &step, arena, err));
        }
        out->o = is_alone ? step.readout.o : (Mat){0};
        logits[m] = step.readout.logits;
        attention[m] = step.attention;
        memcpy(out->states.v[m], step.states, sizeof step.states);
    }
    ensemble_average(logits[0], logits, ensemble->n);
    ensemble_average(attention[0], attention, ensemble->n);
    out->logits = logits[0];
    out->attention = attention[0];
    return OK;
}

Status ensemble_states_alloc(const Ensemble *ensemble, EnsembleStates *out, int R, Arena *arena,
                             Error *err)
{
    for (int m = 0; m < ensemble->n; m++) {
        const Config *c = &ensemble->models[m]->config;
        for (int l = 0; l < c->decoder_layers; l++) {
            TRY(mat_alloc(&out->v[m][l], arena, R, c->hidden, err));
        }
    }
    return OK;
}

void ensemble_states_copy_row(const Ensemble *ensemble, EnsembleStates *out, int to,
                              const EnsembleStates *source, int from)
{
    for (int m = 0; m < ensemble->n; m++) {
        for (int l = 0; l < ensemble->models[m]->config.decoder_layers; l++) {
            memcpy(mat_row(out->v[m][l], to), mat_row(source->v[m][l], from),
                   (size_t)out->v[m][l].cols * sizeof(real));
        }
    }
}

void ensemble_start(const Ensemble *ensemble, EnsembleStates *out, const EnsembleMemory *memory)
{
    for (int m = 0; m < ensemble->n; m++) {
        memcpy(out->v[m], memory->encoded[m].start, sizeof out->v[m]);
    }
}

double ensemble_word_score(real logit, real log_sum_exp)
{
    const double score = (double)logit - (double)log_sum_exp;
    if (isnan(score)) {
        return -INFINITY;
    }
    return score < 0 ? score : 0;
}

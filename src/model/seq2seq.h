/* The whole network: encoder, decoder with attention, readout; wiring, no formula.
 *
 * Training runs seq2seq_tape_alloc, seq2seq_forward, seq2seq_loss, seq2seq_backward on each shard
 * of a batch, then forms the gradients (nn/gradients.h).
 *
 * Translating encodes a batch once (seq2seq_encode) and then advances any number of hypotheses by
 * one word at a time (seq2seq_step). A hypothesis' numbers depend on its sentence and its words
 * alone.
 *
 * Threads: a Seq2Seq is read only in all of these; arenas, tapes and lists belong to one thread. */
#ifndef HEED_MODEL_SEQ2SEQ_H
#define HEED_MODEL_SEQ2SEQ_H

#include "model/batch.h"
#include "model/config.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "nn/loss.h"
#include "nn/word_search.h"

typedef struct Seq2Seq {
    Config config;
    ParamList *params;
    Encoder encoder;
    Decoder decoder;
    Readout readout;
} Seq2Seq;

/* Makes a network of zeros (see params_init); ERR_FORMAT when config_check refuses. with_gradients:
 * it will be trained. The caller packs the parameters (params_pack) after filling them. */
Status seq2seq_create(Seq2Seq **out, const Config *config, int with_gradients, Error *err) MUST_USE;
void seq2seq_free(Seq2Seq *model);

/* The first half of seq2seq_create: the list of parameters with names and shapes, without memory
 * for their values, which params_allocate gives. On failure *out is NULL. */
Status seq2seq_declare(Seq2Seq **out, const Config *config, Error *err) MUST_USE;

typedef struct Seq2SeqTape {
    const Batch *batch;
    EncoderTape encoder;
    DecoderTape decoder;
    ReadoutTape readout;
    Memory memory;
    Mat h, s;                      /* top states: (Ns, 2H), (Nt, H) */
    Mat start[CONFIG_MAX_LAYERS];  /* (B, H): first decoder states by source row */
    Mat y_product;                 /* (words, E): scratch of the readout, without training */
    Mat ds, dc, dy;                /* (Nt, H), (Nt, 2H), (Nt, E) */
    Mat dstart[CONFIG_MAX_LAYERS]; /* (B, H) by source row */
} Seq2SeqTape;

/* Takes all arrays for the batch, which must outlive the tape. noise may be NULL: no dropout; masks
 * are drawn here. */
Status seq2seq_tape_alloc(Seq2SeqTape *tape, const Seq2Seq *model, Arena *arena, const Batch *batch,
                          int is_training, Noise *noise, Error *err) MUST_USE;

/* Fills tape->readout.logits (Nt, V), rows as batch->output_ids, and
 * tape->decoder.attention.weights. */
void seq2seq_forward(const Seq2Seq *model, Seq2SeqTape *tape);

/* Both without the logits: tape->readout.o (Nt, E) is the last thing. */
Status seq2seq_states_alloc(Seq2SeqTape *tape, const Seq2Seq *model, Arena *arena,
                            const Batch *batch, int is_training, Noise *noise, Error *err) MUST_USE;
void seq2seq_states_forward(const Seq2Seq *model, Seq2SeqTape *tape);

/* Reads the gradient of the loss in tape->readout.logits and notes all gradients. dweights (Nt, S)
 * is a further gradient at the attention weights, or empty. */
void seq2seq_backward(const Seq2Seq *model, Seq2SeqTape *tape, Gradients *g, Mat dweights);

/* A batch of source sentences ready to be translated; lives in the arena it was made in. Source
 * rows are sorted by length: batch.source_pair gives the place in the caller's array. */
typedef struct Encoded {
    Batch batch;
    Memory memory;
    Mat start[CONFIG_MAX_LAYERS]; /* (B, H) by source row */
} Encoded;

Status seq2seq_encode(const Seq2Seq *model, Encoded *out, const IdPair *pairs, int n, Arena *arena,
                      Error *err) MUST_USE;

/* What one step gives; lives in the step's arena. */
typedef struct StepResult {
    ReadoutTape readout; /* o (R, E); logits after seq2seq_logits */
    Mat attention;       /* (R, S): S is the longest source sentence, beyond the own length 0 */
    Mat states[CONFIG_MAX_LAYERS]; /* (R, H): of each decoder layer, after the step */
} StepResult;

/* Advances R hypotheses by one word: hypothesis i translates source row sentence[i], its last word
 * is word[i] (ID_BEGIN at first) and its states are rows of states[layer] (R, H) (at first the rows
 * of encoded->start). */
Status seq2seq_step(const Seq2Seq *model, StepResult *out, const Encoded *encoded, int R,
                    const int *word, const int *sentence, const Mat *states, Arena *arena,
                    Error *err) MUST_USE;

/* Adds the logits (R, V) of a step. nn/word_search.h finds the best words without them. */
Status seq2seq_logits(const Seq2Seq *model, StepResult *step, Arena *arena, Error *err) MUST_USE;

/* Makes the copy of the output layer that speeds the search up (params_screen), after params_pack
 * and before translating or scoring, which do without it otherwise. threads may be NULL. */
Status seq2seq_screen(Seq2Seq *model, Threads *threads, Error *err) MUST_USE;

#endif

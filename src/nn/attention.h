/* Attention of a decoder state q [H] over the encoder states h_s [2H] of its sentence:
 *
 *     additive (Bahdanau et al. 2015)            e_s = v . tanh(W_q q + W_k h_s + b)
 *     dot (Luong et al. 2015, "general")         e_s = q . (W_k h_s)
 *     scaled-dot (Vaswani et al. 2017)           e_s = q . (W_k h_s) / sqrt(H)
 *     none (after the idea of Cho et al. 2014)   a_s = 1 / length, the same c at every step
 *
 *     a = softmax(e) over the sentence's positions      c = sum_s a_s h_s
 *
 * The keys W_k h_s are computed once per sentence. The additive scores use
 * tanh(x) = 1 - 2 / (1 + exp(2x)) with exp(2 W_q q) once per step and exp(2 (W_k h_s + b)) once per
 * sentence, so that the inner loop has no transcendental function; their common constant sum(v)
 * cancels in the softmax. A row that is too large for the product of exponentials takes the tanh.
 *
 * Layout: W_q [A, H], W_k [A, 2H] (dot: [H, 2H]), b [A], v [A]. Encoder states and keys are the
 * packed rows of a source batch (N, .); `position` [B, S] gives the row of position s of sentence
 * b. The queries of a step are R rows; sentence [R] says to which sentence each belongs, so that
 * several may share one (hypotheses of a beam). A row of weights has S places, those beyond the
 * sentence's length 0. Threads: an Attention is read only. */
#ifndef HEED_NN_ATTENTION_H
#define HEED_NN_ATTENTION_H

#include "nn/gradients.h"
#include "nn/param.h"

typedef enum AttentionType {
    ATTENTION_ADDITIVE,
    ATTENTION_DOT,
    ATTENTION_SCALED_DOT,
    ATTENTION_NONE
} AttentionType;

typedef struct Attention {
    AttentionType type;
    int H, K; /* K: width of a key, A for additive, H for the dot products, 0 for none */
    Weights *query, *key;
    Param *bias, *score; /* additive only */
} Attention;

/* What is attended to; made once per source batch. */
typedef struct Memory {
    Mat h;                   /* (N, 2H) */
    Mat keys;                /* (N, K): W_k h (+ b) */
    Mat exp_keys;            /* (N, K): exp(2 keys), additive only */
    unsigned char *is_large; /* [N]: the row is beyond VEC_ADDITIVE_LIMIT */
    /* (N, P): products of h with what reads the contexts, where nothing goes back; else empty.
     * sum_s a_s (W h_s) = W c, and the products are formed once a sentence instead of at each step. */
    Mat products;
    int S;               /* longest sentence */
    const int *position; /* [B, S] */
    const int *length;   /* [B] */
    Mat dh, dkeys;       /* gradients, (N, 2H) and (N, K); added to */
} Memory;

/* What the steps of one decoder run keep; rows in packed order of the target. */
typedef struct AttentionTape {
    Mat weights;              /* (N, S) */
    Mat queries, exp_queries; /* (N, K): W_q q and exp(2 W_q q); additive only */
    Mat scores;               /* (1, S): scratch */
    Mat dqueries;             /* (N, K) */
    Mat dscore;               /* (1, K): gradient of v */
} AttentionTape;

Status attention_create(Attention *attention, ParamList *params, AttentionType type, int H, int A,
                        Error *err) MUST_USE;

/* Takes the memory's arrays (not h) for N positions. dh and dkeys are zeroed with is_training. */
Status memory_alloc(Memory *memory, const Attention *attention, Arena *arena, int N,
                    int is_training, Error *err) MUST_USE;
/* Takes the tape's arrays for N target rows over sentences of up to S positions. */
Status attention_tape_alloc(AttentionTape *tape, const Attention *attention, Arena *arena, int N,
                            int S, int is_training, Error *err) MUST_USE;

/* Computes keys and exp_keys from memory->h. */
void attention_keys_forward(const Attention *attention, Memory *memory);
/* memory->dh += dkeys W_k, and notes the gradients of W_k and b; after all steps have gone back. */
void attention_keys_backward(const Attention *attention, Memory *memory, Gradients *g);

/* c (R, 2H), or (R, P) where the memory has products, is written, and rows first .. first + R - 1 of the tape; q (R, H) is read. */
void attention_step_forward(const Attention *attention, AttentionTape *tape, const Memory *memory,
                            int first, Mat c, Mat q, const int *sentence);
/* Adds to dq (R, H), memory->dh, memory->dkeys and the tape's dscore; reads dc (R, 2H). dweights
 * (R, S) is a further gradient at the weights themselves (guided alignment), or empty; q (R, H) is
 * what the forward step had. */
void attention_step_backward(const Attention *attention, AttentionTape *tape, Memory *memory,
                             int first, Mat dq, Mat dc, Mat dweights, Mat q, const int *sentence);
/* Notes the gradients of W_q and v: q (N, H) are the queries of all rows. */
void attention_note(const Attention *attention, const AttentionTape *tape, Gradients *g, Mat q);

#endif

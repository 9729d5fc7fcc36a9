/* The encoder: embeds the source and runs bidirectional GRU layers over it.
 *
 *     x_s = Embed_src[src_s]      h_s = [forward_s ; backward_s]      layer l+1 reads layer l's h
 *
 * With residual connections layer l+1 gives its GRUs' output plus its input. Every state is kept.
 * Capitals: B sentences, N packed source positions, E embedding, H units of one direction. */
#ifndef HEED_MODEL_ENCODER_H
#define HEED_MODEL_ENCODER_H

#include "model/config.h"
#include "model/distinct.h"
#include "model/rnn.h"

typedef struct Encoder {
    int n_layers, H, is_residual;
    const Param *embedding;
    Rnn forward[CONFIG_MAX_LAYERS], backward[CONFIG_MAX_LAYERS];
} Encoder;

typedef struct EncoderLayerTape {
    Mat in, mask; /* (N, X): what the GRUs read; (B, X): its dropout, empty without */
    Mat h;        /* (N, 2H) */
    RnnTape forward, backward;
} EncoderLayerTape;

typedef struct EncoderTape {
    const Packing *packing;
    const int *ids;    /* [N], dropped words -1 */
    Mat x, x_mask;     /* (N, E): embedded words; (words.n, E) where nothing goes back */
    Distinct words;    /* of the batch, where nothing goes back */
    Mat word_products; /* (words.n, 3H): their shares of a GRU's input */
    Mat mean, dmean;   /* (B, 2H): of the top layer over each sentence */
    Mat dx;            /* (N, max(E, 2H)): scratch of the way back */
    EncoderLayerTape layers[CONFIG_MAX_LAYERS];
} EncoderTape;

/* embedding is the source table, registered by the caller. */
Status encoder_create(Encoder *encoder, ParamList *params, const Config *config,
                      const Param *embedding, Error *err) MUST_USE;

/* ids [N] in packed order; they and the packing must outlive the tape. */
Status encoder_tape_alloc(EncoderTape *tape, const Encoder *encoder, Arena *arena,
                          const Packing *packing, const int *ids, int is_training, Noise *noise,
                          Error *err) MUST_USE;

/* Runs all layers and the mean; returns the top layer's h (N, 2H), a view into the tape. */
Mat encoder_forward(const Encoder *encoder, EncoderTape *tape);

/* Reads and overwrites dh (N, 2H), the gradient at the top layer, and reads tape->dmean; notes all
 * gradients. */
void encoder_backward(const Encoder *encoder, EncoderTape *tape, Gradients *g, Mat dh);

#endif

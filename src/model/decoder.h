/* The decoder: reads the previous target words, attends, and gives a state and a context for each
 * word.
 *
 *     s_0 = tanh(W_init mean_s(h_s) + b_init), one per layer
 *     bahdanau      c_t = attend(s_{t-1});                 s_t = GRU([y_{t-1} ; c_t], s_{t-1})
 *     conditional   s'_t = GRU1(y_{t-1}, s_{t-1}); c_t = attend(s'_t); s_t = GRU2(c_t, s'_t)
 *
 * With a depth, further cells without input follow within the step. Layer l+1 is a GRU whose input
 * is layer l's new state (plus that state with residual connections); only the first layer attends,
 * so further layers run one after another over the whole sequence.
 *
 * A row is a target sentence in training, a hypothesis in a beam; sentence [B] says which source
 * sentence it translates. One step of a beam is a run over a packing of length 1. Capitals: B rows,
 * N packed target positions, E embedding, H units. */
#ifndef HEED_MODEL_DECODER_H
#define HEED_MODEL_DECODER_H

#include "model/config.h"
#include "model/distinct.h"
#include "model/rnn.h"
#include "nn/attention.h"

enum { DECODER_CELLS_MAX = CONFIG_MAX_LAYERS + 2 };

typedef struct Decoder {
    DecoderType type;
    int n_layers, H, is_residual;
    const Param *embedding;
    Attention attention;
    Gru cells[DECODER_CELLS_MAX]; /* of the first layer: gru, or gru1 and gru2, then transitions */
    int n_cells;
    Rnn layers[CONFIG_MAX_LAYERS]; /* from 1; layer 0 is `cells` */
    Weights *init[CONFIG_MAX_LAYERS];
    Param *init_bias[CONFIG_MAX_LAYERS];
} Decoder;

typedef struct DecoderLayerTape {
    Mat in, mask; /* (N, H), (B, H) */
    Mat s;        /* (N, H): the layer's output */
    RnnTape rnn;
} DecoderLayerTape;

typedef struct DecoderTape {
    const Packing *packing;
    const int *ids;      /* [N]: y_{t-1}, dropped words -1 */
    const int *sentence; /* [B] */
    /* Where nothing goes back each different word is embedded and multiplied once: y is (words.n, E),
     * and c holds the products (N, decoder_products) that the memory has in the place of contexts. */
    Distinct words;
    Mat word_products;   /* (words.n, 3H): shares of the first GRU's input */
    Mat y, y_mask;       /* (N, E): embedded words, as the readout reads them */
    Mat y_in, y_in_mask; /* (N, E) as the GRU reads them; (B, E) */
    Mat c;               /* (N, 2H): contexts, as the readout reads them */
    Mat c_in, c_in_mask; /* (N, 2H) as the GRU reads them; (B, 2H) */
    Mat query;           /* (N, H): the states that attended */
    GruTape cells[DECODER_CELLS_MAX];
    Mat state_masks[DECODER_CELLS_MAX]; /* (B, H) */
    AttentionTape attention;
    DecoderLayerTape layers[CONFIG_MAX_LAYERS];
    Mat start[CONFIG_MAX_LAYERS];  /* (B, H): first states, by row */
    Mat states[CONFIG_MAX_LAYERS]; /* (B, H): running states; after a run the last ones */
    /* Of the way back. */
    Mat ds, ds_other; /* (B, H): running gradient of the first layer and its successor */
    Mat ds_in;        /* (N, H): gradient at the input of the layer under work */
    Mat dy_in, dc_in; /* (N, E), (B, 2H) */
    Mat dstart[CONFIG_MAX_LAYERS]; /* (B, H) */
} DecoderTape;

Status decoder_create(Decoder *decoder, ParamList *params, const Config *config,
                      const Param *embedding, Error *err) MUST_USE;

/* ids [N] and sentence [B] must outlive the tape. S is the longest source sentence. */
Status decoder_tape_alloc(DecoderTape *tape, const Decoder *decoder, Arena *arena,
                          const Packing *packing, const int *ids, const int *sentence, int S,
                          int is_training, Noise *noise, Error *err) MUST_USE;

/* The columns of memory->products: those of the GRU that reads the context, 3H, then the readout's,
 * E. decoder_context_weights gives the weights of the first. */
int decoder_products(const Decoder *decoder);
const Weights *decoder_context_weights(const Decoder *decoder);

/* start (rows, H) = the first state of a layer from means (rows, 2H). */
void decoder_start(const Decoder *decoder, int layer, Mat start, Mat mean);
/* Adds to dmean (rows, 2H); reads start, and overwrites dstart; notes the gradients. mean is as in
 * decoder_start. */
void decoder_start_backward(const Decoder *decoder, int layer, Gradients *g, Mat dmean, Mat dstart,
                            Mat start, Mat mean);

/* Runs the packing from tape->start; fills y, c, query, the attention weights, and states. Returns
 * the top layer's output (N, H), a view into the tape. */
Mat decoder_forward(const Decoder *decoder, DecoderTape *tape, const Memory *memory);

/* The way back: reads and overwrites ds (N, H) at the top output, reads and adds to dc (N, 2H) and
 * dy (N, E), adds to memory->dh and dkeys and writes tape->dstart; dweights (N, S) is a further
 * gradient at the attention weights or empty. Notes all gradients, the embedding's too. */
void decoder_backward(const Decoder *decoder, DecoderTape *tape, Memory *memory, Gradients *g,
                      Mat ds, Mat dc, Mat dy, Mat dweights);

#endif

/* What fixes a network: its sizes and variants. Two models with equal configurations have the same
 * tensors. */
#ifndef HEED_MODEL_CONFIG_H
#define HEED_MODEL_CONFIG_H

#include "base/status.h"
#include "nn/attention.h"

enum {
    CONFIG_MAX_UNITS = 16384, /* embedding, hidden and attention size */
    CONFIG_MAX_LAYERS = 16,   /* and transition depth */
    CONFIG_MAX_VOCAB = 1 << 20
};

typedef enum DecoderType { DECODER_CONDITIONAL, DECODER_BAHDANAU } DecoderType;

typedef struct Config {
    int source_vocab, target_vocab;
    int embedding, hidden, attention_size; /* E, H, A */
    int encoder_layers, decoder_layers;
    int encoder_depth,
        decoder_depth; /* GRU cells a step: 1 is a plain encoder; the decoder's first layer
                        * counts its cells beyond those of its type, so 0 is plain */
    AttentionType attention;
    DecoderType decoder;
    int is_tied;       /* the output weights are the target embedding */
    int is_shared;     /* one embedding for both sides (joint vocabulary) */
    int is_normalized; /* layer normalisation in the GRUs and the readout */
    int is_residual;   /* layer l+1 adds its input to its output */
} Config;

/* ERR_FORMAT with the name, the value and the bounds of the first size that is out of range. */
Status config_check(const Config *config, Error *err) MUST_USE;

/* The names under which variants go in files and options: "additive|dot|scaled-dot|none" and
 * "conditional|bahdanau". */
const char *config_attention_name(AttentionType type);
const char *config_decoder_name(DecoderType type);

#endif

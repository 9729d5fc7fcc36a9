/* Configuration; see the header. */
#include "model/config.h"

#include <stddef.h>

static Status check_range(const char *name, int value, int min, int max, Error *err)
{
    if (value < min || value > max) {
        return fail(err, ERR_FORMAT, "%s %d: must be between %d and %d", name, value, min, max);
    }
    return OK;
}

Status config_check(const Config *c, Error *err)
{
    TRY(check_range("source vocabulary", c->source_vocab, 4, CONFIG_MAX_VOCAB, err));
    TRY(check_range("target vocabulary", c->target_vocab, 4, CONFIG_MAX_VOCAB, err));
    TRY(check_range("embedding size", c->embedding, 1, CONFIG_MAX_UNITS, err));
    TRY(check_range("hidden size", c->hidden, 1, CONFIG_MAX_UNITS, err));
    TRY(check_range("attention size", c->attention_size, 1, CONFIG_MAX_UNITS, err));
    TRY(check_range("encoder layers", c->encoder_layers, 1, CONFIG_MAX_LAYERS, err));
    TRY(check_range("decoder layers", c->decoder_layers, 1, CONFIG_MAX_LAYERS, err));
    TRY(check_range("encoder depth", c->encoder_depth, 1, CONFIG_MAX_LAYERS, err));
    TRY(check_range("decoder depth", c->decoder_depth, 0, CONFIG_MAX_LAYERS, err));
    TRY(check_range("attention type", (int)c->attention, 0, ATTENTION_NONE, err));
    TRY(check_range("decoder type", (int)c->decoder, 0, DECODER_BAHDANAU, err));
    if (c->is_shared && c->source_vocab != c->target_vocab) {
        return fail(err, ERR_FORMAT, "a shared embedding over vocabularies of %d and %d pieces",
                    c->source_vocab, c->target_vocab);
    }
    return OK;
}

const char *config_attention_name(AttentionType type)
{
    static const char *const names[] = {"additive", "dot", "scaled-dot", "none"};
    return names[type];
}

const char *config_decoder_name(DecoderType type)
{
    static const char *const names[] = {"conditional", "bahdanau"};
    return names[type];
}

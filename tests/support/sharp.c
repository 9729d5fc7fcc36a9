/* Toy networks; see the header. */
#include "support/sharp.h"

#include <check.h>

#include "nn/init.h"

Seq2Seq *sharp_model(int source_vocab, int target_vocab, uint64_t seed, double sharpness)
{
    const Config config = {.source_vocab = source_vocab,
                           .target_vocab = target_vocab,
                           .embedding = 8,
                           .hidden = 8,
                           .attention_size = 8,
                           .encoder_layers = 1,
                           .decoder_layers = 2,
                           .encoder_depth = 1};
    Seq2Seq *model;
    ck_assert_int_eq(seq2seq_create(&model, &config, 0, NULL), OK);
    params_init(model->params, seed);
    for (int i = 0; i < model->params->n; i++) {
        const Mat m = model->params->items[i].val;
        for (int r = 0; r < m.rows; r++) {
            for (int c = 0; c < m.cols; c++) {
                mat_row(m, r)[c] *= (real)sharpness;
            }
        }
    }
    params_pack(model->params, NULL);
    return model;
}

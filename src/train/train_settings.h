/* The options of `heed train` and what they mean for a run. */
#ifndef HEED_TRAIN_TRAIN_SETTINGS_H
#define HEED_TRAIN_TRAIN_SETTINGS_H

#include "base/options.h"
#include "train/trainer.h"

typedef struct TrainSettings {
    const char *train, *train_source, *train_target;
    const char *valid, *valid_source, *valid_target;
    const char *model, *init, *after;
    int precision; /* a Precision; auto in checkpoints from before the option, which were float32 */
    int resume, overwrite, preset, threads, seed, quiet;
    int attention, decoder, embedding, hidden, attention_size;
    int encoder_layers, decoder_layers, encoder_depth, decoder_depth;
    int tied, shared, normalized, residual;
    int tokenizer, vocab_size, joint, min_freq, nfkc, lowercase;
    double bpe_dropout;
    double dropout_embedding, dropout_input, dropout_state, dropout_readout, dropout_src,
        dropout_trg;
    double label_smoothing, r_drop, l2, weight_decay;
    double learn_rate, beta1, beta2, epsilon, clip_norm, smoothing, plateau;
    int warmup, decay, restart;
    int mini_batch, mini_batch_words, optimizer_delay, max_length;
    int valid_freq, patience, metric, valid_tokenize, beam_size, valid_sentences;
    int max_words, duplicates, identical;
    double max_ratio;
    const char *guided;
    int guided_pieces, estimated;
    double guided_weight;
    int valid_samples;
    const char *log, *report;
} TrainSettings;

/* The options of training, for a Command whose settings are TrainSettings. */
extern const Option TRAIN_OPTIONS[];

/* For --resume: takes the settings that the checkpoint holds. Those that shape the run are fixed:
 * the user may leave them out or say the same. Paths, --after and what concerns validation and
 * reports may be given anew, --valid-metric excepted, since the best score so far is in its units.
 * `text` receives what the settings then point into. ERR_ARG with both values. */
Status train_settings_adopt(Parsed *parsed, Buffer *text, Error *err) MUST_USE;

/* Fills what a new run's user left open, by preset and corpus size; yields the preset's name. */
Status train_settings_complete(const char **preset, Parsed *parsed, long n_pairs,
                               Error *err) MUST_USE;

/* Combinations that no single option's range can refuse. */
Status train_settings_check(const Parsed *parsed, Error *err) MUST_USE;

/* Everything but budget and links. */
Recipe train_settings_recipe(const TrainSettings *s, const Corpus *valid);

/* Appends the lines that the model keeps: what fixes the run, without the flags of one session. */
Status train_settings_print(const Parsed *parsed, Buffer *out, Error *err) MUST_USE;

#endif

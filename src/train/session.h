/* A run of training from its options: the table of `heed train`, the checks, the pairs, the lock, the
 * trainer. What the program and the library share.
 *
 * Nothing here prints: what happens is told through SessionEvents.
 * Threads: a session belongs to one thread; it makes a pool of workers. */
#ifndef HEED_TRAIN_SESSION_H
#define HEED_TRAIN_SESSION_H

#include "base/options.h"
#include "train/trainer.h"

/* One member an option. */
typedef struct TrainSettings {
    const char *train, *train_source, *train_target;
    const char *valid, *valid_source, *valid_target;
    const char *model, *init, *after;
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
} TrainSettings;

/* The options of training, for a Command whose settings are TrainSettings. */
extern const Option TRAIN_OPTIONS[];

/* Each may be NULL; they get the context of `train`. */
typedef struct SessionEvents {
    TrainEvents train;
    /* The pairs are read and filtered. */
    void (*loaded)(void *context, const Corpus *corpus);
    /* All settings are known, and training is about to begin. */
    void (*completed)(void *context, const char *preset, long n_pairs,
                      const TrainSettings *settings);
} SessionEvents;

/* Trains as the parsed options say. Errors as trainer_run, and ERR_ARG for options that do not go
 * together. */
Status session_run(const Parsed *given, const SessionEvents *events, Error *err) MUST_USE;

#endif

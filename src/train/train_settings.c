/* The options of `heed train`; see the header. */
#include "train/train_settings.h"

#include <string.h>

#include "train/presets.h"

#define AT(member) offsetof(TrainSettings, member)

const Option TRAIN_OPTIONS[] = {
    {"train", 't', OPTION_TEXT, AT(train), NULL, 0, 0, "PAIRS.tsv",
     "Training pairs: source, tab, target on each line; gzip is read as it is."},
    {"train-source", 0, OPTION_TEXT, AT(train_source), NULL, 0, 0, "FILE",
     "Source side of the training pairs, line by line with --train-target."},
    {"train-target", 0, OPTION_TEXT, AT(train_target), NULL, 0, 0, "FILE", "Target side."},
    {"valid", 'v', OPTION_TEXT, AT(valid), NULL, 0, 0, "PAIRS.tsv",
     "Validation pairs; without any, 1 % of the training pairs (100 to 1,000) are held out."},
    {"valid-source", 0, OPTION_TEXT, AT(valid_source), NULL, 0, 0, "FILE",
     "Source side of the validation pairs."},
    {"valid-target", 0, OPTION_TEXT, AT(valid_target), NULL, 0, 0, "FILE", "Target side."},
    {"model", 'm', OPTION_TEXT, AT(model), NULL, 0, 0, "M.safetensors", "The model to write."},
    {"init", 0, OPTION_TEXT, AT(init), NULL, 0, 0, "M.safetensors",
     "Start from this model, with its vocabulary and sizes (domain adaptation)."},
    {"resume", 0, OPTION_FLAG, AT(resume), NULL, 0, 0, NULL,
     "Go on from the checkpoint beside the model."},
    {"overwrite", 0, OPTION_FLAG, AT(overwrite), NULL, 0, 0, NULL, "Replace an existing model."},
    {"after", 'a', OPTION_TEXT, AT(after), NULL, 0, 0, "10e|5000u|30m",
     "Stop after so many epochs, updates or minutes, whichever comes first; the total over "
     "resumes."},
    {"preset", 0, OPTION_CHOICE, AT(preset), "auto", 0, 0, PRESET_NAMES,
     "Sizes and training settings; auto goes by the number of pairs."},
    {"threads", 0, OPTION_INT, AT(threads), "0", 0, THREADS_MAX, "N",
     "Worker threads; 0 means the number of cores."},
    {"precision", 0, OPTION_CHOICE, AT(precision), "auto", 0, 0, PRECISION_NAMES,
     "Factors of the products of training; sums and weights are float32. auto: bfloat16 where the "
     "processor has instructions for it, from 200 hidden units on."},
    {"seed", 0, OPTION_INT, AT(seed), "1", 0, 2147483647, "N",
     "Seed of initial weights, order, dropout and hold-out."},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, 0, 0, NULL, "No progress."},
    {"attention-type", 0, OPTION_CHOICE, AT(attention), "additive", 0, 0,
     "additive|dot|scaled-dot|none", "How a decoder state is compared with the source."},
    {"decoder", 0, OPTION_CHOICE, AT(decoder), "conditional", 0, 0, "conditional|bahdanau",
     "Attend between two GRU cells, or before one."},
    {"embedding", 0, OPTION_INT, AT(embedding), "256", 1, CONFIG_MAX_UNITS, "N", "Embedding size."},
    {"hidden", 0, OPTION_INT, AT(hidden), "256", 1, CONFIG_MAX_UNITS, "N",
     "GRU units, of each direction of the encoder and of the decoder."},
    {"attention-size", 0, OPTION_INT, AT(attention_size), "256", 1, CONFIG_MAX_UNITS, "N",
     "Units of additive attention."},
    {"encoder-layers", 0, OPTION_INT, AT(encoder_layers), "1", 1, CONFIG_MAX_LAYERS, "N",
     "Bidirectional layers of the encoder."},
    {"decoder-layers", 0, OPTION_INT, AT(decoder_layers), "1", 1, CONFIG_MAX_LAYERS, "N",
     "Layers of the decoder."},
    {"encoder-depth", 0, OPTION_INT, AT(encoder_depth), "1", 1, CONFIG_MAX_LAYERS, "N",
     "GRU cells a step in the encoder (deep transition)."},
    {"decoder-depth", 0, OPTION_INT, AT(decoder_depth), "0", 0, CONFIG_MAX_LAYERS, "N",
     "Further GRU cells a step in the decoder."},
    {"tied-embeddings", 0, OPTION_FLAG, AT(tied), "yes", 0, 0, NULL,
     "The output weights are the target embedding."},
    {"shared-embeddings", 0, OPTION_FLAG, AT(shared), NULL, 0, 0, NULL,
     "One embedding for both sides; with --joint-vocab."},
    {"layer-normalization", 0, OPTION_FLAG, AT(normalized), "no", 0, 0, NULL,
     "Normalise the layers of GRUs and readout."},
    {"residual", 0, OPTION_FLAG, AT(residual), NULL, 0, 0, NULL,
     "Each further layer adds its input to its output."},
    {"tokenizer", 0, OPTION_CHOICE, AT(tokenizer), "bpe", 0, 0, "bpe|word|char|space",
     "What a piece is."},
    {"vocab-size", 0, OPTION_INT, AT(vocab_size), "0", 0, CONFIG_MAX_VOCAB, "N",
     "Bound on the pieces of a vocabulary, special ones and bytes included; 0: by corpus size."},
    {"joint-vocab", 0, OPTION_FLAG, AT(joint), NULL, 0, 0, NULL,
     "One vocabulary learnt from both sides."},
    {"min-freq", 0, OPTION_INT, AT(min_freq), "1", 1, 1000000, "N", "Rarer words get no piece."},
    {"nfkc", 0, OPTION_FLAG, AT(nfkc), NULL, 0, 0, NULL, "Normalise to NFKC instead of NFC."},
    {"lowercase", 0, OPTION_FLAG, AT(lowercase), NULL, 0, 0, NULL, "Make letters small."},
    {"bpe-dropout", 0, OPTION_REAL, AT(bpe_dropout), "0", 0, 1, "P",
     "Leave merges out at random while training (Provilkov et al. 2020)."},
    {"dropout-embedding", 0, OPTION_REAL, AT(dropout_embedding), "0", 0, 0.95, "P",
     "Dropout on embedded words."},
    {"dropout-input", 0, OPTION_REAL, AT(dropout_input), "0", 0, 0.95, "P",
     "Dropout on GRU inputs, one mask a sentence."},
    {"dropout-state", 0, OPTION_REAL, AT(dropout_state), "0", 0, 0.95, "P",
     "Dropout on GRU states, one mask a sentence."},
    {"dropout-readout", 0, OPTION_REAL, AT(dropout_readout), "0", 0, 0.95, "P",
     "Dropout before the output layer."},
    {"dropout-src", 0, OPTION_REAL, AT(dropout_src), "0", 0, 0.95, "P", "Drop whole source words."},
    {"dropout-trg", 0, OPTION_REAL, AT(dropout_trg), "0", 0, 0.95, "P",
     "Drop whole target words as the decoder reads them."},
    {"label-smoothing", 0, OPTION_REAL, AT(label_smoothing), "0.1", 0, 0.95, "EPS",
     "Share of probability spread over all words."},
    {"r-drop", 0, OPTION_REAL, AT(r_drop), "0", 0, 100, "W",
     "Weight of the divergence between two passes (Liang et al. 2021); 0 is one pass."},
    {"l2", 0, OPTION_REAL, AT(l2), "0", 0, 1, "X", "L2 penalty on the weights."},
    {"weight-decay", 0, OPTION_REAL, AT(weight_decay), "0", 0, 1, "X",
     "Decoupled weight decay (AdamW)."},
    {"learn-rate", 'l', OPTION_REAL, AT(learn_rate), "0.003", 0, 1e10, "R", "Learning rate."},
    {"beta1", 0, OPTION_REAL, AT(beta1), "0.9", 0, 0.9999, "B", "Adam's decay of the mean."},
    {"beta2", 0, OPTION_REAL, AT(beta2), "0.98", 0, 0.99999, "B", "Adam's decay of the square."},
    {"epsilon", 0, OPTION_REAL, AT(epsilon), "1e-8", 0, 1, "E", "Adam's epsilon."},
    {"clip-norm", 0, OPTION_REAL, AT(clip_norm), "1", 0, 1e10, "X",
     "Bound on the norm of the gradient per target piece; 0: none."},
    {"lr-warmup", 0, OPTION_INT, AT(warmup), "300", 0, 1000000000, "N",
     "Updates over which the rate grows."},
    {"lr-schedule", 0, OPTION_CHOICE, AT(decay), "inverse-sqrt", 0, 0, "constant|inverse-sqrt",
     "The rate after the warm-up."},
    {"lr-decay", 0, OPTION_REAL, AT(plateau), "1", 0.01, 1, "F",
     "Factor of the rate each time the validation stalls; 1: none."},
    {"lr-restart", 0, OPTION_FLAG, AT(restart), NULL, 0, 0, NULL,
     "When the rate decays, go back to the best weights."},
    {"exponential-smoothing", 0, OPTION_REAL, AT(smoothing), "0.999", 0, 0.999999, "A",
     "Moving average of the weights, which is validated and saved; 0: none."},
    {"guided-alignment", 0, OPTION_TEXT, AT(guided), NULL, 0, 0, "FILE",
     "Links of the training pairs, a line for each, words counted from 0 (0-0 1-2): the attention "
     "learns to follow them."},
    {"guided-alignment-pieces", 0, OPTION_FLAG, AT(guided_pieces), NULL, 0, 0, NULL,
     "The links count pieces instead of words."},
    {"estimate-alignment", 0, OPTION_FLAG, AT(estimated), NULL, 0, 0, NULL,
     "Without --guided-alignment: links of pieces found by counting (a hidden Markov model of each "
     "direction) guide the attention."},
    {"guided-alignment-weight", 0, OPTION_REAL, AT(guided_weight), "0.1", 0, 1000, "W",
     "Weight of the links beside the words."},
    {"mini-batch", 'B', OPTION_INT, AT(mini_batch), "0", 0, 100000, "N",
     "Bound on the pairs of a batch; 0: none."},
    {"mini-batch-words", 0, OPTION_INT, AT(mini_batch_words), "1000", 0, 10000000, "N",
     "Bound on the target pieces of a batch; 0: none."},
    {"optimizer-delay", 0, OPTION_INT, AT(optimizer_delay), "1", 1, 10000, "N",
     "Batches whose gradients make one update."},
    {"max-length", 0, OPTION_INT, AT(max_length), "200", 1, 100000, "N",
     "Pairs with more pieces on a side are left out."},
    {"valid-freq", 0, OPTION_INT, AT(valid_freq), "0", 0, 1000000000, "N",
     "Updates between validations; 0: each epoch."},
    {"early-stopping", 0, OPTION_INT, AT(patience), "10", 0, 1000000, "N",
     "Stop when so many validations in a row bring nothing better; 0: never."},
    {"valid-metric", 0, OPTION_CHOICE, AT(metric), "bleu", 0, 0, "bleu|chrf|loss", "What is best."},
    {"valid-tokenize", 0, OPTION_CHOICE, AT(valid_tokenize), "auto", 0, 0, "auto|13a|zh|char|none",
     "Words of BLEU in validation; auto looks at the script of the target."},
    {"beam-size", 'b', OPTION_INT, AT(beam_size), "5", 1, 1024, "N", "Beam of validation."},
    {"valid-sentences", 0, OPTION_INT, AT(valid_sentences), "1000", 0, 100000000, "N",
     "How many validation sentences are translated; 0: all."},
    {"valid-samples", 0, OPTION_INT, AT(valid_samples), "3", 0, VALIDATION_SAMPLES, "N",
     "Translations to show at each validation."},
    {"log", 0, OPTION_TEXT, AT(log), NULL, 0, 0, "FILE.tsv",
     "A table with a line for each validation."},
    {"report", 0, OPTION_TEXT, AT(report), NULL, 0, 0, "FILE.html",
     "A page with curves, translations and alignments, new after each validation."},
    {"filter-max-words", 0, OPTION_INT, AT(max_words), "1000", 0, 100000000, "N",
     "Drop training pairs with more words on a side; 0: none."},
    {"filter-max-ratio", 0, OPTION_REAL, AT(max_ratio), "9", 0, 1e6, "R",
     "Drop training pairs with a side so many times the other; 0: none."},
    {"filter-duplicates", 0, OPTION_FLAG, AT(duplicates), "yes", 0, 0, NULL,
     "Drop repeated training pairs."},
    {"filter-identical", 0, OPTION_FLAG, AT(identical), "no", 0, 0, NULL,
     "Drop training pairs with equal sides."},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

static int is_among(const char *name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strcmp(name, *names) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether the user gave one of the options. */
static int is_one_given(const Parsed *parsed, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (options_given(parsed, *names)) {
            return 1;
        }
    }
    return 0;
}

/* Of one session, not of the run. */
static const char *const SESSION[] = {"model", "init",    "resume", "overwrite",
                                      "quiet", "threads", NULL};

static Adoption rule_of(const Parsed *parsed, const char *name)
{
    static const char *const train[] = {"train", "train-source", "train-target", NULL};
    static const char *const valid[] = {"valid", "valid-source", "valid-target", NULL};
    static const char *const open[] = {"after",
                                       "guided-alignment",
                                       "early-stopping",
                                       "valid-freq",
                                       "valid-tokenize",
                                       "valid-samples",
                                       "valid-sentences",
                                       "beam-size",
                                       "log",
                                       "report",
                                       NULL};
    if (is_among(name, SESSION)) {
        return ADOPT_NOT;
    }
    if (is_among(name, train)) {
        return is_one_given(parsed, train) ? ADOPT_NOT : ADOPT_OPEN;
    }
    if (is_among(name, valid)) {
        return is_one_given(parsed, valid) ? ADOPT_NOT : ADOPT_OPEN;
    }
    return is_among(name, open) ? ADOPT_OPEN : ADOPT_FIXED;
}

Status train_settings_adopt(Parsed *parsed, Buffer *text, Error *err)
{
    const TrainSettings *s = parsed->settings;
    TRY(trainer_settings(text, s->model, err));
    return text->bytes == NULL ? OK : options_adopt(parsed, text->bytes, rule_of, s->model, err);
}

Status train_settings_complete(const char **preset, Parsed *parsed, long n_pairs, Error *err)
{
    TrainSettings *s = parsed->settings;
    TRY(presets_apply(preset, parsed, s->preset, n_pairs, err));
    s->precision = (int)precision_choose((Precision)s->precision, s->hidden);
    if (s->vocab_size == 0) {
        s->vocab_size =
            s->tokenizer == TOKENIZER_BPE ? tokenizer_default_vocab_size(n_pairs) : 30000;
    }
    return OK;
}

/* What the option that guides the attention does not go with. */
static Status check_guide(const TrainSettings *s, const char *option, Error *err)
{
    if (s->attention == ATTENTION_NONE) {
        return fail(err, ERR_ARG, "--%s: --attention-type none has no attention to guide", option);
    }
    if (s->bpe_dropout > 0) {
        return fail(err, ERR_ARG, "--%s: with --bpe-dropout the pieces change all the time",
                    option);
    }
    return OK;
}

/* Links are given, or estimated because that was asked for; those of a preset give way. */
static Status check_links(const Parsed *parsed, Error *err)
{
    const TrainSettings *s = parsed->settings;
    const int is_estimate_asked = options_given(parsed, "estimate-alignment") && s->estimated;
    if (s->guided != NULL) {
        TRY(check_guide(s, "guided-alignment", err));
    }
    if (is_estimate_asked && s->guided != NULL) {
        return fail(err, ERR_ARG, "--estimate-alignment and --guided-alignment: one or the other");
    }
    if (s->guided == NULL && s->guided_pieces) {
        return fail(err, ERR_ARG, "--guided-alignment-pieces: needs --guided-alignment");
    }
    return is_estimate_asked ? check_guide(s, "estimate-alignment", err) : OK;
}

Status train_settings_check(const Parsed *parsed, Error *err)
{
    const TrainSettings *s = parsed->settings;
    if (options_given(parsed, "attention-size") && s->attention != ATTENTION_ADDITIVE) {
        return fail(err, ERR_ARG,
                    "--attention-size: only additive attention has a size of its own");
    }
    if (s->shared && !s->joint) {
        return fail(err, ERR_ARG, "--shared-embeddings: needs --joint-vocab");
    }
    if (s->mini_batch == 0 && s->mini_batch_words == 0) {
        return fail(err, ERR_ARG,
                    "--mini-batch 0 with --mini-batch-words 0: one must bound a batch");
    }
    if (s->bpe_dropout > 0 && s->tokenizer != TOKENIZER_BPE) {
        return fail(err, ERR_ARG, "--bpe-dropout: needs --tokenizer bpe");
    }
    return check_links(parsed, err);
}

Recipe train_settings_recipe(const TrainSettings *s, const Corpus *valid)
{
    Recipe r = {
        .config = {.embedding = s->embedding,
                   .hidden = s->hidden,
                   .attention_size = s->attention_size,
                   .encoder_layers = s->encoder_layers,
                   .decoder_layers = s->decoder_layers,
                   .encoder_depth = s->encoder_depth,
                   .decoder_depth = s->decoder_depth,
                   .attention = (AttentionType)s->attention,
                   .decoder = (DecoderType)s->decoder,
                   .is_tied = s->tied,
                   .is_shared = s->shared,
                   .is_normalized = s->normalized,
                   .is_residual = s->residual},
        .tokenizer = {.kind = (TokenizerKind)s->tokenizer,
                      .vocab_size = s->vocab_size,
                      .min_frequency = s->min_freq,
                      .normalization = s->nfkc ? NORMALIZE_NFKC : NORMALIZE_NFC,
                      .lowercase = s->lowercase},
        .is_joint = s->joint,
        .update = {.noise = {.embedding = s->dropout_embedding,
                             .input = s->dropout_input,
                             .state = s->dropout_state,
                             .readout = s->dropout_readout,
                             .source_word = s->dropout_src,
                             .target_word = s->dropout_trg},
                   .label_smoothing = s->label_smoothing,
                   .r_drop = s->r_drop,
                   .guide_weight = s->guided_weight,
                   .clip_norm = s->clip_norm,
                   .l2 = s->l2,
                   .adam = {s->beta1, s->beta2, s->epsilon, s->weight_decay},
                   .smoothing = s->smoothing},
        .schedule = {s->learn_rate, s->warmup, (DecayType)s->decay},
        .estimates_links = s->estimated && s->guided == NULL && s->attention != ATTENTION_NONE &&
                           s->bpe_dropout == 0,
        .batch_sentences = s->mini_batch,
        .batch_words = s->mini_batch_words,
        .accumulate = s->optimizer_delay,
        .max_length = s->max_length,
        .bpe_dropout = s->bpe_dropout,
        .valid_every = s->valid_freq,
        .patience = s->patience,
        .plateau_factor = s->plateau,
        .restarts = s->restart,
        .validate = {.metric = (ValidMetric)s->metric,
                     .tokenizer = s->valid_tokenize == 0 ? validate_choose_tokenizer(valid)
                                                         : (BleuTokenizer)(s->valid_tokenize - 1),
                     .beam_size = s->beam_size,
                     .max_sentences = s->valid_sentences,
                     .n_samples = s->valid_samples},
        .precision = s->precision == PRECISION_BFLOAT16 ? PRECISION_BFLOAT16 : PRECISION_FLOAT32,
        .seed = (uint64_t)s->seed};
    return r;
}

Status train_settings_print(const Parsed *parsed, Buffer *out, Error *err)
{
    TrainSettings s = *(const TrainSettings *)parsed->settings;
    s.resume = s.overwrite = s.quiet = 0;
    return options_print(parsed->command, &s, out, err);
}

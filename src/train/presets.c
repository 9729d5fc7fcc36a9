/* Presets; see the header. */
#include "train/presets.h"

typedef struct Setting {
    const char *name, *value;
} Setting;

enum { SETTINGS_MAX = 32 };

typedef struct Preset {
    const char *name;
    long max_pairs; /* chosen by size up to here; 0: only by name */
    Setting settings[SETTINGS_MAX];
} Preset;

static const Preset PRESETS[] = {
    {"tiny",
     3000,
     {{"embedding", "128"},
      {"hidden", "256"},
      {"attention-size", "128"},
      {"dropout-embedding", "0.2"},
      {"dropout-input", "0.3"},
      {"dropout-state", "0.2"},
      {"dropout-readout", "0.3"},
      {"dropout-src", "0.1"},
      {"dropout-trg", "0.1"},
      {"label-smoothing", "0.2"},
      {"estimate-alignment", "yes"},
      {"guided-alignment-weight", "0.5"},
      {"layer-normalization", "yes"},
      {"mini-batch-words", "500"},
      {"early-stopping", "20"}}},
    {"small",
     12000,
     {{"embedding", "256"},
      {"hidden", "512"},
      {"attention-size", "256"},
      {"dropout-embedding", "0.3"},
      {"dropout-input", "0.3"},
      {"dropout-state", "0.3"},
      {"dropout-readout", "0.4"},
      {"dropout-src", "0.2"},
      {"dropout-trg", "0.2"},
      {"label-smoothing", "0.2"},
      {"estimate-alignment", "yes"},
      {"guided-alignment-weight", "0.5"},
      {"layer-normalization", "yes"},
      {"mini-batch-words", "1000"},
      {"early-stopping", "15"}}},
    {"medium",
     80000,
     {{"embedding", "256"},
      {"hidden", "512"},
      {"attention-size", "256"},
      {"dropout-embedding", "0.2"},
      {"dropout-input", "0.3"},
      {"dropout-state", "0.2"},
      {"dropout-readout", "0.4"},
      {"dropout-src", "0.1"},
      {"dropout-trg", "0.1"},
      {"label-smoothing", "0.1"},
      {"estimate-alignment", "yes"},
      {"guided-alignment-weight", "0.2"},
      {"layer-normalization", "yes"},
      {"mini-batch-words", "1500"},
      {"early-stopping", "8"}}},
    {"large",
     1000000000,
     {{"embedding", "512"},
      {"hidden", "512"},
      {"attention-size", "512"},
      {"dropout-embedding", "0.1"},
      {"dropout-input", "0.2"},
      {"dropout-state", "0.1"},
      {"dropout-readout", "0.2"},
      {"dropout-src", "0"},
      {"dropout-trg", "0"},
      {"label-smoothing", "0.1"},
      {"layer-normalization", "yes"},
      {"mini-batch-words", "3000"},
      {"early-stopping", "6"}}},
    {"textbook",
     0,
     {{"decoder", "bahdanau"},
      {"embedding", "620"},
      {"hidden", "1000"},
      {"attention-size", "1000"},
      {"tokenizer", "word"},
      {"vocab-size", "30000"},
      {"tied-embeddings", "no"},
      {"layer-normalization", "no"},
      {"label-smoothing", "0"},
      {"mini-batch", "80"},
      {"mini-batch-words", "0"},
      {"max-length", "50"},
      {"learn-rate", "0.001"},
      {"lr-schedule", "constant"},
      {"exponential-smoothing", "0"},
      {"r-drop", "0"}}},
    {"d2l",
     0,
     {{"decoder", "bahdanau"},
      {"embedding", "256"},
      {"hidden", "256"},
      {"attention-size", "256"},
      {"encoder-layers", "2"},
      {"decoder-layers", "2"},
      {"tokenizer", "word"},
      {"tied-embeddings", "no"},
      {"layer-normalization", "no"},
      {"label-smoothing", "0"},
      {"dropout-input", "0.2"},
      {"mini-batch", "128"},
      {"mini-batch-words", "0"},
      {"learn-rate", "0.005"},
      {"lr-schedule", "constant"},
      {"exponential-smoothing", "0"},
      {"r-drop", "0"}}},
};

enum { N_PRESETS = sizeof PRESETS / sizeof *PRESETS };

Status presets_apply(const char **name, Parsed *parsed, int preset, long n_pairs, Error *err)
{
    int index = preset - 1; /* PRESET_NAMES has "auto" before those of the table */
    if (preset == PRESET_AUTO) {
        index = 0;
        while (n_pairs > PRESETS[index].max_pairs) {
            index++;
        }
    }
    const Preset *p = &PRESETS[index];
    for (int i = 0; i < SETTINGS_MAX && p->settings[i].name != NULL; i++) {
        TRY(options_preset(parsed, p->settings[i].name, p->settings[i].value, p->name, err));
    }
    *name = p->name;
    return OK;
}

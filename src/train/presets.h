/* Presets of `heed train`: lists of option values. Without --preset the number of training pairs
 * chooses one of the sizes; what the user says wins over both. models/README.md has the
 * measurements behind the sizes. */
#ifndef HEED_TRAIN_PRESETS_H
#define HEED_TRAIN_PRESETS_H

#include "base/options.h"

/* The choices of --preset. */
#define PRESET_NAMES "auto|tiny|small|medium|large|textbook|d2l"

enum { PRESET_AUTO = 0 };

/* Applies the preset of that place in PRESET_NAMES, PRESET_AUTO by the number of pairs, to what the
 * user left open. Yields its name. */
Status presets_apply(const char **name, Parsed *parsed, int preset, long n_pairs,
                     Error *err) MUST_USE;

#endif

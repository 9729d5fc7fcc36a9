/* When training stops, and how fast it learns.
 *
 *     rate(u) = base * min(1, u / warmup) * decay(u) * plateau
 *     decay(u) = 1 (constant) or sqrt(warmup / max(u, warmup)) (inverse square root, Vaswani et al.
 * 2017)
 *
 * plateau starts at 1 and is multiplied by a factor each time the validation stalls. */
#ifndef HEED_TRAIN_SCHEDULE_H
#define HEED_TRAIN_SCHEDULE_H

#include "base/status.h"

typedef enum DecayType { DECAY_CONSTANT, DECAY_INVERSE_SQRT } DecayType;

typedef struct Schedule {
    double base;
    long warmup; /* updates, 0 for none */
    DecayType decay;
} Schedule;

/* The rate of update u = 1, 2, ... */
double schedule_rate(const Schedule *schedule, long u, double plateau);

/* A bound on training; 0 means none. Whichever comes first wins. */
typedef struct Budget {
    long epochs, updates;
    double minutes;
} Budget;

/* Parses "10e", "5000u", "30m", or several with commas. ERR_ARG with the text otherwise. */
Status budget_parse(Budget *out, const char *text, Error *err) MUST_USE;

#endif

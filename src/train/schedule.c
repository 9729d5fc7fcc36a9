/* Stops and rates; see the header. */
#include "train/schedule.h"

#include <math.h>
#include <stdlib.h>

double schedule_rate(const Schedule *schedule, long u, double plateau)
{
    const double warmup = schedule->warmup < 1 ? 1 : (double)schedule->warmup;
    double rate = schedule->base * plateau;
    if ((double)u < warmup) {
        rate *= (double)u / warmup;
    } else if (schedule->decay == DECAY_INVERSE_SQRT) {
        rate *= sqrt(warmup / (double)u);
    }
    return rate;
}

Status budget_parse(Budget *out, const char *text, Error *err)
{
    Budget budget = {0};
    const char *at = text;
    for (;;) {
        char *end;
        const double value = strtod(at, &end);
        const int is_whole = value == floor(value);
        if (end == at || !(value > 0) || value > 1e9) {
            break;
        }
        if (*end == 'e' && is_whole) {
            budget.epochs = (long)value;
        } else if (*end == 'u' && is_whole) {
            budget.updates = (long)value;
        } else if (*end == 'm') {
            budget.minutes = value;
        } else {
            break;
        }
        if (end[1] == '\0') {
            *out = budget;
            return OK;
        }
        if (end[1] != ',') {
            break;
        }
        at = end + 2;
    }
    return fail(err, ERR_ARG,
                "--after %.100s: must be like 10e (epochs), 5000u (updates), 30m (minutes), or "
                "several with commas",
                text);
}

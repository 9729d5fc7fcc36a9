/* The report of a training run: one HTML file that needs nothing else, and a table of the same
 * numbers for plotting elsewhere.
 *
 * The page shows loss, BLEU and chrF, learning rate, gradient norm and tokens per second over
 * updates or minutes; the translations of a few sentences and their attention after each
 * validation; the alignment of one fixed sentence as training goes on; the corpus and the options.
 * It can be written anew after each validation. */
#ifndef HEED_VIEW_REPORT_H
#define HEED_VIEW_REPORT_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/dump.h"

/* One validation. A number that is not known is NAN. */
typedef struct ReportPoint {
    long epoch, update;
    double minutes;                /* of training so far */
    double train_loss, valid_loss; /* nats per target token */
    double bleu, chrf;             /* 0 .. 100 */
    double learn_rate, gradient_norm;
    double tokens_per_second;
    int is_best; /* the best model up to here */
} ReportPoint;

typedef struct Report {
    const char *title;  /* say, the model's file */
    const char *status; /* one sentence: running, or why it ended */

    const ReportPoint *points; /* (n_points), in the order of time */
    int n_points;

    /* Sample translations: samples[p * n_samples + k] is sentence k after validation p, in pieces
     * or words. One without tokens is shown as text only. */
    const DumpText *references; /* (n_samples) */
    const Dump *samples;        /* (n_points * n_samples) */
    int n_samples;

    /* Forced decoding of one pair after each validation, (n_points), or NULL. */
    const Dump *fixed;

    const char *corpus;  /* lines of cells separated by tabs, the first one a heading; may be "" */
    const char *options; /* lines "name = value"; may be "" */
} Report;

/* Appends the page. */
Status report_html(Buffer *out, const Report *report, Error *err) MUST_USE;

/* Appends a heading line and a line for each validation, fields separated by tabs: epoch, update,
 * minutes, train_loss, valid_loss, bleu, chrf, learn_rate, gradient_norm, tokens_per_second, best
 * (0 or 1). What is not known is empty. */
Status report_tsv(Buffer *out, const Report *report, Error *err) MUST_USE;

#endif

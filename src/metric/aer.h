/* Word alignment against gold links (Och & Ney 2003): with the links A, the sure gold links S and
 * the possible ones P (which include S),
 *
 *     precision = |A and P| / |A|      recall = |A and S| / |S|
 *     AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)
 *
 * A line holds one sentence's links, separated by blanks: `i-j` is sure, `i?j` and `ipj` are
 * possible; i is the source word, j the target word, from 0, or from 1 with is_one_based. A link
 * that stands twice counts once; one that is sure and possible is sure. Among the links that are
 * judged the mark makes no difference.
 *
 * Threads: an AerStats belongs to one thread. */
#ifndef HEED_METRIC_AER_H
#define HEED_METRIC_AER_H

#include <stddef.h>

#include "base/status.h"

typedef struct AerLink {
    int source, target; /* from 0 */
    int is_sure;
} AerLink;

/* The links of one line, sorted and without doubles; all zero at first, freed with aer_free. */
typedef struct AerLinks {
    AerLink *v;
    size_t n, cap;
} AerLinks;

/* How a file counts and what bounds it. */
typedef struct AerFormat {
    int is_one_based;
    int n_source, n_target; /* words of the sentence's sides; -1 when not known */
    const char *name;       /* the file and line for sentences: "NAME:LINE: ..." */
    long line_number;
} AerFormat;

/* Replaces the content of out. ERR_FORMAT names what is no link and what lies outside. */
Status aer_parse(AerLinks *out, const char *line, size_t len, const AerFormat *format,
                 Error *err) MUST_USE;
void aer_free(AerLinks *links);

typedef struct AerStats {
    long n_links, n_sure, n_possible; /* possible ones include the sure ones */
    long n_sure_hits, n_possible_hits;
} AerStats;

/* Adds one sentence. */
void aer_add(AerStats *stats, const AerLinks *links, const AerLinks *gold);

/* 0 .. 1. Without links precision is 1 if there is no gold either, else 0; so recall without gold
 * links; AER of nothing against nothing is 0. */
double aer_precision(const AerStats *stats);
double aer_recall(const AerStats *stats);
double aer_error_rate(const AerStats *stats);

#endif

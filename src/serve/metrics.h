/* Counters of the server, written as Prometheus reads them (its text format 0.0.4).
 *
 * Threads: any thread may count and write. */
#ifndef HEED_SERVE_METRICS_H
#define HEED_SERVE_METRICS_H

#include <pthread.h>

#include "base/buffer.h"
#include "serve/batcher.h"

typedef enum MetricRoute {
    METRIC_PAGE,
    METRIC_HEALTH,
    METRIC_METRICS,
    METRIC_TRANSLATE,
    METRIC_OTHER,
    METRIC_N_ROUTES
} MetricRoute;

enum { METRIC_N_CODES = 9, METRIC_N_BUCKETS = 11 };

typedef struct Metrics {
    pthread_mutex_t lock;
    unsigned long requests[METRIC_N_ROUTES][METRIC_N_CODES];
    unsigned long
        buckets[METRIC_N_BUCKETS + 1]; /* of POST /translate, the last beyond all bounds */
    double seconds;
    unsigned long n_cut_off;
} Metrics;

Status metrics_init(Metrics *metrics, Error *err) MUST_USE;
void metrics_end(Metrics *metrics);

/* A request was answered with this code after so many seconds. */
void metrics_count(Metrics *metrics, MetricRoute route, unsigned code, double seconds);

/* A connection was cut off at a deadline. */
void metrics_count_cut_off(Metrics *metrics);

Status metrics_write(Metrics *metrics, Buffer *out, const BatcherLoad *load, int n_connections,
                     int n_models, Error *err) MUST_USE;

#endif

/* Counters; see the header. */
#include "serve/metrics.h"

static const char *const ROUTES[METRIC_N_ROUTES] = {"page", "health", "metrics", "translate",
                                                    "other"};
static const unsigned CODES[METRIC_N_CODES] = {200, 400, 404, 405, 413, 431, 500, 503, 0};
static const double BOUNDS[METRIC_N_BUCKETS] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                0.5,   1,    2.5,   5,    10};

Status metrics_init(Metrics *metrics, Error *err)
{
    *metrics = (Metrics){0};
    if (pthread_mutex_init(&metrics->lock, NULL) != 0) {
        return fail(err, ERR_IO, "the counters: the system refused a lock");
    }
    return OK;
}

void metrics_end(Metrics *metrics)
{
    (void)pthread_mutex_destroy(&metrics->lock);
}

void metrics_count(Metrics *metrics, MetricRoute route, unsigned code, double seconds)
{
    int c = 0, b = 0;
    while (c < METRIC_N_CODES - 1 && CODES[c] != code) {
        c++;
    }
    while (b < METRIC_N_BUCKETS && seconds > BOUNDS[b]) {
        b++;
    }
    (void)pthread_mutex_lock(&metrics->lock);
    metrics->requests[route][c]++;
    if (route == METRIC_TRANSLATE) {
        metrics->buckets[b]++;
        metrics->seconds += seconds;
    }
    (void)pthread_mutex_unlock(&metrics->lock);
}

void metrics_count_cut_off(Metrics *metrics)
{
    (void)pthread_mutex_lock(&metrics->lock);
    metrics->n_cut_off++;
    (void)pthread_mutex_unlock(&metrics->lock);
}

static Status add_head(Buffer *out, const char *name, const char *type, const char *help,
                       Error *err)
{
    return buffer_printf(out, err, "# HELP heed_%s %s\n# TYPE heed_%s %s\n", name, help, name,
                         type);
}

static Status add_plain(Buffer *out, const char *name, const char *type, const char *help,
                        long value, Error *err)
{
    TRY(add_head(out, name, type, help, err));
    return buffer_printf(out, err, "heed_%s %ld\n", name, value);
}

static Status add_requests(const Metrics *m, Buffer *out, Error *err)
{
    TRY(add_head(out, "requests_total", "counter", "Requests answered.", err));
    for (int r = 0; r < METRIC_N_ROUTES; r++) {
        for (int c = 0; c < METRIC_N_CODES; c++) {
            if (m->requests[r][c] > 0) {
                TRY(buffer_printf(out, err, "heed_requests_total{route=\"%s\",code=\"%u\"} %lu\n",
                                  ROUTES[r], CODES[c], m->requests[r][c]));
            }
        }
    }
    return OK;
}

static Status add_histogram(const Metrics *m, Buffer *out, Error *err)
{
    TRY(add_head(out, "request_seconds", "histogram",
                 "Time from the header of POST /translate to the end of its answer.", err));
    unsigned long n = 0;
    for (int b = 0; b < METRIC_N_BUCKETS; b++) {
        n += m->buckets[b];
        TRY(buffer_printf(out, err, "heed_request_seconds_bucket{le=\"%g\"} %lu\n", BOUNDS[b], n));
    }
    n += m->buckets[METRIC_N_BUCKETS];
    return buffer_printf(out, err,
                         "heed_request_seconds_bucket{le=\"+Inf\"} %lu\n"
                         "heed_request_seconds_sum %.6f\n"
                         "heed_request_seconds_count %lu\n",
                         n, m->seconds, n);
}

Status metrics_write(Metrics *metrics, Buffer *out, const BatcherLoad *load, int n_connections,
                     int n_models, Error *err)
{
    (void)pthread_mutex_lock(&metrics->lock);
    Metrics copy = *metrics;
    (void)pthread_mutex_unlock(&metrics->lock);
    TRY(add_requests(&copy, out, err));
    TRY(add_histogram(&copy, out, err));
    TRY(add_plain(out, "lines_total", "counter", "Lines translated.", (long)load->n_lines, err));
    TRY(add_plain(out, "batches_total", "counter", "Batches translated.", (long)load->n_batches,
                  err));
    TRY(add_plain(out, "queued_lines", "gauge", "Lines that wait or are being translated.",
                  load->queued, err));
    TRY(add_plain(out, "connections", "gauge", "Open connections.", n_connections, err));
    TRY(add_plain(out, "cut_off_total", "counter", "Connections cut off at a deadline.",
                  (long)copy.n_cut_off, err));
    return add_plain(out, "models", "gauge", "Models loaded.", n_models, err);
}

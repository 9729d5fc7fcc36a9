/* One request and its answer, and the connections they come over; internal to the server.
 *
 *     connection   header ...| body ...| waiting for the translator | answer ...| header ...
 *     deadline     5 s         10 s      30 s, all since the header               5 s
 *
 * A request that waits is suspended: libmicrohttpd leaves its connection alone until exchange_done,
 * or the clock, resumes it. */
#ifndef HEED_SERVE_EXCHANGE_H
#define HEED_SERVE_EXCHANGE_H

#include <microhttpd.h>
#include <pthread.h>

#include "base/buffer.h"
#include "serve/batcher.h"
#include "serve/metrics.h"
#include "serve/server.h"

struct Exchange;

typedef struct Link {
    int fd;
    double deadline;
    struct Exchange *exchange; /* NULL between requests */
    struct Link *previous, *next;
} Link;

struct Server {
    ServerOptions options;
    struct MHD_Daemon *daemon;
    int port;
    Batcher *batcher;
    Metrics metrics;
    pthread_mutex_t lock; /* of what follows, and of every Link and the state of every Exchange; no
                             function of the batcher or of libmicrohttpd is called under it */
    Link *links;
    int n_links;
    int n_active; /* exchanges */
    int is_draining;
};

typedef enum ExchangeState { EXCHANGE_READING, EXCHANGE_WAITING, EXCHANGE_READY } ExchangeState;

typedef struct Exchange {
    Server *server;
    Link *link;
    struct MHD_Connection *connection;
    ExchangeState state;
    MetricRoute route;
    unsigned code; /* of the answer */
    double began;
    Buffer body;
    size_t n_read; /* bytes of the body */
    int is_too_long, is_late, is_gone, is_full;
    Status status; /* of submitting */
    Error error;
    int model;
    Job *job;
} Exchange;

/* Seconds of a clock that only goes forward. */
double exchange_now(void);

/* The callbacks of libmicrohttpd. */
enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **state);
void exchange_completed(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode reason);

#endif

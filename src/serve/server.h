/* The HTTP server: fixed routes, everything bounded, nothing mapped to the file system.
 *
 *     GET  /           the page (and /page.css, /page.js, /icon.svg)
 *     GET  /health     {"status":"ok","models":[...]}; 503 while stopping
 *     GET  /metrics    counters as Prometheus reads them
 *     POST /translate  serve/request.h in,
 *                      {"model":"name","translations":[{"text":"...","hypotheses":[...]},...]} out
 *
 * Refused, with {"error":"sentence"}: 400 what a request says, 404 another path, 405 another
 * method, 413 a body over SERVER_MAX_BODY, 431 a header over SERVER_MAX_HEADER, 503 a full queue, a
 * request that took longer than its deadline, or a server that stops. A client that does not send
 * its header or body in time, or does not read its answer, is cut off.
 *
 * Threads: one of libmicrohttpd's serves all connections, one translates, the caller's watches the
 * clock. */
#ifndef HEED_SERVE_SERVER_H
#define HEED_SERVE_SERVER_H

#include "base/status.h"
#include "serve/batcher.h"

enum {
    SERVER_MAX_BODY = 64 << 10,
    SERVER_MAX_DISCARDED = 1 << 20, /* a longer body is not even read to its end */
    SERVER_MAX_HEADER = 8 << 10,
    SERVER_MAX_CONNECTIONS = 512,
    SERVER_MAX_QUEUED = 2048, /* lines */
    SERVER_HEADER_SECONDS = 5,
    SERVER_BODY_SECONDS = 10,
    SERVER_REQUEST_SECONDS = 30
};

typedef struct ServerOptions {
    const char *address; /* numeric, IPv4 or IPv6 */
    int port;            /* 0: any that is free */
    const char *const *names;
    int n_names; /* of the models; at least 1 */
    RequestSettings fallback;
    int max_batch; /* lines translated together */
    BatcherAnswer answer;
    void *answer_context;
} ServerOptions;

typedef struct Server Server;

/* Listens and serves from here on. ERR_IO when the address is taken or refused, ERR_ARG when it is
 * none. */
Status server_start(Server **out, const ServerOptions *options, Error *err) MUST_USE;

/* The port in use. */
int server_port(const Server *server);

/* Keeps the deadlines until should_stop says so (asked ten times a second); then takes no further
 * connection, lets running requests finish for at most SERVER_REQUEST_SECONDS, and returns. */
void server_run(Server *server, int (*should_stop)(void *), void *context);

/* Stops at once what still runs. NULL is allowed. */
void server_free(Server *server);

#endif

/* Requests and answers; see the header. */
#include "serve/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "serve/page.h"
#include "text/dump_write.h"

double exchange_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- answers ---- */

static const char CONTENT_POLICY[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static void set_deadline(Exchange *e, double deadline)
{
    (void)pthread_mutex_lock(&e->server->lock);
    e->link->deadline = deadline;
    (void)pthread_mutex_unlock(&e->server->lock);
}

static enum MHD_Result send_response(Exchange *e, unsigned code, const char *type,
                                     struct MHD_Response *response)
{
    if (response == NULL) {
        return MHD_NO;
    }
    e->code = code;
    int is_whole =
        MHD_add_response_header(response, "Content-Type", type) == MHD_YES &&
        MHD_add_response_header(response, "Content-Security-Policy", CONTENT_POLICY) == MHD_YES &&
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES &&
        MHD_add_response_header(response, "Referrer-Policy", "no-referrer") == MHD_YES &&
        MHD_add_response_header(response, "Cache-Control", "no-store") == MHD_YES;
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED) {
        const char *allowed = e->route == METRIC_TRANSLATE ? "POST" : "GET, HEAD";
        is_whole = is_whole && MHD_add_response_header(response, "Allow", allowed) == MHD_YES;
    }
    if (code == MHD_HTTP_SERVICE_UNAVAILABLE) {
        is_whole = is_whole && MHD_add_response_header(response, "Retry-After", "1") == MHD_YES &&
                   MHD_add_response_header(response, "Connection", "close") == MHD_YES;
    }
    const enum MHD_Result result =
        is_whole ? MHD_queue_response(e->connection, code, response) : MHD_NO;
    MHD_destroy_response(response);
    set_deadline(e, (e->is_late ? exchange_now() : e->began) + SERVER_REQUEST_SECONDS);
    return result;
}

/* Sends the text and takes it over. */
static enum MHD_Result send_text(Exchange *e, unsigned code, const char *type, Buffer *text)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback(text->len, text->bytes, mem_free);
    if (response == NULL) {
        buffer_free(text);
    }
    return send_response(e, code, type, response);
}

static enum MHD_Result send_error(Exchange *e, unsigned code, const char *sentence)
{
    Buffer text = {0};
    if (buffer_add_text(&text, "{\"error\":", NULL) != OK ||
        dump_add_string(&text, sentence, strlen(sentence), 1, NULL) != OK ||
        buffer_add_text(&text, "}\n", NULL) != OK) {
        buffer_free(&text);
        return MHD_NO;
    }
    return send_text(e, code, "application/json", &text);
}

static enum MHD_Result send_built(Exchange *e, unsigned code, const char *type, Buffer *text,
                                  Status status)
{
    if (status != OK) {
        buffer_free(text);
        return send_error(e, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    }
    return send_text(e, code, type, text);
}

static enum MHD_Result send_page(Exchange *e, const PagePart *part)
{
    return send_response(e, MHD_HTTP_OK, part->type,
                         MHD_create_response_from_buffer(part->len, (void *)(size_t)part->bytes,
                                                         MHD_RESPMEM_PERSISTENT));
}

static int is_draining(Server *server)
{
    (void)pthread_mutex_lock(&server->lock);
    const int draining = server->is_draining;
    (void)pthread_mutex_unlock(&server->lock);
    return draining;
}

static Status write_health(const Server *server, int draining, Buffer *text, Error *err)
{
    TRY(buffer_printf(text, err, "{\"status\":\"%s\",\"version\":\"" HEED_VERSION "\",\"models\":[",
                      draining ? "stopping" : "ok"));
    for (int i = 0; i < server->options.n_names; i++) {
        const char *name = server->options.names[i];
        TRY(buffer_add_text(text, i == 0 ? "" : ",", err));
        TRY(dump_add_string(text, name, strlen(name), 1, err));
    }
    return buffer_add_text(text, "]}\n", err);
}

static enum MHD_Result send_health(Exchange *e)
{
    const int draining = is_draining(e->server);
    Buffer text = {0};
    const Status status = write_health(e->server, draining, &text, NULL);
    return send_built(e, draining ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_OK, "application/json",
                      &text, status);
}

static enum MHD_Result send_metrics(Exchange *e)
{
    Server *server = e->server;
    (void)pthread_mutex_lock(&server->lock);
    const int n_links = server->n_links;
    (void)pthread_mutex_unlock(&server->lock);
    const BatcherLoad load = batcher_load(server->batcher);
    Buffer text = {0};
    const Status status =
        metrics_write(&server->metrics, &text, &load, n_links, server->options.n_names, NULL);
    return send_built(e, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", &text, status);
}

static Status write_translations(const Exchange *e, Buffer *text, Error *err)
{
    const char *name = e->server->options.names[e->model];
    TRY(buffer_add_text(text, "{\"model\":", err));
    TRY(dump_add_string(text, name, strlen(name), 1, err));
    TRY(buffer_add_text(text, ",\"translations\":[", err));
    const int n = e->job == NULL ? 0 : job_count(e->job);
    for (int i = 0; i < n; i++) {
        const Buffer *answer = job_answer(e->job, i);
        TRY(buffer_add_text(text, i == 0 ? "" : ",", err));
        TRY(buffer_add(text, answer->bytes, answer->len, err));
    }
    return buffer_add_text(text, "]}\n", err);
}

/* The code for a client that sent this, or for a server that failed. */
static unsigned code_of(Status status)
{
    return status == ERR_FORMAT || status == ERR_ARG ? MHD_HTTP_BAD_REQUEST
           : status == ERR_NOMEM                     ? MHD_HTTP_SERVICE_UNAVAILABLE
                                                     : MHD_HTTP_INTERNAL_SERVER_ERROR;
}

/* The answer to POST /translate, once there is one. */
static enum MHD_Result send_translations(Exchange *e)
{
    const Error *err = &e->error;
    Status status = e->status;
    if (status == OK && e->is_gone) {
        return MHD_NO;
    }
    if (status == OK && e->is_late) {
        return send_error(e, MHD_HTTP_SERVICE_UNAVAILABLE,
                          "the request took longer than its deadline");
    }
    if (status == OK && e->is_full) {
        return send_error(e, MHD_HTTP_SERVICE_UNAVAILABLE, "the queue is full; try again soon");
    }
    if (status == OK && e->job != NULL) {
        status = job_status(e->job, &err);
    }
    if (status != OK) {
        return send_error(e, code_of(status), err->message);
    }
    Buffer text = {0};
    status = write_translations(e, &text, NULL);
    return send_built(e, MHD_HTTP_OK, "application/json", &text, status);
}

/* ---- requests ---- */

/* Called by the batcher, or here when nothing was queued; whoever comes first resumes. */
static void exchange_done(void *context)
{
    Exchange *e = context;
    (void)pthread_mutex_lock(&e->server->lock);
    const int is_mine = e->state == EXCHANGE_WAITING;
    if (is_mine) {
        e->state = EXCHANGE_READY;
    }
    (void)pthread_mutex_unlock(&e->server->lock);
    if (is_mine) {
        MHD_resume_connection(e->connection);
    }
}

/* The body is complete: queues it, or sends at once what needs no translator. */
static enum MHD_Result submit(Exchange *e)
{
    Server *server = e->server;
    if (e->is_too_long) {
        return send_error(e, MHD_HTTP_CONTENT_TOO_LARGE, "body: more than 65536 bytes");
    }
    if (is_draining(server)) {
        return send_error(e, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is stopping");
    }
    Request request;
    const Status status = request_parse(&request, e->body.bytes == NULL ? "" : e->body.bytes,
                                        e->body.len, server->options.names, server->options.n_names,
                                        &server->options.fallback, &e->error);
    buffer_free(&e->body);
    if (status != OK) {
        return send_error(e, code_of(status), e->error.message);
    }
    e->model = request.settings.model;
    if (request.n_lines == 0) {
        request_free(&request);
        return send_translations(e);
    }
    (void)pthread_mutex_lock(&server->lock);
    e->state = EXCHANGE_WAITING;
    e->link->deadline = e->began + SERVER_REQUEST_SECONDS;
    (void)pthread_mutex_unlock(&server->lock);
    MHD_suspend_connection(e->connection);
    e->status = batcher_submit(server->batcher, &e->job, &request, exchange_done, e, &e->error);
    if (e->job == NULL) {
        e->is_full = e->status == OK;
        request_free(&request);
        exchange_done(e);
    }
    return MHD_YES;
}

static enum MHD_Result take_upload(Exchange *e, const char *upload, size_t *upload_size)
{
    if (e->route == METRIC_TRANSLATE && !e->is_too_long) {
        e->is_too_long = e->body.len + *upload_size > SERVER_MAX_BODY ||
                         buffer_add(&e->body, upload, *upload_size, NULL) != OK;
    }
    if (e->is_too_long) {
        buffer_free(&e->body);
    }
    e->n_read += *upload_size;
    *upload_size = 0;
    return e->n_read <= SERVER_MAX_DISCARDED ? MHD_YES : MHD_NO;
}

static MetricRoute find_route(const char *url)
{
    return strcmp(url, "/translate") == 0 ? METRIC_TRANSLATE
           : strcmp(url, "/health") == 0  ? METRIC_HEALTH
           : strcmp(url, "/metrics") == 0 ? METRIC_METRICS
           : page_find(url) != NULL       ? METRIC_PAGE
                                          : METRIC_OTHER;
}

/* How long a body the header announces; 0 when it does not say. */
static unsigned long long announced(struct MHD_Connection *connection)
{
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    return length == NULL ? 0 : strtoull(length, NULL, 10);
}

/* The header is complete. An answer given here ends the request without its body. */
static enum MHD_Result begin(Exchange *e, const char *method)
{
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(e->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const int is_get =
        strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    const int is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    if (size != NULL && size->header_size > SERVER_MAX_HEADER) {
        return send_error(e, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE,
                          "header: more than 8192 bytes");
    }
    if (e->route == METRIC_OTHER) {
        return send_error(e, MHD_HTTP_NOT_FOUND,
                          "no such path; there are /, /health, /metrics and /translate");
    }
    if (e->route == METRIC_TRANSLATE ? !is_post : !is_get) {
        return send_error(e, MHD_HTTP_METHOD_NOT_ALLOWED,
                          e->route == METRIC_TRANSLATE ? "/translate takes POST"
                                                       : "this path takes GET");
    }
    const unsigned long long length = announced(e->connection);
    e->is_too_long = length > SERVER_MAX_BODY;
    if (length > SERVER_MAX_DISCARDED) {
        return send_error(e, MHD_HTTP_CONTENT_TOO_LARGE, "body: more than 65536 bytes");
    }
    set_deadline(e, e->began + SERVER_BODY_SECONDS);
    return MHD_YES;
}

static Exchange *exchange_create(Server *server, struct MHD_Connection *connection, const char *url)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Exchange *e =
        info == NULL || info->socket_context == NULL ? NULL : mem_zero_alloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->server = server;
    e->connection = connection;
    e->link = info->socket_context;
    e->route = find_route(url);
    e->began = exchange_now();
    (void)pthread_mutex_lock(&server->lock);
    e->link->exchange = e;
    server->n_active++;
    (void)pthread_mutex_unlock(&server->lock);
    return e;
}

enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **state)
{
    (void)version;
    Exchange *e = *state;
    if (e == NULL) {
        e = exchange_create(context, connection, url);
        *state = e;
        return e == NULL ? MHD_NO : begin(e, method);
    }
    if (*upload_size > 0) {
        return take_upload(e, upload, upload_size);
    }
    switch (e->route) {
    case METRIC_PAGE:
        return send_page(e, page_find(url));
    case METRIC_HEALTH:
        return send_health(e);
    case METRIC_METRICS:
        return send_metrics(e);
    default:
        return e->state == EXCHANGE_READY ? send_translations(e) : submit(e);
    }
}

void exchange_completed(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode reason)
{
    (void)connection;
    (void)reason;
    Server *server = context;
    Exchange *e = *state;
    if (e == NULL) {
        return;
    }
    *state = NULL;
    const double now = exchange_now();
    (void)pthread_mutex_lock(&server->lock);
    e->link->exchange = NULL;
    e->link->deadline = now + SERVER_HEADER_SECONDS;
    server->n_active--;
    (void)pthread_mutex_unlock(&server->lock);
    if (e->code != 0) {
        metrics_count(&server->metrics, e->route, e->code, now - e->began);
    }
    job_release(server->batcher, e->job);
    buffer_free(&e->body);
    mem_free(e);
}

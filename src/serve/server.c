/* The server; see the header. */
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/exchange.h"

enum { CONNECTION_MEMORY = 16 << 10, BACKLOG = 128 };

/* ---- connections ---- */

static void link_add(Server *server, struct MHD_Connection *connection, void **socket_context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    Link *link = info == NULL ? NULL : mem_zero_alloc(1, sizeof *link);
    *socket_context = link;
    if (link == NULL) {
        return; /* its requests will be refused */
    }
    link->fd = info->connect_fd;
    link->deadline = exchange_now() + SERVER_HEADER_SECONDS;
    (void)pthread_mutex_lock(&server->lock);
    link->next = server->links;
    if (link->next != NULL) {
        link->next->previous = link;
    }
    server->links = link;
    server->n_links++;
    (void)pthread_mutex_unlock(&server->lock);
}

static void link_remove(Server *server, Link *link)
{
    if (link == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&server->lock);
    if (link->previous != NULL) {
        link->previous->next = link->next;
    } else {
        server->links = link->next;
    }
    if (link->next != NULL) {
        link->next->previous = link->previous;
    }
    server->n_links--;
    (void)pthread_mutex_unlock(&server->lock);
    mem_free(link);
}

/* Called when a connection comes and, before its socket is closed, when it goes. */
static void notify_connection(void *context, struct MHD_Connection *connection,
                              void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        link_add(context, connection, socket_context);
    } else {
        link_remove(context, *socket_context);
        *socket_context = NULL;
    }
}

/* Paths are taken as they were sent: nothing that is escaped can equal a route. */
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

/* The client of a request that waits has closed its end; libmicrohttpd does not look while a
 * connection is suspended. */
static int has_left(const Link *link)
{
    char byte;
    return recv(link->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Ends what is past `now`: a request that waits is answered, any other connection is cut off. A
 * request whose client has left is dropped. */
static void keep_deadlines(Server *server, double now)
{
    struct MHD_Connection *late[SERVER_MAX_CONNECTIONS];
    int n_late = 0;
    (void)pthread_mutex_lock(&server->lock);
    for (Link *link = server->links; link != NULL; link = link->next) {
        Exchange *e = link->exchange;
        const int is_waiting = e != NULL && e->state == EXCHANGE_WAITING;
        const int is_gone = is_waiting && has_left(link);
        if (link->deadline >= now && !is_gone) {
            continue;
        }
        if (!is_waiting) {
            link->deadline = INFINITY;
            (void)shutdown(link->fd, SHUT_RDWR);
            metrics_count_cut_off(&server->metrics);
        } else if (n_late < SERVER_MAX_CONNECTIONS) {
            e->state = EXCHANGE_READY;
            e->is_late = 1;
            e->is_gone = is_gone;
            link->deadline = INFINITY; /* until the answer sets it */
            late[n_late++] = e->connection;
        }
    }
    (void)pthread_mutex_unlock(&server->lock);
    for (int i = 0; i < n_late; i++) {
        MHD_resume_connection(late[i]);
    }
}

/* ---- starting ---- */

static Status parse_address(struct sockaddr_storage *out, socklen_t *len,
                            const ServerOptions *options, Error *err)
{
    *out = (struct sockaddr_storage){0};
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    if (inet_pton(AF_INET, options->address, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)options->port);
        *len = sizeof *v4;
        return OK;
    }
    if (inet_pton(AF_INET6, options->address, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)options->port);
        *len = sizeof *v6;
        return OK;
    }
    return fail(err, ERR_ARG, "--bind %.100s: must be a numeric address such as 127.0.0.1 or ::1",
                options->address);
}

static Status listen_on(int *out, int *port, const ServerOptions *options, Error *err)
{
    struct sockaddr_storage address;
    socklen_t len;
    TRY(parse_address(&address, &len, options, err));
    const int fd = socket(address.ss_family, SOCK_STREAM, 0);
    const int yes = 1;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (const struct sockaddr *)&address, len) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        const Status status = fail(err, ERR_IO, "%.100s port %d: cannot listen: %s",
                                   options->address, options->port, strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return status;
    }
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
    *port = ntohs(address.ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
    *out = fd;
    return OK;
}

static Status start_daemon(Server *server, Error *err)
{
    int fd = -1;
    TRY(listen_on(&fd, &server->port, &server->options, err));
    server->daemon = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, exchange_handle,
        server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)SERVER_MAX_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_NOTIFY_COMPLETED, exchange_completed, server,
        MHD_OPTION_NOTIFY_CONNECTION, notify_connection, server, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escaped, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (server->daemon == NULL) {
        (void)close(fd);
        return fail(err, ERR_IO, "%.100s port %d: the server cannot start", server->options.address,
                    server->port);
    }
    return OK;
}

Status server_start(Server **out, const ServerOptions *options, Error *err)
{
    Server *server = mem_zero_alloc(1, sizeof *server);
    if (server == NULL) {
        return mem_fail(err, "the server", 1, sizeof *server);
    }
    server->options = *options;
    if (pthread_mutex_init(&server->lock, NULL) != 0) {
        mem_free(server);
        return fail(err, ERR_IO, "the server: the system refused a lock");
    }
    Status status = metrics_init(&server->metrics, err);
    if (status != OK) {
        (void)pthread_mutex_destroy(&server->lock);
        mem_free(server);
        return status;
    }
    status = batcher_create(&server->batcher, options->answer, options->answer_context,
                            options->max_batch, SERVER_MAX_QUEUED, err);
    status = status == OK ? start_daemon(server, err) : status;
    if (status != OK) {
        server_free(server);
        return status;
    }
    *out = server;
    return OK;
}

int server_port(const Server *server)
{
    return server->port;
}

static void sleep_tick(void)
{
    const struct timespec tick = {0, 100000000};
    (void)nanosleep(&tick, NULL);
}

static int count_active(Server *server)
{
    (void)pthread_mutex_lock(&server->lock);
    const int n = server->n_active;
    (void)pthread_mutex_unlock(&server->lock);
    return n;
}

static void begin_draining(Server *server)
{
    (void)pthread_mutex_lock(&server->lock);
    server->is_draining = 1;
    (void)pthread_mutex_unlock(&server->lock);
    const int fd = MHD_quiesce_daemon(server->daemon);
    if (fd >= 0) {
        (void)close(fd);
    }
}

void server_run(Server *server, int (*should_stop)(void *), void *context)
{
    while (!should_stop(context)) {
        sleep_tick();
        keep_deadlines(server, exchange_now());
    }
    begin_draining(server);
    const double end = exchange_now() + SERVER_REQUEST_SECONDS;
    while (count_active(server) > 0 && exchange_now() < end) {
        sleep_tick();
        keep_deadlines(server, exchange_now());
    }
}

void server_free(Server *server)
{
    if (server == NULL) {
        return;
    }
    if (server->daemon != NULL) {
        begin_draining(server);
        keep_deadlines(server, INFINITY);
        MHD_stop_daemon(server->daemon);
    }
    batcher_free(server->batcher);
    metrics_end(&server->metrics);
    (void)pthread_mutex_destroy(&server->lock);
    mem_free(server);
}

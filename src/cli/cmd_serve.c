/* heed serve: translations over HTTP, and a page to try them on. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/signals.h"
#include "math/vec.h"
#include "serve/models.h"
#include "serve/server.h"

typedef struct Settings {
    const char *model, *bind;
    int port, threads, mini_batch, beam_size, max_length, quiet;
    double normalize;
} Settings;

#define AT(member) offsetof(Settings, member)

static const Option OPTIONS[] = {
    {"model", 'm', OPTION_TEXT, AT(model), NULL, 0, 0, "M.safetensors",
     "the model, or several by name: en-fr=A.safetensors,fr-en=B.safetensors"},
    {"port", 'p', OPTION_INT, AT(port), "8080", 0, 65535, "N", "the port; 0 takes any free one"},
    {"bind", 0, OPTION_TEXT, AT(bind), "127.0.0.1", 0, 0, "ADDRESS",
     "the numeric address to listen on; 0.0.0.0 or :: lets other machines in"},
    {"threads", 0, OPTION_INT, AT(threads), "0", 0, THREADS_MAX, "N",
     "worker threads of the translator; 0 means the number of cores"},
    {"mini-batch", 0, OPTION_INT, AT(mini_batch), "64", 1, 4096, "N",
     "lines, of whichever clients, translated together"},
    {"beam-size", 'b', OPTION_INT, AT(beam_size), "5", 1, REQUEST_MAX_BEAM, "N",
     "hypotheses kept in the search when a request does not say"},
    {"normalize", 'n', OPTION_REAL, AT(normalize), "1", 0, 10, "X",
     "exponent of the length that scores are divided by"},
    {"max-length", 0, OPTION_INT, AT(max_length), "200", 1, 100000, "N",
     "source pieces; longer lines are translated in parts"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, 0, 0, NULL, "say nothing on standard error"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

static int is_stopping(void *context)
{
    (void)context;
    return signals_pending() != 0;
}

static void announce(const Settings *s, const Models *models, int port)
{
    const int is_v6 = strchr(s->bind, ':') != NULL;
    (void)fprintf(stderr, "serving");
    for (int i = 0; i < models->n; i++) {
        (void)fprintf(stderr, " %s", models->names[i]);
    }
    (void)fprintf(stderr, " at http://%s%s%s:%d/\n", is_v6 ? "[" : "", s->bind, is_v6 ? "]" : "",
                  port);
}

static Status serve(const Settings *s, Models *models, Error *err)
{
    const ServerOptions options = {
        .address = s->bind,
        .port = s->port,
        .names = (const char *const *)models->names,
        .n_names = models->n,
        .fallback = {.beam_size = s->beam_size, .n_best = 1},
        .max_batch = s->mini_batch,
        .answer = models_answer,
        .answer_context = models,
    };
    Server *server;
    signals_install();
    TRY(server_start(&server, &options, err));
    if (!s->quiet) {
        announce(s, models, server_port(server));
    }
    server_run(server, is_stopping, NULL);
    server_free(server);
    if (!s->quiet) {
        (void)fprintf(stderr, "stopped\n");
    }
    return OK;
}

static Status run(const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    if (s->model == NULL || s->model[0] == '\0') {
        return fail(err, ERR_ARG, "--model: needed; a model file that `heed train` wrote");
    }
    TRY(vec_check(err));
    TranslateOptions options = translate_defaults();
    options.beam.alpha = s->normalize;
    options.mini_batch = s->mini_batch;
    options.max_length = s->max_length;
    Models models = {0};
    TRY(models_open(&models, s->model, &options, s->threads > 0 ? s->threads : threads_available(),
                    err));
    const Status status = serve(s, &models, err);
    models_free(&models);
    return status;
}

const Command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "translations over HTTP, and a page to try them on",
    .details =
        "  heed serve --model M.safetensors\n"
        "  curl -s localhost:8080/translate -d '{\"text\":\"guten Morgen\",\"attention\":true}'\n"
        "\n"
        "POST /translate takes a JSON object: text (a line or a list of lines) and, as one likes,\n"
        "model, beam_size (1 to 32), n_best, attention, pieces, prefix (the beginning of the\n"
        "translation). GET /health and GET /metrics (for Prometheus) tell how it is; the page is "
        "at\n"
        "/. SIGTERM and Ctrl-C let running requests finish, then end with exit code 0.",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = 0,
    .run = run,
};

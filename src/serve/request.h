/* The body of POST /translate, and nothing that is not in it gets through.
 *
 *     {"text": "one line"}  or  {"text": ["several", "lines"]}
 *     "model": "name"         one of the names the server was given; without it the first
 *     "beam_size": 1 .. 32    default as in `heed translate`
 *     "n_best": 1 .. beam_size
 *     "attention": true       answers carry tokens, spans and weights
 *     "pieces": true          with attention: subword pieces for tokens, not words
 *     "prefix": "..."         the beginning every translation must have, or a list of them, one
 *                             a line; "" or null asks for nothing
 *
 * Limits: REQUEST_MAX_DEPTH levels of nesting (checked before parsing), REQUEST_MAX_LINES lines, no
 * member twice, none that is unknown. A line is one line: it may hold no line end.
 *
 * Threads: a Request belongs to one thread at a time. */
#ifndef HEED_SERVE_REQUEST_H
#define HEED_SERVE_REQUEST_H

#include <stddef.h>

#include "base/status.h"

enum { REQUEST_MAX_DEPTH = 4, REQUEST_MAX_LINES = 256, REQUEST_MAX_BEAM = 32 };

/* How to translate; requests with equal settings may share a batch. */
typedef struct RequestSettings {
    int model; /* index in the server's list */
    int beam_size, n_best;
    int wants_attention, wants_pieces;
} RequestSettings;

typedef struct RequestText {
    const char *bytes; /* not ended by a NUL; may hold any byte but a line end */
    size_t len;
    int index; /* in the request */
} RequestText;

typedef struct Request {
    RequestSettings settings;
    int n_lines;
    RequestText *lines;
    RequestText *prefixes; /* of each line; bytes NULL where there is none */
    void *json;            /* owns the texts */
} Request;

/* Reads a body. names [n_names] are the models. fallback has the settings of what is not given.
 * ERR_FORMAT or ERR_ARG with a sentence for the client. The caller frees out with request_free. */
Status request_parse(Request *out, const char *body, size_t len, const char *const *names,
                     int n_names, const RequestSettings *fallback, Error *err) MUST_USE;
void request_free(Request *request);

#endif

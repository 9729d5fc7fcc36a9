/* The body of a request; see the header. */
#include "serve/request.h"

#include <jansson.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* Brackets outside strings may nest REQUEST_MAX_DEPTH deep. What is no JSON is left to the parser,
 * which then cannot recurse deeper either. */
static Status check_depth(const char *body, size_t len, Error *err)
{
    int depth = 0, is_string = 0;
    for (size_t i = 0; i < len; i++) {
        if (is_string) {
            if (body[i] == '\\') {
                i++;
            } else if (body[i] == '"') {
                is_string = 0;
            }
        } else if (body[i] == '"') {
            is_string = 1;
        } else if (body[i] == '[' || body[i] == '{') {
            if (++depth > REQUEST_MAX_DEPTH) {
                return fail(err, ERR_FORMAT, "body: nested more than %d deep at byte %zu",
                            REQUEST_MAX_DEPTH, i);
            }
        } else if (body[i] == ']' || body[i] == '}') {
            depth--;
        }
    }
    return OK;
}

static Status read_integer(int *out, const json_t *value, const char *name, int max, Error *err)
{
    if (!json_is_integer(value)) {
        return fail(err, ERR_ARG, "%s: must be an integer between 1 and %d", name, max);
    }
    const json_int_t number = json_integer_value(value);
    if (number < 1 || number > max) {
        return fail(err, ERR_ARG, "%s %lld: must be an integer between 1 and %d", name,
                    (long long)number, max);
    }
    *out = (int)number;
    return OK;
}

static Status read_flag(int *out, const json_t *value, const char *name, Error *err)
{
    if (!json_is_boolean(value)) {
        return fail(err, ERR_ARG, "%s: must be true or false", name);
    }
    *out = json_is_true(value);
    return OK;
}

static Status read_model(int *out, const json_t *value, const char *const *names, int n_names,
                         Error *err)
{
    if (!json_is_string(value)) {
        return fail(err, ERR_ARG, "model: must be a string");
    }
    for (int i = 0; i < n_names; i++) {
        if (strlen(names[i]) == json_string_length(value) &&
            memcmp(names[i], json_string_value(value), json_string_length(value)) == 0) {
            *out = i;
            return OK;
        }
    }
    return fail(err, ERR_ARG, "model %.100s: not one of those at GET /health",
                json_string_value(value));
}

static Status read_line(RequestText *out, const json_t *value, const char *name, int index,
                        Error *err)
{
    if (!json_is_string(value)) {
        return fail(err, ERR_ARG, "%s: must be a string or a list of strings (item %d)", name,
                    index);
    }
    *out = (RequestText){json_string_value(value), json_string_length(value), index};
    if (memchr(out->bytes, '\n', out->len) != NULL) {
        return fail(err, ERR_ARG, "%s: item %d has a line end; give each line by itself", name,
                    index);
    }
    return OK;
}

static Status read_lines(Request *request, const json_t *text, Error *err)
{
    const size_t n = json_is_array(text) ? json_array_size(text) : 1;
    if (n > REQUEST_MAX_LINES) {
        return fail(err, ERR_ARG, "text: %zu lines; at most %d go in one request", n,
                    REQUEST_MAX_LINES);
    }
    request->lines = mem_zero_alloc(n, sizeof *request->lines);
    request->prefixes = mem_zero_alloc(n, sizeof *request->prefixes);
    if (request->lines == NULL || request->prefixes == NULL) {
        return mem_fail(err, "a request", n, 2 * sizeof *request->lines);
    }
    request->n_lines = (int)n;
    for (int i = 0; i < (int)n; i++) {
        const json_t *item = json_is_array(text) ? json_array_get(text, (size_t)i) : text;
        TRY(read_line(&request->lines[i], item, "text", i, err));
    }
    return OK;
}

static Status read_prefixes(Request *request, const json_t *prefix, Error *err)
{
    if (prefix == NULL || json_is_null(prefix)) {
        return OK;
    }
    if (json_is_array(prefix) && json_array_size(prefix) != (size_t)request->n_lines) {
        return fail(err, ERR_ARG, "prefix: a list of %zu, but text has %d lines",
                    json_array_size(prefix), request->n_lines);
    }
    for (int i = 0; i < request->n_lines; i++) {
        const json_t *item = json_is_array(prefix) ? json_array_get(prefix, (size_t)i) : prefix;
        if (json_is_null(item)) {
            continue;
        }
        TRY(read_line(&request->prefixes[i], item, "prefix", i, err));
        if (request->prefixes[i].len == 0) {
            request->prefixes[i].bytes = NULL;
        }
    }
    return OK;
}

static Status read_members(Request *request, const json_t *json, const char *const *names,
                           int n_names, Error *err)
{
    RequestSettings *s = &request->settings;
    const json_t *text = NULL, *prefix = NULL;
    int has_beam_size = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)json, key, value)
    {
        if (strcmp(key, "text") == 0) {
            text = value;
        } else if (strcmp(key, "prefix") == 0) {
            prefix = value;
        } else if (strcmp(key, "model") == 0) {
            TRY(read_model(&s->model, value, names, n_names, err));
        } else if (strcmp(key, "beam_size") == 0) {
            TRY(read_integer(&s->beam_size, value, key, REQUEST_MAX_BEAM, err));
            has_beam_size = 1;
        } else if (strcmp(key, "n_best") == 0) {
            TRY(read_integer(&s->n_best, value, key, REQUEST_MAX_BEAM, err));
        } else if (strcmp(key, "attention") == 0) {
            TRY(read_flag(&s->wants_attention, value, key, err));
        } else if (strcmp(key, "pieces") == 0) {
            TRY(read_flag(&s->wants_pieces, value, key, err));
        } else {
            return fail(err, ERR_ARG,
                        "%.100s: unknown; a request has text, model, beam_size, n_best, attention, "
                        "pieces, prefix",
                        key);
        }
    }
    if (text == NULL) {
        return fail(err, ERR_ARG, "text: missing; it is a string or a list of strings");
    }
    if (s->n_best > s->beam_size) {
        return fail(err, ERR_ARG, "n_best %d: must be at most beam_size, %s %d", s->n_best,
                    has_beam_size ? "given as" : "by default", s->beam_size);
    }
    TRY(read_lines(request, text, err));
    return read_prefixes(request, prefix, err);
}

Status request_parse(Request *out, const char *body, size_t len, const char *const *names,
                     int n_names, const RequestSettings *fallback, Error *err)
{
    TRY(check_depth(body, len, err));
    json_error_t where = {0};
    json_t *json = NULL;
    const Status loaded =
        json_read(&json, body, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where, err);
    if (loaded == ERR_NOMEM) {
        return loaded;
    }
    if (loaded != OK) {
        return fail(err, ERR_FORMAT, "body: not JSON at byte %d: %.100s", where.position,
                    where.text);
    }
    Request request = {.settings = *fallback, .json = json};
    const Status status = json_is_object(json)
                              ? read_members(&request, json, names, n_names, err)
                              : fail(err, ERR_FORMAT, "body: must be a JSON object");
    if (status != OK) {
        request_free(&request);
        return status;
    }
    *out = request;
    return OK;
}

void request_free(Request *request)
{
    json_decref(request->json);
    mem_free(request->lines);
    mem_free(request->prefixes);
    *request = (Request){0};
}

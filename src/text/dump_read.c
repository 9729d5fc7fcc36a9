/* Reading attention; see the header. */
#include "text/dump_read.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/looks.h"
#include "base/mem.h"

/* What is being read, for sentences. */
typedef struct Place {
    const char *name;
    long line;
    Arena *arena;
} Place;

/* The largest sum that rounding of one weight may reach. */
static const double MAX_WEIGHT = 1.001;

static Status refuse(const Place *place, Error *err, const char *what, const char *expectation)
{
    return fail(err, ERR_FORMAT, "%s:%ld: \"%s\" must be %s", place->name, place->line, what,
                expectation);
}

static Status read_text(DumpText *out, const json_t *value, const Place *place, const char *what,
                        Error *err)
{
    if (!json_is_string(value)) {
        return refuse(place, err, what, "a string");
    }
    const size_t len = json_string_length(value);
    void *bytes;
    if (len > INT_MAX) {
        return refuse(place, err, what, "shorter than 2 GB");
    }
    TRY(arena_alloc(place->arena, &bytes, len + 1, 1, err));
    memcpy(bytes, json_string_value(value), len + 1);
    *out = (DumpText){bytes, len};
    return OK;
}

static Status read_integer(json_int_t *out, const json_t *value, json_int_t max, const Place *place,
                           const char *what, Error *err)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > max) {
        char expectation[80];
        (void)snprintf(expectation, sizeof expectation, "an integer from 0 to %lld",
                       (long long)max);
        return refuse(place, err, what, expectation);
    }
    *out = json_integer_value(value);
    return OK;
}

static Status read_real(double *out, const json_t *value, const Place *place, const char *what,
                        Error *err)
{
    if (!json_is_number(value) || !isfinite(json_number_value(value))) {
        return refuse(place, err, what, "a number");
    }
    *out = json_number_value(value);
    return OK;
}

static Status read_tokens(const DumpText **out, int *n, const json_t *array, const Place *place,
                          const char *what, Error *err)
{
    if (!json_is_array(array) || json_array_size(array) > DUMP_MAX_TOKENS) {
        return refuse(place, err, what, "an array of at most 1048576 strings");
    }
    const size_t size = json_array_size(array);
    void *block;
    TRY(arena_alloc(place->arena, &block, size, sizeof **out, err));
    DumpText *tokens = block;
    for (size_t i = 0; i < size; i++) {
        TRY(read_text(&tokens[i], json_array_get(array, i), place, what, err));
    }
    *out = tokens;
    *n = (int)size;
    return OK;
}

static Status read_spans(const int (**out)[2], int n, size_t len, const json_t *array,
                         const Place *place, const char *what, Error *err)
{
    if (!json_is_array(array) || json_array_size(array) != (size_t)n) {
        return refuse(place, err, what, "an array with a pair for each token");
    }
    void *block;
    TRY(arena_alloc(place->arena, &block, (size_t)n, sizeof **out, err));
    int(*spans)[2] = block;
    for (int i = 0; i < n; i++) {
        const json_t *pair = json_array_get(array, (size_t)i);
        json_int_t begin, end;
        if (json_array_size(pair) != 2) {
            return refuse(place, err, what, "made of pairs [begin,end]");
        }
        TRY(read_integer(&end, json_array_get(pair, 1), (json_int_t)len, place, what, err));
        TRY(read_integer(&begin, json_array_get(pair, 0), end, place, what, err));
        spans[i][0] = (int)begin;
        spans[i][1] = (int)end;
    }
    *out = (const int(*)[2])spans;
    return OK;
}

static Status read_row(float *out, int n, const json_t *row, int t, const Place *place, Error *err)
{
    if (!json_is_array(row) || json_array_size(row) != (size_t)n) {
        return fail(err, ERR_FORMAT,
                    "%s:%ld: row %d of \"attention\" must be an array of %d numbers, one for each "
                    "source token",
                    place->name, place->line, t, n);
    }
    for (int s = 0; s < n; s++) {
        const json_t *value = json_array_get(row, (size_t)s);
        const double weight = json_is_number(value) ? json_number_value(value) : -1;
        if (!(weight >= 0 && weight <= MAX_WEIGHT)) {
            return fail(err, ERR_FORMAT,
                        "%s:%ld: column %d of row %d of \"attention\" must be a number from 0 to 1",
                        place->name, place->line, s, t);
        }
        out[s] = (float)weight;
    }
    return OK;
}

static Status read_attention(Dump *out, const json_t *array, const Place *place, Error *err)
{
    if (!json_is_array(array) || json_array_size(array) != (size_t)out->n_target) {
        return refuse(place, err, "attention", "an array with a row for each target token");
    }
    /* The rows are counted before memory is taken for them. */
    for (int t = 0; t < out->n_target; t++) {
        const json_t *row = json_array_get(array, (size_t)t);
        if (json_array_size(row) != (size_t)out->n_source) {
            return read_row(NULL, out->n_source, row, t, place, err);
        }
    }
    void *block;
    TRY(arena_alloc(place->arena, &block, (size_t)out->n_target,
                    mem_times((size_t)out->n_source, sizeof(float)), err));
    float *attention = block;
    for (int t = 0; t < out->n_target; t++) {
        TRY(read_row(attention + (size_t)t * (size_t)out->n_source, out->n_source,
                     json_array_get(array, (size_t)t), t, place, err));
    }
    out->attention = attention;
    return OK;
}

static Status read_word_scores(Dump *out, const json_t *array, const Place *place, Error *err)
{
    if (array == NULL || json_is_null(array)) {
        out->word_scores = NULL;
        return OK;
    }
    if (!json_is_array(array) || json_array_size(array) != (size_t)out->n_target) {
        return refuse(place, err, "word_scores", "an array with a number for each target token");
    }
    void *block;
    TRY(arena_alloc(place->arena, &block, (size_t)out->n_target, sizeof(float), err));
    float *scores = block;
    for (int t = 0; t < out->n_target; t++) {
        double score;
        TRY(read_real(&score, json_array_get(array, (size_t)t), place, "word_scores", err));
        scores[t] = (float)score;
    }
    out->word_scores = scores;
    return OK;
}

static int ends_in_end_token(const DumpText *tokens, const int (*spans)[2], int n)
{
    const size_t len = sizeof DUMP_END_TOKEN - 1;
    return n > 0 && tokens[n - 1].len == len &&
           memcmp(tokens[n - 1].bytes, DUMP_END_TOKEN, len) == 0 &&
           spans[n - 1][0] == spans[n - 1][1];
}

static Status read_scores(Dump *out, const json_t *object, const Place *place, Error *err)
{
    const json_t *score = json_object_get(object, "score");
    const json_t *normalized = json_object_get(object, "normalized_score");
    const json_t *finished = json_object_get(object, "finished");
    out->score = 0;
    if (score != NULL) {
        TRY(read_real(&out->score, score, place, "score", err));
    }
    out->normalized_score = out->score;
    if (normalized != NULL) {
        TRY(read_real(&out->normalized_score, normalized, place, "normalized_score", err));
    }
    if (finished != NULL && !json_is_boolean(finished)) {
        return refuse(place, err, "finished", "true or false");
    }
    out->is_finished =
        finished != NULL ? json_is_true(finished) : out->has_target_end || out->n_target == 0;
    return OK;
}

static Status read_object(Dump *out, const json_t *object, const Place *place, Error *err)
{
    Dump d = {0};
    json_int_t id, rank = 0;
    TRY(read_integer(&id, json_object_get(object, "id"), LONG_MAX, place, "id", err));
    if (json_object_get(object, "rank") != NULL) {
        TRY(read_integer(&rank, json_object_get(object, "rank"), INT_MAX, place, "rank", err));
    }
    d.id = (long)id;
    d.rank = (int)rank;
    TRY(read_text(&d.source, json_object_get(object, "source"), place, "source", err));
    TRY(read_text(&d.target, json_object_get(object, "target"), place, "target", err));
    TRY(read_tokens(&d.source_tokens, &d.n_source, json_object_get(object, "source_tokens"), place,
                    "source_tokens", err));
    TRY(read_tokens(&d.target_tokens, &d.n_target, json_object_get(object, "target_tokens"), place,
                    "target_tokens", err));
    TRY(read_spans(&d.source_spans, d.n_source, d.source.len,
                   json_object_get(object, "source_spans"), place, "source_spans", err));
    TRY(read_spans(&d.target_spans, d.n_target, d.target.len,
                   json_object_get(object, "target_spans"), place, "target_spans", err));
    d.has_source_end = ends_in_end_token(d.source_tokens, d.source_spans, d.n_source);
    d.has_target_end = ends_in_end_token(d.target_tokens, d.target_spans, d.n_target);
    TRY(read_attention(&d, json_object_get(object, "attention"), place, err));
    TRY(read_word_scores(&d, json_object_get(object, "word_scores"), place, err));
    TRY(read_scores(&d, object, place, err));
    *out = d;
    return OK;
}

Status dump_parse(Dump *out, const char *line, size_t len, Arena *arena, const char *name,
                  long line_number, Error *err)
{
    const Place place = {name, line_number, arena};
    json_error_t why = {0};
    json_t *object = NULL;
    const Status loaded = json_read(&object, line, len, JSON_ALLOW_NUL, &why, err);
    if (loaded == ERR_NOMEM) {
        return fail(err, ERR_NOMEM, "%s:%ld: out of memory for %zu bytes of JSON", name,
                    line_number, len);
    }
    if (loaded != OK) {
        const char *look =
            len > 0 && line[0] == '{'
                ? NULL
                : looks_known((const unsigned char *)line, len < LOOKS_BYTES ? len : LOOKS_BYTES);
        return fail(err, ERR_FORMAT, "%s:%ld: not JSON: %s (byte %d)%s%s", name, line_number,
                    why.text, why.position, look == NULL ? "" : "; it looks like ",
                    look == NULL ? "" : look);
    }
    const Status status =
        json_is_object(object)
            ? read_object(out, object, &place, err)
            : fail(err, ERR_FORMAT,
                   "%s:%ld: must be a JSON object, as `heed translate --attention`"
                   " writes it",
                   name, line_number);
    json_decref(object);
    return status;
}

/* Models by name, and their answers; see the header. */
#include "serve/models.h"

#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "text/dump_write.h"

static const char ENDING[] = ".safetensors";
static const char NAME_BYTES[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

static Status check_name(const Models *models, const char *name, Error *err)
{
    const size_t len = strlen(name);
    if (len == 0 || len > MODEL_NAME_MAX || strspn(name, NAME_BYTES) != len) {
        return fail(err, ERR_ARG,
                    "--model: the name \"%.100s\" must be 1 to %d letters, digits, - _ or points; "
                    "give one as name=path",
                    name, MODEL_NAME_MAX);
    }
    for (int i = 0; i < models->n; i++) {
        if (strcmp(models->names[i], name) == 0) {
            return fail(err, ERR_ARG, "--model: the name %s is given twice", name);
        }
    }
    return OK;
}

/* Divides "name=path" or "path" (len bytes): copies of both, owned by the caller. */
static Status divide(char **name, char **path, const char *text, size_t len, Error *err)
{
    const char *equals = memchr(text, '=', len);
    const char *end = text + len, *begin = equals == NULL ? text : equals + 1;
    *path = mem_copy_text(begin, (size_t)(end - begin));
    if (equals != NULL) {
        *name = mem_copy_text(text, (size_t)(equals - text));
    } else {
        for (const char *at = text; at < end; at++) {
            begin = *at == '/' ? at + 1 : begin;
        }
        const size_t len_ending = sizeof ENDING - 1;
        if ((size_t)(end - begin) > len_ending &&
            memcmp(end - len_ending, ENDING, len_ending) == 0) {
            end -= len_ending;
        }
        *name = mem_copy_text(begin, (size_t)(end - begin));
    }
    return *name == NULL || *path == NULL ? mem_fail(err, "a model's name", len, 1) : OK;
}

static Status open_one(Models *models, const char *text, size_t len, int n_threads, Error *err)
{
    if (models->n == MODELS_MAX) {
        return fail(err, ERR_ARG, "--model: more than %d models", MODELS_MAX);
    }
    char *name = NULL, *path = NULL;
    Translator *translator = NULL;
    Status status = divide(&name, &path, text, len, err);
    status = status == OK ? check_name(models, name, err) : status;
    if (status == OK) {
        const char *paths[] = {path};
        status = translator_open(&translator, paths, 1, n_threads, err);
    }
    mem_free(path);
    if (status != OK) {
        mem_free(name);
        return status;
    }
    models->names[models->n] = name;
    models->translators[models->n++] = translator;
    return OK;
}

Status models_open(Models *out, const char *list, const TranslateOptions *options, int n_threads,
                   Error *err)
{
    Models models = {.options = *options};
    Status status = arena_create(&models.arena, 0, err);
    while (status == OK && *list != '\0') {
        const size_t len = strcspn(list, ",");
        status = open_one(&models, list, len, n_threads, err);
        list += len + (list[len] == ',');
    }
    if (status != OK) {
        models_free(&models);
        return status;
    }
    *out = models;
    return OK;
}

void models_free(Models *models)
{
    for (int i = 0; i < models->n; i++) {
        mem_free(models->names[i]);
        translator_free(models->translators[i]);
    }
    arena_free(models->arena);
    *models = (Models){0};
}

/* Where the answers of one call go. */
typedef struct Sink {
    Models *models;
    const RequestSettings *settings;
    const RequestText *lines;
    Buffer *out;
} Sink;

/* The record without tokens. */
static Status write_short(Buffer *out, const Dump *d, Error *err)
{
    TRY(buffer_printf(out, err, "{\"id\":%ld,\"rank\":%d,\"source\":", d->id, d->rank));
    TRY(dump_add_string(out, d->source.bytes, d->source.len, 0, err));
    TRY(buffer_add_text(out, ",\"target\":", err));
    TRY(dump_add_string(out, d->target.bytes, d->target.len, 0, err));
    TRY(buffer_add_text(out, ",\"score\":", err));
    TRY(number_add_double(out, d->score, "null", err));
    TRY(buffer_add_text(out, ",\"normalized_score\":", err));
    TRY(number_add_double(out, d->normalized_score, "null", err));
    return buffer_printf(out, err, ",\"finished\":%s}", d->is_finished ? "true" : "false");
}

static Status write_hypothesis(Buffer *out, const Sink *sink, const Dump *dump, Error *err)
{
    if (!sink->settings->wants_attention) {
        return write_short(out, dump, err);
    }
    Dump words = *dump;
    arena_reset(sink->models->arena);
    if (!sink->settings->wants_pieces && dump->attention != NULL) {
        TRY(dump_to_words(&words, dump, sink->models->arena, err));
    }
    TRY(dump_write_json(out, &words, err));
    while (out->bytes[out->len - 1] == '\n') {
        out->bytes[--out->len] = '\0';
    }
    return OK;
}

static Status take_translation(void *context, const Translation *translation, Error *err)
{
    const Sink *sink = context;
    const long place = translation->dump.id;
    Buffer *out = &sink->out[place];
    Dump dump = translation->dump;
    dump.id = sink->lines[place].index;
    if (translation->is_first) {
        TRY(buffer_add_text(out, "{\"text\":", err));
        TRY(dump_add_string(out, dump.target.bytes, dump.target.len, 0, err));
        TRY(buffer_add_text(out, ",\"hypotheses\":[", err));
    } else {
        TRY(buffer_add_byte(out, ',', err));
    }
    TRY(write_hypothesis(out, sink, &dump, err));
    return translation->is_last ? buffer_add_text(out, "]}", err) : OK;
}

Status models_answer(void *context, Buffer *out, const RequestSettings *settings,
                     const RequestText *lines, const RequestText *prefixes, int n, Error *err)
{
    Models *models = context;
    TranslateOptions options = models->options;
    options.beam.beam_size = settings->beam_size;
    options.beam.n_best = settings->n_best;
    options.beam.keeps_attention = settings->wants_attention;
    options.has_tokens = settings->wants_attention;
    TranslateLine *made = mem_zero_alloc((size_t)n, sizeof *made);
    if (made == NULL) {
        return mem_fail(err, "lines", (size_t)n, sizeof *made);
    }
    for (int i = 0; i < n; i++) {
        made[i] = (TranslateLine){.text = lines[i].bytes,
                                  .len = lines[i].len,
                                  .prefix = prefixes[i].bytes,
                                  .len_prefix = prefixes[i].len,
                                  .id = i};
    }
    Sink sink = {models, settings, lines, out};
    const Status status = translator_translate(models->translators[settings->model], &options, made,
                                               n, take_translation, &sink, NULL, err);
    mem_free(made);
    return status;
}

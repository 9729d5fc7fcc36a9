/* The body of a request to the server: what is let through keeps its promises, what is not has a
 * sentence that fits into an answer. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "fuzz/fuzz.h"
#include "serve/request.h"
#include "text/dump_write.h"
#include "text/unicode.h"

static const char *const NAMES[] = {"en-zh", "modèle"};
enum { N_NAMES = sizeof NAMES / sizeof *NAMES };

static void expect_line(const RequestText *text, int index)
{
    fuzz_expect(text->index == index, "a text knows its place");
    fuzz_expect(memchr(text->bytes, '\n', text->len) == NULL, "a line holds no line end");
    fuzz_expect(unicode_count_malformed(text->bytes, text->len) == 0, "a line is valid UTF-8");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const RequestSettings fallback = {0, 5, 1, 0, 0};
    Request request;
    Error err = {.message = ""};
    const Status status =
        request_parse(&request, (const char *)bytes, len, NAMES, N_NAMES, &fallback, &err);
    if (status != OK) {
        Buffer answer = {0};
        fuzz_expect(status == ERR_FORMAT || status == ERR_ARG, "the client is told what is wrong");
        fuzz_expect(err.message[0] != '\0' && strlen(err.message) < ERROR_CAP, "in a sentence");
        fuzz_expect(dump_add_string(&answer, err.message, strlen(err.message), 1, &err) == OK,
                    "that goes into an answer");
        fuzz_expect(unicode_count_malformed(answer.bytes, answer.len) == 0, "as valid UTF-8");
        buffer_free(&answer);
        return 0;
    }
    const RequestSettings *s = &request.settings;
    fuzz_expect(s->model >= 0 && s->model < N_NAMES, "the model is one of the list");
    fuzz_expect(s->n_best >= 1 && s->n_best <= s->beam_size && s->beam_size <= REQUEST_MAX_BEAM,
                "the beam is in its bounds");
    fuzz_expect(request.n_lines >= 0 && request.n_lines <= REQUEST_MAX_LINES, "so are the lines");
    for (int i = 0; i < request.n_lines; i++) {
        expect_line(&request.lines[i], i);
        if (request.prefixes[i].bytes != NULL) {
            expect_line(&request.prefixes[i], i);
        }
    }
    request_free(&request);
    return 0;
}

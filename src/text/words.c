/* Words of a raw line; see the header. */
#include "text/words.h"

#include <limits.h>

#include "base/mem.h"
#include "text/script.h"
#include "text/unicode.h"

/* Skips blanks from *at on and finds the word behind them; false when there is none. */
static int next_word(const char *line, size_t len, size_t *at, size_t *end)
{
    size_t i = *at, n;
    uint32_t point;
    for (;; i += n) {
        if (i == len) {
            return 0;
        }
        n = unicode_decode(line + i, len - i, &point, NULL);
        if (unicode_class(point) != CLASS_SPACE) {
            break;
        }
    }
    *at = i;
    if (script_is_word_each(script_of(point))) {
        *end = i + unicode_grapheme(line + i, len - i);
        return 1;
    }
    /* Marks of the cluster in which such a grapheme begins stay with what stands before them. */
    int32_t state = 0;
    for (i += n; i < len; i += n) {
        const uint32_t before = point;
        n = unicode_decode(line + i, len - i, &point, NULL);
        const int is_break = unicode_is_break(before, point, &state);
        if (unicode_class(point) == CLASS_SPACE ||
            (is_break && script_is_word_each(script_of(point)))) {
            break;
        }
    }
    *end = i;
    return 1;
}

Status words_split(Words *out, const char *line, size_t len, Error *err)
{
    if (len > INT_MAX) {
        return fail(err, ERR_ARG, "a line of %zu bytes: at most %d can be split", len, INT_MAX);
    }
    out->len = 0;
    for (size_t at = 0, end; next_word(line, len, &at, &end); at = end) {
        if (out->len == out->cap) {
            const int cap = 2 * out->cap + 32;
            int(*grown)[2] = mem_resize(out->spans, (size_t)cap, sizeof *grown);
            if (grown == NULL) {
                return mem_fail(err, "the words of a line", (size_t)cap, sizeof *grown);
            }
            out->spans = grown;
            out->cap = cap;
        }
        out->spans[out->len][0] = (int)at;
        out->spans[out->len++][1] = (int)end;
    }
    return OK;
}

long words_count(const char *line, size_t len)
{
    long n = 0;
    for (size_t at = 0, end; next_word(line, len, &at, &end); at = end) {
        n++;
    }
    return n;
}

int words_is_blank(const char *line, size_t len)
{
    size_t at = 0, end;
    return !next_word(line, len, &at, &end);
}

void words_free(Words *words)
{
    if (words != NULL) {
        mem_free(words->spans);
        *words = (Words){0};
    }
}

/* Code points; see the header. */
#include "metric/characters.h"

#include "base/mem.h"
#include "text/unicode.h"

Status characters_add(Characters *out, uint32_t code, Error *err)
{
    if (out->n == out->cap) {
        const size_t cap = out->cap == 0 ? 128 : out->cap * 2;
        uint32_t *v = mem_resize(out->v, cap, sizeof *v);
        if (v == NULL) {
            return mem_fail(err, "a sentence", cap, sizeof *v);
        }
        out->v = v;
        out->cap = cap;
    }
    out->v[out->n++] = code;
    return OK;
}

/* Replaces what was added from index first on by its lower case. */
static Status lower(Characters *out, size_t first, Error *err)
{
    const size_t n = out->n - first;
    Characters small = {0};
    small.v = mem_alloc(n, 2 * sizeof *small.v);
    if (small.v == NULL) {
        return mem_fail(err, "a sentence", n, 2 * sizeof *small.v);
    }
    small.n = unicode_lower(small.v, out->v + first, n);
    out->n = first;
    Status status = OK;
    for (size_t i = 0; i < small.n && status == OK; i++) {
        status = characters_add(out, small.v[i], err);
    }
    characters_free(&small);
    return status;
}

Status characters_decode(Characters *out, const char *bytes, size_t len, int lowercase, Error *err)
{
    const size_t first = out->n;
    for (size_t i = 0; i < len;) {
        uint32_t point;
        i += unicode_decode(bytes + i, len - i, &point, NULL);
        TRY(characters_add(out, point, err));
    }
    return lowercase && out->n > first ? lower(out, first, err) : OK;
}

int characters_is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

Status characters_split(CharacterRun **runs, size_t *n_runs, const uint32_t *text, size_t n,
                        Error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += !characters_is_space(text[i]) && (i == 0 || characters_is_space(text[i - 1]));
    }
    CharacterRun *out = mem_alloc(count, sizeof *out);
    if (out == NULL) {
        return mem_fail(err, "words", count, sizeof *out);
    }
    size_t at = 0;
    for (size_t i = 0; i < n;) {
        if (characters_is_space(text[i])) {
            i++;
            continue;
        }
        const size_t begin = i;
        while (i < n && !characters_is_space(text[i])) {
            i++;
        }
        out[at++] = (CharacterRun){text + begin, i - begin};
    }
    *runs = out;
    *n_runs = count;
    return OK;
}

void characters_free(Characters *characters)
{
    mem_free(characters->v);
    *characters = (Characters){0};
}

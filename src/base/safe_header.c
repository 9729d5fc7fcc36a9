/* A parser for the header of a safetensors file; see the header. */
#include "base/safe_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

typedef struct Parser {
    SafeHeader *out;
    const char *path;
    const unsigned char *bytes;
    size_t len, at;
    size_t n_text; /* bytes of out->text in use */
    uint64_t n_data;
    Error *err;
} Parser;

/* A string of the header: decoded, and where its raw bytes stand between the quotes. */
typedef struct Text {
    char *text;
    size_t raw_at, raw_len;
} Text;

static Status refuse(Parser *p, const char *what)
{
    return fail(p->err, ERR_FORMAT, "%s: header, byte %zu: %s", p->path, 8 + p->at, what);
}

static Status refuse_tensor(const Parser *p, const SafeTensor *t, const char *what, uint64_t found,
                            uint64_t bound)
{
    return fail(p->err, ERR_FORMAT, "%s: tensor \"%.80s\": %s (%llu, %llu)", p->path, t->name, what,
                (unsigned long long)found, (unsigned long long)bound);
}

/* The next byte that is no blank, without taking it; -1 at the end. */
static int peek(Parser *p)
{
    while (p->at < p->len && p->bytes[p->at] != '\0' &&
           strchr(" \t\n\r", p->bytes[p->at]) != NULL) {
        p->at++;
    }
    return p->at < p->len ? p->bytes[p->at] : -1;
}

static Status expect(Parser *p, char wanted)
{
    if (peek(p) != (unsigned char)wanted) {
        char what[] = "'?' expected";
        what[1] = wanted;
        return refuse(p, what);
    }
    p->at++;
    return OK;
}

/* Takes the comma before all but the first part of a list, or its closing bracket. */
static Status next_part(Parser *p, char closing, int is_first, int *has_part)
{
    if (peek(p) == (unsigned char)closing) {
        p->at++;
        *has_part = 0;
        return OK;
    }
    *has_part = 1;
    return is_first ? OK : expect(p, ',');
}

static Status hex_unit(Parser *p, unsigned *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const int c = p->at < p->len ? p->bytes[p->at] : 0;
        const char *digit = c == 0 ? NULL : strchr(digits, c);
        if (digit == NULL) {
            return refuse(p, "four hexadecimal digits expected after \\u");
        }
        *unit = *unit * 16 + (unsigned)(digit - digits) % 16;
    }
    return OK;
}

/* The code point of \uXXXX or a pair of them, the first \u taken. */
static Status unicode_escape(Parser *p, unsigned *code)
{
    TRY(hex_unit(p, code));
    if (*code == 0) {
        return refuse(p, "a NUL in a string");
    }
    if (*code >= 0xd800 && *code <= 0xdfff) {
        unsigned low = 0;
        if (*code > 0xdbff || p->len - p->at < 6 || memcmp(p->bytes + p->at, "\\u", 2) != 0) {
            return refuse(p, "half of a surrogate pair");
        }
        p->at += 2;
        TRY(hex_unit(p, &low));
        if (low < 0xdc00 || low > 0xdfff) {
            return refuse(p, "half of a surrogate pair");
        }
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    }
    return OK;
}

static void put_utf8(Parser *p, unsigned code)
{
    char *to = p->out->text + p->n_text;
    if (code < 0x80) {
        to[0] = (char)code;
        p->n_text += 1;
    } else if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        p->n_text += 2;
    } else if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        p->n_text += 3;
    } else {
        to[0] = (char)(0xf0 | code >> 18);
        to[1] = (char)(0x80 | (code >> 12 & 0x3f));
        to[2] = (char)(0x80 | (code >> 6 & 0x3f));
        to[3] = (char)(0x80 | (code & 0x3f));
        p->n_text += 4;
    }
}

static Status escape(Parser *p)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const int c = p->at < p->len ? p->bytes[p->at] : 0;
    unsigned code;
    if (c == 'u') {
        p->at++;
        TRY(unicode_escape(p, &code));
    } else {
        const char *letter = c == 0 ? NULL : strchr(letters, c);
        if (letter == NULL) {
            return refuse(p, "an unknown escape in a string");
        }
        code = (unsigned char)values[letter - letters];
        p->at++;
    }
    put_utf8(p, code);
    return OK;
}

/* The length of the well-formed UTF-8 character at s, 0 when it is malformed. */
static size_t utf8_length(const unsigned char *s, size_t len)
{
    const unsigned char c = s[0];
    const size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (n == 0 || n > len) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
    const int is_bad = (c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) ||
                       (c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] > 0x8f);
    return is_bad ? 0 : n;
}

/* Decoded text is never longer than its raw bytes, and its NUL has the place of a quote: so the
 * block of the header's length cannot overflow. */
static Status parse_string(Parser *p, Text *out)
{
    TRY(expect(p, '"'));
    out->text = p->out->text + p->n_text;
    out->raw_at = p->at;
    for (;;) {
        if (p->at == p->len) {
            return refuse(p, "a string without an end");
        }
        const unsigned char c = p->bytes[p->at];
        if (c == '"') {
            break;
        }
        if (c < 0x20) {
            return refuse(p, "a control character in a string");
        }
        if (c == '\\') {
            p->at++;
            TRY(escape(p));
            continue;
        }
        const size_t n = utf8_length(p->bytes + p->at, p->len - p->at);
        if (n == 0) {
            return refuse(p, "not valid UTF-8");
        }
        memcpy(p->out->text + p->n_text, p->bytes + p->at, n);
        p->n_text += n;
        p->at += n;
    }
    out->raw_len = p->at - out->raw_at;
    p->at++;
    p->out->text[p->n_text++] = '\0';
    return OK;
}

/* A name or a key with the colon behind it. */
static Status parse_key(Parser *p, Text *out)
{
    TRY(parse_string(p, out));
    if (out->text[0] == '\0') {
        return refuse(p, "an empty name");
    }
    for (const char *c = out->text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return refuse(p, "a control character in a name");
        }
    }
    return expect(p, ':');
}

static Status parse_number(Parser *p, uint64_t *out)
{
    int c = peek(p);
    if (c < '0' || c > '9') {
        return refuse(p, "a number of 0 or more expected");
    }
    const size_t first = p->at;
    uint64_t value = 0;
    for (; p->at < p->len && (c = p->bytes[p->at]) >= '0' && c <= '9'; p->at++) {
        const uint64_t digit = (uint64_t)(c - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return refuse(p, "a number beyond 2^64 - 1");
        }
        value = value * 10 + digit;
    }
    if (p->bytes[first] == '0' && p->at - first > 1) {
        return refuse(p, "a number that begins with 0");
    }
    *out = value;
    return OK;
}

static Status parse_numbers(Parser *p, uint64_t *out, int max, int *n)
{
    TRY(expect(p, '['));
    for (*n = 0;; (*n)++) {
        int has_part;
        TRY(next_part(p, ']', *n == 0, &has_part));
        if (!has_part) {
            return OK;
        }
        if (*n == max) {
            return refuse(p, max == 2 ? "data_offsets has more than 2 numbers"
                                      : "a shape of more than 8 dimensions");
        }
        TRY(parse_number(p, &out[*n]));
    }
}

static Status parse_type(Parser *p, SafeType *out)
{
    Text name;
    TRY(parse_string(p, &name));
    for (int type = 0; type < SAFE_N_TYPES; type++) {
        if (strcmp(name.text, safe_type_name((SafeType)type)) == 0) {
            *out = (SafeType)type;
            return OK;
        }
    }
    return refuse(p, "an unknown type of tensor");
}

/* Holds the bytes a shape asks for against the bytes that its offsets give it. */
static Status check_tensor(const Parser *p, const SafeTensor *t, uint64_t end)
{
    if (t->begin > end || end > p->n_data) {
        return fail(p->err, ERR_FORMAT,
                    "%s: tensor \"%.80s\": data_offsets [%llu, %llu] are not within the %llu bytes "
                    "of data",
                    p->path, t->name, (unsigned long long)t->begin, (unsigned long long)end,
                    (unsigned long long)p->n_data);
    }
    const uint64_t size = safe_type_size(t->type);
    uint64_t wanted = size;
    for (int i = 0; i < t->n_dims; i++) {
        if (t->shape[i] != 0 && wanted > UINT64_MAX / t->shape[i]) {
            return refuse_tensor(p, t, "the shape overflows 64 bits at this dimension", t->shape[i],
                                 (uint64_t)i);
        }
        wanted *= t->shape[i];
    }
    if (wanted != t->n_bytes) {
        return refuse_tensor(p, t, "bytes of the shape and of data_offsets differ", wanted,
                             t->n_bytes);
    }
    if (t->begin % size != 0) {
        return refuse_tensor(p, t, "its first byte is no multiple of its element size", t->begin,
                             size);
    }
    return OK;
}

/* The object of one tensor, its three keys in any order. */
static Status parse_tensor(Parser *p, SafeTensor *t)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    uint64_t offsets[2] = {0, 0};
    int seen[3] = {0, 0, 0}, has_part;
    TRY(expect(p, '{'));
    for (int n = 0;; n++) {
        TRY(next_part(p, '}', n == 0, &has_part));
        if (!has_part) {
            break;
        }
        Text key;
        TRY(parse_key(p, &key));
        int k = 0;
        while (k < 3 && strcmp(key.text, keys[k]) != 0) {
            k++;
        }
        if (k == 3 || seen[k]) {
            return refuse(p, k == 3 ? "an unknown key of a tensor" : "a key of a tensor twice");
        }
        seen[k] = 1;
        int n_numbers;
        if (k == 0) {
            TRY(parse_type(p, &t->type));
        } else if (k == 1) {
            TRY(parse_numbers(p, t->shape, SAFE_MAX_DIMS, &t->n_dims));
        } else {
            TRY(parse_numbers(p, offsets, 2, &n_numbers));
            if (n_numbers != 2) {
                return refuse(p, "data_offsets has fewer than 2 numbers");
            }
        }
    }
    if (!seen[0] || !seen[1] || !seen[2]) {
        return refuse(p, "a tensor without dtype, shape or data_offsets");
    }
    t->begin = offsets[0];
    t->n_bytes = offsets[1] - offsets[0];
    return check_tensor(p, t, offsets[1]);
}

/* Makes room for one more element of a list of at most SAFE_MAX_TENSORS. */
static Status grow(Parser *p, void **list, int n, int *cap, size_t size)
{
    if (n < *cap) {
        return OK;
    }
    if (n == SAFE_MAX_TENSORS) {
        return refuse(p, "more than 65536 tensors or metadata");
    }
    const int wanted = *cap == 0 ? 64 : *cap * 2;
    void *larger = mem_resize(*list, (size_t)wanted, size);
    if (larger == NULL) {
        return mem_fail(p->err, p->path, (size_t)wanted, size);
    }
    *list = larger;
    *cap = wanted;
    return OK;
}

static Status parse_metadata(Parser *p)
{
    SafeHeader *h = p->out;
    int has_part;
    TRY(expect(p, '{'));
    for (int n = 0;; n++) {
        TRY(next_part(p, '}', n == 0, &has_part));
        if (!has_part) {
            return OK;
        }
        Text key, value;
        TRY(parse_key(p, &key));
        TRY(parse_string(p, &value));
        if (strcmp(key.text, "checksum") == 0) {
            if (value.raw_len != 8 || strspn(value.text, "0123456789abcdef") != 8) {
                return refuse(p, "the checksum is not eight lower-case hexadecimal digits");
            }
            h->checksum_at = value.raw_at;
        }
        void *list = h->pairs;
        TRY(grow(p, &list, h->n_pairs, &h->cap_pairs, sizeof *h->pairs));
        h->pairs = list;
        h->pairs[h->n_pairs++] = (SafePair){.key = key.text, .value = value.text};
    }
}

static Status parse_members(Parser *p)
{
    SafeHeader *h = p->out;
    int has_part, has_metadata = 0;
    if (p->len == 0 || p->bytes[0] != '{') {
        return refuse(p, "'{' expected");
    }
    p->at++;
    for (int n = 0;; n++) {
        TRY(next_part(p, '}', n == 0, &has_part));
        if (!has_part) {
            break;
        }
        Text name;
        TRY(parse_key(p, &name));
        if (strcmp(name.text, "__metadata__") == 0) {
            if (has_metadata) {
                return refuse(p, "__metadata__ twice");
            }
            has_metadata = 1;
            TRY(parse_metadata(p));
            continue;
        }
        void *list = h->tensors;
        TRY(grow(p, &list, h->n_tensors, &h->cap_tensors, sizeof *h->tensors));
        h->tensors = list;
        SafeTensor *t = &h->tensors[h->n_tensors];
        *t = (SafeTensor){.name = name.text};
        TRY(parse_tensor(p, t));
        h->n_tensors++;
    }
    return peek(p) < 0 ? OK : refuse(p, "more than one object");
}

static int compare_places(const void *a, const void *b)
{
    const SafeTensor *s = a, *t = b;
    if (s->begin != t->begin) {
        return s->begin < t->begin ? -1 : 1;
    }
    if (s->n_bytes != t->n_bytes) {
        return s->n_bytes < t->n_bytes ? -1 : 1;
    }
    return strcmp(s->name, t->name);
}

static int compare_names(const void *a, const void *b)
{
    const SafeTensor *const *s = a, *const *t = b;
    return strcmp((*s)->name, (*t)->name);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const SafePair *)a)->key, ((const SafePair *)b)->key);
}

/* Puts the tensors into the order of their data and holds each against the end of the one before.
 */
static Status check_places(const Parser *p)
{
    SafeHeader *h = p->out;
    if (h->n_tensors > 0) {
        qsort(h->tensors, (size_t)h->n_tensors, sizeof *h->tensors, compare_places);
    }
    uint64_t end = 0;
    for (int i = 0; i < h->n_tensors; i++) {
        const SafeTensor *t = &h->tensors[i];
        if (t->begin != end) {
            return refuse_tensor(p, t, "does not begin where the one before ends", t->begin, end);
        }
        end += t->n_bytes;
    }
    if (end != p->n_data) {
        return fail(p->err, ERR_FORMAT, "%s: %llu bytes of data, but its tensors have %llu",
                    p->path, (unsigned long long)p->n_data, (unsigned long long)end);
    }
    return OK;
}

/* Sorts names and keys; equal ones become neighbours. */
static Status check_names(const Parser *p)
{
    SafeHeader *h = p->out;
    h->by_name = mem_alloc((size_t)h->n_tensors, sizeof(const SafeTensor *));
    if (h->by_name == NULL) {
        return mem_fail(p->err, p->path, (size_t)h->n_tensors, sizeof(const SafeTensor *));
    }
    for (int i = 0; i < h->n_tensors; i++) {
        h->by_name[i] = &h->tensors[i];
    }
    if (h->n_tensors > 0) {
        qsort(h->by_name, (size_t)h->n_tensors, sizeof(const SafeTensor *), compare_names);
    }
    for (int i = 1; i < h->n_tensors; i++) {
        if (strcmp(h->by_name[i - 1]->name, h->by_name[i]->name) == 0) {
            return fail(p->err, ERR_FORMAT, "%s: tensor \"%.80s\": occurs twice", p->path,
                        h->by_name[i]->name);
        }
    }
    if (h->n_pairs > 0) {
        qsort(h->pairs, (size_t)h->n_pairs, sizeof *h->pairs, compare_keys);
    }
    for (int i = 1; i < h->n_pairs; i++) {
        if (strcmp(h->pairs[i - 1].key, h->pairs[i].key) == 0) {
            return fail(p->err, ERR_FORMAT, "%s: metadata \"%.80s\": occurs twice", p->path,
                        h->pairs[i].key);
        }
    }
    return OK;
}

Status safe_header_parse(SafeHeader *out, const char *path, const char *bytes, size_t len,
                         uint64_t n_data, Error *err)
{
    SafeHeader header = {.text = mem_alloc(len, 1)};
    if (header.text == NULL) {
        return mem_fail(err, path, len, 1);
    }
    Parser p = {.out = &header,
                .path = path,
                .bytes = (const unsigned char *)bytes,
                .len = len,
                .n_data = n_data,
                .err = err};
    Status status = parse_members(&p);
    if (status == OK) {
        status = check_places(&p);
    }
    if (status == OK) {
        status = check_names(&p);
    }
    if (status != OK) {
        safe_header_free(&header);
        return status;
    }
    *out = header;
    return OK;
}

void safe_header_free(SafeHeader *header)
{
    mem_free(header->tensors);
    mem_free(header->by_name);
    mem_free(header->pairs);
    mem_free(header->text);
    *header = (SafeHeader){.text = NULL};
}

const char *safe_header_value(const SafeHeader *header, const char *key)
{
    const SafePair wanted = {.key = key, .value = NULL};
    const SafePair *pair = header->n_pairs == 0
                               ? NULL
                               : bsearch(&wanted, header->pairs, (size_t)header->n_pairs,
                                         sizeof *header->pairs, compare_keys);
    return pair == NULL ? NULL : pair->value;
}

/* Unicode; see the header. */
#include "text/unicode.h"

#include <string.h>

#include <utf8proc.h>

#include "base/mem.h"

enum {
    LATIN_END = 0x300,   /* below: no marks, every code point is its own NFC */
    DECOMPOSED_MAX = 32, /* more than the longest decomposition of one code point (18) */
    SHORT_RUN = 32       /* runs of marks up to here are sorted by insertion */
};

size_t unicode_decode(const char *bytes, size_t len, uint32_t *point, long *n_malformed)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (b[0] < 0x80) {
        *point = b[0];
        return 1;
    }
    /* The first byte gives the length and the range of the second; the others are 80..BF. */
    size_t n = 0;
    uint32_t value = 0;
    unsigned low = 0x80, high = 0xBF;
    if (b[0] >= 0xC2 && b[0] <= 0xDF) {
        n = 2;
        value = b[0] & 0x1F;
    } else if (b[0] >= 0xE0 && b[0] <= 0xEF) {
        n = 3;
        value = b[0] & 0x0F;
        low = b[0] == 0xE0 ? 0xA0 : low;
        high = b[0] == 0xED ? 0x9F : high;
    } else if (b[0] >= 0xF0 && b[0] <= 0xF4) {
        n = 4;
        value = b[0] & 0x07;
        low = b[0] == 0xF0 ? 0x90 : low;
        high = b[0] == 0xF4 ? 0x8F : high;
    }
    size_t i = 1;
    while (i < n && i < len && b[i] >= low && b[i] <= high) {
        value = value << 6 | (b[i] & 0x3F);
        low = 0x80;
        high = 0xBF;
        i++;
    }
    if (n == 0 || i < n) {
        *point = UNICODE_REPLACEMENT;
        if (n_malformed != NULL) {
            ++*n_malformed;
        }
        return i;
    }
    *point = value;
    return n;
}

size_t unicode_encode(uint32_t point, char bytes[UNICODE_MAX_BYTES])
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        bytes[0] = (char)(0xC0 | point >> 6);
        bytes[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        bytes[0] = (char)(0xE0 | point >> 12);
        bytes[1] = (char)(0x80 | (point >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    bytes[0] = (char)(0xF0 | point >> 18);
    bytes[1] = (char)(0x80 | (point >> 12 & 0x3F));
    bytes[2] = (char)(0x80 | (point >> 6 & 0x3F));
    bytes[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

long unicode_count_malformed(const char *bytes, size_t len)
{
    long n = 0;
    for (size_t i = 0; i < len;) {
        uint32_t point;
        i += unicode_decode(bytes + i, len - i, &point, &n);
    }
    return n;
}

Status unicode_repair(Buffer *out, const char *bytes, size_t len, Error *err)
{
    size_t done = 0;
    for (size_t i = 0; i < len;) {
        long is_malformed = 0;
        uint32_t point;
        const size_t n = unicode_decode(bytes + i, len - i, &point, &is_malformed);
        if (is_malformed) {
            TRY(buffer_add(out, bytes + done, i - done, err));
            TRY(buffer_add(out, "\xEF\xBF\xBD", 3, err));
            done = i + n;
        }
        i += n;
    }
    return buffer_add(out, bytes + done, len - done, err);
}

UnicodeClass unicode_class(uint32_t point)
{
    if (point < 0x80) {
        const uint32_t lower = point | 0x20;
        if (lower >= 'a' && lower <= 'z') {
            return CLASS_LETTER;
        }
        if (point >= '0' && point <= '9') {
            return CLASS_DIGIT;
        }
        if (point == ' ' || (point >= '\t' && point <= '\r')) {
            return CLASS_SPACE;
        }
        return point < 0x20 || point == 0x7F ? CLASS_CONTROL : CLASS_PUNCTUATION;
    }
    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return CLASS_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return CLASS_MARK;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return CLASS_DIGIT;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return CLASS_SPACE;
    case UTF8PROC_CATEGORY_CC:
        return point == 0x85 ? CLASS_SPACE : CLASS_CONTROL;
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
        return CLASS_OTHER;
    default:
        return CLASS_PUNCTUATION;
    }
}

int unicode_width(uint32_t point)
{
    if (point >= 0x20 && point < 0x7F) {
        return 1;
    }
    const int width = utf8proc_charwidth((utf8proc_int32_t)point);
    return width < 0 ? 0 : width;
}

int unicode_text_width(const char *bytes, size_t len)
{
    int width = 0;
    for (size_t i = 0; i < len;) {
        /* A cluster is as wide as its widest code point: an emoji joined from several is one. */
        const size_t end = i + unicode_grapheme(bytes + i, len - i);
        int widest = 0;
        while (i < end) {
            uint32_t point;
            i += unicode_decode(bytes + i, end - i, &point, NULL);
            const int w = unicode_width(point);
            widest = w > widest ? w : widest;
        }
        width += widest;
    }
    return width;
}

int unicode_is_break(uint32_t before, uint32_t after, int32_t *state)
{
    if (before < LATIN_END && after < LATIN_END) {
        *state = 0;
        return !(before == '\r' && after == '\n');
    }
    return utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)after,
                                            state);
}

size_t unicode_grapheme(const char *bytes, size_t len)
{
    uint32_t before, after;
    int32_t state = 0;
    size_t end = unicode_decode(bytes, len, &before, NULL);
    while (end < len) {
        const size_t n = unicode_decode(bytes + end, len - end, &after, NULL);
        if (unicode_is_break(before, after, &state)) {
            break;
        }
        before = after;
        end += n;
    }
    return end;
}

/* True when normalisation never changes point together with what stands before it: a starter that
 * is no mark and no vowel or final of the Hangul alphabet. Compatibility forms of those count as
 * well, whatever the normalisation, which only makes segments longer. */
static int begins_segment(uint32_t point)
{
    if (point < LATIN_END || (point >= 0x4E00 && point <= 0x9FFF) ||
        (point >= 0xAC00 && point <= 0xD7A3)) {
        return 1;
    }
    if ((point >= 0x1160 && point <= 0x11FF) || (point >= 0xD7B0 && point <= 0xD7FF) ||
        (point >= 0x3131 && point <= 0x318E) || (point >= 0xFF9E && point <= 0xFFDC)) {
        return 0;
    }
    const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)point);
    return property->combining_class == 0 && unicode_class(point) != CLASS_MARK;
}

static unsigned combining_class(int32_t point)
{
    return (unsigned)utf8proc_get_property(point)->combining_class & 0xFF;
}

/* Stable sort of a run of marks by class; copy has room for as many. */
static void sort_marks(int32_t *marks, int32_t *copy, size_t n)
{
    if (n <= SHORT_RUN) {
        for (size_t i = 1; i < n; i++) {
            const int32_t mark = marks[i];
            size_t j = i;
            while (j > 0 && combining_class(marks[j - 1]) > combining_class(mark)) {
                marks[j] = marks[j - 1];
                j--;
            }
            marks[j] = mark;
        }
        return;
    }
    size_t places[257] = {0};
    for (size_t i = 0; i < n; i++) {
        places[combining_class(marks[i]) + 1]++;
    }
    for (int c = 0; c < 256; c++) {
        places[c + 1] += places[c];
    }
    memcpy(copy, marks, n * sizeof *copy);
    for (size_t i = 0; i < n; i++) {
        marks[places[combining_class(copy[i])]++] = copy[i];
    }
}

/* Canonical order: each run of code points with a class above 0 is sorted. */
static void sort_runs(int32_t *points, int32_t *copy, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && combining_class(points[end]) != 0) {
            end++;
        }
        if (end > i + 1) {
            sort_marks(points + i, copy, end - i);
        }
        i = end + 1;
    }
}

static Status scratch_reserve(UnicodeText *text, size_t cap, Error *err)
{
    if (cap > text->scratch_cap) {
        cap += cap / 2;
        int32_t *grown = mem_resize(text->scratch, cap, sizeof *grown);
        if (grown == NULL) {
            return mem_fail(err, "normalising a line", cap, sizeof *grown);
        }
        text->scratch = grown;
        text->scratch_cap = cap;
    }
    return OK;
}

static Status text_reserve(UnicodeText *text, size_t cap, Error *err)
{
    if (cap > text->cap) {
        cap += cap / 2 + 64;
        uint32_t **arrays[] = {&text->points, &text->starts, &text->ends};
        for (int k = 0; k < 3; k++) {
            uint32_t *grown = mem_resize(*arrays[k], cap, sizeof *grown);
            if (grown == NULL) {
                return mem_fail(err, "the code points of a line", cap, sizeof *grown);
            }
            *arrays[k] = grown;
        }
        text->cap = cap;
    }
    return OK;
}

/* Decomposes, orders and composes points first .. len-1 of text into the scratch; *n of them. */
static Status normalize_tail(UnicodeText *text, size_t *n, size_t first, int options, Error *err)
{
    size_t used = 0;
    for (size_t i = first; i < text->len; i++) {
        /* Twice the room: the second half is for sorting. */
        TRY(scratch_reserve(text, 2 * (used + DECOMPOSED_MAX), err));
        const utf8proc_ssize_t m =
            utf8proc_decompose_char((utf8proc_int32_t)text->points[i], text->scratch + used,
                                    DECOMPOSED_MAX, (utf8proc_option_t)options, NULL);
        if (m < 0 || m > DECOMPOSED_MAX) {
            return fail(err, ERR_FORMAT, "U+%04X cannot be normalised", text->points[i]);
        }
        used += (size_t)m;
    }
    sort_runs(text->scratch, text->scratch + used, used);
    *n = (size_t)utf8proc_normalize_utf32(text->scratch, (utf8proc_ssize_t)used,
                                          (utf8proc_option_t)options);
    return OK;
}

/* Puts the n points of the scratch in the place of the tail from first on. */
static Status replace_tail(UnicodeText *text, size_t first, size_t n, Error *err)
{
    const size_t n_before = text->len - first;
    int is_same = n == n_before;
    for (size_t i = 0; is_same && i < n; i++) {
        is_same = text->points[first + i] == (uint32_t)text->scratch[i];
    }
    if (is_same) {
        return OK;
    }
    TRY(text_reserve(text, first + n, err));
    const uint32_t start = text->starts[first], end = text->ends[text->len - 1];
    for (size_t i = 0; i < n; i++) {
        text->points[first + i] = (uint32_t)text->scratch[i];
        text->starts[first + i] = start;
        text->ends[first + i] = end;
    }
    text->len = first + n;
    return OK;
}

/* Normalises the segment that begins at point first and ends with the text. */
static Status close_segment(UnicodeText *text, size_t first, Normalization normalization,
                            int is_lowercase, Error *err)
{
    if (first == text->len || normalization == NORMALIZE_NONE) {
        return OK;
    }
    if (text->len - first == 1) {
        uint32_t *point = &text->points[first];
        if (*point < 0x80) {
            *point += is_lowercase && *point >= 'A' && *point <= 'Z' ? 'a' - 'A' : 0;
            return OK;
        }
        if (normalization == NORMALIZE_NFC && *point < LATIN_END) {
            if (is_lowercase) {
                *point = (uint32_t)utf8proc_tolower((utf8proc_int32_t)*point);
            }
            return OK;
        }
    }
    const int options = UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                        (normalization == NORMALIZE_NFKC ? UTF8PROC_COMPAT : 0);
    size_t n;
    TRY(normalize_tail(text, &n, first, options, err));
    TRY(replace_tail(text, first, n, err));
    if (is_lowercase) {
        for (size_t i = first; i < text->len; i++) {
            text->points[i] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)text->points[i]);
        }
        TRY(normalize_tail(text, &n, first, options, err));
        TRY(replace_tail(text, first, n, err));
    }
    return OK;
}

Status unicode_text_set(UnicodeText *text, const char *bytes, size_t len,
                        Normalization normalization, int is_lowercase, Error *err)
{
    if (len >= UINT32_MAX) {
        return fail(err, ERR_ARG, "a line of %zu bytes: at most %lu can be handled", len,
                    (unsigned long)UINT32_MAX - 1);
    }
    text->len = 0;
    text->n_malformed = 0;
    size_t first = 0; /* of the open segment */
    for (size_t i = 0; i < len;) {
        uint32_t point;
        const size_t n = unicode_decode(bytes + i, len - i, &point, &text->n_malformed);
        if (begins_segment(point)) {
            TRY(close_segment(text, first, normalization, is_lowercase, err));
            first = text->len;
        }
        TRY(text_reserve(text, text->len + 1, err));
        text->points[text->len] = point;
        text->starts[text->len] = (uint32_t)i;
        i += n;
        text->ends[text->len++] = (uint32_t)i;
    }
    return close_segment(text, first, normalization, is_lowercase, err);
}

void unicode_text_free(UnicodeText *text)
{
    if (text != NULL) {
        mem_free(text->points);
        mem_free(text->starts);
        mem_free(text->ends);
        mem_free(text->scratch);
        *text = (UnicodeText){0};
    }
}

Status unicode_normalize(Buffer *out, const char *bytes, size_t len, Normalization normalization,
                         int is_lowercase, Error *err)
{
    UnicodeText text = {0};
    Status status = unicode_text_set(&text, bytes, len, normalization, is_lowercase, err);
    for (size_t i = 0; status == OK && i < text.len; i++) {
        char encoded[UNICODE_MAX_BYTES];
        status = buffer_add(out, encoded, unicode_encode(text.points[i], encoded), err);
    }
    unicode_text_free(&text);
    return status;
}

/* Signs inside words that casing looks through, besides marks, format characters and modifiers:
 * Word_Break of MidLetter, MidNumLet and Single_Quote. */
static int is_mid_word(uint32_t point)
{
    static const uint32_t SIGNS[] = {0x27,   0x2E,   0x3A,   0xB7,   0x387,  0x55F,
                                     0x5F4,  0x2018, 0x2019, 0x2024, 0x2027, 0xFE13,
                                     0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        if (point == SIGNS[i]) {
            return 1;
        }
    }
    return 0;
}

/* The property Case_Ignorable. */
static int is_case_ignorable(uint32_t point)
{
    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return 1;
    default:
        return is_mid_word(point);
    }
}

/* The property Cased, but for those that are Case_Ignorable too. */
static int is_cased(uint32_t point)
{
    switch (utf8proc_category((utf8proc_int32_t)point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
        return 1;
    default: /* ordinal indicators, Roman numerals, letters in circles and squares */
        return point == 0xAA || point == 0xBA || (point >= 0x2160 && point <= 0x217F) ||
               (point >= 0x24B6 && point <= 0x24E9) || (point >= 0x1F130 && point <= 0x1F149) ||
               (point >= 0x1F150 && point <= 0x1F169) || (point >= 0x1F170 && point <= 0x1F189);
    }
}

/* Whether the capital sigma at index i ends a word: a cased letter before it and none behind it. */
static int is_final_sigma(const uint32_t *points, size_t n, size_t i)
{
    size_t before = i, after = i + 1;
    while (before > 0 && is_case_ignorable(points[before - 1])) {
        before--;
    }
    while (after < n && is_case_ignorable(points[after])) {
        after++;
    }
    return before > 0 && is_cased(points[before - 1]) && !(after < n && is_cased(points[after]));
}

size_t unicode_lower(uint32_t *out, const uint32_t *points, size_t n)
{
    enum { CAPITAL_I_DOT = 0x130, DOT_ABOVE = 0x307, CAPITAL_SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2 };
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (points[i] == CAPITAL_I_DOT) {
            out[len++] = 'i';
            out[len++] = DOT_ABOVE;
        } else if (points[i] == CAPITAL_SIGMA && is_final_sigma(points, n, i)) {
            out[len++] = FINAL_SIGMA;
        } else {
            out[len++] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)points[i]);
        }
    }
    return len;
}

/* Labels; see the header. */
#include "view/label.h"

#include <stdint.h>

#include "text/script.h"
#include "text/unicode.h"

enum { ELLIPSIS = 0x2026, OPEN_BOX = 0x2423 };

static Status add_point(Buffer *out, uint32_t point, Error *err)
{
    char utf8[UNICODE_MAX_BYTES];
    return buffer_add(out, utf8, unicode_encode(point, utf8), err);
}

int label_is_rtl(DumpText token)
{
    for (size_t i = 0; i < token.len;) {
        uint32_t point;
        i += unicode_decode(token.bytes + i, token.len - i, &point, NULL);
        if (unicode_class(point) != CLASS_LETTER) {
            continue;
        }
        switch (script_of(point)) {
        case SCRIPT_HEBREW:
        case SCRIPT_ARABIC:
        case SCRIPT_SYRIAC:
        case SCRIPT_THAANA:
        case SCRIPT_NKO:
            return 1;
        default:
            return 0;
        }
    }
    return 0;
}

/* Marks, embeddings, overrides and isolates of direction. */
static int is_direction_mark(uint32_t point)
{
    return point == 0x061C || point == 0x200E || point == 0x200F ||
           (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

/* What is shown for a code point; 0 is nothing. */
static uint32_t visible(uint32_t point)
{
    if (is_direction_mark(point)) {
        return 0;
    }
    switch (unicode_class(point)) {
    case CLASS_SPACE:
        return OPEN_BOX;
    case CLASS_CONTROL:
        return UNICODE_REPLACEMENT;
    default:
        return point;
    }
}

/* Appends as much of the token as fits into `room` columns; *is_whole tells whether all did. */
static Status add_fitting(Buffer *out, int *columns, int *is_whole, DumpText token, int room,
                          Error *err)
{
    *columns = 0;
    *is_whole = 1;
    for (size_t i = 0; i < token.len;) {
        uint32_t point;
        i += unicode_decode(token.bytes + i, token.len - i, &point, NULL);
        point = visible(point);
        const int width = point == 0 ? 0 : unicode_width(point);
        if (*columns + width > room) {
            *is_whole = 0;
            return OK;
        }
        *columns += width;
        if (point != 0) {
            TRY(add_point(out, point, err));
        }
    }
    return OK;
}

Status label_add(Buffer *out, int *columns, DumpText token, int max_columns, Error *err)
{
    const size_t begin = out->len;
    int is_whole;
    TRY(add_fitting(out, columns, &is_whole, token, max_columns, err));
    if (!is_whole) {
        out->len = begin;
        TRY(add_fitting(out, columns, &is_whole, token, max_columns - 1, err));
        TRY(add_point(out, ELLIPSIS, err));
        *columns += 1;
    } else if (*columns == 0) {
        TRY(add_point(out, OPEN_BOX, err));
        *columns = 1;
    }
    return OK;
}

Status label_add_xml(Buffer *out, const char *bytes, size_t len, Error *err)
{
    for (size_t i = 0; i < len;) {
        uint32_t point;
        i += unicode_decode(bytes + i, len - i, &point, NULL);
        switch (point) {
        case '<':
            TRY(buffer_add_text(out, "&lt;", err));
            break;
        case '>':
            TRY(buffer_add_text(out, "&gt;", err));
            break;
        case '&':
            TRY(buffer_add_text(out, "&amp;", err));
            break;
        case '"':
            TRY(buffer_add_text(out, "&quot;", err));
            break;
        case '\'':
            TRY(buffer_add_text(out, "&#39;", err));
            break;
        default:
            if ((point < 0x20 && point != '\t') || (point >= 0x7F && point < 0xA0) ||
                point == 0xFFFE || point == 0xFFFF || is_direction_mark(point)) {
                point = UNICODE_REPLACEMENT;
            }
            TRY(add_point(out, point, err));
        }
    }
    return OK;
}

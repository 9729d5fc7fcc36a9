/* Dividing long lines; see the header. */
#include "decode/split.h"

#include <stdint.h>

#include "text/unicode.h"

/* How good a place is. */
typedef enum Place { PLACE_ANY, PLACE_BLANK, PLACE_PUNCTUATION, PLACE_SENTENCE } Place;

/* The code point that ends at byte `end`, 0 at the start of the line. */
static uint32_t point_before(const char *line, size_t end)
{
    size_t begin = end;
    uint32_t point = 0;
    while (begin > 0 && end - begin < UNICODE_MAX_BYTES) {
        begin--;
        if (((unsigned char)line[begin] & 0xC0) != 0x80) {
            (void)unicode_decode(line + begin, end - begin, &point, NULL);
            break;
        }
    }
    return point;
}

static int is_one_of(uint32_t point, const uint32_t *set, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (set[i] == point) {
            return 1;
        }
    }
    return 0;
}

/* Closing quotes and brackets belong to the sentence before them. */
static int is_closing(uint32_t point)
{
    static const uint32_t CLOSING[] = {'"',    '\'',   ')',    ']',    0x00BB, 0x2019,
                                       0x201D, 0x300D, 0x300F, 0x3011, 0xFF09};
    return is_one_of(point, CLOSING, sizeof CLOSING / sizeof *CLOSING);
}

static Place judge_mark(uint32_t point, int has_blank)
{
    /* full stops of scripts that put no blank behind them; those that do */
    static const uint32_t WIDE[] = {0x3002, 0xFF01, 0xFF1F, 0xFF0E, 0x2026};
    static const uint32_t NARROW[] = {'.', '!', '?', 0x061F, 0x06D4, 0x0964};
    if (is_one_of(point, WIDE, sizeof WIDE / sizeof *WIDE) ||
        (has_blank && is_one_of(point, NARROW, sizeof NARROW / sizeof *NARROW))) {
        return PLACE_SENTENCE;
    }
    if (unicode_class(point) == CLASS_PUNCTUATION && (has_blank || point >= 0x80)) {
        return PLACE_PUNCTUATION;
    }
    return has_blank ? PLACE_BLANK : PLACE_ANY;
}

/* Judges the place between two pieces that end and begin at these bytes. */
static Place judge(const char *line, size_t end, size_t begin)
{
    uint32_t point = point_before(line, end);
    const int has_blank = begin > end || unicode_class(point) == CLASS_SPACE;
    while (end > 0 && (is_closing(point) || unicode_class(point) == CLASS_SPACE)) {
        char bytes[UNICODE_MAX_BYTES];
        const size_t width = unicode_encode(point, bytes);
        if (width > end) {
            break;
        }
        end -= width;
        point = point_before(line, end);
    }
    return judge_mark(point, has_blank);
}

int split_find(const char *line, const int (*spans)[2], int first, int max)
{
    int best = max;
    Place best_place = PLACE_ANY;
    for (int i = max; i >= 1; i--) {
        const int *before = spans[first + i - 1], *after = spans[first + i];
        if (after[0] < before[1]) {
            continue; /* the bytes of one code point stay together */
        }
        const Place place = judge(line, (size_t)before[1], (size_t)after[0]);
        if (place > best_place) {
            best = i;
            best_place = place;
        }
        if (best_place == PLACE_SENTENCE) {
            break;
        }
    }
    return best;
}

/* Scripts; see the header. */
#include "text/script.h"

#include <stddef.h>

typedef struct Block {
    uint32_t first, last;
    Script script;
} Block;

/* In the order of their code points. */
static const Block blocks[] = {
    {0x0041, 0x02FF, SCRIPT_LATIN},      {0x0370, 0x03FF, SCRIPT_GREEK},
    {0x0400, 0x052F, SCRIPT_CYRILLIC},   {0x0530, 0x058F, SCRIPT_ARMENIAN},
    {0x0590, 0x05FF, SCRIPT_HEBREW},     {0x0600, 0x06FF, SCRIPT_ARABIC},
    {0x0700, 0x074F, SCRIPT_SYRIAC},     {0x0750, 0x077F, SCRIPT_ARABIC},
    {0x0780, 0x07BF, SCRIPT_THAANA},     {0x07C0, 0x07FF, SCRIPT_NKO},
    {0x0860, 0x086F, SCRIPT_SYRIAC},     {0x0870, 0x08FF, SCRIPT_ARABIC},
    {0x0900, 0x097F, SCRIPT_DEVANAGARI}, {0x0980, 0x09FF, SCRIPT_BENGALI},
    {0x0A00, 0x0A7F, SCRIPT_GURMUKHI},   {0x0A80, 0x0AFF, SCRIPT_GUJARATI},
    {0x0B00, 0x0B7F, SCRIPT_ORIYA},      {0x0B80, 0x0BFF, SCRIPT_TAMIL},
    {0x0C00, 0x0C7F, SCRIPT_TELUGU},     {0x0C80, 0x0CFF, SCRIPT_KANNADA},
    {0x0D00, 0x0D7F, SCRIPT_MALAYALAM},  {0x0D80, 0x0DFF, SCRIPT_SINHALA},
    {0x0E00, 0x0E7F, SCRIPT_THAI},       {0x0E80, 0x0EFF, SCRIPT_LAO},
    {0x0F00, 0x0FFF, SCRIPT_TIBETAN},    {0x1000, 0x109F, SCRIPT_MYANMAR},
    {0x10A0, 0x10FF, SCRIPT_GEORGIAN},   {0x1100, 0x11FF, SCRIPT_HANGUL},
    {0x1200, 0x139F, SCRIPT_ETHIOPIC},   {0x13A0, 0x13FF, SCRIPT_CHEROKEE},
    {0x1780, 0x17FF, SCRIPT_KHMER},      {0x1800, 0x18AF, SCRIPT_MONGOLIAN},
    {0x19E0, 0x19FF, SCRIPT_KHMER},      {0x1C80, 0x1C8F, SCRIPT_CYRILLIC},
    {0x1C90, 0x1CBF, SCRIPT_GEORGIAN},   {0x1D00, 0x1DBF, SCRIPT_LATIN},
    {0x1E00, 0x1EFF, SCRIPT_LATIN},      {0x1F00, 0x1FFF, SCRIPT_GREEK},
    {0x2071, 0x209C, SCRIPT_LATIN},      {0x2C60, 0x2C7F, SCRIPT_LATIN},
    {0x2D00, 0x2D2F, SCRIPT_GEORGIAN},   {0x2D30, 0x2D7F, SCRIPT_TIFINAGH},
    {0x2D80, 0x2DDF, SCRIPT_ETHIOPIC},   {0x2DE0, 0x2DFF, SCRIPT_CYRILLIC},
    {0x2E80, 0x2FDF, SCRIPT_HAN},        {0x3005, 0x3007, SCRIPT_HAN},
    {0x3021, 0x3029, SCRIPT_HAN},        {0x3038, 0x303B, SCRIPT_HAN},
    {0x3041, 0x309F, SCRIPT_HIRAGANA},   {0x30A0, 0x30FF, SCRIPT_KATAKANA},
    {0x3100, 0x312F, SCRIPT_BOPOMOFO},   {0x3130, 0x318F, SCRIPT_HANGUL},
    {0x31A0, 0x31BF, SCRIPT_BOPOMOFO},   {0x31F0, 0x31FF, SCRIPT_KATAKANA},
    {0x3400, 0x4DBF, SCRIPT_HAN},        {0x4E00, 0x9FFF, SCRIPT_HAN},
    {0xA640, 0xA69F, SCRIPT_CYRILLIC},   {0xA720, 0xA7FF, SCRIPT_LATIN},
    {0xA8E0, 0xA8FF, SCRIPT_DEVANAGARI}, {0xA960, 0xA97F, SCRIPT_HANGUL},
    {0xA9E0, 0xA9FF, SCRIPT_MYANMAR},    {0xAA60, 0xAA7F, SCRIPT_MYANMAR},
    {0xAB00, 0xAB2F, SCRIPT_ETHIOPIC},   {0xAB30, 0xAB6F, SCRIPT_LATIN},
    {0xAB70, 0xABBF, SCRIPT_CHEROKEE},   {0xAC00, 0xD7FF, SCRIPT_HANGUL},
    {0xF900, 0xFAFF, SCRIPT_HAN},        {0xFB00, 0xFB06, SCRIPT_LATIN},
    {0xFB13, 0xFB17, SCRIPT_ARMENIAN},   {0xFB1D, 0xFB4F, SCRIPT_HEBREW},
    {0xFB50, 0xFDFF, SCRIPT_ARABIC},     {0xFE70, 0xFEFE, SCRIPT_ARABIC},
    {0xFF21, 0xFF5A, SCRIPT_LATIN},      {0xFF66, 0xFF9F, SCRIPT_KATAKANA},
    {0xFFA0, 0xFFDC, SCRIPT_HANGUL},     {0x1AFF0, 0x1B16F, SCRIPT_KATAKANA},
    {0x20000, 0x323AF, SCRIPT_HAN},
};

Script script_of(uint32_t point)
{
    size_t low = 0, high = sizeof blocks / sizeof *blocks;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (point > blocks[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == sizeof blocks / sizeof *blocks || point < blocks[low].first) {
        return SCRIPT_OTHER;
    }
    return blocks[low].script;
}

int script_is_unspaced(Script script)
{
    switch (script) {
    case SCRIPT_THAI:
    case SCRIPT_LAO:
    case SCRIPT_MYANMAR:
    case SCRIPT_KHMER:
    case SCRIPT_HIRAGANA:
    case SCRIPT_KATAKANA:
    case SCRIPT_BOPOMOFO:
    case SCRIPT_HAN:
        return 1;
    default:
        return 0;
    }
}

int script_is_word_each(Script script)
{
    return script == SCRIPT_HAN || script == SCRIPT_HIRAGANA || script == SCRIPT_KATAKANA ||
           script == SCRIPT_THAI;
}

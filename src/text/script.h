/* The script a code point belongs to, by blocks: as fine as the tokenizers need.
 *
 * Threads: reads constants only. */
#ifndef HEED_TEXT_SCRIPT_H
#define HEED_TEXT_SCRIPT_H

#include <stdint.h>

typedef enum Script {
    SCRIPT_OTHER,
    SCRIPT_LATIN,
    SCRIPT_GREEK,
    SCRIPT_CYRILLIC,
    SCRIPT_ARMENIAN,
    SCRIPT_HEBREW,
    SCRIPT_ARABIC,
    SCRIPT_SYRIAC,
    SCRIPT_THAANA,
    SCRIPT_NKO,
    SCRIPT_DEVANAGARI,
    SCRIPT_BENGALI,
    SCRIPT_GURMUKHI,
    SCRIPT_GUJARATI,
    SCRIPT_ORIYA,
    SCRIPT_TAMIL,
    SCRIPT_TELUGU,
    SCRIPT_KANNADA,
    SCRIPT_MALAYALAM,
    SCRIPT_SINHALA,
    SCRIPT_THAI,
    SCRIPT_LAO,
    SCRIPT_TIBETAN,
    SCRIPT_MYANMAR,
    SCRIPT_GEORGIAN,
    SCRIPT_HANGUL,
    SCRIPT_ETHIOPIC,
    SCRIPT_CHEROKEE,
    SCRIPT_KHMER,
    SCRIPT_MONGOLIAN,
    SCRIPT_TIFINAGH,
    SCRIPT_HIRAGANA,
    SCRIPT_KATAKANA,
    SCRIPT_BOPOMOFO,
    SCRIPT_HAN
} Script;

Script script_of(uint32_t point);

/* Scripts written without blanks between words. */
int script_is_unspaced(Script script);

/* Scripts each grapheme of which counts as a word of its own: Han, the two Kana and Thai. */
int script_is_word_each(Script script);

#endif

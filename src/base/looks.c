/* Guesses by first bytes; see the header. */
#include "base/looks.h"

#include <string.h>

typedef struct Look {
    const char *magic;
    size_t len;
    const char *phrase;
} Look;

static const Look LOOKS[] = {
    {"\x1f\x8b", 2, "gzip data"},
    {"PK\x03\x04", 4, "a zip archive (perhaps a checkpoint of PyTorch)"},
    {"\x80\x02", 2, "a pickle of Python"},
    {"\x80\x04", 2, "a pickle of Python"},
    {"\x89HDF", 4, "HDF5 data"},
    {"\x93NUMPY", 6, "a NumPy array"},
    {"\x7f"
     "ELF",
     4, "a program"},
    {"%PDF", 4, "a PDF"},
    {"<!", 2, "HTML"},
    {"<html", 5, "HTML"},
    {"{\"id\":", 6, "an attention dump (see heed view)"},
    {"{", 1, "JSON"},
    {"heedtok1", 8, "a tokenizer (see heed tokenize)"},
    {"version ", 8, "a pointer of git-lfs, not the file itself"},
    {"\xff\xfe", 2, "UTF-16 text"},
    {"\xfe\xff", 2, "UTF-16 text"},
};

const char *looks_like(const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof LOOKS / sizeof *LOOKS; i++) {
        if (len >= LOOKS[i].len && memcmp(bytes, LOOKS[i].magic, LOOKS[i].len) == 0) {
            return LOOKS[i].phrase;
        }
    }
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\r' && bytes[i] != '\n') {
            return "other binary data";
        }
    }
    return len == 0 ? "an empty file" : "text";
}

/* Guesses by first bytes; see the header. */
#include "base/looks.h"

#include <string.h>

typedef struct Look {
    const char *magic;
    size_t len;
    int is_binary; /* no text begins so */
    const char *phrase;
} Look;

static const Look LOOKS[] = {
    {"\x1f\x8b", 2, 1, "gzip data"},
    {"BZh", 3, 0, "bzip2 data"},
    {"\xfd"
     "7zXZ",
     5, 1, "xz data"},
    {"\x28\xb5\x2f\xfd", 4, 1, "zstd data"},
    {"7z\xbc\xaf", 4, 1, "a 7z archive"},
    {"PK\x03\x04", 4, 1, "a zip archive (perhaps a checkpoint of PyTorch)"},
    {"\x89PNG", 4, 1, "a PNG picture"},
    {"\xff\xd8\xff", 3, 1, "a JPEG picture"},
    {"GIF8", 4, 0, "a GIF picture"},
    {"RIFF", 4, 0, "a recording or a film"},
    {"SQLite f", 8, 0, "an SQLite database"},
    {"\x80\x02", 2, 1, "a pickle of Python"},
    {"\x80\x03", 2, 1, "a pickle of Python"},
    {"\x80\x04", 2, 1, "a pickle of Python"},
    {"\x80\x05", 2, 1, "a pickle of Python"},
    {"\x89HDF", 4, 1, "HDF5 data"},
    {"\x93NUMPY", 6, 1, "a NumPy array"},
    {"\x7f"
     "ELF",
     4, 1, "a program"},
    {"%PDF", 4, 0, "a PDF"},
    {"<!", 2, 0, "HTML"},
    {"<html", 5, 0, "HTML"},
    {"<?xml", 5, 0, "XML"},
    {"{\"id\":", 6, 0, "an attention dump (see heed view)"},
    {"{", 1, 0, "JSON"},
    {"heedtok1", 8, 1, "a tokenizer (see heed tokenize)"},
    {"version https://git-lfs", 8, 0, "a pointer of git-lfs, not the file itself"},
    {"\xff\xfe", 2, 0, "UTF-16 text"},
    {"\xfe\xff", 2, 0, "UTF-16 text"},
};

/* A length of less than 16 MB in 8 bytes, then JSON. */
static int is_safetensors(const unsigned char *bytes, size_t len)
{
    static const unsigned char zeros[5] = {0};
    return len > 8 && memcmp(bytes + 3, zeros, sizeof zeros) == 0 && bytes[8] == '{';
}

static const char *find(const unsigned char *bytes, size_t len, int is_binary)
{
    if (is_safetensors(bytes, len)) {
        return "a safetensors file, such as a model (see heed info)";
    }
    for (size_t i = 0; i < sizeof LOOKS / sizeof *LOOKS; i++) {
        if (len >= LOOKS[i].len && memcmp(bytes, LOOKS[i].magic, LOOKS[i].len) == 0) {
            return LOOKS[i].is_binary || !is_binary ? LOOKS[i].phrase : NULL;
        }
    }
    return NULL;
}

const char *looks_known(const unsigned char *bytes, size_t len)
{
    return find(bytes, len, 0);
}

const char *looks_binary(const unsigned char *bytes, size_t len)
{
    return find(bytes, len, 1);
}

const char *looks_like(const unsigned char *bytes, size_t len)
{
    const char *known = looks_known(bytes, len);
    if (known != NULL) {
        return known;
    }
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\r' && bytes[i] != '\n') {
            return "other binary data";
        }
    }
    return len == 0 ? "an empty file" : "text";
}

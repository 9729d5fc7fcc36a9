/* A corpus: its lines, plain or gzip, and the same as pairs. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "text/corpus.h"
#include "text/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Error err;
    LineReader *reader;
    const char *path = fuzz_file(bytes, len);
    long n_ends = 0, number = 0;
    for (size_t i = 0; i < len; i++) {
        n_ends += bytes[i] == '\n';
    }
    if (lines_open(&reader, path, &err) == OK) {
        Line line = {.number = 0};
        Status status;
        while ((status = lines_next(reader, &line, &err)) == OK && line.text != NULL) {
            fuzz_expect(memchr(line.text, '\n', line.len) == NULL, "a line holds no LF");
            number = line.number;
        }
        const int is_plain = len < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b;
        if (status == OK && is_plain) {
            const int has_rest = len > 0 && bytes[len - 1] != '\n';
            /* A file of nothing but a byte order mark has no line. */
            fuzz_expect(number == n_ends + has_rest || (len == 3 && number == 0),
                        "there are as many lines as LFs, and the rest");
        }
        lines_close(reader);
    }
    Corpus *corpus;
    const CorpusFilter filter = {.max_words = 100, .max_ratio = 9, .drop_duplicates = 1};
    if (corpus_load_tsv(&corpus, path, &filter, &err) == OK) {
        corpus_free(corpus);
    }
    return 0;
}

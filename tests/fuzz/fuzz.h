/* The frame of the fuzz targets. Each tests/fuzz/fuzz_NAME.c defines the function below; `make
 * fuzz` links it with libFuzzer, `make replay` with replay.c, which runs it over
 * tests/fuzz/corpus/NAME. */
#ifndef HEED_TESTS_FUZZ_H
#define HEED_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Writes the bytes to a file of this process and yields its path. */
const char *fuzz_file(const void *bytes, size_t len);

/* Ends the program with the sentence unless is_true: a promise was broken. */
void fuzz_expect(int is_true, const char *sentence);

#endif

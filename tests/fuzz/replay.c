/* Runs a fuzz target over the files named on the command line, and over every prefix of the small
 * ones: what `make test` does with the corpora and with every input that once broke something. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

enum { MAX_BYTES = 1 << 20, MAX_PREFIXES = 512 };

int main(int argc, char **argv)
{
    long n_runs = 0;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        fuzz_expect(file != NULL, "the file can be opened");
        uint8_t *bytes = malloc(MAX_BYTES);
        fuzz_expect(bytes != NULL, "there is memory");
        const size_t len = fread(bytes, 1, MAX_BYTES, file);
        (void)fclose(file);
        for (size_t n = len > MAX_PREFIXES ? len : 0; n <= len; n++) {
            uint8_t *exact = malloc(n == 0 ? 1 : n); /* so that a read beyond the end is seen */
            fuzz_expect(exact != NULL, "there is memory");
            for (size_t k = 0; k < n; k++) {
                exact[k] = bytes[k];
            }
            (void)LLVMFuzzerTestOneInput(exact, n);
            free(exact);
            n_runs++;
        }
        free(bytes);
    }
    printf("%s: %d files, %ld runs\n", argv[0], argc - 1, n_runs);
    return n_runs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The frame of the fuzz targets; see the header. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void remove_file(void)
{
    (void)unlink(path);
}

const char *fuzz_file(const void *bytes, size_t len)
{
    if (path[0] == '\0') {
        /* In memory where that is possible: a run takes a fraction of the time. */
        (void)snprintf(path, sizeof path, "%s/heed-fuzz-%ld",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        (void)atexit(remove_file);
    }
    FILE *file = fopen(path, "wb");
    fuzz_expect(file != NULL && fwrite(bytes, 1, len, file) == len && fclose(file) == 0,
                "the input can be written to a file");
    return path;
}

void fuzz_expect(int is_true, const char *sentence)
{
    if (!is_true) {
        (void)fprintf(stderr, "not so: %s\n", sentence);
        abort();
    }
}

/* A folder of a test's own for the files it makes. */
#ifndef HEED_TESTS_SCRATCH_H
#define HEED_TESTS_SCRATCH_H

#include <stddef.h>

enum { SCRATCH_PATH = 256 };

/* Writes the path of name within this process's folder, made on demand below $TMPDIR or /tmp. An
 * empty name yields the folder. */
void scratch_path(char out[SCRATCH_PATH], const char *name);

/* Removes the folder and all it holds. */
void scratch_clean(void);

/* The number of entries of the folder. */
int scratch_count(void);

/* Writes a whole file, and reads one: *bytes is the caller's to free with mem_free. */
void scratch_write(const char *path, const void *bytes, size_t len);
void scratch_read(const char *path, char **bytes, size_t *len);

#endif

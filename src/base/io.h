/* Files: base/io, base/io_save and their calls of the system in base/io_system are the one place
 * that opens, reads, writes, syncs, renames and closes.
 *
 * A test build can make the N-th of these calls fail (io_fail_at). Every error sentence names the
 * path and the system's reason. "-" is standard input or standard output.
 *
 * Threads: an IoFile belongs to one thread at a time; the failure hook counts over all of them. */
#ifndef HEED_BASE_IO_H
#define HEED_BASE_IO_H

#include <stddef.h>
#include <stdint.h>

#include "base/io_save.h" /* saving and locks */
#include "base/status.h"

typedef struct IoFile IoFile;

/* Opens for reading. ERR_IO when it is missing, a folder, or refused. Any kind of stream is taken.
 */
Status io_open_read(IoFile **out, const char *path, Error *err) MUST_USE;

/* Opens a regular file for reading (a FIFO, device or folder is refused without waiting) and yields
 * its size. */
Status io_open_regular(IoFile **out, uint64_t *size, const char *path, Error *err) MUST_USE;

/* Creates or empties a file for writing; "-" is standard output. */
Status io_open_write(IoFile **out, const char *path, Error *err) MUST_USE;

/* Reads up to cap bytes; *len 0 is the end of the file. */
Status io_read(IoFile *file, void *bytes, size_t cap, size_t *len, Error *err) MUST_USE;

/* Reads exactly len bytes or fails with ERR_FORMAT "... ends at byte N". */
Status io_read_exact(IoFile *file, void *bytes, size_t len, Error *err) MUST_USE;

/* Buffered writing; io_flush hands over to the system. */
Status io_write(IoFile *file, const void *bytes, size_t len, Error *err) MUST_USE;
Status io_flush(IoFile *file, Error *err) MUST_USE;

/* The bytes of a file opened with io_open_read, 0 when that is not known (pipes, devices); and how
 * many have been read. */
uint64_t io_size(const IoFile *file);
uint64_t io_n_read(const IoFile *file);

const char *io_path(const IoFile *file);

/* Flushes (when writing) and closes; file is released whatever happens. NULL is allowed. */
Status io_close(IoFile *file, Error *err) MUST_USE;

/* Closes without reporting, for cleaning up after another failure. NULL is allowed. */
void io_discard(IoFile *file);

/* Whether something stands at path; also when the system does not let us see. */
int io_exists(const char *path);

/* Test hook: the n-th call of the system from now (n >= 1) fails with EIO, once, or with
 * `and_later` every later one too; n = 0 switches it off. io_failed tells whether one has failed
 * since. */
void io_fail_at(long n, int and_later);
int io_failed(void);

#endif

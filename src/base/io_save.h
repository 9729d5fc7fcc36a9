/* Saving: files that appear whole or not at all, the lock of a model under training, and the
 * questions to ask about a path before hours of work depend on it. Included by base/io.h.
 *
 * Order of a save: the bytes go to "PATH.tmp" under a lock, fsync of it, rename over PATH, fsync of
 * the folder. A failure before the rename leaves what stood at PATH and removes the temporary file;
 * a kill leaves at most the temporary file, which the next save or check of PATH takes over.
 *
 * Locks are those of the open file (flock): they end with the program however it ends, so none is
 * ever stale. */
#ifndef HEED_BASE_IO_SAVE_H
#define HEED_BASE_IO_SAVE_H

#include <stddef.h>

#include "base/status.h"

typedef struct IoSave IoSave;

/* Begins to write path. ERR_IO when another program is writing it, when a folder stands there, or
 * the system refuses. A file that is replaced hands its permissions on. A pipe or character device
 * at path is written straight. */
Status io_save_begin(IoSave **out, const char *path, Error *err) MUST_USE;

/* After a failure only io_save_abort may follow. */
Status io_save_write(IoSave *save, const void *bytes, size_t len, Error *err) MUST_USE;

/* Ends the save; it is released whatever happens. */
Status io_save_commit(IoSave *save, Error *err) MUST_USE;

/* The same, but what stands at path is kept at `previous` (whose own content goes). There is no
 * moment at which nothing stands at path, unless the file system knows no hard links. */
Status io_save_commit_keeping(IoSave *save, const char *previous, Error *err) MUST_USE;

/* Gives the save up. NULL is allowed. */
void io_save_abort(IoSave *save);

/* Whether io_save_begin will be able to save a regular file at path: refuses a missing or read-only
 * folder, and whatever stands at path and is no regular file. Leaves nothing, and removes a
 * temporary file that a killed program left. */
Status io_check_writable(const char *path, Error *err) MUST_USE;

/* Holds "PATH.lock" until io_unlock or the end of the program; a second holder is refused with
 * ERR_IO. The file is removed by io_unlock; one that a killed program left is no obstacle. */
typedef struct IoLock IoLock;
Status io_lock(IoLock **out, const char *path, Error *err) MUST_USE;
void io_unlock(IoLock *lock);

/* Whether saving path would replace the existing file `other`: it is the same regular file, however
 * it is written, or the temporary file of the save. */
int io_save_replaces(const char *path, const char *other);

#endif

/* The calls of the system that base/io and base/io_save make, each under the failure hook. Nothing
 * else includes this header.
 *
 * Every function behaves like the call it is named after, with these differences: one interrupted
 * by a signal is made again, except fsync, whose failure is never asked about twice; a write is
 * complete or has failed; a descriptor that is not ready is waited for.
 *
 * Threads: the hook counts over all of them. */
#ifndef HEED_BASE_IO_SYSTEM_H
#define HEED_BASE_IO_SYSTEM_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/io.h"

int sys_open(const char *path, int flags);
ssize_t sys_read(int fd, void *bytes, size_t len);
int sys_write(int fd, const char *bytes, size_t len);
int sys_fsync(int fd);
int sys_rename(const char *from, const char *to);
int sys_link(const char *from, const char *to);
int sys_truncate(int fd);
int sys_fstat(int fd, struct stat *info);
int sys_stat(const char *path, struct stat *info);
/* Takes the lock of an open file or fails at once. */
int sys_lock(int fd);
/* The descriptor is gone afterwards even when this reports a failure. */
int sys_close(int fd);
/* Cleaning up behind another failure: not counted, not reported. */
void sys_forget(int fd);
void sys_remove(const char *path);
void sys_set_mode(int fd, mode_t mode);

/* ERR_IO "PATH: cannot ACTION: the system's reason" from errno. */
Status sys_fail(Error *err, const char *path, const char *action);

/* Makes an IoFile of a descriptor. On failure the descriptor stays the caller's. */
Status io_adopt(IoFile **out, int fd, const char *path, int is_writing, Error *err) MUST_USE;

#endif

/* Saving; see the header. */
#include "base/io_save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/io_system.h"
#include "base/mem.h"

struct IoSave {
    IoFile *file; /* the temporary one, or the pipe or device itself */
    int fd;
    int is_direct;
    char *path, *temporary;
};

struct IoLock {
    int fd;
    char *path;
};

/* path with a suffix, the caller's to free. */
static char *join(const char *path, const char *suffix)
{
    const size_t len = strlen(path), len_suffix = strlen(suffix);
    char *joined = mem_alloc(len + len_suffix + 1, 1);
    if (joined != NULL) {
        memcpy(joined, path, len);
        memcpy(joined + len, suffix, len_suffix + 1);
    }
    return joined;
}

/* For open_locked: the file is given up, with the reason in errno. It is removed, or an empty file
 * would stay; whoever else waits for its lock looks at the name again and finds it gone. */
static Status give_up(int fd, const char *name, const char *action, Error *err)
{
    const Status status = sys_fail(err, name, action);
    sys_remove(name);
    sys_forget(fd);
    return status;
}

/* Opens name, creating it, and locks it. The name is looked at again after locking, since the
 * holder before may have renamed or removed the file in between. What is no regular file is
 * refused. */
static Status open_locked(int *out, const char *name, const char *path, Error *err)
{
    for (;;) {
        struct stat ours, named;
        const int fd = sys_open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0) {
            return sys_fail(err, name, "create");
        }
        if (sys_lock(fd) != 0) {
            if (errno != EWOULDBLOCK) {
                return give_up(fd, name, "lock", err);
            }
            sys_forget(fd);
            return fail(err, ERR_IO, "%s: another program is using it", path);
        }
        if (sys_fstat(fd, &ours) != 0) {
            return give_up(fd, name, "look at", err);
        }
        if (!S_ISREG(ours.st_mode)) {
            sys_forget(fd);
            return fail(err, ERR_IO, "%s: is in the way, not being a regular file", name);
        }
        if (sys_stat(name, &named) == 0) {
            if (ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) {
                *out = fd;
                return OK;
            }
        } else if (errno != ENOENT) {
            return give_up(fd, name, "look at", err);
        }
        sys_forget(fd);
    }
}

/* What stands at path: *mode is its type and permissions, 0 when nothing does. A folder or block
 * device is refused, and a path that names no file. */
static Status look_at_target(const char *path, mode_t *mode, Error *err)
{
    struct stat info;
    const size_t len = strlen(path);
    *mode = 0;
    if (len == 0 || path[len - 1] == '/') {
        return fail(err, ERR_IO, "\"%s\": is not the name of a file", path);
    }
    if (sys_stat(path, &info) != 0) {
        return errno == ENOENT ? OK : sys_fail(err, path, "look at");
    }
    *mode = info.st_mode;
    if (S_ISDIR(info.st_mode) || S_ISBLK(info.st_mode)) {
        return fail(err, ERR_IO, "%s: is a %s, not a file", path,
                    S_ISDIR(info.st_mode) ? "folder" : "block device");
    }
    return OK;
}

static void save_free(IoSave *save)
{
    mem_free(save->path);
    mem_free(save->temporary);
    mem_free(save);
}

/* Opens the pipe or device at save->path. */
static Status open_direct(IoSave *save, Error *err)
{
    save->is_direct = 1;
    save->fd = sys_open(save->path, O_WRONLY);
    if (save->fd < 0) {
        return sys_fail(err, save->path, "open");
    }
    const Status status = io_adopt(&save->file, save->fd, save->path, 1, err);
    if (status != OK) {
        sys_forget(save->fd);
    }
    return status;
}

/* Opens, locks and empties the temporary file, which gets the permissions of the file it will
 * replace (mode 0: there is none). */
static Status open_temporary(IoSave *save, mode_t mode, Error *err)
{
    TRY(open_locked(&save->fd, save->temporary, save->path, err));
    Status status = OK;
    if (sys_truncate(save->fd) != 0) {
        status = sys_fail(err, save->temporary, "empty");
    }
    if (mode != 0) {
        sys_set_mode(save->fd, mode & 0777);
    }
    if (status == OK) {
        status = io_adopt(&save->file, save->fd, save->temporary, 1, err);
    }
    if (status != OK) { /* removed before the lock ends: it may be another's a moment later */
        sys_remove(save->temporary);
        sys_forget(save->fd);
    }
    return status;
}

Status io_save_begin(IoSave **out, const char *path, Error *err)
{
    mode_t mode;
    TRY(look_at_target(path, &mode, err));
    IoSave *save = mem_zero_alloc(1, sizeof *save);
    if (save == NULL) {
        return mem_fail(err, path, 1, sizeof *save);
    }
    save->path = mem_copy_text(path, strlen(path));
    save->temporary = join(path, ".tmp");
    Status status;
    if (save->path == NULL || save->temporary == NULL) {
        status = mem_fail(err, path, strlen(path), 2);
    } else if (mode != 0 && !S_ISREG(mode)) {
        status = open_direct(save, err);
    } else {
        status = open_temporary(save, mode, err);
    }
    if (status != OK) {
        save_free(save);
        return status;
    }
    *out = save;
    return OK;
}

Status io_save_write(IoSave *save, const void *bytes, size_t len, Error *err)
{
    return io_write(save->file, bytes, len, err);
}

/* Opens the folder that holds path. */
static Status open_folder(int *out, const char *path, Error *err)
{
    const char *slash = strrchr(path, '/');
    const size_t len = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = mem_copy_text(slash == NULL ? "." : path, len);
    if (folder == NULL) {
        return mem_fail(err, path, len, 1);
    }
    const int fd = sys_open(folder, O_RDONLY | O_DIRECTORY);
    const Status status = fd < 0 ? sys_fail(err, folder, "open the folder") : OK;
    mem_free(folder);
    *out = fd;
    return status;
}

/* Syncs the folder that holds path, so that a rename in it survives a power cut. */
static Status sync_folder(const char *path, Error *err)
{
    int fd = -1;
    TRY(open_folder(&fd, path, err));
    /* Some file systems cannot sync a folder and say EINVAL; there is nothing more to do there. */
    const Status status =
        sys_fsync(fd) != 0 && errno != EINVAL ? sys_fail(err, path, "sync the folder of") : OK;
    sys_forget(fd);
    return status;
}

/* Makes what stands at path, if anything, stand at previous too; by moving it where the file system
 * has no second names. What stood at previous goes only once a second name is seen to be possible.
 */
static Status keep(const char *path, const char *previous, Error *err)
{
    int is_kept = sys_link(path, previous) == 0;
    if (!is_kept && errno == EEXIST) {
        sys_remove(previous);
        /* From here on nothing stands at previous, so a refusal is tried once more. */
        is_kept = sys_link(path, previous) == 0 || sys_link(path, previous) == 0;
    }
    if (is_kept || errno == ENOENT) {
        return OK;
    }
    const int has_no_links = errno == EPERM || errno == ENOSYS || errno == ENOTSUP;
    return has_no_links && sys_rename(path, previous) == 0 ? OK
                                                           : sys_fail(err, path, "keep what is");
}

/* Syncs the temporary file and gives it its name, keeping what had it at previous if that is not
 * NULL. Once it has it, the temporary name is no longer ours to remove: *has_moved. */
static Status put_in_place(IoSave *save, const char *previous, int *has_moved, Error *err)
{
    TRY(io_flush(save->file, err));
    if (sys_fsync(save->fd) != 0) {
        return sys_fail(err, save->temporary, "sync");
    }
    if (previous != NULL) {
        TRY(keep(save->path, previous, err));
    }
    /* Renamed before it is closed: the lock must hold until the temporary name is gone. */
    if (sys_rename(save->temporary, save->path) != 0) {
        return sys_fail(err, save->path, "replace");
    }
    *has_moved = 1;
    return sync_folder(save->path, err);
}

Status io_save_commit(IoSave *save, Error *err)
{
    return io_save_commit_keeping(save, NULL, err);
}

Status io_save_commit_keeping(IoSave *save, const char *previous, Error *err)
{
    int has_moved = save->is_direct;
    Status status = save->is_direct ? OK : put_in_place(save, previous, &has_moved, err);
    if (status != OK) {
        if (!has_moved) {
            sys_remove(save->temporary);
        }
        io_discard(save->file);
    } else {
        status = io_close(save->file, err);
    }
    save_free(save);
    return status;
}

void io_save_abort(IoSave *save)
{
    if (save != NULL) {
        if (!save->is_direct) {
            sys_remove(save->temporary);
        }
        io_discard(save->file);
        save_free(save);
    }
}

Status io_check_writable(const char *path, Error *err)
{
    mode_t mode;
    TRY(look_at_target(path, &mode, err));
    if (mode != 0 && !S_ISREG(mode)) {
        return fail(err, ERR_IO, "%s: is not a regular file", path);
    }
    int fd = -1;
    TRY(open_folder(&fd, path, err)); /* a save must be able to sync it */
    sys_forget(fd);
    IoSave *save;
    TRY(io_save_begin(&save, path, err));
    io_save_abort(save);
    return OK;
}

Status io_lock(IoLock **out, const char *path, Error *err)
{
    IoLock *lock = mem_zero_alloc(1, sizeof *lock);
    if (lock == NULL) {
        return mem_fail(err, path, 1, sizeof *lock);
    }
    lock->path = join(path, ".lock");
    const Status status = lock->path == NULL ? mem_fail(err, path, strlen(path), 1)
                                             : open_locked(&lock->fd, lock->path, path, err);
    if (status != OK) {
        mem_free(lock->path);
        mem_free(lock);
        return status;
    }
    *out = lock;
    return OK;
}

void io_unlock(IoLock *lock)
{
    if (lock != NULL) {
        sys_remove(lock->path); /* before the lock ends: it may be another's a moment later */
        sys_forget(lock->fd);
        mem_free(lock->path);
        mem_free(lock);
    }
}

/* Devices and pipes are nobody's content. */
static int is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return sys_stat(a, &first) == 0 && sys_stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_ino == second.st_ino && first.st_dev == second.st_dev;
}

int io_save_replaces(const char *path, const char *other)
{
    char *temporary = join(path, ".tmp");
    const int replaces =
        is_same_file(path, other) || (temporary != NULL && is_same_file(temporary, other));
    mem_free(temporary);
    return replaces;
}

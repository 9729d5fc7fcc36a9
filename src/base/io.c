/* Files; see the header. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/mem.h"

enum { WRITE_BUFFER = 1 << 16, IO_CHUNK = 1 << 30 };

struct IoFile {
    int fd;
    int is_standard; /* stdin and stdout are not ours to close */
    uint64_t n_read;
    char *path;
    char *pending; /* bytes not yet handed to the system; NULL when reading */
    size_t n_pending;
};

static FaultHook hook;

void io_fail_at(long n, int and_later)
{
    fault_set(&hook, n, and_later);
}

int io_failed(void)
{
    return fault_has_hit(&hook);
}

/* Counts a call while the hook is on; true, with errno set, when this one must fail. */
static int must_fail(void)
{
    if (fault_hits(&hook)) {
        errno = EIO;
        return 1;
    }
    return 0;
}

static int sys_open(const char *path, int flags)
{
    if (must_fail()) {
        return -1;
    }
    int fd;
    do {
        fd = open(path, flags | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static ssize_t sys_read(int fd, void *bytes, size_t len)
{
    if (must_fail()) {
        return -1;
    }
    ssize_t n;
    do {
        n = read(fd, bytes, len < IO_CHUNK ? len : IO_CHUNK);
    } while (n < 0 && errno == EINTR);
    return n;
}

static int sys_write(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        if (must_fail()) {
            return -1;
        }
        const ssize_t n = write(fd, bytes, len < IO_CHUNK ? len : IO_CHUNK);
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static int sys_fsync(int fd)
{
    return must_fail() ? -1 : fsync(fd);
}

static int sys_rename(const char *from, const char *to)
{
    return must_fail() ? -1 : rename(from, to);
}

/* The descriptor is gone afterwards even when this reports a failure. */
static int sys_close(int fd)
{
    const int fails = must_fail();
    const int result = close(fd);
    if (fails) {
        errno = EIO;
        return -1;
    }
    return result;
}

static Status fail_system(Error *err, const char *path, const char *action)
{
    const int reason = errno;
    return fail(err, ERR_IO, "%s: cannot %s: %s", path, action, strerror(reason));
}

static int is_dash(const char *path)
{
    return path[0] == '-' && path[1] == '\0';
}

static Status file_create(IoFile **out, const char *path, int fd, int is_standard, int is_writing,
                          Error *err)
{
    IoFile *file = mem_zero_alloc(1, sizeof *file);
    char *name = mem_copy_text(path, strlen(path));
    char *pending = is_writing ? mem_alloc(WRITE_BUFFER, 1) : NULL;
    if (file == NULL || name == NULL || (is_writing && pending == NULL)) {
        mem_free(file);
        mem_free(name);
        mem_free(pending);
        if (!is_standard) {
            (void)close(fd);
        }
        return mem_fail(err, path, 1, sizeof *file + (is_writing ? WRITE_BUFFER : 0));
    }
    *file = (IoFile){
        .fd = fd, .is_standard = is_standard, .n_read = 0, .path = name, .pending = pending};
    *out = file;
    return OK;
}

Status io_open_read(IoFile **out, const char *path, Error *err)
{
    if (is_dash(path)) {
        return file_create(out, "standard input", STDIN_FILENO, 1, 0, err);
    }
    const int fd = sys_open(path, O_RDONLY);
    if (fd < 0) {
        return fail_system(err, path, "open");
    }
    struct stat info;
    if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
        (void)close(fd);
        return fail(err, ERR_IO, "%s: is a folder, not a file", path);
    }
    return file_create(out, path, fd, 0, 0, err);
}

Status io_open_regular(IoFile **out, uint64_t *size, const char *path, Error *err)
{
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    const int fd = sys_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0) {
        return fail_system(err, path, "open");
    }
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        (void)close(fd);
        return fail(err, ERR_IO, "%s: is not a regular file", path);
    }
    TRY(file_create(out, path, fd, 0, 0, err));
    *size = (uint64_t)info.st_size;
    return OK;
}

Status io_open_write(IoFile **out, const char *path, Error *err)
{
    if (is_dash(path)) {
        return file_create(out, "standard output", STDOUT_FILENO, 1, 1, err);
    }
    const int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0) {
        return fail_system(err, path, "create");
    }
    return file_create(out, path, fd, 0, 1, err);
}

Status io_read(IoFile *file, void *bytes, size_t cap, size_t *len, Error *err)
{
    const ssize_t n = sys_read(file->fd, bytes, cap);
    if (n < 0) {
        return fail_system(err, file->path, "read");
    }
    file->n_read += (uint64_t)n;
    *len = (size_t)n;
    return OK;
}

Status io_read_exact(IoFile *file, void *bytes, size_t len, Error *err)
{
    size_t done = 0;
    while (done < len) {
        size_t n;
        TRY(io_read(file, (char *)bytes + done, len - done, &n, err));
        if (n == 0) {
            return fail(err, ERR_FORMAT, "%s: ends at byte %llu, %zu bytes too early", file->path,
                        (unsigned long long)file->n_read, len - done);
        }
        done += n;
    }
    return OK;
}

Status io_flush(IoFile *file, Error *err)
{
    const size_t n = file->n_pending;
    file->n_pending = 0;
    return sys_write(file->fd, file->pending, n) == 0 ? OK : fail_system(err, file->path, "write");
}

Status io_write(IoFile *file, const void *bytes, size_t len, Error *err)
{
    if (len > WRITE_BUFFER - file->n_pending) {
        TRY(io_flush(file, err));
    }
    if (len > WRITE_BUFFER) {
        return sys_write(file->fd, bytes, len) == 0 ? OK : fail_system(err, file->path, "write");
    }
    if (len > 0) {
        memcpy(file->pending + file->n_pending, bytes, len);
    }
    file->n_pending += len;
    return OK;
}

const char *io_path(const IoFile *file)
{
    return file->path;
}

Status io_close(IoFile *file, Error *err)
{
    if (file == NULL) {
        return OK;
    }
    Status status = file->pending == NULL ? OK : io_flush(file, err);
    if (!file->is_standard && sys_close(file->fd) != 0 && status == OK) {
        status = fail_system(err, file->path, "close");
    }
    mem_free(file->path);
    mem_free(file->pending);
    mem_free(file);
    return status;
}

void io_discard(IoFile *file)
{
    if (file != NULL) {
        if (!file->is_standard) {
            (void)close(file->fd);
        }
        mem_free(file->path);
        mem_free(file->pending);
        mem_free(file);
    }
}

struct IoSave {
    IoFile *file; /* the temporary one */
    char *path, *temporary;
};

static void save_free(IoSave *save)
{
    mem_free(save->path);
    mem_free(save->temporary);
    mem_free(save);
}

/* Opens the temporary file and locks it. The lock is tied to the open file, so it ends with the
 * program however that ends; the name is checked again after locking, since a finished writer may
 * have renamed the file in between. */
static Status open_locked(int *out, const char *temporary, const char *path, Error *err)
{
    for (;;) {
        const int fd = sys_open(temporary, O_RDWR | O_CREAT);
        if (fd < 0) {
            return fail_system(err, temporary, "create");
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            (void)close(fd);
            return fail(err, ERR_IO, "%s: another program is writing it", path);
        }
        struct stat ours, named;
        if (fstat(fd, &ours) == 0 && stat(temporary, &named) == 0 && ours.st_ino == named.st_ino &&
            ours.st_dev == named.st_dev) {
            *out = fd;
            return OK;
        }
        (void)close(fd);
    }
}

Status io_save_begin(IoSave **out, const char *path, Error *err)
{
    const size_t len = strlen(path);
    IoSave *save = mem_zero_alloc(1, sizeof *save);
    if (save == NULL) {
        return mem_fail(err, path, 1, sizeof *save);
    }
    save->path = mem_copy_text(path, len);
    save->temporary = mem_alloc(len + 5, 1);
    if (save->path == NULL || save->temporary == NULL) {
        save_free(save);
        return mem_fail(err, path, len + 5, 2);
    }
    memcpy(save->temporary, path, len);
    memcpy(save->temporary + len, ".tmp", 5);
    int fd = -1;
    Status status = open_locked(&fd, save->temporary, path, err);
    if (status == OK && ftruncate(fd, 0) != 0) {
        status = fail_system(err, save->temporary, "empty");
        (void)close(fd);
    }
    if (status == OK) {
        status = file_create(&save->file, save->temporary, fd, 0, 1, err);
    }
    if (status != OK) {
        if (fd >= 0) {
            (void)unlink(save->temporary);
        }
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

Status io_save_write_at(IoSave *save, uint64_t offset, const void *bytes, size_t len, Error *err)
{
    TRY(io_flush(save->file, err));
    size_t done = 0;
    while (done < len) {
        const ssize_t n = must_fail() ? -1
                                      : pwrite(save->file->fd, (const char *)bytes + done,
                                               len - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return fail_system(err, save->temporary, "write");
        }
        done += (size_t)n;
    }
    return OK;
}

/* Syncs the folder that holds path, so that a rename in it survives a power cut. */
static Status sync_folder(const char *path, Error *err)
{
    const char *slash = strrchr(path, '/');
    const size_t len = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = mem_copy_text(slash == NULL ? "." : path, len);
    if (folder == NULL) {
        return mem_fail(err, path, len, 1);
    }
    Status status = OK;
    const int fd = sys_open(folder, O_RDONLY | O_DIRECTORY);
    /* Some file systems cannot sync a folder and say EINVAL; there is nothing more to do there. */
    if (fd < 0 || (sys_fsync(fd) != 0 && errno != EINVAL)) {
        status = fail_system(err, folder, "sync");
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    mem_free(folder);
    return status;
}

Status io_rename(const char *from, const char *to, Error *err)
{
    if (sys_rename(from, to) != 0) {
        return fail_system(err, to, "replace");
    }
    return sync_folder(to, err);
}

Status io_save_commit(IoSave *save, Error *err)
{
    Status status = io_flush(save->file, err);
    if (status == OK && sys_fsync(save->file->fd) != 0) {
        status = fail_system(err, save->temporary, "sync");
    }
    /* Renamed before it is closed: the lock must hold until the name is gone. */
    if (status == OK) {
        status = io_rename(save->temporary, save->path, err);
    }
    if (status != OK) {
        io_save_abort(save);
        return status;
    }
    status = io_close(save->file, err);
    save_free(save);
    return status;
}

void io_save_abort(IoSave *save)
{
    if (save != NULL) {
        (void)unlink(save->temporary);
        io_discard(save->file);
        save_free(save);
    }
}

int io_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

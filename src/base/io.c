/* Files; see the header. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io_system.h"
#include "base/mem.h"

enum { WRITE_BUFFER = 1 << 16 };

struct IoFile {
    int fd;
    int is_standard; /* stdin and stdout are not ours to close */
    uint64_t n_read;
    uint64_t size; /* of a regular file that is read, else 0 */
    char *path;
    char *pending; /* bytes not yet handed to the system; NULL when reading */
    size_t n_pending;
};

static int is_dash(const char *path)
{
    return path[0] == '-' && path[1] == '\0';
}

Status io_adopt(IoFile **out, int fd, const char *path, int is_writing, Error *err)
{
    IoFile *file = mem_zero_alloc(1, sizeof *file);
    char *name = mem_copy_text(path, strlen(path));
    char *pending = is_writing ? mem_alloc(WRITE_BUFFER, 1) : NULL;
    if (file == NULL || name == NULL || (is_writing && pending == NULL)) {
        mem_free(file);
        mem_free(name);
        mem_free(pending);
        return mem_fail(err, path, 1, sizeof *file + (is_writing ? WRITE_BUFFER : 0));
    }
    *file = (IoFile){.fd = fd, .path = name, .pending = pending};
    *out = file;
    return OK;
}

/* The same for a descriptor of ours, which is closed on failure. */
static Status adopt_own(IoFile **out, int fd, const char *path, int is_writing, Error *err)
{
    const Status status = io_adopt(out, fd, path, is_writing, err);
    if (status != OK) {
        sys_forget(fd);
    }
    return status;
}

static Status adopt_standard(IoFile **out, int fd, const char *name, int is_writing, Error *err)
{
    TRY(io_adopt(out, fd, name, is_writing, err));
    (*out)->is_standard = 1;
    return OK;
}

static uint64_t regular_size(const struct stat *info)
{
    return S_ISREG(info->st_mode) && info->st_size > 0 ? (uint64_t)info->st_size : 0;
}

/* Standard input may be a file; when that cannot be seen its size is just not known. */
static Status open_standard_input(IoFile **out, Error *err)
{
    struct stat info;
    TRY(adopt_standard(out, STDIN_FILENO, "standard input", 0, err));
    if (fstat(STDIN_FILENO, &info) == 0) {
        (*out)->size = regular_size(&info);
    }
    return OK;
}

Status io_open_read(IoFile **out, const char *path, Error *err)
{
    if (is_dash(path)) {
        return open_standard_input(out, err);
    }
    const int fd = sys_open(path, O_RDONLY);
    if (fd < 0) {
        return sys_fail(err, path, "open");
    }
    struct stat info;
    if (sys_fstat(fd, &info) != 0) {
        const Status status = sys_fail(err, path, "look at");
        sys_forget(fd);
        return status;
    }
    if (S_ISDIR(info.st_mode)) {
        sys_forget(fd);
        return fail(err, ERR_IO, "%s: is a folder, not a file", path);
    }
    TRY(adopt_own(out, fd, path, 0, err));
    (*out)->size = regular_size(&info);
    return OK;
}

Status io_open_regular(IoFile **out, uint64_t *size, const char *path, Error *err)
{
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    const int fd = sys_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0) {
        return sys_fail(err, path, "open");
    }
    struct stat info;
    if (sys_fstat(fd, &info) != 0) {
        const Status status = sys_fail(err, path, "look at");
        sys_forget(fd);
        return status;
    }
    if (!S_ISREG(info.st_mode)) {
        sys_forget(fd);
        return fail(err, ERR_IO, "%s: is not a regular file", path);
    }
    TRY(adopt_own(out, fd, path, 0, err));
    *size = (uint64_t)info.st_size;
    return OK;
}

Status io_open_write(IoFile **out, const char *path, Error *err)
{
    if (is_dash(path)) {
        return adopt_standard(out, STDOUT_FILENO, "standard output", 1, err);
    }
    const int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0) {
        return sys_fail(err, path, "create");
    }
    return adopt_own(out, fd, path, 1, err);
}

Status io_read(IoFile *file, void *bytes, size_t cap, size_t *len, Error *err)
{
    const ssize_t n = sys_read(file->fd, bytes, cap);
    if (n < 0) {
        return sys_fail(err, file->path, "read");
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
    return sys_write(file->fd, file->pending, n) == 0 ? OK : sys_fail(err, file->path, "write");
}

Status io_write(IoFile *file, const void *bytes, size_t len, Error *err)
{
    if (len > WRITE_BUFFER - file->n_pending) {
        TRY(io_flush(file, err));
    }
    if (len > WRITE_BUFFER) {
        return sys_write(file->fd, bytes, len) == 0 ? OK : sys_fail(err, file->path, "write");
    }
    if (len > 0) {
        memcpy(file->pending + file->n_pending, bytes, len);
    }
    file->n_pending += len;
    return OK;
}

uint64_t io_size(const IoFile *file)
{
    return file->size;
}

uint64_t io_n_read(const IoFile *file)
{
    return file->n_read;
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
        status = sys_fail(err, file->path, "close");
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
            sys_forget(file->fd);
        }
        mem_free(file->path);
        mem_free(file->pending);
        mem_free(file);
    }
}

int io_exists(const char *path)
{
    struct stat info;
    return sys_stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

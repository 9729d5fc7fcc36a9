/* Calls of the system; see the header. */
#include "base/io_system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fault.h"

/* No call hands over more at once. */
enum { IO_CHUNK = 1 << 30 };

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

/* After a call that failed: whether to make it again. Standard input and output may have been set
 * not to wait by a program that shares them. */
static int is_worth_repeating(int fd, short events)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        struct pollfd waiting = {.fd = fd, .events = events};
        return poll(&waiting, 1, -1) > 0 || errno == EINTR;
    }
    return errno == EINTR;
}

int sys_open(const char *path, int flags)
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

ssize_t sys_read(int fd, void *bytes, size_t len)
{
    if (must_fail()) {
        return -1;
    }
    ssize_t n;
    do {
        n = read(fd, bytes, len < IO_CHUNK ? len : IO_CHUNK);
    } while (n < 0 && is_worth_repeating(fd, POLLIN));
    return n;
}

int sys_write(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        if (must_fail()) {
            return -1;
        }
        const ssize_t n = write(fd, bytes, len < IO_CHUNK ? len : IO_CHUNK);
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        } else if (n == 0 || !is_worth_repeating(fd, POLLOUT)) {
            errno = n == 0 ? EIO : errno;
            return -1;
        }
    }
    return 0;
}

int sys_fsync(int fd)
{
    return must_fail() ? -1 : fsync(fd);
}

int sys_rename(const char *from, const char *to)
{
    return must_fail() ? -1 : rename(from, to);
}

int sys_link(const char *from, const char *to)
{
    return must_fail() ? -1 : link(from, to);
}

int sys_truncate(int fd)
{
    return must_fail() ? -1 : ftruncate(fd, 0);
}

int sys_fstat(int fd, struct stat *info)
{
    return must_fail() ? -1 : fstat(fd, info);
}

int sys_stat(const char *path, struct stat *info)
{
    return must_fail() ? -1 : stat(path, info);
}

int sys_lock(int fd)
{
    return must_fail() ? -1 : flock(fd, LOCK_EX | LOCK_NB);
}

int sys_close(int fd)
{
    const int fails = must_fail();
    const int result = close(fd);
    if (fails) {
        errno = EIO;
        return -1;
    }
    /* Linux has closed it when it says EINTR. */
    return result != 0 && errno == EINTR ? 0 : result;
}

void sys_forget(int fd)
{
    if (fd >= 0) {
        (void)close(fd);
    }
}

void sys_remove(const char *path)
{
    (void)unlink(path);
}

void sys_set_mode(int fd, mode_t mode)
{
    (void)fchmod(fd, mode);
}

Status sys_fail(Error *err, const char *path, const char *action)
{
    const int reason = errno;
    return fail(err, ERR_IO, "%s: cannot %s: %s", path, action, strerror(reason));
}

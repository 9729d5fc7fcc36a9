/* A library to preload: the N-th call of one kind that a program makes after its main has begun is
 * refused, whoever makes it: the program, its libraries, or the C library for them.
 *
 *     REFUSE        malloc (and its relatives), open, read, write, fsync, rename, close, link, thread
 *     REFUSE_AT     N, from 1
 *     REFUSE_LATER  when set, every later call of the kind is refused too
 *     REFUSE_WAIT   when set, a refused call never returns, whatever signals are handled meanwhile
 *     REFUSE_COUNT  a file that gets the number of calls when the program ends */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAP_DIGITS = 24 };

static atomic_long n_calls;
static atomic_int is_armed;
static long at;
static int and_later, is_endless;
static const char *kind = "", *count_path;

/* Of the C library: the same without the names that stand below. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int is_refused(const char *call)
{
    if (!atomic_load(&is_armed) || strcmp(call, kind) != 0) {
        return 0;
    }
    const long n = atomic_fetch_add(&n_calls, 1) + 1;
    const int is_one = n == at || (and_later && n > at);
    while (is_one && is_endless) {
        (void)pause();
    }
    return is_one;
}

static int refuse(int reason)
{
    errno = reason;
    return -1;
}

/* The function of this name that would be called without this library. */
static void find(void *out, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(out, &found, sizeof found);
}

/* ---- Memory ---- */

void *malloc(size_t size)
{
    if (is_refused("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (is_refused("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    if (is_refused("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(block, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (is_refused("malloc")) {
        return ENOMEM;
    }
    *out = __libc_memalign(alignment, size);
    return *out == NULL ? ENOMEM : 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = NULL;
    const int reason = posix_memalign(&block, alignment, size);
    errno = reason == 0 ? errno : reason;
    return block;
}

void *memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

/* ---- Files ---- */

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...);
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    find(&next, "open");
    return is_refused("open") ? refuse(EIO) : next(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open(path, flags, mode);
}

ssize_t read(int fd, void *bytes, size_t len)
{
    ssize_t (*next)(int, void *, size_t);
    find(&next, "read");
    return is_refused("read") ? refuse(EIO) : next(fd, bytes, len);
}

ssize_t __read_chk(int fd, void *bytes, size_t len, size_t room)
{
    return len > room ? refuse(EFAULT) : read(fd, bytes, len);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    ssize_t (*next)(int, const void *, size_t);
    find(&next, "write");
    return is_refused("write") ? refuse(ENOSPC) : next(fd, bytes, len);
}

int fsync(int fd)
{
    int (*next)(int);
    find(&next, "fsync");
    return is_refused("fsync") ? refuse(EIO) : next(fd);
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    find(&next, "rename");
    return is_refused("rename") ? refuse(EIO) : next(from, to);
}

int link(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    find(&next, "link");
    return is_refused("link") ? refuse(EIO) : next(from, to);
}

/* The descriptor is closed all the same, as the system does it. */
int close(int fd)
{
    int (*next)(int);
    find(&next, "close");
    const int fails = is_refused("close"), result = next(fd);
    return fails ? refuse(EIO) : result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                   void *context)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    find(&next, "pthread_create");
    return is_refused("thread") ? EAGAIN : next(thread, how, run, context);
}

/* ---- From main on ---- */

static int (*real_main)(int, char **, char **);

static void write_count(void)
{
    char digits[CAP_DIGITS];
    atomic_store(&is_armed, 0);
    const int fd = open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int len = snprintf(digits, sizeof digits, "%ld\n", atomic_load(&n_calls));
    if (fd < 0 || write(fd, digits, (size_t)len) != len) {
        _exit(99);
    }
    (void)close(fd);
}

static int armed_main(int argc, char **argv, char **environment)
{
    const char *number = getenv("REFUSE_AT"), *asked = getenv("REFUSE");
    at = number == NULL ? 0 : strtol(number, NULL, 10);
    and_later = getenv("REFUSE_LATER") != NULL;
    is_endless = getenv("REFUSE_WAIT") != NULL;
    count_path = getenv("REFUSE_COUNT");
    kind = asked == NULL ? "" : asked;
    if (count_path != NULL && atexit(write_count) != 0) {
        return 99;
    }
    atomic_store(&is_armed, 1);
    const int code = real_main(argc, argv, environment);
    atomic_store(&is_armed, 0);
    return code;
}

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end)
{
    int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *);
    find(&next, "__libc_start_main");
    real_main = program;
    return next(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

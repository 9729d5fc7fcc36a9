/* base/io and base/io_save: nothing lost, nothing silent, whatever the system does. */
#define _DEFAULT_SOURCE /* mount */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mount.h>
#endif

#include "base/io.h"
#include "base/mem.h"
#include "base/safetensors.h"
#include "support/check_main.h"
#include "support/scratch.h"

static const char *program; /* this one, to be run under strace */

static Status save_text(const char *path, const char *text, Error *err)
{
    IoSave *save;
    TRY(io_save_begin(&save, path, err));
    const Status status = io_save_write(save, text, strlen(text), err);
    if (status != OK) {
        io_save_abort(save);
        return status;
    }
    return io_save_commit(save, err);
}

static void expect_text(const char *path, const char *text)
{
    char *bytes;
    size_t len;
    scratch_read(path, &bytes, &len);
    ck_assert_uint_eq(len, strlen(text));
    ck_assert_str_eq(bytes, text);
    mem_free(bytes);
}

static void expect_in(const char *sentence, const char *part)
{
    if (strstr(sentence, part) == NULL) {
        ck_abort_msg("\"%s\" does not hold \"%s\"", sentence, part);
    }
}

/* Runs body in a process of its own, as an ordinary user when this one is root; true when it
 * returned 0. */
static int is_fine_as_user(int (*body)(const char *path), const char *path)
{
    (void)fflush(stdout);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        const int is_user = geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
        _exit(is_user ? body(path) : 77);
    }
    int how;
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert(WIFEXITED(how));
    if (WEXITSTATUS(how) == 77) {
        puts("skipped: this process may not become an ordinary user");
    }
    return WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == 77;
}

/* The first call that fails names its step: so the steps come in this order, none is made again
 * after it failed, and until the rename the old content stands. */
START_TEST(a_save_syncs_renames_and_syncs_the_folder)
{
    static const char *const steps[] = {
        "look at", "create", "lock",    "look at",         "look at",         "empty",
        "write",   "sync",   "replace", "open the folder", "sync the folder", "close"};
    enum { N_STEPS = sizeof steps / sizeof steps[0], RENAME = 8 };
    char path[SCRATCH_PATH];
    Error err;
    scratch_path(path, "file");
    for (int n = 1; n <= N_STEPS; n++) {
        ck_assert_int_eq(save_text(path, "old", &err), OK);
        io_fail_at(n, 0);
        const Status status = save_text(path, "new", &err);
        io_fail_at(0, 0);
        ck_assert_int_eq(status, ERR_IO);
        expect_in(err.message, steps[n - 1]);
        expect_text(path, n - 1 <= RENAME ? "old" : "new");
        ck_assert_int_eq(scratch_count(), 1);
    }
    io_fail_at(N_STEPS + 1, 0);
    ck_assert_int_eq(save_text(path, "new", &err), OK);
    ck_assert(!io_failed());
    io_fail_at(0, 0);
    scratch_clean();
}
END_TEST

static Status save_keeping(const char *path, const char *previous, const char *text, Error *err)
{
    IoSave *save;
    TRY(io_save_begin(&save, path, err));
    const Status status = io_save_write(save, text, strlen(text), err);
    if (status != OK) {
        io_save_abort(save);
        return status;
    }
    return io_save_commit_keeping(save, previous, err);
}

START_TEST(what_stood_there_is_kept_whatever_fails)
{
    char path[SCRATCH_PATH], previous[SCRATCH_PATH];
    Error err;
    scratch_path(path, "last");
    scratch_path(previous, "prev");
    int has_failed = 1, n_failures = 0, n_saved = 0;
    for (int n = 1; has_failed; n++) {
        (void)remove(path);
        ck_assert_int_eq(save_keeping(path, previous, "one", &err), OK);
        ck_assert_int_eq(save_keeping(path, previous, "two", &err), OK);
        expect_text(previous, "one");
        io_fail_at(n, n % 2);
        const Status status = save_keeping(path, previous, "three", &err);
        has_failed = io_failed();
        io_fail_at(0, 0);
        /* a second name that is refused once is asked for again */
        ck_assert(status == ERR_IO || status == OK);
        n_saved += status == OK;
        char *bytes;
        size_t len;
        scratch_read(path, &bytes, &len);
        ck_assert(strcmp(bytes, "three") == 0 || (status != OK && strcmp(bytes, "two") == 0));
        if (strcmp(bytes, "three") == 0) {
            expect_text(previous, "two");
        }
        mem_free(bytes);
        n_failures += has_failed;
    }
    ck_assert_int_ge(n_failures, 13);
    ck_assert_int_le(n_saved, 3); /* undisturbed, and one of the two calls for the second name */
    expect_text(path, "three");
    ck_assert_int_eq(scratch_count(), 2);
    scratch_clean();
}
END_TEST

/* The same order as the system sees it. */
START_TEST(strace_sees_sync_rename_sync)
{
    char path[SCRATCH_PATH], trace[SCRATCH_PATH], command[4 * SCRATCH_PATH];
    scratch_path(path, "file");
    scratch_path(trace, "trace");
    const int len =
        snprintf(command, sizeof command,
                 "ASAN_OPTIONS=detect_leaks=0 strace -o '%s' -e "
                 "trace=openat,open,write,fsync,fdatasync,rename,renameat,renameat2 '%s' save '%s' "
                 ">/dev/null 2>&1",
                 trace, program, path);
    ck_assert(len > 0 && (size_t)len < sizeof command);
    if (system(command) != 0) {
        puts("skipped: strace cannot run here");
        scratch_clean();
        return;
    }
    char *text;
    size_t n;
    scratch_read(trace, &text, &n);
    char *at = text;
    static const char *const steps[] = {"file.tmp\"", "write(",      "fsync(",
                                        "rename",     "O_DIRECTORY", "fsync("};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        at = strstr(at, steps[i]);
        ck_assert_ptr_nonnull(at);
        at++;
    }
    mem_free(text);
    scratch_clean();
}
END_TEST

/* Writes files of one value, again and again. */
static void save_for_ever(const char *path)
{
    static double values[20000];
    for (int round = 0;; round++) {
        Error err;
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            values[i] = round;
        }
        const SafeTensor tensor = {.name = "values",
                                   .type = SAFE_F64,
                                   .n_dims = 1,
                                   .shape = {20000},
                                   .n_bytes = sizeof values,
                                   .data = values};
        if (safe_write(path, NULL, 0, &tensor, 1, &err) != OK) {
            _exit(1);
        }
    }
}

/* HEED_KILLS is the number of kills, 100 by default. */
START_TEST(a_kill_while_saving_leaves_a_whole_file)
{
    char path[SCRATCH_PATH];
    Error err;
    const char *asked = getenv("HEED_KILLS");
    const long n_kills = asked == NULL ? 100 : strtol(asked, NULL, 10);
    unsigned short seed[3] = {1, 2, 3};
    int n_temporary = 0;
    scratch_path(path, "model.safetensors");
    ck_assert_int_eq(safe_write(path, NULL, 0, NULL, 0, &err), OK);
    for (long i = 0; i < n_kills; i++) {
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            save_for_ever(path);
        }
        (void)usleep((useconds_t)(nrand48(seed) % 10000));
        int how;
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert_int_eq(waitpid(child, &how, 0), child);
        ck_assert(WIFSIGNALED(how));
        SafeFile *file;
        ck_assert_int_eq(safe_open(&file, path, SAFE_CHECKSUM_REQUIRED, &err), OK);
        ck_assert_int_eq(safe_read(file, &err), OK);
        safe_close(file);
        const int n_files = scratch_count();
        ck_assert_int_le(n_files, 2);
        n_temporary += n_files == 2;
    }
    if (getenv("HEED_EMULATED") == NULL) {
        ck_assert_int_gt(n_temporary, 0); /* some kills came in the middle of a save */
    }
    ck_assert_int_eq(io_check_writable(path, &err), OK);
    ck_assert_int_eq(scratch_count(), 1); /* the next start cleans up */
    scratch_clean();
}
END_TEST

START_TEST(a_file_size_limit_leaves_the_old_file)
{
    char path[SCRATCH_PATH];
    Error err;
    static char large[300000];
    memset(large, 'x', sizeof large - 1);
    scratch_path(path, "file");
    ck_assert_int_eq(save_text(path, "old", &err), OK);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    const struct rlimit small = {.rlim_cur = 100000, .rlim_max = before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Status status = save_text(path, large, &err);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(status, ERR_IO);
    expect_in(err.message, strerror(EFBIG));
    expect_text(path, "old");
    ck_assert_int_eq(scratch_count(), 1);
    scratch_clean();
}
END_TEST

START_TEST(a_full_disk_leaves_the_old_file)
{
#if defined(__linux__)
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], temporary[SCRATCH_PATH];
    Error err;
    static char large[2 << 20];
    memset(large, 'x', sizeof large - 1);
    scratch_path(folder, "small");
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    if (mount("tmpfs", folder, "tmpfs", 0, "size=1m") != 0) {
        puts("skipped: no file system can be mounted here");
    } else {
        scratch_path(path, "small/file");
        const Status first = save_text(path, "old", &err), second = save_text(path, large, &err);
        scratch_path(temporary, "small/file.tmp");
        const int has_temporary = access(temporary, F_OK) == 0;
        char content[4] = "";
        FILE *file = fopen(path, "rb");
        const size_t len = file == NULL ? 0 : fread(content, 1, 3, file);
        if (file != NULL) {
            (void)fclose(file);
        }
        ck_assert_int_eq(umount(folder), 0);
        ck_assert_int_eq(first, OK);
        ck_assert_int_eq(second, ERR_IO);
        expect_in(err.message, strerror(ENOSPC));
        ck_assert_uint_eq(len, 3);
        ck_assert_str_eq(content, "old");
        ck_assert(!has_temporary);
    }
    scratch_clean();
#endif
}
END_TEST

START_TEST(a_full_device_is_reported)
{
    char path[SCRATCH_PATH];
    Error err;
    IoFile *file;
    if (access("/dev/full", W_OK) != 0) {
        puts("skipped: no /dev/full");
        return;
    }
    ck_assert_int_eq(io_open_write(&file, "/dev/full", &err), OK);
    ck_assert_int_eq(io_write(file, "x", 1, &err), OK);
    ck_assert_int_eq(io_close(file, &err), ERR_IO);
    expect_in(err.message, "/dev/full: cannot write: ");
    scratch_path(path, "full"); /* a link, since a broken save by root would replace the device */
    ck_assert_int_eq(symlink("/dev/full", path), 0);
    ck_assert_int_eq(save_text(path, "x", &err), ERR_IO);
    scratch_clean();
}
END_TEST

START_TEST(a_pipe_or_device_is_written_straight)
{
    char path[SCRATCH_PATH];
    Error err;
    scratch_path(path, "null"); /* a save that renames would replace the link, not the device */
    ck_assert_int_eq(symlink("/dev/null", path), 0);
    ck_assert_int_eq(save_text(path, "x", &err), OK);
    struct stat info;
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    ck_assert_int_eq(io_check_writable(path, &err), ERR_IO);

    scratch_path(path, "fifo");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    const int fd = open(path, O_RDWR);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(save_text(path, "straight", &err), OK);
    char content[9] = "";
    ck_assert_int_eq(read(fd, content, 8), 8);
    ck_assert_str_eq(content, "straight");
    (void)close(fd);
    scratch_clean();
}
END_TEST

static int refuses_read_only(const char *path)
{
    Error err;
    if (io_check_writable(path, &err) != ERR_IO || save_text(path, "new", &err) != ERR_IO) {
        return 1;
    }
    return strstr(err.message, strerror(EACCES)) == NULL;
}

START_TEST(a_path_that_cannot_be_saved_is_refused_early)
{
    char path[SCRATCH_PATH], inside[SCRATCH_PATH];
    Error err;
    scratch_path(path, "missing/file");
    ck_assert_int_eq(io_check_writable(path, &err), ERR_IO);
    expect_in(err.message, strerror(ENOENT));
    scratch_path(path, "folder");
    ck_assert_int_eq(mkdir(path, 0555), 0);
    ck_assert_int_eq(io_check_writable(path, &err), ERR_IO);
    expect_in(err.message, "is a folder");
    ck_assert_int_eq(save_text(path, "x", &err), ERR_IO);
    scratch_path(inside, "folder/");
    ck_assert_int_eq(io_check_writable(inside, &err), ERR_IO);
    ck_assert_int_eq(io_check_writable("", &err), ERR_IO);
    scratch_path(inside, "folder/file");
    ck_assert(is_fine_as_user(refuses_read_only, inside));
    scratch_path(path, "plain");
    scratch_write(path, "", 0);
    scratch_path(inside, "plain/file");
    ck_assert_int_eq(io_check_writable(inside, &err), ERR_IO);
    ck_assert_int_eq(scratch_count(), 2);

    scratch_path(path, "fine");
    ck_assert_int_eq(io_check_writable(path, &err), OK);
    ck_assert_int_eq(scratch_count(), 2); /* nothing is left */
    ck_assert_int_eq(save_text(path, "kept", &err), OK);
    ck_assert_int_eq(io_check_writable(path, &err), OK);
    expect_text(path, "kept");
    scratch_clean();
}
END_TEST

START_TEST(what_is_in_the_way_is_not_touched)
{
    char path[SCRATCH_PATH], temporary[SCRATCH_PATH], victim[SCRATCH_PATH];
    Error err;
    scratch_path(path, "file");
    scratch_path(temporary, "file.tmp");
    scratch_path(victim, "victim");
    scratch_write(victim, "precious", 8);
    ck_assert_int_eq(symlink("victim", temporary), 0);
    ck_assert_int_eq(save_text(path, "x", &err), ERR_IO);
    expect_text(victim, "precious");
    ck_assert_int_eq(remove(temporary), 0);
    ck_assert_int_eq(mkfifo(temporary, 0600), 0);
    ck_assert_int_eq(save_text(path, "x", &err), ERR_IO);
    expect_in(err.message, "in the way");
    ck_assert_int_eq(remove(temporary), 0);
    ck_assert_int_eq(mkdir(temporary, 0700), 0);
    ck_assert_int_eq(save_text(path, "x", &err), ERR_IO);
    ck_assert_int_eq(remove(temporary), 0);
    scratch_write(temporary, "of a killed program, longer", 27);
    ck_assert_int_eq(save_text(path, "x", &err), OK);
    expect_text(path, "x");
    ck_assert_int_eq(scratch_count(), 2);
    scratch_clean();
}
END_TEST

START_TEST(the_permissions_of_a_replaced_file_stay)
{
    char path[SCRATCH_PATH];
    Error err;
    struct stat info;
    scratch_path(path, "file");
    scratch_write(path, "old", 3);
    ck_assert_int_eq(chmod(path, 0640), 0);
    ck_assert_int_eq(save_text(path, "new", &err), OK);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0640);
    scratch_clean();
}
END_TEST

/* Four programs save one path at once: each save is done or refused, and the file is always whole.
 */
START_TEST(writers_at_once_do_not_mix)
{
    char path[SCRATCH_PATH];
    Error err;
    scratch_path(path, "file");
    ck_assert_int_eq(save_text(path, "start", &err), OK);
    for (int writer = 0; writer < 4; writer++) {
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            char text[5001] = "";
            memset(text, 'a' + writer, 5000);
            int n_done = 0;
            while (n_done < 20) {
                const Status status = save_text(path, text, &err);
                if (status != OK && strstr(err.message, "another program is using it") == NULL) {
                    (void)fprintf(stderr, "%s\n", err.message);
                    _exit(1);
                }
                n_done += status == OK;
            }
            _exit(0);
        }
    }
    for (int writer = 0; writer < 4; writer++) {
        int how;
        ck_assert_int_ge(wait(&how), 0);
        ck_assert(WIFEXITED(how) && WEXITSTATUS(how) == 0);
        char *bytes;
        size_t len;
        scratch_read(path, &bytes, &len);
        ck_assert(len == 5000 || len == 5);
        ck_assert_uint_eq(strspn(bytes, (char[2]){bytes[0], '\0'}), len == 5 ? 1 : 5000);
        mem_free(bytes);
    }
    ck_assert_int_eq(scratch_count(), 1);
    scratch_clean();
}
END_TEST

START_TEST(a_lock_holds_as_long_as_its_holder)
{
    char path[SCRATCH_PATH], ready[SCRATCH_PATH];
    Error err;
    IoLock *lock, *second;
    scratch_path(path, "model");
    scratch_path(ready, "ready");
    ck_assert_int_eq(io_lock(&lock, path, &err), OK);
    ck_assert_int_eq(io_lock(&second, path, &err), ERR_IO);
    expect_in(err.message, path);
    io_unlock(lock);
    ck_assert_int_eq(scratch_count(), 0);

    ck_assert_int_eq(mkfifo(ready, 0600), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        const Status status = io_lock(&lock, path, &err);
        scratch_write(ready, "x", 1);
        while (status == OK) {
            (void)pause();
        }
        _exit(1);
    }
    const int fd = open(ready, O_RDONLY); /* waits until the child has the lock */
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
    ck_assert_int_eq(io_lock(&second, path, &err), ERR_IO);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(scratch_count(), 2); /* its file stays and is no obstacle */
    ck_assert_int_eq(io_lock(&second, path, &err), OK);
    io_unlock(second);
    ck_assert_int_eq(scratch_count(), 1);
    io_unlock(NULL);
    scratch_clean();
}
END_TEST

START_TEST(an_output_that_is_the_input_is_known)
{
    char path[SCRATCH_PATH], other[SCRATCH_PATH];
    scratch_path(path, "file");
    scratch_path(other, "link");
    ck_assert(!io_save_replaces(path, path)); /* nothing stands there */
    scratch_write(path, "x", 1);
    ck_assert_int_eq(symlink("file", other), 0);
    ck_assert(io_save_replaces(path, path));
    ck_assert(io_save_replaces(path, other));
    ck_assert(io_save_replaces(other, path));
    scratch_path(other, "file.tmp");
    ck_assert(!io_save_replaces(path, other));
    scratch_write(other, "y", 1);
    ck_assert(io_save_replaces(path, other));
    ck_assert(!io_save_replaces(other, path));
    scratch_clean();
}
END_TEST

static void on_alarm(int signal_number)
{
    (void)signal_number;
}

/* A signal every millisecond, whose handler does not make calls start again by themselves. */
static void begin_alarms(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    const struct itimerval often = {.it_interval = {.tv_usec = 1000},
                                    .it_value = {.tv_usec = 1000}};
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void end_alarms(void)
{
    const struct itimerval never = {.it_value = {.tv_usec = 0}};
    ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
}

enum { SLOW_BYTES = 300000, SLOW_CHUNK = 3000 };

/* Reads or writes SLOW_BYTES slowly at the other end of a pipe, then exits. */
static pid_t start_slow_peer(const int ends[2], int is_writing)
{
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)close(ends[!is_writing]);
        char chunk[SLOW_CHUNK] = "";
        for (ssize_t done = 0, n = 1; done < SLOW_BYTES && n > 0; done += n) {
            (void)usleep(1000);
            n = is_writing ? write(ends[1], chunk, sizeof chunk)
                           : read(ends[0], chunk, sizeof chunk);
        }
        _exit(0);
    }
    (void)close(ends[is_writing]);
    return child;
}

/* Once with standard input and output as they are, once set not to wait. */
START_TEST(interrupted_and_unready_calls_are_made_again)
{
    Error err;
    IoFile *file;
    int ends[2];
    static char bytes[SLOW_BYTES];
    const int kept_input = dup(STDIN_FILENO), kept_output = dup(STDOUT_FILENO);
    begin_alarms();
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = start_slow_peer(ends, 1);
    ck_assert_int_eq(fcntl(ends[0], F_SETFL, _i == 0 ? 0 : O_NONBLOCK), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ck_assert_int_eq(io_open_read(&file, "-", &err), OK);
    const Status has_read = io_read_exact(file, bytes, sizeof bytes, &err);
    ck_assert_int_eq(io_close(file, &err), OK);
    (void)close(ends[0]);
    ck_assert_int_eq(has_read, OK);

    ck_assert_int_eq(pipe(ends), 0);
    child = start_slow_peer(ends, 0);
    ck_assert_int_eq(fcntl(ends[1], F_SETFL, _i == 0 ? 0 : O_NONBLOCK), 0);
    (void)fflush(stdout);
    ck_assert_int_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    (void)close(ends[1]);
    ck_assert_int_eq(io_open_write(&file, "-", &err), OK);
    const Status has_written = io_write(file, bytes, sizeof bytes, &err);
    const Status has_closed = io_close(file, &err);
    ck_assert_int_eq(dup2(kept_output, STDOUT_FILENO), STDOUT_FILENO);
    ck_assert_int_eq(dup2(kept_input, STDIN_FILENO), STDIN_FILENO);
    end_alarms();
    ck_assert_int_eq(has_written, OK);
    ck_assert_int_eq(has_closed, OK);
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    (void)child;
}
END_TEST

START_TEST(reading_names_what_is_wrong)
{
    char path[SCRATCH_PATH], bytes[8];
    Error err;
    IoFile *file;
    uint64_t size;
    ck_assert_int_eq(io_open_read(&file, "/", &err), ERR_IO);
    expect_in(err.message, "is a folder");
    scratch_path(path, "missing");
    ck_assert_int_eq(io_open_read(&file, path, &err), ERR_IO);
    expect_in(err.message, strerror(ENOENT));
    ck_assert_int_eq(io_open_write(&file, "/", &err), ERR_IO);
    scratch_path(path, "short");
    scratch_write(path, "abc", 3);
    ck_assert_int_eq(io_open_regular(&file, &size, path, &err), OK);
    ck_assert_uint_eq(size, 3);
    ck_assert_int_eq(io_read_exact(file, bytes, 8, &err), ERR_FORMAT);
    expect_in(err.message, "short: ends at byte 3, 5 bytes too early");
    io_discard(file);
    ck_assert(io_exists(path));
    scratch_path(path, "short/er");
    ck_assert(!io_exists(path));
    scratch_clean();
}
END_TEST

static void add_tests(TCase *c)
{
    tcase_add_test(c, a_save_syncs_renames_and_syncs_the_folder);
    tcase_add_test(c, what_stood_there_is_kept_whatever_fails);
    tcase_add_test(c, strace_sees_sync_rename_sync);
    tcase_add_test(c, a_kill_while_saving_leaves_a_whole_file);
    tcase_add_test(c, a_file_size_limit_leaves_the_old_file);
    tcase_add_test(c, a_full_disk_leaves_the_old_file);
    tcase_add_test(c, a_full_device_is_reported);
    tcase_add_test(c, a_pipe_or_device_is_written_straight);
    tcase_add_test(c, a_path_that_cannot_be_saved_is_refused_early);
    tcase_add_test(c, what_is_in_the_way_is_not_touched);
    tcase_add_test(c, the_permissions_of_a_replaced_file_stay);
    tcase_add_test(c, writers_at_once_do_not_mix);
    tcase_add_test(c, a_lock_holds_as_long_as_its_holder);
    tcase_add_test(c, an_output_that_is_the_input_is_known);
    tcase_add_loop_test(c, interrupted_and_unready_calls_are_made_again, 0, 2);
    tcase_add_test(c, reading_names_what_is_wrong);
}

/* `test_io save PATH` saves once and exits: what runs under strace. */
int main(int argc, char **argv)
{
    Error err;
    program = argv[0];
    if (argc == 3 && strcmp(argv[1], "save") == 0) {
        return save_text(argv[2], "content", &err) == OK ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    return run_suite("io", add_tests);
}

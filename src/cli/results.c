/* Results; see the header. */
#include "cli/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

struct Results {
    IoFile *stream; /* standard output */
    IoSave *save;   /* or a file */
};

static int is_standard(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

Status results_open(Results **out, const char *path, Error *err)
{
    Results *results = mem_zero_alloc(1, sizeof *results);
    if (results == NULL) {
        return mem_fail(err, "results", 1, sizeof *results);
    }
    const Status status = is_standard(path) ? io_open_write(&results->stream, "-", err)
                                            : io_save_begin(&results->save, path, err);
    if (status != OK) {
        mem_free(results);
        return status;
    }
    *out = results;
    return OK;
}

Status results_write(Results *results, Buffer *text, Error *err)
{
    const Status status = results->stream != NULL
                              ? io_write(results->stream, text->bytes, text->len, err)
                              : io_save_write(results->save, text->bytes, text->len, err);
    buffer_clear(text);
    return status;
}

Status results_flush(Results *results, Error *err)
{
    return results->stream != NULL ? io_flush(results->stream, err) : OK;
}

Status results_close(Results *results, Status status, Error *err)
{
    if (results == NULL) {
        return status;
    }
    if (results->stream != NULL) {
        /* whole lines were written: they are results even if a later one failed */
        Error second;
        const Status closed = io_close(results->stream, status == OK ? err : &second);
        status = status == OK ? closed : status;
    } else if (status == OK) {
        status = io_save_commit(results->save, err);
    } else {
        io_save_abort(results->save);
    }
    mem_free(results);
    return status;
}

Status results_check(const char *option, const char *path, const char *const *inputs, int n,
                     Error *err)
{
    for (int i = 0; i < n && !is_standard(path); i++) {
        if (!is_standard(inputs[i]) && io_save_replaces(path, inputs[i])) {
            return fail(err, ERR_ARG, "--%s %.200s: would replace %.200s", option, path, inputs[i]);
        }
    }
    return OK;
}

Status results_check_other(const char *option, const char *path, const char *other_option,
                           const char *other, Error *err)
{
    struct stat found;
    if (path == NULL || other == NULL) {
        return OK;
    }
    const int is_device = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
    if ((strcmp(path, other) == 0 && !is_device) ||
        (!is_standard(path) && !is_standard(other) && io_save_replaces(path, other))) {
        return fail(err, ERR_ARG, "--%s %.200s: --%s goes there already", option, path,
                    other_option);
    }
    return OK;
}

int screen_has_color(int choice)
{
    const char *forbidden = getenv("NO_COLOR");
    if (choice != 0) {
        return choice == 1;
    }
    return isatty(STDOUT_FILENO) && (forbidden == NULL || forbidden[0] == '\0');
}

int screen_width(int fd)
{
    struct winsize size;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

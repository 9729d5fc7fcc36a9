/* Results and error sentences.
 *
 * Every function that can fail returns a Status and takes an `Error *err` last. On failure it
 * leaves its outputs untouched, has released what it took, and err holds one sentence a user can
 * act on: the object, the value found, the bound. On success err is untouched. err may be NULL when
 * the caller has no use for the sentence.
 *
 * Threads: an Error belongs to one thread. */
#ifndef HEED_BASE_STATUS_H
#define HEED_BASE_STATUS_H

typedef enum Status {
    OK = 0,
    ERR_NOMEM,    /* memory refused */
    ERR_IO,       /* the system refused: open, read, write, a missing file */
    ERR_FORMAT,   /* the content of an input file */
    ERR_ARG,      /* an option or an argument out of its range */
    ERR_DIVERGED, /* training no longer yields finite numbers */
    ERR_SIGNAL    /* ended by a signal after the work was saved */
} Status;

enum { ERROR_CAP = 1024 };

typedef struct Error {
    Status code;
    int signal; /* the signal's number with ERR_SIGNAL, else 0 */
    char message[ERROR_CAP];
} Error;

#if defined(__GNUC__)
#define CHECK_FORMAT(f, a) __attribute__((format(printf, f, a)))
#define MUST_USE           __attribute__((warn_unused_result))
#else
#define CHECK_FORMAT(f, a)
#define MUST_USE
#endif

/* Writes the sentence into err (which may be NULL), cut at ERROR_CAP - 1 bytes, and returns code.
 */
Status fail(Error *err, Status code, const char *format, ...) CHECK_FORMAT(3, 4);

/* Puts "prefix: " before the sentence that err already holds and returns its code. */
Status fail_within(Error *err, const char *prefix);

/* The exit code of the program for a status: 0, 1, 2 or 3 as the manual documents. */
int status_exit_code(Status status);

/* Passes a failure up when nothing is held. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const Status try_status = (call);                                                          \
        if (try_status != OK) {                                                                    \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)

#endif

/* Damage to the model file of a released version: every bit of it turned over, every length that is
 * too short, bytes added before and behind. Each file is refused with a sentence; the whole one loads.
 *
 * HEED_SWEEP=all turns over each bit, 193,408 in both files; otherwise one in STRIDE. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/model_file.h"
#include "support/check_main.h"
#include "support/scratch.h"

enum { STRIDE = 23, MAX_ADDED = 4096 };

static const char *const RELEASED[] = {"tests/data/released/0.1.0.safetensors",
                                       "tests/data/released/0.1.0-int8.safetensors"};
enum { N_RELEASED = sizeof RELEASED / sizeof *RELEASED };

/* A copy that can be damaged, and its bytes. */
typedef struct Copy {
    char path[SCRATCH_PATH];
    char *bytes;
    size_t len;
    int fd;
} Copy;

static Copy open_copy(int which)
{
    Copy copy;
    scratch_path(copy.path, "m.safetensors");
    scratch_read(RELEASED[which], &copy.bytes, &copy.len);
    scratch_write(copy.path, copy.bytes, copy.len);
    copy.fd = open(copy.path, O_RDWR);
    ck_assert_int_ge(copy.fd, 0);
    return copy;
}

static void close_copy(Copy *copy)
{
    ck_assert_int_eq(close(copy->fd), 0);
    mem_free(copy->bytes);
    scratch_clean();
}

static Status load(const char *path, Error *err)
{
    Seq2Seq *model;
    ModelText text = {0};
    *err = (Error){.code = OK};
    const Status status = model_file_load(&model, &text, path, err);
    if (status == OK) {
        seq2seq_free(model);
        model_text_free(&text);
    }
    return status;
}

static void expect_refused(const Copy *copy, const char *what, size_t number)
{
    Error err;
    const Status status = load(copy->path, &err);
    if (status != ERR_FORMAT || strncmp(err.message, copy->path, strlen(copy->path)) != 0) {
        ck_abort_msg("%s %zu: status %d: %s", what, number, (int)status, err.message);
    }
}

/* The double build has no use for F32, and says so; int8 files are the same in both. */
static void expect_whole(const Copy *copy)
{
    Error err;
    const Status status = load(copy->path, &err);
    if (sizeof(real) == sizeof(float)) {
        ck_assert_msg(status == OK, "%s", err.message);
    } else {
        ck_assert(status == OK || status == ERR_FORMAT);
    }
}

START_TEST(every_bit_turned_over_is_refused)
{
    Copy copy = open_copy(_i);
    const char *asked = getenv("HEED_SWEEP");
    const size_t step = asked != NULL && strcmp(asked, "all") == 0 ? 1 : STRIDE;
    expect_whole(&copy);
    for (size_t bit = 0; bit < copy.len * 8; bit += step) {
        const char *byte = copy.bytes + bit / 8, turned = (char)(*byte ^ 1 << bit % 8);
        ck_assert_int_eq(pwrite(copy.fd, &turned, 1, (off_t)(bit / 8)), 1);
        expect_refused(&copy, "bit", bit);
        ck_assert_int_eq(pwrite(copy.fd, byte, 1, (off_t)(bit / 8)), 1);
    }
    expect_whole(&copy);
    close_copy(&copy);
}
END_TEST

START_TEST(every_length_too_short_is_refused)
{
    Copy copy = open_copy(_i);
    for (size_t len = copy.len; len-- > 0;) {
        ck_assert_int_eq(ftruncate(copy.fd, (off_t)len), 0);
        expect_refused(&copy, "length", len);
    }
    close_copy(&copy);
}
END_TEST

START_TEST(bytes_added_are_refused)
{
    Copy copy = open_copy(_i);
    char *longer = mem_zero_alloc(copy.len + MAX_ADDED, 1);
    ck_assert_ptr_nonnull(longer);
    for (size_t n = 1; n <= MAX_ADDED; n += 1 + n / 8) {
        memcpy(longer, copy.bytes, copy.len);
        memset(longer + copy.len, 0, n);
        scratch_write(copy.path, longer, copy.len + n);
        expect_refused(&copy, "bytes behind:", n);
        memset(longer, 0, n);
        memcpy(longer + n, copy.bytes, copy.len);
        scratch_write(copy.path, longer, copy.len + n);
        expect_refused(&copy, "bytes before:", n);
    }
    mem_free(longer);
    close_copy(&copy);
}
END_TEST

TEST_MAIN("damage", tcase_add_loop_test(c, every_bit_turned_over_is_refused, 0, N_RELEASED);
          tcase_add_loop_test(c, every_length_too_short_is_refused, 0, N_RELEASED);
          tcase_add_loop_test(c, bytes_added_are_refused, 0, N_RELEASED);)

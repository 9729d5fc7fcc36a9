/* text/lines: what ends a line, marks at the start, gzip, very long lines, failures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "base/buffer.h"
#include "base/io.h"
#include "base/mem.h"
#include "support/check_main.h"
#include "text/lines.h"

static char path[] = "/tmp/heed-lines-XXXXXX";

/* A file of its own for each test program. */
static void write_file(const void *bytes, size_t len)
{
    if (strstr(path, "XXXXXX") != NULL) {
        const int fd = mkstemp(path);
        ck_assert_int_ge(fd, 0);
        (void)close(fd);
    }
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

static LineReader *open_file(void)
{
    LineReader *reader;
    Error err;
    ck_assert_int_eq(lines_open(&reader, path, &err), OK);
    return reader;
}

static void expect_line(LineReader *reader, const char *text, size_t len, long number)
{
    Line line;
    Error err = {0};
    ck_assert_int_eq(lines_next(reader, &line, &err), OK);
    ck_assert_ptr_nonnull(line.text);
    ck_assert_uint_eq(line.len, len);
    ck_assert_mem_eq(line.text, text, len);
    ck_assert_int_eq(line.number, number);
    ck_assert_int_eq(line.is_continued, 0);
}

static void expect_end(LineReader *reader, long n_lines)
{
    Line line;
    Error err;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(lines_next(reader, &line, &err), OK);
        ck_assert_ptr_null(line.text);
        ck_assert_int_eq(line.number, n_lines);
    }
    lines_close(reader);
    (void)unlink(path);
}

#define FILE_OF(text) write_file(text, sizeof(text) - 1)

START_TEST(only_lf_ends_a_line)
{
    FILE_OF("one\r\ntwo\rstill\vtwo\n\n\xC2\x85\xE2\x80\xA8\0x\r\r\nlast");
    LineReader *r = open_file();
    expect_line(r, "one", 3, 1);
    expect_line(r, "two\rstill\vtwo", 13, 2);
    expect_line(r, "", 0, 3);
    expect_line(r, "\xC2\x85\xE2\x80\xA8\0x\r", 8, 4);
    expect_line(r, "last", 4, 5);
    expect_end(r, 5);
}
END_TEST

START_TEST(a_final_newline_makes_no_line)
{
    FILE_OF("a\n");
    LineReader *r = open_file();
    expect_line(r, "a", 1, 1);
    expect_end(r, 1);
    FILE_OF("");
    expect_end(open_file(), 0);
    FILE_OF("\n");
    r = open_file();
    expect_line(r, "", 0, 1);
    expect_end(r, 1);
}
END_TEST

START_TEST(a_byte_order_mark_is_dropped_at_the_start_only)
{
    FILE_OF("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n");
    LineReader *r = open_file();
    expect_line(r, "one", 3, 1);
    expect_line(r, "\xEF\xBB\xBFtwo", 6, 2);
    expect_end(r, 2);
    FILE_OF("\xEF\xBB\xBF");
    expect_end(open_file(), 0);
    FILE_OF("\xEF\xBB");
    r = open_file();
    expect_line(r, "\xEF\xBB", 2, 1);
    expect_end(r, 1);
}
END_TEST

START_TEST(utf16_is_recognised_and_its_bytes_are_text)
{
    FILE_OF("\xFF\xFE"
            "a\0\n\0");
    LineReader *r = open_file();
    expect_line(r,
                "\xFF\xFE"
                "a\0",
                4, 1);
    ck_assert_int_eq(lines_is_utf16(r), 1);
    expect_line(r, "\0", 1, 2);
    expect_end(r, 2);
    FILE_OF("\xFF"
            "a\n");
    r = open_file();
    expect_line(r,
                "\xFF"
                "a",
                2, 1);
    ck_assert_int_eq(lines_is_utf16(r), 0);
    expect_end(r, 1);
}
END_TEST

START_TEST(a_very_long_line_comes_in_parts)
{
    /* Three-byte characters: the limit is inside one. */
    enum { N = LINE_MAX_BYTES / 3 + 1000 };
    Buffer text = {0};
    Error err;
    Line line;
    ck_assert_int_eq(buffer_add_text(&text, "first\n", &err), OK);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(buffer_add(&text, "\xE6\x88\x91", 3, &err), OK);
    }
    ck_assert_int_eq(buffer_add_text(&text, "\nlast", &err), OK);
    write_file(text.bytes, text.len);
    buffer_free(&text);
    LineReader *r = open_file();
    expect_line(r, "first", 5, 1);
    ck_assert_int_eq(lines_next(r, &line, &err), OK);
    ck_assert_int_eq(line.is_continued, 1);
    ck_assert_uint_eq(line.len, LINE_MAX_BYTES / 3 * 3);
    ck_assert_int_eq(line.number, 2);
    const size_t len = line.len;
    ck_assert_int_eq(lines_next(r, &line, &err), OK);
    ck_assert_int_eq(line.is_continued, 0);
    ck_assert_int_eq(line.number, 2);
    ck_assert_uint_eq(line.len + len, 3 * (size_t)N);
    expect_line(r, "last", 4, 3);
    expect_end(r, 3);
}
END_TEST

/* Compresses text as one gzip member behind what out holds. */
static void add_member(Buffer *out, const char *text, size_t len)
{
    z_stream zip = {0};
    unsigned char packed[4096];
    Error err;
    ck_assert_int_eq(deflateInit2(&zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zip.next_in = (unsigned char *)(size_t)text;
    zip.avail_in = (uInt)len;
    zip.next_out = packed;
    zip.avail_out = sizeof packed;
    ck_assert_int_eq(deflate(&zip, Z_FINISH), Z_STREAM_END);
    ck_assert_int_eq(buffer_add(out, packed, zip.total_out, &err), OK);
    ck_assert_int_eq(deflateEnd(&zip), Z_OK);
}

START_TEST(gzip_is_inflated_with_all_its_members)
{
    Buffer packed = {0};
    Error err;
    add_member(&packed, "\xEF\xBB\xBFone\ntw", 9);
    add_member(&packed, "", 0);
    add_member(&packed, "o\nthree", 7);
    ck_assert_int_eq(buffer_add(&packed, "\0\0\0", 3, &err), OK); /* padding */
    write_file(packed.bytes, packed.len);
    LineReader *r = open_file();
    expect_line(r, "one", 3, 1);
    expect_line(r, "two", 3, 2);
    expect_line(r, "three", 5, 3);
    expect_end(r, 3);
    buffer_free(&packed);
}
END_TEST

/* Reads all lines; the first failure. */
static Status read_all(Error *err)
{
    LineReader *reader;
    Line line;
    TRY(lines_open(&reader, path, err));
    Status status;
    do {
        status = lines_next(reader, &line, err);
    } while (status == OK && line.text != NULL);
    lines_close(reader);
    return status;
}

START_TEST(damaged_gzip_is_refused_and_never_crashes)
{
    static const char text[] = "a line\nand another line of text, somewhat longer\n";
    Buffer packed = {0};
    Error err;
    add_member(&packed, text, sizeof text - 1);
    for (size_t n = 3; n < packed.len; n++) { /* cut */
        write_file(packed.bytes, n);
        ck_assert_int_eq(read_all(&err), ERR_FORMAT);
    }
    int n_refused = 0;
    for (size_t i = 2; i < packed.len; i++) { /* flipped */
        packed.bytes[i] ^= 0x40;
        write_file(packed.bytes, packed.len);
        const Status status = read_all(&err);
        ck_assert(status == OK || status == ERR_FORMAT);
        n_refused += status == ERR_FORMAT;
        packed.bytes[i] ^= 0x40;
    }
    ck_assert_int_gt(n_refused, (int)packed.len / 2);
    write_file("\x1F\x8B", 2);
    ck_assert_int_eq(read_all(&err), ERR_FORMAT);
    (void)unlink(path);
    buffer_free(&packed);
}
END_TEST

START_TEST(every_refused_call_is_reported)
{
    Buffer packed = {0};
    add_member(&packed, "one\ntwo\n", 8);
    write_file(packed.bytes, packed.len);
    for (int what = 0; what < 2; what++) {
        long n = 1;
        for (;; n++) {
            Error err = {0};
            if (what == 0) {
                mem_fail_at(n, 0);
            } else {
                io_fail_at(n, 0);
            }
            const Status status = read_all(&err);
            const int has_failed = what == 0 ? mem_failed() : io_failed();
            mem_fail_at(0, 0);
            io_fail_at(0, 0);
            if (!has_failed) {
                ck_assert_int_eq(status, OK);
                break;
            }
            ck_assert_int_eq(status, what == 0 ? ERR_NOMEM : ERR_IO);
            ck_assert_int_gt((int)strlen(err.message), 10);
        }
        ck_assert_int_gt(n, 2);
    }
    (void)unlink(path);
    buffer_free(&packed);
}
END_TEST

START_TEST(a_missing_file_and_a_folder_are_named)
{
    LineReader *reader;
    Error err;
    ck_assert_int_eq(lines_open(&reader, "/no/such/file", &err), ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "/no/such/file"));
    ck_assert_int_eq(lines_open(&reader, "/", &err), ERR_IO);
}
END_TEST

TEST_MAIN("lines", tcase_add_test(c, only_lf_ends_a_line);
          tcase_add_test(c, a_final_newline_makes_no_line);
          tcase_add_test(c, a_byte_order_mark_is_dropped_at_the_start_only);
          tcase_add_test(c, utf16_is_recognised_and_its_bytes_are_text);
          tcase_add_test(c, a_very_long_line_comes_in_parts);
          tcase_add_test(c, gzip_is_inflated_with_all_its_members);
          tcase_add_test(c, damaged_gzip_is_refused_and_never_crashes);
          tcase_add_test(c, every_refused_call_is_reported);
          tcase_add_test(c, a_missing_file_and_a_folder_are_named);)

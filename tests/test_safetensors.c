/* safetensors: what is written can be read, and what is damaged or hostile is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/checksum.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/safetensors.h"
#include "support/check_main.h"
#include "support/scratch.h"

/* The CRC-32 of gzip, bit by bit: the reference for zlib's. */
static uint32_t slow_crc(uint32_t crc, const char *bytes, size_t len)
{
    crc = ~crc;
    for (size_t i = 0; i < len; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

/* A file of this header and n_data bytes of data; the first "00000000" becomes the checksum. */
static void write_raw(const char *path, const char *header, size_t len, const char *data,
                      size_t n_data)
{
    Error err;
    Buffer file = {.max = 0};
    unsigned char length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (unsigned char)((uint64_t)len >> (8 * i));
    }
    ck_assert_int_eq(buffer_add(&file, length, 8, &err), OK);
    ck_assert_int_eq(buffer_add(&file, header, len, &err), OK);
    ck_assert_int_eq(buffer_add(&file, data, n_data, &err), OK);
    char *digits = strstr(file.bytes + 8, "00000000");
    if (digits != NULL) {
        char text[9];
        (void)snprintf(text, sizeof text, "%08x", slow_crc(0, file.bytes, file.len));
        memcpy(digits, text, 8);
    }
    scratch_write(path, file.bytes, file.len);
    buffer_free(&file);
}

/* Opens and reads; the status of the first step that fails. */
static Status load(const char *path, SafeChecksum checksum, Error *err)
{
    SafeFile *file;
    TRY(safe_open(&file, path, checksum, err));
    const Status status = safe_read(file, err);
    safe_close(file);
    return status;
}

static const float floats[6] = {1, -2.5f, 3, 4, 5, 1e-30f};
static const double number = 0.1;
static const signed char bytes[3] = {-1, 0, 127};

/* Tensors of four element sizes in the order that the writer has to change. */
static const SafeTensor sample[] = {
    {.name = "bytes", .type = SAFE_I8, .n_dims = 1, .shape = {3}, .n_bytes = 3, .data = bytes},
    {.name = "floats",
     .type = SAFE_F32,
     .n_dims = 2,
     .shape = {2, 3},
     .n_bytes = 24,
     .data = floats},
    {.name = "nothing", .type = SAFE_F16, .n_dims = 2, .shape = {0, 7}, .n_bytes = 0, .data = NULL},
    {.name = "number \"\xc3\xa9\\\"",
     .type = SAFE_F64,
     .n_dims = 0,
     .n_bytes = 8,
     .data = &number}};
enum { N_SAMPLE = sizeof sample / sizeof sample[0] };

static const SafePair pairs[] = {{"kind", "sample"}, {"text", "a\tb\n\"\\\x01\xf0\x9f\x90\x88"}};

static void write_sample(char path[SCRATCH_PATH])
{
    Error err;
    scratch_path(path, "sample.safetensors");
    ck_assert_int_eq(safe_write(path, pairs, 2, sample, N_SAMPLE, &err), OK);
}

START_TEST(what_is_written_is_read)
{
    char path[SCRATCH_PATH];
    Error err;
    SafeFile *file;
    write_sample(path);
    ck_assert_int_eq(safe_open(&file, path, SAFE_CHECKSUM_REQUIRED, &err), OK);
    ck_assert_int_eq(safe_count(file), N_SAMPLE);
    ck_assert_ptr_null(safe_at(file, 0)->data);
    ck_assert_int_eq(safe_read(file, &err), OK);
    for (int i = 0; i < N_SAMPLE; i++) {
        const SafeTensor *t = safe_find(file, sample[i].name);
        ck_assert_ptr_nonnull(t);
        ck_assert_int_eq(t->type, sample[i].type);
        ck_assert_int_eq(t->n_dims, sample[i].n_dims);
        ck_assert_mem_eq(t->shape, sample[i].shape, sizeof t->shape);
        ck_assert_uint_eq(t->n_bytes, sample[i].n_bytes);
        ck_assert_uint_eq((uintptr_t)t->data % safe_type_size(t->type), 0);
        if (t->n_bytes > 0) {
            ck_assert_mem_eq(t->data, sample[i].data, t->n_bytes);
        }
    }
    ck_assert_ptr_null(safe_find(file, "byte"));
    ck_assert_int_eq(safe_count_metadata(file), 3);
    ck_assert_str_eq(safe_metadata_at(file, 0).key, "checksum");
    ck_assert_str_eq(safe_metadata(file, "kind"), pairs[0].value);
    ck_assert_str_eq(safe_metadata(file, "text"), pairs[1].value);
    ck_assert_ptr_null(safe_metadata(file, "absent"));
    safe_close(file);
    scratch_clean();
}
END_TEST

/* The file in tests/data is read by a reader in Python (tests/test_safetensors_python.py). */
START_TEST(the_bytes_are_those_of_the_file_that_is_kept)
{
    char path[SCRATCH_PATH], *ours, *kept;
    size_t len_ours, len_kept;
    write_sample(path);
    scratch_read(path, &ours, &len_ours);
    scratch_read("tests/data/sample.safetensors", &kept, &len_kept);
    ck_assert_uint_eq(len_ours, len_kept);
    ck_assert_mem_eq(ours, kept, len_kept);
    mem_free(ours);
    mem_free(kept);
    scratch_clean();
}
END_TEST

START_TEST(a_file_without_tensors_is_a_file)
{
    char path[SCRATCH_PATH];
    Error err;
    scratch_path(path, "none");
    ck_assert_int_eq(safe_write(path, NULL, 0, NULL, 0, &err), OK);
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_REQUIRED, &err), OK);
    write_raw(path, "{}", 2, "", 0);
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), OK);
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_REQUIRED, &err), ERR_FORMAT);
    scratch_clean();
}
END_TEST

START_TEST(every_prefix_is_refused)
{
    char path[SCRATCH_PATH], *content;
    size_t len;
    Error err;
    write_sample(path);
    scratch_read(path, &content, &len);
    for (size_t n = len; n-- > 0;) {
        ck_assert_int_eq(truncate(path, (off_t)n), 0);
        ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
    }
    mem_free(content);
    scratch_clean();
}
END_TEST

/* A file of some 2,000 bytes, most of them data. */
static void write_two_thousand(char path[SCRATCH_PATH])
{
    Error err;
    float weights[400];
    for (int i = 0; i < 400; i++) {
        weights[i] = 1.0f / (float)(i + 1);
    }
    const SafeTensor tensors[] = {{.name = "weights",
                                   .type = SAFE_F32,
                                   .n_dims = 2,
                                   .shape = {20, 20},
                                   .n_bytes = sizeof weights,
                                   .data = weights},
                                  sample[0]};
    scratch_path(path, "two-thousand");
    ck_assert_int_eq(safe_write(path, pairs, 2, tensors, 2, &err), OK);
}

START_TEST(every_bit_flip_is_refused)
{
    char path[SCRATCH_PATH], *content;
    size_t len;
    Error err;
    write_two_thousand(path);
    scratch_read(path, &content, &len);
    ck_assert(len > 1600 && len < 2400);
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    (void)setvbuf(file, NULL, _IONBF, 0);
    for (size_t i = 0; i < len; i++) {
        for (int bit = 0; bit <= 8; bit++) { /* the ninth time it is put back */
            ck_assert_int_eq(fseek(file, (long)i, SEEK_SET), 0);
            ck_assert_int_ne(fputc((unsigned char)content[i] ^ (bit == 8 ? 0 : 1 << bit), file),
                             EOF);
            ck_assert_int_eq(load(path, SAFE_CHECKSUM_REQUIRED, &err), bit == 8 ? OK : ERR_FORMAT);
        }
    }
    (void)fclose(file);
    mem_free(content);
    scratch_clean();
}
END_TEST

START_TEST(bytes_before_or_after_are_refused)
{
    char path[SCRATCH_PATH], *content;
    size_t len;
    Error err;
    write_sample(path);
    scratch_read(path, &content, &len);
    static char padded[8192];
    ck_assert_uint_lt(len, 4096);
    static const size_t counts[] = {1, 2, 7, 8, 64, 1000, 4096};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (int fill = 0; fill < 256; fill += 32) {
            memset(padded, fill, sizeof padded);
            memcpy(padded, content, len);
            scratch_write(path, padded, len + counts[i] < 8192 ? len + counts[i] : 8192);
            ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
            memset(padded, fill, sizeof padded);
            memcpy(padded + counts[i] % 4096, content, len);
            scratch_write(path, padded, len + counts[i] % 4096 + (counts[i] == 4096));
            ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
        }
    }
    mem_free(content);
    scratch_clean();
}
END_TEST

/* Headers over 16 bytes of data with a right checksum. The first is accepted, so that the others
 * are refused for what they change in it. */
#define META "\"__metadata__\":{\"checksum\":\"00000000\"}"
#define A    "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
#define B    "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}"
#define SHAPE(text)                                                                                \
    "{" META "," A ",\"b\":{\"dtype\":\"F32\",\"shape\":" text ",\"data_offsets\":[8,16]}}"
#define OFFSETS(text)                                                                              \
    "{" META "," A ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" text "}}"
#define TENSOR(text) "{" META "," A ",\"b\":" text "}"
#define NAME(text)                                                                                 \
    "{" META "," A ",\"" text "\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}"
#define METADATA(text) "{\"__metadata__\":" text "," A "," B "}"

static const char *const accepted[] = {
    "{" META "," A "," B "}",
    "{" A "," B "," META "}",
    "{" B "," META "," A "}  ",
    "{ " META " ,\n" A "\t,\r" B " } \n",
    SHAPE("[1,2]"),
    SHAPE("[ 2 , 1 ]"),
    SHAPE("[1,1,1,1,1,1,1,2]"),
    TENSOR("{\"data_offsets\":[8,16],\"shape\":[],\"dtype\":\"I64\"}"),
    TENSOR("{\"dtype\":\"BOOL\",\"shape\":[8],\"data_offsets\":[8,16]}"),
    NAME("\\u00e9\\ud83d\\ude00\\\"\\/"),
    NAME("\xf4\x8f\xbf\xbf\xed\x9f\xbf\xe0\xa0\x80\xf0\x90\x80\x80"),
    METADATA("{\"checksum\":\"00000000\",\"a\":\"\",\"b\":\"\\n\\u0001\"}"),
    "{" META "," A "," B ",\"e\":{\"dtype\":\"F32\",\"shape\":[5,0],\"data_offsets\":[8,8]}"
    ",\"f\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[16,16]}}",
};

static const char *const refused[] = {
    "",
    " ",
    "[]",
    "{",
    "{" META,
    "{" META "," A "," B,
    " {" META "," A "," B "}",
    "{" META "," A "," B "}{}",
    "{" META "," A "," B "},",
    "{" META "," A "," B ",}",
    "{," META "," A "," B "}",
    "{" META "," A " " B "}",
    "{" META "," META "," A "," B "}",
    /* missing, extra, twice, over one another, a hole, out of place */
    "{" META "," A "}",
    "{" META "," B "}",
    "{" META "}",
    "{" META "," A "," A "," B "}",
    "{" META "," A "," B ",\"c\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[16,24]}}",
    "{" META "," A "," B ",\"c\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}",
    "{" META "," A ",\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}",
    "{" META "," B ",\"c\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}",
    "{" META "," B ",\"c\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
    "{" META ",\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
    "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[3,11]},"
    "\"c\":{\"dtype\":\"U8\",\"shape\":[5],\"data_offsets\":[11,16]}}",
    /* numbers of a shape */
    SHAPE("[0]"),
    SHAPE("[1]"),
    SHAPE("[3]"),
    SHAPE("[]"),
    SHAPE("[2147483648]"),
    SHAPE("[4294967296]"),
    SHAPE("[4398046511105]"),
    SHAPE("[4611686018427387904]"),
    SHAPE("[4611686018427387906]"),
    SHAPE("[18446744073709551615]"),
    SHAPE("[18446744073709551616]"),
    SHAPE("[99999999999999999999999999]"),
    SHAPE("[4294967296,4294967296]"),
    SHAPE("[2147483648,2147483648,2,2]"),
    SHAPE("[2,0]"),
    SHAPE("[1,1,1,1,1,1,1,1,2]"),
    SHAPE("[-2]"),
    SHAPE("[2.0]"),
    SHAPE("[2e0]"),
    SHAPE("[02]"),
    SHAPE("[+2]"),
    SHAPE("[\"2\"]"),
    SHAPE("[2,]"),
    SHAPE("[,2]"),
    SHAPE("[[2]]"),
    SHAPE("2"),
    SHAPE("null"),
    SHAPE("{}"),
    SHAPE("[2"),
    /* numbers of data_offsets */
    OFFSETS("[0,0]"),
    OFFSETS("[0,8]"),
    OFFSETS("[1,16]"),
    OFFSETS("[8,15]"),
    OFFSETS("[8,17]"),
    OFFSETS("[9,17]"),
    OFFSETS("[16,8]"),
    OFFSETS("[8,2147483648]"),
    OFFSETS("[8,4294967296]"),
    OFFSETS("[8,4398046511105]"),
    OFFSETS("[8,4611686018427387904]"),
    OFFSETS("[8,18446744073709551615]"),
    OFFSETS("[18446744073709551615,7]"),
    OFFSETS("[18446744073709551608,18446744073709551615]"),
    OFFSETS("[8,18446744073709551632]"),
    OFFSETS("[8]"),
    OFFSETS("[]"),
    OFFSETS("[8,16,24]"),
    OFFSETS("[-8,16]"),
    OFFSETS("\"8,16\""),
    /* the object of a tensor */
    TENSOR("{}"),
    TENSOR("[]"),
    TENSOR("null"),
    TENSOR("{\"dtype\":\"F32\",\"shape\":[2]}"),
    TENSOR("{\"dtype\":\"F32\",\"data_offsets\":[8,16]}"),
    TENSOR("{\"shape\":[2],\"data_offsets\":[8,16]}"),
    TENSOR("{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16],\"x\":1}"),
    TENSOR("{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}"),
    TENSOR("{\"dtype\":\"F33\",\"shape\":[2],\"data_offsets\":[8,16]}"),
    TENSOR("{\"dtype\":\"f32\",\"shape\":[2],\"data_offsets\":[8,16]}"),
    TENSOR("{\"dtype\":\"\",\"shape\":[2],\"data_offsets\":[8,16]}"),
    TENSOR("{\"dtype\":32,\"shape\":[2],\"data_offsets\":[8,16]}"),
    TENSOR("{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[8,16]}"),
    /* text */
    NAME(""),
    NAME("\x80"),
    NAME("\xc0\x80"),
    NAME("\xc3"),
    NAME("\xe0\x80\x80"),
    NAME("\xed\xa0\x80"),
    NAME("\xf0\x80\x80\x80"),
    NAME("\xf4\x90\x80\x80"),
    NAME("\xf5\x80\x80\x80"),
    NAME("\xff"),
    NAME("\x01"),
    NAME("\x7f"),
    NAME("\\u0000"),
    NAME("x\\u001b[2J"),
    NAME("\\ud800"),
    NAME("\\udc00"),
    NAME("\\ud800\\u0041"),
    NAME("\\ud800\\ud800"),
    NAME("\\u12g4"),
    NAME("\\u12"),
    NAME("\\x41"),
    NAME("\\"),
    NAME("__metadata__"),
    /* metadata */
    METADATA("{\"checksum\":\"00000000\",\"a\":1}"),
    METADATA("{\"checksum\":\"00000000\",\"a\":null}"),
    METADATA("{\"checksum\":\"00000000\",\"a\":{}}"),
    METADATA("{\"checksum\":\"00000000\",\"a\":[\"b\"]}"),
    METADATA("{\"checksum\":\"00000000\",\"a\":\"b\",\"a\":\"b\"}"),
    METADATA("{\"checksum\":\"00000000\",\"checksum\":\"00000000\"}"),
    METADATA("{\"checksum\":\"00000000\",\"\":\"b\"}"),
    METADATA("{\"checksum\":\"00000000\",\"a\":\"\\u0000\"}"),
    METADATA("{\"checksum\":\"00000000\",\"a\":\"\xff\"}"),
    METADATA("{\"checksum\":\"00000000\",\"a\":\"\x1f\"}"),
    METADATA("{\"checksum\":\"00000000\""),
    METADATA("{\"checksum\":\"0000000\"}"),
    METADATA("{\"checksum\":\"000000000\"}"),
    METADATA("{\"checksum\":\"0000000\\u0030\"}"),
    METADATA("{\"checksum\":\"\"}"),
    METADATA("{}"),
    METADATA("[]"),
    METADATA("\"checksum\""),
    METADATA("null"),
    "{" A "," B "}",
};

START_TEST(a_header_of_the_format_is_accepted)
{
    char path[SCRATCH_PATH];
    Error err;
    scratch_path(path, "file");
    write_raw(path, accepted[_i], strlen(accepted[_i]), "0123456789abcdef", 16);
    if (load(path, SAFE_CHECKSUM_REQUIRED, &err) != OK) {
        ck_abort_msg("%s: %s", accepted[_i], err.message);
    }
    scratch_clean();
}
END_TEST

START_TEST(a_hostile_header_is_refused_when_it_is_opened)
{
    char path[SCRATCH_PATH];
    Error err = {.code = OK};
    SafeFile *file = NULL;
    scratch_path(path, "file");
    write_raw(path, refused[_i], strlen(refused[_i]), "0123456789abcdef", 16);
    const Status status = safe_open(&file, path, SAFE_CHECKSUM_REQUIRED, &err);
    if (status != ERR_FORMAT || strncmp(err.message, path, strlen(path)) != 0) {
        ck_abort_msg("%s: status %d: %s", refused[_i], (int)status, err.message);
    }
    scratch_clean();
}
END_TEST

START_TEST(a_nul_in_the_header_is_refused)
{
    static const char header[] = "{" META "," A "," B "}";
    char path[SCRATCH_PATH], changed[sizeof header];
    Error err;
    scratch_path(path, "file");
    for (size_t i = 0; i < sizeof header; i++) { /* the last one stands behind the header */
        memcpy(changed, header, sizeof header);
        changed[i] = '\0';
        write_raw(path, changed, sizeof header, "0123456789abcdef", 16);
        ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
    }
    scratch_clean();
}
END_TEST

START_TEST(a_header_length_beyond_the_file_or_the_cap_is_refused)
{
    static const uint64_t lengths[] = {
        0,          1,          SAFE_MAX_HEADER,  SAFE_MAX_HEADER + 1,
        1ull << 31, 1ull << 32, (1ull << 42) + 1, 1ull << 62,
        UINT64_MAX};
    char path[SCRATCH_PATH], *content;
    size_t len;
    Error err;
    write_sample(path);
    scratch_read(path, &content, &len);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memcpy(content, &lengths[i], 8);
        scratch_write(path, content, len);
        ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
    }
    mem_free(content);
    scratch_clean();
}
END_TEST

/* Headers of nearly 16 MB: deep, wide, and one of more tensors than allowed. The file is sparse
 * behind it, as if it had 2^40 bytes of data. */
START_TEST(a_huge_header_takes_little_memory_and_time)
{
    static const char *const repeated[] = {
        "[", "{\"\":", "[0,", "\"a\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},",
        "\\\\"};
    char path[SCRATCH_PATH];
    Error err;
    scratch_path(path, "huge");
    for (size_t i = 0; i < sizeof repeated / sizeof repeated[0]; i++) {
        Buffer header = {.max = 0};
        ck_assert_int_eq(buffer_add_text(&header,
                                         i == 4   ? "{\""
                                         : i == 3 ? "{"
                                                  : "{\"a\":",
                                         &err),
                         OK);
        Status status = OK; /* an assertion each would take a minute */
        while (status == OK && header.len < SAFE_MAX_HEADER - 64) {
            status = buffer_add_text(&header, repeated[i], &err);
        }
        ck_assert_int_eq(status, OK);
        write_raw(path, header.bytes, header.len, "", 0);
        buffer_free(&header);
        ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
        const clock_t start = clock();
        ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
        ck_assert(getenv("HEED_EMULATED") != NULL || clock() - start < 2 * CLOCKS_PER_SEC);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    if (getenv("HEED_EMULATED") == NULL) {
        ck_assert_int_lt(usage.ru_maxrss, 96 * 1024); /* the test's own two copies included */
    }
#endif
    scratch_clean();
}
END_TEST

START_TEST(other_kinds_of_file_are_refused_without_waiting)
{
    char path[SCRATCH_PATH];
    Error err;
    (void)alarm(20);
    ck_assert_int_eq(load("/dev/zero", SAFE_CHECKSUM_OPTIONAL, &err), ERR_IO);
    ck_assert_int_eq(load("/", SAFE_CHECKSUM_OPTIONAL, &err), ERR_IO);
    scratch_path(path, "fifo");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_IO);
    scratch_path(path, "link");
    ck_assert_int_eq(symlink("nowhere", path), 0);
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_IO);
    scratch_path(path, "missing");
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_IO);
    scratch_path(path, "empty");
    scratch_write(path, "", 0);
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
    scratch_path(path, "corpus");
    scratch_write(path, "eins\tone\nzwei\ttwo\n", 18);
    ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_FORMAT);
    scratch_path(path, "unreadable");
    scratch_write(path, "x", 1);
    ck_assert_int_eq(chmod(path, 0), 0);
    if (geteuid() != 0) {
        ck_assert_int_eq(load(path, SAFE_CHECKSUM_OPTIONAL, &err), ERR_IO);
    } else {
        puts("skipped: root may read a file of mode 0");
    }
    scratch_clean();
}
END_TEST

START_TEST(what_could_not_be_read_is_not_written)
{
    char path[SCRATCH_PATH];
    Error err;
    scratch_path(path, "file");
    SafeTensor two[2] = {sample[1], sample[1]};
    const SafePair own[] = {{"checksum", "12345678"}}, twice[] = {{"a", "1"}, {"a", "2"}},
                   broken[] = {{"a", "\xff"}};
    ck_assert_int_eq(safe_write(path, NULL, 0, two, 2, &err), ERR_FORMAT);
    ck_assert_int_eq(safe_write(path, own, 1, sample, N_SAMPLE, &err), ERR_FORMAT);
    ck_assert_int_eq(safe_write(path, twice, 2, sample, N_SAMPLE, &err), ERR_FORMAT);
    ck_assert_int_eq(safe_write(path, broken, 1, sample, N_SAMPLE, &err), ERR_FORMAT);
    two[0].n_bytes = 20;
    ck_assert_int_eq(safe_write(path, NULL, 0, two, 1, &err), ERR_FORMAT);
    ck_assert_int_eq(scratch_count(), 0);
    scratch_clean();
}
END_TEST

/* Every allocation and every call of the system fails in turn, once and with all later ones. */
START_TEST(each_refusal_of_the_system_is_a_clean_error)
{
    char path[SCRATCH_PATH];
    Error err;
    write_sample(path);
    for (int kind = 0; kind < 4; kind++) {
        const int is_memory = kind & 1, and_later = kind >> 1;
        int n_failures = 0, has_failed = 1;
        for (int n = 1; has_failed; n++) {
            if (is_memory) {
                mem_fail_at(n, and_later);
            } else {
                io_fail_at(n, and_later);
            }
            Status status = safe_write(path, pairs, 2, sample, N_SAMPLE, &err);
            if (status == OK) {
                status = load(path, SAFE_CHECKSUM_REQUIRED, &err);
            }
            has_failed = is_memory ? mem_failed() : io_failed();
            mem_fail_at(0, 0);
            io_fail_at(0, 0);
            ck_assert_int_eq(status, !has_failed ? OK : is_memory ? ERR_NOMEM : ERR_IO);
            ck_assert_int_eq(load(path, SAFE_CHECKSUM_REQUIRED, &err), OK);
            ck_assert_int_eq(scratch_count(), 1);
            n_failures += has_failed;
        }
        ck_assert_int_ge(n_failures, 8);
    }
    scratch_clean();
}
END_TEST

/* The files of reference values that come with the project: F64 and I64, without a checksum. */
START_TEST(oracle_files_are_read)
{
    static const char *const decoders[] = {"bahdanau", "conditional"};
    static const char *const attentions[] = {"additive", "dot", "scaled-dot", "none"};
    static const char *const rests[] = {"1layer", "2layer-tied"};
    char path[SCRATCH_PATH];
    Error err;
    (void)snprintf(path, sizeof path, "tests/data/oracle/%s-%s-%s.safetensors", decoders[_i & 1],
                   attentions[_i >> 1 & 3], rests[_i >> 3]);
    SafeFile *file;
    ck_assert_int_eq(safe_open(&file, path, SAFE_CHECKSUM_REQUIRED, &err), ERR_FORMAT);
    ck_assert_int_eq(safe_open(&file, path, SAFE_CHECKSUM_OPTIONAL, &err), OK);
    ck_assert_int_eq(safe_read(file, &err), OK);
    ck_assert_str_eq(safe_metadata(file, "decoder"), decoders[_i & 1]);
    const SafeTensor *t = safe_find(file, "encoder.embedding.weight");
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(t->type, SAFE_F64);
    ck_assert_uint_eq(t->shape[0], 13);
    ck_assert_uint_eq(t->shape[1], 6);
    for (int i = 0; i < safe_count(file); i++) {
        ck_assert(safe_at(file, i)->type == SAFE_F64 || safe_at(file, i)->type == SAFE_I64);
    }
    safe_close(file);
}
END_TEST

enum {
    N_ACCEPTED = sizeof accepted / sizeof accepted[0],
    N_REFUSED = sizeof refused / sizeof refused[0]
};

TEST_MAIN("safetensors", tcase_add_test(c, what_is_written_is_read);
          tcase_add_test(c, the_bytes_are_those_of_the_file_that_is_kept);
          tcase_add_test(c, a_file_without_tensors_is_a_file);
          tcase_add_test(c, every_prefix_is_refused); tcase_add_test(c, every_bit_flip_is_refused);
          tcase_add_test(c, bytes_before_or_after_are_refused);
          tcase_add_loop_test(c, a_header_of_the_format_is_accepted, 0, N_ACCEPTED);
          tcase_add_loop_test(c, a_hostile_header_is_refused_when_it_is_opened, 0, N_REFUSED);
          tcase_add_test(c, a_nul_in_the_header_is_refused);
          tcase_add_test(c, a_header_length_beyond_the_file_or_the_cap_is_refused);
          tcase_add_test(c, a_huge_header_takes_little_memory_and_time);
          tcase_add_test(c, other_kinds_of_file_are_refused_without_waiting);
          tcase_add_test(c, what_could_not_be_read_is_not_written);
          tcase_add_test(c, each_refusal_of_the_system_is_a_clean_error);
          tcase_add_loop_test(c, oracle_files_are_read, 0, 16);)

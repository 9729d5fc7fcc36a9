/* Files of named tensors; see the header. */
#include "base/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/checksum.h"
#include "base/io.h"
#include "base/looks.h"
#include "base/mem.h"
#include "base/safe_header.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors.c hands data over as it stands in memory and needs a little-endian machine"
#endif

/* CHUNK bytes are read and summed while they are in the second-level cache. */
enum { LEN_BYTES = 8, DATA_ALIGNMENT = 64, CHUNK = 1 << 18, LEN_CHECKSUM = 8 };

static const struct {
    const char *name;
    size_t size;
} types[SAFE_N_TYPES] = {
    [SAFE_F64] = {"F64", 8},  [SAFE_I64] = {"I64", 8},   [SAFE_U64] = {"U64", 8},
    [SAFE_F32] = {"F32", 4},  [SAFE_I32] = {"I32", 4},   [SAFE_U32] = {"U32", 4},
    [SAFE_F16] = {"F16", 2},  [SAFE_BF16] = {"BF16", 2}, [SAFE_I16] = {"I16", 2},
    [SAFE_U16] = {"U16", 2},  [SAFE_I8] = {"I8", 1},     [SAFE_U8] = {"U8", 1},
    [SAFE_BOOL] = {"BOOL", 1}};

const char *safe_type_name(SafeType type)
{
    return types[type].name;
}

size_t safe_type_size(SafeType type)
{
    return types[type].size;
}

struct SafeFile {
    IoFile *io;
    SafeHeader header;
    uint64_t n_data;
    uint32_t header_crc; /* of the length and the header, the checksum's digits read as 0 */
    void *block;         /* the data */
};

static void put_length(unsigned char *bytes, uint64_t len)
{
    for (int i = 0; i < LEN_BYTES; i++) {
        bytes[i] = (unsigned char)(len >> (8 * i));
    }
}

static uint64_t get_length(const unsigned char *bytes)
{
    uint64_t len = 0;
    for (int i = 0; i < LEN_BYTES; i++) {
        len |= (uint64_t)bytes[i] << (8 * i);
    }
    return len;
}

/* Reads the length of the header and holds it against its bounds. */
static Status read_length(IoFile *io, uint64_t size, size_t *out, Error *err)
{
    unsigned char bytes[LEN_BYTES];
    if (size < LEN_BYTES) {
        return fail(err, ERR_FORMAT, "%s: %llu bytes are too few for a safetensors file",
                    io_path(io), (unsigned long long)size);
    }
    TRY(io_read_exact(io, bytes, LEN_BYTES, err));
    const uint64_t len = get_length(bytes);
    if (len > SAFE_MAX_HEADER) {
        return fail(err, ERR_FORMAT,
                    "%s: no safetensors file (its header would have %llu bytes, at most %d are "
                    "allowed); it looks like %s",
                    io_path(io), (unsigned long long)len, SAFE_MAX_HEADER,
                    looks_like(bytes, sizeof bytes));
    }
    if (len > size - LEN_BYTES) {
        return fail(err, ERR_FORMAT, "%s: cut short: its header has %llu bytes, the file %llu",
                    io_path(io), (unsigned long long)len, (unsigned long long)size);
    }
    *out = (size_t)len;
    return OK;
}

/* The sum over length and header; the digits in text become 0. */
static uint32_t sum_header(char *text, size_t len, size_t checksum_at)
{
    unsigned char bytes[LEN_BYTES];
    if (checksum_at != 0) {
        memset(text + checksum_at, '0', LEN_CHECKSUM);
    }
    put_length(bytes, len);
    return checksum_crc32(checksum_crc32(0, bytes, LEN_BYTES), text, len);
}

static Status read_header(SafeFile *file, uint64_t size, SafeChecksum checksum, Error *err)
{
    size_t len = 0;
    TRY(read_length(file->io, size, &len, err));
    char *text = mem_alloc(len, 1);
    if (text == NULL) {
        return mem_fail(err, io_path(file->io), len, 1);
    }
    Status status = io_read_exact(file->io, text, len, err);
    if (status == OK) {
        file->n_data = size - LEN_BYTES - len;
        status = safe_header_parse(&file->header, io_path(file->io), text, len, file->n_data, err);
    }
    if (status == OK && file->header.checksum_at == 0 && checksum == SAFE_CHECKSUM_REQUIRED) {
        status = fail(err, ERR_FORMAT, "%s: has no checksum in its metadata", io_path(file->io));
    }
    if (status == OK) {
        file->header_crc = sum_header(text, len, file->header.checksum_at);
    }
    mem_free(text);
    return status;
}

Status safe_open(SafeFile **out, const char *path, SafeChecksum checksum, Error *err)
{
    SafeFile *file = mem_zero_alloc(1, sizeof *file);
    if (file == NULL) {
        return mem_fail(err, path, 1, sizeof *file);
    }
    uint64_t size = 0;
    Status status = io_open_regular(&file->io, &size, path, err);
    if (status == OK) {
        status = read_header(file, size, checksum, err);
    }
    if (status != OK) {
        safe_close(file);
        return status;
    }
    *out = file;
    return OK;
}

int safe_count(const SafeFile *file)
{
    return file->header.n_tensors;
}

const SafeTensor *safe_at(const SafeFile *file, int i)
{
    return &file->header.tensors[i];
}

const SafeTensor *safe_find(const SafeFile *file, const char *name)
{
    int low = 0, high = file->header.n_tensors;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const SafeTensor *t = file->header.by_name[middle];
        const int order = strcmp(name, t->name);
        if (order == 0) {
            return t;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const char *safe_metadata(const SafeFile *file, const char *key)
{
    return safe_header_value(&file->header, key);
}

int safe_count_metadata(const SafeFile *file)
{
    return file->header.n_pairs;
}

SafePair safe_metadata_at(const SafeFile *file, int i)
{
    return file->header.pairs[i];
}

/* Eight lower-case digits and a NUL. */
static void write_digits(char *out, uint32_t crc)
{
    (void)snprintf(out, LEN_CHECKSUM + 1, "%08lx", (unsigned long)crc);
}

static Status check_sum(const SafeFile *file, uint32_t crc, Error *err)
{
    char digits[LEN_CHECKSUM + 1];
    write_digits(digits, crc);
    const char *wanted = safe_metadata(file, "checksum");
    if (wanted != NULL && strcmp(wanted, digits) != 0) {
        return fail(err, ERR_FORMAT, "%s: damaged: its checksum is %s, its content has %s",
                    io_path(file->io), wanted, digits);
    }
    return OK;
}

Status safe_read(SafeFile *file, Error *err)
{
    const uint64_t size = file->n_data;
    char *data = size > PTRDIFF_MAX ? NULL : mem_alloc_block((size_t)size, 1);
    if (data == NULL) {
        return mem_fail(err, io_path(file->io), size > SIZE_MAX ? SIZE_MAX : (size_t)size, 1);
    }
    uint32_t crc = file->header_crc;
    Status status = OK;
    for (uint64_t at = 0; status == OK && at < file->n_data; at += CHUNK) {
        const uint64_t left = file->n_data - at;
        const size_t len = left < CHUNK ? (size_t)left : CHUNK;
        status = io_read_exact(file->io, data + at, len, err);
        if (status == OK) {
            crc = checksum_crc32(crc, data + at, len);
        }
    }
    if (status == OK) {
        status = check_sum(file, crc, err);
    }
    if (status != OK) {
        mem_free(data);
        return status;
    }
    file->block = data;
    for (int i = 0; i < file->header.n_tensors; i++) {
        SafeTensor *t = &file->header.tensors[i];
        t->data = data + t->begin;
    }
    return OK;
}

void *safe_take_data(SafeFile *file)
{
    void *block = file->block;
    file->block = NULL;
    return block;
}

void safe_close(SafeFile *file)
{
    if (file != NULL) {
        io_discard(file->io);
        safe_header_free(&file->header);
        mem_free(file->block);
        mem_free(file);
    }
}

/* Appends text as a JSON string. What is no UTF-8 is found when the header is parsed again. */
static Status add_string(Buffer *buf, const char *text, Error *err)
{
    TRY(buffer_add_byte(buf, '"', err));
    for (const char *c = text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            TRY(buffer_add_byte(buf, '\\', err));
            TRY(buffer_add_byte(buf, *c, err));
        } else if (byte < 0x20) {
            TRY(buffer_printf(buf, err, "\\u%04x", (unsigned)byte));
        } else {
            TRY(buffer_add_byte(buf, *c, err));
        }
    }
    return buffer_add_byte(buf, '"', err);
}

static Status add_tensor(Buffer *buf, const SafeTensor *t, uint64_t begin, Error *err)
{
    TRY(buffer_add_byte(buf, ',', err));
    TRY(add_string(buf, t->name, err));
    TRY(buffer_printf(buf, err, ":{\"dtype\":\"%s\",\"shape\":[", safe_type_name(t->type)));
    for (int i = 0; i < t->n_dims; i++) {
        TRY(buffer_printf(buf, err, i == 0 ? "%llu" : ",%llu", (unsigned long long)t->shape[i]));
    }
    return buffer_printf(buf, err, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin,
                         (unsigned long long)(begin + t->n_bytes));
}

/* Writes the header into buf, the checksum as zeros, padded so that the data is aligned; lists the
 * tensors in the order of their data, the larger element sizes first. */
static Status build_header(Buffer *buf, const SafeTensor **order, uint64_t *n_data,
                           const SafePair *metadata, int n_pairs, const SafeTensor *tensors,
                           int n_tensors, Error *err)
{
    TRY(buffer_add_text(buf, "{\"__metadata__\":{\"checksum\":\"00000000\"", err));
    for (int i = 0; i < n_pairs; i++) {
        TRY(buffer_add_byte(buf, ',', err));
        TRY(add_string(buf, metadata[i].key, err));
        TRY(buffer_add_byte(buf, ':', err));
        TRY(add_string(buf, metadata[i].value, err));
    }
    TRY(buffer_add_byte(buf, '}', err));
    uint64_t begin = 0;
    int n = 0;
    for (size_t size = 8; size > 0; size /= 2) {
        for (int i = 0; i < n_tensors; i++) {
            if (safe_type_size(tensors[i].type) == size) {
                TRY(add_tensor(buf, &tensors[i], begin, err));
                begin += tensors[i].n_bytes;
                order[n++] = &tensors[i];
            }
        }
    }
    TRY(buffer_add_byte(buf, '}', err));
    while ((LEN_BYTES + buf->len) % DATA_ALIGNMENT != 0) {
        TRY(buffer_add_byte(buf, ' ', err));
    }
    *n_data = begin;
    return OK;
}

/* Puts the sum over everything into its place in the header. */
static Status seal_header(Buffer *header, const char *path, const SafeTensor *const *order,
                          int n_tensors, uint64_t n_data, Error *err)
{
    SafeHeader parsed;
    TRY(safe_header_parse(&parsed, path, header->bytes, header->len, n_data, err));
    const size_t checksum_at = parsed.checksum_at;
    safe_header_free(&parsed);
    uint32_t crc = sum_header(header->bytes, header->len, checksum_at);
    for (int i = 0; i < n_tensors; i++) {
        crc = checksum_crc32(crc, order[i]->data, (size_t)order[i]->n_bytes);
    }
    char digits[LEN_CHECKSUM + 1];
    write_digits(digits, crc);
    memcpy(header->bytes + checksum_at, digits, LEN_CHECKSUM);
    return OK;
}

static Status save_parts(const char *path, const char *previous, const Buffer *header,
                         const SafeTensor *const *order, int n_tensors, Error *err)
{
    IoSave *save;
    unsigned char len[LEN_BYTES];
    TRY(io_save_begin(&save, path, err));
    put_length(len, header->len);
    Status status = io_save_write(save, len, LEN_BYTES, err);
    if (status == OK) {
        status = io_save_write(save, header->bytes, header->len, err);
    }
    for (int i = 0; status == OK && i < n_tensors; i++) {
        status = io_save_write(save, order[i]->data, (size_t)order[i]->n_bytes, err);
    }
    if (status != OK) {
        io_save_abort(save);
        return status;
    }
    return io_save_commit_keeping(save, previous, err);
}

Status safe_write(const char *path, const SafePair *metadata, int n_pairs,
                  const SafeTensor *tensors, int n_tensors, Error *err)
{
    return safe_write_keeping(path, NULL, metadata, n_pairs, tensors, n_tensors, err);
}

Status safe_write_keeping(const char *path, const char *previous, const SafePair *metadata,
                          int n_pairs, const SafeTensor *tensors, int n_tensors, Error *err)
{
    const SafeTensor **order = mem_alloc((size_t)n_tensors, sizeof(const SafeTensor *));
    if (order == NULL) {
        return mem_fail(err, path, (size_t)n_tensors, sizeof(const SafeTensor *));
    }
    Buffer header = {.max = SAFE_MAX_HEADER};
    uint64_t n_data = 0;
    Status status =
        build_header(&header, order, &n_data, metadata, n_pairs, tensors, n_tensors, err);
    if (status == OK) {
        status = seal_header(&header, path, order, n_tensors, n_data, err);
    }
    if (status == OK) {
        status = save_parts(path, previous, &header, order, n_tensors, err);
    }
    buffer_free(&header);
    mem_free(order);
    return status;
}

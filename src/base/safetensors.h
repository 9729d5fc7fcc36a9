/* Files of named tensors in the safetensors format: read as hostile, written whole or not at all.
 *
 *     byte 0          8         8 + N                       end of the file
 *     | N, 64-bit LE  | header  | data of all tensors, without holes |
 *
 * The header is JSON (base/safe_header.h), N at most SAFE_MAX_HEADER; numbers are little-endian.
 * Files written here begin their data at a multiple of 64 bytes, with the larger element sizes
 * first, so that every tensor is aligned to its element size.
 *
 * The metadata "checksum" is the CRC-32 of the whole file in eight lower-case hexadecimal digits,
 * computed with those digits read as '0' and compared as text. Files written here always carry it.
 *
 * Reading has two steps: safe_open checks the header and allocates in proportion to it; only when
 * the caller has found the shapes it expects does safe_read allocate and read the data.
 *
 * Threads: a SafeFile belongs to one thread while it is opened and read, then it is read-only. */
#ifndef HEED_BASE_SAFETENSORS_H
#define HEED_BASE_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { SAFE_MAX_HEADER = 1 << 24, SAFE_MAX_TENSORS = 1 << 16, SAFE_MAX_DIMS = 8 };

/* The larger element sizes come first. */
typedef enum SafeType {
    SAFE_F64,
    SAFE_I64,
    SAFE_U64,
    SAFE_F32,
    SAFE_I32,
    SAFE_U32,
    SAFE_F16,
    SAFE_BF16,
    SAFE_I16,
    SAFE_U16,
    SAFE_I8,
    SAFE_U8,
    SAFE_BOOL,
    SAFE_N_TYPES
} SafeType;

/* The name in the header ("F32") and the bytes of an element. */
const char *safe_type_name(SafeType type);
size_t safe_type_size(SafeType type);

typedef struct SafeTensor {
    const char *name; /* UTF-8 */
    SafeType type;
    int n_dims; /* 0 is a single number */
    uint64_t shape[SAFE_MAX_DIMS];
    uint64_t n_bytes;
    uint64_t begin;   /* first byte within the data; safe_write does not look at it */
    const void *data; /* aligned to the element size; NULL until safe_read */
} SafeTensor;

typedef struct SafePair {
    const char *key, *value; /* UTF-8 */
} SafePair;

/* A file without a checksum is read all the same, or refused. A wrong one is always refused. */
typedef enum SafeChecksum { SAFE_CHECKSUM_OPTIONAL, SAFE_CHECKSUM_REQUIRED } SafeChecksum;

typedef struct SafeFile SafeFile;

/* Opens a regular file and checks its header against its size. ERR_IO, ERR_FORMAT, ERR_NOMEM. */
Status safe_open(SafeFile **out, const char *path, SafeChecksum checksum, Error *err) MUST_USE;

/* Tensors in the order of their data; safe_find is NULL when there is none of that name. */
int safe_count(const SafeFile *file);
const SafeTensor *safe_at(const SafeFile *file, int i);
const SafeTensor *safe_find(const SafeFile *file, const char *name);

/* The value of a metadata key, NULL when it is absent; and all of them, sorted by key. */
const char *safe_metadata(const SafeFile *file, const char *key);
int safe_count_metadata(const SafeFile *file);
SafePair safe_metadata_at(const SafeFile *file, int i);

/* Reads the data, sets `data` of every tensor, and checks the checksum when there is one. The data
 * lives until safe_close. Called once. */
Status safe_read(SafeFile *file, Error *err) MUST_USE;

/* Hands the data over to the caller, who frees it with mem_free once nobody reads the tensors'
 * data any more: it outlives the file. After safe_read, once. */
void *safe_take_data(SafeFile *file);

/* NULL is allowed. */
void safe_close(SafeFile *file);

/* Writes tensors (name, type, n_dims, shape, n_bytes and data of each) and metadata, plus the
 * checksum, as base/io saves: whole or not at all. What safe_open would refuse is refused before a
 * file is touched; so is a metadata key "checksum". */
Status safe_write(const char *path, const SafePair *metadata, int n_pairs,
                  const SafeTensor *tensors, int n_tensors, Error *err) MUST_USE;

/* The same; what stands at path is kept at previous (io_save_commit_keeping), unless that is NULL.
 */
Status safe_write_keeping(const char *path, const char *previous, const SafePair *metadata,
                          int n_pairs, const SafeTensor *tensors, int n_tensors,
                          Error *err) MUST_USE;

#endif

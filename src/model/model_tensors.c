/* The tensors of model files; see the header. */
#include "model/model_tensors.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "math/quantize.h"

#ifdef REAL_IS_DOUBLE
static const SafeType REAL_TYPE = SAFE_F64;
#else
static const SafeType REAL_TYPE = SAFE_F32;
#endif

/* The last need not be there. */
static const char *const TEXTS[MODEL_TEXTS_MAX] = {"text.source", "text.target", "text.links"};
enum { NEEDED_TEXTS = 2 };

/* The prefixes under which a file keeps blocks of numbers; the first is the network itself. */
static const char *const PREFIXES[MODEL_BLOCKS_MAX] = {"", "adam.m.", "adam.v.", "average."};
static const char SCALE[] = ".scale";

static int n_blocks(const ModelHeader *header)
{
    return header->kind == MODEL_CHECKPOINT ? (header->is_averaged ? 4 : 3) : 1;
}

static int is_matrix(const Param *p)
{
    return p->n_dims == 2;
}

/* The type of a parameter's tensor: matrices shrink, vectors are few and stay numbers. */
static SafeType type_of(const Param *p, ModelKind kind)
{
    if (kind == MODEL_INT8 || kind == MODEL_BF16) {
        return !is_matrix(p) ? SAFE_F32 : kind == MODEL_INT8 ? SAFE_I8 : SAFE_BF16;
    }
    return REAL_TYPE;
}

/* ---- Checking ---- */

/* Whether t is of that type with cols numbers, or rows x cols of them when n_dims is 2. */
static int has_shape(const SafeTensor *t, SafeType type, int n_dims, int rows, int cols)
{
    return t->type == type && t->n_dims == n_dims && t->shape[n_dims - 1] == (uint64_t)cols &&
           (n_dims == 1 || t->shape[0] == (uint64_t)rows);
}

static Status find(const SafeFile *file, const SafeTensor **out, const char *name, const char *path,
                   Error *err)
{
    *out = safe_find(file, name);
    return *out != NULL ? OK : fail(err, ERR_FORMAT, "%s: the tensor %s is missing", path, name);
}

/* The tensor of a parameter in a block, with the type and the shape it must have. */
static Status find_param(const SafeFile *file, const SafeTensor **out, ModelBlock block,
                         const Param *p, ModelKind kind, const char *path, Error *err)
{
    char name[PARAM_NAME_CAP + 16];
    const SafeType type = type_of(p, kind);
    (void)snprintf(name, sizeof name, "%s%s", PREFIXES[block], p->name);
    TRY(find(file, out, name, path, err));
    if (!has_shape(*out, type, p->n_dims, p->val.rows, p->val.cols)) {
        return fail(err, ERR_FORMAT, "%s: the tensor %s is not %s of %d x %d", path, name,
                    safe_type_name(type), p->val.rows, p->val.cols);
    }
    return OK;
}

/* The scales of a matrix of bytes. */
static Status find_scales(const SafeFile *file, const SafeTensor **out, const Param *p,
                          const char *path, Error *err)
{
    char name[PARAM_NAME_CAP + 16];
    (void)snprintf(name, sizeof name, "%s%s", p->name, SCALE);
    TRY(find(file, out, name, path, err));
    if (!has_shape(*out, SAFE_F32, 1, 1, p->val.rows)) {
        return fail(err, ERR_FORMAT, "%s: the tensor %s is not F32 of %d", path, name, p->val.rows);
    }
    return OK;
}

Status model_tensors_check(const SafeFile *file, const ParamList *params, const ModelHeader *header,
                           const char *path, Error *err)
{
    const SafeTensor *t;
    int expected = 0;
    for (int i = 0; i < MODEL_TEXTS_MAX; i++) {
        t = safe_find(file, TEXTS[i]);
        if (t == NULL ? i < NEEDED_TEXTS : t->type != SAFE_U8 || t->n_dims != 1) {
            return fail(err, ERR_FORMAT, "%s: the tensor %s is missing or not U8", path, TEXTS[i]);
        }
        expected += t != NULL;
    }
    for (int block = 0; block < n_blocks(header); block++) {
        for (int i = 0; i < params->n; i++) {
            const Param *p = &params->items[i];
            TRY(find_param(file, &t, (ModelBlock)block, p, header->kind, path, err));
            expected++;
            if (header->kind == MODEL_INT8 && is_matrix(p)) {
                TRY(find_scales(file, &t, p, path, err));
                expected++;
            }
        }
    }
    if (safe_count(file) != expected) {
        return fail(err, ERR_FORMAT, "%s: has %d tensors, its configuration asks for %d", path,
                    safe_count(file), expected);
    }
    return OK;
}

/* ---- Reading ---- */

static Status check_finite(const real *v, size_t n, const char *name, const char *path, Error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            return fail(err, ERR_FORMAT, "%s: the tensor %s has a number that is not finite", path,
                        name);
        }
    }
    return OK;
}

/* The numbers of a tensor of F32, BF16 or REAL_TYPE. */
static Status read_numbers(real *to, const SafeTensor *t, const char *path, Error *err)
{
    const size_t n = (size_t)t->n_bytes / safe_type_size(t->type);
    if (t->type == SAFE_BF16) {
        bf16_to_real(to, t->data, n);
    } else if (t->type == REAL_TYPE) {
        memcpy(to, t->data, (size_t)t->n_bytes);
    } else {
        const float *from = t->data;
        for (size_t i = 0; i < n; i++) {
            to[i] = (real)from[i];
        }
    }
    return check_finite(to, n, t->name, path, err);
}

Status model_tensors_read(real *values, const SafeFile *file, const ParamList *params,
                          const ModelHeader *header, ModelBlock block, const char *path, Error *err)
{
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->items[i];
        const SafeTensor *t;
        TRY(find_param(file, &t, block, p, header->kind, path, err));
        TRY(read_numbers(values + (p->val.v - params->values), t, path, err));
    }
    return OK;
}

/* Whether one of n bytes is -128. Eight at a time, XORed to make it 0: only below a 0 does the
 * subtraction borrow out of a byte whose highest bit is not set. */
static int has_smallest(const int8_t *q, size_t n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    uint64_t found = 0;
    size_t i = 0;
    for (; i + sizeof found <= n; i += sizeof found) {
        uint64_t word;
        memcpy(&word, q + i, sizeof word);
        word ^= high;
        found |= (word - ones) & ~word & high;
    }
    for (; i < n; i++) {
        found |= q[i] == INT8_MIN;
    }
    return found != 0;
}

/* The products take bytes whose sign can be changed. */
static Status check_bytes(const SafeTensor *t, const char *path, Error *err)
{
    return has_smallest(t->data, (size_t)t->n_bytes)
               ? fail(err, ERR_FORMAT, "%s: the tensor %s has a byte below -127", path, t->name)
               : OK;
}

static Status read_matrix(Param *p, const SafeFile *file, const char *path, Error *err)
{
    const SafeTensor *bytes, *scales;
    TRY(find_param(file, &bytes, BLOCK_VALUES, p, MODEL_INT8, path, err));
    TRY(find_scales(file, &scales, p, path, err));
    TRY(check_bytes(bytes, path, err));
    TRY(read_numbers(p->scales, scales, path, err));
    for (int i = 0; i < p->val.rows; i++) {
        if (p->scales[i] < 0) {
            return fail(err, ERR_FORMAT, "%s: the tensor %s has a scale below 0", path,
                        scales->name);
        }
    }
    p->bytes = bytes->data;
    return OK;
}

Status model_tensors_read_int8(ParamList *params, SafeFile *file, const char *path, Error *err)
{
    for (int i = 0; i < params->n; i++) {
        Param *p = &params->items[i];
        const SafeTensor *t;
        if (is_matrix(p)) {
            TRY(read_matrix(p, file, path, err));
            continue;
        }
        TRY(find_param(file, &t, BLOCK_VALUES, p, MODEL_INT8, path, err));
        TRY(read_numbers(p->val.v, t, path, err));
    }
    params->adopted = safe_take_data(file);
    return OK;
}

/* ---- Listing ---- */

static SafeTensor tensor(const char *name, SafeType type, int n_dims, int rows, int cols,
                         const void *data)
{
    const uint64_t n = (uint64_t)(n_dims == 1 ? 1 : rows) * (uint64_t)cols;
    return (SafeTensor){.name = name,
                        .type = type,
                        .n_dims = n_dims,
                        .shape = {(uint64_t)(n_dims == 1 ? cols : rows), (uint64_t)cols},
                        .n_bytes = n * safe_type_size(type),
                        .data = data};
}

static const char *add_name(ModelTensors *t, const char *before, const char *name,
                            const char *behind)
{
    (void)snprintf(t->names[t->n], sizeof *t->names, "%s%s%s", before, name, behind);
    return t->names[t->n];
}

static void list_block(ModelTensors *t, const ParamList *params, ModelBlock block,
                       const real *values)
{
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->items[i];
        t->v[t->n] = tensor(add_name(t, PREFIXES[block], p->name, ""), REAL_TYPE, p->n_dims,
                            p->val.rows, p->val.cols, values + (p->val.v - params->values));
        t->n++;
    }
}

static void float_from_real(float *to, const real *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = (float)from[i];
    }
}

/* Where the next converted tensor goes; its size keeps what follows aligned. */
static void *take(char **at, size_t n_bytes)
{
    char *block = *at;
    *at += (n_bytes + MEM_ALIGNMENT - 1) / MEM_ALIGNMENT * MEM_ALIGNMENT;
    return block;
}

/* The bytes and the scales of a matrix. */
static void list_int8(ModelTensors *t, const Param *p, char **at)
{
    const int rows = p->val.rows, cols = p->val.cols;
    int8_t *bytes = take(at, (size_t)rows * (size_t)cols);
    real *scales = take(at, (size_t)rows * sizeof *scales);
    quantize_rows(bytes, scales, p->val);
    t->v[t->n] = tensor(add_name(t, "", p->name, ""), SAFE_I8, 2, rows, cols, bytes);
    t->n++;
    float *narrow = take(at, (size_t)rows * sizeof *narrow);
    float_from_real(narrow, scales, (size_t)rows);
    t->v[t->n] = tensor(add_name(t, "", p->name, SCALE), SAFE_F32, 1, 1, rows, narrow);
    t->n++;
}

static void list_converted(ModelTensors *t, const ParamList *params, ModelKind kind)
{
    char *at = t->converted;
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->items[i];
        const size_t n = (size_t)p->val.rows * (size_t)p->val.cols;
        if (kind == MODEL_INT8 && is_matrix(p)) {
            list_int8(t, p, &at);
            continue;
        }
        void *data = take(&at, n * safe_type_size(type_of(p, kind)));
        if (is_matrix(p)) {
            bf16_from_real(data, p->val.v, n);
        } else {
            float_from_real(data, p->val.v, n);
        }
        t->v[t->n] = tensor(add_name(t, "", p->name, ""), type_of(p, kind), p->n_dims, p->val.rows,
                            p->val.cols, data);
        t->n++;
    }
}

/* Bytes that list_converted takes. */
static size_t converted_size(const ParamList *params, ModelKind kind)
{
    size_t sum = 0;
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->items[i];
        const size_t n = (size_t)p->val.rows * (size_t)p->val.cols;
        sum += n * safe_type_size(type_of(p, kind)) + MEM_ALIGNMENT;
        sum += is_matrix(p) ? (size_t)p->val.rows * (sizeof(real) + sizeof(float)) : 0;
        sum += 2 * (size_t)MEM_ALIGNMENT;
    }
    return sum;
}

Status model_tensors_list(ModelTensors *out, const ParamList *params, ModelKind kind,
                          const real *const *blocks, int n_more, const char *path, Error *err)
{
    const int is_converted = kind == MODEL_INT8 || kind == MODEL_BF16;
    const size_t n = (size_t)MODEL_BLOCKS_MAX * (size_t)params->n;
    const size_t n_converted = is_converted ? converted_size(params, kind) : 0;
    ModelTensors t = {.v = mem_zero_alloc(n + (size_t)n_more, sizeof *t.v),
                      .names = mem_zero_alloc(n, sizeof *t.names),
                      .converted = mem_alloc_aligned(n_converted, 1)};
    if (t.v == NULL || t.names == NULL || t.converted == NULL) {
        model_tensors_free(&t);
        return mem_fail(err, path, n * (sizeof *t.v + sizeof *t.names) + n_converted, 1);
    }
    if (is_converted) {
        list_converted(&t, params, kind);
    }
    for (int block = 0; block < MODEL_BLOCKS_MAX && !is_converted; block++) {
        if (blocks[block] != NULL) {
            list_block(&t, params, (ModelBlock)block, blocks[block]);
        }
    }
    *out = t;
    return OK;
}

void model_tensors_free(ModelTensors *tensors)
{
    mem_free(tensors->v);
    mem_free(tensors->names);
    mem_free(tensors->converted);
    *tensors = (ModelTensors){0};
}

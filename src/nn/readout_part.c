/* Parts of the output layer; see the header. */
#include "nn/readout_part.h"

#include <assert.h>
#include <string.h>

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

static Status pack_numbers(ReadoutPart *part, const Param *W, Arena *arena, Error *err)
{
    Mat rows;
    Packed *packed = &part->weights;
    TRY(mat_alloc(&rows, arena, part->n, packed->K, err));
    TRY(take(&packed->panels, arena, packed_count(packed->N, packed->K), sizeof(real), err));
    for (int j = 0; j < part->n; j++) {
        param_read_row(mat_row(rows, j), W, part->words[j]);
    }
    packed_fill(packed, rows);
    return OK;
}

static Status pack_bytes(ReadoutPart *part, const Param *W, Arena *arena, Error *err)
{
    int8_t *rows;
    real *scales;
    Packed *packed = &part->weights;
    const size_t K = (size_t)packed->K;
    TRY(take(&rows, arena, (size_t)part->n, K, err));
    TRY(take(&scales, arena, (size_t)part->n, sizeof *scales, err));
    TRY(take(&packed->bytes, arena, packed_int8_count(packed->N, packed->K), 1, err));
    for (int j = 0; j < part->n; j++) {
        memcpy(rows + (size_t)j * K, W->bytes + (size_t)part->words[j] * K, K);
        scales[j] = W->scales[part->words[j]];
    }
    packed->kind = PACKED_INT8;
    packed->scales = scales;
    packed_fill_int8(packed, rows, packed->K);
    return OK;
}

Status readout_part_create(ReadoutPart *out, const Readout *readout, const int *words, int n,
                           Arena *arena, Error *err)
{
    real *bias;
    const Param *W = readout->output->param;
    ReadoutPart part = {.weights = {.N = n, .K = readout->E}, .words = words, .n = n};
    TRY(W->bytes != NULL ? pack_bytes(&part, W, arena, err) : pack_numbers(&part, W, arena, err));
    TRY(take(&bias, arena, (size_t)n, sizeof *bias, err));
    for (int j = 0; j < n; j++) {
        bias[j] = readout->output_bias->val.v[words[j]];
    }
    part.bias = bias;
    *out = part;
    return OK;
}

void readout_parts_forward(Mat logits, const ReadoutPart *parts, const int *which, Mat o)
{
    for (int i = 0; i < o.rows;) {
        int end = i + 1;
        while (end < o.rows && which[end] == which[i]) {
            end++;
        }
        const ReadoutPart *part = &parts[which[i]];
        const Mat rows = mat_rows(logits, i, end - i);
        gemm_packed(mat_cols(rows, 0, part->n), mat_rows(o, i, end - i), &part->weights,
                    part->bias);
        for (int r = i; r < end; r++) {
            memset(mat_row(logits, r) + part->n, 0, (size_t)(logits.cols - part->n) * sizeof(real));
        }
        i = end;
    }
}

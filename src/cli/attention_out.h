/* The file of --attention, in the format of --attention-format, for translate and align.
 *
 * Threads: an AttentionOut belongs to one thread. */
#ifndef HEED_CLI_ATTENTION_OUT_H
#define HEED_CLI_ATTENTION_OUT_H

#include "base/arena.h"
#include "cli/results.h"
#include "text/dump.h"

#define ATTENTION_FORMATS "jsonl|matrix|tsv|npy"

typedef enum AttentionFormat {
    ATTENTION_JSONL,
    ATTENTION_MATRIX,
    ATTENTION_TSV,
    ATTENTION_NPY /* a file a matrix, PREFIX.ID.RANK.npy */
} AttentionFormat;

typedef struct AttentionOut AttentionOut;

/* path is the file, or the prefix of NPY files; "-" is standard output (not for NPY). */
Status attention_out_open(AttentionOut **out, const char *path, AttentionFormat format,
                          Error *err) MUST_USE;
Status attention_out_write(AttentionOut *out, const Dump *dump, Error *err) MUST_USE;
Status attention_out_flush(AttentionOut *out, Error *err) MUST_USE;

/* As results_close. */
Status attention_out_close(AttentionOut *out, Status status, Error *err) MUST_USE;

/* The record as the options ask for it: merged to words unless is_pieces, without the end tokens
 * unless has_end. shown may be dump. */
Status attention_shape(Dump *shown, const Dump *dump, int is_pieces, int has_end, Arena *arena,
                       Error *err) MUST_USE;

#endif

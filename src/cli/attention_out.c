/* Files of attention; see the header. */
#include "cli/attention_out.h"

#include <string.h>

#include "base/mem.h"
#include "text/dump_write.h"

struct AttentionOut {
    Results *results; /* NULL for NPY */
    const char *path;
    AttentionFormat format;
    Buffer text;
};

Status attention_out_open(AttentionOut **out, const char *path, AttentionFormat format, Error *err)
{
    if (format == ATTENTION_NPY && strcmp(path, "-") == 0) {
        return fail(err, ERR_ARG, "--attention -: NPY files need a prefix for their names");
    }
    AttentionOut *a = mem_zero_alloc(1, sizeof *a);
    if (a == NULL) {
        return mem_fail(err, path, 1, sizeof *a);
    }
    a->path = path;
    a->format = format;
    const Status status = format == ATTENTION_NPY ? OK : results_open(&a->results, path, err);
    if (status != OK) {
        mem_free(a);
        return status;
    }
    *out = a;
    return OK;
}

/* A file of its own for one matrix. */
static Status write_npy(AttentionOut *a, const Dump *dump, Error *err)
{
    Buffer path = {0};
    Results *file = NULL;
    Status status = dump_npy_path(&path, a->path, dump, err);
    status = status == OK ? results_open(&file, path.bytes, err) : status;
    status = status == OK ? results_write(file, &a->text, err) : status;
    status = results_close(file, status, err);
    buffer_free(&path);
    return status;
}

Status attention_out_write(AttentionOut *a, const Dump *dump, Error *err)
{
    buffer_clear(&a->text);
    switch (a->format) {
    case ATTENTION_JSONL:
        TRY(dump_write_json(&a->text, dump, err));
        break;
    case ATTENTION_MATRIX:
        TRY(dump_write_matrix(&a->text, dump, err));
        break;
    case ATTENTION_TSV:
        TRY(dump_write_tsv(&a->text, dump, err));
        break;
    case ATTENTION_NPY:
        TRY(dump_write_npy(&a->text, dump, err));
        return write_npy(a, dump, err);
    }
    return results_write(a->results, &a->text, err);
}

Status attention_out_flush(AttentionOut *a, Error *err)
{
    return a->results == NULL ? OK : results_flush(a->results, err);
}

Status attention_out_close(AttentionOut *a, Status status, Error *err)
{
    if (a == NULL) {
        return status;
    }
    status = results_close(a->results, status, err);
    buffer_free(&a->text);
    mem_free(a);
    return status;
}

Status attention_shape(Dump *shown, const Dump *dump, int is_pieces, int has_end, Arena *arena,
                       Error *err)
{
    *shown = *dump;
    if (!is_pieces) {
        TRY(dump_to_words(shown, shown, arena, err));
    }
    return has_end ? OK : dump_drop_end(shown, shown, arena, err);
}

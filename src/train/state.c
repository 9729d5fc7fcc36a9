/* Where a run stands; see the header. */
#include "train/state.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/safetensors.h"
#include "train/trainer.h"

/* The numbers of a State by name, for the checkpoint's lines. */
typedef struct StateField {
    const char *name;
    size_t offset;
    int is_real;
} StateField;

#define STATE_FIELD(member, is_real)                                                               \
    {                                                                                              \
#member, offsetof(State, member), is_real                                                  \
    }

static const StateField STATE_FIELDS[] = {
    STATE_FIELD(epoch, 0),     STATE_FIELD(batch, 0),       STATE_FIELD(update, 0),
    STATE_FIELD(applied, 0),   STATE_FIELD(best_update, 0), STATE_FIELD(best_epoch, 0),
    STATE_FIELD(n_stalled, 0), STATE_FIELD(plateau, 1),     STATE_FIELD(best, 1),
    STATE_FIELD(elapsed, 1),   STATE_FIELD(n_skipped, 0),   STATE_FIELD(n_pairs, 0),
    STATE_FIELD(checksum, 0),  STATE_FIELD(curve_nll, 1),   STATE_FIELD(curve_target, 0),
};

/* The first checkpoints end before the optional ones. */
enum { N_STATE_FIELDS = sizeof STATE_FIELDS / sizeof *STATE_FIELDS, N_REQUIRED_FIELDS = 13 };

Status state_write(Buffer *out, const State *state, Error *err)
{
    buffer_clear(out);
    for (int i = 0; i < N_STATE_FIELDS; i++) {
        const StateField *f = &STATE_FIELDS[i];
        const char *at = (const char *)state + f->offset;
        if (f->is_real) {
            TRY(buffer_printf(out, err, "%s = %.17g\n", f->name,
                              *(const double *)(const void *)at));
        } else {
            TRY(buffer_printf(out, err, "%s = %ld\n", f->name, *(const long *)(const void *)at));
        }
    }
    return OK;
}

Status state_read(State *out, const char *text, const char *path, Error *err)
{
    out->curve_nll = 0;
    out->curve_target = 0;
    for (int i = 0; i < N_STATE_FIELDS; i++) {
        if (i == N_REQUIRED_FIELDS && *text == '\0') {
            return OK;
        }
        const StateField *f = &STATE_FIELDS[i];
        char *end;
        char *to = (char *)out + f->offset;
        const size_t len = strlen(f->name);
        if (strncmp(text, f->name, len) != 0 || strncmp(text + len, " = ", 3) != 0) {
            return fail(err, ERR_FORMAT, "%s: the trainer's state has no %s", path, f->name);
        }
        const char *digits = text + len + 3;
        const double value = strtod(digits, &end);
        if (end == digits || *end != '\n' || !isfinite(value) ||
            (!f->is_real && (value < 0 || value > 1e15))) {
            return fail(err, ERR_FORMAT, "%s: %s in the trainer's state is no number of its range",
                        path, f->name);
        }
        if (f->is_real) {
            *(double *)(void *)to = value;
        } else {
            *(long *)(void *)to = (long)value;
        }
        text = end + 1;
    }
    return OK;
}

Status state_find_checkpoint(const char **out, const Buffer *last, const Buffer *prev, Error *err)
{
    *out = io_exists(last->bytes) ? last->bytes : prev->bytes;
    if (!io_exists(*out)) {
        return fail(err, ERR_IO, "%s: there is no checkpoint to resume from", last->bytes);
    }
    return OK;
}

Status trainer_path(Buffer *out, const char *path, const char *tag, Error *err)
{
    static const char ending[] = ".safetensors";
    const size_t len = strlen(path), n = sizeof ending - 1;
    const int has_ending = len > n && strcmp(path + len - n, ending) == 0;
    buffer_clear(out);
    TRY(buffer_add(out, path, has_ending ? len - n : len, err));
    return buffer_printf(out, err, ".%s%s", tag, has_ending ? ending : "");
}

static Status read_settings(Buffer *out, const char *path, Error *err)
{
    SafeFile *file;
    TRY(safe_open(&file, path, SAFE_CHECKSUM_REQUIRED, err));
    Status status = safe_read(file, err);
    const char *settings = safe_metadata(file, "settings");
    if (status == OK && settings == NULL) {
        status = fail(err, ERR_FORMAT, "%s: is no model of heed: no metadata \"settings\"", path);
    }
    status = status == OK ? buffer_add_text(out, settings, err) : status;
    safe_close(file);
    return status;
}

Status trainer_settings(Buffer *out, const char *path, Error *err)
{
    Buffer last = {0}, prev = {0};
    const char *checkpoint = NULL;
    Status status = trainer_path(&last, path, "last", err);
    status = status == OK ? trainer_path(&prev, path, "prev", err) : status;
    status = status == OK ? state_find_checkpoint(&checkpoint, &last, &prev, err) : status;
    status = status == OK ? read_settings(out, checkpoint, err) : status;
    buffer_free(&last);
    buffer_free(&prev);
    return status;
}

/* Pairs of lines; see the header. */
#include "text/pairs.h"

#include <string.h>

#include "base/buffer.h"
#include "base/mem.h"
#include "text/lines.h"
#include "text/words.h"

struct PairReader {
    LineReader *files[N_SIDES]; /* the second is NULL for a TSV */
    Buffer kept[N_SIDES];       /* the beginning of a line that came in parts */
    Buffer name;
};

static Status open_both(PairReader *reader, const char *source_path, const char *target_path,
                        Error *err)
{
    TRY(lines_open(&reader->files[SIDE_SOURCE], source_path, err));
    TRY(buffer_add_text(&reader->name, lines_path(reader->files[SIDE_SOURCE]), err));
    if (target_path == NULL) {
        return OK;
    }
    TRY(lines_open(&reader->files[SIDE_TARGET], target_path, err));
    return buffer_printf(&reader->name, err, " and %s", lines_path(reader->files[SIDE_TARGET]));
}

static Status open_pairs(PairReader **out, const char *source_path, const char *target_path,
                         Error *err)
{
    PairReader *reader = mem_zero_alloc(1, sizeof *reader);
    if (reader == NULL) {
        return mem_fail(err, source_path, 1, sizeof *reader);
    }
    const Status status = open_both(reader, source_path, target_path, err);
    if (status != OK) {
        pairs_close(reader);
        return status;
    }
    *out = reader;
    return OK;
}

Status pairs_open_tsv(PairReader **out, const char *path, Error *err)
{
    return open_pairs(out, path, NULL, err);
}

Status pairs_open_files(PairReader **out, const char *source_path, const char *target_path,
                        Error *err)
{
    if (strcmp(source_path, "-") == 0 && strcmp(target_path, "-") == 0) {
        return fail(err, ERR_ARG, "source and target cannot both come from standard input");
    }
    return open_pairs(out, source_path, target_path, err);
}

/* A whole line; of one in parts the first is kept, and the others are read and forgotten. */
static Status read_line(PairReader *reader, int side, Line *line, int *is_cut, Error *err)
{
    TRY(lines_next(reader->files[side], line, err));
    if (line->text != NULL && line->is_continued) {
        Buffer *kept = &reader->kept[side];
        buffer_clear(kept);
        TRY(buffer_add(kept, line->text, line->len, err));
        while (line->is_continued) {
            TRY(lines_next(reader->files[side], line, err));
        }
        line->text = kept->bytes;
        line->len = kept->len;
        *is_cut = 1;
    }
    return OK;
}

static Status split_columns(const PairReader *reader, PairLine *pair, const Line *line, Error *err)
{
    const char *end = line->text + line->len;
    const char *tab = memchr(line->text, '\t', line->len);
    if (tab == NULL) {
        if (!words_is_blank(line->text, line->len)) {
            const char *look = lines_look(reader->files[SIDE_SOURCE]);
            return fail(err, ERR_FORMAT, "%s:%ld: no tab between source and target%s%s",
                        pairs_name(reader), line->number, look == NULL ? "" : "; it looks like ",
                        look == NULL ? "" : look);
        }
        tab = end;
    }
    const char *target = tab == end ? end : tab + 1;
    const char *second = memchr(target, '\t', (size_t)(end - target));
    pair->text[SIDE_SOURCE] = line->text;
    pair->len[SIDE_SOURCE] = (size_t)(tab - line->text);
    pair->text[SIDE_TARGET] = target;
    pair->len[SIDE_TARGET] = (size_t)((second == NULL ? end : second) - target);
    return OK;
}

/* The number of lines of a file, read to its end. */
static Status count_rest(LineReader *file, long *n, Error *err)
{
    Line line;
    do {
        TRY(lines_next(file, &line, err));
    } while (line.text != NULL);
    *n = line.number;
    return OK;
}

static Status fail_unequal(const PairReader *reader, Error *err)
{
    long n[N_SIDES];
    for (int side = 0; side < N_SIDES; side++) {
        TRY(count_rest(reader->files[side], &n[side], err));
    }
    return fail(err, ERR_FORMAT, "%s has %ld lines, %s has %ld: each line needs its partner",
                lines_path(reader->files[SIDE_SOURCE]), n[SIDE_SOURCE],
                lines_path(reader->files[SIDE_TARGET]), n[SIDE_TARGET]);
}

Status pairs_next(PairReader *reader, PairLine *pair, Error *err)
{
    Line lines[N_SIDES];
    PairLine next = {{NULL, NULL}, {0, 0}, 0, 0};
    TRY(read_line(reader, SIDE_SOURCE, &lines[SIDE_SOURCE], &next.is_cut, err));
    next.number = lines[SIDE_SOURCE].number;
    if (reader->files[SIDE_TARGET] == NULL) {
        if (lines[SIDE_SOURCE].text != NULL) {
            TRY(split_columns(reader, &next, &lines[SIDE_SOURCE], err));
        }
        *pair = next;
        return OK;
    }
    TRY(read_line(reader, SIDE_TARGET, &lines[SIDE_TARGET], &next.is_cut, err));
    if ((lines[SIDE_SOURCE].text == NULL) != (lines[SIDE_TARGET].text == NULL)) {
        return fail_unequal(reader, err);
    }
    for (int side = 0; side < N_SIDES; side++) {
        next.text[side] = lines[side].text;
        next.len[side] = lines[side].len;
    }
    *pair = next;
    return OK;
}

const char *pairs_name(const PairReader *reader)
{
    return reader->name.bytes;
}

double pairs_fraction(const PairReader *reader)
{
    return lines_fraction(reader->files[SIDE_SOURCE]);
}

int pairs_is_utf16(const PairReader *reader)
{
    return lines_is_utf16(reader->files[SIDE_SOURCE]) ||
           (reader->files[SIDE_TARGET] != NULL && lines_is_utf16(reader->files[SIDE_TARGET]));
}

const char *pairs_binary(const PairReader *reader, const char **path)
{
    for (int side = 0; side < N_SIDES && reader->files[side] != NULL; side++) {
        const char *look = lines_binary(reader->files[side]);
        if (look != NULL) {
            *path = lines_path(reader->files[side]);
            return look;
        }
    }
    return NULL;
}

void pairs_close(PairReader *reader)
{
    if (reader != NULL) {
        for (int side = 0; side < N_SIDES; side++) {
            lines_close(reader->files[side]);
            buffer_free(&reader->kept[side]);
        }
        buffer_free(&reader->name);
        mem_free(reader);
    }
}

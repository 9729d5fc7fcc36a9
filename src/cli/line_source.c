/* Lines to translate; see the header. */
#include "cli/line_source.h"

#include <string.h>

#include "base/mem.h"

Status line_source_open(LineSource *source, const char *path, const char *const *texts, int n_texts,
                        int has_prefix, Error *err)
{
    *source = (LineSource){.texts = texts, .n_texts = n_texts, .has_prefix = has_prefix};
    return path == NULL ? OK : lines_open(&source->reader, path, err);
}

void line_source_close(LineSource *source)
{
    lines_close(source->reader);
    buffer_free(&source->text);
    buffer_free(&source->kept);
    mem_free(source->offsets);
    mem_free(source->lines);
    mem_free(source->marks);
}

double line_source_fraction(const LineSource *source)
{
    return source->reader != NULL ? lines_fraction(source->reader)
                                  : progress_share(source->at_text, source->n_texts);
}

static Status make_room(LineSource *source, long most, Error *err)
{
    if (most <= source->cap) {
        return OK;
    }
    const size_t n = (size_t)most;
    mem_free(source->offsets);
    mem_free(source->lines);
    mem_free(source->marks);
    source->offsets = mem_alloc(n, sizeof *source->offsets);
    source->lines = mem_alloc(n, sizeof *source->lines);
    source->marks = mem_alloc(n, sizeof *source->marks);
    source->cap = 0;
    if (source->offsets == NULL || source->lines == NULL || source->marks == NULL) {
        return mem_fail(err, "a window of lines", n, sizeof *source->lines);
    }
    source->cap = most;
    return OK;
}

static int is_continuation_byte(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Cuts the line at SOURCE_MAX_BYTES, before a byte that begins a code point, and reads on to where
 * the whole of it ends. */
static Status cut_line(LineSource *source, Error *err)
{
    Line *line = &source->line;
    size_t cut = SOURCE_MAX_BYTES;
    while (cut > SOURCE_MAX_BYTES - 4 && is_continuation_byte(line->text[cut])) {
        cut--;
    }
    buffer_clear(&source->kept);
    TRY(buffer_add(&source->kept, line->text, cut, err));
    while (line->is_continued) {
        TRY(lines_next(source->reader, line, err));
    }
    line->text = source->kept.bytes;
    line->len = cut;
    source->n_cut++;
    return OK;
}

/* The next line; *is_end when there is none. */
static Status next_line(LineSource *source, int *is_end, Error *err)
{
    if (source->reader == NULL) {
        *is_end = source->at_text == source->n_texts;
        if (!*is_end) {
            const char *text = source->texts[source->at_text++];
            source->line = (Line){.text = text, .len = strlen(text), .number = source->at_text};
        }
    } else {
        TRY(lines_next(source->reader, &source->line, err));
        *is_end = source->line.text == NULL;
    }
    if (!*is_end && source->line.len > SOURCE_MAX_BYTES) {
        TRY(cut_line(source, err));
    }
    source->is_inside = !*is_end;
    source->mark = (SourceMark){.continues = 0};
    return OK;
}

static int is_blank_byte(char c)
{
    return c == ' ' || c == '\t';
}

/* Where the next chunk of what is left ends. */
static size_t find_cut(const char *text, size_t len)
{
    if (len <= SOURCE_CHUNK_BYTES) {
        return len;
    }
    for (size_t i = SOURCE_CHUNK_BYTES; i > SOURCE_CHUNK_BYTES / 2; i--) {
        if (is_blank_byte(text[i - 1])) {
            return i;
        }
    }
    size_t cut = SOURCE_CHUNK_BYTES;
    while (cut > SOURCE_CHUNK_BYTES - 4 && is_continuation_byte(text[cut])) {
        cut--;
    }
    return cut;
}

/* Takes `len` bytes of the line under way as a line of the window, with its prefix. The blanks before
 * a cut are no part of what is translated: the mark behind it tells of them. */
static Status add_chunk(LineSource *source, size_t len, const char *prefix, size_t len_prefix,
                        Error *err)
{
    const long i = source->n;
    const int is_cut = len < source->line.len;
    size_t kept = len;
    while (is_cut && kept > 0 && is_blank_byte(source->line.text[kept - 1])) {
        kept--;
    }
    source->offsets[i] = source->text.len;
    source->lines[i] = (TranslateLine){.len = kept, .len_prefix = len_prefix, .id = source->id};
    TRY(buffer_add(&source->text, source->line.text, kept, err));
    TRY(buffer_add(&source->text, prefix, len_prefix, err));
    source->line.text += len;
    source->line.len -= len;
    source->is_inside = is_cut;
    source->marks[i] = source->mark;
    source->marks[i].is_continued = is_cut;
    source->mark = (SourceMark){.continues = is_cut, .has_blank = kept < len};
    source->id += !source->marks[i].is_continued;
    source->n++;
    return OK;
}

static Status add_next(LineSource *source, Error *err)
{
    Line *line = &source->line;
    const char *prefix = "";
    size_t len_prefix = 0;
    if (source->has_prefix && !source->mark.continues) {
        const char *tab = memchr(line->text, '\t', line->len);
        if (tab != NULL) {
            prefix = tab + 1;
            len_prefix = line->len - (size_t)(prefix - line->text);
            line->len = (size_t)(tab - line->text);
        }
    }
    return add_chunk(source, find_cut(line->text, line->len), prefix, len_prefix, err);
}

Status line_source_read(LineSource *source, long most, Error *err)
{
    TRY(make_room(source, most, err));
    source->n = 0;
    buffer_clear(&source->text);
    TRY(buffer_reserve(&source->text, 1, err)); /* empty lines have an address too */
    while (source->n < most && source->text.len < SOURCE_WINDOW_BYTES) {
        int is_end = 0;
        if (!source->is_inside) {
            TRY(next_line(source, &is_end, err));
        }
        if (is_end) {
            break;
        }
        TRY(add_next(source, err));
    }
    for (long i = 0; i < source->n; i++) {
        TranslateLine *line = &source->lines[i];
        line->text = source->text.bytes + source->offsets[i];
        line->prefix = line->len_prefix > 0 ? line->text + line->len : NULL;
    }
    return OK;
}

/* Lines; see the header. */
#include "text/lines.h"

#include <string.h>

#include <zlib.h>

#include "base/io.h"
#include "base/looks.h"
#include "base/mem.h"

enum { READ_BYTES = 1 << 16, GZIP_WINDOW = 15 + 16 };

struct LineReader {
    IoFile *file;
    unsigned char raw[READ_BYTES]; /* as read: the text, or gzip data */
    size_t raw_at, raw_len;
    int is_raw_end;

    int is_gzip;
    int is_inflating; /* inside a member */
    z_stream zip;

    /* Bytes begin .. end-1 of text are not yet handed out; none of the first n_searched ends a
     * line. */
    char *text;
    size_t begin, end, cap, n_searched;
    int is_end;     /* no more text will come */
    int is_started; /* the beginning of the file has been looked at */
    int is_utf16;
    unsigned char head[LOOKS_BYTES]; /* the first bytes of the text */
    size_t len_head;
    int is_continued; /* the last line handed out goes on */
    size_t n_before;  /* bytes of the line under way that have been handed out */
    long number;
};

static Status next_of_array(void *context, const char **line, size_t *len, Error *err)
{
    LineArray *array = context;
    (void)err;
    *line = NULL;
    if (array->at < array->n) {
        *line = array->text[array->at];
        *len = array->lens[array->at++];
    }
    return OK;
}

Lines lines_of_array(LineArray *array)
{
    return (Lines){next_of_array, array, NULL};
}

static void *zip_alloc(void *opaque, uInt count, uInt size)
{
    (void)opaque;
    return mem_alloc(count, size);
}

static void zip_free(void *opaque, void *block)
{
    (void)opaque;
    mem_free(block);
}

Status lines_open(LineReader **out, const char *path, Error *err)
{
    LineReader *reader = mem_zero_alloc(1, sizeof *reader);
    if (reader == NULL) {
        return mem_fail(err, path, 1, sizeof *reader);
    }
    const Status status = io_open_read(&reader->file, path, err);
    if (status != OK) {
        mem_free(reader);
        return status;
    }
    *out = reader;
    return OK;
}

/* Reads more when nothing is left; is_raw_end tells that there is no more. */
static Status fill_raw(LineReader *r, Error *err)
{
    if (r->raw_at == r->raw_len && !r->is_raw_end) {
        r->raw_at = 0;
        r->raw_len = 0;
        TRY(io_read(r->file, r->raw, sizeof r->raw, &r->raw_len, err));
        r->is_raw_end = r->raw_len == 0;
    }
    return OK;
}

/* Looks for gzip's magic. A pipe may yield its bytes one by one. */
static Status find_magic(LineReader *r, Error *err)
{
    TRY(fill_raw(r, err));
    if (r->raw_len == 1 && r->raw[0] == 0x1F) {
        size_t n;
        TRY(io_read(r->file, r->raw + 1, sizeof r->raw - 1, &n, err));
        r->raw_len += n;
    }
    r->is_gzip = r->raw_len >= 2 && r->raw[0] == 0x1F && r->raw[1] == 0x8B;
    return OK;
}

static Status fail_gzip(LineReader *r, int code, Error *err)
{
    if (code == Z_MEM_ERROR) {
        return mem_fail(err, io_path(r->file), 1, 1 << GZIP_WINDOW % 16);
    }
    return fail(err, ERR_FORMAT, "%s: damaged gzip data in line %ld%s%s", io_path(r->file),
                r->number + 1, r->zip.msg == NULL ? "" : ": ",
                r->zip.msg == NULL ? "" : r->zip.msg);
}

/* Opens the next member; false, with no error, when the file ends where one could begin. Zeros
 * behind the last member are padding. */
static Status open_member(LineReader *r, int *is_open, Error *err)
{
    *is_open = 0;
    TRY(fill_raw(r, err));
    while (!r->is_raw_end && r->raw[r->raw_at] == 0) {
        r->raw_at++;
        TRY(fill_raw(r, err));
    }
    if (r->is_raw_end) {
        return OK;
    }
    r->zip = (z_stream){.zalloc = zip_alloc, .zfree = zip_free};
    const int code = inflateInit2(&r->zip, GZIP_WINDOW);
    if (code != Z_OK) {
        return fail_gzip(r, code, err);
    }
    r->is_inflating = 1;
    *is_open = 1;
    return OK;
}

static Status inflate_some(LineReader *r, char *bytes, size_t cap, size_t *len, Error *err)
{
    *len = 0;
    while (*len == 0) {
        if (!r->is_inflating) {
            int is_open;
            TRY(open_member(r, &is_open, err));
            if (!is_open) {
                return OK;
            }
        }
        TRY(fill_raw(r, err));
        if (r->is_raw_end) {
            return fail(err, ERR_FORMAT, "%s: the gzip data ends too early, in line %ld",
                        io_path(r->file), r->number + 1);
        }
        r->zip.next_in = r->raw + r->raw_at;
        r->zip.avail_in = (uInt)(r->raw_len - r->raw_at);
        r->zip.next_out = (unsigned char *)bytes;
        r->zip.avail_out = (uInt)cap;
        const int code = inflate(&r->zip, Z_NO_FLUSH);
        r->raw_at = r->raw_len - r->zip.avail_in;
        *len = cap - r->zip.avail_out;
        if (code == Z_STREAM_END) {
            (void)inflateEnd(&r->zip);
            r->is_inflating = 0;
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return fail_gzip(r, code, err);
        }
    }
    return OK;
}

static Status read_some(LineReader *r, char *bytes, size_t cap, size_t *len, Error *err)
{
    if (r->is_gzip) {
        return inflate_some(r, bytes, cap, len, err);
    }
    TRY(fill_raw(r, err));
    const size_t n = r->raw_len - r->raw_at;
    *len = n < cap ? n : cap;
    memcpy(bytes, r->raw + r->raw_at, *len);
    r->raw_at += *len;
    return OK;
}

/* Adds some text behind what is held; is_end when there is no more. */
static Status fill_text(LineReader *r, Error *err)
{
    if (r->begin > 0) {
        memmove(r->text, r->text + r->begin, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
    }
    if (r->cap - r->end < READ_BYTES) {
        const size_t cap = r->cap + r->cap / 2 + 2 * READ_BYTES;
        char *grown = mem_resize(r->text, cap, 1);
        if (grown == NULL) {
            return mem_fail(err, io_path(r->file), cap, 1);
        }
        r->text = grown;
        r->cap = cap;
    }
    size_t n;
    TRY(read_some(r, r->text + r->end, READ_BYTES, &n, err));
    r->end += n;
    r->is_end = n == 0;
    return OK;
}

/* Drops a byte order mark and recognises that of UTF-16. */
static Status start(LineReader *r, Error *err)
{
    TRY(find_magic(r, err));
    while (!r->is_end && r->end < 3) {
        TRY(fill_text(r, err));
        if (r->end > 0 && r->text[0] != '\xEF' && r->text[0] != '\xFE' && r->text[0] != '\xFF') {
            break; /* the answer to a line typed in must not wait for a third byte */
        }
    }
    if (r->end >= 3 && memcmp(r->text, "\xEF\xBB\xBF", 3) == 0) {
        r->begin = 3;
    }
    r->is_utf16 =
        r->end >= 2 && (memcmp(r->text, "\xFF\xFE", 2) == 0 || memcmp(r->text, "\xFE\xFF", 2) == 0);
    r->len_head = r->end < LOOKS_BYTES ? r->end : LOOKS_BYTES;
    if (r->len_head > 0) {
        memcpy(r->head, r->text, r->len_head);
    }
    r->is_started = 1;
    return OK;
}

/* Where to cut a line of too many bytes: before a byte that begins a code point. */
static size_t cut_at(const char *text, size_t len)
{
    size_t cut = len;
    while (cut > len - 4 && ((unsigned char)text[cut] & 0xC0) == 0x80) {
        cut--;
    }
    return cut > len - 4 ? cut : len;
}

static void hand_out(LineReader *r, Line *line, size_t len, int is_continued)
{
    if (!r->is_continued) {
        r->number++;
    }
    r->is_continued = is_continued;
    r->n_before = is_continued ? r->n_before + len : 0;
    *line = (Line){r->text + r->begin, len, r->number, is_continued};
}

Status lines_next(LineReader *r, Line *line, Error *err)
{
    if (!r->is_started) {
        TRY(start(r, err));
    }
    for (;;) {
        const char *text = r->text + r->begin;
        const size_t len = r->end - r->begin;
        const char *found =
            len > r->n_searched ? memchr(text + r->n_searched, '\n', len - r->n_searched) : NULL;
        const size_t n = found == NULL ? len : (size_t)(found - text);
        if (n > LINE_ENDLESS_BYTES - r->n_before) {
            return fail(err, ERR_FORMAT,
                        "%s:%ld: no end of the line within %d bytes; is this text?",
                        io_path(r->file), r->number + !r->is_continued, LINE_ENDLESS_BYTES);
        }
        if (n > LINE_MAX_BYTES) {
            const size_t cut = cut_at(text, LINE_MAX_BYTES);
            hand_out(r, line, cut, 1);
            r->begin += cut;
            r->n_searched = 0;
            return OK;
        }
        if (found != NULL || r->is_end) {
            r->n_searched = 0;
            if (found == NULL && len == 0 && !r->is_continued) {
                *line = (Line){.number = r->number};
                return OK;
            }
            hand_out(r, line, n > 0 && text[n - 1] == '\r' ? n - 1 : n, 0);
            r->begin += found == NULL ? n : n + 1;
            return OK;
        }
        r->n_searched = len;
        TRY(fill_text(r, err));
    }
}

double lines_fraction(const LineReader *r)
{
    const double left =
        (double)(r->raw_len - r->raw_at) + (r->is_gzip ? 0 : (double)(r->end - r->begin));
    return progress_share((double)io_n_read(r->file) - left, (double)io_size(r->file));
}

const char *lines_path(const LineReader *reader)
{
    return io_path(reader->file);
}

int lines_is_utf16(const LineReader *reader)
{
    return reader->is_utf16;
}

const char *lines_binary(const LineReader *reader)
{
    return looks_binary(reader->head, reader->len_head);
}

const char *lines_look(const LineReader *reader)
{
    return looks_known(reader->head, reader->len_head);
}

void lines_close(LineReader *reader)
{
    if (reader != NULL) {
        if (reader->is_inflating) {
            (void)inflateEnd(&reader->zip);
        }
        io_discard(reader->file);
        mem_free(reader->text);
        mem_free(reader);
    }
}

/* heed tokenize: learns a tokenizer from text, and turns text into pieces and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/io.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/live_line.h"
#include "cli/results.h"
#include "base/options.h"
#include "model/model_file.h"
#include "text/tokenizer.h"

typedef struct Settings {
    const char *file, *model;
    int side;
    int tokenizer, vocab_size, min_freq, nfkc, lowercase;
    const char *input, *output, *vocab;
    int format;
    double dropout;
    int seed, is_quiet;
} Settings;

/* A line of LINE_MAX_BYTES whose bytes are each a piece, as <0x00>@@ and a blank. */
enum { PIECES_MAX_BYTES = 9 * LINE_MAX_BYTES };

enum { FORMAT_PIECES, FORMAT_IDS, FORMAT_SUBWORD };

static const Option OPTIONS[] = {
    {"file", 'f', OPTION_TEXT, offsetof(Settings, file), NULL, 0, 0, "FILE",
     "the tokenizer: written by learn, read by encode and decode"},
    {"model", 'm', OPTION_TEXT, offsetof(Settings, model), NULL, 0, 0, "FILE",
     "take the tokenizer of a model"},
    {"side", 0, OPTION_CHOICE, offsetof(Settings, side), "source", 0, 0, "source|target",
     "which of the model's two"},
    {"input", 'i', OPTION_TEXT, offsetof(Settings, input), "-", 0, 0, "FILE",
     "lines to encode or decode; - is standard input"},
    {"output", 'o', OPTION_TEXT, offsetof(Settings, output), "-", 0, 0, "FILE",
     "where they go; - is standard output"},
    {"format", 0, OPTION_CHOICE, offsetof(Settings, format), "pieces", 0, 0,
     "pieces|ids|subword-nmt",
     "pieces separated by blanks, their numbers, or text whose cut words are marked \"@@ \" "
     "(which keeps no double blanks)"},
    {"vocab", 0, OPTION_TEXT, offsetof(Settings, vocab), NULL, 0, 0, "FILE",
     "also write the vocabulary, a piece, a tab and a score a line; the line number is the id"},
    {"dropout", 0, OPTION_REAL, offsetof(Settings, dropout), "0", 0, 1, "P",
     "encode with BPE-dropout: leave each merge out with this probability"},
    {"tokenizer", 0, OPTION_CHOICE, offsetof(Settings, tokenizer), "bpe", 0, 0,
     "bpe|word|char|space", "the kind that learn makes"},
    {"vocab-size", 0, OPTION_INT, offsetof(Settings, vocab_size), "8000", N_SPECIAL_TOKENS + 1,
     TOKENIZER_MAX_SIZE, "N", "at most so many pieces, special ones and bytes included"},
    {"min-freq", 0, OPTION_INT, offsetof(Settings, min_freq), "2", 1, 1000000, "N",
     "rarer words, characters and pairs get no piece"},
    {"nfkc", 0, OPTION_FLAG, offsetof(Settings, nfkc), NULL, 0, 0, NULL,
     "normalise to NFKC in place of NFC"},
    {"lowercase", 0, OPTION_FLAG, offsetof(Settings, lowercase), NULL, 0, 0, NULL,
     "make letters small"},
    {"seed", 0, OPTION_INT, offsetof(Settings, seed), "1", 0, 2147483647, "N", "of --dropout"},
    {"quiet", 'q', OPTION_FLAG, offsetof(Settings, is_quiet), NULL, 0, 0, NULL,
     "no progress, no notes"},
    {NULL, 0, OPTION_FLAG, 0, NULL, 0, 0, NULL, NULL}};

/* Where results go: standard output, or a file that appears whole or not at all. */
typedef struct Sink {
    IoFile *stream;
    IoSave *save;
} Sink;

static Status sink_open(Sink *sink, const char *path, Error *err)
{
    *sink = (Sink){NULL, NULL};
    return strcmp(path, "-") == 0 ? io_open_write(&sink->stream, path, err)
                                  : io_save_begin(&sink->save, path, err);
}

static Status sink_write(Sink *sink, const Buffer *text, Error *err)
{
    return sink->stream != NULL ? io_write(sink->stream, text->bytes, text->len, err)
                                : io_save_write(sink->save, text->bytes, text->len, err);
}

/* Ends with the status so far: what was written is kept only when all went well. */
static Status sink_close(Sink *sink, Status status, Error *err)
{
    if (sink->stream != NULL) {
        Error later = {.message = ""};
        const Status closed = io_close(sink->stream, status == OK ? err : &later);
        return status == OK ? closed : status;
    }
    if (status == OK) {
        return io_save_commit(sink->save, err);
    }
    io_save_abort(sink->save);
    return status;
}

static Status write_file(const char *path, const Buffer *bytes, Error *err)
{
    Sink sink;
    TRY(sink_open(&sink, path, err));
    return sink_close(&sink, sink_write(&sink, bytes, err), err);
}

static Status write_vocabulary(const Tokenizer *t, const char *path, Error *err)
{
    const int n_plain = N_SPECIAL_TOKENS + (tokenizer_options(t)->kind == TOKENIZER_BPE ? 256 : 0);
    Buffer text = {0};
    Status status = OK;
    for (int id = 0; status == OK && id < tokenizer_size(t); id++) {
        size_t len;
        const char *piece = tokenizer_piece(t, id, &len);
        status = buffer_add(&text, piece, len, err);
        if (status == OK) {
            status = buffer_printf(&text, err, "\t%d\n", id < n_plain ? 0 : n_plain - id);
        }
    }
    if (status == OK) {
        status = write_file(path, &text, err);
    }
    buffer_free(&text);
    return status;
}

/* The lines of several files, one after the other. */
typedef struct Texts {
    const char *const *paths;
    int n, next;
    LineReader *reader; /* of the open file */
    int is_inside;      /* a line too long for its first part to be all of it */
    long n_lines, n_cut;
    const Progress *progress; /* of the reading */
} Texts;

enum { TOLD_LINES = 100 }; /* progress is told every so many */

/* Files count alike, whatever their length. */
static double texts_fraction(const Texts *texts)
{
    const double inside = texts->reader == NULL ? 0 : lines_fraction(texts->reader);
    const int n_before = texts->next - (texts->reader != NULL);
    return inside < 0 ? -1 : (n_before + inside) / texts->n;
}

static Status next_text(void *context, const char **line, size_t *len, Error *err)
{
    Texts *texts = context;
    Line found = {0};
    for (;;) {
        if (texts->reader != NULL) {
            TRY(lines_next(texts->reader, &found, err));
            const char *look = lines_binary(texts->reader);
            if (look != NULL) {
                return fail(err, ERR_FORMAT, "%s: looks like %s, not like lines of text",
                            lines_path(texts->reader), look);
            }
            if (found.text != NULL) {
                const int is_rest = texts->is_inside;
                texts->is_inside = found.is_continued;
                if (is_rest) {
                    continue; /* the end of a line that has been cut */
                }
                break;
            }
            lines_close(texts->reader);
            texts->reader = NULL;
        }
        if (texts->next == texts->n) {
            break;
        }
        TRY(lines_open(&texts->reader, texts->paths[texts->next++], err));
    }
    texts->n_lines += found.text != NULL;
    texts->n_cut += found.text != NULL && found.is_continued;
    if (texts->n_lines % TOLD_LINES == 0) {
        progress_tell(texts->progress, "counting words", "lines", (double)texts->n_lines,
                      texts_fraction(texts));
    }
    *line = found.text;
    *len = found.len;
    return OK;
}

static void print_cut(long n_cut)
{
    if (n_cut > 0) {
        (void)fprintf(stderr, "heed: warning: %ld line%s longer than %d bytes and cut there\n",
                      n_cut, n_cut == 1 ? " was" : "s were", (int)LINE_MAX_BYTES);
    }
}

static Status learn(Tokenizer **out, const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    static const char *const standard[] = {"-"};
    const int n = parsed->n_operands - 1;
    LiveLine live;
    live_begin(&live, s->is_quiet);
    Texts texts = {.paths = n > 0 ? parsed->operands + 1 : standard,
                   .n = n > 0 ? n : 1,
                   .progress = live_progress(&live)};
    const Lines lines = {next_text, &texts, texts.progress};
    const TokenizerOptions options = {.kind = (TokenizerKind)s->tokenizer,
                                      .vocab_size = s->vocab_size,
                                      .min_frequency = s->min_freq,
                                      .normalization = s->nfkc ? NORMALIZE_NFKC : NORMALIZE_NFC,
                                      .lowercase = s->lowercase};
    if (s->tokenizer == TOKENIZER_BPE && s->vocab_size < TOKENIZER_MIN_BPE) {
        return fail(err, ERR_ARG, "--vocab-size %d: bpe needs at least %d", s->vocab_size,
                    TOKENIZER_MIN_BPE);
    }
    Tokenizer *t = NULL;
    Status status = tokenizer_learn(&t, &options, &lines, err);
    live_clear(&live);
    lines_close(texts.reader);
    if (status == OK && texts.n_lines == 0) {
        tokenizer_free(t);
        status = fail(err, ERR_FORMAT, "%s: no lines to learn from", texts.paths[0]);
    }
    if (status == OK && !s->is_quiet) {
        (void)fprintf(stderr, "learnt %d pieces (of at most %d) from %ld lines\n",
                      tokenizer_size(t), s->vocab_size, texts.n_lines);
        print_cut(texts.n_cut);
    }
    if (status == OK) {
        *out = t;
    }
    return status;
}

static Status run_learn(const Parsed *parsed, Error *err)
{
    const Settings *s = parsed->settings;
    if (s->file == NULL) {
        return fail(err, ERR_ARG, "tokenize learn: needs --file, where the tokenizer goes");
    }
    const int n_texts = parsed->n_operands - 1;
    TRY(results_check("file", s->file, parsed->operands + 1, n_texts, err));
    TRY(results_check("vocab", s->vocab, parsed->operands + 1, n_texts, err));
    TRY(results_check_other("vocab", s->vocab, "file", s->file, err));
    Tokenizer *t = NULL;
    Buffer bytes = {0};
    TRY(learn(&t, parsed, err));
    Status status = tokenizer_save(t, &bytes, err);
    if (status == OK) {
        status = write_file(s->file, &bytes, err);
    }
    if (status == OK && s->vocab != NULL) {
        status = write_vocabulary(t, s->vocab, err);
    }
    buffer_free(&bytes);
    tokenizer_free(t);
    return status;
}

enum { FILE_MAX = 64 << 20 };

/* Reads a tokenizer's own file. */
static Status load_file(Tokenizer **out, const char *path, Error *err)
{
    IoFile *file = NULL;
    uint64_t size = 0;
    TRY(io_open_regular(&file, &size, path, err));
    if (size > FILE_MAX) {
        io_discard(file);
        return fail(err, ERR_FORMAT, "%s: %llu bytes are too many for a tokenizer", path,
                    (unsigned long long)size);
    }
    char *bytes = mem_alloc((size_t)size, 1);
    Status status = bytes == NULL ? mem_fail(err, path, (size_t)size, 1)
                                  : io_read_exact(file, bytes, (size_t)size, err);
    io_discard(file);
    if (status == OK) {
        status = tokenizer_load(out, bytes, (size_t)size, err);
        status = status == OK ? OK : fail_within(err, path);
    }
    mem_free(bytes);
    return status;
}

static Status load_model(Tokenizer **out, const char *path, int is_target, Error *err)
{
    Seq2Seq *model = NULL;
    ModelText text = {0};
    TRY(model_file_load(&model, &text, path, err));
    const Buffer *bytes = is_target ? &text.target_tokenizer : &text.source_tokenizer;
    const Status status = tokenizer_load(out, bytes->bytes, bytes->len, err);
    model_text_free(&text);
    seq2seq_free(model);
    return status == OK ? OK : fail_within(err, path);
}

static Status load(Tokenizer **out, const Settings *s, Error *err)
{
    if ((s->file == NULL) == (s->model == NULL)) {
        return fail(err, ERR_ARG, "tokenize: needs one of --file and --model");
    }
    return s->file != NULL ? load_file(out, s->file, err) : load_model(out, s->model, s->side, err);
}

/* What is to be said at the end about the input. */
typedef struct Notes {
    long n_malformed, first_malformed, last_malformed; /* lines */
    long n_cut;
} Notes;

static void print_notes(const char *path, const Notes *notes)
{
    if (notes->n_malformed > 0) {
        (void)fprintf(stderr, "%s: %ld lines with malformed UTF-8, the first is %ld\n", path,
                      notes->n_malformed, notes->first_malformed);
    }
    print_cut(notes->n_cut);
}

/* A run of a line's pieces as subword-nmt shows words: "piec@@ es". */
static Status add_subwords(Buffer *out, const Tokenizer *t, const Pieces *pieces, Error *err)
{
    static const char start[] = "\xE2\x96\x81";
    const size_t len_start = sizeof start - 1;
    int is_inside = 0;
    for (int i = 0; i < pieces->len; i++) {
        size_t len;
        const char *piece = tokenizer_piece(t, pieces->ids[i], &len);
        const int has_start = len >= len_start && memcmp(piece, start, len_start) == 0;
        if (has_start) {
            piece += len_start;
            len -= len_start;
        }
        if (is_inside) {
            TRY(buffer_add_text(out, has_start ? " " : "@@ ", err));
        }
        is_inside = len > 0;
        TRY(buffer_add(out, piece, len, err));
    }
    return OK;
}

static Status add_pieces(Buffer *out, const Tokenizer *t, const Pieces *pieces, int format,
                         Error *err)
{
    const TokenizerKind kind = tokenizer_options(t)->kind;
    if (format == FORMAT_SUBWORD && (kind == TOKENIZER_BPE || kind == TOKENIZER_WORD)) {
        return add_subwords(out, t, pieces, err);
    }
    for (int i = 0; i < pieces->len; i++) {
        if (i > 0) {
            TRY(buffer_add_byte(out, ' ', err));
        }
        if (format == FORMAT_IDS) {
            TRY(buffer_printf(out, err, "%d", pieces->ids[i]));
        } else {
            size_t len;
            const char *piece = tokenizer_piece(t, pieces->ids[i], &len);
            TRY(buffer_add(out, piece, len, err));
        }
    }
    return OK;
}

typedef struct Work {
    const Tokenizer *tokenizer;
    const Settings *settings;
    const char *path; /* of the input, for sentences */
    Pieces pieces;
    Buffer whole; /* a line to decode that came in parts */
    Buffer text;
    Notes notes;
} Work;

/* Encodes a line; the stream of its dropout depends on its number alone. */
static Status encode_line(Work *w, const Line *line, Error *err)
{
    const Settings *s = w->settings;
    Rng rng = rng_stream((uint64_t)s->seed, (uint64_t)line->number, 0);
    TRY(tokenizer_encode_dropout(w->tokenizer, line->text, line->len, s->dropout, &rng, &w->pieces,
                                 err));
    Notes *notes = &w->notes;
    if (w->pieces.n_malformed > 0 && notes->last_malformed != line->number) {
        notes->last_malformed = line->number;
        if (notes->n_malformed++ == 0) {
            notes->first_malformed = line->number;
        }
    }
    return add_pieces(&w->text, w->tokenizer, &w->pieces, s->format, err);
}

static Status add_id(Work *w, int id, Error *err)
{
    Pieces *p = &w->pieces;
    if (p->len == p->cap) {
        const int cap = 2 * p->cap + 64;
        int *grown = mem_resize(p->ids, (size_t)cap, sizeof *grown);
        if (grown == NULL) {
            return mem_fail(err, "the pieces of a line", (size_t)cap, sizeof *grown);
        }
        p->ids = grown;
        p->cap = cap;
    }
    p->ids[p->len++] = id;
    return OK;
}

/* A number written in digits below bound, or -1. */
static int parse_id(const char *text, size_t len, int bound)
{
    int id = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        id = 10 * id + (text[i] - '0');
        if (id >= bound) {
            return -1;
        }
    }
    return len == 0 ? -1 : id;
}

/* The ids of a subword-nmt word or part of one. */
static Status add_subword(Work *w, const char *text, size_t len, int is_inside, int *is_known,
                          Error *err)
{
    char marked[PIECE_MAX_BYTES + 3] = "\xE2\x96\x81";
    *is_known = 0;
    if (len > PIECE_MAX_BYTES) {
        return OK;
    }
    memcpy(marked + 3, text, len);
    int id = is_inside ? -1 : tokenizer_find(w->tokenizer, marked, len + 3);
    if (id < 0) {
        id = tokenizer_find(w->tokenizer, text, len);
        if (id >= 0 && !is_inside) {
            const int start = tokenizer_find(w->tokenizer, marked, 3);
            if (start >= 0) {
                TRY(add_id(w, start, err));
            }
        }
    }
    *is_known = id >= 0;
    return *is_known ? add_id(w, id, err) : OK;
}

static Status read_token(Work *w, const char *token, size_t len, int *is_inside, int *is_known,
                         Error *err)
{
    const Tokenizer *t = w->tokenizer;
    const TokenizerKind kind = tokenizer_options(t)->kind;
    if (w->settings->format == FORMAT_SUBWORD &&
        (kind == TOKENIZER_BPE || kind == TOKENIZER_WORD)) {
        const int is_cut = len > 2 && memcmp(token + len - 2, "@@", 2) == 0;
        TRY(add_subword(w, token, is_cut ? len - 2 : len, *is_inside, is_known, err));
        *is_inside = is_cut;
        return OK;
    }
    const int id = w->settings->format == FORMAT_IDS ? parse_id(token, len, tokenizer_size(t))
                                                     : tokenizer_find(t, token, len);
    *is_known = id >= 0;
    return *is_known ? add_id(w, id, err) : OK;
}

static Status decode_line(Work *w, const Line *line, Error *err)
{
    const char *text = line->text;
    int is_inside = 0;
    w->pieces.len = 0;
    for (size_t i = 0, end; i < line->len; i = end + 1) {
        const char *blank = memchr(text + i, ' ', line->len - i);
        int is_known = 1;
        end = blank == NULL ? line->len : (size_t)(blank - text);
        if (end > i) {
            TRY(read_token(w, text + i, end - i, &is_inside, &is_known, err));
        }
        if (!is_known) {
            return fail(err, ERR_FORMAT, "%s:%ld: %.*s: no piece of this tokenizer", w->path,
                        line->number, end - i < 60 ? (int)(end - i) : 60, text + i);
        }
    }
    const size_t begin = w->text.len;
    TRY(tokenizer_decode(w->tokenizer, w->pieces.ids, w->pieces.len, &w->text, err));
    for (size_t i = begin; i < w->text.len; i++) {
        if (w->text.bytes[i] == '\n') { /* a line stays a line */
            w->text.bytes[i] = ' ';
        }
    }
    return OK;
}

/* Reads on to the end of a line of which the first part has been encoded: text beyond it is cut. */
static Status skip_rest(Work *w, LineReader *reader, Line *line, Error *err)
{
    w->notes.n_cut += line->is_continued;
    while (line->is_continued) {
        TRY(lines_next(reader, line, err));
    }
    return OK;
}

/* Puts a line of pieces together: one of LINE_MAX_BYTES of text is several times as long. */
static Status join_parts(Work *w, LineReader *reader, Line *line, Error *err)
{
    if (!line->is_continued) {
        return OK;
    }
    buffer_clear(&w->whole);
    TRY(buffer_add(&w->whole, line->text, line->len, err));
    while (line->is_continued) {
        TRY(lines_next(reader, line, err));
        if (line->len > PIECES_MAX_BYTES - w->whole.len) {
            return fail(err, ERR_FORMAT, "%s:%ld: a line of more than %d bytes; are these pieces?",
                        w->path, line->number, (int)PIECES_MAX_BYTES);
        }
        TRY(buffer_add(&w->whole, line->text, line->len, err));
    }
    line->text = w->whole.bytes;
    line->len = w->whole.len;
    return OK;
}

static Status convert(Work *w, LineReader *reader, Sink *sink, int is_decoding, LiveLine *live,
                      Error *err)
{
    const int is_live = strcmp(w->settings->input, "-") == 0 && sink->stream != NULL;
    w->path = lines_path(reader);
    for (;;) {
        Line line;
        TRY(lines_next(reader, &line, err));
        if (line.text == NULL) {
            return OK;
        }
        buffer_clear(&w->text);
        if (is_decoding) {
            TRY(join_parts(w, reader, &line, err));
            TRY(decode_line(w, &line, err));
        } else {
            TRY(encode_line(w, &line, err));
            TRY(skip_rest(w, reader, &line, err));
        }
        TRY(buffer_add_byte(&w->text, '\n', err));
        TRY(sink_write(sink, &w->text, err));
        if (is_live) {
            TRY(io_flush(sink->stream, err));
        }
        progress_tell(live_progress(live), is_decoding ? "decoding" : "encoding", "lines",
                      (double)line.number, lines_fraction(reader));
    }
}

static Status run_convert(const Parsed *parsed, int is_decoding, Error *err)
{
    const Settings *s = parsed->settings;
    if (parsed->n_operands > 1) {
        return fail(err, ERR_ARG, "%s: name the text with --input", parsed->operands[1]);
    }
    const char *const inputs[] = {s->input, s->file, s->model};
    TRY(results_check("output", s->output, inputs, 3, err));
    TRY(results_check("vocab", s->vocab, inputs, 3, err));
    TRY(results_check_other("vocab", s->vocab, "output", s->output, err));
    Tokenizer *t = NULL;
    LineReader *reader = NULL;
    Sink sink;
    TRY(load(&t, s, err));
    Work work = {.tokenizer = t, .settings = s};
    Status status = s->vocab == NULL ? OK : write_vocabulary(t, s->vocab, err);
    if (status == OK) {
        status = lines_open(&reader, s->input, err);
    }
    if (status == OK) {
        status = sink_open(&sink, s->output, err);
        if (status == OK) {
            LiveLine live;
            live_begin(&live, s->is_quiet || live_is_shared(sink.stream != NULL, s->input));
            status = convert(&work, reader, &sink, is_decoding, &live, err);
            live_clear(&live);
            status = sink_close(&sink, status, err);
        }
    }
    if (status == OK && !s->is_quiet) {
        print_notes(work.path, &work.notes);
    }
    lines_close(reader);
    pieces_free(&work.pieces);
    buffer_free(&work.whole);
    buffer_free(&work.text);
    tokenizer_free(t);
    return status;
}

static Status run(const Parsed *parsed, Error *err)
{
    const char *action = parsed->n_operands > 0 ? parsed->operands[0] : "";
    if (strcmp(action, "learn") == 0) {
        return run_learn(parsed, err);
    }
    if (strcmp(action, "encode") == 0 || strcmp(action, "decode") == 0) {
        return run_convert(parsed, action[0] == 'd', err);
    }
    return fail(err, ERR_ARG, "tokenize: the first word must be learn, encode or decode%s%.60s",
                action[0] == '\0' ? "" : ", not ", action);
}

const Command command_tokenize = {
    .name = "tokenize",
    .operands = "learn|encode|decode [TEXT...]",
    .summary = "learn a tokenizer; text to pieces and back",
    .details = "    heed tokenize learn --file en.tok --vocab-size 4000 train.en\n"
               "    heed tokenize encode --file en.tok --input test.en > test.pieces\n"
               "    heed tokenize decode --file en.tok --input test.pieces\n"
               "learn reads the files TEXT, or standard input; for a vocabulary of both languages "
               "give both files.",
    .options = OPTIONS,
    .settings_size = sizeof(Settings),
    .max_operands = OPERANDS_MAX,
    .run = run,
};

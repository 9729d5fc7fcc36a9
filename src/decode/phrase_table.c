/* Phrase tables; see the header. */
#include "decode/phrase_table.h"

#include <string.h>

#include "base/mem.h"
#include "text/lines.h"
#include "text/piece_table.h"
#include "text/words.h"

struct PhraseTable {
    PieceTable sources; /* number i has the target number targets[i] */
    PieceTable texts;
    int *targets;
    int cap;
};

static Status add(PhraseTable *table, const char *source, size_t len_source, const char *target,
                  size_t len_target, Error *err)
{
    const int n = table->sources.n;
    int number, text;
    if (n == table->cap) {
        const int cap = table->cap == 0 ? 1024 : table->cap * 2;
        int *targets = mem_resize(table->targets, (size_t)cap, sizeof *targets);
        if (targets == NULL) {
            return mem_fail(err, "a phrase table", (size_t)cap, sizeof *targets);
        }
        table->targets = targets;
        table->cap = cap;
    }
    TRY(piece_add(&table->texts, &text, target, len_target, err));
    TRY(piece_add(&table->sources, &number, source, len_source, err));
    if (number == n) {
        table->targets[n] = text;
    }
    return OK;
}

static Status add_line(PhraseTable *table, const char *path, const Line *line, Error *err)
{
    const char *tab = memchr(line->text, '\t', line->len);
    if (tab == NULL) {
        return words_is_blank(line->text, line->len)
                   ? OK
                   : fail(err, ERR_FORMAT, "%s:%ld: no tab between source and target", path,
                          line->number);
    }
    const char *target = tab + 1;
    const size_t len_rest = line->len - (size_t)(target - line->text);
    const char *end = memchr(target, '\t', len_rest);
    return add(table, line->text, (size_t)(tab - line->text), target,
               end == NULL ? len_rest : (size_t)(end - target), err);
}

static Status read_all(PhraseTable *table, LineReader *reader, Error *err)
{
    for (;;) {
        Line line;
        TRY(lines_next(reader, &line, err));
        if (line.text == NULL) {
            return OK;
        }
        TRY(add_line(table, lines_path(reader), &line, err));
    }
}

Status phrase_table_load(PhraseTable **out, const char *path, Error *err)
{
    LineReader *reader;
    PhraseTable *table = mem_zero_alloc(1, sizeof *table);
    if (table == NULL) {
        return mem_fail(err, path, 1, sizeof *table);
    }
    Status status = lines_open(&reader, path, err);
    if (status == OK) {
        status = read_all(table, reader, err);
        lines_close(reader);
    }
    if (status != OK) {
        phrase_table_free(table);
        return status;
    }
    *out = table;
    return OK;
}

void phrase_table_free(PhraseTable *table)
{
    if (table != NULL) {
        piece_table_free(&table->sources);
        piece_table_free(&table->texts);
        mem_free(table->targets);
        mem_free(table);
    }
}

const char *phrase_table_find(void *context, const char *word, size_t len, size_t *len_found)
{
    const PhraseTable *table = context;
    const int number = piece_find(&table->sources, word, len);
    return number < 0 ? NULL : piece_text(&table->texts, table->targets[number], len_found);
}

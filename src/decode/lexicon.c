/* Glossaries; see the header. */
#include "decode/lexicon.h"

#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "text/counter.h"
#include "text/unicode.h"

enum { MAX_PAIRS = 1000000, MAX_PAIR_BYTES = 64 << 20 };

struct Lexicon {
    int is_pieces;
    Counter pairs, sources, targets; /* a pair is its two words with a tab between */
    Buffer line;
};

Status lexicon_create(Lexicon **out, int is_pieces, Error *err)
{
    Lexicon *lexicon = mem_zero_alloc(1, sizeof *lexicon);
    if (lexicon == NULL) {
        return mem_fail(err, "a lexicon", 1, sizeof *lexicon);
    }
    lexicon->is_pieces = is_pieces;
    lexicon->pairs = (Counter){.max_types = MAX_PAIRS, .max_bytes = MAX_PAIR_BYTES};
    lexicon->sources = lexicon->pairs;
    lexicon->targets = lexicon->pairs;
    *out = lexicon;
    return OK;
}

void lexicon_free(Lexicon *lexicon)
{
    if (lexicon != NULL) {
        counter_free(&lexicon->pairs);
        counter_free(&lexicon->sources);
        counter_free(&lexicon->targets);
        buffer_free(&lexicon->line);
        mem_free(lexicon);
    }
}

/* The word without the punctuation at its ends. */
static DumpText strip(DumpText word)
{
    size_t begin = word.len, end = 0;
    for (size_t i = 0; i < word.len;) {
        uint32_t point;
        const size_t width = unicode_decode(word.bytes + i, word.len - i, &point, NULL);
        if (unicode_class(point) != CLASS_PUNCTUATION) {
            begin = begin == word.len ? i : begin;
            end = i + width;
        }
        i += width;
    }
    return begin < end ? (DumpText){word.bytes + begin, end - begin} : word;
}

/* The text for a line of the lexicon: valid UTF-8 (a word has no blanks, and pieces show control
 * characters by their numbers). */
static Status add_text(const Lexicon *lexicon, Buffer *line, DumpText token, Error *err)
{
    const DumpText text = lexicon->is_pieces ? token : strip(token);
    return unicode_repair(line, text.bytes, text.len, err);
}

Status lexicon_add(Lexicon *lexicon, const Dump *dump, const Links *links, Error *err)
{
    for (int i = 0; i < links->n; i++) {
        Buffer *line = &lexicon->line;
        buffer_clear(line);
        TRY(add_text(lexicon, line, dump->source_tokens[links->v[i].source], err));
        const size_t len_source = line->len;
        TRY(buffer_add_byte(line, '\t', err));
        TRY(add_text(lexicon, line, dump->target_tokens[links->v[i].target], err));
        const char *target = line->bytes + len_source + 1;
        TRY(counter_add(&lexicon->pairs, line->bytes, line->len, 1, err));
        TRY(counter_add(&lexicon->sources, line->bytes, len_source, 1, err));
        TRY(counter_add(&lexicon->targets, target, line->len - len_source - 1, 1, err));
    }
    return OK;
}

/* The count of a word, at least that of a pair it is in (it may have been forgotten itself). */
static double count_of(const Counter *counter, const char *word, size_t len, long at_least)
{
    const int number = piece_find(&counter->texts, word, len);
    const long n = number < 0 ? 0 : counter->counts[number];
    return (double)(n < at_least ? at_least : n);
}

static Status format_pair(const Lexicon *lexicon, Buffer *line, int number, Error *err)
{
    size_t len;
    const char *pair = piece_text(&lexicon->pairs.texts, number, &len);
    const char *tab = memchr(pair, '\t', len);
    const size_t len_source = (size_t)(tab - pair);
    const long n = lexicon->pairs.counts[number];
    buffer_clear(line);
    TRY(buffer_add(line, pair, len, err));
    return buffer_printf(line, err, "\t%.6f\t%.6f\t%ld\n",
                         (double)n / count_of(&lexicon->sources, pair, len_source, n),
                         (double)n / count_of(&lexicon->targets, tab + 1, len - len_source - 1, n),
                         n);
}

Status lexicon_write(const Lexicon *lexicon, long min_count,
                     Status (*write)(void *context, Buffer *line, Error *err), void *context,
                     Error *err)
{
    int *order, n;
    Buffer line = {0};
    TRY(counter_order(&lexicon->pairs, &order, &n, min_count, err));
    Status status = OK;
    for (int i = 0; i < n && status == OK; i++) {
        status = format_pair(lexicon, &line, order[i], err);
        status = status == OK ? write(context, &line, err) : status;
    }
    mem_free(order);
    buffer_free(&line);
    return status;
}

int lexicon_has_forgotten(const Lexicon *lexicon)
{
    return lexicon->pairs.n_lost > 0;
}

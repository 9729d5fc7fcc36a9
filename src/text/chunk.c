/* Chunks; see the header. */
#include "text/chunk.h"

typedef struct Kind {
    UnicodeClass cls;
    Script script;
    uint32_t mark; /* which, in a run of punctuation */
} Kind;

static Kind kind_of(uint32_t point)
{
    Kind kind = {unicode_class(point), SCRIPT_OTHER, 0};
    if (kind.cls == CLASS_LETTER) {
        kind.script = script_of(point);
    } else if (kind.cls == CLASS_PUNCTUATION) {
        kind.mark = point;
    }
    return kind;
}

static int takes_word_start(Kind kind)
{
    return kind.cls == CLASS_DIGIT || kind.cls == CLASS_PUNCTUATION ||
           (kind.cls == CLASS_LETTER && !script_is_unspaced(kind.script));
}

size_t chunk_cluster(const UnicodeText *text, size_t i, size_t end)
{
    int32_t state = 0;
    size_t next = i + 1;
    if (text->points[i] <= ' ') {
        return next;
    }
    while (next < end && text->points[next] > ' ' &&
           !unicode_is_break(text->points[next - 1], text->points[next], &state)) {
        next++;
    }
    return next;
}

size_t chunk_unit(const UnicodeText *text, size_t i, size_t end)
{
    /* One point more than a unit may have tells that the cluster is longer. */
    const size_t bound = end - i > UNIT_MAX_POINTS + 1 ? i + UNIT_MAX_POINTS + 1 : end;
    const size_t next = chunk_cluster(text, i, bound);
    return next - i > UNIT_MAX_POINTS ? i + 1 : next;
}

ChunkReader chunk_reader(const UnicodeText *text)
{
    ChunkReader reader = {text, 0, 0};
    if (text->len > 0) {
        reader.has_added_start =
            text->points[0] == ' ' || takes_word_start(kind_of(text->points[0]));
    }
    return reader;
}

static int continues(Kind first, Kind next)
{
    if (next.cls == CLASS_MARK) {
        return 1; /* of a cluster too long for a unit, or after a character that takes none */
    }
    return first.cls == next.cls && first.script == next.script && first.mark == next.mark;
}

/* The prolonged sound mark is written in both Kana. */
static Kind kind_after(Kind first, uint32_t point)
{
    Kind kind = kind_of(point);
    if (point == 0x30FC && first.script == SCRIPT_HIRAGANA) {
        kind.script = SCRIPT_HIRAGANA;
    }
    return kind;
}

int chunk_next(ChunkReader *reader, Chunk *chunk)
{
    const UnicodeText *t = reader->text;
    size_t i = reader->at;
    const int is_added = reader->has_added_start;
    /* Blanks beyond the bound belong to a later chunk. */
    while (i < t->len && t->points[i] == ' ' && i - reader->at <= CHUNK_MAX_POINTS) {
        i++;
    }
    size_t n_starts = i - reader->at + (size_t)is_added;
    if (n_starts == 0 && i == t->len) {
        return 0;
    }
    *chunk = (Chunk){.first = reader->at, .end = i, .cls = CLASS_SPACE};
    const int attaches = i < t->len && n_starts > 0 && takes_word_start(kind_of(t->points[i]));
    n_starts -= (size_t)attaches;
    if (n_starts > 0) {
        const size_t bound = n_starts < CHUNK_MAX_POINTS ? n_starts : CHUNK_MAX_POINTS;
        chunk->is_blank = 1;
        chunk->n_starts = (int)bound;
        chunk->end = reader->at + bound - (size_t)is_added;
        if (!is_added) {
            chunk->start_offset = t->starts[reader->at];
            chunk->start_end = t->ends[reader->at];
        }
        reader->at = chunk->end;
        reader->has_added_start = 0;
        return 1;
    }
    if (attaches && !is_added) {
        chunk->start_offset = t->starts[i - 1];
        chunk->start_end = t->ends[i - 1];
    }
    const Kind first = kind_of(t->points[i]);
    size_t end = chunk_unit(t, i, t->len);
    while (end < t->len && t->points[end] != ' ' &&
           continues(first, kind_after(first, t->points[end]))) {
        const size_t next = chunk_unit(t, end, t->len);
        if (next - i > CHUNK_MAX_POINTS) {
            break;
        }
        end = next;
    }
    chunk->first = i;
    chunk->end = end;
    chunk->n_starts = attaches;
    chunk->cls = first.cls;
    chunk->script = first.script;
    reader->at = end;
    reader->has_added_start = 0;
    return 1;
}

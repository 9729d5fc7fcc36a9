/* Links of the training pairs; see the header. */
#include "train/links.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/mem.h"
#include "metric/aer.h"
#include "text/words.h"

/* A growing list of links by pair: those of pair i are v[first[i]] .. v[first[i + 1] - 1]. */
typedef struct List {
    size_t *first; /* [size + 1] */
    int (*v)[2];   /* (target, source) */
    size_t n, cap;
    long size, n_pairs; /* pairs in all, so far */
} List;

struct Links {
    char *path;
    int are_pieces;
    List list;
};

static Status list_create(List *list, long size, Error *err)
{
    *list = (List){.first = mem_zero_alloc((size_t)size + 1, sizeof *list->first), .size = size};
    return list->first == NULL ? mem_fail(err, "links", (size_t)size, sizeof *list->first) : OK;
}

static void list_free(List *list)
{
    mem_free(list->first);
    mem_free(list->v);
}

static Status list_add(List *list, int target, int source, Error *err)
{
    if (list->n == list->cap) {
        const size_t cap = list->cap + list->cap / 2 + 256;
        int(*v)[2] = mem_resize(list->v, cap, sizeof *v);
        if (v == NULL) {
            return mem_fail(err, "links", cap, sizeof *v);
        }
        list->v = v;
        list->cap = cap;
    }
    list->v[list->n][0] = target;
    list->v[list->n++][1] = source;
    return OK;
}

static int compare_links(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Ends the pair under way: its links are sorted, each stays once. */
static void list_end_pair(List *list)
{
    const size_t begin = list->first[list->n_pairs];
    size_t n = begin;
    if (list->n > begin) {
        qsort(list->v + begin, list->n - begin, sizeof *list->v, compare_links);
    }
    for (size_t i = begin; i < list->n; i++) {
        if (i == begin || compare_links(list->v[n - 1], list->v[i]) != 0) {
            memmove(list->v[n++], list->v[i], sizeof *list->v);
        }
    }
    list->n = n;
    list->first[++list->n_pairs] = n;
}

/* Reads one line; pair is its place in the corpus, or -1 when it was dropped or held out. */
static Status read_line(Links *links, const Corpus *corpus, const Line *line, long pair,
                        AerLinks *found, Error *err)
{
    AerFormat format = {
        .n_source = -1, .n_target = -1, .name = links->path, .line_number = line->number};
    if (line->is_continued) {
        return fail(err, ERR_FORMAT, "%s:%ld: a line of more than %d bytes", links->path,
                    line->number, LINE_MAX_BYTES);
    }
    if (pair >= 0 && !links->are_pieces) {
        size_t len;
        const char *text = corpus_line(corpus, SIDE_SOURCE, pair, &len);
        format.n_source = (int)words_count(text, len);
        text = corpus_line(corpus, SIDE_TARGET, pair, &len);
        format.n_target = (int)words_count(text, len);
    }
    TRY(aer_parse(found, line->text, line->len, &format, err));
    for (size_t i = 0; pair >= 0 && i < found->n; i++) {
        TRY(list_add(&links->list, found->v[i].target, found->v[i].source, err));
    }
    return OK;
}

static Status read_file(Links *links, LineReader *reader, const Corpus *corpus, Error *err)
{
    AerLinks found = {0};
    Line line;
    long pair = 0, n_lines = 0;
    Status status = lines_next(reader, &line, err);
    while (status == OK && line.text != NULL) {
        const int is_kept =
            pair < corpus_size(corpus) && corpus_line_number(corpus, pair) == line.number;
        n_lines = line.number;
        status = read_line(links, corpus, &line, is_kept ? pair : -1, &found, err);
        if (is_kept) {
            list_end_pair(&links->list);
            pair++;
        }
        status = status == OK ? lines_next(reader, &line, err) : status;
    }
    aer_free(&found);
    if (status == OK && n_lines != corpus_n_read(corpus)) {
        return fail(err, ERR_FORMAT, "%s has %ld lines, the training files have %ld pairs",
                    links->path, n_lines, corpus_n_read(corpus));
    }
    return status;
}

Status links_create(Links **out, long n_pairs, Error *err)
{
    Links *links = mem_zero_alloc(1, sizeof *links);
    if (links == NULL) {
        return mem_fail(err, "links", 1, sizeof *links);
    }
    links->are_pieces = 1;
    const Status status = list_create(&links->list, n_pairs, err);
    if (status != OK) {
        links_free(links);
        return status;
    }
    *out = links;
    return OK;
}

static Status fill(Links *links, const char *path, const Corpus *corpus, Error *err)
{
    LineReader *reader;
    links->path = mem_copy_text(path, strlen(path));
    if (links->path == NULL) {
        return mem_fail(err, "links", strlen(path), 1);
    }
    TRY(lines_open(&reader, path, err));
    const Status status = read_file(links, reader, corpus, err);
    lines_close(reader);
    return status;
}

Status links_load(Links **out, const char *path, int are_pieces, const Corpus *corpus, Error *err)
{
    Links *links;
    TRY(links_create(&links, corpus_size(corpus), err));
    links->are_pieces = are_pieces;
    const Status status = fill(links, path, corpus, err);
    if (status != OK) {
        links_free(links);
        return status;
    }
    *out = links;
    return OK;
}

void links_free(Links *links)
{
    if (links != NULL) {
        mem_free(links->path);
        list_free(&links->list);
        mem_free(links);
    }
}

Status links_add(Links *links, long pair, int target, int source, Error *err)
{
    while (links->list.n_pairs < pair) {
        list_end_pair(&links->list);
    }
    return list_add(&links->list, target, source, err);
}

void links_finish(Links *links)
{
    while (links->list.n_pairs < links->list.size) {
        list_end_pair(&links->list);
    }
}

/* One side of a pair on its way to pieces. */
typedef struct Side {
    const Tokenizer *tokenizer;
    Pieces pieces;
    Words words;
    int (*run)[2]; /* by word: its pieces [begin, end) */
    int cap;
} Side;

static void side_free(Side *side)
{
    pieces_free(&side->pieces);
    words_free(&side->words);
    mem_free(side->run);
}

static Status side_read(Side *side, const Corpus *corpus, int which, long pair, Error *err)
{
    size_t len;
    const char *text = corpus_line(corpus, which, pair, &len);
    TRY(tokenizer_encode(side->tokenizer, text, len, &side->pieces, err));
    TRY(words_split(&side->words, text, len, err));
    if (side->words.len > side->cap) {
        int(*run)[2] = mem_resize(side->run, (size_t)side->words.len, sizeof *run);
        if (run == NULL) {
            return mem_fail(err, "links", (size_t)side->words.len, sizeof *run);
        }
        side->run = run;
        side->cap = side->words.len;
    }
    return OK;
}

/* Spans and words both go from left to right, so the pieces of a word are a run. */
static void side_find_runs(Side *side)
{
    const Words *w = &side->words;
    int first = 0;
    for (int i = 0; i < w->len; i++) {
        side->run[i][0] = side->run[i][1] = 0;
    }
    for (int i = 0; i < side->pieces.len; i++) {
        const int *span = side->pieces.spans[i];
        while (first + 1 < w->len && w->spans[first][1] <= span[0]) {
            first++;
        }
        for (int word = first; word < w->len; word++) {
            if (word > first && w->spans[word][0] >= span[1]) {
                break;
            }
            if (side->run[word][1] == 0) {
                side->run[word][0] = i;
            }
            side->run[word][1] = i + 1;
        }
    }
}

static Status add_products(List *out, const int link[2], const Side *source, const Side *target,
                           Error *err)
{
    const int *rows = target->run[link[0]], *columns = source->run[link[1]];
    for (int t = rows[0]; t < rows[1]; t++) {
        for (int s = columns[0]; s < columns[1]; s++) {
            TRY(list_add(out, t, s, err));
        }
    }
    return OK;
}

static Status check_piece(const Links *links, const Corpus *corpus, long pair, const char *side,
                          int index, int n, Error *err)
{
    if (index >= n) {
        return fail(err, ERR_FORMAT, "%s:%ld: link to %s piece %d, but the sentence has %d pieces",
                    links->path, corpus_line_number(corpus, pair), side, index, n);
    }
    return OK;
}

static Status convert_pair(const Links *links, List *out, const Corpus *corpus, long pair,
                           Side sides[N_SIDES], int max_length, Error *err)
{
    const int(*v)[2];
    const int n = links_of(links, pair, &v);
    Side *source = &sides[SIDE_SOURCE], *target = &sides[SIDE_TARGET];
    if (n == 0) {
        return OK;
    }
    TRY(side_read(source, corpus, SIDE_SOURCE, pair, err));
    TRY(side_read(target, corpus, SIDE_TARGET, pair, err));
    const int n_source = source->pieces.len, n_target = target->pieces.len;
    const int is_long = max_length > 0 && (n_source > max_length || n_target > max_length);
    side_find_runs(source);
    side_find_runs(target);
    for (int i = 0; i < n; i++) {
        if (links->are_pieces) {
            TRY(check_piece(links, corpus, pair, "target", v[i][0], n_target, err));
            TRY(check_piece(links, corpus, pair, "source", v[i][1], n_source, err));
            TRY(list_add(out, v[i][0], v[i][1], err));
        } else if (!is_long) {
            TRY(add_products(out, v[i], source, target, err));
        }
    }
    return OK;
}

Status links_to_pieces(Links *links, const Corpus *corpus, const Tokenizer *source,
                       const Tokenizer *target, int max_length, Error *err)
{
    List list;
    Side sides[N_SIDES] = {{.tokenizer = source}, {.tokenizer = target}};
    TRY(list_create(&list, corpus_size(corpus), err));
    Status status = OK;
    for (long i = 0; i < corpus_size(corpus) && status == OK; i++) {
        status = convert_pair(links, &list, corpus, i, sides, max_length, err);
        list_end_pair(&list);
    }
    side_free(&sides[SIDE_SOURCE]);
    side_free(&sides[SIDE_TARGET]);
    if (status != OK) {
        list_free(&list);
        return status;
    }
    list_free(&links->list);
    links->list = list;
    return OK;
}

int links_of(const Links *links, long pair, const int (**out)[2])
{
    const size_t begin = links->list.first[pair];
    *out = (const int(*)[2])links->list.v + begin;
    return (int)(links->list.first[pair + 1] - begin);
}

long links_count(const Links *links)
{
    return (long)links->list.n;
}

static uint32_t add_number(uint32_t crc, size_t number)
{
    const unsigned char bytes[] = {(unsigned char)number, (unsigned char)(number >> 8),
                                   (unsigned char)(number >> 16), (unsigned char)(number >> 24)};
    return checksum_crc32(crc, bytes, sizeof bytes);
}

uint32_t links_checksum(const Links *links, uint32_t crc)
{
    for (long i = 0; i < links->list.n_pairs; i++) {
        const int(*v)[2];
        const int n = links_of(links, i, &v);
        crc = add_number(crc, (size_t)n);
        for (int j = 0; j < n; j++) {
            crc = add_number(add_number(crc, (size_t)v[j][0]), (size_t)v[j][1]);
        }
    }
    return crc;
}

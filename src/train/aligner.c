/* Word alignment by counting; see the header. */
#include "train/aligner.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "decode/link_table.h"
#include "nn/hmm.h"

/* One more round finds the links. */
enum { MODEL1_ROUNDS = 5, HMM_ROUNDS = 3, N_ROUNDS = MODEL1_ROUNDS + HMM_ROUNDS + 1 };

#define LINK_BOUND 0.2   /* of the product of both posteriors */
#define LEAST      1e-12 /* of a word probability, so that no sentence is impossible */

/* What is known of a source and a target type that meet in some pair. */
typedef struct Cell {
    int target;
    float forward, backward; /* p(target | source), p(source | target) */
    float forward_count, backward_count;
} Cell;

/* Rows by source type, the last is "no word"; in each row cells by target type, the last "no word"
 * again. */
typedef struct Table {
    int n_source, n_target; /* types without "no word" */
    size_t *first;          /* [n_source + 2] */
    Cell *cells;
} Table;

/* One pair under work; all but the last three lies in the arena. */
typedef struct Work {
    IdPair pair;
    Cell **cells;               /* [n_source + 1, n_target + 1] */
    double *forward, *backward; /* posteriors [n_target, n_source + 1], [n_source, n_target + 1] */
    double *emission;
    HmmJumps counts[2]; /* expected jumps, forward and backward */
    Arena *arena;       /* of the aligner's */
    int *ids;           /* room for any pair */
    Status status;
    Error err;
} Work;

/* Pairs that are worked on side by side; what they count is added in their order afterwards, so
 * that the sums do not depend on the number of threads. */
enum { CHUNK = 64 };

typedef struct Aligner {
    const Data *data;
    Threads *threads;
    Table table;
    HmmJumps jumps[2]; /* forward, backward */
    Work work[CHUNK];
    Arenas arenas; /* by place in work */
    long first;    /* pair of work[0] */
    int round;     /* 0 .. N_ROUNDS - 1 */
    int is_hmm;
    const Progress *progress;
} Aligner;

/* ---- The table ---- */

static int compare_cells(const void *a, const void *b)
{
    const Cell *x = a, *y = b;
    return (x->target > y->target) - (x->target < y->target);
}

static Cell *find_cell(const Table *table, int source, int target)
{
    size_t low = table->first[source], high = table->first[source + 1];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (table->cells[middle].target <= target) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &table->cells[low];
}

/* The pairs in which each source type occurs: list[first[s]] .. list[first[s + 1] - 1]. */
typedef struct Postings {
    size_t *first;
    int *list;
} Postings;

static void postings_free(Postings *p)
{
    mem_free(p->first);
    mem_free(p->list);
}

static Status load_pair(const Aligner *a, IdPair *pair, long i, Error *err)
{
    return data_pair(a->data, pair, i, 0, a->work[0].ids, NULL, err);
}

static Status postings_fill(Postings *p, const Aligner *a, Error *err)
{
    const int n = a->table.n_source;
    IdPair pair;
    p->first = mem_zero_alloc((size_t)n + 2, sizeof *p->first);
    p->list = mem_alloc((size_t)data_n_pieces(a->data, SIDE_SOURCE), sizeof *p->list);
    if (p->first == NULL || p->list == NULL) {
        return mem_fail(err, "word alignment", (size_t)n, sizeof *p->first);
    }
    for (long i = 0; i < data_size(a->data); i++) {
        TRY(load_pair(a, &pair, i, err));
        for (int j = 0; j < pair.n_source; j++) {
            p->first[pair.source[j] + 2]++;
        }
    }
    for (int s = 0; s < n; s++) {
        p->first[s + 2] += p->first[s + 1];
    }
    /* first[s + 1] walks from the beginning of s to its end, which is the beginning of s + 1. */
    for (long i = 0; i < data_size(a->data); i++) {
        TRY(load_pair(a, &pair, i, err));
        for (int j = 0; j < pair.n_source; j++) {
            p->list[p->first[pair.source[j] + 1]++] = (int)i;
        }
    }
    return OK;
}

/* Grows the cells to hold n more. */
static Status reserve(Table *table, size_t used, size_t n, size_t *cap, Error *err)
{
    if (used + n <= *cap) {
        return OK;
    }
    const size_t wanted = used + n + used / 2;
    Cell *cells = mem_resize(table->cells, wanted, sizeof *cells);
    if (cells == NULL) {
        return mem_fail(err, "word alignment", wanted, sizeof *cells);
    }
    table->cells = cells;
    *cap = wanted;
    return OK;
}

/* Fills the row of a source type: all target types of its pairs, and "no word". seen [n_target]
 * holds the last row that had the type, plus one. */
static Status add_row(Aligner *a, const Postings *postings, int source, int *seen, size_t *cap,
                      Error *err)
{
    Table *table = &a->table;
    size_t n = table->first[source];
    IdPair pair;
    for (size_t k = postings->first[source]; k < postings->first[source + 1]; k++) {
        TRY(load_pair(a, &pair, postings->list[k], err));
        TRY(reserve(table, n, (size_t)pair.n_target + 1, cap, err));
        for (int j = 0; j < pair.n_target; j++) {
            if (seen[pair.target[j]] != source + 1) {
                seen[pair.target[j]] = source + 1;
                table->cells[n++] = (Cell){.target = pair.target[j]};
            }
        }
    }
    TRY(reserve(table, n, 1, cap, err));
    table->cells[n++] = (Cell){.target = table->n_target};
    qsort(table->cells + table->first[source], n - table->first[source], sizeof *table->cells,
          compare_cells);
    table->first[source + 1] = n;
    return OK;
}

/* The row of "no word" has every target type. */
static Status add_null_row(Table *table, size_t *cap, Error *err)
{
    size_t n = table->first[table->n_source];
    TRY(reserve(table, n, (size_t)table->n_target + 1, cap, err));
    for (int t = 0; t <= table->n_target; t++) {
        table->cells[n++] = (Cell){.target = t};
    }
    table->first[table->n_source + 1] = n;
    return OK;
}

static Status fill_rows(Aligner *a, const Postings *postings, Error *err)
{
    Table *table = &a->table;
    size_t cap = 0;
    int *seen = mem_zero_alloc((size_t)table->n_target, sizeof *seen);
    if (seen == NULL) {
        return mem_fail(err, "word alignment", (size_t)table->n_target, sizeof *seen);
    }
    Status status = OK;
    for (int s = 0; s < table->n_source && status == OK; s++) {
        status = add_row(a, postings, s, seen, &cap, err);
    }
    status = status == OK ? add_null_row(table, &cap, err) : status;
    mem_free(seen);
    return status;
}

static Status table_fill(Aligner *a, Error *err)
{
    Postings postings = {0};
    Table *table = &a->table;
    table->first = mem_zero_alloc((size_t)table->n_source + 2, sizeof *table->first);
    if (table->first == NULL) {
        return mem_fail(err, "word alignment", (size_t)table->n_source, sizeof *table->first);
    }
    Status status = postings_fill(&postings, a, err);
    status = status == OK ? fill_rows(a, &postings, err) : status;
    postings_free(&postings);
    for (size_t i = 0; status == OK && i < table->first[table->n_source + 1]; i++) {
        table->cells[i].forward = table->cells[i].backward = 1;
    }
    return status;
}

/* Relative frequency; a word that was never counted has no links to give. */
static float share(float count, double total)
{
    return total > 0 ? (float)((double)count / total) : 0;
}

/* Probabilities from counts, which become zero. */
static Status estimate(Table *table, Error *err)
{
    const size_t n_targets = (size_t)table->n_target + 1;
    double *totals = mem_zero_alloc(n_targets, sizeof *totals);
    if (totals == NULL) {
        return mem_fail(err, "word alignment", n_targets, sizeof *totals);
    }
    for (size_t i = 0; i < table->first[table->n_source + 1]; i++) {
        totals[table->cells[i].target] += (double)table->cells[i].backward_count;
    }
    for (int s = 0; s <= table->n_source; s++) {
        Cell *begin = table->cells + table->first[s], *end = table->cells + table->first[s + 1];
        double total = 0;
        for (const Cell *c = begin; c < end; c++) {
            total += (double)c->forward_count;
        }
        for (Cell *c = begin; c < end; c++) {
            c->forward = share(c->forward_count, total);
            c->backward = share(c->backward_count, totals[c->target]);
            c->forward_count = c->backward_count = 0;
        }
    }
    mem_free(totals);
    return OK;
}

/* ---- One pair ---- */

static Status alloc_doubles(double **out, int rows, int columns, Arena *arena, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, (size_t)rows * (size_t)columns, sizeof(double), err));
    *out = block;
    return OK;
}

static Status work_begin(Work *w, const Aligner *a, long i, Error *err)
{
    void *block;
    arena_reset(w->arena);
    TRY(data_pair(a->data, &w->pair, i, 0, w->ids, NULL, err));
    const int ns = w->pair.n_source, nt = w->pair.n_target;
    TRY(arena_alloc(w->arena, &block, ((size_t)ns + 1) * ((size_t)nt + 1), sizeof *w->cells, err));
    w->cells = block;
    TRY(alloc_doubles(&w->forward, nt, ns + 1, w->arena, err));
    TRY(alloc_doubles(&w->backward, ns, nt + 1, w->arena, err));
    TRY(alloc_doubles(&w->emission, ns + 1, nt + 1, w->arena, err));
    for (int s = 0; s <= ns; s++) {
        const int source = s < ns ? w->pair.source[s] : a->table.n_source;
        for (int t = 0; t <= nt; t++) {
            const int target = t < nt ? w->pair.target[t] : a->table.n_target;
            w->cells[s * (nt + 1) + t] = find_cell(&a->table, source, target);
        }
    }
    return OK;
}

/* Model 1: every place is as likely as any other. */
static void even_posteriors(double *posterior, const double *emission, int n_out, int n_in)
{
    for (int j = 0; j < n_out; j++) {
        const double *from = emission + (size_t)j * ((size_t)n_in + 1);
        double *to = posterior + (size_t)j * ((size_t)n_in + 1), sum = 0;
        for (int i = 0; i <= n_in; i++) {
            to[i] = from[i] * (i < n_in ? (1 - HMM_NULL) / n_in : HMM_NULL);
            sum += to[i];
        }
        for (int i = 0; i <= n_in; i++) {
            to[i] /= sum;
        }
    }
}

/* Posteriors of one direction. */
static Status find_posteriors(const Aligner *a, Work *w, int is_backward, Error *err)
{
    const int ns = w->pair.n_source, nt = w->pair.n_target;
    const int n_out = is_backward ? ns : nt, n_in = is_backward ? nt : ns;
    double *posterior = is_backward ? w->backward : w->forward;
    for (int j = 0; j < n_out; j++) {
        for (int i = 0; i <= n_in; i++) {
            const Cell *cell =
                is_backward ? w->cells[j * (nt + 1) + i] : w->cells[i * (nt + 1) + j];
            const double p = (double)(is_backward ? cell->backward : cell->forward);
            w->emission[(size_t)j * ((size_t)n_in + 1) + (size_t)i] = p + LEAST;
        }
    }
    if (!a->is_hmm) {
        even_posteriors(posterior, w->emission, n_out, n_in);
        return OK;
    }
    w->counts[is_backward] = (HmmJumps){{0}};
    return hmm_posteriors(posterior, &w->counts[is_backward], w->emission, n_out, n_in,
                          &a->jumps[is_backward], w->arena, err);
}

static double agreement(const Work *w, int s, int t)
{
    return w->forward[t * (w->pair.n_source + 1) + s] * w->backward[s * (w->pair.n_target + 1) + t];
}

static void add_counts(const Work *w)
{
    const int ns = w->pair.n_source, nt = w->pair.n_target;
    for (int s = 0; s < ns; s++) {
        for (int t = 0; t < nt; t++) {
            Cell *cell = w->cells[s * (nt + 1) + t];
            const float count = (float)agreement(w, s, t);
            cell->forward_count += count;
            cell->backward_count += count;
        }
        w->cells[s * (nt + 1) + nt]->backward_count += (float)w->backward[s * (nt + 1) + nt];
    }
    for (int t = 0; t < nt; t++) {
        w->cells[ns * (nt + 1) + t]->forward_count += (float)w->forward[t * (ns + 1) + ns];
    }
}

/* ---- All pairs ---- */

static Status run_work(Work *w, const Aligner *a, long i, Error *err)
{
    TRY(work_begin(w, a, i, err));
    TRY(find_posteriors(a, w, 0, err));
    return find_posteriors(a, w, 1, err);
}

static void work_task(void *context, int task, int worker)
{
    (void)worker;
    Aligner *a = context;
    Work *w = &a->work[task];
    w->status = run_work(w, a, a->first + task, &w->err);
}

/* Works on the next pairs; *n is how many. */
static Status run_chunk(Aligner *a, int *n, Error *err)
{
    const long left = data_size(a->data) - a->first;
    *n = left < CHUNK ? (int)left : CHUNK;
    const double done = (double)a->round * (double)data_size(a->data) + (double)a->first;
    progress_tell(a->progress, "aligning words", "pairs", done,
                  progress_share(done, (double)N_ROUNDS * (double)data_size(a->data)));
    threads_run(a->threads, work_task, a, *n);
    for (int k = 0; k < *n; k++) {
        if (a->work[k].status != OK) {
            if (err != NULL) {
                *err = a->work[k].err;
            }
            return a->work[k].status;
        }
    }
    return OK;
}

static void add_jumps(HmmJumps *sum, const HmmJumps *more)
{
    for (int k = 0; k < HMM_JUMPS; k++) {
        sum->v[k] += more->v[k];
    }
}

static Status run_round(Aligner *a, Error *err)
{
    HmmJumps counts[2] = {{{0}}};
    int n;
    for (a->first = 0; a->first < data_size(a->data); a->first += n) {
        TRY(run_chunk(a, &n, err));
        for (int k = 0; k < n; k++) {
            add_counts(&a->work[k]);
            for (int way = 0; way < 2 && a->is_hmm; way++) {
                add_jumps(&counts[way], &a->work[k].counts[way]);
            }
        }
    }
    for (int way = 0; way < 2 && a->is_hmm; way++) {
        a->jumps[way] = hmm_jumps_of_counts(&counts[way]);
    }
    return estimate(&a->table, err);
}

static Status link_pair(Links *links, const Work *w, long pair, Error *err)
{
    for (int t = 0; t < w->pair.n_target; t++) {
        for (int s = 0; s < w->pair.n_source; s++) {
            if (agreement(w, s, t) > LINK_BOUND) {
                TRY(links_add(links, pair, t, s, err));
            }
        }
    }
    return OK;
}

static Status link_pairs(Aligner *a, Links *links, Error *err)
{
    int n;
    for (a->first = 0; a->first < data_size(a->data); a->first += n) {
        TRY(run_chunk(a, &n, err));
        for (int k = 0; k < n; k++) {
            const long pair = data_corpus_index(a->data, a->first + k);
            TRY(link_pair(links, &a->work[k], pair, err));
        }
    }
    links_finish(links);
    return OK;
}

/* The table of a finished aligner, as models keep it. */
static Status write_table(const Aligner *a, Buffer *out, Error *err)
{
    const Table *table = &a->table;
    LinkEntry *entries = mem_alloc((size_t)table->n_target, sizeof *entries);
    if (entries == NULL) {
        return mem_fail(err, "word alignment", (size_t)table->n_target, sizeof *entries);
    }
    Status status = link_table_put_jumps(out, &a->jumps[0], err);
    for (int s = 0; s <= table->n_source && status == OK; s++) {
        int n = 0;
        for (size_t i = table->first[s]; i + 1 < table->first[s + 1]; i++) {
            entries[n++] = (LinkEntry){table->cells[i].target, (double)table->cells[i].forward};
        }
        status = link_table_put_row(
            out, entries, n, s < table->n_source ? LINK_TABLE_LEAST : LINK_TABLE_LEAST_NULL, err);
    }
    mem_free(entries);
    return status;
}

static Status create_work(Aligner *a, Error *err)
{
    int room = 1;
    for (long i = 0; i < data_size(a->data); i++) {
        const int n = data_pair_room(a->data, i);
        room = n > room ? n : room;
    }
    TRY(arenas_create(&a->arenas, CHUNK, err));
    for (int k = 0; k < CHUNK; k++) {
        a->work[k].arena = a->arenas.v[k];
        a->work[k].ids = mem_alloc((size_t)room, sizeof *a->work[k].ids);
        if (a->work[k].ids == NULL) {
            return mem_fail(err, "word alignment", (size_t)room, sizeof *a->work[k].ids);
        }
    }
    return OK;
}

static Status run_aligner(Aligner *a, Links *links, Buffer *table, Error *err)
{
    TRY(create_work(a, err));
    TRY(table_fill(a, err));
    for (a->round = 0; a->round < N_ROUNDS - 1; a->round++) {
        a->is_hmm = a->round >= MODEL1_ROUNDS;
        TRY(run_round(a, err));
    }
    TRY(write_table(a, table, err));
    return link_pairs(a, links, err);
}

static void aligner_free(Aligner *a)
{
    mem_free(a->table.first);
    mem_free(a->table.cells);
    for (int k = 0; k < CHUNK; k++) {
        mem_free(a->work[k].ids);
    }
    arenas_free(&a->arenas);
    mem_free(a);
}

Status aligner_run(Links **out, Buffer *table, const Data *data, long corpus_size, int source_vocab,
                   int target_vocab, Threads *threads, const Progress *progress, Error *err)
{
    Links *links;
    TRY(links_create(&links, corpus_size, err));
    Aligner *a = mem_zero_alloc(1, sizeof *a);
    if (a == NULL) {
        links_free(links);
        return mem_fail(err, "word alignment", 1, sizeof *a);
    }
    a->data = data;
    a->threads = threads;
    a->progress = progress;
    a->table.n_source = source_vocab;
    a->table.n_target = target_vocab;
    a->jumps[0] = a->jumps[1] = hmm_jumps_even();
    const Status status = run_aligner(a, links, table, err);
    aligner_free(a);
    if (status != OK) {
        links_free(links);
        return status;
    }
    *out = links;
    return OK;
}

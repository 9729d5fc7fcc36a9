/* Beam search; see the header.
 *
 * The tree of hypotheses grows a Level a step. A Level holds the nodes that were chosen at that
 * step (word, log-probability, the row they extend) and the attention of the rows:
 *
 *     level 0        level 1           row r of step t extends node node_of_row[r] of level t - 1;
 *     rows: start    rows: a b         node n of level t extends row row[n] of step t
 *     nodes: a b     nodes: aa ab b/
 *
 * A hypothesis is a node; its words, scores and attention are read by walking back. */
#include "decode/beam.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "decode/sampler.h"
#include "math/vec.h"

#define COVERAGE_FLOOR 1e-6

/* Words that may be banned whatever went before: padding, the begin, unknown, the end. */
enum { MOST_BANNED = 4 };

typedef struct Level {
    const struct Level *previous; /* NULL at the first */
    int depth;                    /* words of its nodes */
    int n_nodes;
    int *word, *row;        /* [n_nodes]: row is the one extended */
    float *word_score;      /* [n_nodes] */
    const int *node_of_row; /* [R] a node of `previous` */
    const float *attention; /* (R, stride) or NULL */
    int stride;
} Level;

/* A hypothesis that has come to its end. */
typedef struct Ended {
    const Level *level;
    int node;
    double score, normalized_score;
} Ended;

/* A candidate of one step: row `row` extended by `word`. */
typedef struct Candidate {
    double score;
    int word, row;
} Candidate;

/* The search of one sentence. */
typedef struct Sentence {
    const BeamInput *input;
    int source_row;        /* in the encoded batch */
    int limit;             /* tokens */
    int n_places;          /* of the beam that are left */
    int first_row, n_rows; /* its open hypotheses among the rows of this step */
    Ended *finished;       /* [n_best] best first */
    Ended *unfinished;     /* [n_best] best first */
    int n_finished, n_unfinished;
    int is_done;
} Sentence;

/* The open hypotheses of a step, all sentences', row by row. */
typedef struct Rows {
    int n;
    int *word, *source_row, *node; /* [n]: node of the level before */
    double *score;                 /* [n] */
    Rng *rng;                      /* [n], sampling only */
    EnsembleStates states;
} Rows;

struct Beam {
    const Ensemble *ensemble;
    Arena *batch;    /* the encoded sentences and the levels */
    Arena *steps[2]; /* of two successive steps */
};

/* What one call of beam_search works with. */
typedef struct Search {
    Beam *beam;
    const BeamOptions *options;
    EnsembleMemory memory;
    Sentence *sentences; /* [n] in the order of the inputs */
    int n;
    int V;
    EnsembleParts parts; /* with a shortlist */
    Rows rows;
    EnsembleStep step;
    WordSearch found;    /* of the step, where one network searches; else its R is 0 */
    const Level *levels; /* the last one */
    int t;               /* words that the open hypotheses have */
} Search;

/* Scratch of one step. */
typedef struct Scratch {
    int *index;            /* [V at most] of `top` */
    real *value;           /* the same */
    int *banned, n_banned; /* words that the row at hand may not take */
    int *history;          /* [t] words of the row at hand */
    Candidate *candidates; /* of one sentence: (its rows, places) */
    int *n_candidates;     /* [rows] */
    int *at;               /* [rows] how many are used */
    Candidate *chosen;     /* [places] */
} Scratch;

BeamOptions beam_defaults(void)
{
    return (BeamOptions){.beam_size = 5,
                         .n_best = 1,
                         .alpha = 1,
                         .max_factor = 3,
                         .max_offset = 10,
                         .temperature = 1,
                         .top_p = 1,
                         .seed = 1};
}

Status beam_check(const BeamOptions *o, Error *err)
{
    const int n_most = o->is_sampling ? BEAM_MAX : o->beam_size;
    if (o->beam_size < 1 || o->beam_size > BEAM_MAX) {
        return fail(err, ERR_ARG, "beam size %d: must be between 1 and %d", o->beam_size, BEAM_MAX);
    }
    if (o->n_best < 1 || o->n_best > n_most) {
        return fail(err, ERR_ARG, "n-best %d: must be between 1 and %s %d", o->n_best,
                    o->is_sampling ? "" : "the beam size", n_most);
    }
    if (!(o->alpha >= 0) || !(o->coverage >= 0) || !(o->max_factor >= 0) || !(o->temperature > 0) ||
        !(o->top_p > 0 && o->top_p <= 1)) {
        return fail(err, ERR_ARG,
                    "search: length exponent %g, coverage %g and output factor %g must be at least "
                    "0, temperature %g above 0, top-p %g above 0 and at most 1",
                    o->alpha, o->coverage, o->max_factor, o->temperature, o->top_p);
    }
    if (o->min_length < 0 || o->max_offset < 0 || o->no_repeat_ngram < 0 || o->top_k < 0) {
        return fail(err, ERR_ARG,
                    "search: minimum length %d, output offset %d, n-gram order %d and top-k %d "
                    "must be at least 0",
                    o->min_length, o->max_offset, o->no_repeat_ngram, o->top_k);
    }
    return OK;
}

Status beam_create(Beam **out, const Ensemble *ensemble, Error *err)
{
    TRY(ensemble_check(ensemble, err));
    Beam *beam = mem_zero_alloc(1, sizeof *beam);
    if (beam == NULL) {
        return mem_fail(err, "a beam", 1, sizeof *beam);
    }
    beam->ensemble = ensemble;
    Status status = arena_create(&beam->batch, 0, err);
    for (int i = 0; i < 2 && status == OK; i++) {
        status = arena_create(&beam->steps[i], 0, err);
    }
    if (status != OK) {
        beam_free(beam);
        return status;
    }
    *out = beam;
    return OK;
}

void beam_free(Beam *beam)
{
    if (beam != NULL) {
        arena_free(beam->batch);
        arena_free(beam->steps[0]);
        arena_free(beam->steps[1]);
        mem_free(beam);
    }
}

static Status take(void *out, Arena *arena, size_t count, size_t size, Error *err)
{
    void *block;
    TRY(arena_alloc(arena, &block, count, size, err));
    memcpy(out, &block, sizeof block);
    return OK;
}

/* ---- Limits ---- */

static int find_limit(const BeamOptions *o, int n_source, int n_prefix)
{
    const double limit = floor(o->max_factor * n_source) + o->max_offset;
    const double most = limit < 1 ? 1 : limit;
    /* behind a prefix there is room for the end token at least */
    return (int)(most + n_prefix < BEAM_MAX_LIMIT ? most + n_prefix : BEAM_MAX_LIMIT);
}

int beam_batch_limit(const Ensemble *ensemble, const BeamOptions *o, int n_source)
{
    const double budget = 32 << 20;
    const Config *c = &ensemble->models[0]->config;
    const double limit = find_limit(o, n_source, 0);
    const double rows = o->is_sampling ? o->n_best : o->beam_size;
    /* a single network searches without keeping logits; see nn/word_search.h */
    const double per_row = ensemble->n == 1 && !o->is_sampling
                               ? 2.0 * WORD_SEARCH_MOST_KEPT + 12.0 * c->hidden
                               : c->target_vocab * (double)ensemble->n;
    const double per_step = rows * (per_row + n_source);
    const double per_level = limit * rows * (o->keeps_attention || o->coverage > 0 ? n_source : 4);
    const double encoder = n_source * 16.0 * c->hidden * c->encoder_layers * ensemble->n;
    const double lists = o->shortlist == NULL ? 0
                                              : 2.0 * c->embedding * ensemble->n *
                                                    shortlist_bound(o->shortlist, n_source) / 4;
    const double n = budget / ((2 * per_step + per_level + encoder + lists) * sizeof(real));
    return n < 1 ? 1 : n > 1 << 20 ? 1 << 20 : (int)n;
}

/* ---- Levels ---- */

static int needs_attention(const BeamOptions *o)
{
    return o->keeps_attention || o->coverage > 0;
}

/* A level for up to n_most nodes, with the attention of the step copied. */
static Status level_create(Level **out, const Search *s, int n_most, Error *err)
{
    Level *level;
    Arena *arena = s->beam->batch;
    TRY(take(&level, arena, 1, sizeof *level, err));
    *level = (Level){.previous = s->levels, .depth = s->t + 1};
    TRY(take(&level->word, arena, (size_t)n_most, sizeof(int), err));
    TRY(take(&level->row, arena, (size_t)n_most, sizeof(int), err));
    TRY(take(&level->word_score, arena, (size_t)n_most, sizeof(float), err));
    int *node_of_row;
    TRY(take(&node_of_row, arena, (size_t)s->rows.n, sizeof(int), err));
    memcpy(node_of_row, s->rows.node, (size_t)s->rows.n * sizeof(int));
    level->node_of_row = node_of_row;
    if (needs_attention(s->options)) {
        const Mat a = s->step.attention;
        float *copy;
        TRY(take(&copy, arena, (size_t)a.rows * (size_t)a.cols, sizeof(float), err));
        for (int r = 0; r < a.rows; r++) {
            const real *row = mat_row(a, r);
            for (int i = 0; i < a.cols; i++) {
                copy[(size_t)r * (size_t)a.cols + (size_t)i] = (float)row[i];
            }
        }
        level->attention = copy;
        level->stride = a.cols;
    }
    *out = level;
    return OK;
}

/* Moves to the node before; *level becomes NULL in front of the first. */
static void step_back(const Level **level, int *node)
{
    *node = (*level)->node_of_row[(*level)->row[*node]];
    *level = (*level)->previous;
}

static const float *attention_of(const Level *level, int node)
{
    return level->attention + (size_t)level->row[node] * (size_t)level->stride;
}

/* words [depth] of a node. */
static void read_words(int *words, const Level *level, int node)
{
    for (const Level *l = level; l != NULL; step_back(&l, &node)) {
        words[l->depth - 1] = l->word[node];
    }
}

/* ---- Start ---- */

static Status sentences_create(Search *s, const BeamInput *inputs, Error *err)
{
    Arena *arena = s->beam->batch;
    const size_t n_best = (size_t)s->options->n_best;
    TRY(take(&s->sentences, arena, (size_t)s->n, sizeof *s->sentences, err));
    for (int i = 0; i < s->n; i++) {
        Sentence *sentence = &s->sentences[i];
        *sentence = (Sentence){
            .input = &inputs[i],
            .limit = inputs[i].limit > 0
                         ? inputs[i].limit
                         : find_limit(s->options, inputs[i].n_source, inputs[i].n_prefix),
            .n_places = s->options->is_sampling ? s->options->n_best : s->options->beam_size};
        TRY(take(&sentence->finished, arena, n_best, sizeof(Ended), err));
        TRY(take(&sentence->unfinished, arena, n_best, sizeof(Ended), err));
    }
    return OK;
}

static Status encode(Search *s, const BeamInput *inputs, Error *err)
{
    IdPair *pairs;
    TRY(take(&pairs, s->beam->batch, (size_t)s->n, sizeof *pairs, err));
    for (int i = 0; i < s->n; i++) {
        pairs[i] = (IdPair){.source = inputs[i].source, .n_source = inputs[i].n_source};
    }
    TRY(ensemble_encode(s->beam->ensemble, &s->memory, pairs, s->n, s->beam->batch, err));
    const Batch *batch = &s->memory.encoded[0].batch;
    for (int row = 0; row < s->n; row++) {
        s->sentences[batch->source_pair[row]].source_row = row;
    }
    return OK;
}

/* The output layers of every sentence's list. */
static Status gather_parts(Search *s, Error *err)
{
    Arena *arena = s->beam->batch;
    const Ensemble *ensemble = s->beam->ensemble;
    ReadoutPart *parts[ENSEMBLE_MAX];
    if (s->options->shortlist == NULL) {
        return OK;
    }
    for (int m = 0; m < ensemble->n; m++) {
        TRY(take(&parts[m], arena, (size_t)s->n, sizeof *parts[m], err));
        s->parts.v[m] = parts[m];
    }
    for (int i = 0; i < s->n; i++) {
        const BeamInput *input = s->sentences[i].input;
        int *words, n;
        TRY(shortlist_words(s->options->shortlist, &words, &n, input->source, input->n_source,
                            input->prefix, input->n_prefix, arena, err));
        for (int m = 0; m < ensemble->n; m++) {
            TRY(readout_part_create(&parts[m][s->sentences[i].source_row],
                                    &ensemble->models[m]->readout, words, n, arena, err));
        }
        s->parts.n_most = n > s->parts.n_most ? n : s->parts.n_most;
    }
    return OK;
}

/* The logits of a row and the words they belong to. */
typedef struct Choice {
    real *logits;     /* NULL where a search has taken their place */
    const int *words; /* ascending; NULL: logit i is word i */
    int n;
} Choice;

static Choice choice_of(const Search *s, int r)
{
    real *logits = s->found.R > 0 ? NULL : mat_row(s->step.logits, r);
    if (s->options->shortlist == NULL) {
        return (Choice){logits, NULL, s->V};
    }
    const ReadoutPart *part = &s->parts.v[0][s->rows.source_row[r]];
    return (Choice){logits, part->words, part->n};
}

static int word_at(const Choice *choice, int place)
{
    return choice->words == NULL ? place : choice->words[place];
}

/* The place of a word, or of another when it is not there. */
static int place_of(const Choice *choice, int word)
{
    int low = 0, high = choice->n - 1;
    if (choice->words == NULL) {
        return word;
    }
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (choice->words[middle] < word) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Takes rows for n hypotheses (not their states). */
static Status rows_alloc(Rows *rows, const Search *s, int n, Arena *arena, Error *err)
{
    *rows = (Rows){.n = n};
    TRY(take(&rows->word, arena, (size_t)n, sizeof(int), err));
    TRY(take(&rows->source_row, arena, (size_t)n, sizeof(int), err));
    TRY(take(&rows->node, arena, (size_t)n, sizeof(int), err));
    TRY(take(&rows->score, arena, (size_t)n, sizeof(double), err));
    return s->options->is_sampling ? take(&rows->rng, arena, (size_t)n, sizeof(Rng), err) : OK;
}

/* One row a sentence, or n_best of them when sampling. */
static Status first_rows(Search *s, Arena *arena, Error *err)
{
    const BeamOptions *o = s->options;
    const int n_each = o->is_sampling ? o->n_best : 1;
    EnsembleStates start;
    TRY(rows_alloc(&s->rows, s, s->n * n_each, arena, err));
    TRY(ensemble_states_alloc(s->beam->ensemble, &s->rows.states, s->rows.n, arena, err));
    ensemble_start(s->beam->ensemble, &start, &s->memory);
    for (int i = 0; i < s->n; i++) {
        Sentence *sentence = &s->sentences[i];
        sentence->first_row = i * n_each;
        sentence->n_rows = n_each;
        for (int k = 0; k < n_each; k++) {
            const int r = i * n_each + k;
            s->rows.word[r] = ID_BEGIN;
            s->rows.source_row[r] = sentence->source_row;
            s->rows.node[r] = 0;
            s->rows.score[r] = 0;
            if (o->is_sampling) {
                s->rows.rng[r] = rng_stream(o->seed, sentence->input->line,
                                            sentence->input->part * BEAM_MAX + (uint64_t)k);
            }
            ensemble_states_copy_row(s->beam->ensemble, &s->rows.states, r, &start,
                                     sentence->source_row);
        }
    }
    return OK;
}

/* ---- Candidates of a row ---- */

static int is_banned(const Scratch *scratch, int word)
{
    for (int i = 0; i < scratch->n_banned; i++) {
        if (scratch->banned[i] == word) {
            return 1;
        }
    }
    return 0;
}

static void ban(Scratch *scratch, int word)
{
    if (!is_banned(scratch, word)) {
        scratch->banned[scratch->n_banned++] = word;
    }
}

/* Bans every word that would end an n-gram the hypothesis already has. */
static void ban_repeats(Scratch *scratch, const Search *s, int r)
{
    const int n = s->options->no_repeat_ngram, t = s->t;
    if (n == 0 || t < n) {
        return;
    }
    read_words(scratch->history, s->levels, s->rows.node[r]);
    const int *last = scratch->history + t - (n - 1);
    for (int i = 0; i + n <= t; i++) {
        const int is_same = memcmp(scratch->history + i, last, (size_t)(n - 1) * sizeof(int)) == 0;
        if (is_same) {
            ban(scratch, scratch->history[i + n - 1]);
        }
    }
}

static void find_banned(Scratch *scratch, const Search *s, int r)
{
    scratch->n_banned = 0;
    ban(scratch, ID_PAD);
    ban(scratch, ID_BEGIN);
    if (s->options->bans_unknown) {
        ban(scratch, ID_UNKNOWN);
    }
    if (s->t < s->options->min_length) {
        ban(scratch, ID_END);
    }
    ban_repeats(scratch, s, r);
}

/* The candidates of a row whose scores are no numbers: all minus infinity, by their ids. */
static int first_words(Candidate *out, const Scratch *scratch, const Choice *choice, int r,
                       int n_places)
{
    int n = 0;
    for (int i = 0; i < choice->n && n < n_places; i++) {
        if (!is_banned(scratch, word_at(choice, i))) {
            out[n++] = (Candidate){-INFINITY, word_at(choice, i), r};
        }
    }
    return n;
}

/* The best words of a row with their logits, and log sum exp over all. */
typedef struct BestWords {
    const int *word;
    const real *logit;
    int n;
    real lse;
} BestWords;

/* Those of row r, at most n_most: what the search of the step found, or among its logits. */
static BestWords find_best(Scratch *scratch, const Search *s, const Choice *choice, int r,
                           int n_most)
{
    const WordSearch *found = &s->found;
    if (found->R > 0) {
        const int n = found->n[r] < n_most ? found->n[r] : n_most;
        assert(n_most <= found->k);
        return (BestWords){found->word + r * found->k, found->logit + r * found->k, n,
                           found->lse[r]};
    }
    vec_ops()->top(scratch->index, scratch->value, n_most, choice->logits, choice->n);
    return (BestWords){scratch->index, scratch->value, n_most, word_lse(choice->logits, choice->n)};
}

/* Writes the best words of row r as candidates, best first, and returns how many; up to n_places.
 * None when every word is banned. */
static int best_words(Candidate *out, Scratch *scratch, const Search *s, int r, int n_places)
{
    const Choice choice = choice_of(s, r);
    const int most = n_places + scratch->n_banned, want = most < choice.n ? most : choice.n;
    const BestWords best = find_best(scratch, s, &choice, r, want);
    if (!isfinite(best.lse)) {
        return first_words(out, scratch, &choice, r, n_places);
    }
    int n = 0;
    for (int i = 0; i < best.n && n < n_places; i++) {
        const int word = word_at(&choice, best.word[i]);
        if (!is_banned(scratch, word)) {
            const double score = ensemble_word_score(best.logit[i], best.lse);
            out[n++] = (Candidate){s->rows.score[r] + score, word, r};
        }
    }
    return n;
}

/* One candidate: the word of the prefix. */
static int forced_word(Candidate *out, const Search *s, int r, int word)
{
    const Choice choice = choice_of(s, r);
    const real logit = choice.logits != NULL ? choice.logits[place_of(&choice, word)]
                                             : word_logit(&s->beam->ensemble->models[0]->readout,
                                                          mat_row(s->step.o, r), word);
    const real lse = choice.logits != NULL ? word_lse(choice.logits, choice.n) : s->found.lse[r];
    *out = (Candidate){s->rows.score[r] + ensemble_word_score(logit, lse), word, r};
    return 1;
}

/* One candidate: a drawn word; none when every word is banned. The logits of the row are changed.
 */
static int drawn_word(Candidate *out, Scratch *scratch, const Search *s, int r)
{
    const BeamOptions *o = s->options;
    const Sampler sampler = {o->temperature, o->top_k, o->top_p, scratch->index, scratch->value};
    const Choice choice = choice_of(s, r);
    const real lse = word_lse(choice.logits, choice.n);
    int fallback = 0;
    while (fallback < choice.n && is_banned(scratch, word_at(&choice, fallback))) {
        fallback++;
    }
    if (fallback == choice.n) {
        return 0;
    }
    for (int i = 0; i < scratch->n_banned; i++) {
        const int place = place_of(&choice, scratch->banned[i]);
        if (word_at(&choice, place) == scratch->banned[i]) {
            choice.logits[place] = (real)-INFINITY;
        }
    }
    const int place = sampler_draw(&sampler, choice.logits, choice.n, fallback, &s->rows.rng[r]);
    const int word = word_at(&choice, place);
    const double score =
        is_banned(scratch, word) ? -INFINITY : ensemble_word_score(choice.logits[place], lse);
    *out = (Candidate){s->rows.score[r] + score, word, r};
    return 1;
}

static int candidates_of_row(Candidate *out, Scratch *scratch, const Search *s,
                             const Sentence *sentence, int r)
{
    if (s->t < sentence->input->n_prefix) {
        return forced_word(out, s, r, sentence->input->prefix[s->t]);
    }
    find_banned(scratch, s, r);
    return s->options->is_sampling ? drawn_word(out, scratch, s, r)
                                   : best_words(out, scratch, s, r, sentence->n_places);
}

/* ---- Choice ---- */

/* Whether a goes before b: score, then the smaller word, then the better parent. */
static int goes_before(const Candidate *a, const Candidate *b)
{
    if (a->score != b->score) {
        return a->score > b->score;
    }
    return a->word != b->word ? a->word < b->word : a->row < b->row;
}

/* Merges the sorted lists of the sentence's rows into `chosen`, at most n_places, best first. */
static int choose(Scratch *scratch, const Sentence *sentence)
{
    const int n_rows = sentence->n_rows, width = sentence->n_places;
    int n = 0;
    memset(scratch->at, 0, (size_t)n_rows * sizeof(int));
    while (n < width) {
        const Candidate *best = NULL;
        for (int i = 0; i < n_rows; i++) {
            const Candidate *c =
                &scratch->candidates[(size_t)i * (size_t)width + (size_t)scratch->at[i]];
            if (scratch->at[i] < scratch->n_candidates[i] &&
                (best == NULL || goes_before(c, best))) {
                best = c;
            }
        }
        if (best == NULL) {
            break;
        }
        scratch->at[best->row - sentence->first_row]++;
        scratch->chosen[n++] = *best;
    }
    return n;
}

/* ---- Ends ---- */

/* beta sum_i log(min(sum_t a_ti, 1)) over the source tokens without the end token. */
static double coverage_penalty(double beta, const Level *level, int node, int n_source,
                               double *sums)
{
    memset(sums, 0, (size_t)n_source * sizeof *sums);
    for (const Level *l = level; l != NULL; step_back(&l, &node)) {
        const float *row = attention_of(l, node);
        for (int i = 0; i < n_source; i++) {
            sums[i] += (double)row[i];
        }
    }
    double penalty = 0;
    for (int i = 0; i < n_source; i++) {
        const double sum = sums[i] > COVERAGE_FLOOR ? sums[i] : COVERAGE_FLOOR;
        penalty += sum < 1 ? log(sum) : 0;
    }
    return beta * penalty;
}

/* Puts an end into a list of at most n_best, best first, behind its equals. */
static void insert(Ended *list, int *n, int n_best, Ended ended)
{
    int at = *n;
    if (at == n_best) {
        if (!(ended.normalized_score > list[at - 1].normalized_score)) {
            return;
        }
        at--;
    } else {
        (*n)++;
    }
    for (; at > 0 && ended.normalized_score > list[at - 1].normalized_score; at--) {
        list[at] = list[at - 1];
    }
    list[at] = ended;
}

static Status end_hypothesis(Search *s, Sentence *sentence, const Level *level, int node,
                             double score, int is_finished, Error *err)
{
    const BeamOptions *o = s->options;
    const int length = level == NULL ? 0 : level->depth;
    Ended ended = {level, node, score, length == 0 ? score : score / pow(length, o->alpha)};
    if (o->coverage > 0) {
        double *sums;
        Arena *arena = s->beam->steps[s->t % 2];
        TRY(take(&sums, arena, (size_t)sentence->input->n_source, sizeof *sums, err));
        ended.normalized_score +=
            coverage_penalty(o->coverage, level, node, sentence->input->n_source, sums);
    }
    if (is_finished) {
        insert(sentence->finished, &sentence->n_finished, o->n_best, ended);
    } else {
        insert(sentence->unfinished, &sentence->n_unfinished, o->n_best, ended);
    }
    return OK;
}

/* Whether an open hypothesis, the best of which has the sum `score`, can still enter the list. */
static int can_win(const Search *s, const Sentence *sentence, double score)
{
    const BeamOptions *o = s->options;
    if (sentence->n_finished < o->n_best || o->is_sampling) {
        return 1;
    }
    const double bound = score / pow((double)sentence->limit, o->alpha);
    return bound > sentence->finished[o->n_best - 1].normalized_score;
}

/* ---- One step ---- */

/* Where the chosen candidates of all sentences go: nodes of the level, rows of the next step. */
typedef struct Growth {
    Level *level;
    Rows next;
    int *from; /* [rows of next]: the row each extends */
} Growth;

/* Turns a sentence's chosen candidates into ends and rows. */
static Status grow(Search *s, Growth *growth, Sentence *sentence, const Candidate *chosen, int n,
                   Error *err)
{
    Level *level = growth->level;
    Rows *next = &growth->next;
    const int first = next->n;
    for (int i = 0; i < n; i++) {
        const Candidate *c = &chosen[i];
        const int node = level->n_nodes++;
        level->word[node] = c->word;
        level->row[node] = c->row;
        level->word_score[node] =
            (float)(isfinite(c->score) ? c->score - s->rows.score[c->row] : -INFINITY);
        const int ends = c->word == ID_END && s->t >= sentence->input->n_prefix;
        if (ends || s->t + 1 == sentence->limit) {
            TRY(end_hypothesis(s, sentence, level, node, c->score, ends, err));
            sentence->n_places -= ends;
            continue;
        }
        const int r = next->n++;
        next->word[r] = c->word;
        next->source_row[r] = sentence->source_row;
        next->node[r] = node;
        next->score[r] = c->score;
        growth->from[r] = c->row;
        if (s->options->is_sampling) {
            next->rng[r] = s->rows.rng[c->row];
        }
    }
    sentence->first_row = first;
    sentence->n_rows = next->n - first;
    if (sentence->n_rows == 0 || !can_win(s, sentence, next->score[first])) {
        next->n = first;
        sentence->is_done = 1;
    }
    return OK;
}

static Status scratch_alloc(Scratch *scratch, const Search *s, Arena *arena, Error *err)
{
    int n_rows = 0, width = 0;
    for (int i = 0; i < s->n; i++) {
        if (!s->sentences[i].is_done) {
            n_rows = s->sentences[i].n_rows > n_rows ? s->sentences[i].n_rows : n_rows;
            width = s->sentences[i].n_places > width ? s->sentences[i].n_places : width;
        }
    }
    const size_t t = (size_t)s->t + MOST_BANNED; /* words that may be banned */
    const size_t n_top = s->options->is_sampling ? (size_t)s->V : (size_t)width + t;
    TRY(take(&scratch->index, arena, n_top, sizeof(int), err));
    TRY(take(&scratch->value, arena, n_top, sizeof(real), err));
    TRY(take(&scratch->banned, arena, t, sizeof(int), err));
    TRY(take(&scratch->history, arena, t, sizeof(int), err));
    TRY(take(&scratch->candidates, arena, mem_times((size_t)n_rows, (size_t)width),
             sizeof(Candidate), err));
    TRY(take(&scratch->n_candidates, arena, (size_t)n_rows, sizeof(int), err));
    TRY(take(&scratch->at, arena, (size_t)n_rows, sizeof(int), err));
    const int n_chosen = n_rows > width ? n_rows : width;
    return take(&scratch->chosen, arena, (size_t)n_chosen, sizeof(Candidate), err);
}

/* Chooses for all open sentences; growth has room for every place. */
static Status choose_all(Search *s, Growth *growth, Scratch *scratch, Error *err)
{
    for (int i = 0; i < s->n; i++) {
        Sentence *sentence = &s->sentences[i];
        if (sentence->is_done) {
            continue;
        }
        int n = 0;
        for (int k = 0; k < sentence->n_rows; k++) {
            /* a drawn hypothesis goes its own way; in a beam the rows compete */
            Candidate *out = s->options->is_sampling
                                 ? &scratch->chosen[n]
                                 : &scratch->candidates[(size_t)k * (size_t)sentence->n_places];
            const int r = sentence->first_row + k;
            scratch->n_candidates[k] = candidates_of_row(out, scratch, s, sentence, r);
            n += scratch->n_candidates[k];
            if (scratch->n_candidates[k] == 0) { /* every word is banned */
                TRY(end_hypothesis(s, sentence, s->levels, s->rows.node[r], s->rows.score[r], 0,
                                   err));
            }
        }
        n = s->options->is_sampling ? n : choose(scratch, sentence);
        TRY(grow(s, growth, sentence, scratch->chosen, n, err));
    }
    return OK;
}

static int count_places(const Search *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        n += s->sentences[i].is_done ? 0 : s->sentences[i].n_places;
    }
    return n;
}

/* How many words of a row the choice may ask for: its places, and as many as can be banned. */
static int words_wanted(const Search *s)
{
    int width = 0;
    for (int i = 0; i < s->n; i++) {
        width = !s->sentences[i].is_done && s->sentences[i].n_places > width
                    ? s->sentences[i].n_places
                    : width;
    }
    const int n = width + MOST_BANNED + (s->options->no_repeat_ngram > 0 ? s->t : 0);
    return n < s->V ? n : s->V;
}

static Status search_words(Search *s, Arena *arena, Error *err)
{
    const Ensemble *ensemble = s->beam->ensemble;
    s->found.R = 0;
    if (ensemble->n > 1 || s->options->is_sampling || s->options->shortlist != NULL) {
        return OK;
    }
    const Readout *readout = &ensemble->models[0]->readout;
    TRY(word_search_alloc(&s->found, readout, arena, s->rows.n, words_wanted(s), err));
    word_search(readout, &s->found, s->step.o);
    return OK;
}

/* Advances all open hypotheses by one word. */
static Status advance(Search *s, Error *err)
{
    Arena *arena = s->beam->steps[s->t % 2], *next_arena = s->beam->steps[(s->t + 1) % 2];
    const Ensemble *ensemble = s->beam->ensemble;
    Scratch scratch;
    Growth growth;
    TRY(ensemble_step(ensemble, &s->step, &s->memory, s->rows.n, s->rows.word, s->rows.source_row,
                      &s->rows.states, s->options->is_sampling,
                      s->options->shortlist == NULL ? NULL : &s->parts, arena, err));
    TRY(search_words(s, arena, err));
    const int n_most = count_places(s);
    TRY(scratch_alloc(&scratch, s, arena, err));
    TRY(take(&growth.from, arena, (size_t)n_most, sizeof(int), err));
    TRY(level_create(&growth.level, s, n_most, err));
    arena_reset(next_arena);
    TRY(rows_alloc(&growth.next, s, n_most, next_arena, err));
    growth.next.n = 0;
    TRY(choose_all(s, &growth, &scratch, err));
    TRY(ensemble_states_alloc(ensemble, &growth.next.states, growth.next.n, next_arena, err));
    for (int r = 0; r < growth.next.n; r++) {
        ensemble_states_copy_row(ensemble, &growth.next.states, r, &s->step.states, growth.from[r]);
    }
    s->rows = growth.next;
    s->levels = growth.level;
    s->t++;
    return OK;
}

/* ---- Results ---- */

static Status read_attention(float **out, const Ended *ended, int S, Arena *results, Error *err)
{
    TRY(take(out, results, mem_times((size_t)ended->level->depth, (size_t)S), sizeof **out, err));
    int node = ended->node;
    for (const Level *l = ended->level; l != NULL; step_back(&l, &node)) {
        memcpy(*out + (size_t)(l->depth - 1) * (size_t)S, attention_of(l, node),
               (size_t)S * sizeof **out);
    }
    return OK;
}

static Status read_hypothesis(Hypothesis *out, const Search *s, const Sentence *sentence,
                              const Ended *ended, int is_finished, Arena *results, Error *err)
{
    const int n = ended->level == NULL ? 0 : ended->level->depth;
    int *tokens;
    float *scores, *attention = NULL;
    TRY(take(&tokens, results, (size_t)n, sizeof *tokens, err));
    TRY(take(&scores, results, (size_t)n, sizeof *scores, err));
    int node = ended->node;
    for (const Level *l = ended->level; l != NULL; step_back(&l, &node)) {
        tokens[l->depth - 1] = l->word[node];
        scores[l->depth - 1] = l->word_score[node];
    }
    if (s->options->keeps_attention && n > 0) {
        TRY(read_attention(&attention, ended, sentence->input->n_source + 1, results, err));
    }
    *out = (Hypothesis){.tokens = tokens,
                        .n_tokens = n,
                        .is_finished = is_finished,
                        .score = ended->score,
                        .normalized_score = ended->normalized_score,
                        .word_scores = scores,
                        .attention = attention};
    return OK;
}

static int is_known(const Hypothesis *list, int n, const Hypothesis *h)
{
    for (int i = 0; i < n; i++) {
        if (list[i].n_tokens == h->n_tokens &&
            memcmp(list[i].tokens, h->tokens, (size_t)h->n_tokens * sizeof(int)) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The finished hypotheses, then unfinished ones up to n_best. A beam's differ by themselves. */
static Status read_list(HypothesisList *out, const Search *s, const Sentence *sentence,
                        Arena *results, Error *err)
{
    Hypothesis *list;
    int n = 0;
    TRY(take(&list, results, (size_t)s->options->n_best, sizeof *list, err));
    for (int i = 0; i < sentence->n_finished + sentence->n_unfinished; i++) {
        const int is_finished = i < sentence->n_finished;
        const Ended *ended =
            is_finished ? &sentence->finished[i] : &sentence->unfinished[i - sentence->n_finished];
        if (n == s->options->n_best) {
            break;
        }
        TRY(read_hypothesis(&list[n], s, sentence, ended, is_finished, results, err));
        n += !s->options->is_sampling || !is_known(list, n, &list[n]);
    }
    *out = (HypothesisList){list, n};
    return OK;
}

Status beam_search(Beam *beam, HypothesisList *out, const BeamOptions *options,
                   const BeamInput *inputs, int n, Arena *results, Error *err)
{
    Search s = {.beam = beam,
                .options = options,
                .n = n,
                .V = beam->ensemble->models[0]->config.target_vocab};
    arena_reset(beam->batch);
    arena_reset(beam->steps[0]);
    TRY(sentences_create(&s, inputs, err));
    TRY(encode(&s, inputs, err));
    TRY(gather_parts(&s, err));
    TRY(first_rows(&s, beam->steps[0], err));
    while (s.rows.n > 0) {
        TRY(advance(&s, err));
    }
    for (int i = 0; i < n; i++) {
        TRY(read_list(&out[i], &s, &s.sentences[i], results, err));
    }
    return OK;
}

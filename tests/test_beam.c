/* decode/beam: proof by enumeration, and every option. */
#include "decode/beam.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/force.h"
#include "support/check_main.h"
#include "support/sharp.h"

enum { TOY_WORDS = 7, TOY_LIMIT = 4, MOST_HYPOTHESES = 2048 };

/* A network, a beam and where results go. */
typedef struct Fixture {
    Ensemble ensemble;
    Seq2Seq *owned[ENSEMBLE_MAX];
    Beam *beam;
    Arena *results, *scratch;
} Fixture;

static Fixture fixture_of(int n_models, int target_vocab, double sharpness)
{
    Fixture f = {.ensemble = {.n = n_models}};
    for (int m = 0; m < n_models; m++) {
        f.owned[m] = sharp_model(40, target_vocab, 11 + (uint64_t)m, sharpness);
        f.ensemble.models[m] = f.owned[m];
    }
    ck_assert_int_eq(arena_create(&f.results, 0, NULL), OK);
    ck_assert_int_eq(arena_create(&f.scratch, 0, NULL), OK);
    return f;
}

static Fixture fixture(void)
{
    return fixture_of(1, TOY_WORDS, 3);
}

static void fixture_free(Fixture *f)
{
    beam_free(f->beam);
    for (int m = 0; m < f->ensemble.n; m++) {
        seq2seq_free(f->owned[m]);
    }
    arena_free(f->results);
    arena_free(f->scratch);
}

static void search(Fixture *f, HypothesisList *out, const BeamOptions *o, const BeamInput *inputs,
                   int n)
{
    Error err = {0};
    if (f->beam == NULL) {
        ck_assert_int_eq(beam_create(&f->beam, &f->ensemble, NULL), OK);
    }
    ck_assert_int_eq(beam_check(o, &err), OK);
    ck_assert_msg(beam_search(f->beam, out, o, inputs, n, f->results, &err) == OK, "%s",
                  err.message);
}

static void set_bias(Seq2Seq *model, int word, double value)
{
    params_find(model->params, "output.bias")->val.v[word] = (real)value;
}

/* The fixed limit of the tests whatever the source. */
static BeamOptions toy_options(int beam_size, int n_best)
{
    BeamOptions o = beam_defaults();
    o.beam_size = beam_size;
    o.n_best = n_best;
    o.max_factor = 0;
    o.max_offset = TOY_LIMIT;
    o.keeps_attention = 1;
    return o;
}

static const int SENTENCE[] = {5, 17, 9, 30, 22};
static const BeamInput INPUT = {.source = SENTENCE, .n_source = 5};

/* ---- Brute force ---- */

typedef struct Complete {
    int words[TOY_LIMIT];
    int n_words; /* without the end token */
    int is_finished;
    double score, normalized_score;
} Complete;

typedef struct Space {
    Complete v[MOST_HYPOTHESES];
    int n;
} Space;

/* Every sequence of the words 3 .. TOY_WORDS - 1 that ends within the limit, and those that do not.
 */
static void enumerate(Space *space, Complete *at)
{
    at->is_finished = at->n_words < TOY_LIMIT;
    space->v[space->n++] = *at;
    if (at->n_words == TOY_LIMIT) {
        return;
    }
    for (int w = ID_UNKNOWN; w < TOY_WORDS; w++) {
        Complete longer = *at;
        longer.words[longer.n_words++] = w;
        enumerate(space, &longer);
    }
}

static void score_all(Fixture *f, Space *space, double alpha)
{
    static IdPair pairs[MOST_HYPOTHESES];
    static Forced forced[MOST_HYPOTHESES];
    for (int i = 0; i < space->n; i++) {
        pairs[i] = (IdPair){SENTENCE, space->v[i].words, 5, space->v[i].n_words};
    }
    ck_assert_int_eq(
        force_decode(forced, &f->ensemble, pairs, space->n, 0, f->results, f->scratch, NULL), OK);
    for (int i = 0; i < space->n; i++) {
        Complete *c = &space->v[i];
        const int length = c->n_words + c->is_finished;
        c->score = forced[i].score;
        if (!c->is_finished) {
            c->score -= (double)forced[i].word_scores[c->n_words];
        }
        c->normalized_score = c->score / pow(length, alpha);
    }
}

static int compare(const void *a, const void *b)
{
    const Complete *x = a, *y = b;
    if (x->is_finished != y->is_finished) {
        return y->is_finished - x->is_finished;
    }
    return (x->normalized_score < y->normalized_score) -
           (x->normalized_score > y->normalized_score);
}

static void expect_equals_brute_force(double alpha)
{
    static Space space;
    Fixture f = fixture();
    Complete empty = {.n_words = 0};
    space.n = 0;
    enumerate(&space, &empty);
    score_all(&f, &space, alpha);
    qsort(space.v, (size_t)space.n, sizeof *space.v, compare);
    BeamOptions o = toy_options(BEAM_MAX, space.n);
    o.alpha = alpha;
    HypothesisList list;
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.n, space.n);
    for (int i = 0; i < space.n; i++) {
        const Hypothesis *h = &list.v[i];
        const Complete *c = &space.v[i];
        ck_assert_int_eq(h->is_finished, c->is_finished);
        ck_assert_int_eq(h->n_tokens, c->n_words + c->is_finished);
        ck_assert_mem_eq(h->tokens, c->words, (size_t)c->n_words * sizeof(int));
        ck_assert_double_eq_tol(h->score, c->score, 1e-4);
        ck_assert_double_eq_tol(h->normalized_score, c->normalized_score, 1e-4);
    }
    fixture_free(&f);
}

START_TEST(beam_as_wide_as_the_space_equals_brute_force)
{
    expect_equals_brute_force(1);
}
END_TEST

START_TEST(beam_equals_brute_force_without_and_with_strong_normalisation)
{
    expect_equals_brute_force(0);
    expect_equals_brute_force(0.6);
    expect_equals_brute_force(2);
}
END_TEST

/* Stopping early may not change the winners. */
START_TEST(beam_stops_only_when_nothing_can_win)
{
    Fixture f = fixture();
    const BeamOptions all = toy_options(400, 400);
    HypothesisList best;
    search(&f, &best, &all, &INPUT, 1);
    for (int n_best = 1; n_best <= 64; n_best *= 2) {
        const BeamOptions o = toy_options(400, n_best);
        HypothesisList list;
        search(&f, &list, &o, &INPUT, 1);
        ck_assert_int_eq(list.n, n_best);
        for (int i = 0; i < n_best; i++) {
            ck_assert_int_eq(list.v[i].n_tokens, best.v[i].n_tokens);
            ck_assert_mem_eq(list.v[i].tokens, best.v[i].tokens,
                             (size_t)list.v[i].n_tokens * sizeof(int));
            ck_assert(list.v[i].score == best.v[i].score);
        }
    }
    fixture_free(&f);
}
END_TEST

/* ---- A narrow beam by hand ---- */

/* The scores of every extension of the open hypotheses by one word or the end. */
static int extend(Fixture *f, Complete *out, const Complete *open, int n_open)
{
    static IdPair pairs[MOST_HYPOTHESES];
    static Forced forced[MOST_HYPOTHESES];
    int n = 0;
    for (int i = 0; i < n_open; i++) {
        for (int w = ID_END; w < TOY_WORDS; w++) {
            Complete *c = &out[n];
            *c = open[i];
            c->is_finished = w == ID_END;
            if (w != ID_END) {
                c->words[c->n_words++] = w;
            }
            pairs[n++] = (IdPair){SENTENCE, c->words, 5, c->n_words};
        }
    }
    ck_assert_int_eq(force_decode(forced, &f->ensemble, pairs, n, 0, f->results, f->scratch, NULL),
                     OK);
    for (int i = 0; i < n; i++) {
        const int length = out[i].n_words + out[i].is_finished;
        out[i].score = forced[i].score;
        if (!out[i].is_finished) {
            out[i].score -= (double)forced[i].word_scores[out[i].n_words];
        }
        out[i].normalized_score = out[i].score / length;
    }
    return n;
}

static int compare_sums(const void *a, const void *b)
{
    const Complete *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

/* All that a beam of k places ends with: an end keeps its place. Returns how many. */
static int beam_by_hand(Fixture *f, Complete *ended, int k)
{
    static Complete extended[MOST_HYPOTHESES];
    Complete open[BEAM_MAX / 64];
    int n_open = 1, n_ended = 0, n_places = k;
    open[0] = (Complete){.n_words = 0};
    for (int t = 0; t < TOY_LIMIT && n_open > 0; t++) {
        const int n = extend(f, extended, open, n_open);
        const int n_chosen = n < n_places ? n : n_places;
        qsort(extended, (size_t)n, sizeof *extended, compare_sums);
        n_open = 0;
        for (int i = 0; i < n_chosen; i++) {
            if (extended[i].is_finished || t + 1 == TOY_LIMIT) {
                ended[n_ended++] = extended[i];
                n_places -= extended[i].is_finished;
            } else {
                open[n_open++] = extended[i];
            }
        }
    }
    qsort(ended, (size_t)n_ended, sizeof *ended, compare);
    return n_ended;
}

START_TEST(an_end_keeps_its_place_and_the_beam_does_not_refill)
{
    Complete ended[64];
    for (int k = 1; k <= 12; k++) {
        Fixture f = fixture();
        const BeamOptions o = toy_options(k, k);
        HypothesisList list;
        search(&f, &list, &o, &INPUT, 1);
        ck_assert_int_eq(list.n, beam_by_hand(&f, ended, k));
        for (int i = 0; i < list.n; i++) {
            ck_assert_int_eq(list.v[i].is_finished, ended[i].is_finished);
            ck_assert_mem_eq(list.v[i].tokens, ended[i].words,
                             (size_t)ended[i].n_words * sizeof(int));
            ck_assert_double_eq_tol(list.v[i].score, ended[i].score, 1e-4);
        }
        fixture_free(&f);
    }
}
END_TEST

/* Greedy search by hand with forced decoding: the best next word of a prefix. */
static int greedy_word(Fixture *f, const int *words, int n, int target_vocab)
{
    double best = -INFINITY;
    int best_word = -1;
    for (int w = ID_END; w < target_vocab; w++) {
        int longer[TOY_LIMIT + 1];
        memcpy(longer, words, (size_t)n * sizeof(int));
        longer[n] = w;
        const IdPair pair = {SENTENCE, longer, 5, w == ID_END ? n : n + 1};
        Forced forced;
        ck_assert_int_eq(
            force_decode(&forced, &f->ensemble, &pair, 1, 0, f->results, f->scratch, NULL), OK);
        if ((double)forced.word_scores[n] > best) {
            best = (double)forced.word_scores[n];
            best_word = w;
        }
    }
    return best_word;
}

START_TEST(beam_of_one_is_greedy)
{
    for (int seed = 0; seed < 4; seed++) {
        Fixture f = fixture_of(1, TOY_WORDS + seed, 3);
        const BeamOptions o = toy_options(1, 1);
        HypothesisList list;
        search(&f, &list, &o, &INPUT, 1);
        int words[TOY_LIMIT + 1], n = 0;
        do {
            words[n] = greedy_word(&f, words, n, TOY_WORDS + seed);
        } while (words[n++] != ID_END && n < TOY_LIMIT);
        ck_assert_int_eq(list.v[0].n_tokens, n);
        ck_assert_mem_eq(list.v[0].tokens, words, (size_t)n * sizeof(int));
        fixture_free(&f);
    }
}
END_TEST

/* ---- Forced decoding ---- */

enum { N_SENTENCES = 30, LONGEST = 12 };

typedef struct Corpus {
    int ids[N_SENTENCES][LONGEST];
    BeamInput inputs[N_SENTENCES];
} Corpus;

static void make_corpus(Corpus *c)
{
    Rng rng = rng_stream(3, 0, 0);
    for (int i = 0; i < N_SENTENCES; i++) {
        const int n = (int)rng_below(&rng, LONGEST + 1);
        for (int j = 0; j < n; j++) {
            c->ids[i][j] = 4 + (int)rng_below(&rng, 36);
        }
        c->inputs[i] = (BeamInput){.source = c->ids[i], .n_source = n, .line = (uint64_t)i};
    }
}

static void expect_forced(Fixture *f, const BeamInput *input, const Hypothesis *h)
{
    const int n = h->n_tokens - h->is_finished;
    const IdPair pair = {input->source, h->tokens, input->n_source, n};
    Forced forced;
    double sum = 0;
    ck_assert_int_eq(force_decode(&forced, &f->ensemble, &pair, 1, 1, f->results, f->scratch, NULL),
                     OK);
    ck_assert_int_eq(forced.n_source, input->n_source + 1);
    for (int t = 0; t < h->n_tokens; t++) {
        double mass = 0;
        ck_assert_double_eq_tol((double)h->word_scores[t], (double)forced.word_scores[t], 1e-4);
        sum += (double)forced.word_scores[t];
        for (int s = 0; s < forced.n_source; s++) {
            const int at = t * forced.n_source + s;
            ck_assert_double_eq_tol((double)h->attention[at], (double)forced.attention[at], 1e-4);
            mass += (double)h->attention[at];
        }
        ck_assert_double_eq_tol(mass, 1, 1e-5);
    }
    ck_assert_double_eq_tol(h->score, sum, 1e-4);
}

static void expect_all_forced(Fixture *f)
{
    static Corpus c;
    static HypothesisList lists[N_SENTENCES];
    make_corpus(&c);
    for (int m = 0; m < f->ensemble.n; m++) {
        set_bias(f->owned[m], ID_END, 2); /* so that many come to an end */
    }
    BeamOptions o = beam_defaults();
    o.n_best = 5;
    o.keeps_attention = 1;
    search(f, lists, &o, c.inputs, N_SENTENCES);
    int n_finished = 0;
    for (int i = 0; i < N_SENTENCES; i++) {
        for (int k = 0; k < lists[i].n; k++) {
            expect_forced(f, &c.inputs[i], &lists[i].v[k]);
            n_finished += lists[i].v[k].is_finished;
        }
    }
    ck_assert_int_gt(n_finished, N_SENTENCES); /* else this proves little */
}

START_TEST(every_hypothesis_equals_its_forced_decoding)
{
    Fixture f = fixture_of(1, 30, 3);
    expect_all_forced(&f);
    fixture_free(&f);
}
END_TEST

START_TEST(ensemble_hypotheses_equal_their_forced_decoding)
{
    Fixture f = fixture_of(3, 30, 3);
    expect_all_forced(&f);
    fixture_free(&f);
}
END_TEST

START_TEST(ensemble_of_a_model_with_itself_changes_nothing)
{
    Fixture f = fixture_of(1, 30, 3);
    const BeamOptions o = toy_options(5, 5);
    HypothesisList alone, twice;
    search(&f, &alone, &o, &INPUT, 1);
    Fixture g = {.ensemble = {{f.owned[0], f.owned[0]}, 2}, .results = f.results};
    search(&g, &twice, &o, &INPUT, 1);
    for (int k = 0; k < 5; k++) {
        ck_assert_int_eq(alone.v[k].n_tokens, twice.v[k].n_tokens);
        ck_assert_mem_eq(alone.v[k].tokens, twice.v[k].tokens,
                         (size_t)alone.v[k].n_tokens * sizeof(int));
        ck_assert_double_eq_tol(alone.v[k].score, twice.v[k].score, 1e-5);
    }
    beam_free(g.beam);
    fixture_free(&f);
}
END_TEST

START_TEST(ensemble_of_unequal_vocabularies_is_refused)
{
    Fixture f = fixture_of(2, 30, 3);
    Seq2Seq *other = sharp_model(40, 31, 1, 1);
    f.ensemble.models[1] = other;
    Error err = {0};
    ck_assert_int_eq(beam_create(&f.beam, &f.ensemble, &err), ERR_ARG);
    ck_assert_ptr_nonnull(strstr(err.message, "31"));
    seq2seq_free(other);
    fixture_free(&f);
}
END_TEST

/* ---- Batches ---- */

static void expect_same(const HypothesisList *a, const HypothesisList *b, int S)
{
    ck_assert_int_eq(a->n, b->n);
    for (int k = 0; k < a->n; k++) {
        const Hypothesis *x = &a->v[k], *y = &b->v[k];
        ck_assert_int_eq(x->n_tokens, y->n_tokens);
        ck_assert_mem_eq(x->tokens, y->tokens, (size_t)x->n_tokens * sizeof(int));
        ck_assert_mem_eq(x->word_scores, y->word_scores, (size_t)x->n_tokens * sizeof(float));
        ck_assert_mem_eq(x->attention, y->attention,
                         (size_t)x->n_tokens * (size_t)S * sizeof(float));
        ck_assert(x->score == y->score && x->normalized_score == y->normalized_score);
    }
}

START_TEST(results_do_not_depend_on_the_batch)
{
    static Corpus c;
    static HypothesisList together[N_SENTENCES], some[N_SENTENCES];
    Fixture f = fixture_of(1, 30, 3);
    make_corpus(&c);
    for (int is_sampling = 0; is_sampling <= 1; is_sampling++) {
        BeamOptions o = beam_defaults();
        o.n_best = 5;
        o.keeps_attention = 1;
        o.is_sampling = is_sampling;
        search(&f, together, &o, c.inputs, N_SENTENCES);
        for (int size = 1; size <= 7; size += 3) {
            for (int i = 0; i < N_SENTENCES; i += size) {
                const int n = N_SENTENCES - i < size ? N_SENTENCES - i : size;
                search(&f, some + i, &o, c.inputs + i, n);
            }
            for (int i = 0; i < N_SENTENCES; i++) {
                expect_same(&together[i], &some[i], c.inputs[i].n_source + 1);
            }
        }
    }
    fixture_free(&f);
}
END_TEST

START_TEST(first_best_does_not_depend_on_the_length_of_the_list)
{
    static Corpus c;
    static HypothesisList one[N_SENTENCES], five[N_SENTENCES];
    Fixture f = fixture_of(1, 30, 3);
    make_corpus(&c);
    BeamOptions o = beam_defaults();
    o.keeps_attention = 1;
    search(&f, one, &o, c.inputs, N_SENTENCES);
    o.n_best = 5;
    search(&f, five, &o, c.inputs, N_SENTENCES);
    for (int i = 0; i < N_SENTENCES; i++) {
        five[i].n = 1;
        expect_same(&one[i], &five[i], c.inputs[i].n_source + 1);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(lists_hold_distinct_hypotheses_best_first)
{
    static Corpus c;
    static HypothesisList lists[N_SENTENCES];
    Fixture f = fixture_of(1, 12, 3);
    make_corpus(&c);
    for (int is_sampling = 0; is_sampling <= 1; is_sampling++) {
        BeamOptions o = beam_defaults();
        o.beam_size = o.n_best = 12;
        o.is_sampling = is_sampling;
        search(&f, lists, &o, c.inputs, N_SENTENCES);
        for (int i = 0; i < N_SENTENCES; i++) {
            for (int k = 1; k < lists[i].n; k++) {
                const Hypothesis *h = &lists[i].v[k];
                ck_assert(h[-1].is_finished > h->is_finished ||
                          h[-1].normalized_score >= h->normalized_score);
                for (int j = 0; j < k; j++) {
                    const Hypothesis *g = &lists[i].v[j];
                    ck_assert(g->n_tokens != h->n_tokens ||
                              memcmp(g->tokens, h->tokens, (size_t)g->n_tokens * sizeof(int)) != 0);
                }
            }
        }
    }
    fixture_free(&f);
}
END_TEST

/* ---- Options ---- */

START_TEST(minimum_length_keeps_the_end_away)
{
    Fixture f = fixture();
    BeamOptions o = toy_options(300, 300);
    o.min_length = 2;
    HypothesisList list;
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_gt(list.n, 1);
    for (int k = 0; k < list.n; k++) {
        ck_assert_int_ge(list.v[k].n_tokens - list.v[k].is_finished, 2);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(limit_follows_the_source_and_leaves_the_rest_unfinished)
{
    Fixture f = fixture();
    BeamOptions o = toy_options(3, 1);
    o.max_factor = 1.5;
    o.max_offset = 2;
    o.min_length = 100; /* it can never end */
    HypothesisList list;
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.v[0].n_tokens, 9); /* floor(1.5 * 5) + 2 */
    ck_assert_int_eq(list.v[0].is_finished, 0);
    ck_assert_double_eq_tol(list.v[0].normalized_score, list.v[0].score / 9, 1e-9);
    fixture_free(&f);
}
END_TEST

START_TEST(special_words_are_never_chosen)
{
    Fixture f = fixture();
    BeamOptions o = toy_options(BEAM_MAX, BEAM_MAX);
    o.bans_unknown = 1;
    HypothesisList list;
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.n, 1 + 3 + 9 + 27 + 81);
    for (int k = 0; k < list.n; k++) {
        for (int t = 0; t < list.v[k].n_tokens; t++) {
            const int w = list.v[k].tokens[t];
            ck_assert(w != ID_PAD && w != ID_BEGIN && w != ID_UNKNOWN);
        }
    }
    fixture_free(&f);
}
END_TEST

static int has_repeat(const Hypothesis *h, int n)
{
    for (int i = 0; i + n <= h->n_tokens; i++) {
        for (int j = i + 1; j + n <= h->n_tokens; j++) {
            if (memcmp(h->tokens + i, h->tokens + j, (size_t)n * sizeof(int)) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

START_TEST(no_ngram_comes_twice)
{
    Fixture f = fixture_of(1, 30, 3);
    BeamOptions o = toy_options(5, 5);
    HypothesisList list;
    o.max_offset = 40;
    o.min_length = 40;
    search(&f, &list, &o, &INPUT, 1);
    ck_assert(has_repeat(&list.v[0], 2)); /* else this proves nothing */
    for (int n = 1; n <= 3; n++) {
        o.no_repeat_ngram = n;
        search(&f, &list, &o, &INPUT, 1);
        for (int k = 0; k < list.n; k++) {
            ck_assert(!has_repeat(&list.v[k], n));
        }
    }
    /* with unigrams every word has been used at last: what is open then stays unfinished */
    o.no_repeat_ngram = 1;
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.v[0].n_tokens, 30 - 3);
    ck_assert_int_eq(list.v[0].is_finished, 0);
    fixture_free(&f);
}
END_TEST

START_TEST(prefix_begins_every_hypothesis)
{
    const int prefix[] = {6, 6, 3};
    BeamInput input = INPUT;
    input.prefix = prefix;
    input.n_prefix = 3;
    Fixture f = fixture();
    const BeamOptions o = toy_options(20, 20);
    HypothesisList list;
    search(&f, &list, &o, &input, 1);
    ck_assert_int_gt(list.n, 5);
    for (int k = 0; k < list.n; k++) {
        ck_assert_int_ge(list.v[k].n_tokens, 3);
        ck_assert_mem_eq(list.v[k].tokens, prefix, sizeof prefix);
        expect_forced(&f, &input, &list.v[k]);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(coverage_penalty_is_that_of_the_attention)
{
    Fixture f = fixture();
    BeamOptions o = toy_options(200, 200);
    o.coverage = 0.4;
    HypothesisList list;
    search(&f, &list, &o, &INPUT, 1);
    for (int k = 0; k < list.n; k++) {
        const Hypothesis *h = &list.v[k];
        double expected = h->score / h->n_tokens;
        for (int s = 0; s < 5; s++) {
            double sum = 0;
            for (int t = 0; t < h->n_tokens; t++) {
                sum += (double)h->attention[t * 6 + s];
            }
            expected += 0.4 * log(sum < 1 ? sum : 1);
        }
        ck_assert_double_eq_tol(h->normalized_score, expected, 1e-5);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(options_out_of_range_are_refused)
{
    Error err = {0};
    BeamOptions o = beam_defaults();
    o.n_best = 6;
    ck_assert_int_eq(beam_check(&o, &err), ERR_ARG);
    ck_assert_ptr_nonnull(strstr(err.message, "6"));
    o = beam_defaults();
    o.beam_size = 0;
    ck_assert_int_eq(beam_check(&o, NULL), ERR_ARG);
    o.beam_size = BEAM_MAX + 1;
    ck_assert_int_eq(beam_check(&o, NULL), ERR_ARG);
    o = beam_defaults();
    o.alpha = -1;
    ck_assert_int_eq(beam_check(&o, NULL), ERR_ARG);
    o = beam_defaults();
    o.top_p = 0;
    ck_assert_int_eq(beam_check(&o, NULL), ERR_ARG);
}
END_TEST

/* ---- Sampling ---- */

START_TEST(sampling_follows_the_distribution)
{
    enum { DRAWS = 4000 };
    static BeamInput inputs[DRAWS];
    static HypothesisList lists[DRAWS];
    Fixture f = fixture();
    BeamOptions o = toy_options(1, 1);
    o.is_sampling = 1;
    o.max_offset = 1;
    for (int i = 0; i < DRAWS; i++) {
        inputs[i] = INPUT;
        inputs[i].line = (uint64_t)i;
    }
    search(&f, lists, &o, inputs, DRAWS);
    double expected[TOY_WORDS] = {0}, total = 0;
    int seen[TOY_WORDS] = {0};
    for (int i = 0; i < DRAWS; i++) {
        seen[lists[i].v[0].tokens[0]]++;
        expected[lists[i].v[0].tokens[0]] = exp(lists[i].v[0].score);
    }
    for (int w = 0; w < TOY_WORDS; w++) {
        total += expected[w];
    }
    for (int w = 0; w < TOY_WORDS; w++) {
        const double p = expected[w] / total;
        ck_assert_double_eq_tol(seen[w] / (double)DRAWS, p, 4 * sqrt(0.25 / DRAWS));
    }
    fixture_free(&f);
}
END_TEST

START_TEST(sampling_from_the_best_word_is_greedy)
{
    Fixture f = fixture_of(1, 30, 3);
    BeamOptions o = toy_options(1, 1);
    o.max_offset = 20;
    HypothesisList greedy, drawn;
    search(&f, &greedy, &o, &INPUT, 1);
    o.is_sampling = 1;
    for (int way = 0; way < 3; way++) {
        o.top_k = way == 0;
        o.top_p = way == 1 ? 1e-6 : 1;
        o.temperature = way == 2 ? 1e-4 : 1;
        search(&f, &drawn, &o, &INPUT, 1);
        ck_assert_int_eq(drawn.v[0].n_tokens, greedy.v[0].n_tokens);
        ck_assert_mem_eq(drawn.v[0].tokens, greedy.v[0].tokens,
                         (size_t)greedy.v[0].n_tokens * sizeof(int));
        ck_assert_double_eq_tol(drawn.v[0].score, greedy.v[0].score, 1e-9);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(sampling_depends_on_seed_and_line)
{
    Fixture f = fixture_of(1, 30, 1);
    BeamOptions o = toy_options(1, 1);
    o.max_offset = 20;
    o.is_sampling = 1;
    HypothesisList lists[2], other;
    BeamInput inputs[2] = {INPUT, INPUT};
    inputs[1].line = 1;
    search(&f, lists, &o, inputs, 2);
    o.seed = 2;
    search(&f, &other, &o, inputs, 1);
    ck_assert(lists[0].v[0].score != lists[1].v[0].score);
    ck_assert(lists[0].v[0].score != other.v[0].score);
    fixture_free(&f);
}
END_TEST

/* ---- Faults ---- */

START_TEST(scores_that_are_no_numbers_end_at_the_limit)
{
    Fixture f = fixture();
    BeamOptions o = toy_options(5, 5);
    o.min_length = 100;
    HypothesisList list;
    set_bias(f.owned[0], 4, (double)NAN);
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.v[0].n_tokens, TOY_LIMIT);
    ck_assert(list.v[0].score == -INFINITY);
    for (int t = 0; t < TOY_LIMIT; t++) {
        ck_assert_int_eq(list.v[0].tokens[t], ID_UNKNOWN); /* the smallest id that is allowed */
    }
    o.is_sampling = 1;
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.v[0].n_tokens, TOY_LIMIT);
    fixture_free(&f);
}
END_TEST

START_TEST(equal_scores_go_to_the_smaller_word)
{
    Fixture f = fixture();
    const Mat W = params_find(f.owned[0]->params, "output.weight")->val;
    mat_zero(W);
    params_pack(f.owned[0]->params, NULL);
    BeamOptions o = toy_options(4, 4);
    o.min_length = 2;
    o.max_offset = 2;
    HypothesisList list;
    search(&f, &list, &o, &INPUT, 1);
    const int expected[4][2] = {{3, 3}, {4, 3}, {5, 3}, {6, 3}};
    for (int k = 0; k < 4; k++) {
        ck_assert_mem_eq(list.v[k].tokens, expected[k], sizeof expected[k]);
    }
    fixture_free(&f);
}
END_TEST

START_TEST(an_end_that_is_never_likely_stops_at_the_limit)
{
    Fixture f = fixture_of(1, 30, 3);
    BeamOptions o = toy_options(5, 1);
    HypothesisList list;
    o.max_offset = 200;
    set_bias(f.owned[0], ID_END, -1e9);
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.v[0].n_tokens, 200);
    ck_assert_int_eq(list.v[0].is_finished, 0);
    fixture_free(&f);
}
END_TEST

START_TEST(the_limit_of_a_sentence_wins_over_that_of_the_options)
{
    Fixture f = fixture_of(1, 30, 3);
    const BeamOptions o = toy_options(5, 1);
    BeamInput inputs[2] = {INPUT, INPUT};
    HypothesisList lists[2];
    inputs[1].limit = 77;
    set_bias(f.owned[0], ID_END, -1e9);
    search(&f, lists, &o, inputs, 2);
    ck_assert_int_eq(lists[0].v[0].n_tokens, TOY_LIMIT);
    ck_assert_int_eq(lists[1].v[0].n_tokens, 77);
    fixture_free(&f);
}
END_TEST

START_TEST(an_empty_hypothesis_is_one)
{
    Fixture f = fixture();
    const BeamOptions o = toy_options(5, 1);
    HypothesisList list;
    set_bias(f.owned[0], ID_END, 1e3);
    search(&f, &list, &o, &INPUT, 1);
    ck_assert_int_eq(list.v[0].n_tokens, 1);
    ck_assert_int_eq(list.v[0].tokens[0], ID_END);
    ck_assert_int_eq(list.v[0].is_finished, 1);
    fixture_free(&f);
}
END_TEST

START_TEST(sources_of_one_word_and_of_400_share_a_batch)
{
    static int words[400];
    for (int i = 0; i < 400; i++) {
        words[i] = 4 + i % 36;
    }
    const BeamInput inputs[] = {{.source = words, .n_source = 1},
                                {.source = words, .n_source = 400}};
    Fixture f = fixture_of(1, 30, 3);
    BeamOptions o = beam_defaults();
    o.keeps_attention = 1;
    o.max_factor = 0.1;
    HypothesisList lists[2];
    search(&f, lists, &o, inputs, 2);
    expect_forced(&f, &inputs[0], &lists[0].v[0]);
    expect_forced(&f, &inputs[1], &lists[1].v[0]);
    fixture_free(&f);
}
END_TEST

START_TEST(a_refused_allocation_is_an_error_and_leaks_nothing)
{
    Fixture f = fixture();
    BeamOptions o = toy_options(5, 2);
    o.coverage = 0.1;
    HypothesisList whole;
    search(&f, &whole, &o, &INPUT, 1);
    const double undisturbed = whole.v[0].score;
    int n_refused = 0;
    for (long n = 1;; n++) {
        Beam *beam = NULL;
        Arena *results = NULL;
        HypothesisList list;
        Error err = {0};
        mem_fail_at(n, 0);
        Status status = arena_create(&results, 0, &err);
        status = status == OK ? beam_create(&beam, &f.ensemble, &err) : status;
        status = status == OK ? beam_search(beam, &list, &o, &INPUT, 1, results, &err) : status;
        const int has_failed = mem_failed();
        mem_fail_at(0, 0);
        if (status == OK) { /* an arena that is refused memory on its reset asks again */
            ck_assert(list.v[0].score == undisturbed);
        }
        beam_free(beam);
        arena_free(results);
        if (!has_failed) {
            ck_assert_int_eq(status, OK);
            ck_assert_int_gt(n, 3);
            break;
        }
        n_refused += status == ERR_NOMEM;
        ck_assert(status == OK || status == ERR_NOMEM);
    }
    ck_assert_int_ge(n_refused, 3);
    fixture_free(&f);
}
END_TEST

TEST_MAIN("beam", tcase_add_test(c, beam_as_wide_as_the_space_equals_brute_force);
          tcase_add_test(c, beam_equals_brute_force_without_and_with_strong_normalisation);
          tcase_add_test(c, beam_stops_only_when_nothing_can_win);
          tcase_add_test(c, an_end_keeps_its_place_and_the_beam_does_not_refill);
          tcase_add_test(c, beam_of_one_is_greedy);
          tcase_add_test(c, every_hypothesis_equals_its_forced_decoding);
          tcase_add_test(c, ensemble_hypotheses_equal_their_forced_decoding);
          tcase_add_test(c, ensemble_of_a_model_with_itself_changes_nothing);
          tcase_add_test(c, ensemble_of_unequal_vocabularies_is_refused);
          tcase_add_test(c, results_do_not_depend_on_the_batch);
          tcase_add_test(c, first_best_does_not_depend_on_the_length_of_the_list);
          tcase_add_test(c, lists_hold_distinct_hypotheses_best_first);
          tcase_add_test(c, minimum_length_keeps_the_end_away);
          tcase_add_test(c, limit_follows_the_source_and_leaves_the_rest_unfinished);
          tcase_add_test(c, special_words_are_never_chosen);
          tcase_add_test(c, no_ngram_comes_twice);
          tcase_add_test(c, prefix_begins_every_hypothesis);
          tcase_add_test(c, coverage_penalty_is_that_of_the_attention);
          tcase_add_test(c, options_out_of_range_are_refused);
          tcase_add_test(c, sampling_follows_the_distribution);
          tcase_add_test(c, sampling_from_the_best_word_is_greedy);
          tcase_add_test(c, sampling_depends_on_seed_and_line);
          tcase_add_test(c, scores_that_are_no_numbers_end_at_the_limit);
          tcase_add_test(c, equal_scores_go_to_the_smaller_word);
          tcase_add_test(c, an_end_that_is_never_likely_stops_at_the_limit);
          tcase_add_test(c, the_limit_of_a_sentence_wins_over_that_of_the_options);
          tcase_add_test(c, an_empty_hypothesis_is_one);
          tcase_add_test(c, sources_of_one_word_and_of_400_share_a_batch);
          tcase_add_test(c, a_refused_allocation_is_an_error_and_leaks_nothing);)

/* The hidden Markov model of word alignment; see the header. */
#include "nn/hmm.h"

#include <string.h>

/* What one pair needs. The place n_in is the beginning, -1. */
typedef struct Lattice {
    int n_out, n_in;
    double *transition; /* [n_in + 1, n_in] from, to; without the share of no word */
    double *standing;   /* [n_out + 1, n_in + 1]: forward probability of a place before word j */
    double *entered;    /* [n_in]: of one word, by its place */
    double *backward;   /* [n_out + 1, n_in + 1]: of all words from j on, given the place */
    double *scale;      /* [n_out] */
    double *moves;      /* [n_in + 1, n_in]: expected jumps from, to */
} Lattice;

static int jump_of(int from, int to)
{
    const int distance = to - from;
    return (distance < -HMM_JUMP_MAX  ? -HMM_JUMP_MAX
            : distance > HMM_JUMP_MAX ? HMM_JUMP_MAX
                                      : distance) +
           HMM_JUMP_MAX;
}

static int place_of(const Lattice *l, int from)
{
    return from == l->n_in ? -1 : from;
}

HmmJumps hmm_jumps_even(void)
{
    HmmJumps jumps;
    for (int k = 0; k < HMM_JUMPS; k++) {
        jumps.v[k] = 1;
    }
    return jumps;
}

HmmJumps hmm_jumps_of_counts(const HmmJumps *counts)
{
    /* The two outer counts gather many distances, of which each gets its share. */
    enum { OUTER_DISTANCES = 4 };
    HmmJumps jumps = *counts;
    double sum = 0;
    jumps.v[0] /= OUTER_DISTANCES;
    jumps.v[HMM_JUMPS - 1] /= OUTER_DISTANCES;
    for (int k = 0; k < HMM_JUMPS; k++) {
        sum += jumps.v[k];
    }
    for (int k = 0; k < HMM_JUMPS; k++) {
        jumps.v[k] = sum > 0 ? jumps.v[k] / sum + 1e-6 : 1;
    }
    return jumps;
}

static Status lattice_alloc(Lattice *l, Arena *arena, Error *err)
{
    const size_t places = (size_t)l->n_in + 1, steps = (size_t)l->n_out + 1;
    void *block;
    TRY(arena_alloc(arena, &block, 2 * places * (places + steps) + places + steps, sizeof(double),
                    err));
    l->transition = block;
    l->moves = l->transition + places * places;
    l->standing = l->moves + places * places;
    l->backward = l->standing + places * steps;
    l->entered = l->backward + places * steps;
    l->scale = l->entered + places;
    return OK;
}

static void fill_transitions(Lattice *l, const HmmJumps *jumps)
{
    for (int from = 0; from <= l->n_in; from++) {
        double *row = l->transition + (size_t)from * (size_t)l->n_in, sum = 0;
        for (int to = 0; to < l->n_in; to++) {
            row[to] = jumps->v[jump_of(place_of(l, from), to)];
            sum += row[to];
        }
        for (int to = 0; to < l->n_in; to++) {
            row[to] =
                (1 - HMM_NULL) * ((1 - HMM_EVEN) * row[to] / sum + HMM_EVEN / (double)l->n_in);
        }
    }
}

static const double *transitions(const Lattice *l, int from)
{
    return l->transition + (size_t)from * (size_t)l->n_in;
}

static double *row_of(double *rows, const Lattice *l, int j)
{
    return rows + (size_t)j * ((size_t)l->n_in + 1);
}

/* One step forward; leaves in `entered` the places that word j came from, before scaling. */
static void forward_step(Lattice *l, const double *emission, int j)
{
    const double *before = row_of(l->standing, l, j);
    double *after = row_of(l->standing, l, j + 1), sum = 0;
    memset(l->entered, 0, (size_t)l->n_in * sizeof *l->entered);
    for (int from = 0; from <= l->n_in; from++) {
        const double *transition = transitions(l, from);
        for (int to = 0; to < l->n_in; to++) {
            l->entered[to] += before[from] * transition[to];
        }
    }
    for (int i = 0; i <= l->n_in; i++) {
        after[i] = HMM_NULL * emission[l->n_in] * before[i];
        after[i] += i < l->n_in ? l->entered[i] * emission[i] : 0;
        sum += after[i];
    }
    l->scale[j] = sum;
    for (int i = 0; i <= l->n_in; i++) {
        after[i] /= sum;
    }
}

/* One step back over word j, with its posteriors and jumps on the way. */
static void backward_step(Lattice *l, double *posterior, const double *emission, int j)
{
    const int n = l->n_in;
    double *moves = l->moves;
    const double *before = row_of(l->standing, l, j), *after = row_of(l->backward, l, j + 1);
    double *backward = row_of(l->backward, l, j);
    memset(posterior, 0, ((size_t)n + 1) * sizeof *posterior);
    for (int i = 0; i < n; i++) {
        l->entered[i] = emission[i] * after[i] / l->scale[j];
    }
    for (int from = 0; from <= n; from++) {
        const double *transition = transitions(l, from);
        const double stay = HMM_NULL * emission[n] * after[from] / l->scale[j];
        double sum = stay;
        for (int to = 0; to < n; to++) {
            const double path = transition[to] * l->entered[to];
            sum += path;
            posterior[to] += before[from] * path;
            moves[to] += before[from] * path;
        }
        moves += n;
        posterior[n] += before[from] * stay;
        backward[from] = sum;
    }
}

static void count_moves(HmmJumps *counts, const Lattice *l)
{
    const double *moves = l->moves;
    for (int from = 0; from <= l->n_in; from++) {
        for (int to = 0; to < l->n_in; to++) {
            counts->v[jump_of(place_of(l, from), to)] += *moves++;
        }
    }
}

Status hmm_posteriors(double *posterior, HmmJumps *counts, const double *emission, int n_out,
                      int n_in, const HmmJumps *jumps, Arena *arena, Error *err)
{
    Lattice l = {.n_out = n_out, .n_in = n_in};
    const size_t width = (size_t)n_in + 1;
    TRY(lattice_alloc(&l, arena, err));
    fill_transitions(&l, jumps);
    memset(l.moves, 0, width * width * sizeof *l.moves);
    memset(l.standing, 0, width * sizeof *l.standing);
    l.standing[n_in] = 1;
    for (int j = 0; j < n_out; j++) {
        forward_step(&l, emission + (size_t)j * width, j);
    }
    for (size_t i = 0; i < width; i++) {
        row_of(l.backward, &l, n_out)[i] = 1;
    }
    for (int j = n_out - 1; j >= 0; j--) {
        backward_step(&l, posterior + (size_t)j * width, emission + (size_t)j * width, j);
    }
    count_moves(counts, &l);
    return OK;
}

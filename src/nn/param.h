/* Parameters: the one list of everything that is learnt.
 *
 * A module registers each tensor once with params_add and keeps the pointer; the list then drives
 * allocation (one block of values, one of gradients), initialisation, the optimiser, clipping,
 * files and tests. A matrix is [out, in], row-major; a vector is one row.
 *
 * A Weights is a block of columns of a matrix in its role in a product: y = x W^T. It carries the
 * packed copies for the kernels (math/gemm.h), which params_pack renews after the values changed.
 *
 * The products are of floats, or, for learning alone, of factors rounded to bfloat16 (params_set_precision).
 *
 * A list holds numbers, which can be learnt, or for decoding alone weights of one byte
 * (params_allocate_int8): then a matrix has bytes and a scale for each row (math/quantize.h) in the
 * place of values, while vectors stay numbers.
 *
 * Threads: values and packed copies are read by all workers, written between their runs only. */
#ifndef HEED_NN_PARAM_H
#define HEED_NN_PARAM_H

#include <stddef.h>

#include "base/rng.h"
#include "base/status.h"
#include "base/threads.h"
#include "math/gemm.h"
#include "math/mat.h"
#include "nn/screen.h"

enum { PARAM_NAME_CAP = 64, PARAMS_MAX = 1024, WEIGHTS_MAX = 1024 };

typedef enum ParamInit {
    INIT_ZERO,
    INIT_ONE,
    INIT_GLOROT,     /* uniform in +-sqrt(6 / (in + out)) (Glorot & Bengio 2010) */
    INIT_ORTHOGONAL, /* each square block orthogonal (Saxe et al. 2014): recurrent weights */
    INIT_EMBEDDING,  /* normal, deviation 1 / sqrt(columns) */
    INIT_COUNT
} ParamInit;

typedef struct Param {
    char name[PARAM_NAME_CAP];
    int n_dims; /* 1: a vector [cols], kept as one row; 2: a matrix [rows, cols] */
    ParamInit init;
    Mat val, grad; /* views into the list's blocks; grad.v is NULL when there are no gradients */
    /* A matrix of one byte a weight: row i is scales[i] times its bytes [rows, cols]; val.v is NULL.
     * NULL elsewhere. */
    const int8_t *bytes;
    real *scales;
} Param;

/* What the factors of a product are rounded to; sums are floats. PRECISION_AUTO is an option's value only. */
typedef enum Precision { PRECISION_AUTO, PRECISION_FLOAT32, PRECISION_BFLOAT16 } Precision;
#define PRECISION_NAMES "auto|float32|bfloat16"

/* bfloat16 for PRECISION_AUTO where the processor has instructions for it and the network has PRECISION_UNITS hidden
 * units or more, below which little is won, else float32; others as they are. */
enum { PRECISION_UNITS = 200 };
Precision precision_choose(Precision wish, int hidden);
const char *precision_name(Precision precision);

typedef struct Weights {
    const Param *param;
    int first, cols;          /* the block of columns */
    int is_recurrent;         /* with gradients also packed for dx = dy W, as time loops need it */
    Packed forward, backward; /* backward is packed, too, where the precision is bfloat16 */
    void *room;               /* for both; in the list's block */
    Screen *screen;           /* of an output layer after params_screen, else NULL */
} Weights;

typedef struct ParamList {
    Param items[PARAMS_MAX];
    int n;
    Weights weights[WEIGHTS_MAX];
    int n_weights;
    size_t count; /* numbers in a block, padding included */
    size_t packed_count;
    real *values, *grads, *packed; /* owned */
    int is_int8;
    real *scales;         /* owned, of all matrices; NULL without bytes */
    int8_t *packed_bytes; /* owned, in the place of packed */
    void *adopted;        /* owned: what the parameters' bytes point into */
} ParamList;

Status params_create(ParamList **out, Error *err) MUST_USE;
void params_free(ParamList *list);

/* Registers a tensor and yields it through out; the address stays valid for the life of the list.
 * The name is made by printf rules. */
Status params_add(ParamList *list, Param **out, ParamInit init, int rows, int cols, Error *err,
                  const char *format, ...) CHECK_FORMAT(7, 8) MUST_USE;
Status params_add_vector(ParamList *list, Param **out, ParamInit init, int cols, Error *err,
                         const char *format, ...) CHECK_FORMAT(6, 7) MUST_USE;

/* Registers columns first .. first + cols - 1 of param as weights of a product. */
Status params_add_weights(ParamList *list, Weights **out, const Param *param, int first, int cols,
                          int is_recurrent, Error *err) MUST_USE;

/* Allocates values (zeroed), packed copies and, when wanted, gradients. Call once, after all were
 * added. */
Status params_allocate(ParamList *list, int with_gradients, Error *err) MUST_USE;

/* Chooses the products, their backward ones included; takes effect with the next params_pack. A list begins with
 * float32; bfloat16 is for a list with gradients. Values and gradients are floats all the while. */
void params_set_precision(ParamList *list, Precision precision);

/* The same for weights of one byte: values for the vectors, scales for the matrices, no gradients.
 * The caller points `bytes` of each matrix to its bytes and gives their block to `adopted`. */
Status params_allocate_int8(ParamList *list, Error *err) MUST_USE;

/* Row i of a matrix or table, as numbers [cols], whatever its kind. */
void param_read_row(real *out, const Param *param, int i);

/* Renews the packed copies from the values. threads may be NULL. */
void params_pack(ParamList *list, Threads *threads);

/* Renews the copy in bytes that a search among the outputs of W uses (nn/word_search.h), when they
 * are SCREEN_MIN_WORDS or more; params_pack leaves it behind. threads may be NULL. */
Status params_screen(Weights *W, Threads *threads, Error *err) MUST_USE;

/* How many numbers are learnt. */
size_t params_learnt(const ParamList *list);

/* The tensor of that name, or NULL. */
Param *params_find(ParamList *list, const char *name);

/* y = x W^T + bias (bias [1, out] may be NULL);  _add: y += x W^T. For weights of one byte x is
 * quantised row by row (math/gemm.h). */
void weights_forward(Mat y, Mat x, const Weights *W, const Param *bias);
void weights_forward_add(Mat y, Mat x, const Weights *W);

/* dx = dy W;  _add: dx += dy W. Not for weights of one byte. */
void weights_backward(Mat dx, Mat dy, const Weights *W);
void weights_backward_add(Mat dx, Mat dy, const Weights *W);

#endif

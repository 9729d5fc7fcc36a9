/* What stands behind the handles of heed.h, and how errors cross the border. */
#ifndef HEED_API_HANDLE_H
#define HEED_API_HANDLE_H

#include "base/arena.h"
#include "decode/translator.h"
#include "heed.h"
#include "model/model_file.h"
#include "text/tokenizer.h"

/* Read only after opening. */
struct HeedModel {
    Seq2Seq *network;
    ModelText text;
    Tokenizer *tokenizers[2]; /* by HeedSide */
};

/* The hypotheses of a line: first .. first + n - 1 of all. */
typedef struct ResultLine {
    size_t first, n;
} ResultLine;

struct HeedResults {
    Arena *arena; /* of everything below */
    ResultLine *lines;
    size_t n_lines;
    HeedTranslation **all;
    size_t n_all, cap_all; /* `all` itself is allocated by itself, since it grows */
    int has_attention, has_pieces;
};

/* Writes the status and sentence of err into out (which may be NULL) and returns the status. */
HeedStatus handle_report(Status status, const Error *err, HeedError *out);

/* The options, or the defaults for NULL, checked. */
Status handle_options(HeedOptions *out, const HeedOptions *given, Error *err) MUST_USE;

/* A translator of its own over the model, with its workers. *threads is NULL for one worker. */
Status handle_translator(Translator **out, Threads **threads, const HeedModel *model, int n_threads,
                         Error *err) MUST_USE;

/* Empty results for n lines. */
Status results_create(HeedResults **out, size_t n, const HeedOptions *options, Error *err) MUST_USE;

/* Copies a record in as the next hypothesis of a line; lines come in order. */
Status results_add(HeedResults *results, size_t line, const Dump *dump, Error *err) MUST_USE;

#endif

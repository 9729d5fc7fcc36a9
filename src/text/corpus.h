/* A parallel corpus in memory: the raw lines, compactly.
 *
 *     pairs[i] -> | u32 len source | u32 len target | u32 line | source | target |   in a block of
 * text
 *
 * That is 20 bytes a pair besides the text: 1,000,000 pairs of 20 words a side in 250 MB.
 *
 * Threads: a loaded corpus may be read from many at once. */
#ifndef HEED_TEXT_CORPUS_H
#define HEED_TEXT_CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "text/lines.h"
#include "text/pairs.h"

/* What is dropped for training. Pairs with a blank side always are. */
typedef struct CorpusFilter {
    long max_words;      /* a side of more words (text/words.h); 0: no bound */
    double max_ratio;    /* a side of more than so many times the other's words; 0: no bound */
    int drop_duplicates; /* the same source and target as an earlier pair */
    int drop_identical;  /* source and target the same; kept by default: copying is a task too */
    int drop_malformed;  /* a side that is not valid UTF-8; kept by default, as U+FFFD */
    const Progress *progress; /* who is told how far the reading is; may be NULL */
} CorpusFilter;

/* At most 1,000 words, ratio 9, duplicates dropped. */
CorpusFilter corpus_filter_default(void);

/* Why pairs were dropped or marked, in the order in which they are looked at; a pair that is
 * dropped is counted once. */
typedef enum CorpusReason {
    CORPUS_BLANK,
    CORPUS_MALFORMED,
    CORPUS_LONG,
    CORPUS_RATIO,
    CORPUS_IDENTICAL,
    CORPUS_DUPLICATE,
    N_CORPUS_REASONS
} CorpusReason;

enum { CORPUS_EXAMPLES = 2 };

typedef struct CorpusCount {
    long n;
    long examples[CORPUS_EXAMPLES]; /* line numbers of the first ones */
    int is_dropped;
} CorpusCount;

typedef struct Corpus Corpus;

/* Reads pairs. With filter NULL nothing is dropped and there may be none (validation, align,
 * score); else ERR_FORMAT when none is left, or a file is UTF-16 or a known kind of
 * binary data. ERR_FORMAT for lines that
 * text/pairs.h refuses. */
Status corpus_load_tsv(Corpus **out, const char *path, const CorpusFilter *filter,
                       Error *err) MUST_USE;
Status corpus_load_files(Corpus **out, const char *source_path, const char *target_path,
                         const CorpusFilter *filter, Error *err) MUST_USE;

/* Makes a corpus of lines in memory, nothing dropped; it ends when either side does. name is for
 * messages. */
Status corpus_of_lines(Corpus **out, const char *name, Lines source, Lines target,
                       Error *err) MUST_USE;

long corpus_size(const Corpus *c);

/* How many pairs the files had. */
long corpus_n_read(const Corpus *c);

/* A raw line: side 0 is the source, 1 the target; 0 <= i < corpus_size. */
const char *corpus_line(const Corpus *c, int side, long i, size_t *len);

/* The number of the line that pair i was read from, counted from 1 (the same in both files). */
long corpus_line_number(const Corpus *c, long i);

/* CRC-32 over all pairs in their order, lengths and text; the same on every machine. */
uint32_t corpus_checksum(const Corpus *c);

const CorpusCount *corpus_count(const Corpus *c, CorpusReason reason);

/* Appends a table: a line of totals, then a row for each reason that occurred, with how many, what
 * became of them, and two line numbers. */
Status corpus_report(const Corpus *c, Buffer *out, Error *err) MUST_USE;

/* The lines of one side, or of both (side N_SIDES), as tokenizers learn from. */
typedef struct CorpusLines {
    const Corpus *corpus;
    int side;
    long at;                  /* 0 at first */
    const Progress *progress; /* may be NULL */
} CorpusLines;
Lines corpus_lines(CorpusLines *state);

/* Takes pairs out of c at random, by seed, for validation: 1 % of them, at least 100 and at most
 * 1,000; of fewer than 1,000 pairs a tenth, at least one. Both keep the order of the file.
 * ERR_FORMAT when c has a single pair. */
Status corpus_hold_out(Corpus **out, Corpus *c, uint64_t seed, Error *err) MUST_USE;

void corpus_free(Corpus *c);

#endif

/* Sentences to look at while training goes on: translations with their attention, and the attention
 * of a given pair under forced decoding. Pieces are the tokens of their records.
 *
 * Threads: the functions share nothing. */
#ifndef HEED_TRAIN_SAMPLES_H
#define HEED_TRAIN_SAMPLES_H

#include "model/seq2seq.h"
#include "text/corpus.h"
#include "text/dump.h"
#include "text/tokenizer.h"

/* Where samples come from; all outlive the records. */
typedef struct SampleSource {
    const Seq2Seq *model;
    const Tokenizer *source, *target;
    const Corpus *corpus;
    int beam_size;
} SampleSource;

/* The best translation of the source of pair i, the one that `heed translate` finds. It lives in
 * the arena. */
Status sample_translate(Dump *out, const SampleSource *from, long i, Arena *arena,
                        Error *err) MUST_USE;

/* Pair i itself under forced decoding. */
Status sample_force(Dump *out, const SampleSource *from, long i, Arena *arena, Error *err) MUST_USE;

/* A pair whose alignment is worth a look: the first with 4 to 12 words on both sides, or else the
 * first with any; -1 when all are blank. */
long sample_choose(const Corpus *corpus);

#endif

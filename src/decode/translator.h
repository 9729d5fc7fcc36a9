/* Lines of raw text to translations: the one road that `heed translate`, validation, the library
 * and the server take.
 *
 * Lines are taken a window at a time. The window's lines are encoded, divided where they are too
 * long, sorted by length and shared out in batches to the workers; their translations come to the
 * sink in the order of the lines while later windows wait. Batches, windows and threads change
 * nothing in the results. Memory does not grow with the number of lines.
 *
 * A line of white space alone (or that has no pieces) is translated to nothing without the network.
 * Any bytes are a line: malformed ones count as U+FFFD.
 *
 * Threads: a Translator belongs to one thread at a time; it has workers of its own. */
#ifndef HEED_DECODE_TRANSLATOR_H
#define HEED_DECODE_TRANSLATOR_H

#include "base/threads.h"
#include "decode/beam.h"
#include "decode/link_table.h"
#include "decode/record.h"
#include "text/dump.h"
#include "base/progress.h"
#include "text/tokenizer.h"

enum { TRANSLATE_MAX_BATCH = 65536 };

typedef struct TranslateOptions {
    BeamOptions beam;
    int mini_batch; /* sentences in a batch, 1 .. TRANSLATE_MAX_BATCH; 1: a line at a time */
    int max_length; /* source pieces; longer lines are divided */
    int is_cropped; /* ... or cut */
    int has_tokens; /* the records have tokens, spans and word scores; with
                       beam.keeps_attention the attention too */
    RecordUnknown unknown;
    const Progress *progress; /* told as batches are begun: lines of this call in search or found;
                                 may be NULL */
} TranslateOptions;

/* The search's defaults, batches of 64, lines of up to 200 pieces. */
TranslateOptions translate_defaults(void);

/* A line to translate; prefix is text that the translation begins with, or NULL. */
typedef struct TranslateLine {
    const char *text, *prefix;
    size_t len, len_prefix;
    long id; /* number of the line, from 0; names the random stream */
} TranslateLine;

/* What became of a line; the memory is that of the call. A line that was divided has a list of one.
 */
typedef struct Translation {
    Dump dump; /* target is the text; tokens are pieces */
    /* The records with attention: the dump itself, or where its matrix would be too large (then
     * the dump has no tokens) one for each part of the line. */
    const Dump *blocks;
    int n_blocks;
    long n_tokens; /* that the score is the sum of, all end tokens counted */
    int n_parts;   /* that the line was divided into; 0 for a blank line */
    int is_first;  /* of the line's list */
    int is_last;
} Translation;

/* Called once for each hypothesis, in the order of lines and ranks. A failure ends the call. */
typedef Status (*TranslateSink)(void *context, const Translation *translation, Error *err);

/* Counts that a caller may want to tell the user about; added to. */
typedef struct TranslateCounts {
    long n_lines, n_blank;
    long n_divided, n_cropped; /* lines longer than max_length */
    long n_unfinished;         /* lines whose best translation met the limit */
    long n_malformed;          /* lines with malformed UTF-8 */
    long first_malformed;      /* the first one's id */
    long n_source, n_target;   /* pieces in, pieces of the best translations out */
} TranslateCounts;

typedef struct Translator Translator;

/* Opens one model file, or several of the same tokenizers as an ensemble, with n_threads workers.
 * The counted links are those of the first.
 * ERR_ARG when their vocabularies differ. */
Status translator_open(Translator **out, const char *const *paths, int n, int n_threads,
                       Error *err) MUST_USE;

/* Of what is in memory already; nothing is owned. threads may be NULL. */
Status translator_create(Translator **out, const Ensemble *ensemble, const Tokenizer *source,
                         const Tokenizer *target, Threads *threads, Error *err) MUST_USE;

void translator_free(Translator *t);

const Ensemble *translator_ensemble(const Translator *t);
const LinkTable *translator_links(const Translator *t); /* NULL: nothing was counted */
const Tokenizer *translator_tokenizer(const Translator *t, int is_target);
Threads *translator_threads(const Translator *t);

/* ERR_ARG names what is out of its range. */
Status translate_check(const TranslateOptions *options, Error *err) MUST_USE;

/* How many lines are best given to one call of translator_translate while more may come. */
long translator_window(const Translator *t, const TranslateOptions *options);

/* Translates n lines. counts may be NULL. */
Status translator_translate(Translator *t, const TranslateOptions *options,
                            const TranslateLine *lines, long n, TranslateSink sink, void *context,
                            TranslateCounts *counts, Error *err) MUST_USE;

#endif

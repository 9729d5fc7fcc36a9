/* The file formats of a hypothesis with its attention. Every function appends to out; malformed
 * bytes come out as U+FFFD; numbers read back as the same number (base/number.h).
 *
 *     dump_write_json     {"id":0,"rank":0,"source":"i love","target":"我 爱","score":-1.2,
 *                         "normalized_score":-0.4,"finished":true,"source_tokens":["i",..."</s>"],
 *                         "target_tokens":[...],"source_spans":[[0,1],...],"target_spans":[...],
 *                         "attention":[[0.9,0.05,0.05],...]}       one line, with its line end;
 *                         "word_scores":[...] follows where they are known
 *     dump_write_links    0-0 1-1          Pharaoh: sorted by source, then target; may be empty
 *     dump_write_soft     0.9,0.05,0.05 0.2,0.7,0.1    Marian: a field per target token with the
 *                         end token, in it the weights of the source tokens with the end token
 *     dump_write_aligned  我 爱 ||| 0-0 1-1            Marian 1-best, or its soft form
 *     dump_write_nbest    0 ||| 我 爱 ||| 0-0 1-1 ||| WordScores= -0.1 -0.2 ||| F0= -1.2 ||| -0.4
 *                         Moses: links and word scores only when asked for
 *     dump_write_matrix   the block of Nematus that SoftAlignments reads, with a blank line behind:
 *                             0 ||| 我 爱 ||| -1.2 ||| i love ||| 3 3
 *                             0.9 0.05 0.05
 *                             ...
 *                         The header names the words without the end tokens, the counts and the
 *                         matrix include them: always words+1 rows of words+1 numbers. Where a side
 *                         has no end token its row or column is zero; the matrix of a blank line
 *                         is a single 1. Blanks inside a token become U+2581.
 *     dump_write_tsv      a matrix for a spreadsheet, with a blank line behind: the first line is
 *                         ID.RANK and the source tokens, every other line a target token and its
 *                         weights. A field with a tab or a quotation mark stands in quotation
 *                         marks, those inside doubled.
 *     dump_write_npy      a NumPy file, format 1.0, little-endian float32, shape (T, S)
 *
 * Lines other than JSON, matrix and TSV are without their line end. */
#ifndef HEED_TEXT_DUMP_WRITE_H
#define HEED_TEXT_DUMP_WRITE_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/dump.h"

typedef enum DumpAlignmentKind { DUMP_HARD, DUMP_SOFT, DUMP_THRESHOLD } DumpAlignmentKind;

/* What the option --alignment says. */
typedef struct DumpAlignment {
    DumpAlignmentKind kind;
    double threshold; /* in (0, 1) with DUMP_THRESHOLD, else 0 */
} DumpAlignment;

/* Reads "hard", "soft" or a number between 0 and 1; ERR_ARG names the option. */
Status dump_parse_alignment(DumpAlignment *out, const char *text, Error *err) MUST_USE;

Status dump_write_json(Buffer *out, const Dump *dump, Error *err) MUST_USE;

/* threshold 0 is the hard alignment, as in dump_links. */
Status dump_write_links(Buffer *out, const Dump *dump, double threshold, Error *err) MUST_USE;
Status dump_write_soft(Buffer *out, const Dump *dump, Error *err) MUST_USE;

/* The links or the weights alone, as `alignment` asks. */
Status dump_write_alignment(Buffer *out, const Dump *dump, DumpAlignment alignment,
                            Error *err) MUST_USE;
Status dump_write_aligned(Buffer *out, const Dump *dump, DumpAlignment alignment,
                          Error *err) MUST_USE;

/* alignment may be NULL; with_word_scores needs dump->word_scores. */
Status dump_write_nbest(Buffer *out, const Dump *dump, const DumpAlignment *alignment,
                        int with_word_scores, Error *err) MUST_USE;
Status dump_write_matrix(Buffer *out, const Dump *dump, Error *err) MUST_USE;
Status dump_write_tsv(Buffer *out, const Dump *dump, Error *err) MUST_USE;
Status dump_write_npy(Buffer *out, const Dump *dump, Error *err) MUST_USE;

/* The file that holds a dump's NumPy array: PREFIX.ID.RANK.npy. */
Status dump_npy_path(Buffer *out, const char *prefix, const Dump *dump, Error *err) MUST_USE;

/* Appends text as a JSON string with its quotation marks. Nothing in it can end a script element
 * or begin a comment of HTML: < > & and the separators U+2028, U+2029 are written as escapes when
 * is_html is set. */
Status dump_add_string(Buffer *out, const char *bytes, size_t len, int is_html,
                       Error *err) MUST_USE;

#endif

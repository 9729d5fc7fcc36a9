/* A shortlist of the words that a sentence may become, so that the output layer forms their logits
 * alone (after Jean et al. 2015): for each source piece those it was linked to most often, and the
 * most frequent ones of all. The special tokens are always among them.
 *
 * The file is a lexicon of pieces as `heed align --pieces --lexicon` writes it,
 *
 *     source<TAB>target<TAB>p(t|s)<TAB>p(s|t)<TAB>count      the most frequent first
 *
 * of which the third and the fourth column are not looked at; without a fifth a line counts 1.
 * Lines with a piece that the model does not have are passed over.
 *
 * The list of a sentence follows from that sentence alone, so a translation does not depend on its
 * batch. Threads: a loaded Shortlist is read only. */
#ifndef HEED_DECODE_SHORTLIST_H
#define HEED_DECODE_SHORTLIST_H

#include "base/arena.h"
#include "text/tokenizer.h"

typedef struct Shortlist Shortlist;

enum { SHORTLIST_MAX = 1 << 20 };

/* Of each source piece the n_best first lines count, and the n_first most frequent target pieces
 * are in every list; both 0 .. SHORTLIST_MAX. ERR_FORMAT for a line without a tab or whose count
 * is no number, and when no line has pieces of the model. */
Status shortlist_load(Shortlist **out, const char *path, int n_first, int n_best,
                      const Tokenizer *source, const Tokenizer *target, Error *err) MUST_USE;
void shortlist_free(Shortlist *list);

/* The ids of a sentence in ascending order, those of the prefix included; *words [*n] is taken from
 * the arena. source [n_source] and prefix [n_prefix] are ids of the tokenizers. */
Status shortlist_words(const Shortlist *list, int **words, int *n, const int *source, int n_source,
                       const int *prefix, int n_prefix, Arena *arena, Error *err) MUST_USE;

/* About how many words a sentence of n_source pieces has at most. */
int shortlist_bound(const Shortlist *list, int n_source);

#endif

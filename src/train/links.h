/* Links of the training pairs, for guided alignment (nn/guided.h).
 *
 * The file has a line for each pair of the training files, dropped and held-out ones too: links
 * "source-target", counted from 0 and separated by blanks (the format of fast_align and Moses;
 * "?" and "p" for "-" are taken as links, too). They count words of the raw lines (text/words.h) or
 * pieces of the model's tokenizers. A line without links leaves its pair unguided.
 *
 * A link of words links each piece of the one to each piece of the other; a piece belongs to the
 * words that its span touches, one that touches none to the next word, or else the last.
 * BPE-dropout changes the pieces from epoch to epoch, so the two do not go together.
 *
 * Threads: links that nobody converts may be read by all. */
#ifndef HEED_TRAIN_LINKS_H
#define HEED_TRAIN_LINKS_H

#include <stdint.h>

#include "text/corpus.h"
#include "text/tokenizer.h"

typedef struct Links Links;

/* Reads the links of the pairs of a corpus, which still knows their lines. ERR_FORMAT with file and
 * line for what is no link or, of words, lies outside its sentence, and when the file has more or
 * fewer lines than the training files had. */
Status links_load(Links **out, const char *path, int are_pieces, const Corpus *corpus,
                  Error *err) MUST_USE;
void links_free(Links *links);

/* Links of pieces for n_pairs pairs, none at first. They are added pair by pair, in order of the
 * pairs; links_finish ends the last. Only then may they be read. */
Status links_create(Links **out, long n_pairs, Error *err) MUST_USE;
Status links_add(Links *links, long pair, int target, int source, Error *err) MUST_USE;
void links_finish(Links *links);

/* Makes them links of pieces; called once. Pairs of which a side has more than max_length pieces
 * lose theirs (0: no bound). ERR_FORMAT for a link of pieces outside its sentence. */
Status links_to_pieces(Links *links, const Corpus *corpus, const Tokenizer *source,
                       const Tokenizer *target, int max_length, Error *err) MUST_USE;

/* The links of a pair (its place in the corpus) as (target, source), sorted; returns how many. */
int links_of(const Links *links, long pair, const int (**out)[2]);

/* How many links all pairs have. */
long links_count(const Links *links);

/* Continues a CRC-32 over all links. */
uint32_t links_checksum(const Links *links, uint32_t crc);

#endif

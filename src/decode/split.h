/* Where to divide a long line: behind the end of a sentence, else behind punctuation, else between
 * words, else anywhere between pieces.
 *
 * Threads: the functions share nothing. */
#ifndef HEED_DECODE_SPLIT_H
#define HEED_DECODE_SPLIT_H

/* The number of pieces, 1 .. max, of the first part of what is left of a line: pieces `first` and
 * on, more than max of them. The last of the best places among the first max. spans are those of
 * all pieces in the line's bytes. */
int split_find(const char *line, const int (*spans)[2], int first, int max);

#endif

/* Small random networks for the tests of decoding. */
#ifndef HEED_TESTS_SHARP_H
#define HEED_TESTS_SHARP_H

#include "model/seq2seq.h"

/* A network with E = H = A = 8 whose output weights are multiplied by `sharpness`, so that its
 * distributions differ clearly from word to word; packed. Freed by seq2seq_free. */
Seq2Seq *sharp_model(int source_vocab, int target_vocab, uint64_t seed, double sharpness);

#endif

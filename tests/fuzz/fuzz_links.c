/* A table of counted links: two bytes give the vocabularies, four the pieces of a pair; the rest is
 * the table. */
#include <math.h>

#include "decode/link_table.h"
#include "fuzz/fuzz.h"

enum { N_WORDS = 2, HEAD = 2 + 2 * N_WORDS };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < HEAD) {
        return 0;
    }
    const int n_source = bytes[0] + 1, n_target = bytes[1] + 1;
    int source[N_WORDS], target[N_WORDS];
    for (int i = 0; i < N_WORDS; i++) {
        source[i] = bytes[2 + i] % n_source;
        target[i] = bytes[2 + N_WORDS + i] % n_target;
    }
    Error err;
    LinkTable *table;
    if (link_table_read(&table, bytes + HEAD, len - HEAD, n_source, n_target, &err) != OK) {
        return 0;
    }
    Arena *arena;
    float weights[N_WORDS][N_WORDS + 1] = {{0}};
    const IdPair pair = {source, target, N_WORDS, N_WORDS};
    if (arena_create(&arena, 0, &err) == OK) {
        if (link_table_weigh(table, &weights[0][0], &weights[0][0], ALIGN_BY_BOTH, &pair, arena,
                             &err) == OK) {
            for (int t = 0; t < N_WORDS; t++) {
                const float sum = weights[t][0] + weights[t][1] + weights[t][2];
                fuzz_expect(fabsf(sum - 1) < 1e-4F, "a row of weights sums to 1");
            }
        }
        arena_free(arena);
    }
    link_table_free(table);
    return 0;
}

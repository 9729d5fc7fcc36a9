/* Tables of counted links: written and read again, damaged in every way, and weighed beside a hand's
 * calculation. */
#include "decode/link_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check_main.h"

enum { N_SOURCE = 2, N_TARGET = 300 };

static const LinkEntry ROWS[N_SOURCE + 1][3] = {
    {{0, 0.25}, {5, 0.75}, {299, 0.005}}, {{200, 1}, {201, 0.001}, {299, 0.5}}, {{1, 0.0005}}};
static const int N_ENTRIES[N_SOURCE + 1] = {3, 3, 1};

static HmmJumps some_jumps(void)
{
    HmmJumps jumps;
    for (int k = 0; k < HMM_JUMPS; k++) {
        jumps.v[k] = 1.0 / (1 + abs(k - HMM_JUMP_MAX - 1));
    }
    return jumps;
}

static Buffer write_table(void)
{
    Buffer out = {0};
    const HmmJumps jumps = some_jumps();
    ck_assert_int_eq(link_table_put_jumps(&out, &jumps, NULL), OK);
    for (int row = 0; row <= N_SOURCE; row++) {
        ck_assert_int_eq(
            link_table_put_row(&out, ROWS[row], N_ENTRIES[row],
                               row < N_SOURCE ? LINK_TABLE_LEAST : LINK_TABLE_LEAST_NULL, NULL),
            OK);
    }
    return out;
}

/* What the table above keeps. */
static double kept(int source, int target)
{
    for (int i = 0; i < N_ENTRIES[source]; i++) {
        const LinkEntry *e = &ROWS[source][i];
        if (e->target == target) {
            const int is_kept =
                e->probability >= (source < N_SOURCE ? LINK_TABLE_LEAST : LINK_TABLE_LEAST_NULL);
            return is_kept ? e->probability : 0;
        }
    }
    return 0;
}

static void weigh_by_hand(double out[2][3], const IdPair *pair, const float attention[2][3],
                          int is_both)
{
    double emission[2][3], posterior[2][3];
    HmmJumps counts = {{0}};
    const HmmJumps jumps = some_jumps();
    Arena *arena;
    for (int t = 0; t < 2; t++) {
        for (int s = 0; s < 3; s++) {
            emission[t][s] = kept(s < 2 ? pair->source[s] : N_SOURCE, pair->target[t]) + 1e-4;
        }
    }
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(
        hmm_posteriors(&posterior[0][0], &counts, &emission[0][0], 2, 2, &jumps, arena, NULL), OK);
    arena_free(arena);
    for (int t = 0; t < 2; t++) {
        double sum = 0;
        for (int s = 0; s < 3; s++) {
            out[t][s] = is_both ? sqrt(((double)attention[t][s] + 1e-4) * (posterior[t][s] + 1e-4))
                                : posterior[t][s];
            sum += out[t][s];
        }
        for (int s = 0; s < 3; s++) {
            out[t][s] /= sum;
        }
    }
}

START_TEST(weights_are_the_mean_of_attention_and_counts)
{
    const float attention[2][3] = {{0.5F, 0.3F, 0.2F}, {0.9F, 0.1F, 0}};
    const int source[] = {1, 0}, targets[3][2] = {{200, 5}, {0, 299}, {7, 201}};
    Buffer bytes = write_table();
    LinkTable *table;
    Arena *arena;
    ck_assert_int_eq(link_table_read(&table, bytes.bytes, bytes.len, N_SOURCE, N_TARGET, NULL), OK);
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    for (int i = 0; i < 6; i++) {
        const IdPair pair = {source, targets[i / 2], 2, 2};
        float found[2][3];
        double wanted[2][3];
        weigh_by_hand(wanted, &pair, attention, i % 2);
        ck_assert_int_eq(link_table_weigh(table, &found[0][0], &attention[0][0],
                                          i % 2 ? ALIGN_BY_BOTH : ALIGN_BY_COUNTS, &pair, arena,
                                          NULL),
                         OK);
        for (int k = 0; k < 6; k++) {
            ck_assert_double_eq_tol((double)found[k / 3][k % 3], wanted[k / 3][k % 3], 2e-4);
        }
    }
    arena_free(arena);
    link_table_free(table);
    buffer_free(&bytes);
}
END_TEST

START_TEST(pairs_without_words_keep_the_attention)
{
    const float attention[2] = {1, 1};
    const int words[] = {5, 200};
    float found[2] = {0, 0};
    Buffer bytes = write_table();
    LinkTable *table;
    Arena *arena;
    const IdPair no_source = {words, words, 0, 2}, no_target = {words, words, 2, 0};
    ck_assert_int_eq(link_table_read(&table, bytes.bytes, bytes.len, N_SOURCE, N_TARGET, NULL), OK);
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(
        link_table_weigh(table, found, attention, ALIGN_BY_BOTH, &no_source, arena, NULL), OK);
    ck_assert(found[0] == 1 && found[1] == 1);
    ck_assert_int_eq(
        link_table_weigh(table, found, attention, ALIGN_BY_BOTH, &no_target, arena, NULL), OK);
    arena_free(arena);
    link_table_free(table);
    buffer_free(&bytes);
}
END_TEST

START_TEST(damaged_tables_are_refused)
{
    Buffer bytes = write_table();
    LinkTable *table;
    Error err;
    const size_t jumps = 4 * HMM_JUMPS;
    for (size_t len = 0; len < bytes.len; len++) {
        ck_assert_int_eq(link_table_read(&table, bytes.bytes, len, N_SOURCE, N_TARGET, &err),
                         ERR_FORMAT);
        ck_assert(strncmp(err.message, "text.links: ", 12) == 0);
    }
    ck_assert_int_eq(link_table_read(&table, bytes.bytes, bytes.len, N_SOURCE, 299, &err),
                     ERR_FORMAT); /* a piece beyond the vocabulary */
    ck_assert_int_eq(link_table_read(&table, bytes.bytes, bytes.len, N_SOURCE - 1, N_TARGET, &err),
                     ERR_FORMAT); /* rows left over */
    bytes.bytes[jumps + 4] = 0;   /* the second entry of the first row: its piece again */
    ck_assert_int_eq(link_table_read(&table, bytes.bytes, bytes.len, N_SOURCE, N_TARGET, &err),
                     ERR_FORMAT);
    ck_assert_msg(strstr(err.message, "row 0 has the piece 0") != NULL, "%s", err.message);
    memset(bytes.bytes + jumps, 0xff, 5); /* a count that no file can hold */
    ck_assert_int_eq(link_table_read(&table, bytes.bytes, bytes.len, N_SOURCE, N_TARGET, &err),
                     ERR_FORMAT);
    memset(bytes.bytes, 0xff, 4); /* a jump that is not a number */
    ck_assert_int_eq(link_table_read(&table, bytes.bytes, bytes.len, N_SOURCE, N_TARGET, &err),
                     ERR_FORMAT);
    ck_assert_msg(strstr(err.message, "the jump by -8 is") != NULL, "%s", err.message);
    buffer_free(&bytes);
}
END_TEST

TEST_MAIN("link table", tcase_add_test(c, weights_are_the_mean_of_attention_and_counts);
          tcase_add_test(c, pairs_without_words_keep_the_attention);
          tcase_add_test(c, damaged_tables_are_refused);)

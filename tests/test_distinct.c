/* The different words of a batch. */
#include "model/distinct.h"

#include "base/rng.h"
#include "support/check_main.h"

START_TEST(places_name_their_words)
{
    const int ids[] = {7, 4, 7, 9, 4};
    Arena *arena;
    Distinct d;
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(distinct_create(&d, ids, 5, arena, NULL), OK);
    ck_assert_int_eq(d.n, 3);
    const int words[] = {7, 4, 9}, rows[] = {0, 1, 0, 2, 1};
    ck_assert_mem_eq(d.ids, words, sizeof words);
    ck_assert_mem_eq(d.row, rows, sizeof rows);
    arena_free(arena);
}
END_TEST

/* Few and many words, near each other and far apart. */
START_TEST(every_place_finds_its_own_id_and_no_word_comes_twice)
{
    enum { N = 3000 };
    static int ids[N], seen[1 << 20];
    Arena *arena;
    Rng rng = rng_stream(3, 1, (uint64_t)_i);
    const unsigned range[] = {1, 2, 500, 1 << 20};
    Distinct d;
    for (int i = 0; i < N; i++) {
        ids[i] = (int)rng_below(&rng, range[_i]);
    }
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(distinct_create(&d, ids, N, arena, NULL), OK);
    for (int i = 0; i < N; i++) {
        ck_assert_int_lt(d.row[i], d.n);
        ck_assert_int_eq(d.ids[d.row[i]], ids[i]);
    }
    for (int i = 0; i < d.n; i++) {
        ck_assert_int_eq(seen[d.ids[i]]++, 0);
    }
    arena_free(arena);
}
END_TEST

TEST_MAIN("distinct", tcase_add_test(c, places_name_their_words);
          tcase_add_loop_test(c, every_place_finds_its_own_id_and_no_word_comes_twice, 0, 4);)

/* text/counter and text/piece_table. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"
#include "text/counter.h"

START_TEST(pieces_are_numbered_in_order_and_found)
{
    PieceTable table = {0};
    Error err;
    int number;
    size_t len;
    ck_assert_int_eq(piece_find(&table, "x", 1), -1);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            char text[16];
            const int n = snprintf(text, sizeof text, "%d", i);
            ck_assert_int_eq(piece_add(&table, &number, text, (size_t)n, &err), OK);
            ck_assert_int_eq(number, i);
        }
    }
    ck_assert_int_eq(table.n, 5000);
    ck_assert_int_eq(piece_find(&table, "4999", 4), 4999);
    ck_assert_int_eq(piece_find(&table, "5000", 4), -1);
    ck_assert_int_eq(piece_find(&table, "499", 3), 499);
    ck_assert_int_eq(memcmp(piece_text(&table, 1234, &len), "1234", 4), 0);
    ck_assert_uint_eq(len, 4);
    piece_clear(&table);
    ck_assert_int_eq(piece_find(&table, "1", 1), -1);
    piece_table_free(&table);
}
END_TEST

static void add(Counter *counter, const char *text, long n)
{
    Error err;
    ck_assert_int_eq(counter_add(counter, text, strlen(text), n, &err), OK);
}

START_TEST(texts_are_ordered_by_count_then_bytes)
{
    Counter counter = {0};
    Error err;
    int *order, n;
    add(&counter, "b", 2);
    add(&counter, "rare", 1);
    add(&counter, "a", 2);
    add(&counter, "many", 5);
    add(&counter, "ab", 1);
    add(&counter, "ab", 1);
    ck_assert_int_eq(counter_order(&counter, &order, &n, 2, &err), OK);
    ck_assert_int_eq(n, 4);
    static const char *const wanted[] = {"many", "a", "ab", "b"};
    for (int i = 0; i < n; i++) {
        size_t len;
        const char *text = piece_text(&counter.texts, order[i], &len);
        ck_assert_uint_eq(len, strlen(wanted[i]));
        ck_assert_mem_eq(text, wanted[i], len);
    }
    mem_free(order);
    counter_free(&counter);
}
END_TEST

START_TEST(a_full_counter_forgets_the_rare_and_keeps_the_frequent)
{
    Counter counter = {.max_types = 1000};
    char text[16];
    for (int i = 0; i < 100000; i++) {
        (void)snprintf(text, sizeof text, "rare%d", i);
        add(&counter, text, 1);
        (void)snprintf(text, sizeof text, "common%d", i % 100);
        add(&counter, text, 1);
        ck_assert_int_le(counter.texts.n, 1000);
    }
    ck_assert_int_gt(counter.n_lost, 0);
    for (int i = 0; i < 100; i++) {
        const int n = snprintf(text, sizeof text, "common%d", i);
        const int number = piece_find(&counter.texts, text, (size_t)n);
        ck_assert_int_ge(number, 0);
        ck_assert_int_ge(counter.counts[number] + counter.n_lost, 1000);
    }
    counter_free(&counter);
}
END_TEST

START_TEST(a_counter_keeps_its_bound_of_bytes)
{
    Counter counter = {.max_bytes = 10000};
    char text[16];
    for (int i = 0; i < 20000; i++) {
        (void)snprintf(text, sizeof text, "word%d", i);
        add(&counter, text, 1 + i % 3);
        ck_assert_uint_le(counter.texts.len_text, 10000 + sizeof text);
    }
    counter_free(&counter);
}
END_TEST

TEST_MAIN("counter", tcase_add_test(c, pieces_are_numbered_in_order_and_found);
          tcase_add_test(c, texts_are_ordered_by_count_then_bytes);
          tcase_add_test(c, a_full_counter_forgets_the_rare_and_keeps_the_frequent);
          tcase_add_test(c, a_counter_keeps_its_bound_of_bytes);)

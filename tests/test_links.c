/* decode/symmetry and decode/lexicon, by hand. */
#include <stdio.h>
#include <string.h>

#include "decode/lexicon.h"
#include "decode/symmetry.h"
#include "support/check_main.h"

/* Links from text: "0-0 1-2". */
static Links parse(const char *text, DumpLink *room)
{
    Links links = {.v = room};
    int source, target, width;
    while (sscanf(text, " %d-%d%n", &source, &target, &width) == 2) {
        room[links.n++] = (DumpLink){source, target};
        text += width;
    }
    return links;
}

static void expect_joined(const char *forward, const char *backward, Symmetry symmetry,
                          const char *expected)
{
    DumpLink a[32], b[32];
    const Links f = parse(forward, a), g = parse(backward, b);
    Links joined;
    Arena *arena;
    char text[256] = "";
    ck_assert_int_eq(arena_create(&arena, 0, NULL), OK);
    ck_assert_int_eq(symmetry_join(&joined, &f, &g, 5, 5, symmetry, arena, NULL), OK);
    for (int i = 0; i < joined.n; i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d-%d", i > 0 ? " " : "",
                       joined.v[i].source, joined.v[i].target);
    }
    ck_assert_str_eq(text, expected);
    arena_free(arena);
}

START_TEST(union_and_intersection)
{
    expect_joined("0-0 1-1 2-1", "0-0 1-1 1-2", SYMMETRY_UNION, "0-0 1-1 1-2 2-1");
    expect_joined("0-0 1-1 2-1", "0-0 1-1 1-2", SYMMETRY_INTERSECTION, "0-0 1-1");
    expect_joined("", "", SYMMETRY_UNION, "");
    expect_joined("", "0-0", SYMMETRY_INTERSECTION, "");
}
END_TEST

START_TEST(growing_takes_neighbours_of_words_without_a_link)
{
    /* 1-1 is in; 2-2 (diagonal) and 1-2 are beside it; 4-4 is beside nothing */
    expect_joined("1-1 2-2 4-4", "1-1", SYMMETRY_GROW_DIAG, "1-1 2-2");
    expect_joined("1-1", "1-1 1-2 4-3", SYMMETRY_GROW_DIAG, "1-1 1-2");
    /* 2-2 comes through 1-1, then 3-3 through 2-2 */
    expect_joined("1-1 2-2", "1-1 3-3", SYMMETRY_GROW_DIAG, "1-1 2-2 3-3");
    /* 1-0 and 0-1 have both words linked already */
    expect_joined("0-0 1-1 1-0", "0-0 1-1 0-1", SYMMETRY_GROW_DIAG, "0-0 1-1");
    expect_joined("0-0", "1-1", SYMMETRY_GROW_DIAG, "");
}
END_TEST

START_TEST(the_final_step_links_words_that_have_none)
{
    expect_joined("1-1 4-4", "1-1 4-3", SYMMETRY_GROW_DIAG_FINAL_AND, "1-1 4-4");
    expect_joined("1-1 3-1", "1-1 4-4", SYMMETRY_GROW_DIAG_FINAL_AND, "1-1 4-4");
    expect_joined("0-3", "3-0", SYMMETRY_GROW_DIAG_FINAL_AND, "0-3 3-0");
}
END_TEST

/* ---- The lexicon ---- */

static Status append(void *context, Buffer *line, Error *err)
{
    return buffer_add(context, line->bytes, line->len, err);
}

START_TEST(lexicon_counts_links_of_words_without_their_punctuation)
{
    const DumpText source[] = {{"cats,", 5}, {"dogs", 4}, {"...", 3}, {"</s>", 4}};
    const DumpText target[] = {{"chats", 5},
                               {"\xC2\xAB"
                                "chiens",
                                8},
                               {"</s>", 4}};
    const Dump dump = {.n_source = 4,
                       .n_target = 3,
                       .has_source_end = 1,
                       .has_target_end = 1,
                       .source_tokens = source,
                       .target_tokens = target};
    DumpLink room[8];
    const Links links = parse("0-0 1-1 2-1", room);
    const Links again = parse("0-0", room + 4), other = parse("0-1", room + 5);
    Lexicon *lexicon;
    Buffer out = {0};
    ck_assert_int_eq(lexicon_create(&lexicon, 0, NULL), OK);
    ck_assert_int_eq(lexicon_add(lexicon, &dump, &links, NULL), OK);
    ck_assert_int_eq(lexicon_add(lexicon, &dump, &again, NULL), OK);
    ck_assert_int_eq(lexicon_add(lexicon, &dump, &other, NULL), OK);
    ck_assert_int_eq(lexicon_write(lexicon, 1, append, &out, NULL), OK);
    ck_assert_str_eq(out.bytes, "cats\tchats\t0.666667\t1.000000\t2\n"
                                "...\tchiens\t1.000000\t0.333333\t1\n"
                                "cats\tchiens\t0.333333\t0.333333\t1\n"
                                "dogs\tchiens\t1.000000\t0.333333\t1\n");
    buffer_clear(&out);
    ck_assert_int_eq(lexicon_write(lexicon, 2, append, &out, NULL), OK);
    ck_assert_str_eq(out.bytes, "cats\tchats\t0.666667\t1.000000\t2\n");
    ck_assert(!lexicon_has_forgotten(lexicon));
    buffer_free(&out);
    lexicon_free(lexicon);
}
END_TEST

TEST_MAIN("links", tcase_add_test(c, union_and_intersection);
          tcase_add_test(c, growing_takes_neighbours_of_words_without_a_link);
          tcase_add_test(c, the_final_step_links_words_that_have_none);
          tcase_add_test(c, lexicon_counts_links_of_words_without_their_punctuation);)

/* text/corpus and text/pairs: loading, filters, reports, holding out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "support/check_main.h"
#include "text/corpus.h"

static char folder[] = "/tmp/heed-corpus-XXXXXX";

/* A path inside a folder of this program, removed at the end of each test. */
static const char *path_of(const char *name)
{
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    if (strstr(folder, "XXXXXX") != NULL) {
        ck_assert_ptr_nonnull(mkdtemp(folder));
    }
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *bytes, size_t len)
{
    FILE *file = fopen(path_of(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

static void remove_files(void)
{
    static const char *const names[] = {"t.tsv", "s", "t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)unlink(path_of(names[i]));
    }
    (void)rmdir(folder);
    memcpy(strrchr(folder, '-') + 1, "XXXXXX", 6);
}

static Corpus *load(const char *tsv, size_t len, const CorpusFilter *filter)
{
    Corpus *corpus;
    Error err = {0};
    write_file("t.tsv", tsv, len);
    ck_assert_int_eq(corpus_load_tsv(&corpus, path_of("t.tsv"), filter, &err), OK);
    remove_files();
    return corpus;
}
#define LOAD(text, filter) load(text, sizeof(text) - 1, filter)

static void expect_pair(const Corpus *c, long i, const char *source, const char *target)
{
    const char *const wanted[N_SIDES] = {source, target};
    for (int side = 0; side < N_SIDES; side++) {
        size_t len;
        const char *line = corpus_line(c, side, i, &len);
        ck_assert_uint_eq(len, strlen(wanted[side]));
        ck_assert_mem_eq(line, wanted[side], len);
    }
}

START_TEST(a_tsv_gives_its_first_two_columns)
{
    Corpus *c = LOAD("\xEF\xBB\xBFone\teins\r\ntwo\tzwei\tignored\tmore\n\xFF x\t y", NULL);
    ck_assert_int_eq(corpus_size(c), 3);
    expect_pair(c, 0, "one", "eins");
    expect_pair(c, 1, "two", "zwei");
    expect_pair(c, 2, "\xFF x", " y");
    ck_assert_int_eq(corpus_count(c, CORPUS_MALFORMED)->n, 1);
    ck_assert_int_eq(corpus_count(c, CORPUS_MALFORMED)->examples[0], 3);
    corpus_free(c);
}
END_TEST

START_TEST(a_line_without_a_tab_is_refused_with_its_number)
{
    Corpus *c;
    Error err;
    write_file("t.tsv", "a\tb\nno tab here\n", 16);
    ck_assert_int_eq(corpus_load_tsv(&c, path_of("t.tsv"), NULL, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "t.tsv:2: no tab"));
    remove_files();
}
END_TEST

START_TEST(without_a_filter_all_pairs_stay)
{
    Corpus *c = LOAD("a\tb\n\n \t\na\tb\nx\tx\n\tz\n", NULL);
    ck_assert_int_eq(corpus_size(c), 6);
    expect_pair(c, 1, "", "");
    expect_pair(c, 5, "", "z");
    ck_assert_int_eq(corpus_count(c, CORPUS_BLANK)->n, 3);
    corpus_free(c);
    c = LOAD("", NULL);
    ck_assert_int_eq(corpus_size(c), 0);
    corpus_free(c);
}
END_TEST

static const char DIRTY[] = "a b\tc d\n"                        /* 1 */
                            "\tblank\n"                         /* 2 */
                            "blank\t\xC2\xA0 \n"                /* 3 */
                            "\n"                                /* 4 */
                            "bad \xFF\tgut\n"                   /* 5 */
                            "a b\tc d\n"                        /* 6: duplicate */
                            "same\tsame\n"                      /* 7 */
                            "w\t1 2 3 4 5 6 7 8 9 10\n"         /* 8: ratio */
                            "1 2 3 4 5 6 7 8 9 10 11 12\tw w\n" /* 9: too long */
                            "a b\tc  d\n"                       /* 10: not the same */
                            "a\tb c d\n";                       /* 11 */

START_TEST(a_filter_drops_and_counts)
{
    CorpusFilter filter = corpus_filter_default();
    filter.max_words = 11;
    Corpus *c = load(DIRTY, sizeof DIRTY - 1, &filter);
    static const long wanted[N_CORPUS_REASONS] = {
        [CORPUS_BLANK] = 3, [CORPUS_MALFORMED] = 1, [CORPUS_LONG] = 1,
        [CORPUS_RATIO] = 1, [CORPUS_IDENTICAL] = 1, [CORPUS_DUPLICATE] = 1};
    for (int i = 0; i < N_CORPUS_REASONS; i++) {
        ck_assert_int_eq(corpus_count(c, (CorpusReason)i)->n, wanted[i]);
    }
    ck_assert_int_eq(corpus_n_read(c), 11);
    ck_assert_int_eq(corpus_size(c), 5);
    expect_pair(c, 0, "a b", "c d");
    expect_pair(c, 1, "bad \xFF", "gut");
    expect_pair(c, 2, "same", "same");
    expect_pair(c, 3, "a b", "c  d");
    expect_pair(c, 4, "a", "b c d");
    corpus_free(c);
}
END_TEST

START_TEST(pairs_that_differ_a_little_are_no_duplicates)
{
    /* Many share a slot of the table that finds duplicates. */
    const CorpusFilter filter = corpus_filter_default();
    Buffer text = {0};
    Error err;
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(buffer_printf(&text, &err, "same\t%03d\n%03d\tsame\n", i, i), OK);
    }
    Corpus *c = load(text.bytes, text.len, &filter);
    ck_assert_int_eq(corpus_size(c), 2000);
    corpus_free(c);
    buffer_free(&text);
}
END_TEST

START_TEST(each_filter_can_be_switched)
{
    CorpusFilter filter = {.drop_identical = 1, .drop_malformed = 1};
    Corpus *c = load(DIRTY, sizeof DIRTY - 1, &filter);
    ck_assert_int_eq(corpus_size(c), 6); /* without blanks, malformed and identical */
    ck_assert_int_eq(corpus_count(c, CORPUS_DUPLICATE)->n, 1);
    ck_assert_int_eq(corpus_count(c, CORPUS_DUPLICATE)->is_dropped, 0);
    ck_assert_int_eq(corpus_count(c, CORPUS_RATIO)->n, 0);
    corpus_free(c);
}
END_TEST

START_TEST(the_report_names_counts_and_lines)
{
    const CorpusFilter filter = corpus_filter_default();
    Corpus *c = load(DIRTY, sizeof DIRTY - 1, &filter);
    Buffer report = {0};
    Error err;
    ck_assert_int_eq(corpus_report(c, &report, &err), OK);
    ck_assert_ptr_nonnull(strstr(report.bytes, "t.tsv: 11 pairs read, 6 kept\n"));
    ck_assert_ptr_nonnull(
        strstr(report.bytes, "  blank side                    3  dropped  lines 2, 3, ...\n"));
    ck_assert_ptr_nonnull(
        strstr(report.bytes, "  malformed UTF-8               1  kept     line 5\n"));
    ck_assert_ptr_nonnull(
        strstr(report.bytes, "  identical sides               1  kept     line 7\n"));
    ck_assert_ptr_nonnull(
        strstr(report.bytes, "  exact duplicate               1  dropped  line 6\n"));
    buffer_free(&report);
    corpus_free(c);
}
END_TEST

START_TEST(two_files_must_have_as_many_lines)
{
    Corpus *c;
    Error err;
    write_file("s", "1\n2\n3\n4", 7);
    write_file("t", "one\ntwo\n", 8);
    ck_assert_int_eq(corpus_load_files(&c, path_of("s"), path_of("t"), NULL, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "/s has 4 lines"));
    ck_assert_ptr_nonnull(strstr(err.message, "/t has 2:"));
    write_file("s", "", 0);
    ck_assert_int_eq(corpus_load_files(&c, path_of("s"), path_of("t"), NULL, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "/s has 0 lines"));
    write_file("s", "a\tb\n2", 5); /* a tab is text here */
    ck_assert_int_eq(corpus_load_files(&c, path_of("s"), path_of("t"), NULL, &err), OK);
    expect_pair(c, 0, "a\tb", "one");
    expect_pair(c, 1, "2", "two");
    corpus_free(c);
    ck_assert_int_eq(corpus_load_files(&c, "-", "-", NULL, &err), ERR_ARG);
    ck_assert_int_eq(corpus_load_files(&c, path_of("s"), path_of("none"), NULL, &err), ERR_IO);
    remove_files();
}
END_TEST

START_TEST(nothing_left_for_training_is_refused)
{
    const CorpusFilter filter = corpus_filter_default();
    Corpus *c;
    Error err;
    write_file("t.tsv", "\n\ta\n", 4);
    ck_assert_int_eq(corpus_load_tsv(&c, path_of("t.tsv"), &filter, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "2 read, 2 with a blank side"));
    write_file("t.tsv",
               "\xFF\xFE"
               "a\0\t\0b\0\n\0",
               10);
    ck_assert_int_eq(corpus_load_tsv(&c, path_of("t.tsv"), &filter, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "UTF-16"));
    remove_files();
}
END_TEST

/* A corpus of n different pairs. */
static Corpus *numbered(int n)
{
    Buffer text = {0};
    Error err;
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(buffer_printf(&text, &err, "source %d\ttarget %d\n", i, i), OK);
    }
    const CorpusFilter filter = corpus_filter_default();
    Corpus *c = load(text.bytes, text.len, &filter);
    buffer_free(&text);
    ck_assert_int_eq(corpus_size(c), n);
    return c;
}

static void expect_held_out(int n, long n_wanted)
{
    Corpus *c = numbered(n), *held;
    Error err;
    unsigned char *seen = mem_zero_alloc((size_t)n, 1);
    ck_assert_int_eq(corpus_hold_out(&held, c, 7, &err), OK);
    ck_assert_int_eq(corpus_size(held), n_wanted);
    ck_assert_int_eq(corpus_size(c), n - n_wanted);
    for (int k = 0; k < 2; k++) {
        const Corpus *part = k == 0 ? c : held;
        int last = -1;
        for (long i = 0; i < corpus_size(part); i++) {
            size_t len;
            const int number = (int)strtol(corpus_line(part, 0, i, &len) + 7, NULL, 10);
            ck_assert_int_gt(number, last); /* in order */
            ck_assert_int_eq(seen[number]++, 0);
            last = number;
        }
    }
    mem_free(seen);
    corpus_free(held);
    corpus_free(c);
}

START_TEST(held_out_pairs_are_no_longer_in_training)
{
    expect_held_out(2, 1);
    expect_held_out(200, 20);
    expect_held_out(1000, 100);
    expect_held_out(20000, 200);
    expect_held_out(150000, 1000);
}
END_TEST

START_TEST(the_seed_decides_what_is_held_out)
{
    Corpus *held[3];
    Error err;
    size_t len;
    for (int i = 0; i < 3; i++) {
        Corpus *c = numbered(3000);
        ck_assert_int_eq(corpus_hold_out(&held[i], c, i == 2 ? 8 : 7, &err), OK);
        corpus_free(c);
    }
    int n_same[2] = {0, 0};
    for (long i = 0; i < 100; i++) {
        const char *line = corpus_line(held[0], 0, i, &len);
        for (int k = 0; k < 2; k++) {
            size_t n;
            const char *other = corpus_line(held[1 + k], 0, i, &n);
            n_same[k] += n == len && memcmp(line, other, n) == 0;
        }
    }
    ck_assert_int_eq(n_same[0], 100);
    ck_assert_int_lt(n_same[1], 50);
    for (int i = 0; i < 3; i++) {
        corpus_free(held[i]);
    }
    Corpus *single = numbered(1);
    ck_assert_int_eq(corpus_hold_out(&held[0], single, 7, &err), ERR_FORMAT);
    corpus_free(single);
}
END_TEST

START_TEST(the_lines_of_both_sides_come_one_after_the_other)
{
    Corpus *c = numbered(2);
    static const char *const wanted[] = {"source 0", "source 1", "target 0", "target 1"};
    CorpusLines state = {c, N_SIDES, 0, NULL};
    const Lines lines = corpus_lines(&state);
    const char *line;
    size_t len;
    Error err;
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(lines.next(lines.context, &line, &len, &err), OK);
        ck_assert_uint_eq(len, strlen(wanted[i]));
        ck_assert_mem_eq(line, wanted[i], len);
    }
    ck_assert_int_eq(lines.next(lines.context, &line, &len, &err), OK);
    ck_assert_ptr_null(line);
    corpus_free(c);
}
END_TEST

START_TEST(lines_in_memory_make_a_corpus_as_long_as_the_shorter_side)
{
    const char *const source[] = {"a b", "c"}, *const target[] = {"x", "y z", "w"};
    const size_t len_source[] = {3, 1}, len_target[] = {1, 3, 1};
    LineArray arrays[2] = {{source, len_source, 2, 0}, {target, len_target, 3, 0}};
    Corpus *c;
    size_t len;
    ck_assert_int_eq(corpus_of_lines(&c, "made up", lines_of_array(&arrays[0]),
                                     lines_of_array(&arrays[1]), NULL),
                     OK);
    ck_assert_int_eq((int)corpus_size(c), 2);
    ck_assert_int_eq((int)corpus_n_read(c), 2);
    ck_assert_mem_eq(corpus_line(c, SIDE_TARGET, 1, &len), "y z", 3);
    ck_assert_uint_eq(len, 3);
    ck_assert_int_eq((int)corpus_line_number(c, 1), 2);
    corpus_free(c);
}
END_TEST

START_TEST(a_line_beyond_the_limit_is_too_long)
{
    const CorpusFilter filter = {0};
    Buffer text = {0};
    Error err;
    ck_assert_int_eq(buffer_add_text(&text, "a\tb\nx\t", &err), OK);
    for (int i = 0; i <= LINE_MAX_BYTES / 8; i++) {
        ck_assert_int_eq(buffer_add_text(&text, "longline", &err), OK);
    }
    ck_assert_int_eq(buffer_add_text(&text, "\nc\td\n", &err), OK);
    Corpus *c = load(text.bytes, text.len, &filter);
    ck_assert_int_eq(corpus_size(c), 2);
    ck_assert_int_eq(corpus_count(c, CORPUS_LONG)->examples[0], 2);
    expect_pair(c, 1, "c", "d");
    corpus_free(c);
    c = load(text.bytes, text.len, NULL); /* never dropped */
    ck_assert_int_eq(corpus_size(c), 3);
    corpus_free(c);
    buffer_free(&text);
}
END_TEST

START_TEST(every_refused_call_is_reported)
{
    const CorpusFilter filter = corpus_filter_default();
    write_file("s", "1\n2\n3\n4", 7);
    write_file("t", "one\ntwo\nthree\nfour", 18);
    for (int what = 0; what < 2; what++) {
        for (long n = 1;; n++) {
            Corpus *c = NULL, *held = NULL;
            Error err = {0};
            if (what == 0) {
                mem_fail_at(n, 0);
            } else {
                io_fail_at(n, 0);
            }
            Status status = corpus_load_files(&c, path_of("s"), path_of("t"), &filter, &err);
            if (status == OK) {
                status = corpus_hold_out(&held, c, 1, &err);
            }
            const int has_failed = what == 0 ? mem_failed() : io_failed();
            mem_fail_at(0, 0);
            io_fail_at(0, 0);
            corpus_free(held);
            corpus_free(c);
            if (!has_failed) {
                ck_assert_int_eq(status, OK);
                ck_assert_int_gt(n, what == 0 ? 10 : 4);
                break;
            }
            ck_assert_int_eq(status, what == 0 ? ERR_NOMEM : ERR_IO);
        }
    }
    remove_files();
}
END_TEST

/* Line numbers survive filters and holding out; the checksum tells any change of the text. */
START_TEST(pairs_know_their_lines_and_the_corpus_its_checksum)
{
    const CorpusFilter filter = {0};
    Corpus *c = LOAD("a\tb\n\tx\nc\td\ne\tf\n", &filter), *held;
    Error err;
    ck_assert_int_eq(corpus_line_number(c, 0), 1);
    ck_assert_int_eq(corpus_line_number(c, 1), 3);
    ck_assert_int_eq(corpus_line_number(c, 2), 4);
    Corpus *moved = LOAD("a\tb\nc\td\ne\tf\n", &filter);
    Corpus *other = LOAD("a\tb\nc\tde\n\tf\n", NULL);
    ck_assert_uint_eq(corpus_checksum(c), corpus_checksum(moved));
    ck_assert_uint_ne(corpus_checksum(c), corpus_checksum(other));
    corpus_free(moved);
    corpus_free(other);
    ck_assert_int_eq(corpus_hold_out(&held, c, 7, &err), OK);
    ck_assert_int_eq(
        corpus_line_number(held, 0) + corpus_line_number(c, 0) + corpus_line_number(c, 1), 8);
    corpus_free(held);
    corpus_free(c);
}
END_TEST

TEST_MAIN("corpus", tcase_add_test(c, a_tsv_gives_its_first_two_columns);
          tcase_add_test(c, a_line_without_a_tab_is_refused_with_its_number);
          tcase_add_test(c, without_a_filter_all_pairs_stay);
          tcase_add_test(c, a_filter_drops_and_counts);
          tcase_add_test(c, pairs_that_differ_a_little_are_no_duplicates);
          tcase_add_test(c, each_filter_can_be_switched);
          tcase_add_test(c, the_report_names_counts_and_lines);
          tcase_add_test(c, two_files_must_have_as_many_lines);
          tcase_add_test(c, nothing_left_for_training_is_refused);
          tcase_add_test(c, held_out_pairs_are_no_longer_in_training);
          tcase_add_test(c, the_seed_decides_what_is_held_out);
          tcase_add_test(c, the_lines_of_both_sides_come_one_after_the_other);
          tcase_add_test(c, lines_in_memory_make_a_corpus_as_long_as_the_shorter_side);
          tcase_add_test(c, a_line_beyond_the_limit_is_too_long);
          tcase_add_test(c, pairs_know_their_lines_and_the_corpus_its_checksum);
          tcase_add_test(c, every_refused_call_is_reported);)

/* decode/translator and what it is made of: any division into batches gives the same bytes, long
 * lines, records, pieces to text. */
#include "decode/translator.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "decode/detokenize.h"
#include "decode/rescore.h"
#include "decode/split.h"
#include "model/model_file.h"
#include "support/check_main.h"
#include "support/scratch.h"
#include "support/sharp.h"
#include "text/dump_write.h"

static const char *const TEXT[] = {
    "I love deep learning.",        "the cat sat on the mat, and the dog lay on the rug",
    "我喜欢深度学习。我也喜欢猫！", "Où est-il allé ? Il n'est pas là.",
    "one two three four five six",  "learning to translate is to learn to read"};
enum { N_TEXT = sizeof TEXT / sizeof *TEXT, VOCAB = 330 };

typedef struct Fixture {
    Tokenizer *tokenizer;
    Seq2Seq *model;
    Ensemble ensemble;
    Threads *threads;
    Translator *translator;
} Fixture;

static Tokenizer *learn(TokenizerKind kind, int vocab_size)
{
    size_t lens[N_TEXT];
    for (int i = 0; i < N_TEXT; i++) {
        lens[i] = strlen(TEXT[i]);
    }
    LineArray array = {TEXT, lens, N_TEXT, 0};
    const Lines lines = lines_of_array(&array);
    const TokenizerOptions options = {kind, vocab_size, 1, NORMALIZE_NFC, 0};
    Tokenizer *t;
    Error err = {0};
    ck_assert_msg(tokenizer_learn(&t, &options, &lines, &err) == OK, "%s", err.message);
    return t;
}

static Fixture fixture_of(TokenizerKind kind, int n_threads)
{
    Fixture f = {.tokenizer = learn(kind, VOCAB)};
    const int V = tokenizer_size(f.tokenizer);
    f.model = sharp_model(V, V, 5, 3);
    f.ensemble = (Ensemble){{f.model}, 1};
    ck_assert_int_eq(threads_create(&f.threads, n_threads, NULL), OK);
    Error err = {0};
    ck_assert_msg(translator_create(&f.translator, &f.ensemble, f.tokenizer, f.tokenizer, f.threads,
                                    &err) == OK,
                  "%s", err.message);
    return f;
}

static void fixture_free(Fixture *f)
{
    translator_free(f->translator);
    threads_free(f->threads);
    seq2seq_free(f->model);
    tokenizer_free(f->tokenizer);
}

/* Appends all records as JSON, a text a line as the program would write it, and checks the order.
 */
typedef struct Sink {
    Buffer json, text;
    long n_lines, n_calls, last_id;
} Sink;

static Status collect(void *context, const Translation *translation, Error *err)
{
    Sink *sink = context;
    sink->n_calls++;
    sink->n_lines += translation->is_first;
    ck_assert_int_ge(translation->dump.id, sink->last_id);
    sink->last_id = translation->dump.id;
    if (translation->is_first) {
        TRY(buffer_add(&sink->text, translation->dump.target.bytes, translation->dump.target.len,
                       err));
        TRY(buffer_add_byte(&sink->text, '\n', err));
    }
    for (int b = 0; b < translation->n_blocks; b++) {
        const Dump *d = &translation->blocks[b];
        if (d->attention != NULL || d->n_target == 0) {
            TRY(dump_write_json(&sink->json, d, err));
        }
    }
    return OK;
}

static void sink_free(Sink *sink)
{
    buffer_free(&sink->json);
    buffer_free(&sink->text);
}

static TranslateOptions full_options(void)
{
    TranslateOptions o = translate_defaults();
    o.beam.keeps_attention = 1;
    o.beam.max_factor = 1;
    o.beam.max_offset = 3;
    o.has_tokens = 1;
    return o;
}

static Sink translate(Fixture *f, const TranslateOptions *o, const TranslateLine *lines, long n,
                      TranslateCounts *counts)
{
    Sink sink = {.last_id = 0};
    Error err = {0};
    ck_assert_msg(translator_translate(f->translator, o, lines, n, collect, &sink, counts, &err) ==
                      OK,
                  "%s", err.message);
    ck_assert_int_eq(sink.n_lines, n);
    return sink;
}

static TranslateLine line_of(const char *text, long id)
{
    return (TranslateLine){.text = text, .len = strlen(text), .id = id};
}

/* 200 lines, a quarter of them blank, of many lengths, some longer than the maximum. */
enum { N_LINES = 200 };
static void make_lines(TranslateLine *lines)
{
    for (int i = 0; i < N_LINES; i++) {
        lines[i] = line_of(TEXT[i % N_TEXT], i);
        const size_t most = (size_t)(7 * i % 61);
        lines[i].len = lines[i].len < most ? lines[i].len : most;
        if (i % 4 == 0) {
            lines[i] = line_of(i % 8 == 0 ? "" : " \t ", i);
        }
    }
}

START_TEST(batches_threads_and_lists_change_no_byte)
{
    static TranslateLine lines[N_LINES];
    make_lines(lines);
    Sink first = {0}, first_list = {0};
    for (int n_threads = 1; n_threads <= 4; n_threads *= 2) {
        Fixture f = fixture_of(TOKENIZER_BPE, n_threads);
        for (int batch = 1; batch <= 1024; batch = batch == 1 ? 7 : batch == 7 ? 64 : batch * 16) {
            for (int is_list = 0; is_list <= 1; is_list++) {
                TranslateOptions o = full_options();
                TranslateCounts counts = {0};
                o.mini_batch = batch;
                o.max_length = 20;
                o.beam.n_best = is_list ? 5 : 1;
                Sink sink = translate(&f, &o, lines, N_LINES, &counts);
                Sink *expected = is_list ? &first_list : &first;
                ck_assert_int_ge(counts.n_blank, N_LINES / 4);
                ck_assert_int_gt(counts.n_divided, 10);
                if (expected->json.len == 0) {
                    *expected = sink;
                    continue;
                }
                ck_assert_uint_eq(sink.json.len, expected->json.len);
                ck_assert_mem_eq(sink.json.bytes, expected->json.bytes, sink.json.len);
                ck_assert_uint_eq(sink.text.len, first.text.len);
                ck_assert_mem_eq(sink.text.bytes, first.text.bytes, sink.text.len);
                sink_free(&sink);
            }
        }
        fixture_free(&f);
    }
    ck_assert_int_gt(first_list.n_calls, 3 * first.n_calls / 2);
    sink_free(&first);
    sink_free(&first_list);
}
END_TEST

START_TEST(a_line_gives_a_line_whatever_its_bytes)
{
    Fixture f = fixture_of(TOKENIZER_BPE, 1);
    const TranslateOptions o = full_options();
    TranslateCounts counts = {0};
    const TranslateLine lines[] = {
        {.text = "\xFF\xFE", .len = 2, .id = 0},
        {.text = "a\0b", .len = 3, .id = 1},
        {.text = "\r", .len = 1, .id = 2},
        {.text = "<s> </s> <unk> @@ \xE2\x96\x81 |||", .len = 24, .id = 3},
        {.text = "\xC2\x85", .len = 2, .id = 4},
        {.text = "\xEF\xBB\xBF", .len = 3, .id = 5}};
    Sink sink = translate(&f, &o, lines, 6, &counts);
    int n_ends = 0;
    for (size_t i = 0; i < sink.text.len; i++) {
        n_ends += sink.text.bytes[i] == '\n';
        ck_assert(sink.text.bytes[i] != '\r');
    }
    ck_assert_int_eq(n_ends, 6);
    ck_assert_int_eq(counts.n_malformed, 1);
    ck_assert_int_eq(counts.first_malformed, 0);
    sink_free(&sink);
    fixture_free(&f);
}
END_TEST

/* ---- Long lines ---- */

/* Holds the record of a divided line against those of its parts. */
typedef struct Parts {
    Dump whole;
    int n_parts, n_rows;
    double score;
    float attention[64 * 64];
} Parts;

static Status keep_whole(void *context, const Translation *translation, Error *err)
{
    Parts *p = context;
    (void)err;
    p->whole = translation->dump;
    p->n_parts = translation->n_parts;
    ck_assert_int_le(translation->dump.n_source * translation->dump.n_target, 64 * 64);
    memcpy(p->attention, translation->dump.attention,
           (size_t)(translation->dump.n_source * translation->dump.n_target) * sizeof(float));
    p->whole.attention = p->attention;
    const Dump *d = &translation->dump;
    double sum = 0;
    for (int t = 0; t < d->n_target; t++) {
        double mass = 0;
        sum += (double)d->word_scores[t];
        for (int s = 0; s < d->n_source; s++) {
            mass += (double)d->attention[t * d->n_source + s];
        }
        ck_assert_double_eq_tol(mass, 1, 1e-5);
    }
    ck_assert_double_eq_tol(sum, d->score, 1e-4);
    return OK;
}

START_TEST(long_lines_are_divided_and_their_matrices_stand_in_blocks)
{
    const char *line = "I love learning. the cat sat; on the mat";
    static Parts whole, part;
    Fixture f = fixture_of(TOKENIZER_BPE, 1);
    TranslateOptions o = full_options();
    o.max_length = 14;
    const TranslateLine one = line_of(line, 0);
    TranslateCounts counts = {0};
    ck_assert_int_eq(
        translator_translate(f.translator, &o, &one, 1, keep_whole, &whole, &counts, NULL), OK);
    ck_assert_int_eq(whole.n_parts, 2);
    ck_assert_int_eq(counts.n_divided, 1);
    const TranslateLine halves[] = {{.text = line, .len = 16}, line_of(line + 17, 1)};
    int row = 0, column = 0;
    double score = 0;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(
            translator_translate(f.translator, &o, &halves[i], 1, keep_whole, &part, NULL, NULL),
            OK);
        const Dump *d = &part.whole, *w = &whole.whole;
        const int n_rows = d->n_target - d->has_target_end, n_columns = d->n_source - 1;
        for (int t = 0; t < n_rows; t++) {
            for (int s = 0; s < w->n_source - 1; s++) {
                const int is_inside = s >= column && s < column + n_columns;
                const float expected = is_inside ? d->attention[t * d->n_source + s - column] : 0;
                ck_assert(w->attention[(row + t) * w->n_source + s] == expected);
            }
        }
        row += n_rows;
        column += n_columns;
        score += d->score;
    }
    ck_assert_int_eq(column + 1, whole.whole.n_source);
    ck_assert_double_eq_tol(score, whole.whole.score, 1e-9);
    fixture_free(&f);
}
END_TEST

START_TEST(long_lines_are_cut_when_that_is_asked_for)
{
    static Parts cut;
    Fixture f = fixture_of(TOKENIZER_BPE, 1);
    TranslateOptions o = full_options();
    o.max_length = 7;
    o.is_cropped = 1;
    const TranslateLine one = line_of(TEXT[1], 0);
    TranslateCounts counts = {0};
    ck_assert_int_eq(
        translator_translate(f.translator, &o, &one, 1, keep_whole, &cut, &counts, NULL), OK);
    ck_assert_int_eq(cut.whole.n_source, 8);
    ck_assert_int_eq(counts.n_cropped, 1);
    fixture_free(&f);
}
END_TEST

START_TEST(matrices_that_would_be_too_large_come_in_parts)
{
    enum { N = 40000 };
    static char line[N + 1];
    Fixture f = fixture_of(TOKENIZER_BPE, 2);
    TranslateOptions o = full_options();
    memset(line, 'a', N);
    for (int i = 10; i < N; i += 11) {
        line[i] = ' ';
    }
    const TranslateLine one = {.text = line, .len = N};
    Sink sink = translate(&f, &o, &one, 1, NULL);
    int n_records = 0;
    for (size_t i = 0; i < sink.json.len; i++) {
        n_records += sink.json.bytes[i] == '\n';
    }
    ck_assert_int_gt(n_records, 20);
    sink_free(&sink);
    fixture_free(&f);
}
END_TEST

/* The place that split_find takes in a line of one piece a byte (a code point for others). */
static int place(const char *line, int max)
{
    static int spans[256][2];
    int n = 0;
    for (int i = 0; line[i] != '\0'; n++) {
        spans[n][0] = i++;
        while (((unsigned char)line[i] & 0xC0) == 0x80) {
            i++;
        }
        spans[n][1] = i;
    }
    ck_assert_int_gt(n, max);
    return split_find(line, (const int(*)[2])spans, 0, max);
}

START_TEST(lines_divide_at_sentences_then_marks_then_blanks)
{
    ck_assert_int_eq(place("He left. She, too, went home", 20), 9);
    ck_assert_int_eq(place("He \"left.\" She, too, went home", 20), 11);
    ck_assert_int_eq(place("Costs 3.50 or more, he said to all", 30), 20);
    ck_assert_int_eq(place("no mark in these words at all", 20), 17);
    ck_assert_int_eq(place("aaaaaaaaaaaaaaaaaaaaaaaaaaaa", 20), 20);
    ck_assert_int_eq(place("我喜欢猫。我也喜欢狗，", 9), 5);
    ck_assert_int_eq(place("我喜欢猫，我也喜欢狗，", 9), 5);
}
END_TEST

/* ---- Pieces to text ---- */

static void expect_spans(TokenizerKind kind, const char *text)
{
    Tokenizer *t = learn(kind, VOCAB);
    Pieces pieces = {0};
    Buffer whole = {0}, plain = {0};
    static int spans[256][2];
    ck_assert_int_eq(tokenizer_encode(t, text, strlen(text), &pieces, NULL), OK);
    ck_assert_int_eq(detokenize_spans(t, pieces.ids, pieces.len, &whole, spans, NULL), OK);
    ck_assert_int_eq(tokenizer_decode(t, pieces.ids, pieces.len, &plain, NULL), OK);
    ck_assert_uint_eq(whole.len, plain.len);
    ck_assert_mem_eq(whole.bytes, plain.bytes, plain.len);
    for (int i = 0; i < pieces.len; i++) {
        ck_assert_int_eq(spans[i][0], pieces.spans[i][0]);
        ck_assert_int_eq(spans[i][1], pieces.spans[i][1]);
    }
    buffer_free(&whole);
    buffer_free(&plain);
    pieces_free(&pieces);
    tokenizer_free(t);
}

/* Text that comes back as it was has the spans that encoding gave. */
START_TEST(target_spans_are_those_of_encoding_the_text)
{
    for (int i = 0; i < N_TEXT; i++) {
        expect_spans(TOKENIZER_BPE, TEXT[i]);
        expect_spans(TOKENIZER_WORD, TEXT[i]);
        expect_spans(TOKENIZER_CHAR, TEXT[i]);
    }
    expect_spans(TOKENIZER_BPE, "zebra Ünïcödé 漢字 \xF0\x9F\x98\x80!");
}
END_TEST

START_TEST(pieces_that_spell_a_line_end_stay_on_their_line)
{
    Tokenizer *t = learn(TOKENIZER_BPE, VOCAB);
    const int ids[] = {4 + 'a', 4 + '\n', 4 + '\r', 4 + 'b'};
    Buffer text = {0};
    ck_assert_int_eq(detokenize(t, ids, 4, &text, NULL), OK);
    ck_assert_str_eq(text.bytes, "a  b");
    buffer_free(&text);
    tokenizer_free(t);
}
END_TEST

START_TEST(joined_pieces_have_their_own_spans)
{
    static const char *const lines[] = {"foo@@ bar baz"};
    const size_t lens[] = {13};
    LineArray array = {lines, lens, 1, 0};
    const Lines all = lines_of_array(&array);
    const TokenizerOptions options = {TOKENIZER_SPACE, 10, 1, NORMALIZE_NFC, 0};
    Tokenizer *t;
    Pieces pieces = {0};
    Buffer text = {0};
    int spans[3][2];
    ck_assert_int_eq(tokenizer_learn(&t, &options, &all, NULL), OK);
    ck_assert_int_eq(tokenizer_encode(t, lines[0], 13, &pieces, NULL), OK);
    ck_assert_int_eq(detokenize_spans(t, pieces.ids, 3, &text, spans, NULL), OK);
    ck_assert_str_eq(text.bytes, "foobar baz");
    const int expected[3][2] = {{0, 3}, {3, 6}, {7, 10}};
    ck_assert_mem_eq(spans, expected, sizeof expected);
    buffer_free(&text);
    pieces_free(&pieces);
    tokenizer_free(t);
}
END_TEST

/* ---- Rescoring ---- */

/* Free and forced records of the same pieces. */
typedef struct Both {
    Fixture f;
    Rescorer *rescorer;
    const Dump *free;
    long n;
} Both;

static Status compare_forced(void *context, const Dump *forced, const float *link_weights,
                             Error *err)
{
    const Both *both = context;
    const Dump *d = both->free;
    (void)err;
    ck_assert_ptr_eq(link_weights, forced->attention);
    ck_assert_int_eq(forced->n_target, d->n_target);
    ck_assert_int_eq(forced->n_source, d->n_source);
    ck_assert_double_eq_tol(forced->score, d->score, 1e-4);
    ck_assert_double_eq_tol(forced->normalized_score, d->normalized_score, 1e-4);
    for (int i = 0; i < d->n_target * d->n_source; i++) {
        ck_assert_double_eq_tol((double)forced->attention[i], (double)d->attention[i], 1e-4);
    }
    return OK;
}

static Status force_translation(void *context, const Translation *translation, Error *err)
{
    Both *both = context;
    RescoreCounts counts = {0};
    const RescoreOptions options = {.max_length = 1000, .keeps_attention = 1, .alpha = 1};
    const RescorePair pair = {.given = &translation->dump};
    if (translation->n_parts != 1) {
        return OK;
    }
    both->free = &translation->dump;
    both->n++;
    return rescorer_run(both->rescorer, &options, &pair, 1, compare_forced, both, &counts, err);
}

START_TEST(forced_decoding_of_every_record_gives_it_again)
{
    static TranslateLine lines[N_LINES];
    make_lines(lines);
    Both both = {.f = fixture_of(TOKENIZER_BPE, 1)};
    TranslateOptions o = full_options();
    o.beam.n_best = 5;
    Error err = {0};
    ck_assert_int_eq(rescorer_create(&both.rescorer, both.f.translator, NULL), OK);
    ck_assert_msg(translator_translate(both.f.translator, &o, lines, N_LINES, force_translation,
                                       &both, NULL, &err) == OK,
                  "%s", err.message);
    ck_assert_int_gt(both.n, 500);
    rescorer_free(both.rescorer);
    fixture_free(&both.f);
}
END_TEST

/* Rows of two pairs, shifted and not. */
typedef struct Rows {
    float v[2][32 * 32];
    int n_target, n_source, at;
} Rows;

static Status keep_rows(void *context, const Dump *d, const float *link_weights, Error *err)
{
    Rows *rows = context;
    (void)err;
    ck_assert_ptr_eq(link_weights, d->attention);
    rows->n_target = d->n_target;
    rows->n_source = d->n_source;
    memcpy(rows->v[rows->at], d->attention, (size_t)(d->n_target * d->n_source) * sizeof(float));
    return OK;
}

START_TEST(shifted_rows_are_those_of_the_next_step)
{
    Fixture f = fixture_of(TOKENIZER_BPE, 1);
    Rescorer *r;
    RescoreCounts counts = {0};
    static Rows rows;
    RescoreOptions options = {.max_length = 1000, .keeps_attention = 1, .alpha = 1};
    const RescorePair pair = {
        .source = "the cat", .target = "on a mat", .len_source = 7, .len_target = 8};
    ck_assert_int_eq(rescorer_create(&r, f.translator, NULL), OK);
    for (rows.at = 0; rows.at < 2; rows.at++) {
        options.is_shifted = rows.at;
        ck_assert_int_eq(rescorer_run(r, &options, &pair, 1, keep_rows, &rows, &counts, NULL), OK);
    }
    const int n = rows.n_source, T = rows.n_target;
    ck_assert_int_gt(T, 3);
    ck_assert_mem_eq(rows.v[1], rows.v[0] + n, (size_t)((T - 1) * n) * sizeof(float));
    ck_assert_mem_eq(rows.v[1] + (T - 1) * n, rows.v[0] + (T - 1) * n, (size_t)n * sizeof(float));
    ck_assert_int_eq(counts.n_pairs, 2);
    ck_assert_int_eq(counts.n_tokens, 2 * T);
    rescorer_free(r);
    fixture_free(&f);
}
END_TEST

START_TEST(records_that_are_not_of_pieces_are_refused)
{
    Fixture f = fixture_of(TOKENIZER_BPE, 1);
    Rescorer *r;
    RescoreCounts counts = {0};
    const RescoreOptions options = {.max_length = 1000, .alpha = 1};
    const DumpText tokens[] = {{"nonesuch", 8}};
    const int spans[1][2] = {{0, 8}};
    const Dump dump = {.id = 7,
                       .source = {"nonesuch", 8},
                       .n_source = 1,
                       .source_tokens = tokens,
                       .source_spans = spans};
    const RescorePair pair = {.given = &dump, .id = 7};
    static Rows rows;
    Error err = {0};
    ck_assert_int_eq(rescorer_create(&r, f.translator, NULL), OK);
    ck_assert_int_eq(rescorer_run(r, &options, &pair, 1, keep_rows, &rows, &counts, &err),
                     ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "nonesuch"));
    rescorer_free(r);
    fixture_free(&f);
}
END_TEST

/* ---- Opening ---- */

static void save(const Fixture *f, const char *path)
{
    ModelText text = {0};
    Error err = {0};
    ck_assert_int_eq(tokenizer_save(f->tokenizer, &text.source_tokenizer, NULL), OK);
    ck_assert_int_eq(tokenizer_save(f->tokenizer, &text.target_tokenizer, NULL), OK);
    ck_assert_msg(model_file_save(path, f->model, &text, &err) == OK, "%s", err.message);
    model_text_free(&text);
}

START_TEST(a_saved_model_translates_as_the_one_in_memory)
{
    char path[SCRATCH_PATH];
    scratch_path(path, "m.safetensors");
    Fixture f = fixture_of(TOKENIZER_BPE, 1), opened = {0};
    save(&f, path);
    const char *const paths[] = {path, path};
    Error err = {0};
    const TranslateOptions o = full_options();
    const TranslateLine lines[] = {line_of(TEXT[0], 0), line_of(TEXT[3], 1)};
    ck_assert_msg(translator_open(&opened.translator, paths, 1, 2, &err) == OK, "%s", err.message);
    Sink a = translate(&f, &o, lines, 2, NULL), b = translate(&opened, &o, lines, 2, NULL);
    ck_assert_uint_eq(a.json.len, b.json.len);
    ck_assert_mem_eq(a.json.bytes, b.json.bytes, a.json.len);
    sink_free(&a);
    sink_free(&b);
    translator_free(opened.translator);
    ck_assert_int_eq(translator_open(&opened.translator, paths, 2, 1, NULL), OK);
    ck_assert_int_eq(translator_ensemble(opened.translator)->n, 2);
    translator_free(opened.translator);
    fixture_free(&f);
    scratch_clean();
}
END_TEST

START_TEST(models_of_other_vocabularies_are_refused_together)
{
    char a[SCRATCH_PATH], b[SCRATCH_PATH];
    scratch_path(a, "a.safetensors");
    scratch_path(b, "b.safetensors");
    Fixture f = fixture_of(TOKENIZER_BPE, 1), g = fixture_of(TOKENIZER_CHAR, 1);
    save(&f, a);
    save(&g, b);
    const char *const paths[] = {a, b};
    Translator *t;
    Error err = {0};
    ck_assert_int_eq(translator_open(&t, paths, 2, 1, &err), ERR_ARG);
    ck_assert_ptr_nonnull(strstr(err.message, "b.safetensors"));
    fixture_free(&f);
    fixture_free(&g);
    scratch_clean();
}
END_TEST

static Status fail_later(void *context, const Translation *translation, Error *err)
{
    int *n_left = context;
    (void)translation;
    return (*n_left)-- > 0 ? OK : fail(err, ERR_IO, "enough");
}

START_TEST(a_failing_sink_ends_the_call)
{
    Fixture f = fixture_of(TOKENIZER_BPE, 1);
    const TranslateOptions o = full_options();
    const TranslateLine lines[] = {line_of("a", 0), line_of("b", 1), line_of("c", 2)};
    Error err = {0};
    int n_left = 1;
    ck_assert_int_eq(
        translator_translate(f.translator, &o, lines, 3, fail_later, &n_left, NULL, &err), ERR_IO);
    ck_assert_int_eq(n_left, -1);
    ck_assert_str_eq(err.message, "enough");
    fixture_free(&f);
}
END_TEST

START_TEST(a_refused_allocation_is_an_error_and_leaks_nothing)
{
    Fixture f = fixture_of(TOKENIZER_BPE, 1);
    TranslateOptions o = full_options();
    o.max_length = 10;
    const TranslateLine lines[] = {line_of(TEXT[0], 0), line_of(" ", 1)};
    int n_refused = 0;
    for (long n = 1;; n++) {
        Translator *t = NULL;
        Sink sink = {0};
        Error err = {0};
        mem_fail_at(n, 0);
        Status status = translator_create(&t, &f.ensemble, f.tokenizer, f.tokenizer, NULL, &err);
        if (status == OK) {
            status = translator_translate(t, &o, lines, 2, collect, &sink, NULL, &err);
        }
        const int has_failed = mem_failed();
        mem_fail_at(0, 0);
        translator_free(t);
        sink_free(&sink);
        if (!has_failed) {
            ck_assert_int_eq(status, OK);
            break;
        }
        /* an arena that is refused memory on its reset asks again */
        ck_assert(status == OK || (status == ERR_NOMEM && err.message[0] != '\0'));
        n_refused += status == ERR_NOMEM;
    }
    ck_assert_int_ge(n_refused, 3);
    fixture_free(&f);
}
END_TEST

TEST_MAIN("translator", tcase_add_test(c, batches_threads_and_lists_change_no_byte);
          tcase_add_test(c, a_line_gives_a_line_whatever_its_bytes);
          tcase_add_test(c, long_lines_are_divided_and_their_matrices_stand_in_blocks);
          tcase_add_test(c, long_lines_are_cut_when_that_is_asked_for);
          tcase_add_test(c, matrices_that_would_be_too_large_come_in_parts);
          tcase_add_test(c, lines_divide_at_sentences_then_marks_then_blanks);
          tcase_add_test(c, target_spans_are_those_of_encoding_the_text);
          tcase_add_test(c, pieces_that_spell_a_line_end_stay_on_their_line);
          tcase_add_test(c, joined_pieces_have_their_own_spans);
          tcase_add_test(c, forced_decoding_of_every_record_gives_it_again);
          tcase_add_test(c, shifted_rows_are_those_of_the_next_step);
          tcase_add_test(c, records_that_are_not_of_pieces_are_refused);
          tcase_add_test(c, a_saved_model_translates_as_the_one_in_memory);
          tcase_add_test(c, models_of_other_vocabularies_are_refused_together);
          tcase_add_test(c, a_failing_sink_ends_the_call);
          tcase_add_test(c, a_refused_allocation_is_an_error_and_leaks_nothing);)

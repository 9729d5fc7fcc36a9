/* text/tokenizer: round trips, sizes, spans, hostile bytes. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "support/check_main.h"
#include "text/tokenizer.h"

/* One or more sentences in each of more than twenty scripts, with quirks. */
static const char *const sentences[] = {
    "The small dog doesn't see the 3 cats; it sleeps.",
    "The cats sleep, the dogs sleep, and nobody sings \"hello\"!",
    "Der kleine Hund schläft auf der großen Straße.",
    "L'été dernier, nous avons mangé des œufs à l'école.",
    "¿Dónde está el niño? ¡Aquí, en el jardín!",
    "Ο μικρός σκύλος κοιμάται στον κήπο.",
    "Маленькая собака спит в саду, а кошка ест рыбу.",
    "Փոքրիկ շունը քնում է այգում։",
    "הכלב הקטן ישן בגינה.",
    "الكلب الصغير ينام في الحديقة، والقطة تأكل.",
    "سگ کوچک می‌خوابد و گربه نمی‌خواهد.",
    "छोटा कुत्ता बगीचे में सोता है।",
    "ছোট কুকুরটি বাগানে ঘুমায়।",
    "ਛੋਟਾ ਕੁੱਤਾ ਬਾਗ ਵਿੱਚ ਸੌਂਦਾ ਹੈ।",
    "நாய் தோட்டத்தில் தூங்குகிறது.",
    "కుక్క తోటలో నిద్రపోతుంది.",
    "ನಾಯಿ ತೋಟದಲ್ಲಿ ಮಲಗುತ್ತದೆ.",
    "നായ തോട്ടത്തിൽ ഉറങ്ങുന്നു.",
    "බල්ලා වත්තේ නිදාගනී.",
    "หมาตัวเล็กนอนอยู่ในสวน",
    "ໝານ້ອຍນອນຢູ່ໃນສວນ",
    "ខ្មែរ ឆ្កែតូចដេកក្នុងសួន។",
    "ခွေးလေးက ဥယျာဉ်ထဲမှာ အိပ်တယ်။",
    "პატარა ძაღლი ბაღში სძინავს.",
    "작은 개가 정원에서 잔다. 고양이는 생선을 먹는다.",
    "ትንሹ ውሻ በአትክልቱ ውስጥ ይተኛል።",
    "小さな犬が庭で寝ています。カタカナのコーヒーも。らーめん",
    "小狗在花园里睡觉，猫在吃鱼。我喜欢深度学习。",
    "我喜欢猫，他喜欢狗，我们都喜欢学习。",
    "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
};
enum { N_SENTENCES = sizeof sentences / sizeof *sentences };

static Tokenizer *learn(TokenizerKind kind, int vocab_size, int min_frequency)
{
    size_t lens[N_SENTENCES];
    for (int i = 0; i < N_SENTENCES; i++) {
        lens[i] = strlen(sentences[i]);
    }
    LineArray array = {sentences, lens, N_SENTENCES, 0};
    const Lines lines = lines_of_array(&array);
    const TokenizerOptions options = {kind, vocab_size, min_frequency, NORMALIZE_NFC, 0};
    Tokenizer *t;
    Error err;
    ck_assert_int_eq(tokenizer_learn(&t, &options, &lines, &err), OK);
    return t;
}

/* decode(encode(line)) must be the normalised line. */
static void expect_round_trip(const Tokenizer *t, const char *line, size_t len)
{
    Error err = {.message = ""};
    Pieces pieces = {0};
    Buffer wanted = {0}, got = {0};
    ck_assert_int_eq(tokenizer_encode(t, line, len, &pieces, &err), OK);
    ck_assert_int_eq(tokenizer_decode(t, pieces.ids, pieces.len, &got, &err), OK);
    ck_assert_int_eq(unicode_normalize(&wanted, line, len, NORMALIZE_NFC, 0, &err), OK);
    ck_assert_uint_eq(wanted.len, got.len);
    if (wanted.len > 0) {
        ck_assert_mem_eq(wanted.bytes, got.bytes, wanted.len);
    }
    int n_bad = 0; /* spans out of the line or out of order */
    for (int i = 0, last = 0; i < pieces.len; i++) {
        const int *span = pieces.spans[i];
        n_bad += span[0] < last || span[1] < span[0] || span[1] > (int)len;
        last = span[0];
    }
    ck_assert_int_eq(n_bad, 0);
    buffer_free(&wanted);
    buffer_free(&got);
    pieces_free(&pieces);
}

START_TEST(bpe_gives_sentences_of_many_scripts_back)
{
    Tokenizer *t = learn(TOKENIZER_BPE, 1000, 2);
    for (int i = 0; i < N_SENTENCES; i++) {
        expect_round_trip(t, sentences[i], strlen(sentences[i]));
    }
    tokenizer_free(t);
}
END_TEST

START_TEST(bpe_gives_awkward_text_back)
{
    static const struct {
        const char *text;
        size_t len;
    } rows[] = {
#define ROW(text) {text, sizeof(text) - 1}
        ROW(""),
        ROW(" "),
        ROW("  "),
        ROW("   two leading, two  inside, trailing  "),
        ROW("\ta\t\tb\t"),
        ROW("\0a\0\0 \0"),
        ROW("\x01\x02\x1F\x7F \xC2\x85 \xC2\xA0 \xE2\x80\xA8 \xE3\x80\x80"),
        ROW("line\nfeed\r\nand \r return"),
        ROW("\xEF\xBB\xBF mark"),
        ROW("<s> </s> <unk> <pad> @@ foo@@ bar \u2581 \u2581\u2581a \u2581 ||| <0x41>"),
        ROW("\u2581\u0301 a\u2581b \u0301\u0301"),
        ROW("e\u0301 \u00E9 \u1100\u1161\u11A8 \u212B"),
        ROW("\U0001F469\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466\U0001F3FD "
            "\U0001F1E9\U0001F1EA"),
        ROW("a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030A b"),
        ROW("\xFF\xFE\x80 \xE4\xBD \xED\xA0\x80 \xF4\x90\x80\x80 \xC0\xAF"),
        ROW("\u202Eabc\u202C \u200F\u05D0 \u200B\u2060"),
        ROW("\U000E0041\U0010FFFF\uE000\uFFFE"),
        ROW("\u6211  \u559C\u6B22 cat \u732B"),
#undef ROW
    };
    Tokenizer *t = learn(TOKENIZER_BPE, 700, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_round_trip(t, rows[i].text, rows[i].len);
    }
    tokenizer_free(t);
}
END_TEST

/* A code point of any kind, those with a part in the rules more often. */
static uint32_t random_point(Rng *rng)
{
    static const uint32_t special[] = {' ',    '\t',   0,      '\n',   '\r',   0x2581,  0x200D,
                                       0x301,  0x300,  0x30FC, 0x3042, 0x6211, 0x1F1E9, 0x1F3FD,
                                       0x1100, 0x1161, 0x11A8, 0xFFFD, '@',    0xE34,   0x600};
    if (rng_below(rng, 2) == 0) {
        return special[rng_below(rng, sizeof special / sizeof *special)];
    }
    const uint32_t bounds[] = {0x80, 0x800, 0xD800, 0x110000};
    uint32_t point;
    do {
        point = (uint32_t)rng_below(rng, bounds[rng_below(rng, 4)]);
    } while (point >= 0xD800 && point <= 0xDFFF);
    return point;
}

START_TEST(bpe_gives_random_unicode_and_random_bytes_back)
{
    Tokenizer *t = learn(TOKENIZER_BPE, 700, 2);
    Rng rng = rng_stream(11, 0, 0);
    for (int i = 0; i < 4000; i++) {
        char text[400];
        size_t len = 0;
        const size_t cap = 4 + rng_below(&rng, sizeof text - 4);
        while (len + UNICODE_MAX_BYTES <= cap) {
            if (i % 4 == 0) {
                text[len++] = (char)rng_below(&rng, 256);
            } else {
                len += unicode_encode(random_point(&rng), text + len);
            }
        }
        expect_round_trip(t, text, len);
    }
    tokenizer_free(t);
}
END_TEST

/* The pieces of line, joined by bars. */
static void expect_pieces(const Tokenizer *t, const char *line, const char *joined)
{
    Pieces pieces = {0};
    Buffer got = {0};
    Error err;
    ck_assert_int_eq(tokenizer_encode(t, line, strlen(line), &pieces, &err), OK);
    for (int i = 0; i < pieces.len; i++) {
        size_t len;
        const char *piece = tokenizer_piece(t, pieces.ids[i], &len);
        ck_assert_int_eq(buffer_add_text(&got, i > 0 ? "|" : "", &err), OK);
        ck_assert_int_eq(buffer_add(&got, piece, len, &err), OK);
    }
    ck_assert_str_eq(got.len == 0 ? "" : got.bytes, joined);
    pieces_free(&pieces);
    buffer_free(&got);
}

static Tokenizer *learn_lines(const char *const *texts, long n, TokenizerOptions options)
{
    size_t lens[64];
    Tokenizer *t;
    Error err;
    for (long i = 0; i < n; i++) {
        lens[i] = strlen(texts[i]);
    }
    LineArray array = {texts, lens, n, 0};
    const Lines lines = lines_of_array(&array);
    ck_assert_int_eq(tokenizer_learn(&t, &options, &lines, &err), OK);
    return t;
}

START_TEST(pieces_keep_classes_and_scripts_apart)
{
    static const char *const texts[] = {"ab12, ab12, ab12, \"ab\" \"ab\"",
                                        "ab12, ab12! ab\u0431\u0431 ab\u0431\u0431",
                                        "ab\u0431\u0431 ... ... \u732B\u304C\u732B\u304C"};
    const TokenizerOptions options = {TOKENIZER_BPE, 400, 2, NORMALIZE_NFC, 0};
    Tokenizer *t = learn_lines(texts, 3, options);
    expect_pieces(t, "ab12, ab", "\u2581ab|12|,|\u2581ab");
    expect_pieces(t, "ab", "\u2581ab");
    expect_pieces(t, " ab", "\u2581|\u2581ab");
    expect_pieces(t, "ab ", "\u2581ab|\u2581");
    expect_pieces(t, "\"ab\"", "\u2581\"|ab|\"");
    expect_pieces(t, "ab\u0431\u0431", "\u2581ab|\u0431\u0431");
    expect_pieces(t, "ab ...", "\u2581ab|\u2581...");
    expect_pieces(t, "\u732B\u304C", "\u732B|\u304C"); /* no word start, no merge */
    expect_pieces(t, "ab \u732B", "\u2581ab|\u2581|\u732B");
    expect_pieces(t, "~", "\u2581|<0x7E>");
    expect_pieces(t, "\u2581", "\u2581|<0xE2>|<0x96>|<0x81>");
    tokenizer_free(t);
}
END_TEST

START_TEST(of_equal_merges_the_leftmost_comes_first)
{
    static const char *const texts[] = {"\"aa \"aa \"aa"};
    const TokenizerOptions options = {TOKENIZER_BPE, 400, 2, NORMALIZE_NFC, 0};
    Tokenizer *t = learn_lines(texts, 1, options);
    expect_pieces(t, "\"aaa", "\u2581\"|aa|a");
    expect_pieces(t, "\"aaaaa", "\u2581\"|aa|aa|a");
    tokenizer_free(t);
}
END_TEST

START_TEST(spans_are_raw_bytes_without_the_blank)
{
    static const char *const texts[] = {"caf\u00E9 caf\u00E9 caf\u00E9"};
    const TokenizerOptions options = {TOKENIZER_BPE, 400, 2, NORMALIZE_NFC, 0};
    Tokenizer *t = learn_lines(texts, 1, options);
    Pieces pieces = {0};
    Error err;
    /* decomposed: 6 bytes a word; then two blanks; an unknown character; a malformed byte */
    const char line[] = "cafe\u0301  cafe\u0301~\xFF";
    ck_assert_int_eq(tokenizer_encode(t, line, sizeof line - 1, &pieces, &err), OK);
    static const int spans[][2] = {{0, 6}, {6, 7}, {8, 14}, {14, 15}, {15, 16}, {15, 16}, {15, 16}};
    ck_assert_int_eq(pieces.len, 7);
    ck_assert_mem_eq(pieces.spans, spans, sizeof spans);
    ck_assert_int_eq(pieces.n_malformed, 1);
    pieces_free(&pieces);
    tokenizer_free(t);
}
END_TEST

START_TEST(composed_and_decomposed_text_give_the_same_pieces)
{
    Tokenizer *t = learn(TOKENIZER_BPE, 700, 2);
    Pieces a = {0}, b = {0};
    Error err;
    const char composed[] = "L'\u00E9t\u00E9 \uAC01",
               decomposed[] = "L'e\u0301te\u0301 \u1100\u1161\u11A8";
    ck_assert_int_eq(tokenizer_encode(t, composed, sizeof composed - 1, &a, &err), OK);
    ck_assert_int_eq(tokenizer_encode(t, decomposed, sizeof decomposed - 1, &b, &err), OK);
    ck_assert_int_eq(a.len, b.len);
    ck_assert_mem_eq(a.ids, b.ids, (size_t)a.len * sizeof *a.ids);
    pieces_free(&a);
    pieces_free(&b);
    tokenizer_free(t);
}
END_TEST

START_TEST(lower_case_and_nfkc_are_options)
{
    static const char *const texts[] = {"Stra\u00DFe STRASSE \u00C9T\u00C9 \uFB01n"};
    const TokenizerOptions options = {TOKENIZER_BPE, 400, 1, NORMALIZE_NFKC, 1};
    Tokenizer *t = learn_lines(texts, 1, options);
    Pieces pieces = {0};
    Buffer out = {0};
    Error err;
    const char line[] = "E\u0301T\u00C9 \uFB01N";
    ck_assert_int_eq(tokenizer_encode(t, line, sizeof line - 1, &pieces, &err), OK);
    ck_assert_int_eq(tokenizer_decode(t, pieces.ids, pieces.len, &out, &err), OK);
    ck_assert_str_eq(out.bytes, "\u00E9t\u00E9 fin");
    pieces_free(&pieces);
    buffer_free(&out);
    tokenizer_free(t);
}
END_TEST

START_TEST(the_vocabulary_size_is_an_upper_bound)
{
    static const int sizes[] = {TOKENIZER_MIN_BPE, 300, 400, 500, 700, 32000};
    int last = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Tokenizer *t = learn(TOKENIZER_BPE, sizes[i], 2);
        ck_assert_int_le(tokenizer_size(t), sizes[i]);
        ck_assert_int_ge(tokenizer_size(t), last);
        if (i < 3) {
            ck_assert_int_eq(tokenizer_size(t), sizes[i]);
        }
        last = tokenizer_size(t);
        expect_round_trip(t, sentences[0], strlen(sentences[0]));
        expect_round_trip(t, sentences[27], strlen(sentences[27]));
        tokenizer_free(t);
    }
    ck_assert_int_lt(last, 2000);
}
END_TEST

START_TEST(options_out_of_range_are_refused)
{
    LineArray array = {NULL, NULL, 0, 0};
    const Lines lines = lines_of_array(&array);
    const TokenizerOptions bad[] = {{TOKENIZER_BPE, TOKENIZER_MIN_BPE - 1, 2, NORMALIZE_NFC, 0},
                                    {TOKENIZER_BPE, TOKENIZER_MAX_SIZE + 1, 2, NORMALIZE_NFC, 0},
                                    {TOKENIZER_WORD, N_SPECIAL_TOKENS, 2, NORMALIZE_NFC, 0},
                                    {(TokenizerKind)4, 1000, 2, NORMALIZE_NFC, 0},
                                    {TOKENIZER_BPE, 1000, 0, NORMALIZE_NFC, 0},
                                    {TOKENIZER_BPE, 1000, 2, NORMALIZE_NONE, 0},
                                    {TOKENIZER_BPE, 1000, 2, NORMALIZE_NFC, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Tokenizer *t;
        Error err;
        ck_assert_int_eq(tokenizer_learn(&t, &bad[i], &lines, &err), ERR_ARG);
    }
    /* Nothing to learn from is no error: bytes are enough. */
    const TokenizerOptions good = {TOKENIZER_BPE, 1000, 2, NORMALIZE_NFC, 0};
    Tokenizer *t;
    Error err;
    ck_assert_int_eq(tokenizer_learn(&t, &good, &lines, &err), OK);
    ck_assert_int_eq(tokenizer_size(t), TOKENIZER_MIN_BPE);
    expect_round_trip(t, "any text", 8);
    tokenizer_free(t);
}
END_TEST

START_TEST(any_ids_decode_to_valid_text)
{
    Tokenizer *t = learn(TOKENIZER_BPE, 700, 2);
    Rng rng = rng_stream(5, 0, 0);
    for (int i = 0; i < 2000; i++) {
        int ids[40];
        Buffer out = {0};
        Error err;
        const uint64_t bound = i % 2 ? 260 : (uint64_t)tokenizer_size(t);
        for (int k = 0; k < 40; k++) {
            ids[k] = (int)rng_below(&rng, bound);
        }
        ck_assert_int_eq(tokenizer_decode(t, ids, 40, &out, &err), OK);
        ck_assert_int_eq(unicode_count_malformed(out.bytes, out.len), 0);
        buffer_free(&out);
    }
    Buffer out = {0};
    Error err;
    const int ill[] = {TOKEN_BEGIN, 4 + 0xE6, 4 + 0x88, 4 + 'x', TOKEN_UNKNOWN, TOKEN_END};
    ck_assert_int_eq(buffer_add_text(&out, "kept ", &err), OK);
    ck_assert_int_eq(tokenizer_decode(t, ill, 6, &out, &err), OK);
    ck_assert_str_eq(out.bytes, "kept \uFFFDx<unk>");
    const int bad[] = {4, tokenizer_size(t)};
    ck_assert_int_eq(tokenizer_decode(t, bad, 2, &out, &err), ERR_ARG);
    ck_assert_int_eq(tokenizer_decode(t, &(int){-1}, 1, &out, &err), ERR_ARG);
    ck_assert_str_eq(out.bytes, "kept \uFFFDx<unk>");
    buffer_free(&out);
    tokenizer_free(t);
}
END_TEST

START_TEST(dropout_runs_from_pieces_to_characters)
{
    Tokenizer *t = learn(TOKENIZER_BPE, 700, 2);
    Pieces plain = {0}, dropped = {0}, again = {0};
    Error err;
    Rng rng = rng_stream(1, 2, 3);
    const char *line = sentences[1];
    const size_t len = strlen(line);
    ck_assert_int_eq(tokenizer_encode(t, line, len, &plain, &err), OK);
    ck_assert_int_eq(tokenizer_encode_dropout(t, line, len, 0, &rng, &dropped, &err), OK);
    ck_assert_int_eq(plain.len, dropped.len);
    ck_assert_mem_eq(plain.ids, dropped.ids, (size_t)plain.len * sizeof *plain.ids);
    /* All are dropped: one piece a character, as the line is ASCII with its words marked. */
    ck_assert_int_eq(tokenizer_encode_dropout(t, line, len, 1, &rng, &dropped, &err), OK);
    ck_assert_int_eq(dropped.len, (int)len + 1);
    int n_different = 0;
    for (int i = 0; i < 50; i++) {
        Rng first = rng_stream(9, (uint64_t)i, 0), second = first;
        Buffer out = {0};
        ck_assert_int_eq(tokenizer_encode_dropout(t, line, len, 0.1, &first, &dropped, &err), OK);
        ck_assert_int_eq(tokenizer_encode_dropout(t, line, len, 0.1, &second, &again, &err), OK);
        ck_assert_int_eq(dropped.len, again.len); /* seeded */
        ck_assert_mem_eq(dropped.ids, again.ids, (size_t)again.len * sizeof *again.ids);
        n_different += dropped.len != plain.len;
        ck_assert_int_eq(tokenizer_decode(t, dropped.ids, dropped.len, &out, &err), OK);
        ck_assert_str_eq(out.bytes, line);
        buffer_free(&out);
    }
    ck_assert_int_gt(n_different, 25);
    pieces_free(&plain);
    pieces_free(&dropped);
    pieces_free(&again);
    tokenizer_free(t);
}
END_TEST

static void save(const Tokenizer *t, Buffer *out)
{
    Error err;
    ck_assert_int_eq(tokenizer_save(t, out, &err), OK);
}

START_TEST(learning_and_saving_are_deterministic)
{
    for (int kind = TOKENIZER_BPE; kind <= TOKENIZER_SPACE; kind++) {
        Tokenizer *t = learn((TokenizerKind)kind, 700, 2), *u = learn((TokenizerKind)kind, 700, 2);
        Tokenizer *loaded;
        Buffer a = {0}, b = {0}, c = {0};
        Error err;
        save(t, &a);
        save(u, &b);
        ck_assert_uint_eq(a.len, b.len);
        ck_assert_mem_eq(a.bytes, b.bytes, a.len);
        ck_assert_int_eq(tokenizer_load(&loaded, a.bytes, a.len, &err), OK);
        save(loaded, &c);
        ck_assert_uint_eq(a.len, c.len);
        ck_assert_mem_eq(a.bytes, c.bytes, a.len);
        ck_assert_int_eq(tokenizer_size(loaded), tokenizer_size(t));
        Pieces p = {0}, q = {0};
        for (int i = 0; i < N_SENTENCES; i++) {
            const size_t len = strlen(sentences[i]);
            ck_assert_int_eq(tokenizer_encode(t, sentences[i], len, &p, &err), OK);
            ck_assert_int_eq(tokenizer_encode(loaded, sentences[i], len, &q, &err), OK);
            ck_assert_int_eq(p.len, q.len);
            ck_assert_mem_eq(p.ids, q.ids, (size_t)p.len * sizeof *p.ids);
        }
        for (int id = 0; id < tokenizer_size(t); id++) {
            size_t len;
            const char *piece = tokenizer_piece(t, id, &len);
            ck_assert_int_eq(tokenizer_find(loaded, piece, len), id);
        }
        pieces_free(&p);
        pieces_free(&q);
        tokenizer_free(t);
        tokenizer_free(u);
        tokenizer_free(loaded);
        buffer_free(&a);
        buffer_free(&b);
        buffer_free(&c);
    }
}
END_TEST

/* Loads bytes; when they are accepted the tokenizer must work. */
static Status try_load(const char *bytes, size_t len)
{
    Tokenizer *t = NULL;
    Error err = {.message = ""};
    char *copy = mem_copy_text(bytes, len); /* an exact copy: a read beyond it is seen */
    const Status status = tokenizer_load(&t, copy, len, &err);
    mem_free(copy);
    if (status == OK) {
        Pieces pieces = {0};
        Buffer out = {0};
        const char line[] = "The cats sleep \u6211\u559C\u6B22 12!";
        ck_assert_int_eq(tokenizer_encode(t, line, sizeof line - 1, &pieces, &err), OK);
        ck_assert_int_eq(tokenizer_decode(t, pieces.ids, pieces.len, &out, &err), OK);
        ck_assert_int_eq(unicode_count_malformed(out.bytes, out.len), 0);
        pieces_free(&pieces);
        buffer_free(&out);
        tokenizer_free(t);
    } else {
        ck_assert_int_eq(status, ERR_FORMAT);
        ck_assert_int_gt((int)strlen(err.message), 10);
    }
    return status;
}

START_TEST(damaged_bytes_are_refused_or_harmless)
{
    static const char *const texts[] = {"the cats sleep, the cats sing \u6211\u559C\u6B22 \u6211",
                                        "the cat \u559C\u6B22 12 12"};
    for (int kind = TOKENIZER_BPE; kind <= TOKENIZER_SPACE; kind++) {
        const TokenizerOptions options = {(TokenizerKind)kind, 300, 1, NORMALIZE_NFC, 0};
        Tokenizer *t = learn_lines(texts, 2, options);
        Buffer bytes = {0};
        Error err;
        save(t, &bytes);
        tokenizer_free(t);
        ck_assert_int_eq(try_load(bytes.bytes, bytes.len), OK);
        for (size_t n = 0; n < bytes.len; n++) {
            ck_assert_int_eq(try_load(bytes.bytes, n), ERR_FORMAT);
        }
        for (size_t i = 0; i < bytes.len; i++) {
            for (int bit = 0; bit < 8; bit++) {
                bytes.bytes[i] ^= (char)(1 << bit);
                (void)try_load(bytes.bytes, bytes.len);
                bytes.bytes[i] ^= (char)(1 << bit);
            }
        }
        ck_assert_int_eq(buffer_add_byte(&bytes, 0, &err), OK);
        ck_assert_int_eq(try_load(bytes.bytes, bytes.len), ERR_FORMAT);
        buffer_free(&bytes);
    }
}
END_TEST

static void put(Buffer *out, uint32_t value, int n_bytes)
{
    Error err;
    for (int i = 0; i < n_bytes; i++) {
        ck_assert_int_eq(buffer_add_byte(out, (char)(value >> 8 * i), &err), OK);
    }
}

/* A file with the texts "a" and `text`, and the merge left, right. */
static Status load_crafted(uint32_t kind, const char *text, size_t len, uint32_t len_claimed,
                           uint32_t left, uint32_t right)
{
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(buffer_add(&out, "heedtok1", 8, &err), OK);
    const uint32_t head[] = {kind, NORMALIZE_NFC, 0, 1000, 2, kind == 0 ? 1 : 0, 2};
    for (int i = 0; i < 7; i++) {
        put(&out, head[i], 4);
    }
    put(&out, 1, 2);
    ck_assert_int_eq(buffer_add(&out, "a", 1, &err), OK);
    put(&out, len_claimed, 2);
    ck_assert_int_eq(buffer_add(&out, text, len, &err), OK);
    if (kind == 0) {
        put(&out, left, 4);
        put(&out, right, 4);
    }
    const Status status = try_load(out.bytes, out.len);
    buffer_free(&out);
    return status;
}

START_TEST(hostile_pieces_and_merges_are_refused)
{
    ck_assert_int_eq(load_crafted(0, "b", 1, 1, 261, 262), OK);
    ck_assert_int_eq(load_crafted(0, "b", 1, 1, 261, 263), ERR_FORMAT); /* itself */
    ck_assert_int_eq(load_crafted(0, "b", 1, 1, 264, 261), ERR_FORMAT); /* a later one */
    ck_assert_int_eq(load_crafted(0, "b", 1, 1, 100, 261), ERR_FORMAT); /* a byte */
    ck_assert_int_eq(load_crafted(0, "b", 1, 1, 3, 261), ERR_FORMAT);   /* <unk> */
    ck_assert_int_eq(load_crafted(0, "b", 1, 1, 0xFFFFFFFF, 261), ERR_FORMAT);
    ck_assert_int_eq(load_crafted(0, "b", 1, 1, 261, 0x80000000), ERR_FORMAT);
    ck_assert_int_eq(load_crafted(0, "", 0, 0, 261, 261), ERR_FORMAT);       /* empty */
    ck_assert_int_eq(load_crafted(0, "a", 1, 1, 261, 261), ERR_FORMAT);      /* twice */
    ck_assert_int_eq(load_crafted(0, "\0", 1, 1, 261, 261), ERR_FORMAT);     /* NUL */
    ck_assert_int_eq(load_crafted(0, "b\n", 2, 2, 261, 261), ERR_FORMAT);    /* control */
    ck_assert_int_eq(load_crafted(0, "\xC3", 1, 1, 261, 261), ERR_FORMAT);   /* no UTF-8 */
    ck_assert_int_eq(load_crafted(0, "\u2581", 3, 3, 261, 261), ERR_FORMAT); /* the mark */
    ck_assert_int_eq(load_crafted(0, "b", 1, 0xFFFF, 261, 261), ERR_FORMAT);
    char *large = mem_alloc(1 << 20, 1);
    ck_assert_ptr_nonnull(large);
    memset(large, 'x', 1 << 20);
    ck_assert_int_eq(load_crafted(1, large, PIECE_MAX_BYTES, PIECE_MAX_BYTES, 0, 0), OK);
    ck_assert_int_eq(load_crafted(1, large, PIECE_MAX_BYTES + 1, PIECE_MAX_BYTES + 1, 0, 0),
                     ERR_FORMAT);
    ck_assert_int_eq(load_crafted(1, large, 1 << 20, 0xFFFF, 0, 0), ERR_FORMAT);
    mem_free(large);
    ck_assert_int_eq(load_crafted(1, "\u2581", 3, 3, 0, 0), OK);
    ck_assert_int_eq(load_crafted(9, "b", 1, 1, 0, 0), ERR_FORMAT);
}
END_TEST

START_TEST(merges_that_double_are_stopped)
{
    /* Each merge doubles the one before it: 2^n bytes, were there no bound. */
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(buffer_add(&out, "heedtok1", 8, &err), OK);
    const uint32_t head[] = {0, NORMALIZE_NFC, 0, 1000, 2, 40, 1};
    for (int i = 0; i < 7; i++) {
        put(&out, head[i], 4);
    }
    put(&out, 1, 2);
    ck_assert_int_eq(buffer_add(&out, "a", 1, &err), OK);
    for (uint32_t i = 0; i < 40; i++) {
        put(&out, 261 + i, 4);
        put(&out, 261 + i, 4);
    }
    ck_assert_int_eq(try_load(out.bytes, out.len), ERR_FORMAT);
    buffer_free(&out);
}
END_TEST

START_TEST(words_characters_and_blanks_make_tokens)
{
    static const char *const texts[] = {"the cat , the cat ! \u732B\u732B <s> co@@ operate @@",
                                        "the cat <s> co@@ operate \u732B @@"};
    TokenizerOptions options = {TOKENIZER_WORD, 100, 2, NORMALIZE_NFC, 0};
    Tokenizer *t = learn_lines(texts, 2, options);
    expect_pieces(t, "the cat\u732B, dog", "\u2581the|\u2581cat|\u732B|<unk>|<unk>");
    expect_round_trip(t, "the cat \u732B\u732B the", strlen("the cat \u732B\u732B the"));
    tokenizer_free(t);

    options.kind = TOKENIZER_CHAR;
    t = learn_lines(texts, 2, options);
    expect_pieces(t, "the  c\u0301", "t|h|e|\u2581|\u2581|<unk>");
    expect_round_trip(t, "  the cat \u732B ", strlen("  the cat \u732B "));
    tokenizer_free(t);

    options.kind = TOKENIZER_SPACE;
    t = learn_lines(texts, 2, options);
    expect_pieces(t, " the\tcat <s>  co@@ operate dog", "the|cat|<s>|co@@|operate|<unk>");
    const int ids[] = {tokenizer_find(t, "the", 3), tokenizer_find(t, "co@@", 4),
                       tokenizer_find(t, "operate", 7), TOKEN_UNKNOWN, TOKEN_END};
    Buffer out = {0};
    Error err;
    ck_assert_int_eq(tokenizer_decode(t, ids, 5, &out, &err), OK);
    ck_assert_str_eq(out.bytes, "the cooperate <unk>");
    Pieces pieces = {0};
    ck_assert_int_eq(tokenizer_encode(t, "<s>", 3, &pieces, &err), OK);
    ck_assert_int_ge(pieces.ids[0], N_SPECIAL_TOKENS); /* text, no control token */
    pieces_free(&pieces);
    buffer_free(&out);
    tokenizer_free(t);
}
END_TEST

START_TEST(every_refused_allocation_is_reported)
{
    for (int kind = TOKENIZER_BPE; kind <= TOKENIZER_SPACE; kind++) {
        for (long n = 1;; n += n < 60 ? 1 : 7) {
            size_t lens[3];
            for (int i = 0; i < 3; i++) {
                lens[i] = strlen(sentences[i]);
            }
            LineArray array = {sentences, lens, 3, 0};
            const Lines lines = lines_of_array(&array);
            const TokenizerOptions options = {(TokenizerKind)kind, 300, 1, NORMALIZE_NFC, 0};
            Tokenizer *t = NULL, *loaded = NULL;
            Buffer bytes = {0}, text = {0};
            Pieces pieces = {0};
            Error err = {0};
            mem_fail_at(n, 0);
            Status status = tokenizer_learn(&t, &options, &lines, &err);
            status = status == OK ? tokenizer_save(t, &bytes, &err) : status;
            status = status == OK ? tokenizer_load(&loaded, bytes.bytes, bytes.len, &err) : status;
            status = status == OK ? tokenizer_encode(loaded, sentences[3], strlen(sentences[3]),
                                                     &pieces, &err)
                                  : status;
            status = status == OK ? tokenizer_decode(loaded, pieces.ids, pieces.len, &text, &err)
                                  : status;
            const int has_failed = mem_failed();
            mem_fail_at(0, 0);
            tokenizer_free(t);
            tokenizer_free(loaded);
            buffer_free(&bytes);
            buffer_free(&text);
            pieces_free(&pieces);
            if (!has_failed) {
                ck_assert_int_eq(status, OK);
                ck_assert_int_gt(n, 15);
                break;
            }
            ck_assert_int_eq(status, ERR_NOMEM);
        }
    }
}
END_TEST

START_TEST(default_sizes_follow_the_corpus)
{
    ck_assert_int_eq(tokenizer_default_vocab_size(5000), 2000);
    ck_assert_int_eq(tokenizer_default_vocab_size(30000), 8000);
    ck_assert_int_eq(tokenizer_default_vocab_size(200000), 16000);
    ck_assert_int_eq(tokenizer_default_vocab_size(0), 400);
    ck_assert_int_eq(tokenizer_default_vocab_size(100000000), 32000);
    for (long n = 1; n < 1000000; n += n / 10 + 1) {
        ck_assert_int_le(tokenizer_default_vocab_size(n), tokenizer_default_vocab_size(n + 1));
    }
}
END_TEST

/* 256 KiB of what makes slow tokenizers slow: a quadratic step would take minutes. */
START_TEST(a_long_line_takes_linear_time)
{
    static const char *const rows[] = {
        "a", " ", "\u6211\u559C\u6B22\u732B", "\u0301\u0323", "\u200D", "\u0E01\u0E34\u0E19"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Buffer line = {0};
        Error err;
        while (line.len < 1 << 18) {
            ck_assert_int_eq(buffer_add_text(&line, rows[i], &err), OK);
        }
        const char *const texts[] = {line.bytes};
        LineArray array = {texts, &line.len, 1, 0};
        const Lines lines = lines_of_array(&array);
        const TokenizerOptions options = {TOKENIZER_BPE, 1000, 2, NORMALIZE_NFC, 0};
        Tokenizer *t;
        ck_assert_int_eq(tokenizer_learn(&t, &options, &lines, &err), OK);
        expect_round_trip(t, line.bytes, line.len);
        tokenizer_free(t);
        buffer_free(&line);
    }
}
END_TEST

TEST_MAIN("tokenizer", tcase_add_test(c, bpe_gives_sentences_of_many_scripts_back);
          tcase_add_test(c, bpe_gives_awkward_text_back);
          tcase_add_test(c, bpe_gives_random_unicode_and_random_bytes_back);
          tcase_add_test(c, pieces_keep_classes_and_scripts_apart);
          tcase_add_test(c, of_equal_merges_the_leftmost_comes_first);
          tcase_add_test(c, spans_are_raw_bytes_without_the_blank);
          tcase_add_test(c, composed_and_decomposed_text_give_the_same_pieces);
          tcase_add_test(c, lower_case_and_nfkc_are_options);
          tcase_add_test(c, the_vocabulary_size_is_an_upper_bound);
          tcase_add_test(c, options_out_of_range_are_refused);
          tcase_add_test(c, any_ids_decode_to_valid_text);
          tcase_add_test(c, dropout_runs_from_pieces_to_characters);
          tcase_add_test(c, learning_and_saving_are_deterministic);
          tcase_add_test(c, damaged_bytes_are_refused_or_harmless);
          tcase_add_test(c, hostile_pieces_and_merges_are_refused);
          tcase_add_test(c, merges_that_double_are_stopped);
          tcase_add_test(c, words_characters_and_blanks_make_tokens);
          tcase_add_test(c, every_refused_allocation_is_reported);
          tcase_add_test(c, default_sizes_follow_the_corpus);
          tcase_add_test(c, a_long_line_takes_linear_time);)

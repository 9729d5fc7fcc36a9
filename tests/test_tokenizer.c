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
    for (int i = 0; i < pieces.len; i++) {
        ck_assert_int_le(0, pieces.spans[i][0]);
        ck_assert_int_le(pieces.spans[i][0], pieces.spans[i][1]);
        ck_assert_int_le(pieces.spans[i][1], (int)len);
        ck_assert_int_le(i == 0 ? 0 : pieces.spans[i - 1][0], pieces.spans[i][0]);
    }
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

TEST_MAIN("tokenizer", tcase_add_test(c, bpe_gives_sentences_of_many_scripts_back);)

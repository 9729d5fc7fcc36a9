/* model/average: the numbers, and which models do not go together. */
#include "model/average.h"

#include <string.h>

#include "support/check_main.h"
#include "support/scratch.h"
#include "support/toy.h"

/* Saves a toy network of the given seed with a tokenizer of those bytes. */
static Seq2Seq *save(char path[SCRATCH_PATH], const char *name, const Config *config, uint64_t seed,
                     const char *tokenizer)
{
    Error err;
    ModelText text = {0};
    Seq2Seq *model = toy_model(config, seed);
    scratch_path(path, name);
    ck_assert_int_eq(buffer_add_text(&text.source_tokenizer, tokenizer, &err), OK);
    ck_assert_int_eq(buffer_add_text(&text.target_tokenizer, "target", &err), OK);
    ck_assert_int_eq(buffer_add_text(&text.settings, name, &err), OK);
    ck_assert_int_eq(model_file_save(path, model, &text, &err), OK);
    model_text_free(&text);
    return model;
}

START_TEST(every_weight_is_the_weighted_mean)
{
    char paths[3][SCRATCH_PATH];
    const Config c = toy_config();
    const double weights[] = {1, 0, 3};
    Seq2Seq *models[3], *out;
    ModelText text;
    Error err;
    models[0] = save(paths[0], "a", &c, 1, "source");
    models[1] = save(paths[1], "b", &c, 2, "source");
    models[2] = save(paths[2], "c", &c, 3, "source");
    const char *const names[] = {paths[0], paths[1], paths[2]};
    for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
        ck_assert_int_eq(
            average_load(&out, &text, names, is_weighted ? weights : NULL, 3, NULL, &err), OK);
        for (size_t i = 0; i < out->params->count; i++) {
            const double a = (double)models[0]->params->values[i];
            const double b = (double)models[1]->params->values[i];
            const double d = (double)models[2]->params->values[i];
            const double mean = is_weighted ? (a + 3 * d) / 4 : (a + b + d) / 3;
            ck_assert_double_eq_tol((double)out->params->values[i], mean, 1e-6);
        }
        ck_assert_str_eq(text.settings.bytes, "a");
        ck_assert_str_eq(text.source_tokenizer.bytes, "source");
        seq2seq_free(out);
        model_text_free(&text);
    }
    for (int k = 0; k < 3; k++) {
        seq2seq_free(models[k]);
    }
    scratch_clean();
}
END_TEST

START_TEST(models_that_differ_are_refused)
{
    char paths[3][SCRATCH_PATH];
    const Config c = toy_config();
    Config other = c;
    Seq2Seq *out;
    ModelText text;
    Error err;
    other.decoder = DECODER_BAHDANAU;
    seq2seq_free(save(paths[0], "a", &c, 1, "source"));
    seq2seq_free(save(paths[1], "b", &other, 2, "source"));
    seq2seq_free(save(paths[2], "c", &c, 3, "another"));
    const char *const names[] = {paths[0], paths[1]}, *const texts[] = {paths[0], paths[2]};
    ck_assert_int_eq(average_load(&out, &text, names, NULL, 2, NULL, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "has other sizes than"));
    ck_assert_ptr_nonnull(strstr(err.message, paths[1]));
    ck_assert_int_eq(average_load(&out, &text, texts, NULL, 2, NULL, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "has other vocabularies than"));
    scratch_clean();
}
END_TEST

TEST_MAIN("average", tcase_add_test(c, every_weight_is_the_weighted_mean);
          tcase_add_test(c, models_that_differ_are_refused);)

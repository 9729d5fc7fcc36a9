/* train/state: what it writes it reads, of older checkpoints too; anything else is refused by name. */
#include "train/state.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "train/trainer.h"
#include "support/check_main.h"
#include "support/scratch.h"

static const State STATE = {.epoch = 3,
                            .batch = 7,
                            .update = 55,
                            .applied = 54,
                            .best_update = 40,
                            .best_epoch = 2,
                            .n_stalled = 1,
                            .plateau = 0.7,
                            .best = 12.345678901234567,
                            .elapsed = 0.1,
                            .n_skipped = 1,
                            .n_pairs = 1000,
                            .checksum = 4294967295,
                            .curve_nll = 1.0 / 3,
                            .curve_target = 99};

static void write(Buffer *text)
{
    Error err;
    ck_assert_int_eq(state_write(text, &STATE, &err), OK);
}

static void expect_refused(const char *text, const char *sentence)
{
    Error err = {.code = OK};
    State state;
    ck_assert_int_eq(state_read(&state, text, "m", &err), ERR_FORMAT);
    ck_assert_str_eq(err.message, sentence);
}

/* The text with what stands behind "name = " replaced. */
static void expect_value_refused(const char *name, const char *value)
{
    Buffer text = {0}, changed = {0};
    Error err;
    char sentence[200];
    write(&text);
    const char *at = strstr(text.bytes, name);
    ck_assert_ptr_nonnull(at);
    at += strlen(name) + strlen(" = ");
    ck_assert_int_eq(buffer_add(&changed, text.bytes, (size_t)(at - text.bytes), &err), OK);
    ck_assert_int_eq(buffer_add_text(&changed, value, &err), OK);
    ck_assert_int_eq(buffer_add_text(&changed, strchr(at, '\n'), &err), OK);
    (void)snprintf(sentence, sizeof sentence,
                   "m: %s in the trainer's state is no number of its range", name);
    expect_refused(changed.bytes, sentence);
    buffer_free(&changed);
    buffer_free(&text);
}

START_TEST(what_is_written_is_read)
{
    Buffer text = {0};
    State found;
    Error err;
    write(&text);
    ck_assert_int_eq(state_read(&found, text.bytes, "m", &err), OK);
    ck_assert_int_eq(found.update, STATE.update);
    ck_assert_int_eq(found.checksum, STATE.checksum);
    ck_assert(found.best == STATE.best && found.curve_nll == STATE.curve_nll);
    ck_assert_int_eq(found.curve_target, STATE.curve_target);
    buffer_free(&text);
}
END_TEST

START_TEST(the_first_checkpoints_end_before_the_curve)
{
    Buffer text = {0};
    State found = STATE;
    Error err;
    write(&text);
    *strstr(text.bytes, "curve_nll") = '\0';
    ck_assert_int_eq(state_read(&found, text.bytes, "m", &err), OK);
    ck_assert_int_eq(found.checksum, STATE.checksum);
    ck_assert(found.curve_nll == 0 && found.curve_target == 0);
    buffer_free(&text);
}
END_TEST

START_TEST(a_state_that_is_cut_is_refused_by_name)
{
    Buffer text = {0};
    write(&text);
    *strstr(text.bytes, "checksum") = '\0';
    expect_refused(text.bytes, "m: the trainer's state has no checksum");
    expect_refused("", "m: the trainer's state has no epoch");
    buffer_free(&text);
}
END_TEST

START_TEST(numbers_out_of_their_range_are_refused)
{
    expect_value_refused("update", "-1");
    expect_value_refused("epoch", "1e16");
    expect_value_refused("n_pairs", "nan");
    expect_value_refused("plateau", "inf");
    expect_value_refused("elapsed", "1x");
    expect_value_refused("n_stalled", "");
}
END_TEST

START_TEST(the_checkpoint_before_is_there_when_the_last_is_not)
{
    char last_path[SCRATCH_PATH], prev_path[SCRATCH_PATH], model[SCRATCH_PATH];
    Buffer last = {0}, prev = {0}, settings = {0};
    const char *found;
    Error err;
    scratch_path(model, "m.safetensors");
    scratch_path(last_path, "m.last.safetensors");
    scratch_path(prev_path, "m.prev.safetensors");
    ck_assert_int_eq(trainer_path(&last, model, "last", &err), OK);
    ck_assert_int_eq(trainer_path(&prev, model, "prev", &err), OK);
    ck_assert_str_eq(last.bytes, last_path);
    ck_assert_int_eq(state_find_checkpoint(&found, &last, &prev, &err), ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "there is no checkpoint to resume from"));
    scratch_write(prev_path, "x", 1);
    ck_assert_int_eq(state_find_checkpoint(&found, &last, &prev, &err), OK);
    ck_assert_str_eq(found, prev_path);
    ck_assert_int_eq(trainer_settings(&settings, model, &err), ERR_FORMAT);
    scratch_write(last_path, "y", 1);
    ck_assert_int_eq(state_find_checkpoint(&found, &last, &prev, &err), OK);
    ck_assert_str_eq(found, last_path);
    buffer_free(&last);
    buffer_free(&prev);
    buffer_free(&settings);
    scratch_clean();
}
END_TEST

START_TEST(settings_are_those_of_the_checkpoint)
{
    char model[SCRATCH_PATH], last_path[SCRATCH_PATH];
    char *bytes;
    size_t len;
    Buffer settings = {0};
    Error err;
    scratch_path(model, "m.safetensors");
    scratch_path(last_path, "m.last.safetensors");
    scratch_read("tests/data/released/0.1.0.last.safetensors", &bytes, &len);
    scratch_write(last_path, bytes, len);
    ck_assert_int_eq(trainer_settings(&settings, model, &err), OK);
    ck_assert_ptr_nonnull(strstr(settings.bytes, "\nlearn-rate = 0.01\n"));
    buffer_clear(&settings);
    mem_free(bytes);
    scratch_read("tests/data/sample.safetensors", &bytes, &len);
    scratch_write(last_path, bytes, len);
    ck_assert_int_eq(trainer_settings(&settings, model, &err), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "no metadata \"settings\""));
    mem_free(bytes);
    buffer_free(&settings);
    scratch_clean();
}
END_TEST

TEST_MAIN("state", tcase_add_test(c, what_is_written_is_read);
          tcase_add_test(c, the_first_checkpoints_end_before_the_curve);
          tcase_add_test(c, a_state_that_is_cut_is_refused_by_name);
          tcase_add_test(c, numbers_out_of_their_range_are_refused);
          tcase_add_test(c, the_checkpoint_before_is_there_when_the_last_is_not);
          tcase_add_test(c, settings_are_those_of_the_checkpoint);)

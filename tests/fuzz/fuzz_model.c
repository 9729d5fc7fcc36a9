/* Files of tensors and model files, with a checksum that fits: the header, then the whole model. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/checksum.h"
#include "base/safetensors.h"
#include "fuzz/fuzz.h"
#include "model/model_file.h"

enum { LEN_DIGITS = 8, MAX_BYTES = 1 << 16 };

/* Writes the right digits behind the first "checksum":" of the bytes. */
static void set_checksum(char *bytes, size_t len)
{
    static const char mark[] = "\"checksum\":\"", digits[] = "0123456789abcdef";
    const size_t len_mark = sizeof mark - 1;
    for (size_t i = 0; i + len_mark + LEN_DIGITS <= len; i++) {
        if (memcmp(bytes + i, mark, len_mark) == 0) {
            char *place = bytes + i + len_mark;
            memset(place, '0', LEN_DIGITS);
            const uint32_t crc = checksum_crc32(0, bytes, len);
            for (int k = 0; k < LEN_DIGITS; k++) {
                place[k] = digits[crc >> (28 - 4 * k) & 15];
            }
            return;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Error err;
    Buffer copy = {.max = MAX_BYTES};
    if (len > MAX_BYTES || buffer_add(&copy, bytes, len, &err) != OK) {
        buffer_free(&copy);
        return 0;
    }
    set_checksum(copy.bytes, len);
    const char *path = fuzz_file(copy.bytes, len);
    buffer_free(&copy);
    SafeFile *file;
    if (safe_open(&file, path, SAFE_CHECKSUM_OPTIONAL, &err) == OK) {
        for (int i = 0; i < safe_count(file); i++) {
            fuzz_expect(safe_find(file, safe_at(file, i)->name) == safe_at(file, i),
                        "a tensor is found by its name");
        }
        if (safe_read(file, &err) == OK) {
            volatile unsigned char sum = 0; /* every byte of every tensor can be read */
            for (int i = 0; i < safe_count(file); i++) {
                const SafeTensor *t = safe_at(file, i);
                for (uint64_t k = 0; k < t->n_bytes; k++) {
                    sum = (unsigned char)(sum + ((const unsigned char *)t->data)[k]);
                }
            }
        }
        safe_close(file);
    }
    Seq2Seq *model;
    ModelText text = {0};
    if (model_file_load(&model, &text, path, &err) == OK) {
        seq2seq_free(model);
        model_text_free(&text);
    }
    ModelMoments moments = {0};
    if (checkpoint_load(&model, &text, &moments, path, &err) == OK) {
        seq2seq_free(model);
        model_text_free(&text);
        model_moments_free(&moments);
    }
    return 0;
}

/* A line of an attention dump. */
#include "base/arena.h"
#include "fuzz/fuzz.h"
#include "text/dump_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Error err;
    Arena *arena;
    Dump dump;
    if (arena_create(&arena, 1 << 26, &err) == OK) {
        (void)!dump_parse(&dump, (const char *)bytes, len, arena, "input", 1, &err);
        arena_free(arena);
    }
    return 0;
}

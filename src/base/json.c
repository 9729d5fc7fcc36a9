/* jansson's allocator; see the header. */
#include "base/json.h"

#include <jansson.h>
#include <pthread.h>

#include "base/mem.h"

static _Thread_local int was_refused;

static void *json_block(size_t size)
{
    void *block = mem_alloc(size, 1);
    was_refused |= block == NULL;
    return block;
}

static void use_mem(void)
{
    json_set_alloc_funcs(json_block, mem_free);
}

void json_use_mem(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, use_mem);
    was_refused = 0;
}

int json_was_refused(void)
{
    return was_refused;
}

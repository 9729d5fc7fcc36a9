/* jansson's allocator; see the header. */
#include "base/json.h"

#include <jansson.h>
#include <pthread.h>

#include "base/mem.h"

static void *json_block(size_t size)
{
    return mem_alloc(size, 1);
}

static void use_mem(void)
{
    json_set_alloc_funcs(json_block, mem_free);
}

void json_use_mem(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, use_mem);
}

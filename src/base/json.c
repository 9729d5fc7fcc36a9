/* jansson's loader; see the header. */
#include "base/json.h"

#include <pthread.h>
#include <setjmp.h>

#include "base/mem.h"

typedef struct Blocks {
    void **items;
    size_t n, cap;
} Blocks;

/* While a thread loads, nothing of what it gives back is freed: then all that it has taken can be
 * released whenever a refusal comes, and no block twice. */
typedef struct Loading {
    jmp_buf refused;
    Blocks taken, given_back;
} Loading;

static _Thread_local Loading *loading;

static int blocks_reserve(Blocks *blocks)
{
    if (blocks->n == blocks->cap) {
        const size_t cap = 2 * blocks->cap + 64;
        void **grown = mem_resize(blocks->items, cap, sizeof *grown);
        if (grown == NULL) {
            return 0;
        }
        blocks->items = grown;
        blocks->cap = cap;
    }
    return 1;
}

static void blocks_free(Blocks *blocks)
{
    for (size_t i = 0; i < blocks->n; i++) {
        mem_free(blocks->items[i]);
    }
}

static void *take_block(size_t size)
{
    Loading *l = loading;
    if (l == NULL) {
        return mem_alloc(size, 1);
    }
    void *block = blocks_reserve(&l->taken) ? mem_alloc(size, 1) : NULL;
    if (block == NULL) {
        longjmp(l->refused, 1);
    }
    l->taken.items[l->taken.n++] = block;
    return block;
}

static void give_back(void *block)
{
    Loading *l = loading;
    if (l == NULL || block == NULL) {
        mem_free(block);
        return;
    }
    if (!blocks_reserve(&l->given_back)) {
        longjmp(l->refused, 1);
    }
    l->given_back.items[l->given_back.n++] = block;
}

static void use_mem(void)
{
    json_set_alloc_funcs(take_block, give_back);
}

/* Apart from json_read, whose Loading then is none of the variables that a longjmp makes uncertain. */
static int load(json_t **out, const char *text, size_t len, size_t flags, json_error_t *why,
                Loading *l)
{
    if (setjmp(l->refused) != 0) {
        return 0;
    }
    *out = json_loadb(text, len, flags, why);
    return 1;
}

Status json_read(json_t **out, const char *text, size_t len, size_t flags, json_error_t *why,
                 Error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, use_mem);
    Loading l = {.taken = {NULL, 0, 0}, .given_back = {NULL, 0, 0}};
    json_t *found = NULL;
    loading = &l;
    const int is_loaded = load(&found, text, len, flags, why, &l);
    loading = NULL;
    blocks_free(is_loaded ? &l.given_back : &l.taken);
    mem_free(l.taken.items);
    mem_free(l.given_back.items);
    if (!is_loaded) {
        return fail(err, ERR_NOMEM, "out of memory for %zu bytes of JSON", len);
    }
    if (found == NULL) {
        return ERR_FORMAT;
    }
    *out = found;
    return OK;
}

/* jansson's loader, with memory from base/mem, so that the failure hook reaches it too.
 *
 * By itself jansson does not survive a refusal: a number or string that cannot grow loses
 * characters or breaks an assertion, and an object may come back without some of its members. Here
 * the first refusal ends the loading, and what it has taken is released.
 *
 * Threads: may be called from any thread. jansson's allocator is global to the process: it is
 * base/mem's from the first call on; blocks it took before stay valid, since mem_free is free. */
#ifndef HEED_BASE_JSON_H
#define HEED_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "base/status.h"

/* Loads text [len] with jansson's flags (JSON_ALLOW_NUL, ...). The caller releases *out with
 * json_decref. ERR_NOMEM "out of memory for N bytes of JSON"; ERR_FORMAT when it is not JSON: then *why
 * says what is wrong, and the caller makes the sentence of that. */
Status json_read(json_t **out, const char *text, size_t len, size_t flags, json_error_t *why,
                 Error *err) MUST_USE;

#endif

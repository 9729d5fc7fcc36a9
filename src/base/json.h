/* What every user of jansson calls first: it makes the library allocate through base/mem, so that
 * the failure hook reaches it too.
 *
 * Threads: may be called from any thread, any number of times. jansson's settings are global to the
 * process; blocks it took before the call stay valid, since mem_free is free. */
#ifndef HEED_BASE_JSON_H
#define HEED_BASE_JSON_H

void json_use_mem(void);

/* Whether jansson was refused memory in this thread since the last json_use_mem. Ask after loading:
 * its own error often blames the text, and an object may come back without some of its members. */
int json_was_refused(void);

#endif

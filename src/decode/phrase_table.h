/* Replacements for words that a model does not know: lines of `source<TAB>target`, further columns
 * ignored, so that a lexicon of `heed align --lexicon` will do. The first line of a source counts.
 *
 * Threads: a loaded table may be read from many at once. */
#ifndef HEED_DECODE_PHRASE_TABLE_H
#define HEED_DECODE_PHRASE_TABLE_H

#include <stddef.h>

#include "base/status.h"

typedef struct PhraseTable PhraseTable;

/* ERR_FORMAT for a line without a tab; blank lines are passed over. */
Status phrase_table_load(PhraseTable **out, const char *path, Error *err) MUST_USE;
void phrase_table_free(PhraseTable *table);

/* The target of a source word, or NULL; context is the table (as RecordUnknown wants it). */
const char *phrase_table_find(void *context, const char *word, size_t len, size_t *len_found);

#endif

/* Lists of models; see the header. */
#include "cli/model_list.h"

#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/threads.h"

Status model_list_parse(ModelList *out, const char *text, Error *err)
{
    if (text == NULL || text[0] == '\0') {
        return fail(err, ERR_ARG, "--model: is needed, the model file (or several, with commas)");
    }
    ModelList list = {.text = mem_copy_text(text, strlen(text))};
    if (list.text == NULL) {
        return mem_fail(err, "names of models", strlen(text), 1);
    }
    const int is_one = strchr(text, ',') == NULL || io_exists(text);
    for (char *at = list.text; at != NULL;) {
        char *comma = is_one ? NULL : strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        if (at[0] == '\0' || list.n == ENSEMBLE_MAX) {
            model_list_free(&list);
            return fail(err, ERR_ARG, "--model %.200s: must be 1 to %d names with commas between",
                        text, ENSEMBLE_MAX);
        }
        list.paths[list.n++] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    *out = list;
    return OK;
}

void model_list_free(ModelList *list)
{
    mem_free(list->text);
    *list = (ModelList){0};
}

Status model_list_open(Translator **out, const ModelList *list, int n_threads, Error *err)
{
    return translator_open(out, list->paths, list->n,
                           n_threads > 0 ? n_threads : threads_available(), err);
}

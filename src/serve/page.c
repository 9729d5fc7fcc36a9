/* The page; see the header. The arrays are made from the files beside this one by page.mk. */
#include "serve/page.h"

#include <string.h>

static const unsigned char HTML[] = {
#include "serve/page.html.inc"
};
static const unsigned char CSS[] = {
#include "serve/page.css.inc"
};
static const unsigned char JS[] = {
#include "serve/page.js.inc"
};
static const unsigned char ICON[] = {
#include "serve/icon.svg.inc"
};

static const PagePart PARTS[] = {
    {"/", "text/html; charset=utf-8", HTML, sizeof HTML},
    {"/page.css", "text/css; charset=utf-8", CSS, sizeof CSS},
    {"/page.js", "text/javascript; charset=utf-8", JS, sizeof JS},
    {"/icon.svg", "image/svg+xml", ICON, sizeof ICON},
};

const PagePart *page_find(const char *path)
{
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        if (strcmp(path, PARTS[i].path) == 0) {
            return &PARTS[i];
        }
    }
    return NULL;
}

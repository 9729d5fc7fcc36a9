/* The page of the server: a fixed set of files, held in the program. */
#ifndef HEED_SERVE_PAGE_H
#define HEED_SERVE_PAGE_H

#include <stddef.h>

typedef struct PagePart {
    const char *path; /* as requested: "/" */
    const char *type; /* its media type */
    const unsigned char *bytes;
    size_t len;
} PagePart;

/* The part at exactly this path, or NULL. */
const PagePart *page_find(const char *path);

#endif

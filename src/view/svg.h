/* Attention matrices as a picture in SVG 1.1: rows are target words, columns source words, the
 * darker the cell, the larger the weight; each cell and the whole have a title. It follows the
 * reader's dark or light setting where the viewer does; no script, no outside resource. */
#ifndef HEED_VIEW_SVG_H
#define HEED_VIEW_SVG_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/dump.h"

typedef struct SvgOptions {
    int is_log;    /* opacity by the logarithm: 0.01 % and less is nothing */
    int is_inline; /* for the inside of an HTML page: no XML declaration, no style of its own */
} SvgOptions;

/* Appends one picture of n matrices, one below the other. */
Status svg_draw(Buffer *out, const Dump *const *dumps, int n, SvgOptions options,
                Error *err) MUST_USE;

#endif

/* The live line; see the header. */
#include "cli/live_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cli/results.h"

enum { BAR_CELLS = 20, NARROW_CELLS = 8, NARROW_WIDTH = 70, DEFAULT_WIDTH = 80 };

static void tell(void *context, const ProgressStep *step);

void live_begin(LiveLine *live, int is_off)
{
    const char *terminal = getenv("TERM"), *forbidden = getenv("NO_COLOR");
    const int is_dumb = terminal != NULL && strcmp(terminal, "dumb") == 0;
    *live = (LiveLine){.is_on = !is_off && !is_dumb && isatty(STDERR_FILENO),
                       .has_color = forbidden == NULL || forbidden[0] == '\0',
                       .progress = {tell, live}};
}

int live_is_shared(int has_stdout, const char *input)
{
    return (has_stdout && isatty(STDOUT_FILENO)) ||
           (input != NULL && strcmp(input, "-") == 0 && isatty(STDIN_FILENO));
}

const Progress *live_progress(const LiveLine *live)
{
    return live->is_on ? &live->progress : NULL;
}

void live_clear(LiveLine *live)
{
    if (live->has_line) {
        (void)fputs("\r\033[K", stderr);
        live->has_line = 0;
    }
}

void live_time(char *out, size_t cap, double seconds)
{
    const long s = seconds < 0 ? 0 : (long)seconds;
    if (seconds < 0) {
        (void)snprintf(out, cap, "?");
    } else if (s < 3600) {
        (void)snprintf(out, cap, "%ld:%02ld", s / 60, s % 60);
    } else {
        (void)snprintf(out, cap, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    }
}

void live_field(LiveFields *fields, const char *format, ...)
{
    if (fields->n < LIVE_FIELDS) {
        va_list values;
        va_start(values, format);
        (void)vsnprintf(fields->text[fields->n++], LIVE_FIELD_BYTES, format, values);
        va_end(values);
    }
}

static Status add_bar(Buffer *out, double fraction, int n_cells, int has_color)
{
    const int n_full = (int)(fraction * n_cells); /* full means done, and so does 100 % */
    TRY(buffer_add_text(out, has_color ? "  \033[32m" : "  ", NULL));
    for (int i = 0; i < n_cells; i++) {
        TRY(buffer_add_text(out, i < n_full ? "\xE2\x96\x88" : "\xE2\x96\x91", NULL));
    }
    return buffer_printf(out, NULL, "%s  %3.0f %%", has_color ? "\033[0m" : "",
                         floor(100 * fraction));
}

static Status compose(Buffer *out, const LiveLine *live, const char *what, double fraction,
                      const LiveFields *fields)
{
    const int found = screen_width(STDERR_FILENO), width = found > 0 ? found : DEFAULT_WIDTH;
    int used = (int)strlen(what);
    TRY(buffer_add_text(out, "\r\033[K", NULL));
    TRY(buffer_add(out, what, (size_t)(used < width ? used : width - 1), NULL));
    if (fraction >= 0) {
        const int n_cells = width < NARROW_WIDTH ? NARROW_CELLS : BAR_CELLS;
        const int n_columns = n_cells + 9; /* "  ", the bar, "  ", "100 %" */
        if (used + n_columns < width) {
            TRY(add_bar(out, fraction, n_cells, live->has_color));
            used += n_columns;
        }
    }
    for (int i = 0; i < fields->n; i++) {
        used += 2 + (int)strlen(fields->text[i]);
        if (used >= width) { /* the last column stays free: some terminals wrap there */
            break;
        }
        TRY(buffer_printf(out, NULL, "  %s", fields->text[i]));
    }
    return OK;
}

void live_draw(LiveLine *live, const char *what, double fraction, const LiveFields *fields)
{
    Buffer text = {0};
    /* Without memory there is no line this time. */
    if (live->is_on && compose(&text, live, what, fraction, fields) == OK) {
        (void)fwrite(text.bytes, 1, text.len, stderr);
        live->has_line = 1;
        live->drawn = clock_seconds();
    }
    buffer_free(&text);
}

/* Whether the step begins work of its own. */
static int is_new(const LiveLine *live, const ProgressStep *step)
{
    return live->last.what == NULL || strcmp(live->last.what, step->what) != 0 ||
           step->n < live->last.n;
}

static void tell(void *context, const ProgressStep *step)
{
    LiveLine *live = context;
    const double now = clock_seconds();
    if (live->last.what == NULL) {
        live->first = now;
    }
    if (is_new(live, step)) {
        live->began = now;
        live->n0 = step->n;
        live->f0 = step->fraction;
    }
    live->last = *step;
    if (now - live->first < LIVE_AFTER || now - live->drawn < LIVE_EVERY) {
        return;
    }
    const double seconds = now - live->began;
    LiveFields fields = {.n = 0};
    if (seconds > 0 && step->fraction > live->f0) {
        char left[32];
        live_time(left, sizeof left, seconds * (1 - step->fraction) / (step->fraction - live->f0));
        live_field(&fields, "%s left", left);
    }
    live_field(&fields, "%.0f %s", step->n, step->unit);
    if (seconds > 0 && step->n > live->n0) {
        const double rate = (step->n - live->n0) / seconds;
        live_field(&fields, rate < 10 ? "%.1f %s/s" : "%.0f %s/s", rate, step->unit);
    }
    live_draw(live, step->what, step->fraction, &fields);
}

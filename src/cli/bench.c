/* Measuring and telling; see the header. */
#include "cli/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "math/gemm.h"
#include "math/vec.h"

static void keep(Bench *b, Status status)
{
    if (b->status == OK) {
        b->status = status;
    }
}

void bench_section(Bench *b, const char *format, ...)
{
    if (!b->is_json) {
        va_list args;
        va_start(args, format);
        (void)putchar('\n');
        (void)vprintf(format, args);
        (void)putchar('\n');
        va_end(args);
        (void)fflush(stdout);
    }
}

static void add_key(Bench *b, const char *key)
{
    keep(b, buffer_printf(&b->json, b->err, "%s\"%s\":", b->n_figures++ == 0 ? "" : ",\n ", key));
}

void bench_figure(Bench *b, const char *key, double value, const char *unit, double share)
{
    if (b->is_json) {
        add_key(b, key);
        keep(b, buffer_printf(&b->json, b->err, "%.6g", value));
        return;
    }
    (void)printf("  %-44s %12.4g %s", key, value, unit);
    if (share > 0) {
        (void)printf("  %3.0f %% of the peak", 100 * share);
    }
    (void)putchar('\n');
    (void)fflush(stdout);
}

void bench_fact(Bench *b, const char *key, const char *value)
{
    if (b->is_json) {
        add_key(b, key);
        keep(b, buffer_add_byte(&b->json, '"', b->err));
        for (; *value != '\0'; value++) {
            const char c = *value;
            keep(b, buffer_add_byte(&b->json,
                                    c == '"' || c == '\\' || (unsigned char)c < 0x20 ? ' ' : c,
                                    b->err));
        }
        keep(b, buffer_add_byte(&b->json, '"', b->err));
        return;
    }
    (void)printf("  %-44s %s\n", key, value);
    (void)fflush(stdout);
}

enum { TRIES = 7 };

double bench_best(void (*run)(void *context), void *context)
{
    const double wanted = 3e-3;
    long n = 1;
    double best = 0;
    for (int try = 0; try < TRIES;) {
        const double begin = clock_thread_seconds();
        for (long i = 0; i < n; i++) {
            run(context);
        }
        const double seconds = clock_thread_seconds() - begin;
        if (seconds < wanted && n < 1L << 40) {
            n *= seconds < wanted / 8 ? 8 : 2;
            continue;
        }
        best = try == 0 || seconds / (double)n < best ? seconds / (double)n : best;
        try++;
    }
    return best;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The rest of the line of a small system file that begins with the word; "unknown" when there is
 * none. */
static void read_line(char *out, size_t cap, const char *path, const char *word)
{
    char text[4096];
    size_t len = 0, got = 1;
    IoFile *file;
    (void)snprintf(out, cap, "unknown");
    if (io_open_read(&file, path, NULL) != OK) {
        return;
    }
    while (got > 0 && len + 1 < sizeof text) {
        if (io_read(file, text + len, sizeof text - 1 - len, &got, NULL) != OK) {
            break;
        }
        len += got;
    }
    io_discard(file);
    text[len] = '\0';
    const char *at = strstr(text, word);
    if (at != NULL) {
        at += strlen(word);
        at += strspn(at, " \t:");
        (void)snprintf(out, cap, "%.*s", (int)strcspn(at, "\n"), at);
    }
}

typedef struct PeakRun {
    real out;
    double operations;
} PeakRun;

static void run_peak(void *context)
{
    PeakRun *p = context;
    p->operations = vec_ops()->peak(&p->out, 4096);
}

void bench_machine(Bench *b, int n_threads)
{
    char text[256], line[300];
    read_line(text, sizeof text, "/proc/cpuinfo", "model name");
    (void)snprintf(line, sizeof line, "%s, %d in use by this process", text, threads_available());
    bench_fact(b, "processor", line);
    read_line(text, sizeof text, "/proc/loadavg", "");
    bench_fact(b, "load", text);
    bench_fact(b, "instruction set", vec_ops()->name);
    bench_fact(b, "BLAS kernels", gemm_blas_name());
    bench_figure(b, "threads", n_threads, "", 0);
    PeakRun peak;
    const double seconds = bench_best(run_peak, &peak);
    b->peak = peak.operations / seconds;
    bench_figure(b, "peak of multiply-adds, one core", b->peak * 1e-9, "GFLOP/s", 0);
}

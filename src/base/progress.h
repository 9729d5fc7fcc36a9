/* Being told how far work is that may take long. Nothing below cli draws it.
 *
 * Threads: told by the thread that was given the work. */
#ifndef HEED_BASE_PROGRESS_H
#define HEED_BASE_PROGRESS_H

/* What is known of work under way. */
typedef struct ProgressStep {
    const char *what, *unit; /* "reading pairs", "pairs"; text that outlives the work */
    double n;                /* units done */
    double fraction;         /* 0 .. 1 of all of it; below 0 when that is not known */
} ProgressStep;

/* Whoever wants to know. `tell` may be called often and must be quick. */
typedef struct Progress {
    void (*tell)(void *context, const ProgressStep *step);
    void *context;
} Progress;

/* Tells; progress may be NULL. */
void progress_tell(const Progress *progress, const char *what, const char *unit, double n,
                   double fraction);

/* The fraction n / total, or -1 when total is not known (0). */
double progress_share(double n, double total);

#endif

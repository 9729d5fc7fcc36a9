/* Time, for progress and for limits in minutes. */
#ifndef HEED_BASE_CLOCK_H
#define HEED_BASE_CLOCK_H

/* Seconds since some fixed moment; never goes back. */
double clock_seconds(void);

/* Seconds of processor time that this thread, or all threads of the process, have used. */
double clock_thread_seconds(void);
double clock_process_seconds(void);

#endif

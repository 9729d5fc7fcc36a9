/* Time, for progress and for limits in minutes. */
#ifndef HEED_BASE_CLOCK_H
#define HEED_BASE_CLOCK_H

/* Seconds since some fixed moment; never goes back. */
double clock_seconds(void);

#endif

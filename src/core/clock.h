/* Clocks: one that never goes back, and processor time. */
#ifndef PL_CORE_CLOCK_H
#define PL_CORE_CLOCK_H

#include <time.h>

static inline double pl_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of processor time of all threads of the process. */
static inline double pl_processor_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of processor time of the calling thread. */
static inline double pl_thread_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif

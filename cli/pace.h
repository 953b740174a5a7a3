/* Steps by the clock on the wall: each has to be done when its time has come. */
#ifndef PL_CLI_PACE_H
#define PL_CLI_PACE_H

#include <stddef.h>
#include <stdint.h>

typedef struct cli_pace {
  int is_on;
  double start;          /* s, when the step in hand began to count */
  int64_t steps, missed; /* done after their time */
  double *times;         /* s, of all steps with their output; NULL: no memory, or none yet */
  size_t count, room;
} cli_pace;

void cli_pace_start(cli_pace *pace, int is_on);
/* What is left of a step of that length, s; infinite where no clock counts. */
double cli_pace_left(const cli_pace *pace, double length);
/* A step of that length is done, which began at the time began; waits until its time has come. One
 * that is late takes its delay along, so that the next has its whole time. */
void cli_pace_wait(cli_pace *pace, double began, double length);

/* How long steps took, s: half of them less than the median, 99 of 100 less than high. Jitter is
 * the difference of both. */
typedef struct cli_pace_facts {
  double median, high, longest;
} cli_pace_facts;

cli_pace_facts cli_pace_read(const cli_pace *pace);
void cli_pace_close(cli_pace *pace);

#endif

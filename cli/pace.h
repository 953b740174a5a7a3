/* Steps by the clock on the wall: each has to be done when its time has come. */
#ifndef PL_CLI_PACE_H
#define PL_CLI_PACE_H

#include <stdint.h>

typedef struct cli_pace {
  int is_on;
  double start, longest; /* s; the longest step */
  int64_t steps, missed; /* done after their time */
} cli_pace;

void cli_pace_start(cli_pace *pace, int is_on);
/* A step of that length is done, which began at the time began; waits until its time has come. One
 * that is late takes its delay along, so that the next has its whole time. */
void cli_pace_wait(cli_pace *pace, double began, double length);

#endif

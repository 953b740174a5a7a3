#include "pace.h"

#include "core/clock.h"

#include <math.h>

void cli_pace_start(cli_pace *pace, int is_on)
{
  *pace = (cli_pace){.is_on = is_on, .start = pl_now()};
}

void cli_pace_wait(cli_pace *pace, double began, double length)
{
  if (!pace->is_on) return;
  double now = pl_now(), due = pace->start + length;
  pace->steps++;
  pace->longest = fmax(pace->longest, now - began);
  pace->missed += now > due;
  pace->start = fmax(now, due);
  double left = due - now;
  if (left <= 0) return;
  struct timespec pause = {.tv_sec = (time_t)left};
  pause.tv_nsec = (long)(1e9 * (left - (double)pause.tv_sec));
  nanosleep(&pause, NULL); // an interrupt ends it, and is looked at then
}

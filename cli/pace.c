#include "pace.h"

#include "core/clock.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

void cli_pace_start(cli_pace *pace, int is_on)
{
  *pace = (cli_pace){.is_on = is_on, .start = pl_now()};
}

double cli_pace_left(const cli_pace *pace, double length)
{
  return pace->is_on ? pace->start + length - pl_now() : INFINITY;
}

static void keep(cli_pace *pace, double seconds)
{
  pl_allocator allocator = pl_allocator_default();
  void *times = pace->times;
  if (pl_reserve(&allocator, &times, &pace->room, pace->count + 1, sizeof(double))) return;
  pace->times = times;
  pace->times[pace->count++] = seconds;
}

void cli_pace_wait(cli_pace *pace, double began, double length)
{
  if (!pace->is_on) return;
  double now = pl_now(), due = pace->start + length;
  pace->steps++;
  keep(pace, now - began);
  pace->missed += now > due;
  pace->start = fmax(now, due);
  double left = due - now;
  if (left <= 0) return;
  struct timespec pause = {.tv_sec = (time_t)left};
  pause.tv_nsec = (long)(1e9 * (left - (double)pause.tv_sec));
  nanosleep(&pause, NULL); // an interrupt ends it, and is looked at then
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

cli_pace_facts cli_pace_read(const cli_pace *pace)
{
  if (!pace->count) return (cli_pace_facts){0};
  qsort(pace->times, pace->count, sizeof(double), ascending);
  return (cli_pace_facts){.median = pace->times[pace->count / 2],
                          .high = pace->times[(pace->count - 1) * 99 / 100],
                          .longest = pace->times[pace->count - 1]};
}

void cli_pace_close(cli_pace *pace)
{
  pl_allocator allocator = pl_allocator_default();
  pl_free(&allocator, pace->times);
  *pace = (cli_pace){0};
}

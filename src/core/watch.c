#include "core/watch.h"

#include "core/clock.h"
#include "core/error.h"

int pl_watch_ask(pl_watch *watch)
{
  if (watch->by.pause > 0) {
    double now = pl_now();
    if (now - watch->asked < watch->by.pause) return 0;
    watch->asked = now;
  }
  watch->ended = watch->by.ask(watch->by.context, watch->time) != 0;
  return watch->ended;
}

pl_status pl_watch_check(pl_watch *watch, pl_error *error)
{
  if (!pl_watch_ended(watch)) return PL_OK;
  return pl_fail(error, PL_E_CANCELLED, "the step was cancelled on the way to t = %g s",
                 watch->time);
}

int pl_watch_late(pl_watch *watch)
{
  if (!watch || watch->deadline == 0) return 0;
  if (!watch->is_late) watch->is_late = pl_now() > watch->deadline;
  return watch->is_late;
}

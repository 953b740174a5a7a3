/* Asks the caller of a long computation now and then whether it is to go on. The answer "no" is
 * kept until the next computation begins, so that everything on the way back sees the same. */
#ifndef PL_CORE_WATCH_H
#define PL_CORE_WATCH_H

#include "core/thread.h"

typedef struct pl_watch {
  pl_watcher by;   /* without a function nobody is asked */
  double time;     /* simulated, s: what the caller is shown */
  int ended;       /* the answer was no */
  double deadline; /* by pl_now(), s: from then on what has been computed counts; 0: none */
  int is_late;     /* it has passed */
  double asked;    /* by pl_now(), s: when somebody was asked last */
} pl_watch;

/* 1: the computation is to end. watch may be NULL. */
int pl_watch_ask(pl_watch *watch);
static inline int pl_watch_ended(pl_watch *watch)
{
  return watch && watch->by.ask && (watch->ended || pl_watch_ask(watch));
}

/* The same as a status: PL_E_CANCELLED and its sentence. */
pl_status pl_watch_check(pl_watch *watch, pl_error *error);

/* pl_parallel that may end early: the caller's thread asks between its chunks, and after a "no" no
 * chunk is begun any more. Then what chunks write is incomplete. */
pl_status pl_parallel_watched(pl_pool *pool, int chunks, void (*work)(void *context, int chunk),
                              void *context, pl_watch *watch, pl_error *error);

/* 1: no time is left to improve the result. watch may be NULL. */
int pl_watch_late(pl_watch *watch);

#endif

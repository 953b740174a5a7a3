#include "core/watch.h"

#include "core/clock.h"
#include "core/error.h"

#include <pthread.h>
#include <stdatomic.h>

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

typedef struct watched {
  void (*work)(void *context, int chunk);
  void *context;
  pl_watch *watch;
  pthread_t caller;
  atomic_int ended;
} watched;

static void watched_chunk(void *context, int chunk)
{
  watched *job = context;
  if (pthread_equal(pthread_self(), job->caller) && pl_watch_ended(job->watch))
    atomic_store_explicit(&job->ended, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&job->ended, memory_order_relaxed)) job->work(job->context, chunk);
}

pl_status pl_parallel_watched(pl_pool *pool, int chunks, void (*work)(void *context, int chunk),
                              void *context, pl_watch *watch, pl_error *error)
{
  watched job = {work, context, watch, pthread_self(), 0};
  pl_parallel(pool, chunks, watch ? watched_chunk : work, watch ? &job : context);
  return atomic_load(&job.ended) ? pl_watch_check(watch, error) : PL_OK;
}

int pl_watch_late(pl_watch *watch)
{
  if (!watch || watch->deadline == 0) return 0;
  if (!watch->is_late) watch->is_late = pl_now() > watch->deadline;
  return watch->is_late;
}

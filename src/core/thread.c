/* The pool: one ticket counter that carries the job's number, so that a thread which wakes up late
 * can never take a chunk of a job that is over. Idle threads spin for some microseconds before
 * they sleep, since a solver posts a job every few microseconds. */
#include "core/thread.h"

#include "core/error.h"
#include "core/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 256, SPINS = 4000, CLOSED = 0x7fffffff };

struct pl_pool {
  pl_allocator allocator;
  int threads, started, spins;
  pthread_t ids[MOST_THREADS];

  // the job: valid while the ticket carries its number
  _Atomic(void (*)(void *, int)) work;
  _Atomic(void *) context;
  atomic_int chunks;
  _Alignas(64) atomic_uint_fast64_t ticket; /* job number << 32 | next chunk, CLOSED for none */
  _Alignas(64) atomic_int done;

  // for threads that went to sleep
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  atomic_int sleepers, stop;
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Takes chunks of job number until none is left. */
static void take_chunks(pl_pool *pool, uint64_t job)
{
  uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  while (ticket >> 32 == job) {
    void (*work)(void *, int) = atomic_load_explicit(&pool->work, memory_order_acquire);
    void *context = atomic_load_explicit(&pool->context, memory_order_acquire);
    int chunks = atomic_load_explicit(&pool->chunks, memory_order_acquire);
    int chunk = (int)(ticket & 0xffffffff);
    if (chunk >= chunks) return;
    // a successful exchange proves that the job was still open when its fields were read
    if (!atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, ticket + 1,
                                               memory_order_acq_rel, memory_order_acquire))
      continue;
    work(context, chunk);
    atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
    ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  }
}

static uint64_t current_job(pl_pool *pool) { return atomic_load(&pool->ticket) >> 32; }

static void sleep_until(pl_pool *pool, uint64_t job)
{
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  while (current_job(pool) == job && !atomic_load(&pool->stop))
    pthread_cond_wait(&pool->wake, &pool->mutex);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
}

static void *serve(void *argument)
{
  pl_pool *pool = argument;
  uint64_t job = 0;
  while (!atomic_load(&pool->stop)) {
    int spins = pool->spins;
    while (current_job(pool) == job && spins-- > 0 && !atomic_load(&pool->stop)) pause_briefly();
    if (current_job(pool) == job) sleep_until(pool, job);
    job = current_job(pool);
    take_chunks(pool, job);
  }
  return NULL;
}

static void wake_all(pl_pool *pool)
{
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

pl_status pl_pool_create(const pl_allocator *allocator, int threads, pl_pool **out, pl_error *error)
{
  *out = NULL;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors < 1) processors = 1;
  if (threads == 0) threads = processors < MOST_THREADS ? (int)processors : MOST_THREADS;
  if (threads < 0 || threads > MOST_THREADS)
    return pl_fail(error, PL_E_ARGUMENT, "threads = %d must lie between 0 (all) and %d", threads,
                   MOST_THREADS);
  pl_pool *pool = pl_alloc(allocator, 1, sizeof *pool);
  if (!pool) return pl_fail_memory(error);
  pool->allocator = *allocator;
  pool->threads = threads;
  pool->spins = threads <= processors ? SPINS : 0;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  for (int i = 1; i < threads; i++) {
    if (pthread_create(&pool->ids[i], NULL, serve, pool)) {
      pl_pool_destroy(pool);
      return pl_fail(error, PL_E_LIMIT, "thread %d of %d cannot be started; use fewer threads",
                     i + 1, threads);
    }
    pool->started = i;
  }
  *out = pool;
  return PL_OK;
}

void pl_pool_destroy(pl_pool *pool)
{
  if (!pool) return;
  atomic_store(&pool->stop, 1);
  wake_all(pool);
  for (int i = 1; i <= pool->started; i++) pthread_join(pool->ids[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
  pl_allocator allocator = pool->allocator;
  pl_free(&allocator, pool);
}

int pl_pool_threads(const pl_pool *pool) { return pool ? pool->threads : 1; }

void pl_parallel(pl_pool *pool, int chunks, void (*work)(void *context, int chunk), void *context)
{
  if (!pool || pool->threads == 1 || chunks <= 1) {
    for (int chunk = 0; chunk < chunks; chunk++) work(context, chunk);
    return;
  }

  // close the last job before its fields change, so that a late thread which sees a new field
  // cannot draw an old ticket
  uint64_t job = current_job(pool);
  atomic_store(&pool->ticket, job << 32 | CLOSED);

  // post the job: the ticket's release makes the fields visible
  atomic_store_explicit(&pool->work, work, memory_order_release);
  atomic_store_explicit(&pool->context, context, memory_order_release);
  atomic_store_explicit(&pool->chunks, chunks, memory_order_release);
  atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
  job = (job + 1) & 0xffffffff;
  atomic_store(&pool->ticket, job << 32);
  if (atomic_load(&pool->sleepers) > 0) wake_all(pool);

  // help, then wait for the chunks that others took
  take_chunks(pool, job);
  for (int spins = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < chunks; spins++) {
    if (spins < pool->spins)
      pause_briefly();
    else
      sched_yield();
  }
}

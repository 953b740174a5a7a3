/* The pool: the chunks of a job lie in one span per thread, so that a thread mostly gets those
 * that it had in the last job over the same data, and threads seldom draw from the same counter;
 * who has finished its own span, from its beginning, helps with the others, after a microsecond or
 * two in which their owners do not come. A span's counter
 * carries the job's number, so that a thread which wakes up late can never take a chunk of a job
 * that is over. Idle threads spin for some microseconds before they sleep, since a solver posts a
 * job every few microseconds; each waits for its own span, in which everything stands that it must
 * know: so a job comes to it in one line of the cache.
 *
 * Linux may wake a thread on the processor of the one that wakes it and leave both there for as
 * long as they work in short turns, as a simulation does that keeps step with a clock: each then
 * waits for the other's spinning. A thread that wakes up there moves to another processor at once:
 * steps of a small body on two of two processors are 4 times as fast for it.
 *
 * In a browser threads are workers that were made before: where none is left, or the module has no
 * threads at all, the pool does with those that it has got.
 */
#ifdef __linux__
#define _GNU_SOURCE // processors of threads
#endif
#include "core/thread.h"

#include "core/error.h"
#include "core/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 256, CLOSED = 0x7fffffff, MOST_KEPT = 16 };
/* Rounds of waiting, each with a pause of some nanoseconds; WebAssembly has no such pause. */
#ifdef __EMSCRIPTEN__
enum { SPINS = 60000, PATIENCE = 1500, REST_NANOSECONDS = 20000, MAY_BE_FEWER = 1 };
#else
enum { SPINS = 4000, PATIENCE = 100, MAY_BE_FEWER = 0 };
#endif

/* Chunks [next, end) of a job, whose fields are valid while the ticket carries its number. */
typedef struct span {
  _Alignas(64) atomic_uint_fast64_t ticket; /* job number << 32 | next chunk; CLOSED: none */
  atomic_int end;
  _Atomic(void (*)(void *, int)) work;
  _Atomic(void *) context;
} span;

/* Jobs that were deferred. */
typedef struct kept_jobs {
  int gathers, count, items, chunks;
  struct kept_job {
    void (*work)(void *, int);
    _Alignas(max_align_t) unsigned char context[PL_DEFERRED_BYTES];
  } list[MOST_KEPT];
} kept_jobs;

/* What a thread is given at its start. */
typedef struct server {
  pl_pool *pool;
  int number;
} server;

struct pl_pool {
  pl_allocator allocator;
  int threads, started, spins;
  kept_jobs kept;
  pthread_t ids[MOST_THREADS];
  server servers[MOST_THREADS];

  atomic_int caller_cpu;                 /* that woke the sleepers; -1: unknown */
  _Alignas(64) atomic_uint_fast64_t job; /* the last number */
  _Alignas(64) atomic_int done;          /* chunks of it that were not taken by who posted it */
  span spans[MOST_THREADS];
  atomic_int asleep[MOST_THREADS];

  // for threads that went to sleep
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  atomic_int sleepers, stop;
};

/* Leaves the processor to others for a while in which *value is probably still seen. */
static inline void rest_briefly(atomic_int *value, int seen)
{
#ifdef __EMSCRIPTEN__
  // sched_yield does nothing there
  __builtin_wasm_memory_atomic_wait32((int *)value, seen, REST_NANOSECONDS);
#else
  (void)value, (void)seen;
  sched_yield();
#endif
}

/* Works on chunks of a span until none is left; how many. */
static int take_from(span *from, uint64_t job)
{
  int count = 0;
  uint64_t ticket = atomic_load_explicit(&from->ticket, memory_order_acquire);
  while (ticket >> 32 == job) {
    void (*work)(void *, int) = atomic_load_explicit(&from->work, memory_order_acquire);
    void *context = atomic_load_explicit(&from->context, memory_order_acquire);
    int end = atomic_load_explicit(&from->end, memory_order_acquire);
    int chunk = (int)(ticket & 0xffffffff);
    if (chunk >= end) break;
    // a successful exchange proves that the job was still open when its fields were read
    if (!atomic_compare_exchange_weak_explicit(&from->ticket, &ticket, ticket + 1,
                                               memory_order_acq_rel, memory_order_acquire))
      continue;
    work(context, chunk);
    count++;
    ticket = atomic_load_explicit(&from->ticket, memory_order_acquire);
  }
  return count;
}

/* Gives the owner of a span, unless it sleeps, the time to come or to move on: what another thread
 * does in its place moves the data from cache to cache and back. */
static void await_owner(pl_pool *pool, int owner, uint64_t job)
{
  const span *of = &pool->spans[owner];
  uint64_t seen = atomic_load_explicit(&of->ticket, memory_order_acquire);
  int end = atomic_load_explicit(&of->end, memory_order_relaxed);
  if (seen >> 32 != job || (int)(seen & 0xffffffff) >= end) return;
  if (atomic_load_explicit(&pool->asleep[owner], memory_order_relaxed)) return;
  for (int i = 0; i < PATIENCE; i++) {
    if (atomic_load_explicit(&of->ticket, memory_order_acquire) != seen) return;
    pl_pause();
  }
}

/* Takes chunks of job number, the thread's own first, until none is left; how many. */
static int take_chunks(pl_pool *pool, uint64_t job, int thread)
{
  int count = take_from(&pool->spans[thread], job);
  for (int i = 1; i < pool->threads; i++) {
    int other = (thread + i) % pool->threads;
    if (pool->spins) await_owner(pool, other, job);
    count += take_from(&pool->spans[other], job);
  }
  return count;
}

static uint64_t current_job(pl_pool *pool) { return atomic_load(&pool->job); }

/* The job that a thread was last given a span of. */
static uint64_t own_job(const pl_pool *pool, int thread)
{
  return atomic_load_explicit(&pool->spans[thread].ticket, memory_order_acquire) >> 32;
}

static void sleep_until(pl_pool *pool, uint64_t job)
{
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  while (current_job(pool) == job && !atomic_load(&pool->stop))
    pthread_cond_wait(&pool->wake, &pool->mutex);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
}

#ifdef __linux__
static int this_cpu(void) { return sched_getcpu(); }

/* Leaves the caller's processor for any other that this thread may use. */
static void step_aside(const pl_pool *pool)
{
  int here = this_cpu();
  cpu_set_t allowed, others;
  if (here < 0 || here != atomic_load_explicit(&pool->caller_cpu, memory_order_relaxed)) return;
  if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0) return;
  others = allowed;
  CPU_CLR((size_t)here, &others);
  if (CPU_COUNT(&others) == 0) return;
  (void)pthread_setaffinity_np(pthread_self(), sizeof others, &others); // moves now
  (void)pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
}
#else
static int this_cpu(void) { return -1; }
static void step_aside(const pl_pool *pool) { (void)pool; }
#endif

/* The next job after that number, or the same one where the pool comes to its end. */
static uint64_t await_job(pl_pool *pool, int thread, uint64_t job)
{
  int spins = pool->spins;
  uint64_t seen;
  while ((seen = own_job(pool, thread)) == job && spins-- > 0 && !atomic_load(&pool->stop))
    pl_pause();
  if (seen != job) return seen;
  atomic_store_explicit(&pool->asleep[thread], 1, memory_order_relaxed);
  sleep_until(pool, job);
  if (pool->spins) step_aside(pool);
  atomic_store_explicit(&pool->asleep[thread], 0, memory_order_relaxed);
  return own_job(pool, thread);
}

static void *serve(void *argument)
{
  const server *self = argument;
  pl_pool *pool = self->pool;
  uint64_t job = 0;
  while (!atomic_load(&pool->stop)) {
    job = await_job(pool, self->number, job);
    int count = take_chunks(pool, job, self->number);
    if (count) atomic_fetch_add_explicit(&pool->done, count, memory_order_release);
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
    pool->servers[i] = (server){pool, i};
    if (pthread_create(&pool->ids[i], NULL, serve, &pool->servers[i])) {
      if (MAY_BE_FEWER) {
        pool->threads = i;
        break;
      }
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

/* The first chunk of a thread. */
static int first_chunk(const pl_pool *pool, int chunks, int thread)
{
  return (int)((int64_t)chunks * thread / pool->threads);
}

/* Opens a job, of which every thread has an equal part. */
static uint64_t post(pl_pool *pool, int chunks, void (*work)(void *, int), void *context)
{
  uint64_t last = current_job(pool), job = (last + 1) & 0xffffffff;
  atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
  for (int i = 0; i < pool->threads; i++) {
    // close the last job before its fields change, so that a late thread which sees a new field
    // cannot draw an old ticket; the new ticket's release makes the fields visible
    span *to = &pool->spans[i];
    uint64_t first = (uint64_t)first_chunk(pool, chunks, i);
    atomic_store_explicit(&to->ticket, last << 32 | CLOSED, memory_order_relaxed);
    atomic_store_explicit(&to->work, work, memory_order_release);
    atomic_store_explicit(&to->context, context, memory_order_release);
    atomic_store_explicit(&to->end, first_chunk(pool, chunks, i + 1), memory_order_release);
    atomic_store_explicit(&to->ticket, job << 32 | first, memory_order_release);
  }
  atomic_store(&pool->job, job);
  if (atomic_load(&pool->sleepers) == 0) return job;
  atomic_store_explicit(&pool->caller_cpu, this_cpu(), memory_order_relaxed);
  wake_all(pool);
  return job;
}

/* Returns when others have done so many chunks. */
static void await_done(pl_pool *pool, int chunks)
{
  int seen = atomic_load_explicit(&pool->done, memory_order_acquire);
  for (int spins = 0; seen < chunks; spins++) {
    if (spins < pool->spins)
      pl_pause();
    else
      rest_briefly(&pool->done, seen);
    seen = atomic_load_explicit(&pool->done, memory_order_acquire);
  }
}

static void run_job(pl_pool *pool, int chunks, void (*work)(void *, int), void *context)
{
  if (!pool || pool->threads == 1 || chunks <= 1) {
    for (int chunk = 0; chunk < chunks; chunk++) work(context, chunk);
    return;
  }
  uint64_t job = post(pool, chunks, work, context);

  // help, then wait for the chunks that others took
  await_done(pool, chunks - take_chunks(pool, job, 0));
}

void pl_parallel(pl_pool *pool, int chunks, void (*work)(void *context, int chunk), void *context)
{
  pl_settle(pool);
  run_job(pool, chunks, work, context);
}

/* ---- jobs as one ---- */

static void run_kept(void *context, int chunk)
{
  kept_jobs *kept = context;
  for (int i = 0; i < kept->count; i++) kept->list[i].work(kept->list[i].context, chunk);
}

void pl_settle(pl_pool *pool)
{
  if (!pool || !pool->kept.count) return;
  run_job(pool, pool->kept.chunks, run_kept, &pool->kept);
  pool->kept.count = 0;
}

int pl_pool_gather(pl_pool *pool, int gathers)
{
  int before = pool ? pool->kept.gathers : 0;
  if (pool) pool->kept.gathers = gathers;
  if (!gathers) pl_settle(pool);
  return before;
}

void pl_defer(pl_pool *pool, int items, int chunks, void (*work)(void *context, int chunk),
              void *context, size_t size)
{
  if (!pool || !pool->kept.gathers || size > PL_DEFERRED_BYTES) {
    pl_parallel(pool, chunks, work, context);
    return;
  }
  kept_jobs *kept = &pool->kept;
  if (kept->count == MOST_KEPT || kept->items != items || kept->chunks != chunks) pl_settle(pool);
  struct kept_job *job = &kept->list[kept->count++];
  kept->items = items;
  kept->chunks = chunks;
  job->work = work;
  memcpy(job->context, context, size);
}

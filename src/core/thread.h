/* A pool of threads that shares out numbered chunks of work.
 *
 * The chunks of a job depend on the data only, never on the number of threads, and every chunk
 * writes its own results: so the bits of a result do not depend on the number of threads either.
 * Sums are kept per chunk and added in the order of the chunks. */
#ifndef PL_CORE_THREAD_H
#define PL_CORE_THREAD_H

#include "pliant/base.h"

typedef struct pl_pool pl_pool;

/* threads counts the caller; 0 means one per processor. */
pl_status pl_pool_create(const pl_allocator *allocator, int threads, pl_pool **pool,
                         pl_error *error);
void pl_pool_destroy(pl_pool *pool);
int pl_pool_threads(const pl_pool *pool);

/* Calls work(context, chunk) once for every chunk in [0, chunks) and returns when all are done.
 * A NULL pool does them in order. Not to be called from inside work. */
void pl_parallel(pl_pool *pool, int chunks, void (*work)(void *context, int chunk), void *context);

/* Short jobs as one. While a pool gathers, pl_defer keeps a job and a copy of its context; what is
 * kept is done, as one job, by pl_settle, by the next pl_parallel or when the pool no longer
 * gathers: chunk by chunk, all jobs of a chunk in the order in which they came. This is for jobs
 * whose chunk c needs nothing but what chunk c of those before it left, where they are over the
 * same number of items. A pool that does not gather does them at once. Who lets a pool gather has
 * to settle before anything else reads what was deferred. */
enum { PL_DEFERRED_BYTES = 192 };
void pl_defer(pl_pool *pool, int items, int chunks, void (*work)(void *context, int chunk),
              void *context, size_t size);
void pl_settle(pl_pool *pool);
/* Returns whether it gathered before. */
int pl_pool_gather(pl_pool *pool, int gathers);

/* Between two looks at what another thread changes: some nanoseconds that leave the processor to
 * its other thread, and end a wait without the penalty of loads that came too early. */
static inline void pl_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* How many chunks of size items cover count items. */
static inline int pl_chunk_count(int count, int size) { return (count + size - 1) / size; }

#endif

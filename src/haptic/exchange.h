/* A triple buffer: one thread publishes values, another takes the newest, and neither ever waits.
 *
 * There are three slots: the writer owns one, the reader another, and the index of the third lies
 * in `middle`, with a bit that says whether it was written since it was last taken. To publish is
 * to fill the own slot and to exchange it for the middle one; to take is the same from the other
 * side. So a value is never seen half-written, and what is replaced before it was taken is gone:
 * whatever must not be lost is published as a running sum. */
#ifndef PL_HAPTIC_EXCHANGE_H
#define PL_HAPTIC_EXCHANGE_H

#include <stdatomic.h>

enum { PL_EXCHANGE_FRESH = 4 };

typedef struct pl_exchange {
  atomic_uint middle;
  unsigned back, front; /* the writer's slot; the reader's */
} pl_exchange;

static inline void pl_exchange_init(pl_exchange *self)
{
  atomic_init(&self->middle, 1);
  self->back = 0;
  self->front = 2;
}

/* The writer has filled slot `back`; from now on it is another one. */
static inline void pl_exchange_publish(pl_exchange *self)
{
  unsigned filled = self->back | PL_EXCHANGE_FRESH;
  self->back = atomic_exchange_explicit(&self->middle, filled, memory_order_acq_rel) & 3;
}

/* Makes `front` the newest slot; 1 where it is newer than the last one. */
static inline int pl_exchange_take(pl_exchange *self)
{
  if (!(atomic_load_explicit(&self->middle, memory_order_relaxed) & PL_EXCHANGE_FRESH)) return 0;
  self->front = atomic_exchange_explicit(&self->middle, self->front, memory_order_acq_rel) & 3;
  return 1;
}

#endif

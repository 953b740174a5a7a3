/* An allocator whose k-th allocation fails, and which counts what is not given back. */
#ifndef PL_TEST_FAILING_H
#define PL_TEST_FAILING_H

#include "test.h"

typedef struct failing {
  long until; /* allocations that succeed before one fails; negative: none fails */
  long live;  /* allocations not freed */
} failing;

static void *failing_alloc(void *context, size_t size, size_t align)
{
  failing *state = context;
  if (state->until == 0) return NULL;
  if (state->until > 0) state->until--;
  pl_allocator plain = pl_allocator_default();
  void *memory = plain.alloc(plain.context, size, align);
  if (memory) state->live++;
  return memory;
}

static void failing_free(void *context, void *memory)
{
  failing *state = context;
  pl_allocator plain = pl_allocator_default();
  state->live--;
  plain.free(plain.context, memory);
}

static pl_allocator failing_allocator(failing *state)
{
  return (pl_allocator){failing_alloc, failing_free, state};
}

/* Runs the attempt with the k-th allocation failing for k = 0, 1, ... until it succeeds: each time
 * it must have given everything back, and have failed for want of memory. */
static void fail_every_allocation(pl_status (*attempt)(const pl_allocator *allocator,
                                                       void *context),
                                  void *context)
{
  pl_status status = PL_E_MEMORY;
  long k = 0;
  // later ones are much alike: sanitizers see a part of them
  for (; status == PL_E_MEMORY && k < 1000; k += TEST_SANITIZED && k > 20 ? 1 + k / 10 : 1) {
    failing state = {.until = k};
    pl_allocator allocator = failing_allocator(&state);
    status = attempt(&allocator, context);
    CHECK(state.live == 0);
  }
  CHECK(status == PL_OK && k > 2);
}

#endif

/* Going on from a saved state, for tests. */
#ifndef PL_TEST_GO_ON_H
#define PL_TEST_GO_ON_H

#include "pliant/world.h"
#include "test.h"

/* One world makes 20 steps and is saved after 7 of them; another goes on from there and ends with
 * the same bits. The saved state, which the caller frees. */
static inline void *test_goes_on(pl_world *one, pl_world *other, size_t *size)
{
  void *state = NULL;
  for (int step = 0; step < 20; step++) {
    if (step == 7) {
      *size = pl_world_state_size(one);
      state = malloc(*size);
      CHECK_OK(pl_world_save_state(one, state, *size, error));
    }
    CHECK_OK(pl_world_step(one, error));
  }
  CHECK_OK(pl_world_load_state(other, state, *size, error));
  for (int step = 7; step < 20; step++) CHECK_OK(pl_world_step(other, error));
  CHECK(pl_world_state_hash(one) == pl_world_state_hash(other));
  return state;
}

#endif

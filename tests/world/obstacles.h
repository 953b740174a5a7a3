/* Obstacles in worlds of tests. */
#ifndef PL_TESTS_WORLD_OBSTACLES_H
#define PL_TESTS_WORLD_OBSTACLES_H

#include "pliant/world.h"
#include "test.h"

/* motion: one, or NULL. */
static inline pl_obstacle_id add_obstacle(pl_world *world, const char *shape,
                                          const pl_setting *settings, int count,
                                          const pl_motion_def *motion)
{
  pl_obstacle_def def = pl_obstacle_def_default();
  pl_obstacle_id id = {0};
  def.shape = (pl_choice){shape, settings, count};
  def.motions = motion;
  def.motion_count = motion ? 1 : 0;
  CHECK_OK(pl_world_add_obstacle(world, &def, &id, error));
  return id;
}

/* Ends at the first step that fails. */
static inline void run_for(pl_world *world, double seconds, double dt)
{
  int failures = test_failures;
  for (int i = 0; i < (int)(seconds / dt + 0.5) && test_failures == failures; i++)
    CHECK_OK(pl_world_step(world, error));
}

#endif

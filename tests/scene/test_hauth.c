/* Hauth 2004, 5.2: every implicit method runs both examples at 25 steps per second, and those of
 * order 2 and more end within 1 mm (RMS over all nodes) of a fine solution. */
// label: release
#include "ode/integrator.h"
#include "pliant/scene.h"

#include <stdlib.h>

#include "scene_test.h"

enum { MOST_NUMBERS = 1000 };

/* The end of a run: how many numbers, and 0 if something failed. */
static int run(const char *name, const char *method, const char *times, const char *more,
               double *positions)
{
  char first[100], second[100], path[4200];
  const char *source = getenv("PLIANT_SOURCE");
  snprintf(path, sizeof path, "%s/scenes/%s", source ? source : ".", name);
  snprintf(first, sizeof first, "integrator.method=%s", method);
  snprintf(second, sizeof second, "world.dt=%s", times);
  const char *changes[] = {
      first, second, "world.halvings=0", "solver.tolerance=1e-9", "world.duration=0.52", more};
  pl_scene_def def = pl_scene_def_default();
  def.path = path;
  def.changes = changes;
  def.change_count = more ? 6 : 5;
  def.threads = 1;
  pl_scene *scene = NULL;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  if (!scene) return 0;
  pl_world *world = pl_scene_world(scene);
  pl_body_id body = pl_world_body_at(world, 0);
  int count = 3 * pl_mesh_node_count(pl_world_body_mesh(world, body));
  int steps = (int)(pl_scene_duration(scene) / pl_world_dt(world) + 0.5);
  CHECK(count <= MOST_NUMBERS);
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(world, error));
  if (count <= MOST_NUMBERS) CHECK_OK(pl_world_get_positions(world, body, positions, error));
  pl_scene_destroy(scene);
  return count;
}

static void compare(const char *name)
{
  static double best[MOST_NUMBERS], found[MOST_NUMBERS];
  int count = run(name, "bdf3", "0.002", "integrator.newton-tolerance=1e-9", best);
  for (int i = 0; pl_integrator_family.members[i] && count; i++) {
    const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[i];
    if (!ops->is_implicit || ops->is_static || !ops->order) continue;
    double sum = 0;
    run(name, ops->info.name, "0.04", NULL, found);
    for (int k = 0; k < count; k++) sum += (found[k] - best[k]) * (found[k] - best[k]);
    double rms = sqrt(sum / (count / 3));
    printf("  %-18s %.3g mm\n", ops->info.name, 1000 * rms);
    // order 1 is stable and follows the motion, no more
    CHECK(rms < (ops->order > 1 ? 1e-3 : 1e-2));
  }
}

TEST(the_bar_at_25_steps_per_second) { compare("hauth-bar.xml"); }

TEST(the_cube_at_25_steps_per_second) { compare("hauth-shear.xml"); }

TESTS(X(the_bar_at_25_steps_per_second) X(the_cube_at_25_steps_per_second))

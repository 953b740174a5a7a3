/* Scenes in which soft bodies fall on each other, by the method of real time, which solves one
 * linear system per pass: elements must not be turned inside out, and contact gives no energy. */
// label: release
#include "pliant/scene.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

#include "../world/acts.h"
#include "scene_test.h"

typedef struct run_facts {
  double volume;      /* least det F of all steps */
  double gain, total; /* J, the most that energy grew in a step, and over what it was at first */
  double energy;      /* J, before the first step */
  int crossed;        /* steps that end with intersections */
  int solves;         /* linear systems */
} run_facts;

static pl_scene *open_scene(const char *name)
{
  char path[4200];
  const char *source = getenv("PLIANT_SOURCE");
  snprintf(path, sizeof path, "%s/scenes/%s.xml", source ? source : ".", name);
  pl_scene_def def = pl_scene_def_default();
  def.path = path;
  def.threads = 1;
  pl_scene *scene = NULL;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  return scene;
}

/* Edges that pass through triangles, by exact arithmetic. */
static int count_intersections(pl_world *world, pl_probe_id probe)
{
  double value[3] = {0};
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  return (int)value[0];
}

static run_facts run(pl_world *world, double duration)
{
  run_facts run = {.volume = INFINITY};
  pl_world_facts facts = {0};
  pl_probe_id probe;
  pl_probe_def def = pl_probe_def_default();
  def.name = "crossing edges";
  def.quantity = "intersections";
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  double before = run.energy = energy_of(world);
  for (double t = 0; t < duration - 1e-9; t += pl_world_dt(world)) {
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_measure(world, &facts, error));
    double now = facts.kinetic_energy + facts.elastic_energy + facts.gravity_energy;
    run.volume = fmin(run.volume, facts.min_volume_ratio);
    run.gain = fmax(run.gain, now - before);
    run.total = fmax(run.total, now - run.energy);
    run.crossed += count_intersections(world, probe) > 0;
    before = now;
  }
  run.solves = (int)facts.newton_iterations;
  return run;
}

/* What is allowed of each: least det F, energy gained in one step over that of the start, steps
 * that end with intersections. The animals of the pile fall from 1.8 m and have thin
 * ears, and the rabbit of the funnel, which meets no body, is squeezed by its weight. */
static const struct {
  const char *scene;
  double duration, volume, gain;
  int crossed;
} rows[] = {
    {"jellies", 1.2, 0.7, 0.01, 5},
    {"funnel", 0.6, -0.2, 0.01, 0},
    {"dominoes", 0.6, 0.9, 0.05, 3},
    {"pile", 0.7, 0.2, 0.01, 3},
};

TEST(bodies_in_heaps_stay_whole_and_gain_no_energy)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pl_scene *scene = open_scene(rows[i].scene);
    run_facts of = run(pl_scene_world(scene), rows[i].duration);
    printf(
        "  %s: det F %.3f, energy of %.3g J grows by %.2e J in a step, by %.2e J in all; %d steps "
        "with intersections, %d solves\n",
        rows[i].scene, of.volume, of.energy, of.gain, of.total, of.crossed, of.solves);
    CHECK(of.volume > rows[i].volume);
    CHECK(of.gain < rows[i].gain * of.energy);
    CHECK(of.total < 1e-6 * of.energy);
    CHECK(of.crossed <= rows[i].crossed);
    pl_scene_destroy(scene);
  }
}

TESTS(X(bodies_in_heaps_stay_whole_and_gain_no_energy))

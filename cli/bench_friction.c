/* pliant bench friction: what friction adds to the steps of a soft cube of 750 tets on a plane
 * (E = 1e5 Pa, 5 ms, implicit Euler), beside the same without friction: linear systems and
 * iterations of conjugate gradients with the block-diagonal preconditioner. Counts, which do not
 * depend on the machine's load. */
#include "bench.h"
#include "cli.h"

#include <math.h>
#include <stdio.h>

enum { CELLS = 5, BETWEEN = 100 };

static const double mu = 0.5, dt = 0.005;

/* A cube that has lain for `skip` steps on a plane of this angle, for 100 more. */
typedef struct phase {
  const char *name;
  double degrees;
  int skip;
} phase;

static const phase phases[] = {{"at rest", 0, 300},   {"sticking", 10, 300},
                               {"sticking", 20, 300}, {"sliding", 35, 100},
                               {"settling", 0, 0},    {"settling", 10, 0},
                               {"settling", 20, 0},   {"beginning to slide", 35, 0}};

static pl_status make_cube(double degrees, double friction, pl_world **world, pl_error *error)
{
  const cli_block cube = {.size = {0.2, 0.2, 0.2}, .cells = {CELLS, CELLS, CELLS}, .young = 1e5};
  const double angle = degrees * 3.14159265358979323846 / 180;
  pl_world_def def = pl_world_def_default();
  pl_body_id body;
  def.dt = dt;
  def.threads = 1;
  def.gravity[0] = 9.81 * sin(angle);
  def.gravity[2] = -9.81 * cos(angle);
  def.integrator.name = "implicit-euler";
  def.solver.name = "cg";
  def.preconditioner.name = "block-diagonal";
  pl_status status = pl_world_create(&def, world, error);
  if (!status) status = cli_add_block(*world, &cube, &body, error);
  return status ? status : cli_add_plane(*world, friction, error);
}

/* Linear systems and iterations per step. */
static pl_status count(const phase *of, double friction, double counts[2], pl_error *error)
{
  pl_world *world = NULL;
  pl_world_facts before = {0}, after = {0};
  pl_status status = make_cube(of->degrees, friction, &world, error);
  for (int i = 0; i < of->skip && !status; i++) status = pl_world_step(world, error);
  if (!status) status = pl_world_measure(world, &before, error);
  for (int i = 0; i < BETWEEN && !status; i++) status = pl_world_step(world, error);
  if (!status) status = pl_world_measure(world, &after, error);
  counts[0] = (double)(after.newton_iterations - before.newton_iterations) / BETWEEN;
  counts[1] = (double)(after.linear_iterations - before.linear_iterations) / BETWEEN;
  pl_world_destroy(world);
  return status;
}

int cli_bench_friction(int quick, pl_text *csv)
{
  const int rows = quick ? 2 : (int)(sizeof phases / sizeof *phases);
  pl_error error = {0};
  printf("%-20s %8s %16s %16s %8s\n%-20s %8s %8s %7s %8s %7s\n", "cube of 750 tets", "", "mu = 0",
         "mu = 0.5", "", "", "degrees", "systems", "iter.", "systems", "iter.");
  if (csv)
    pl_text_add(csv, "phase,degrees,systems_without,iterations_without,systems,iterations\n");
  for (int i = 0; i < rows; i++) {
    const phase *of = &phases[i];
    double without[2], with[2];
    if (count(of, 0, without, &error) || count(of, mu, with, &error)) return cli_fail_error(&error);
    printf("%-20s %8g %8.2f %7.1f %8.2f %7.1f\n", of->name, of->degrees, without[0], without[1],
           with[0], with[1]);
    fflush(stdout);
    if (csv)
      pl_text_add(csv, "%s,%g,%.2f,%.1f,%.2f,%.1f\n", of->name, of->degrees, without[0], without[1],
                  with[0], with[1]);
  }
  return CLI_OK;
}

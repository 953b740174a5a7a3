/* pliant bench friction: what friction adds to the steps of a soft cube of 750 tets on a plane
 * (E = 1e5 Pa, 5 ms), beside the same without friction: linear systems, matrices and iterations of
 * conjugate gradients with the block-diagonal preconditioner, for every method that runs Newton's.
 * Counts, which do not depend on the machine's load. */
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

/* All that run Newton's method over time; the damping of the cube, s, where they need some. */
typedef struct method {
  const char *name;
  double damping;
} method;

static const method methods[] = {{"implicit-euler", 0}, {"implicit-midpoint", 0},
                                 {"newmark", 0},        {"generalised-alpha", 0},
                                 {"sdirk2", 0},         {"sdirk4", 0},
                                 {"tr-bdf2", 0},        {"bdf2", 0},
                                 {"bdf3", 0.005},       {"bdf4", 0.005},
                                 {"bdf5", 0.005},       {"bdf6", 0.02},
                                 {"semi-implicit", 0},  {"imex-euler", 0},
                                 {"imex-midpoint", 0}};

static pl_status make_cube(const method *by, double degrees, double friction, pl_world **world,
                           pl_error *error)
{
  const cli_block cube = {.size = {0.2, 0.2, 0.2},
                          .cells = {CELLS, CELLS, CELLS},
                          .young = 1e5,
                          .damping = by->damping};
  const double angle = degrees * 3.14159265358979323846 / 180;
  pl_world_def def = pl_world_def_default();
  pl_body_id body;
  def.dt = dt;
  def.threads = 1;
  def.gravity[0] = 9.81 * sin(angle);
  def.gravity[2] = -9.81 * cos(angle);
  def.integrator.name = by->name;
  def.solver.name = "cg";
  def.preconditioner.name = "block-diagonal";
  pl_status status = pl_world_create(&def, world, error);
  if (!status) status = cli_add_block(*world, &cube, &body, error);
  return status ? status : cli_add_plane(*world, friction, error);
}

/* Linear systems, matrices and iterations per step. */
enum { SYSTEMS, MATRICES, ITERATIONS, COUNTS };

static pl_status count(const method *by, const phase *of, double friction, double counts[COUNTS],
                       pl_error *error)
{
  pl_world *world = NULL;
  pl_world_facts before = {0}, after = {0};
  pl_status status = make_cube(by, of->degrees, friction, &world, error);
  for (int i = 0; i < of->skip && !status; i++) status = pl_world_step(world, error);
  if (!status) status = pl_world_measure(world, &before, error);
  for (int i = 0; i < BETWEEN && !status; i++) status = pl_world_step(world, error);
  if (!status) status = pl_world_measure(world, &after, error);
  counts[SYSTEMS] = (double)(after.newton_iterations - before.newton_iterations) / BETWEEN;
  counts[MATRICES] = (double)(after.matrices - before.matrices) / BETWEEN;
  counts[ITERATIONS] = (double)(after.linear_iterations - before.linear_iterations) / BETWEEN;
  pl_world_destroy(world);
  return status;
}

static pl_status measure(const method *by, const phase *of, pl_text *csv, pl_error *error)
{
  double a[COUNTS], b[COUNTS];
  pl_status status = count(by, of, 0, a, error);
  if (!status) status = count(by, of, mu, b, error);
  if (status) return status;
  printf("%-18s %-18s %7g %7.2f %8.2f %6.1f %7.2f %8.2f %6.1f %6.2f\n", by->name, of->name,
         of->degrees, a[SYSTEMS], a[MATRICES], a[ITERATIONS], b[SYSTEMS], b[MATRICES],
         b[ITERATIONS], b[ITERATIONS] / a[ITERATIONS]);
  fflush(stdout);
  if (csv)
    pl_text_add(csv, "%s,%s,%g,%.2f,%.2f,%.1f,%.2f,%.2f,%.1f\n", by->name, of->name, of->degrees,
                a[SYSTEMS], a[MATRICES], a[ITERATIONS], b[SYSTEMS], b[MATRICES], b[ITERATIONS]);
  return PL_OK;
}

int cli_bench_friction(int quick, pl_text *csv)
{
  const int rows = quick ? 2 : (int)(sizeof phases / sizeof *phases);
  const int columns = quick ? 1 : (int)(sizeof methods / sizeof *methods);
  pl_error error = {0};
  printf("%-18s %26s %23s %23s %6s\n%-18s %-18s %7s %7s %8s %6s %7s %8s %6s %6s\n",
         "cube of 750 tets", "", "mu = 0", "mu = 0.5", "", "method", "", "degrees", "systems",
         "matrices", "iter.", "systems", "matrices", "iter.", "ratio");
  if (csv)
    pl_text_add(csv, "method,phase,degrees,systems_without,matrices_without,iterations_without,"
                     "systems,matrices,iterations\n");
  for (int m = 0; m < columns; m++) {
    for (int i = 0; i < rows; i++) {
      if (measure(&methods[m], &phases[i], csv, &error)) return cli_fail_error(&error);
    }
  }
  return CLI_OK;
}

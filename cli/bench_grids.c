/* pliant bench grids: steps of the cloth of "Implementation of Deformable Objects", 5.1.2: 4 m,
 * order 1, mass 1 and damping 0.85 of each particle, one Newton iteration of 10 conjugate gradients
 * in a step of 5 ms.
 *
 * It hangs by two corners, or lies on the two balls of table 5.1 (scenes/grid-two-balls.xml), which
 * the report computes in 19.9 ms a step with 1024 particles. Times are medians over steps behind
 * the first ones, or means over all of the fall; the residual is that of the last step, relative to
 * its right side. */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 200, ITERATIONS = 10, REFRESH = 10 };

typedef struct row {
  int side, threads, warm, steps, falls;
  const char *solver;
  // measured
  double wall, processor, evaluate, solve, iterations, residual;
} row;

static const double corners[2][3] = {{-2, -2, 4}, {-2, 2, 4}};

static pl_status add_ball(pl_world *world, const double centre[3], double radius, pl_error *error)
{
  const pl_setting settings[] = {{.name = "centre", .value = {centre[0], centre[1], centre[2]}},
                                 {.name = "radius", .value = {radius}}};
  pl_obstacle_def def = pl_obstacle_def_default();
  def.shape = (pl_choice){"sphere", settings, 2};
  return pl_world_add_obstacle(world, &def, NULL, error);
}

static pl_status add_obstacles(pl_world *world, pl_error *error)
{
  const pl_setting point = {.name = "point", .value = {0, 0, 0.5}};
  pl_status status = add_ball(world, (double[3]){-0.7, 0, 2.2}, 1.2, error);
  if (!status) status = add_ball(world, (double[3]){1.2, 0.5, 1}, 1, error);
  pl_obstacle_def def = pl_obstacle_def_default();
  def.shape = (pl_choice){"plane", &point, 1};
  return status ? status : pl_world_add_obstacle(world, &def, NULL, error);
}

static pl_status add_cloth(pl_world *world, int side, pl_body_id *id, pl_error *error)
{
  const pl_setting plane[] = {{"shape", {0}, "plane"},
                              {"m", {side}, NULL},
                              {"n", {side}, NULL},
                              {"size", {4, 4, 1}, NULL},
                              {"origin", {0, 0, 4}, NULL}};
  const pl_setting hooke[] = {{.name = "young", .value = {1e6}},
                              {.name = "poisson", .value = {0.3}}};
  const pl_setting grid[] = {{"tension", {0.35, 0.35, 0}, NULL},
                             {"shear", {0.25, 0.25, 0.25}, NULL},
                             {"rigidity", {7.5e-5, 7.5e-5, 0}, NULL},
                             {"twist", {7.5e-4}, NULL},
                             {"mass", {1}, NULL},
                             {"damping", {0.85}, NULL}};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"lattice", plane, 5}, NULL, &mesh, error);
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.model = (pl_choice){"grid", grid, 6};
  if (!status) status = pl_world_add_body(world, &body, id, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status make_world(const row *r, pl_world **world, pl_error *error)
{
  const int is_kept = !strcmp(r->solver, "cg single kept");
  const pl_setting newton[] = {{.name = "newton", .value = {1}},
                               {.name = "matrix", .word = "kept"},
                               {.name = "refresh", .value = {REFRESH}}};
  pl_world_def def = pl_world_def_default();
  def.threads = r->threads;
  def.dt = 0.005;
  def.gravity[2] = -9.82;
  def.halvings = 0;
  def.budget = ITERATIONS;
  def.integrator = (pl_choice){"implicit-euler", newton, is_kept ? 3 : 1};
  const pl_setting single = {.name = "precision", .word = "single"};
  const int is_single = is_kept || !strcmp(r->solver, "cg single");
  def.solver = (pl_choice){.name = is_single ? "cg" : r->solver};
  def.preconditioner = (pl_choice){"block-diagonal", &single, is_single};
  pl_body_id id = {0};
  pl_status status = pl_world_create(&def, world, error);
  if (!status) status = add_cloth(*world, r->side, &id, error);
  if (!status)
    status =
        r->falls ? add_obstacles(*world, error) : cli_hold_places(*world, id, corners, 2, error);
  return status ? status : pl_world_prepare(*world, error);
}

static pl_status measure(row *r, pl_error *error)
{
  double wall[MOST_STEPS], sums[5] = {0};
  pl_world *world = NULL;
  pl_status status = make_world(r, &world, error);
  for (int i = -r->warm; !status && i < r->steps; i++) {
    double before[] = {world->tally.seconds, world->tally.seconds_evaluate,
                       world->tally.seconds_solve, pl_processor_now()};
    int64_t iterations = world->tally.linear_iterations;
    status = pl_world_step(world, error);
    if (i < 0) continue;
    wall[i % MOST_STEPS] = world->tally.seconds - before[0];
    sums[0] += wall[i % MOST_STEPS];
    sums[1] += world->tally.seconds_evaluate - before[1];
    sums[2] += world->tally.seconds_solve - before[2];
    sums[3] += pl_processor_now() - before[3];
    sums[4] += (double)(world->tally.linear_iterations - iterations);
  }
  if (!status) {
    double scale = 1e3 / r->steps;
    r->wall = r->falls || !strcmp(r->solver, "cg single kept") ? scale * sums[0]
                                                               : 1e3 * cli_median(wall, r->steps);
    r->evaluate = scale * sums[1];
    r->solve = scale * sums[2];
    r->processor = scale * sums[3];
    r->iterations = sums[4] / r->steps;
    r->residual = world->tally.worst_residual;
  }
  pl_world_destroy(world);
  return status;
}

static void print_row(const row *r, pl_text *csv)
{
  const char *scene = r->falls ? "two balls" : "hanging";
  printf("%4d x %-4d %-10s %7d %-12s %8.3f %9.3f %8.3f %8.3f %6.1f %9.2g\n", r->side, r->side,
         scene, r->threads, r->solver, r->wall, r->processor, r->evaluate, r->solve, r->iterations,
         r->residual);
  fflush(stdout);
  if (csv)
    pl_text_add(csv, "%d,%s,%d,%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.3g\n", r->side * r->side, scene,
                r->threads, r->solver, r->wall, r->processor, r->evaluate, r->solve, r->iterations,
                r->residual);
}

int cli_bench_grids(int quick, pl_text *csv)
{
  static const row rows[] = {{.side = 32, .warm = 50, .steps = 200},
                             {.side = 32, .steps = 2000, .falls = 1},
                             {.side = 256, .warm = 5, .steps = 40}};
  static const char *const solvers[] = {"cg", "cg single", "cg single kept", "auto"};
  const int kinds = (int)(sizeof solvers / sizeof *solvers);
  printf("%11s %-10s %7s %-12s %8s %9s %8s %8s %6s %9s\n", "particles", "scene", "threads",
         "solver", "ms/step", "processor", "force+", "solve", "CG", "residual");
  if (csv)
    pl_text_add(csv, "particles,scene,threads,solver,ms_per_step,ms_processor,ms_evaluate,ms_solve,"
                     "cg_iterations,residual\n");
  for (int i = 0; i < (quick ? 1 : 3) * 2 * kinds; i++) {
    row r = rows[i / (2 * kinds)];
    r.threads = 1 + i / kinds % 2;
    r.solver = solvers[i % kinds];
    pl_error error = {0};
    if (measure(&r, &error)) return cli_fail_error(&error);
    print_row(&r, csv);
  }
  return CLI_OK;
}

/* pliant bench hexes: element forces of hexahedra against the machine's limit, explicit steps of
 * cubes of up to a million elements with one thread and two, and the graded meshes of an 11-cell
 * cube (Zhuang & Canny 2000, section 5).
 *
 * Operations of an element were counted in the source for St.Venant-Kirchhoff's law without
 * viscosity. Times are the shortest of some rounds. */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "sparse/measure.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 15, ONE_POINT_FLOPS = 600, SKEW_FLOPS = 960, FULL_FLOPS = 2880 };

/* What a cube of 10 cm is made of. */
typedef struct cube {
  int cells, levels, ratio, outside; /* outside: the octree's rest */
  const char *quadrature;
  double twist; /* of the mesh, so that no cell is a box along the axes; rad */
  int threads;
} cube;

static pl_status make_mesh(const cube *c, pl_mesh **mesh, pl_error *error)
{
  const pl_setting settings[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                                 {.name = "cells", .value = {c->cells, c->cells, c->cells}},
                                 {.name = "levels", .value = {c->levels}},
                                 {.name = "ratio", .value = {c->ratio ? c->ratio : 2}},
                                 {.name = "rest", .word = c->outside ? "outside" : "middle"}};
  pl_status status = pl_mesh_generate(&(pl_choice){"graded-box", settings, 5}, NULL, mesh, error);
  if (status) return status;
  double *x = (*mesh)->nodes;
  for (int n = 0; c->twist > 0 && n < (*mesh)->node_count; n++, x += 3) {
    double s = sin(c->twist * x[2] / 0.1), r = cos(c->twist * x[2] / 0.1), old = x[0];
    x[0] = r * old - s * x[1];
    x[1] = s * old + r * x[1];
  }
  return PL_OK;
}

/* E = 1e4 Pa, nu = 0.3, held below, in a step of 0.8 times the element bound. */
static pl_status make_cube(const cube *c, pl_world **world, pl_error *error)
{
  const pl_setting hooke[] = {{.name = "young", .value = {1e4}},
                              {.name = "poisson", .value = {0.3}}};
  const pl_setting words[] = {{.name = "strain", .word = "green"},
                              {.name = "quadrature", .word = c->quadrature}};
  pl_world_def def = pl_world_def_default();
  def.threads = c->threads;
  def.integrator = (pl_choice){.name = "explicit-newmark"};
  def.dt = 0.8 * 0.1 / c->cells * sqrt(1000 * 0.4 / 1e4) * (c->twist > 0 ? 0.5 : 1);
  pl_mesh *mesh = NULL;
  pl_status status = make_mesh(c, &mesh, error);
  if (!status) status = pl_world_create(&def, world, error);
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.material.mass_damping = 2;
  body.model = (pl_choice){"fem", words, 2};
  pl_selector low = {.set = "z-min"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &low;
  fix.where_count = 1;
  pl_body_id id = {0};
  if (!status) status = pl_world_add_body(*world, &body, &id, error);
  if (!status) status = pl_world_add_fix(*world, id, &fix, NULL, error);
  if (!status) status = pl_world_prepare(*world, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* A number of the table that is written to a file. */
static void record(pl_text *csv, const char *table, const char *points, int elements,
                   const char *quantity, double value)
{
  if (csv) pl_text_add(csv, "%s,%s,%d,%s,%.6g\n", table, points, elements, quantity, value);
}

/* ---- element forces ---- */

static void force_round(void *context, pl_pool *pool)
{
  pl_world *world = context;
  pl_model *model = world->bodies.list[0].model;
  const pl_moment at = {.q = world->state.q, .v = world->state.v};
  model->ops->evaluate(model, &at, world->vectors.scratch, NULL, pool);
}

static pl_status bench_forces(double peak, pl_text *csv, pl_error *error)
{
  static const struct {
    const char *name, *quadrature;
    double twist, flops;
  } rows[] = {{"one point - boxes", "one-point", 0, ONE_POINT_FLOPS},
              {"one point - distorted", "one-point", 0.5, SKEW_FLOPS},
              {"2x2x2 points", "full", 0, FULL_FLOPS}};
  printf("%-22s %12s %9s %9s\n", "forces, one thread", "1e6 hexes/s", "Gflop/s", "of peak");
  for (int i = 0; i < 3; i++) {
    pl_world *world = NULL;
    const cube c = {22, 0, 0, 0, rows[i].quadrature, rows[i].twist, 1};
    pl_status status = make_cube(&c, &world, error);
    if (!status) {
      int elements = world->bodies.list[0].mesh->element_count;
      double rate = elements / pl_measure_best(force_round, world, NULL, 10 * ROUNDS);
      record(csv, "forces", rows[i].name, elements, "millions_per_second", 1e-6 * rate);
      record(csv, "forces", rows[i].name, elements, "of_peak", 1e-9 * rows[i].flops * rate / peak);
      printf("%-22s %12.1f %9.2f %7.0f %%\n", rows[i].name, 1e-6 * rate,
             1e-9 * rows[i].flops * rate, 100e-9 * rows[i].flops * rate / peak);
    }
    pl_world_destroy(world);
    if (status) return status;
  }
  return PL_OK;
}

/* ---- steps ---- */

/* The shortest mean of some steps in seconds. */
static pl_status time_steps(const cube *c, double *seconds, double *dt, int *elements,
                            pl_error *error)
{
  pl_world *world = NULL;
  pl_status status = make_cube(c, &world, error);
  *seconds = INFINITY;
  *elements = status ? 0 : world->bodies.list[0].mesh->element_count;
  // short rounds, so that some are not interrupted by other programs
  int steps = *elements > 5000 ? 1 : 5, rounds = *elements > 50000 ? ROUNDS : 20 * ROUNDS;
  for (int round = -1; round < rounds && !status; round++) {
    double start = pl_now();
    for (int i = 0; i < steps && !status; i++) status = pl_world_step(world, error);
    if (round >= 0) *seconds = fmin(*seconds, (pl_now() - start) / steps);
  }
  if (!status) *dt = world->set.dt;
  pl_world_destroy(world);
  return status;
}

/* One size and rule with one thread and two; of_peak counts the operations of elements only. */
static pl_status bench_step(int cells, const char *rule, double peak, pl_text *csv, pl_error *error)
{
  double seconds[2] = {0}, dt = 0;
  int elements = 0;
  for (int threads = 1; threads <= 2; threads++) {
    const cube c = {.cells = cells, .quadrature = rule, .threads = threads};
    pl_status status = time_steps(&c, &seconds[threads - 1], &dt, &elements, error);
    if (status) return status;
  }
  double flops = strcmp(rule, "full") == 0 ? FULL_FLOPS : ONE_POINT_FLOPS;
  double of_peak = 1e-9 * flops * elements / seconds[0] / peak;
  printf("%-10s %9d %11.3f %12.4f %7.0f %% %12.4f %9.2f %11.2fx\n", rule, elements, 1e3 * dt,
         1e3 * seconds[0], 100 * of_peak, 1e3 * seconds[1], seconds[0] / seconds[1],
         dt / seconds[0]);
  record(csv, "steps", rule, elements, "dt_ms", 1e3 * dt);
  record(csv, "steps", rule, elements, "ms_one_thread", 1e3 * seconds[0]);
  record(csv, "steps", rule, elements, "ms_two_threads", 1e3 * seconds[1]);
  record(csv, "steps", rule, elements, "of_peak", of_peak);
  fflush(stdout);
  return PL_OK;
}

static pl_status bench_steps(int quick, double peak, pl_text *csv, pl_error *error)
{
  static const int sizes[] = {11, 22, 46, 100};
  static const char *const rules[] = {"one-point", "full"};
  printf("\n%-10s %9s %11s %12s %9s %12s %9s %12s\n", "points", "elements", "dt, ms", "ms/step, 1",
         "of peak", "2 threads", "speed-up", "real time");
  for (int i = 0; i < (quick ? 4 : 8); i++) {
    pl_status status = bench_step(sizes[i / 2], rules[i % 2], peak, csv, error);
    if (status) return status;
  }
  return PL_OK;
}

static pl_status bench_meshes(pl_text *csv, pl_error *error)
{
  static const cube meshes[] = {{11, 0, 2, 0, NULL, 0, 1},
                                {11, 1, 2, 0, NULL, 0, 1},
                                {11, 2, 2, 0, NULL, 0, 1},
                                {11, 1, 3, 0, NULL, 0, 1},
                                {11, 2, 2, 1, NULL, 0, 1}};
  double first[2] = {0};
  printf("\n%9s %9s %16s %7s %16s %7s\n", "elements", "of 1331", "one point, ms", "ratio",
         "2x2x2, ms", "ratio");
  for (int i = 0; i < 5; i++) {
    double seconds[2], dt;
    int elements = 0;
    for (int r = 0; r < 2; r++) {
      cube c = meshes[i];
      c.quadrature = r ? "full" : "one-point";
      pl_status status = time_steps(&c, &seconds[r], &dt, &elements, error);
      if (status) return status;
      if (i == 0) first[r] = seconds[r];
      record(csv, "meshes", c.quadrature, elements, "ms_one_thread", 1e3 * seconds[r]);
      record(csv, "meshes", c.quadrature, elements, "ratio", seconds[r] / first[r]);
    }
    printf("%9d %9.3f %16.4f %7.3f %16.4f %7.3f\n", elements, elements / 1331.0, 1e3 * seconds[0],
           seconds[0] / first[0], 1e3 * seconds[1], seconds[1] / first[1]);
  }
  printf("The source has 110 ms for 1331 elements and 60 ms for its graded mesh (ratio .545) on a "
         "Pentium II of 400 MHz.\n");
  return PL_OK;
}

int cli_bench_hexes(int quick, pl_text *csv)
{
  pl_error error = {0};
  double peak = pl_measure_flops(NULL, 0, ROUNDS);
  if (csv) pl_text_add(csv, "table,points,elements,quantity,value\n");
  pl_status status = bench_forces(peak, csv, &error);
  if (!status) status = bench_steps(quick, peak, csv, &error);
  if (!status) status = bench_meshes(csv, &error);
  return status ? cli_fail_error(&error) : CLI_OK;
}

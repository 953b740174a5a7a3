/* pliant bench cloth: steps of a square of cloth that hangs by two corners.
 *
 * 1 m, 0.2 kg/m^2, E = 1e6 Pa, 1 mm, hinges of 1e-5 N m, alternating diagonals; implicit Euler, one
 * Newton iteration, 10 ms, conjugate gradients with two preconditioners to two residuals. Times are
 * medians over steps behind the first ones; processor times are of all threads. The stretch is the
 * largest ratio of an edge's length to that at rest, minus 1: what a solver leaves undone is seen
 * there. Rows "self" keep the cloth from itself by penalty forces: what the search for contacts
 * costs. */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

enum { WARM = 5, MOST_STEPS = 40 };

typedef struct row {
  int cells, threads, steps, self; /* self: it may touch itself */
  const char *preconditioner;
  double residual;
  // measured
  double wall, processor, evaluate, solve, iterations, stretch;
} row;

static pl_status make_mesh(int cells, pl_mesh **mesh, pl_error *error)
{
  const pl_setting sheet[] = {{.name = "along", .value = {cells}},
                              {.name = "across", .value = {cells}}};
  return pl_mesh_generate(&(pl_choice){"sheet", sheet, 2}, NULL, mesh, error);
}

static const double corners[2][3] = {{0, 0, 0}, {1, 0, 0}};

static pl_status make_cloth(const row *r, pl_world **world, pl_error *error)
{
  const pl_setting hooke[] = {{.name = "young", .value = {1e6}},
                              {.name = "poisson", .value = {0.3}}};
  const pl_setting words[] = {{.name = "membrane", .word = "corotated"},
                              {.name = "area-density", .value = {0.2}},
                              {.name = "bending-stiffness", .value = {1e-5}}};
  const pl_setting newton = {.name = "newton", .value = {1}};
  const pl_setting tolerance = {.name = "tolerance", .value = {r->residual}};
  pl_world_def def = pl_world_def_default();
  def.threads = r->threads;
  def.integrator = (pl_choice){"implicit-euler", &newton, 1};
  def.solver = (pl_choice){"cg", &tolerance, 1};
  def.preconditioner = (pl_choice){.name = r->preconditioner};
  pl_mesh *mesh = NULL;
  pl_status status = make_mesh(r->cells, &mesh, error);
  if (!status) status = pl_world_create(&def, world, error);
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.material.density = 200;
  body.model = (pl_choice){"cloth", words, 3};
  body.self_contact = r->self;
  pl_body_id id = {0};
  if (!status) status = pl_world_add_body(*world, &body, &id, error);
  if (!status) status = cli_hold_places(*world, id, corners, 2, error);
  pl_contact_def contact = pl_contact_def_default();
  contact.response.name = "penalty";
  if (!status && r->self) status = pl_world_set_contact(*world, &contact, error);
  if (!status) status = pl_world_prepare(*world, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* The largest stretch of an edge. */
static double stretch_of(const pl_world *world)
{
  const pl_body *body = &world->bodies.list[0];
  const pl_mesh *mesh = body->inside;
  const double *q = world->state.q;
  double max = 0;
  for (int i = 0; i < 3 * mesh->element_count; i++) {
    int a = mesh->elements[i], b = mesh->elements[i / 3 * 3 + (i + 1) % 3];
    double rest = pl_vec3_distance(mesh->nodes + 3 * a, mesh->nodes + 3 * b);
    max = fmax(max, pl_vec3_distance(q + 3 * a, q + 3 * b) / rest - 1);
  }
  return max;
}

static pl_status measure(row *r, pl_error *error)
{
  double wall[MOST_STEPS], processor[MOST_STEPS], evaluate[MOST_STEPS], solve[MOST_STEPS];
  pl_world *world = NULL;
  pl_status status = make_cloth(r, &world, error);
  for (int i = -WARM; !status && i < r->steps; i++) {
    double before[] = {world->tally.seconds, world->tally.seconds_evaluate,
                       world->tally.seconds_solve, pl_processor_now()};
    int64_t iterations = world->tally.linear_iterations;
    status = pl_world_step(world, error);
    if (i < 0) continue;
    wall[i] = 1e3 * (world->tally.seconds - before[0]);
    evaluate[i] = 1e3 * (world->tally.seconds_evaluate - before[1]);
    solve[i] = 1e3 * (world->tally.seconds_solve - before[2]);
    processor[i] = 1e3 * (pl_processor_now() - before[3]);
    r->iterations += (double)(world->tally.linear_iterations - iterations) / r->steps;
  }
  if (!status) {
    r->wall = cli_median(wall, r->steps);
    r->processor = cli_median(processor, r->steps);
    r->evaluate = cli_median(evaluate, r->steps);
    r->solve = cli_median(solve, r->steps);
    r->stretch = stretch_of(world);
  }
  pl_world_destroy(world);
  return status;
}

static void print_row(const row *r, pl_text *csv)
{
  printf("%4d x %-4d %7d %-15s %-5s %8.0e %8.2f %9.2f %8.2f %8.2f %6.1f %8.4f\n", r->cells,
         r->cells, r->threads, r->preconditioner, r->self ? "self" : "none", r->residual, r->wall,
         r->processor, r->evaluate, r->solve, r->iterations, r->stretch);
  fflush(stdout);
  if (csv)
    pl_text_add(csv, "%d,%d,%s,%s,%g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g\n", r->cells, r->threads,
                r->preconditioner, r->self ? "self" : "none", r->residual, r->wall, r->processor,
                r->evaluate, r->solve, r->iterations, r->stretch);
}

/* Block-diagonal needs minutes for the largest cloth, and more the smaller the residual. */
static const row rows[] = {
    {.cells = 50, .steps = 40, .preconditioner = "multigrid", .residual = 1e-3},
    {.cells = 50, .steps = 40, .preconditioner = "multigrid", .residual = 1e-6},
    {.cells = 50, .steps = 40, .preconditioner = "block-diagonal", .residual = 1e-3},
    {.cells = 50, .steps = 40, .preconditioner = "multigrid", .residual = 1e-3, .self = 1},
    {.cells = 100, .steps = 20, .preconditioner = "multigrid", .residual = 1e-3},
    {.cells = 100, .steps = 20, .preconditioner = "multigrid", .residual = 1e-6},
    {.cells = 100, .steps = 20, .preconditioner = "block-diagonal", .residual = 1e-3},
    {.cells = 100, .steps = 20, .preconditioner = "multigrid", .residual = 1e-3, .self = 1},
    {.cells = 256, .steps = 8, .preconditioner = "multigrid", .residual = 1e-3},
    {.cells = 256, .steps = 8, .preconditioner = "multigrid", .residual = 1e-6},
};

int cli_bench_cloth(int quick, pl_text *csv)
{
  const int count = quick ? 4 : (int)(sizeof rows / sizeof *rows);
  printf("%11s %7s %-15s %-5s %8s %8s %9s %8s %8s %6s %8s\n", "cells", "threads", "preconditioner",
         "touch", "residual", "ms/step", "processor", "force+", "solve", "CG", "stretch");
  if (csv)
    pl_text_add(
        csv, "cells,threads,preconditioner,contact,residual,ms_per_step,ms_processor,ms_evaluate,"
             "ms_solve,cg_iterations,stretch\n");
  for (int i = 0; i < 2 * count; i++) {
    row r = rows[i / 2];
    r.threads = 1 + i % 2;
    pl_error error = {0};
    if (measure(&r, &error)) return cli_fail_error(&error);
    print_row(&r, csv);
  }
  return CLI_OK;
}

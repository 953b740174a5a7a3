/* Iterations of the linear solver in contact: blocks on each other, and a block against an
 * obstacle, beside the same without contact. Counts, which do not depend on the machine's load. */
#include "bench.h"

#include "cli.h"

#include "pliant/world.h"

#include <math.h>
#include <stdio.h>

enum { BLOCK_STEPS = 12 };

static pl_status add_block(pl_world *world, int n, double z, pl_body_id *body, pl_error *error)
{
  const cli_block block = {.size = {0.2, 0.2, 0.1},
                           .origin = {0.003 * (z > 0), 0.002 * (z > 0), z},
                           .cells = {2 * n, 2 * n, n},
                           .young = 1e5};
  return cli_add_block(world, &block, body, error);
}

/* What is solved: blocks on each other, the lowest one held below, or one held at a side. */
typedef struct trial {
  const char *preconditioner;
  int n, blocks;
  double stiffness; /* of contact between two blocks, in its own; 0: they do not touch */
  double friction;  /* of a plane below one block; below 0: there is none */
} trial;

static pl_status fill_trial(const trial *t, pl_world *world, pl_error *error)
{
  pl_contact_def contact = pl_contact_def_default();
  pl_selector held = {.set = t->blocks > 1 ? "z-min" : "x-min"};
  pl_fix_def fix = pl_fix_def_default();
  pl_body_id bodies[2];
  fix.where = &held, fix.where_count = 1;
  contact.between_bodies = t->stiffness > 0;
  if (t->stiffness > 0) contact.stiffness = t->stiffness;
  contact.passes = 1; // further passes begin with what the first has found
  pl_status status = pl_world_set_contact(world, &contact, error);
  for (int b = 0; b < t->blocks && !status; b++)
    status = add_block(world, t->n, 0.1002 * b, &bodies[b], error);
  if (!status && t->friction >= 0) status = cli_add_plane(world, t->friction, error);
  return status ? status : pl_world_add_fix(world, bodies[0], &fix, NULL, error);
}

/* Iterations per linear solve. The stiffness of contact between blocks is E A / range, some hundred
 * times that of the elements beside it. */
static pl_status count_iterations(const trial *t, double *iterations, pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  pl_world_facts facts = {0};
  pl_setting tight = {.name = "tolerance", .value = {1e-6}};
  def.dt = 0.01;
  def.gravity[2] = -9.81;
  def.solver = (pl_choice){"cg", &tight, 1};
  def.preconditioner.name = t->preconditioner;
  pl_status status = pl_world_create(&def, &world, error);
  if (!status) status = fill_trial(t, world, error);
  for (int i = 0; i < BLOCK_STEPS && !status; i++) status = pl_world_step(world, error);
  if (!status) status = pl_world_measure(world, &facts, error);
  *iterations = (double)facts.linear_iterations / (double)facts.newton_iterations;
  if (status == PL_E_DIVERGED) { // too stiff for one linear solve per step, whatever the solver
    *iterations = NAN;
    status = PL_OK;
  }
  pl_world_destroy(world);
  return status;
}

/* A table: bodies in the way of `free`, then with each value of stiffness or of friction. */
typedef struct comparison {
  trial free;
  const char *against, *apart;
  const char *title, *rest; /* before and behind the number of tets */
  const double *values;
  int count;
} comparison;

static trial with_value(const comparison *of, double value)
{
  trial t = of->free;
  if (t.blocks > 1)
    t.stiffness = value;
  else
    t.friction = value;
  return t;
}

/* One preconditioner: without contact, then with each value; the most of these over the first. */
static pl_status add_row(const comparison *of, pl_text *csv, pl_error *error)
{
  double apart = 0, iterations = 0, max = 0;
  int n = of->free.n;
  pl_status status = count_iterations(&of->free, &apart, error);
  if (!status) printf("  %-16s %8.1f", of->free.preconditioner, apart);
  for (int k = 0; k < of->count && !status; k++) {
    const trial t = with_value(of, of->values[k]);
    status = count_iterations(&t, &iterations, error);
    if (status) break;
    printf(" %8.1f", iterations);
    max = fmax(max, iterations / apart); // of a motion torn apart: not a number
    if (csv)
      pl_text_add(csv, "%s,%d,%s,%g,%.2f,%.2f\n", of->against, 24 * n * n * n, t.preconditioner,
                  of->values[k], apart, iterations);
  }
  if (!status) printf(" %8.2f\n", max);
  fflush(stdout);
  return status;
}

static pl_status add_table(comparison *of, pl_text *csv, pl_error *error)
{
  static const char *const preconditioners[] = {"block-diagonal", "ssor", "multigrid"};
  int n = of->free.n;
  pl_status status = PL_OK;
  printf("%s%d%s\n%-18s %8s", of->title, 24 * n * n * n, of->rest, "  preconditioner", of->apart);
  for (int k = 0; k < of->count; k++) printf(" %8g", of->values[k]);
  printf("  most / %s\n", of->apart);
  for (int m = 0; m < 3 && !status; m++) {
    of->free.preconditioner = preconditioners[m];
    status = add_row(of, csv, error);
  }
  return status;
}

int cli_bench_contact_solves(int quick, pl_text *csv)
{
  static const double factors[] = {0.01, 1, 100, 1e4}, frictions[] = {0, 0.2, 0.8};
  int n = quick ? 3 : 8;
  comparison blocks = {.free = {NULL, n, 2, 0, -1},
                       .against = "body",
                       .apart = "apart",
                       .title =
                           "Iterations per solve to 1e-6, nan: the motion diverges; two blocks of ",
                       .rest = " tets: apart, and on each other with the contact's stiffness times",
                       .values = factors,
                       .count = 4};
  comparison plane = {.free = {NULL, n, 1, 0, -1},
                      .against = "plane",
                      .apart = "in air",
                      .title = "\nThe same for a block of ",
                      .rest = " tets held at a side: in the air, and on a plane with friction",
                      .values = frictions,
                      .count = 3};
  pl_error error = {0};
  if (csv) pl_text_add(csv, "against,tets,preconditioner,value,iterations_free,iterations\n");
  if (add_table(&blocks, csv, &error) || add_table(&plane, csv, &error))
    return cli_fail_error(&error);
  return CLI_OK;
}

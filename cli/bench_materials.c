/* pliant bench materials: what laws, memory, elements and incompressibility cost, each beside its
 * yardstick in the same run.
 *
 * Laws and memory: the standard bar of pliant bench (implicit Euler, one Newton iteration, dt 10
 * ms, the preset solver to 1e-6) in one thread. The worlds of a table step in turns, and what
 * counts is the median over the rounds of the ratio of processor times to the yardstick's, so that
 * a busy machine disturbs both alike. Elements: force and matrix of a bar that swings, at equal
 * nodes. Multigrid: iterations of the same bar in dynamics as Poisson's ratio goes to 0.5. */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORLDS = 16, MOST_ROUNDS = 60, WARM = 3 };

/* A bar of 4n x n x n cubes, and what it is made of. */
typedef struct bar {
  const char *name, *law, *strain;
  const char *element; /* "tet", "hex", or "tet10" for half the cubes */
  const char *volume;
  double poisson;
  int terms;           /* of memory */
  const char *tangent; /* NULL: the preset, without negative eigenvalues */
} bar;

static pl_status make_mesh(const bar *b, int n, pl_mesh **mesh, pl_error *error)
{
  const int quadratic = !strcmp(b->element, "tet10");
  const double cells = quadratic ? n / 2 : n;
  const pl_setting box[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                            {.name = "cells", .value = {4 * cells, cells, cells}},
                            {.name = "element", .word = quadratic ? "tet" : b->element}};
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, mesh, error);
  if (status || !quadratic) return status;
  pl_mesh *coarse = *mesh;
  *mesh = NULL;
  status = pl_mesh_divide(coarse, PL_DIVIDE_TET10, NULL, mesh, error);
  pl_mesh_destroy(coarse);
  return status;
}

/* Shares that add up to a half, times from 10 ms on. */
static pl_memory_def make_memory(int terms)
{
  pl_memory_def memory = {.count = terms};
  double time = 0.01;
  for (int i = 0; i < terms; i++, time *= 4) {
    memory.shares[i] = 0.5 / terms;
    memory.times[i] = time;
  }
  return memory;
}

static pl_status add_bar(pl_world *world, const bar *b, const pl_mesh *mesh, pl_error *error)
{
  const pl_setting moduli[] = {{.name = "young", .value = {1e6}},
                               {.name = "poisson", .value = {b->poisson}}};
  const pl_setting words[] = {{.name = "strain", .word = b->strain},
                              {.name = "volume", .word = b->volume}};
  const pl_selector end = {.set = "x-min"};
  pl_body_def body = pl_body_def_default();
  pl_fix_def fix = pl_fix_def_default();
  pl_body_id id = {0};
  body.mesh = mesh;
  body.material.law = (pl_choice){b->law, moduli, 2};
  body.material.memory = make_memory(b->terms);
  body.model = (pl_choice){"fem", words, 2};
  fix.where = &end;
  fix.where_count = 1;
  pl_status status = pl_world_add_body(world, &body, &id, error);
  return status ? status : pl_world_add_fix(world, id, &fix, NULL, error);
}

static pl_status make_world(const bar *b, int n, const char *preconditioner, pl_world **world,
                            pl_error *error)
{
  const pl_setting tangent = {.name = "tangent", .word = b->tangent};
  pl_world_def def = pl_world_def_default();
  pl_mesh *mesh = NULL;
  if (b->tangent) def.integrator = (pl_choice){"implicit-euler", &tangent, 1};
  def.gravity[1] = -9.81;
  def.gravity[2] = 0;
  def.threads = 1;
  def.preconditioner.name = preconditioner;
  if (preconditioner) def.solver.name = "cg";
  pl_status status = make_mesh(b, n, &mesh, error);
  if (!status) status = pl_world_create(&def, world, error);
  if (!status) status = add_bar(*world, b, mesh, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* ---- steps in turns ---- */

typedef struct table {
  const bar *bars;
  int count, n, rounds, steps;
  pl_world *worlds[MOST_WORLDS];
  double step[MOST_WORLDS][MOST_ROUNDS], evaluate[MOST_WORLDS][MOST_ROUNDS];
  double iterations[MOST_WORLDS];
} table;

static pl_status time_round(table *t, int i, int round, pl_error *error)
{
  pl_world *world = t->worlds[i];
  double start = pl_processor_now(), before = world->tally.seconds_evaluate;
  int64_t iterations = world->tally.linear_iterations;
  pl_status status = PL_OK;
  for (int k = 0; k < t->steps && !status; k++) status = pl_world_step(world, error);
  if (round < 0) return status;
  t->step[i][round] = 1e3 * (pl_processor_now() - start) / t->steps;
  t->evaluate[i][round] = 1e3 * (world->tally.seconds_evaluate - before) / t->steps;
  t->iterations[i] +=
      (double)(world->tally.linear_iterations - iterations) / (t->steps * t->rounds);
  return status;
}

static pl_status run_table(table *t, const char *preconditioner, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < t->count && !status; i++)
    status = make_world(&t->bars[i], t->n, preconditioner, &t->worlds[i], error);
  for (int round = -WARM; round < t->rounds && !status; round++) {
    for (int i = 0; i < t->count && !status; i++) status = time_round(t, i, round, error);
  }
  return status;
}

static void close_table(table *t)
{
  for (int i = 0; i < t->count; i++) pl_world_destroy(t->worlds[i]);
}

/* The median of the rounds' ratios to row 0. */
static double ratio(double values[][MOST_ROUNDS], int row, int rounds)
{
  double ratios[MOST_ROUNDS];
  for (int k = 0; k < rounds; k++) ratios[k] = values[row][k] / values[0][k];
  return cli_median(ratios, rounds);
}

static double middle(const double *values, int rounds)
{
  double copy[MOST_ROUNDS];
  memcpy(copy, values, (size_t)rounds * sizeof *copy);
  return cli_median(copy, rounds);
}

/* One size of a table of steps. */
static pl_status print_steps(const char *title, table *t, pl_text *csv, pl_error *error)
{
  pl_status status = run_table(t, NULL, error);
  int elements = status ? 0 : t->worlds[0]->bodies.list[0].mesh->element_count;
  for (int i = 0; i < t->count && !status; i++) {
    const bar *b = &t->bars[i];
    double step = middle(t->step[i], t->rounds), times = ratio(t->step, i, t->rounds);
    double evaluate = middle(t->evaluate[i], t->rounds);
    // the first term brings the memory, further ones only themselves
    double base = b->terms > 1 ? ratio(t->step, 1, t->rounds) : 1;
    double extra = 100 * (times - base) / (b->terms > 1 ? b->terms - 1 : 1);
    printf("%8d %-22s %9.2f %9.2f %9.2f %9.1f", elements, b->name, step, evaluate, times,
           t->iterations[i]);
    if (b->terms) printf(" %9.1f %%", extra);
    printf("\n");
    if (csv)
      pl_text_add(csv, "%s,%d,\"%s\",%.4f,%.4f,%.4f,%.2f\n", title, elements, b->name, step,
                  evaluate, times, t->iterations[i]);
  }
  fflush(stdout);
  close_table(t);
  return status;
}

static pl_status bench_steps(const char *title, const bar *bars, int count, int quick, pl_text *csv,
                             pl_error *error)
{
  static const int sizes[][3] = {{6, 40, 2}, {10, 20, 2}, {16, 10, 1}};
  printf("\n%s\n%8s %-22s %9s %9s %9s %9s %s\n", title, "tets", "", "ms/step", "force+K", "ratio",
         "CG iter.", bars[count - 1].terms ? "the first term; each more" : "");
  pl_status status = PL_OK;
  for (int i = 0; i < (quick ? 1 : 3) && !status; i++) {
    static table t;
    t = (table){.bars = bars,
                .count = count,
                .n = sizes[i][0],
                .rounds = sizes[i][1],
                .steps = sizes[i][2]};
    status = print_steps(title, &t, csv, error);
  }
  return status;
}

static pl_status bench_laws(int quick, pl_text *csv, pl_error *error)
{
  static const bar bars[] = {
      {"corotated", "hooke", "corotated", "tet", "point", 0.3, 0, NULL},
      {"green", "hooke", "green", "tet", "point", 0.3, 0, NULL},
      {"hybrid", "hooke", "hybrid", "tet", "point", 0.3, 0, NULL},
      {"neo-hooke", "neo-hooke", "corotated", "tet", "point", 0.3, 0, NULL},
      {"stable-neo-hooke", "stable-neo-hooke", "corotated", "tet", "point", 0.3, 0, NULL},
      {"neo-hooke, exact", "neo-hooke", "corotated", "tet", "point", 0.3, 0, "exact"},
      {"stable-neo-h., exact", "stable-neo-hooke", "corotated", "tet", "point", 0.3, 0, "exact"},
      {"reduced-polynomial", "reduced-polynomial", "corotated", "tet", "point", 0.3, 0, NULL},
      {"arruda-boyce", "arruda-boyce", "corotated", "tet", "point", 0.3, 0, NULL},
      {"mooney-rivlin", "mooney-rivlin", "corotated", "tet", "point", 0.3, 0, NULL},
      {"fixed-corotated", "fixed-corotated", "corotated", "tet", "point", 0.3, 0, NULL},
      {"ogden", "ogden", "corotated", "tet", "point", 0.3, 0, NULL},
  };
  return bench_steps("laws", bars, 12, quick, csv, error);
}

static pl_status bench_memory(const char *title, const char *law, int quick, pl_text *csv,
                              pl_error *error)
{
  const bar bars[] = {
      {"no memory", law, "corotated", "tet", "point", 0.3, 0, NULL},
      {"1 term", law, "corotated", "tet", "point", 0.3, 1, NULL},
      {"3 terms", law, "corotated", "tet", "point", 0.3, 3, NULL},
      {"6 terms", law, "corotated", "tet", "point", 0.3, 6, NULL},
  };
  return bench_steps(title, bars, 4, quick, csv, error);
}

/* ---- elements ---- */

static double time_matrix(pl_world *world)
{
  pl_model *model = world->bodies.list[0].model;
  const pl_moment at = {.h = 0.01, .q = world->state.q, .v = world->state.v};
  const pl_tangent tangent = {.kq = 1, .A = world->system.A};
  double start = pl_processor_now();
  model->ops->evaluate(model, &at, world->vectors.scratch, &tangent, NULL);
  return 1e3 * (pl_processor_now() - start);
}

static pl_status bench_elements(int quick, pl_text *csv, pl_error *error)
{
  static const bar bars[] = {
      {"T4", "neo-hooke", "corotated", "tet", "point", 0.3, 0, NULL},
      {"T10", "neo-hooke", "corotated", "tet10", "point", 0.3, 0, NULL},
      {"T10-P0", "neo-hooke", "corotated", "tet10", "element", 0.3, 0, NULL},
      {"H8", "neo-hooke", "corotated", "hex", "point", 0.3, 0, NULL},
      {"H8-P0", "neo-hooke", "corotated", "hex", "element", 0.3, 0, NULL},
  };
  enum { COUNT = sizeof bars / sizeof *bars };
  static table t;
  t = (table){.bars = bars, .count = COUNT, .n = quick ? 6 : 12, .rounds = 1, .steps = 1};
  pl_status status = run_table(&t, NULL, error);
  for (int round = 0; round < MOST_ROUNDS && !status; round++) {
    for (int i = 0; i < COUNT; i++) t.evaluate[i][round] = time_matrix(t.worlds[i]);
  }
  printf("\nforce and matrix at equal nodes, neo-hooke\n%8s %-22s %9s %9s %9s\n", "nodes", "", "ms",
         "of T4", "of H8");
  for (int i = 0; i < COUNT && !status; i++) {
    int nodes = t.worlds[i]->bodies.blocks;
    double of_hex = ratio(t.evaluate, i, MOST_ROUNDS) / ratio(t.evaluate, 3, MOST_ROUNDS);
    double of_tet = ratio(t.evaluate, i, MOST_ROUNDS), ms = middle(t.evaluate[i], MOST_ROUNDS);
    printf("%8d %-22s %9.3f %9.2f %9.2f\n", nodes, bars[i].name, ms, of_tet, of_hex);
    if (csv) pl_text_add(csv, "elements,%d,%s,,%.4f,%.4f,\n", nodes, bars[i].name, ms, of_tet);
  }
  close_table(&t);
  return status;
}

/* ---- multigrid near 0.5 ---- */

static pl_status bench_ratio(const char *name, const char *element, const char *volume, int n,
                             pl_text *csv, pl_error *error)
{
  static const double ratios[] = {0.3, 0.45, 0.49, 0.499, 0.4999};
  double first = 0;
  pl_status status = PL_OK;
  printf("%-10s", name);
  for (int i = 0; i < 5 && !status; i++) {
    const bar b = {name, "neo-hooke", "corotated", element, volume, ratios[i], 0, NULL};
    static table t;
    t = (table){.bars = &b, .count = 1, .n = n, .rounds = 10, .steps = 1};
    status = run_table(&t, "multigrid", error);
    if (!i) first = t.iterations[0];
    if (!status) printf(" %8.1f (%4.1f)", t.iterations[0], t.iterations[0] / first);
    if (!status && csv)
      pl_text_add(csv, "multigrid,%g,%s,%.4f,,%.4f,%.2f\n", ratios[i], name,
                  middle(t.step[0], t.rounds), t.iterations[0] / first, t.iterations[0]);
    fflush(stdout);
    close_table(&t);
  }
  printf("\n");
  return status;
}

static pl_status bench_ratios(int quick, pl_text *csv, pl_error *error)
{
  static const char *const rows[][3] = {{"T4", "tet", "point"},    {"T4-node", "tet", "node"},
                                        {"T10", "tet10", "point"}, {"T10-P0", "tet10", "element"},
                                        {"H8", "hex", "point"},    {"H8-P0", "hex", "element"}};
  printf("\nmultigrid, iterations per step of 10 ms (over those at 0.3)\n%-10s %15s %15s %15s %15s "
         "%15s\n",
         "", "0.3", "0.45", "0.49", "0.499", "0.4999");
  pl_status status = PL_OK;
  for (int i = 0; i < 6 && !status; i++)
    status = bench_ratio(rows[i][0], rows[i][1], rows[i][2], quick ? 6 : 10, csv, error);
  return status;
}

int cli_bench_materials(int quick, pl_text *csv)
{
  pl_error error = {0};
  if (csv) pl_text_add(csv, "table,size,row,ms_per_step,ms_evaluate,ratio,cg_iterations\n");
  printf("Standard bars, one thread, processor time; ratios are to the first row of a table\n");
  pl_status status = bench_laws(quick, csv, &error);
  if (!status) status = bench_memory("memory around corotated", "hooke", quick, csv, &error);
  if (!status) status = bench_memory("memory around neo-hooke", "neo-hooke", quick, csv, &error);
  if (!status) status = bench_elements(quick, csv, &error);
  if (!status) status = bench_ratios(quick, csv, &error);
  return status ? cli_fail_error(&error) : CLI_OK;
}

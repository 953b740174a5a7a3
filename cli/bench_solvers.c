/* pliant bench solvers: every solver on the matrices of Hauth 2004, 3.4, repeated, beside his
 * tables 3.3 to 3.5; then large bars, for those whose iterations should not grow.
 *
 * His matrices are those of an implicit step; their meshes (a sphere of 175 tets, a liver of 2616,
 * a sheared cube of 24576) are gone but for the cube. A sphere and a duck of about as many tets
 * stand for the others. Neither material nor step is printed there; the step is chosen so that the
 * block-diagonal preconditioner needs about as many iterations as his. */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "mesh/fill.h"
#include "mesh/solid.h"
#include "sparse/factor.h"
#include "sparse/vector.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 9, MATRICES = 3, LONG = 1000 /* ms */ };

/* A factor that is worth making: some minutes. */
#define MOST_FLOPS 1e12

/* What the thesis prints: iterations of table 3.4, setup and solve of table 3.5 in ms, and the
 * Mflops of table 3.4; 0: none. */
typedef struct printed {
  int iterations;
  double setup, solve, mflops;
} printed;

typedef struct contender {
  const char *solver, *preconditioner;
  printed thesis[MATRICES];
} contender;

static const contender contenders[] = {
    {"cg", "diagonal", {{75, 0, 0, 2.14}, {42, 0, 0, 14.8}, {90, 0, 0, 243.4}}},
    {"cg", "block-diagonal", {{72, .01, 2.19, 2.16}, {39, .1, 16, 14.2}, {81, 2, 339, 227.2}}},
    {"cg", "incomplete-cholesky", {{27, 0, 0, 1.11}, {14, 0, 0, 6.22}, {27, 0, 0, 104.9}}},
    {"cg", "threshold-cholesky", {{22, 0, 0, .91}, {7, 0, 0, 3.25}, {14, 0, 0, 58.6}}},
    {"cg", "ssor", {{37, 0, 0, 1.52}, {17, 0, 0, 8.12}, {33, 0, 0, 129.1}}},
    {"eisenstat", "none", {{38, .01, .98, .71}, {23, .2, 11, 3.74}, {51, 2, 225, 81.4}}},
    {"cg", "multigrid", {{0}}},
    {"direct", "none", {{0, 6.76, .58, 0}, {0, 114, 11, 0}, {0, 17807, 370, 0}}},
    {"minres", "block-diagonal", {{0}}},
    {"bicgstab", "block-diagonal", {{0}}},
    {"auto", "auto", {{0}}},
};

/* Table 3.3: factor by Cholesky with SYMAMD, Mflops and numbers in both halves. */
static const double printed_factor[MATRICES][2] = {{.27, 13962}, {7, 170304}, {5096, 11910726}};

/* Operations of a solve, in millions: each iteration multiplies by the matrix once (2 nnz), adds
 * three vectors and multiplies two pairs of them (10 dim), and applies the preconditioner: 2 nnz
 * for two triangular sweeps, 15 per node for blocks. Eisenstat's form has the two sweeps in place
 * of the product. 0: not counted. */
static double solve_mflops(const contender *who, int iterations, const pl_bsr *A)
{
  double dim = 3.0 * A->rows, nnz = 9.0 * A->start[A->rows], each = 2 * nnz + 10 * dim;
  const char *by = who->preconditioner;
  if (strcmp(who->solver, "eisenstat") == 0) return 1e-6 * iterations * (2 * nnz + 16 * dim);
  if (strcmp(who->solver, "cg") != 0 || strcmp(by, "multigrid") == 0) return 0;
  if (strcmp(by, "threshold-cholesky") == 0) return 0;
  if (strcmp(by, "diagonal") == 0) return 1e-6 * iterations * (each + dim);
  if (strcmp(by, "block-diagonal") == 0) return 1e-6 * iterations * (each + 5 * dim);
  return 1e-6 * iterations * (each + 2 * nnz);
}

/* ---- the matrices ---- */

static pl_status make_duck(int elements, pl_mesh **mesh, pl_error *error)
{
  pl_solid *solid;
  pl_setting size = {.name = "elements", .value = {elements}};
  pl_solid_row row = {{"duck", NULL, 0}, 0};
  *mesh = NULL;
  pl_status status = pl_solid_create(&row, 1, NULL, &solid, error);
  if (status) return status;
  pl_volume volume = pl_solid_volume(solid);
  status = pl_fill(&volume, &(pl_choice){"stuffing", &size, 1}, NULL, mesh, error);
  pl_solid_destroy(solid);
  return status;
}

static pl_status make_mesh(int which, pl_mesh **mesh, pl_error *error)
{
  pl_setting ball[] = {{.name = "radius", .value = {0.1}}, {.name = "cells", .value = {3}}};
  pl_setting cube[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                       {.name = "cells", .value = {16, 16, 16}}};
  if (which == 0) return pl_mesh_generate(&(pl_choice){"sphere", ball, 2}, NULL, mesh, error);
  if (which == 1) return make_duck(2616, mesh, error);
  return pl_mesh_generate(&(pl_choice){"box", cube, 2}, NULL, mesh, error);
}

/* A free body of the mesh, which is freed. */
static pl_status make_world(pl_mesh *mesh, double young, pl_world **world, pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  pl_body_def body = pl_body_def_default();
  pl_body_id id;
  const pl_setting hooke[] = {{.name = "young", .value = {young}},
                              {.name = "poisson", .value = {0.3}}};
  def.threads = 1;
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  pl_status status = pl_world_create(&def, world, error);
  if (!status) status = pl_world_add_body(*world, &body, &id, error);
  pl_mesh_destroy(mesh);
  if (!status) status = pl_world_prepare(*world, error);
  if (status) pl_world_destroy(*world);
  return status;
}

/* A sheared state, its matrix for a step of h, and in b its forces. */
static void fill_matrix(pl_world *world, double h, double *b)
{
  pl_system *system = &world->system;
  for (int i = 0; i < world->bodies.blocks; i++)
    world->state.q[3 * i] += 0.1 * world->state.q[3 * i + 2];
  const pl_tangent tangent = {1 / h, h, 1, 1, system->A, system->pairs};
  system->ops->evaluate(system, 0, world->state.q, world->state.v, b, &tangent);
  pl_filter_apply(&system->filter, b);
}

/* ---- measuring ---- */

typedef struct result {
  int iterations;
  double setup, solve; /* ms */
  double residual;     /* relative */
  double mflops;       /* of the solve; 0: not counted */
} result;

static pl_status choose(const contender *who, pl_selection *solver, pl_selection *preconditioner,
                        pl_error *error)
{
  pl_status status = pl_choice_resolve(&pl_solver_family, &(pl_choice){who->solver, NULL, 0},
                                       &solver->member, solver->values, error);
  if (status) return status;
  return pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){who->preconditioner, NULL, 0},
                           &preconditioner->member, preconditioner->values, error);
}

static double min(const double *values, int count)
{
  double best = values[0];
  for (int i = 1; i < count; i++) best = fmin(best, values[i]);
  return best;
}

static pl_status run_rounds(pl_solver *solver, const pl_system *system, const double *b, double *x,
                            int rounds, result *out, pl_error *error)
{
  double setups[ROUNDS], solves[ROUNDS], scale = pl_norm(b, system->blocks, system->pool);
  pl_solve_report report;
  for (int i = 0; i < rounds; i++) {
    double start = pl_processor_now();
    pl_status status =
        pl_solver_prepare(solver, system->A, NULL, &system->filter, system->pool, error);
    double middle = pl_processor_now();
    memset(x, 0, 3 * (size_t)system->blocks * sizeof *x);
    if (!status)
      status = pl_solver_solve(solver, system->A, &system->filter, b, x, 1e-6 * scale, system->pool,
                               &report, error);
    if (status) return status;
    setups[i] = 1e3 * (middle - start);
    solves[i] = 1e3 * (pl_processor_now() - middle);
    // what takes seconds is measured once
    if (i == 0 && setups[0] + solves[0] > LONG) rounds = 1;
  }
  out->iterations = report.iterations;
  out->residual = report.residual / scale;
  out->setup = min(setups, rounds);
  out->solve = min(solves, rounds);
  return PL_OK;
}

/* A solver on the world's matrix; setups renew everything. */
static pl_status measure(pl_world *world, const contender *who, const double *b, double *x,
                         int rounds, result *out, pl_error *error)
{
  pl_selection parts[2];
  pl_solver *solver = NULL;
  pl_status status = choose(who, &parts[0], &parts[1], error);
  int reuse = pl_param_find(parts[0].member, "reuse");
  if (!status && reuse >= 0) parts[0].values[pl_param_place(parts[0].member, reuse)] = 1;
  if (!status && (reuse = pl_param_find(parts[1].member, "reuse")) >= 0)
    parts[1].values[pl_param_place(parts[1].member, reuse)] = 1;
  if (!status)
    status =
        pl_solver_create(&world->allocator, &parts[0], &parts[1], world->system.A, &solver, error);
  if (!status) status = run_rounds(solver, &world->system, b, x, rounds, out, error);
  pl_solver_destroy(solver);
  out->mflops = status ? 0 : solve_mflops(who, out->iterations, world->system.A);
  return status;
}

static const char *const names[MATRICES] = {"sphere", "liver (a duck)", "sheared cube"};

static void print_row(const contender *who, const result *r, const printed *thesis,
                      const char *name, pl_text *csv)
{
  printf("  %-10s %-20s %6d %10.3f %10.3f %9.1e", who->solver, who->preconditioner, r->iterations,
         r->setup, r->solve, r->residual);
  if (thesis && thesis->iterations) printf(" %8d", thesis->iterations);
  if (thesis && thesis->solve > 0)
    printf("%s %9g %9g", thesis->iterations ? "" : "         ", thesis->setup, thesis->solve);
  printf("\n");
  const printed none = {0}, *from = thesis ? thesis : &none;
  if (csv)
    pl_text_add(csv, "%s,%s,%s,%d,%.4f,%.4f,%.2e,%d,%g,%g,%.4g,%g\n", name, who->solver,
                who->preconditioner, r->iterations, r->setup, r->solve, r->residual,
                from->iterations, from->setup, from->solve, r->mflops, from->mflops);
}

static void print_head(void)
{
  printf("  %-10s %-20s %6s %10s %10s %9s %8s %9s %9s\n", "solver", "preconditioner", "iter.",
         "setup ms", "solve ms", "residual", "thesis:", "setup ms", "solve ms");
}

/* In the table a factor has its numbers in place of iterations. */
static pl_status print_factor(pl_world *world, const double *thesis, const char *name, pl_text *csv,
                              pl_error *error)
{
  pl_factor *factor;
  for (int nested = 0; nested < 2; nested++) {
    pl_status status = pl_factor_create(&world->allocator, world->system.A,
                                        nested ? PL_ORDER_NESTED : PL_ORDER_DEGREE, &factor, error);
    if (status) return status;
    printf("  factor, %s: %.2f Mflops, %.0f numbers in both halves (thesis: %g, %.0f)\n",
           nested ? "nested" : "degree", 1e-6 * pl_factor_flops(factor), 2 * pl_factor_fill(factor),
           thesis[0], thesis[1]);
    if (csv)
      pl_text_add(csv, "%s,factor,%s,%.0f,,,,%.0f,,,%.4g,%g\n", name, nested ? "nested" : "degree",
                  2 * pl_factor_fill(factor), thesis[1], 1e-6 * pl_factor_flops(factor), thesis[0]);
    pl_factor_destroy(factor);
  }
  return PL_OK;
}

/* The direct solver on a large bar, step by step; in the better order. What would take too long at
 * the speed of the last one (flops per second) is only analysed. */
static pl_status bench_factor(pl_world *world, const double *b, double *x, double *speed,
                              pl_error *error)
{
  const pl_system *system = &world->system;
  pl_factor *factor;
  double start = pl_processor_now();
  pl_status status = pl_factor_create(&world->allocator, system->A, PL_ORDER_LEAST, &factor, error);
  double analysed = pl_processor_now();
  printf("  direct: analysis %.2f s", analysed - start);
  if (status == PL_E_LIMIT) {
    printf("; %s\n", error->message);
    return PL_OK;
  }
  if (status) return status;
  double fill = pl_factor_fill(factor), flops = pl_factor_flops(factor);
  printf(", factor of %.3g numbers (%.2f GB), %.3g flops", fill, 1e-9 * pl_factor_bytes(fill),
         flops);
  fflush(stdout);
  if (flops < MOST_FLOPS) {
    status = pl_factor_compute(factor, system->A, &system->filter, NULL, 0, NULL, error);
    double factorised = pl_processor_now();
    *speed = flops / (factorised - analysed);
    if (!status) pl_factor_solve(factor, b, x, NULL);
    printf(": factorisation %.2f s, back-substitution %.3f s\n", factorised - analysed,
           pl_processor_now() - factorised);
  } else {
    printf(": about %.0f minutes, not made\n", flops / *speed / 60);
  }
  pl_factor_destroy(factor);
  return status;
}

/* A row for each contender; which: the thesis' matrix, -1: none of them. Of multigrid the
 * iterations are reported. */
static pl_status run_all(pl_world *world, const contender *all, size_t count, int which, double *b,
                         int *multigrid, pl_text *csv, pl_error *error)
{
  double ssor = 0, eisenstat = 0;
  for (size_t i = 0; i < count; i++) {
    const contender *who = &all[i];
    result r = {0};
    pl_status status =
        measure(world, who, b, b + 3 * (size_t)world->bodies.blocks, ROUNDS, &r, error);
    if (status) return status;
    char name[32];
    snprintf(name, sizeof name, "bar %d", world->bodies.list[0].mesh->element_count);
    print_row(who, &r, which < 0 ? NULL : &who->thesis[which], which < 0 ? name : names[which],
              csv);
    fflush(stdout);
    if (strcmp(who->preconditioner, "ssor") == 0) ssor = r.solve;
    if (strcmp(who->solver, "eisenstat") == 0) eisenstat = r.solve;
    if (multigrid && strcmp(who->preconditioner, "multigrid") == 0) *multigrid = r.iterations;
  }
  if (ssor > 0 && eisenstat > 0)
    printf("  eisenstat saves %.0f %% of the time of cg with ssor\n", 100 * (1 - eisenstat / ssor));
  return PL_OK;
}

/* One of the thesis' matrices with all contenders. */
static pl_status bench_matrix(int which, pl_text *csv, pl_error *error)
{
  static const double steps[MATRICES] = {0.06, 0.027, 0.009}, young = 1e4;
  pl_mesh *mesh;
  pl_world *world;
  pl_status status = make_mesh(which, &mesh, error);
  if (status) return status;
  int tets = mesh->element_count;
  if ((status = make_world(mesh, young, &world, error))) return status;
  size_t room = 3 * (size_t)world->bodies.blocks;
  double *b = pl_alloc(&world->allocator, 2 * room, sizeof *b);
  if (b) {
    fill_matrix(world, steps[which], b);
    printf("\n%s: %d tets, %d nodes, %d numbers in the matrix, step %g ms, E %g Pa\n", names[which],
           tets, world->bodies.blocks, 9 * world->system.A->start[world->bodies.blocks],
           1e3 * steps[which], young);
    print_head();
  } else {
    status = pl_fail_memory(error);
  }
  if (!status)
    status = run_all(world, contenders, sizeof contenders / sizeof *contenders, which, b, NULL, csv,
                     error);
  if (!status) status = print_factor(world, printed_factor[which], names[which], csv, error);
  pl_free(&world->allocator, b);
  pl_world_destroy(world);
  return status;
}

/* The matrix of the standard bar's first step. */
static pl_status bench_bar(int n, int *multigrid, double *speed, pl_text *csv, pl_error *error)
{
  // the last two want too much memory or time for a million tets
  static const contender large[] = {{"cg", "multigrid", {{0}}},
                                    {"cg", "block-diagonal", {{0}}},
                                    {"cg", "ssor", {{0}}},
                                    {"eisenstat", "none", {{0}}},
                                    {"auto", "auto", {{0}}},
                                    {"cg", "incomplete-cholesky", {{0}}},
                                    {"cg", "threshold-cholesky", {{0}}}};
  size_t count = sizeof large / sizeof *large - (n > 20 ? 2 : 0);
  pl_world *world;
  pl_status status = cli_make_bar(n, 1, NULL, NULL, &world, error);
  if (status) return status;
  size_t room = 3 * (size_t)world->bodies.blocks;
  double *b = pl_alloc(&world->allocator, 2 * room, sizeof *b);
  if (!b) status = pl_fail_memory(error);
  if (!status) status = pl_world_prepare(world, error);
  if (!status) {
    fill_matrix(world, 0.01, b);
    printf("\nbar: %d tets, %d nodes, step 10 ms\n", world->bodies.list[0].mesh->element_count,
           world->bodies.blocks);
    print_head();
  }
  if (!status) status = run_all(world, large, count, -1, b, multigrid, csv, error);
  if (!status) status = bench_factor(world, b, b + room, speed, error);
  pl_free(&world->allocator, b);
  pl_world_destroy(world);
  return status;
}

int cli_bench_solvers(int quick, pl_text *csv)
{
  pl_error error = {0};
  static const int bars[] = {10, 16, 35};
  printf("Relative residual 1e-6, one thread, processor time, least of %d rounds; every setup "
         "renews all.\n",
         ROUNDS);
  if (csv)
    pl_text_add(csv, "matrix,solver,preconditioner,iterations,ms_setup,ms_solve,residual,"
                     "thesis_iterations,thesis_ms_setup,thesis_ms_solve,mflops,thesis_mflops\n");
  for (int i = 0; i < MATRICES; i++) {
    if (bench_matrix(i, csv, &error)) return cli_fail_error(&error);
  }
  int iterations[3] = {0}, last = quick ? 0 : 2;
  double speed = 1e9;
  for (int i = 0; i <= last; i++) {
    if (bench_bar(bars[i], &iterations[i], &speed, csv, &error)) return cli_fail_error(&error);
  }
  if (!quick)
    printf("\nmultigrid needs %.2f times as many iterations at the last bar as at the first\n",
           (double)iterations[last] / iterations[0]);
  return CLI_OK;
}

/* Our factor beside SuiteSparse's CHOLMOD on the matrix of the standard bar (24 000 tetrahedra,
 * step of 10 ms, sheared), one thread: analysis, numeric factorisation, one back-substitution and
 * its residual, least of several rounds, as CSV.
 *
 *   bench-cholmod [ROUNDS] [NAME OF THE BLAS]
 *
 * CHOLMOD takes its dense products from the BLAS that is installed, or that LD_LIBRARY_PATH names.
 */
#include "core/clock.h"
#include "core/memory.h"
#include "sparse/factor.h"
#include "world/world.h"

#include <suitesparse/cholmod.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 100 };

typedef struct times {
  double analysis, factor, solve, residual; /* ms, ms, ms, relative */
} times;

static void keep_least(times *least, const times *now)
{
  least->analysis = fmin(least->analysis, now->analysis);
  least->factor = fmin(least->factor, now->factor);
  least->solve = fmin(least->solve, now->solve);
  least->residual = fmax(least->residual, now->residual);
}

/* |b - A x| / |b|. */
static double residual_of(const pl_bsr *A, const double *b, const double *x, double *r)
{
  double sum = 0, size = 0;
  pl_bsr_multiply(A, x, r, NULL);
  for (int i = 0; i < 3 * A->rows; i++) {
    sum += (b[i] - r[i]) * (b[i] - r[i]);
    size += b[i] * b[i];
  }
  return sqrt(sum / size);
}

static pl_status run_own(const pl_bsr *A, const double *b, double *x, double *r, times *out,
                         pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_factor *factor;
  double start = pl_processor_now();
  pl_status status = pl_factor_create(&allocator, A, PL_ORDER_LEAST, &factor, error);
  if (status) return status;
  double analysed = pl_processor_now();
  status = pl_factor_compute(factor, A, NULL, NULL, 0, NULL, error);
  double factorised = pl_processor_now();
  if (!status) pl_factor_solve(factor, b, x, NULL);
  double solved = pl_processor_now();
  *out = (times){1e3 * (analysed - start), 1e3 * (factorised - analysed),
                 1e3 * (solved - factorised), residual_of(A, b, x, r)};
  pl_factor_destroy(factor);
  return status;
}

/* The lower half, by columns; A is symmetric, so its rows are the columns. */
static cholmod_sparse *take_matrix(const pl_bsr *A, cholmod_common *common)
{
  size_t n = 3 * (size_t)A->rows;
  cholmod_sparse *S =
      cholmod_allocate_sparse(n, n, 9 * (size_t)A->start[A->rows], 1, 1, -1, CHOLMOD_REAL, common);
  int *starts = S->p, *rows = S->i, count = 0;
  double *values = S->x;
  for (int column = 0; column < (int)n; column++) {
    starts[column] = count;
    int block = column / 3, c = column % 3;
    for (int k = A->start[block]; k < A->start[block + 1]; k++) {
      // blocks are stored by columns; that of row `block` is the transposed one of the column
      for (int d = 0; d < 3; d++) {
        int row = 3 * A->columns[k] + d;
        if (row < column) continue;
        rows[count] = row;
        values[count++] = A->values[9 * (size_t)k + 3 * (size_t)d + (size_t)c];
      }
    }
  }
  starts[n] = count;
  return S;
}

static void run_cholmod(cholmod_sparse *S, const pl_bsr *A, const double *b, double *r, int method,
                        cholmod_common *common, times *out)
{
  common->supernodal = method;
  double start = pl_processor_now();
  cholmod_factor *L = cholmod_analyze(S, common);
  double analysed = pl_processor_now();
  cholmod_factorize(S, L, common);
  double factorised = pl_processor_now();
  cholmod_dense *right = cholmod_allocate_dense(S->nrow, 1, S->nrow, CHOLMOD_REAL, common);
  memcpy(right->x, b, S->nrow * sizeof *b);
  double before = pl_processor_now();
  cholmod_dense *x = cholmod_solve(CHOLMOD_A, L, right, common);
  double solved = pl_processor_now();
  *out = (times){1e3 * (analysed - start), 1e3 * (factorised - analysed), 1e3 * (solved - before),
                 residual_of(A, b, x->x, r)};
  cholmod_free_dense(&x, common);
  cholmod_free_dense(&right, common);
  cholmod_free_factor(&L, common);
}

static pl_status make_bar(pl_world **world, pl_error *error)
{
  const pl_setting box[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                            {.name = "cells", .value = {40, 10, 10}}};
  const pl_setting hooke[] = {{.name = "young", .value = {1e6}},
                              {.name = "poisson", .value = {0.3}}};
  pl_world_def def = pl_world_def_default();
  pl_body_def body = pl_body_def_default();
  pl_body_id id;
  pl_mesh *mesh = NULL;
  def.threads = 1;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error);
  if (!status) status = pl_world_create(&def, world, error);
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  if (!status) status = pl_world_add_body(*world, &body, &id, error);
  pl_mesh_destroy(mesh);
  return status ? status : pl_world_prepare(*world, error);
}

static void fill_matrix(pl_world *world, double *b)
{
  const double h = 0.01;
  pl_system *system = &world->system;
  const pl_tangent tangent = {1 / h, h, 1, 1, system->A, system->pairs};
  for (int i = 0; i < world->bodies.blocks; i++)
    world->state.q[3 * i] += 0.1 * world->state.q[3 * i + 2];
  system->ops->evaluate(system, 0, world->state.q, world->state.v, b, &tangent);
}

static void print_times(const char *name, const char *blas, const times *least)
{
  printf("%s,%s,%.1f,%.1f,%.2f,%.1e\n", name, blas, least->analysis, least->factor, least->solve,
         least->residual);
}

static int measure(pl_world *world, int rounds, const char *blas, double *room, pl_error *error)
{
  const pl_bsr *A = world->system.A;
  size_t n = 3 * (size_t)A->rows;
  double *b = room, *x = room + n, *r = room + 2 * n;
  const times none = {INFINITY, INFINITY, INFINITY, 0};
  times own = none, supernodal = none, simplicial = none, now;
  cholmod_common common;
  cholmod_start(&common);
  fill_matrix(world, b);
  cholmod_sparse *S = take_matrix(A, &common);
  for (int i = 0; i < rounds; i++) {
    if (run_own(A, b, x, r, &now, error)) return 1;
    keep_least(&own, &now);
    run_cholmod(S, A, b, r, CHOLMOD_SUPERNODAL, &common, &now);
    keep_least(&supernodal, &now);
    if (i == 0) run_cholmod(S, A, b, r, CHOLMOD_SIMPLICIAL, &common, &simplicial);
  }
  printf("factor,blas,ms_analysis,ms_factor,ms_solve,residual\n");
  print_times("pliant", "none", &own);
  print_times("CHOLMOD supernodal", blas, &supernodal);
  print_times("CHOLMOD simplicial", "none", &simplicial);
  cholmod_free_sparse(&S, &common);
  cholmod_finish(&common);
  return 0;
}

int main(int count, char **words)
{
  int rounds = count > 1 ? atoi(words[1]) : 5;
  pl_error error = {0};
  pl_world *world = NULL;
  if (rounds < 1 || rounds > MOST_ROUNDS) rounds = 5;
  if (!make_bar(&world, &error)) {
    double *room = calloc(9 * (size_t)world->bodies.blocks, sizeof *room);
    int bad = !room || measure(world, rounds, count > 2 ? words[2] : "installed", room, &error);
    free(room);
    pl_world_destroy(world);
    if (!bad) return 0;
  }
  fprintf(stderr, "bench-cholmod: %s\n", error.message);
  return 1;
}

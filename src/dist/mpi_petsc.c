/* The solver "petsc": conjugate gradients over all ranks, preconditioned by PETSc.
 *
 * The matrix is P (A + K) P + d (I - P): A's own rows of each rank, the pairs K beside it, the
 * filter's projections P, and the mean d of the diagonal where nothing may move. So fixes, contacts
 * and whatever else is filtered leave the pattern as it is. The right side is the residual of the
 * guess, and the increment is added to it.
 *
 * Aggregates of GAMG are made for the six rigid motions of the nodes where they are now. The levels
 * are kept for later matrices until they cost clearly more iterations than at first, or the matrix
 * has become another one: of the pure mass in place of mass and stiffness, say. */
#include "core/error.h"
#include "core/memory.h"
#include "dist/mpi_grid.h"
#include "dist/mpi_matrix.h"
#include "dist/mpi_start.h"
#include "dist/petsc.h"

#include <math.h>
#include <petscksp.h>
#include <string.h>

/* Kept levels are renewed when they take this many times the iterations of the first solve, and
 * when the mean diagonal has changed by this factor. */
static const double worn = 1.3, other = 1.1;

/* A bound on iterations without levels up to which these are not made. */
static const double few = 25;

/* How often what is left of the true residual is solved for again. */
enum { MOST_STARTS = 3 };

typedef struct petsc {
  pl_solver common;
  pl_dist_matrix own; /* the rank's rows */
  pl_dist_grid *grid; /* in place of the matrix; NULL: it is not in use */
  KSP ksp;
  Vec b, x;
  double *r;         /* the residual at the rank's rows */
  int is_general;    /* the matrix need not be symmetric */
  double mean;       /* of the diagonal */
  int is_easy;       /* without levels */
  double fresh_mean; /* ... when the levels were made */
  int fresh;         /* iterations of the first solve with them; 0: none yet */
  int is_renewed;    /* they are made in the next solve */
  // of the solve in hand
  double target;
  const pl_bsr *A;
  const pl_filter *filter;
  const double *side, *at; /* b and x */
  int is_cancelled;
} petsc;

static const pl_param params[PL_PETSC_PARAM_COUNT] = PL_PETSC_PARAMS;

/* ---- the matrix ---- */

/* The mean of the diagonal over all ranks, not finite where the matrix is not; and whether the
 * matrix is so well conditioned, mostly mass, that levels are not worth their price: some of them
 * have no graph to be made from. By the bound of decision.c. */
static void measure(petsc *self, const pl_bsr *A)
{
  double sums[3] = {0, 3.0 * self->own.count, 0};
  for (int i = 0; i < self->own.count; i++) {
    int row = pl_dist_matrix_row(&self->own, i);
    const double *D = A->values + 9 * (size_t)A->diagonal[row];
    sums[0] += D[0] + D[4] + D[8];
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      const double *block = A->values + 9 * (size_t)k;
      sums[2] += block[0] + block[4] + block[8];
    }
  }
  if (self->own.partition) self->own.partition->ranks->sum(self->own.partition->ranks, sums, 3);
  self->mean = sums[0] / sums[1];
  self->is_easy = sums[2] > 0 && 7 * sqrt(3 * sums[0] / sums[2]) < few;
}

/* ---- the preconditioner ---- */

/* The rigid motions of the rows' nodes, where these are known. */
static pl_status set_modes(petsc *self, const pl_bsr *A, pl_error *error)
{
  MatNullSpace modes = NULL;
  Vec at = NULL;
  PetscScalar *numbers = NULL;
  if (!A->points) return PL_OK;
  PL_PETSC_TRY(VecDuplicate(self->b, &at));
  PL_PETSC_TRY(VecSetBlockSize(at, 3));
  PL_PETSC_TRY(VecGetArray(at, &numbers));
  for (int i = 0; i < self->own.count; i++)
    memcpy(numbers + 3 * (size_t)i, A->points + 3 * (size_t)pl_dist_matrix_row(&self->own, i),
           3 * sizeof *numbers);
  PL_PETSC_TRY(VecRestoreArray(at, &numbers));
  PL_PETSC_TRY(MatNullSpaceCreateRigidBody(at, &modes));
  PL_PETSC_TRY(MatSetNearNullSpace(self->own.matrix, modes));
  MatNullSpaceDestroy(&modes);
  VecDestroy(&at);
  return PL_OK;
}

/* Ends an iteration at the target, by the most iterations, or when the caller wants no more. */
static PetscErrorCode is_done(KSP ksp, PetscInt iteration, PetscReal norm,
                              KSPConvergedReason *reason, void *context)
{
  petsc *self = context;
  (void)ksp;
  *reason = KSP_CONVERGED_ITERATING;
  self->is_cancelled = pl_watch_ended(self->A->watch);
  if (!isfinite(norm))
    *reason = KSP_DIVERGED_NANORINF;
  else if (norm <= self->target)
    *reason = KSP_CONVERGED_ATOL;
  else if (self->is_cancelled || iteration >= self->common.values[PL_KRYLOV_ITERATIONS])
    *reason = KSP_DIVERGED_ITS;
  return 0;
}

/* Presets are set before what the user says by options. */
static pl_status make_ksp(petsc *self, pl_error *error)
{
  PC pc;
  KSPDestroy(&self->ksp);
  PL_PETSC_TRY(KSPCreate(self->own.comm, &self->ksp));
  PL_PETSC_TRY(KSPSetType(self->ksp, self->is_general ? KSPGMRES : KSPCG));
  // residuals are seen as they are, not preconditioned
  if (self->is_general) PL_PETSC_TRY(KSPSetPCSide(self->ksp, PC_RIGHT));
  PL_PETSC_TRY(KSPSetNormType(self->ksp, KSP_NORM_UNPRECONDITIONED));
  PL_PETSC_TRY(KSPSetConvergenceTest(self->ksp, is_done, self, NULL));
  PL_PETSC_TRY(KSPGetPC(self->ksp, &pc));
  self->is_renewed = 1;
  if (self->grid) {
    PL_PETSC_TRY(KSPSetInitialGuessNonzero(self->ksp, PETSC_TRUE));
    PL_PETSC_TRY(KSPSetComputeSingularValues(self->ksp, PETSC_TRUE));
    PL_PETSC_TRY(pl_dist_grid_precondition(self->grid, pc));
    return PL_OK;
  }
  int jacobi = self->is_easy || self->common.values[PL_PETSC_PRESET] == PL_PETSC_JACOBI;
  PL_PETSC_TRY(PCSetType(pc, jacobi ? PCBJACOBI : PCGAMG));
  if (!jacobi) PL_PETSC_TRY(PCGAMGSetReuseInterpolation(pc, PETSC_FALSE));
  PL_PETSC_TRY(KSPSetFromOptions(self->ksp));
  return PL_OK;
}

/* ---- the member ---- */

static void destroy(pl_solver *common)
{
  petsc *self = (petsc *)common;
  KSPDestroy(&self->ksp);
  pl_dist_matrix_release(&self->own);
  pl_dist_grid_destroy(self->grid);
  VecDestroy(&self->b);
  VecDestroy(&self->x);
  pl_free(&common->allocator, self->r);
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  petsc *self = (petsc *)common;
  (void)values;
  pl_status status = pl_dist_matrix_begin(&self->own, &common->allocator, A, error);
  if (!status) status = pl_petsc_start(error);
  if (status) return status;
  self->is_general = A->is_unsymmetric;
  self->r = pl_alloc(&common->allocator, 3 * (size_t)self->own.count, sizeof *self->r);
  if (!self->r) return pl_fail_memory(error);
  // one process has no order of arrival, and PETSc no such product for it
  return pl_petsc_set_options(A->partition && common->values[PL_PETSC_REPRODUCIBLE] == 0, error);
}

/* Are the levels of an earlier matrix to be renewed for this one? */
static void judge_levels(petsc *self)
{
  double ratio = self->fresh_mean > 0 ? self->mean / self->fresh_mean : INFINITY;
  if (ratio > other || ratio < 1 / other) self->is_renewed = 1;
}

static pl_status make_vectors(petsc *self, Mat like, pl_error *error)
{
  VecDestroy(&self->b);
  VecDestroy(&self->x);
  PL_PETSC_TRY(MatCreateVecs(like, &self->x, &self->b));
  return PL_OK;
}

/* PETSc's own matrix, and what it takes to solve with it. */
static pl_status prepare_matrix(petsc *self, const pl_bsr *A, const pl_filter *filter, int was_easy,
                                pl_error *error)
{
  pl_status status = PL_OK;
  pl_dist_grid_destroy(self->grid);
  self->grid = NULL;
  // pairs come and go, and the pattern with them
  if (!self->own.matrix || self->common.pairs || self->own.has_pairs) {
    status = pl_dist_matrix_make(&self->own, A, self->common.pairs, error);
    if (!status) status = make_ksp(self, error);
    if (!status) status = make_vectors(self, self->own.matrix, error);
  } else if (was_easy != self->is_easy) {
    status = make_ksp(self, error);
  }
  if (!status)
    status = pl_dist_matrix_fill(&self->own, A, self->common.pairs, filter, self->mean, error);
  judge_levels(self);
  return status;
}

/* Pairs couple any rows, which only PETSc's matrix can follow. */
static int suits_grid(const petsc *self, const pl_bsr *A)
{
  return self->common.values[PL_PETSC_PRESET] == PL_PETSC_GRID && !self->common.pairs &&
         pl_dist_grid_suits(A);
}

static pl_status prepare_grid(petsc *self, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                              pl_error *error)
{
  pl_status status = PL_OK;
  if (!self->grid) {
    MatDestroy(&self->own.matrix);
    status = pl_dist_grid_create(&self->common.allocator, self->own.comm, A, &self->grid, error);
    if (!status) status = make_ksp(self, error);
    if (!status) status = make_vectors(self, pl_dist_grid_matrix(self->grid), error);
  }
  judge_levels(self);
  return status ? status : pl_dist_grid_prepare(self->grid, A, filter, !self->is_easy, pool, error);
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  petsc *self = (petsc *)common;
  int was_easy = self->is_easy;
  measure(self, A);
  if (!isfinite(self->mean))
    return pl_fail(error, PL_E_DIVERGED, "the matrix is not finite; use a smaller time step");
  return suits_grid(self, A) ? prepare_grid(self, A, filter, pool, error)
                             : prepare_matrix(self, A, filter, was_easy, error);
}

enum { ROWS_PER_CHUNK = 1024 };

static void leave_rows(void *context, int chunk)
{
  petsc *self = context;
  int last = (chunk + 1) * ROWS_PER_CHUNK;
  for (int i = chunk * ROWS_PER_CHUNK; i < last && i < self->own.count; i++) {
    int row = pl_dist_matrix_row(&self->own, i);
    double *r = self->r + 3 * (size_t)i, y[3];
    const double *P = pl_dist_projection(self->filter, row), *b = self->side + 3 * (size_t)row;
    pl_bsr_multiply_row(self->A, row, self->at, y);
    if (self->common.pairs) pl_pairs_multiply_row(self->common.pairs, row, self->at, y);
    for (int k = 0; k < 3; k++) y[k] = b[k] - y[k];
    for (int k = 0; k < 3; k++) r[k] = P ? P[k] * y[0] + P[3 + k] * y[1] + P[6 + k] * y[2] : y[k];
  }
}

/* r = P (b - A x) at the rank's own rows; returns its length over all ranks. */
static double residual(petsc *self, pl_pool *pool)
{
  double square = 0;
  // pairs have one room for all rows
  pl_parallel(self->common.pairs ? NULL : pool, pl_chunk_count(self->own.count, ROWS_PER_CHUNK),
              leave_rows, self);
  for (size_t i = 0; i < 3 * (size_t)self->own.count; i++) square += self->r[i] * self->r[i];
  if (self->own.partition) self->own.partition->ranks->sum(self->own.partition->ranks, &square, 1);
  return sqrt(square);
}

static pl_status judge(const petsc *self, KSPConvergedReason reason, pl_error *error)
{
  if (self->is_cancelled) return pl_watch_check(self->A->watch, error);
  if (reason == KSP_DIVERGED_ITS) return PL_E_CONVERGENCE;
  if (reason == KSP_DIVERGED_NANORINF)
    return pl_fail(error, PL_E_DIVERGED, "the linear solver met a number that is not finite");
  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC)
    return pl_fail(error, PL_E_INDEFINITE, "the linear system is indefinite");
  if (reason < 0)
    return pl_fail(error, PL_E_SINGULAR, "PETSc's solver ended for reason %d", (int)reason);
  return PL_OK;
}

/* Runs PETSc on the right side b, from zero or the grid's guess. */
static pl_status run(petsc *self, const pl_bsr *A, pl_error *error)
{
  Mat matrix = self->grid ? pl_dist_grid_matrix(self->grid) : self->own.matrix;
  if (self->is_renewed && !self->grid) {
    pl_status status = set_modes(self, A, error);
    if (status) return status;
  }
  if (self->grid && self->is_renewed) pl_dist_grid_forget(self->grid);
  if (self->grid) PL_PETSC_TRY(pl_dist_grid_guess(self->grid, self->b, self->x));
  PL_PETSC_TRY(KSPSetOperators(self->ksp, matrix, matrix));
  PL_PETSC_TRY(KSPSetReusePreconditioner(self->ksp, self->is_renewed ? PETSC_FALSE : PETSC_TRUE));
  PL_PETSC_TRY(KSPSolve(self->ksp, self->b, self->x));
  return PL_OK;
}

/* What the iterations say of the levels. */
static void note(petsc *self, int iterations, KSPConvergedReason reason)
{
  if (self->grid) {
    PetscReal largest = 0, least = 0;
    if (reason < 0 || KSPComputeExtremeSingularValues(self->ksp, &largest, &least)) largest = 0;
    pl_dist_grid_note(self->grid, iterations, largest, reason == KSP_DIVERGED_INDEFINITE_PC);
  }
  if (self->is_renewed) {
    self->fresh = iterations;
    self->fresh_mean = self->mean;
    self->is_renewed = 0;
  } else if (iterations > worn * self->fresh + 1) {
    self->is_renewed = 1;
  }
}

/* Solves for the residual in r and adds the increment to x. */
static pl_status improve(petsc *self, const pl_bsr *A, double *x, pl_solve_report *report,
                         pl_error *error)
{
  PetscScalar *numbers = NULL;
  PetscInt iterations = 0;
  KSPConvergedReason reason;
  PL_PETSC_TRY(VecGetArray(self->b, &numbers));
  memcpy(numbers, self->r, 3 * (size_t)self->own.count * sizeof *numbers);
  PL_PETSC_TRY(VecRestoreArray(self->b, &numbers));
  pl_status status = run(self, A, error);
  if (status) return status;
  PL_PETSC_TRY(KSPGetIterationNumber(self->ksp, &iterations));
  PL_PETSC_TRY(KSPGetConvergedReason(self->ksp, &reason));
  PL_PETSC_TRY(VecGetArray(self->x, &numbers));
  for (int i = 0; i < 3 * self->own.count; i++)
    x[3 * (size_t)pl_dist_matrix_row(&self->own, i / 3) + (size_t)(i % 3)] += numbers[i];
  PL_PETSC_TRY(VecRestoreArray(self->x, &numbers));
  pl_partition_complete(self->own.partition, x);
  report->iterations += (int)iterations;
  report->products += (int)iterations + 1;
  note(self, (int)iterations, reason);
  return judge(self, reason, error);
}

/* Levels of an earlier matrix may be unfit for this one, and a cycle may have been made from an
 * eigenvalue that was estimated too low: both can be rebuilt. */
static pl_status renew(petsc *self, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                       pl_error *error)
{
  self->is_renewed = 1;
  return self->grid ? pl_dist_grid_prepare(self->grid, A, filter, !self->is_easy, pool, error)
                    : PL_OK;
}

/* Did this rank fail, perhaps alone? Others may still wait for it inside PETSc, where sums with
 * them would wait for ever; pl_ranks.agree does not. */
static int is_lost(pl_status status) { return status == PL_E_MEMORY || status == PL_E_LIMIT; }

static pl_status solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  petsc *self = (petsc *)common;
  pl_status status = PL_OK;
  self->A = A;
  self->filter = filter;
  self->side = b;
  self->at = x;
  report->residual = residual(self, pool);
  if (!isfinite(report->residual))
    return pl_fail(error, PL_E_DIVERGED, "the right side is not finite");
  for (int start = 0; start < MOST_STARTS && report->residual > target && !status; start++) {
    int was_kept = !self->is_renewed;
    double before = report->residual;
    self->target = target;
    status = improve(self, A, x, report, error);
    if (status == PL_E_INDEFINITE && (was_kept || (self->grid && start + 1 < MOST_STARTS)))
      status = renew(self, A, filter, pool, error);
    if (is_lost(status)) break;
    report->residual = residual(self, pool);
    // what rounding leaves
    if (!status && report->residual > 0.5 * before && !self->is_renewed) break;
  }
  return status;
}

const pl_solver_ops pl_solver_petsc = {
    .info = {PL_PETSC_INFO, .params = params, .param_count = PL_PETSC_PARAM_COUNT},
    .state_size = sizeof(petsc),
    .unsymmetric = 1,
    .companion = &pl_preconditioner_none,
    .companion_values = PL_PETSC_PARAM_COUNT,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};

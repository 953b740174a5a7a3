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
#include "dist/mpi_start.h"
#include "dist/petsc.h"
#include "sparse/partition.h"

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
  MPI_Comm comm;
  const pl_partition *partition;
  int first, count; /* the rank's rows, by number */
  int has_pairs;    /* in the pattern */
  Mat matrix;
  pl_dist_grid *grid; /* in place of the matrix; NULL: it is not in use */
  KSP ksp;
  Vec b, x;
  double *r, *block_row; /* the residual at the rank's rows; values of the longest row */
  int *columns;          /* of that */
  int longest;
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

static pl_status failed(PetscErrorCode code, pl_error *error)
{
  const char *text = NULL;
  PetscErrorMessage(code, &text, NULL);
  return pl_fail(error, code == PETSC_ERR_MEM ? PL_E_MEMORY : PL_E_LIMIT,
                 "PETSc failed with code %d (%s), perhaps for want of memory", (int)code,
                 text ? text : "unknown");
}

/* Ends the function with an error where a call of PETSc fails. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    PetscErrorCode code_ = (call);                                                                 \
    if (code_) return failed(code_, error);                                                        \
  } while (0)

/* ---- rows ---- */

static int number_of(const petsc *self, int row)
{
  return self->partition ? self->partition->number[row] : row;
}

static int row_of(const petsc *self, int number)
{
  return self->partition ? self->partition->row[number] : number;
}

static int is_own(const petsc *self, int row)
{
  return !self->partition || pl_partition_is_own(self->partition, row);
}

/* The filter's projection at a row; NULL: all of it is free. */
static const double *projection_at(const pl_filter *filter, int row)
{
  int at = filter ? pl_filter_from(filter, row) : 0;
  return filter && at < filter->count && filter->nodes[at] == row
             ? filter->projections + 9 * (size_t)at
             : NULL;
}

/* B = P B Q, by columns; NULL is the unit matrix. */
static void project(const double *P, const double *Q, double *B)
{
  double half[9];
  for (int i = 0; P && i < 9; i++) {
    const double *column = B + 3 * (i / 3);
    half[i] = P[i % 3] * column[0] + P[3 + i % 3] * column[1] + P[6 + i % 3] * column[2];
  }
  if (P) memcpy(B, half, sizeof half);
  for (int i = 0; Q && i < 9; i++) {
    const double *column = Q + 3 * (i / 3);
    half[i] = B[i % 3] * column[0] + B[3 + i % 3] * column[1] + B[6 + i % 3] * column[2];
  }
  if (Q) memcpy(B, half, sizeof half);
}

/* ---- the pattern ---- */

/* Counts the blocks of each own row whose columns are here and elsewhere. */
static void count_row(const petsc *self, const pl_bsr *A, int row, PetscInt *here,
                      PetscInt *elsewhere)
{
  for (int k = A->start[row]; k < A->start[row + 1]; k++)
    ++*(is_own(self, A->columns[k]) ? here : elsewhere);
}

/* What pairs may add to that, at most. */
static void count_pairs(const petsc *self, PetscInt *here, PetscInt *elsewhere)
{
  const pl_pairs *pairs = self->common.pairs;
  for (int s = 0; pairs && s < pairs->count; s++) {
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++) {
      if (!is_own(self, pairs->block[e])) continue;
      int at = number_of(self, pairs->block[e]) - self->first, size = 0, own = 0;
      for (int o = pairs->first[s]; o < pairs->first[s + 1]; o++, size++)
        own += is_own(self, pairs->block[o]);
      here[at] += own;
      elsewhere[at] += size - own;
    }
  }
}

static pl_status allocate(petsc *self, const pl_bsr *A, PetscInt *here, PetscInt *elsewhere,
                          pl_error *error)
{
  PetscInt own = 3 * self->count;
  for (int i = 0; i < self->count; i++)
    count_row(self, A, row_of(self, self->first + i), &here[i], &elsewhere[i]);
  count_pairs(self, here, elsewhere);
  for (int i = 0; i < self->count; i++) {
    if (here[i] > self->count) here[i] = self->count;
    if (elsewhere[i] > A->rows - self->count) elsewhere[i] = A->rows - self->count;
  }
  TRY(MatCreate(self->comm, &self->matrix));
  TRY(MatSetSizes(self->matrix, own, own, 3 * A->rows, 3 * A->rows));
  TRY(MatSetType(self->matrix, MATAIJ));
  TRY(MatXAIJSetPreallocation(self->matrix, 3, here, elsewhere, NULL, NULL));
  TRY(MatSetOption(self->matrix, MAT_ROW_ORIENTED, PETSC_FALSE));
  TRY(MatSetOption(self->matrix, MAT_SPD, PETSC_TRUE));
  TRY(MatSetOption(self->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  TRY(MatSetOption(self->matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  return PL_OK;
}

/* The matrix, empty, with room for the pattern and what pairs there are now. */
static pl_status make_matrix(petsc *self, const pl_bsr *A, pl_error *error)
{
  const pl_allocator *allocator = &self->common.allocator;
  PetscInt *counts = pl_alloc(allocator, 2 * (size_t)self->count, sizeof *counts);
  if (!counts) return pl_fail_memory(error);
  MatDestroy(&self->matrix);
  pl_status status = allocate(self, A, counts, counts + self->count, error);
  pl_free(allocator, counts);
  self->has_pairs = self->common.pairs != NULL;
  return status;
}

/* ---- values ---- */

static pl_status add_row(petsc *self, const pl_bsr *A, const pl_filter *filter, int row,
                         pl_error *error)
{
  const double *P = projection_at(filter, row);
  PetscInt number = number_of(self, row), count = A->start[row + 1] - A->start[row];
  for (int i = 0; i < count; i++) {
    int k = A->start[row] + i, column = A->columns[k];
    double *block = self->block_row + 9 * (size_t)i;
    self->columns[i] = number_of(self, column);
    memcpy(block, A->values + 9 * (size_t)k, 9 * sizeof *block);
    project(P, filter && filter->count ? projection_at(filter, column) : NULL, block);
    for (int e = 0; P && column == row && e < 9; e++)
      block[e] += self->mean * ((e % 4 == 0) - P[e]);
  }
  TRY(MatSetValuesBlocked(self->matrix, 1, &number, count, self->columns, self->block_row,
                          ADD_VALUES));
  return PL_OK;
}

/* out = C_a^T D C_b of two entries of a stencil, by columns. */
static void pair_block(const pl_pairs *pairs, int stencil, int a, int b, double out[9])
{
  const double *D = pairs->D + 9 * (size_t)stencil;
  double Ca[9] = {0}, Cb[9] = {0}, half[9] = {0};
  for (int k = 0; k < 9; k++) {
    int scalar = pairs->is_scalar[stencil];
    Ca[k] = scalar ? (k % 4 == 0) * pairs->weight[a] : pairs->C[9 * (size_t)a + (size_t)k];
    Cb[k] = scalar ? (k % 4 == 0) * pairs->weight[b] : pairs->C[9 * (size_t)b + (size_t)k];
  }
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < 3; k++) half[3 * r + c] += D[3 * r + k] * Cb[3 * k + c];
    }
  }
  for (int e = 0; e < 9; e++) {
    out[e] = 0;
    for (int k = 0; k < 3; k++) out[e] += Ca[3 * k + e % 3] * half[3 * k + e / 3];
  }
}

static pl_status add_pairs(petsc *self, const pl_filter *filter, pl_error *error)
{
  const pl_pairs *pairs = self->common.pairs;
  for (int s = 0; pairs && s < pairs->count; s++) {
    for (int a = pairs->first[s]; a < pairs->first[s + 1]; a++) {
      PetscInt row = number_of(self, pairs->block[a]);
      if (!is_own(self, pairs->block[a])) continue;
      for (int b = pairs->first[s]; b < pairs->first[s + 1]; b++) {
        double block[9];
        PetscInt column = number_of(self, pairs->block[b]);
        pair_block(pairs, s, a, b, block);
        project(projection_at(filter, pairs->block[a]), projection_at(filter, pairs->block[b]),
                block);
        TRY(MatSetValuesBlocked(self->matrix, 1, &row, 1, &column, block, ADD_VALUES));
      }
    }
  }
  return PL_OK;
}

/* The mean of the diagonal over all ranks, not finite where the matrix is not; and whether the
 * matrix is so well conditioned, mostly mass, that levels are not worth their price: some of them
 * have no graph to be made from. By the bound of decision.c. */
static void measure(petsc *self, const pl_bsr *A)
{
  double sums[3] = {0, 3.0 * self->count, 0};
  for (int i = 0; i < self->count; i++) {
    int row = row_of(self, self->first + i);
    const double *D = A->values + 9 * (size_t)A->diagonal[row];
    sums[0] += D[0] + D[4] + D[8];
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      const double *block = A->values + 9 * (size_t)k;
      sums[2] += block[0] + block[4] + block[8];
    }
  }
  if (self->partition) self->partition->ranks->sum(self->partition->ranks, sums, 3);
  self->mean = sums[0] / sums[1];
  self->is_easy = sums[2] > 0 && 7 * sqrt(3 * sums[0] / sums[2]) < few;
}

static pl_status fill(petsc *self, const pl_bsr *A, const pl_filter *filter, pl_error *error)
{
  pl_status status = PL_OK;
  TRY(MatZeroEntries(self->matrix));
  for (int i = 0; i < self->count && !status; i++)
    status = add_row(self, A, filter, row_of(self, self->first + i), error);
  if (!status) status = add_pairs(self, filter, error);
  if (status) return status;
  TRY(MatAssemblyBegin(self->matrix, MAT_FINAL_ASSEMBLY));
  TRY(MatAssemblyEnd(self->matrix, MAT_FINAL_ASSEMBLY));
  return PL_OK;
}

/* ---- the preconditioner ---- */

/* The rigid motions of the rows' nodes, where these are known. */
static pl_status set_modes(petsc *self, const pl_bsr *A, pl_error *error)
{
  MatNullSpace modes = NULL;
  Vec at = NULL;
  PetscScalar *numbers = NULL;
  if (!A->points) return PL_OK;
  TRY(VecDuplicate(self->b, &at));
  TRY(VecSetBlockSize(at, 3));
  TRY(VecGetArray(at, &numbers));
  for (int i = 0; i < self->count; i++)
    memcpy(numbers + 3 * (size_t)i, A->points + 3 * (size_t)row_of(self, self->first + i),
           3 * sizeof *numbers);
  TRY(VecRestoreArray(at, &numbers));
  TRY(MatNullSpaceCreateRigidBody(at, &modes));
  TRY(MatSetNearNullSpace(self->matrix, modes));
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
  TRY(KSPCreate(self->comm, &self->ksp));
  TRY(KSPSetType(self->ksp, KSPCG));
  TRY(KSPSetNormType(self->ksp, KSP_NORM_UNPRECONDITIONED));
  TRY(KSPSetConvergenceTest(self->ksp, is_done, self, NULL));
  TRY(KSPGetPC(self->ksp, &pc));
  self->is_renewed = 1;
  if (self->grid) {
    TRY(KSPSetInitialGuessNonzero(self->ksp, PETSC_TRUE));
    TRY(KSPSetComputeSingularValues(self->ksp, PETSC_TRUE));
    TRY(pl_dist_grid_precondition(self->grid, pc));
    return PL_OK;
  }
  int jacobi = self->is_easy || self->common.values[PL_PETSC_PRESET] == PL_PETSC_JACOBI;
  TRY(PCSetType(pc, jacobi ? PCBJACOBI : PCGAMG));
  if (!jacobi) TRY(PCGAMGSetReuseInterpolation(pc, PETSC_FALSE));
  TRY(KSPSetFromOptions(self->ksp));
  return PL_OK;
}

/* ---- the member ---- */

static void destroy(pl_solver *common)
{
  petsc *self = (petsc *)common;
  KSPDestroy(&self->ksp);
  MatDestroy(&self->matrix);
  pl_dist_grid_destroy(self->grid);
  VecDestroy(&self->b);
  VecDestroy(&self->x);
  pl_free(&common->allocator, self->r);
  pl_free(&common->allocator, self->block_row);
  pl_free(&common->allocator, self->columns);
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  petsc *self = (petsc *)common;
  (void)values;
  pl_status status = pl_petsc_start(error);
  if (status) return status;
  const pl_partition *partition = self->partition = A->partition;
  int rank = partition ? partition->ranks->rank : 0;
  self->comm = partition ? MPI_COMM_WORLD : MPI_COMM_SELF;
  self->first = partition ? partition->first[rank] : 0;
  self->count = partition ? partition->first[rank + 1] - self->first : A->rows;
  for (int row = 0; row < A->rows; row++) {
    int length = A->start[row + 1] - A->start[row];
    if (length > self->longest) self->longest = length;
  }
  self->r = pl_alloc(&common->allocator, 3 * (size_t)self->count, sizeof *self->r);
  self->block_row = pl_alloc(&common->allocator, 9 * (size_t)self->longest, sizeof(double));
  self->columns = pl_alloc(&common->allocator, (size_t)self->longest, sizeof *self->columns);
  if (!self->r || !self->block_row || !self->columns) return pl_fail_memory(error);
  // one process has no order of arrival, and PETSc no such product for it
  return pl_petsc_set_options(partition && common->values[PL_PETSC_REPRODUCIBLE] == 0, error);
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
  TRY(MatCreateVecs(like, &self->x, &self->b));
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
  if (!self->matrix || self->common.pairs || self->has_pairs) {
    status = make_matrix(self, A, error);
    if (!status) status = make_ksp(self, error);
    if (!status) status = make_vectors(self, self->matrix, error);
  } else if (was_easy != self->is_easy) {
    status = make_ksp(self, error);
  }
  if (!status) status = fill(self, A, filter, error);
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
    MatDestroy(&self->matrix);
    status = pl_dist_grid_create(&self->common.allocator, self->comm, A, &self->grid, error);
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
  if (filter && filter->links && self->partition && self->partition->is_divided)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "exact attachments (<attach exact=\"yes\">) are not divided over processes yet; "
                   "leave out exact, or run on one process");
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
  for (int i = chunk * ROWS_PER_CHUNK; i < last && i < self->count; i++) {
    int row = row_of(self, self->first + i);
    double *r = self->r + 3 * (size_t)i, y[3];
    const double *P = projection_at(self->filter, row), *b = self->side + 3 * (size_t)row;
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
  pl_parallel(self->common.pairs ? NULL : pool, pl_chunk_count(self->count, ROWS_PER_CHUNK),
              leave_rows, self);
  for (size_t i = 0; i < 3 * (size_t)self->count; i++) square += self->r[i] * self->r[i];
  if (self->partition) self->partition->ranks->sum(self->partition->ranks, &square, 1);
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
  Mat matrix = self->grid ? pl_dist_grid_matrix(self->grid) : self->matrix;
  if (self->is_renewed && !self->grid) {
    pl_status status = set_modes(self, A, error);
    if (status) return status;
  }
  if (self->grid && self->is_renewed) pl_dist_grid_forget(self->grid);
  if (self->grid) TRY(pl_dist_grid_guess(self->grid, self->b, self->x));
  TRY(KSPSetOperators(self->ksp, matrix, matrix));
  TRY(KSPSetReusePreconditioner(self->ksp, self->is_renewed ? PETSC_FALSE : PETSC_TRUE));
  TRY(KSPSolve(self->ksp, self->b, self->x));
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
  TRY(VecGetArray(self->b, &numbers));
  memcpy(numbers, self->r, 3 * (size_t)self->count * sizeof *numbers);
  TRY(VecRestoreArray(self->b, &numbers));
  pl_status status = run(self, A, error);
  if (status) return status;
  TRY(KSPGetIterationNumber(self->ksp, &iterations));
  TRY(KSPGetConvergedReason(self->ksp, &reason));
  TRY(VecGetArray(self->x, &numbers));
  for (int i = 0; i < 3 * self->count; i++)
    x[3 * (size_t)row_of(self, self->first + i / 3) + (size_t)(i % 3)] += numbers[i];
  TRY(VecRestoreArray(self->x, &numbers));
  pl_partition_complete(self->partition, x);
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
    .companion = &pl_preconditioner_none,
    .companion_values = PL_PETSC_PARAM_COUNT,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};

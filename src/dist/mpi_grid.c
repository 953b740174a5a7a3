#include "dist/mpi_grid.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/coarse.h"
#include "sparse/partition.h"

#include <string.h>

enum { LEAST_ROWS = 8 }; /* of a rank */

/* The largest eigenvalue of s M A that two cycles are given; from 2 on they would not be positive
 * definite, and what iterations saw of it may be a little too low. */
static const double steepest = 1.8;

struct pl_dist_grid {
  pl_allocator allocator;
  MPI_Comm comm;
  pl_local_rows *local;
  pl_coarse *coarse;
  int with_coarse;
  double share; /* s: of a cycle, where there are two; 0: not known, so there is one */
  pl_preconditioner *cycle;
  pl_pool *pool; /* of the last prepare */
  Mat matrix;
  double *r, *x, *y, *z; /* vectors of the local matrix */
};

int pl_dist_grid_suits(const pl_bsr *A)
{
  const pl_partition *partition = A->partition;
  if (!A->points || A->rows < LEAST_ROWS) return 0;
  for (int r = 0; partition && r < partition->ranks->count; r++) {
    if (partition->first[r + 1] - partition->first[r] < LEAST_ROWS) return 0;
  }
  return 1;
}

/* ---- vectors ---- */

static PetscErrorCode take(const pl_dist_grid *self, Vec from, double *to)
{
  const PetscScalar *numbers;
  PetscCall(VecGetArrayRead(from, &numbers));
  for (int i = 0; i < self->local->layout->own; i++)
    memcpy(to + 3 * (size_t)self->local->layout->own_at[i], numbers + 3 * (size_t)i,
           3 * sizeof *to);
  PetscCall(VecRestoreArrayRead(from, &numbers));
  return 0;
}

static PetscErrorCode give(const pl_dist_grid *self, const double *from, Vec to)
{
  PetscScalar *numbers;
  PetscCall(VecGetArrayWrite(to, &numbers));
  for (int i = 0; i < self->local->layout->own; i++)
    memcpy(numbers + 3 * (size_t)i, from + 3 * (size_t)self->local->layout->own_at[i],
           3 * sizeof *from);
  PetscCall(VecRestoreArrayWrite(to, &numbers));
  return 0;
}

/* y = P A x at the rank's rows, zero at copies; x becomes right at copies. */
static void multiply(const pl_dist_grid *self, double *x, double *y)
{
  pl_layout_update(self->local->layout, x);
  pl_bsr_multiply(self->local->A, x, y, self->pool);
  pl_filter_apply(&self->local->filter, y);
}

/* ---- as PETSc calls it ---- */

static PetscErrorCode apply_matrix(Mat matrix, Vec x, Vec y)
{
  pl_dist_grid *self;
  PetscCall(MatShellGetContext(matrix, &self));
  PetscCall(take(self, x, self->x));
  multiply(self, self->x, self->y);
  return give(self, self->y, y);
}

/* y = r - P A z. */
static void leave(pl_dist_grid *self)
{
  size_t count = 3 * (size_t)self->local->A->rows;
  memcpy(self->x, self->z, count * sizeof *self->x);
  multiply(self, self->x, self->y);
  for (size_t i = 0; i < count; i++) self->y[i] = self->r[i] - self->y[i];
}

/* z = s M r, then Q for what that leaves of r, then s M for what both leave. */
static PetscErrorCode apply_cycle(PC pc, Vec r, Vec z)
{
  pl_dist_grid *self;
  PetscCall(PCShellGetContext(pc, &self));
  size_t count = 3 * (size_t)self->local->A->rows;
  double share = self->with_coarse && self->share > 0 ? self->share : 1;
  memset(self->r, 0, count * sizeof *self->r);
  PetscCall(take(self, r, self->r));
  self->cycle->ops->apply(self->cycle, self->r, self->z, self->pool);
  for (size_t i = 0; share < 1 && i < count; i++) self->z[i] *= share;
  if (!self->with_coarse) return give(self, self->z, z);
  leave(self);
  pl_coarse_correct(self->coarse, self->y, self->z, self->pool);
  if (!(self->share > 0)) return give(self, self->z, z);
  leave(self);
  self->cycle->ops->apply(self->cycle, self->y, self->x, self->pool);
  for (size_t i = 0; i < count; i++) self->z[i] += share * self->x[i];
  return give(self, self->z, z);
}

PetscErrorCode pl_dist_grid_guess(pl_dist_grid *self, Vec b, Vec x)
{
  if (!self->with_coarse) return VecSet(x, 0);
  memset(self->z, 0, 3 * (size_t)self->local->A->rows * sizeof *self->z);
  PetscCall(take(self, b, self->r));
  pl_coarse_correct(self->coarse, self->r, self->z, self->pool);
  return give(self, self->z, x);
}

Mat pl_dist_grid_matrix(pl_dist_grid *self) { return self->matrix; }

PetscErrorCode pl_dist_grid_precondition(pl_dist_grid *self, PC pc)
{
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, self));
  PetscCall(PCShellSetName(pc, "grid"));
  return PCShellSetApply(pc, apply_cycle);
}

/* ---- making it ---- */

static PetscErrorCode make_matrix(pl_dist_grid *self, int rows)
{
  int own = self->local->layout->own;
  PetscCall(MatCreateShell(self->comm, 3 * own, 3 * own, 3 * rows, 3 * rows, self, &self->matrix));
  PetscCall(MatShellSetOperation(self->matrix, MATOP_MULT, (void (*)(void))apply_matrix));
  return MatSetOption(self->matrix, MAT_SPD, PETSC_TRUE);
}

static pl_status make_vectors(pl_dist_grid *self, const pl_bsr *A, pl_error *error)
{
  double **vectors[] = {&self->r, &self->x, &self->y, &self->z};
  for (int i = 0; i < 4; i++) {
    *vectors[i] = pl_alloc(&self->allocator, 3 * (size_t)self->local->A->rows, sizeof(double));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  return make_matrix(self, A->rows)
             ? pl_fail(error, PL_E_MEMORY, "PETSc cannot exchange rows between processes")
             : PL_OK;
}

static pl_status make_cycle(pl_dist_grid *self, pl_error *error)
{
  pl_selection part = {.member = &pl_preconditioner_multigrid.info};
  pl_param_presets(part.member, part.values);
  return pl_preconditioner_create(&self->allocator, &part, self->local->A, &self->cycle, error);
}

pl_status pl_dist_grid_create(const pl_allocator *allocator, MPI_Comm comm, const pl_bsr *A,
                              pl_dist_grid **out, pl_error *error)
{
  pl_dist_grid *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  self->comm = comm;
  pl_status status = pl_local_create(allocator, A, &self->local, error);
  if (!status) status = pl_layout_connect(self->local->layout, error);
  if (!status) status = make_vectors(self, A, error);
  if (!status) status = make_cycle(self, error);
  return status ? status : pl_coarse_create(allocator, self->local, A, &self->coarse, error);
}

void pl_dist_grid_destroy(pl_dist_grid *self)
{
  if (!self) return;
  pl_allocator memory = self->allocator;
  MatDestroy(&self->matrix);
  if (self->cycle) pl_preconditioner_destroy(self->cycle);
  pl_coarse_destroy(self->coarse);
  pl_local_destroy(self->local);
  void *arrays[] = {self->r, self->x, self->y, self->z, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&memory, arrays[i]);
}

/* A rank whose own block cannot be used is not left alone with that. */
static pl_status agree(const pl_dist_grid *self, pl_status status, pl_error *error)
{
  int own = (int)status, worst = 0;
  MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, self->comm);
  if (worst && !own)
    return pl_fail(error, (pl_status)worst, "the rows of another process cannot be solved for");
  return status;
}

pl_status pl_dist_grid_prepare(pl_dist_grid *self, const pl_bsr *A, const pl_filter *filter,
                               int with_coarse, pl_pool *pool, pl_error *error)
{
  self->pool = pool;
  self->with_coarse = with_coarse;
  pl_status status = pl_local_load(self->local, A, filter, error);
  if (!status)
    status =
        self->cycle->ops->prepare(self->cycle, self->local->A, &self->local->filter, pool, error);
  self->cycle->solves = self->cycle->iterations = 0;
  status = agree(self, status, error);
  return !status && with_coarse ? pl_coarse_prepare(self->coarse, pool, error) : status;
}

void pl_dist_grid_note(pl_dist_grid *self, int iterations, double largest, int is_refused)
{
  self->cycle->solves++;
  self->cycle->iterations += iterations;
  self->cycle->refusals = is_refused ? self->cycle->refusals + 1 : 0;
  if (is_refused)
    self->share = 0;
  else if (self->with_coarse && !(self->share > 0) && largest > 0)
    self->share = largest > steepest ? steepest / largest : 1;
}

void pl_dist_grid_forget(pl_dist_grid *self) { self->share = 0; }

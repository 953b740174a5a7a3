/* Conjugate gradients with symmetric Gauss-Seidel inside, at the price of one product.
 *
 * With A = L + D + U the system is split as (D + L)^-1 A (D + U)^-1 x' = (D + L)^-1 b, x' = (D + U)
 * x, and preconditioned by D^-1 (so z = D r); A = (D + L) + (D + U) - D gives its product with p as
 *
 *   t = (D + U)^-1 p,       q = t + (D + L)^-1 (p - D t),       p - D t = U t,
 *
 * one sweep over each half of A. x += alpha t needs no x'. The iterates are those of cg with ssor.
 * Eisenstat 1981, "Efficient implementation of a class of preconditioned conjugate gradient
 * methods"; Hauth 2004, 3.4.3. At constrained nodes D^-1 stands for P (P D P)^-1 P, so that all
 * vectors stay in the free space. The preconditioner is not asked.
 *
 * The split residual is not the true one; the iteration goes on until it has fallen as far as the
 * true one should, and the caller looks. The sweeps run in one thread. */
#include "sparse/blockwise.h"
#include "sparse/krylov.h"
#include "sparse/triangle_kernel.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { Q = PL_KRYLOV_WORK, P = PL_KRYLOV_OWN, T, U, Y, Z, VECTORS };

typedef struct eisenstat {
  pl_krylov krylov;
  pl_preconditioner *inverse; /* block-diagonal: D^-1 */
} eisenstat;

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  eisenstat *self = (eisenstat *)common;
  pl_part part = {.member = &pl_preconditioner_block_diagonal.info};
  pl_status status = pl_preconditioner_create(&common->allocator, &part, A, &self->inverse, error);
  return status ? status : pl_krylov_create(common, A, VECTORS, error);
}

static void destroy(pl_solver *common)
{
  pl_preconditioner_destroy(((eisenstat *)common)->inverse);
  pl_krylov_destroy(common);
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  pl_preconditioner *inverse = ((eisenstat *)common)->inverse;
  return inverse->ops->prepare(inverse, A, filter, pool, error);
}

typedef struct step {
  pl_krylov *self;
  const pl_triangle_kernel *kernel;
  pl_triangles M;
  pl_triangle_step now;
} step;

static void advance_chunk(void *context, int chunk)
{
  const step *job = context;
  const pl_krylov *self = job->self;
  int first = self->A->chunk_rows[chunk], last = self->A->chunk_rows[chunk + 1];
  // r = P r, hence r.PDr = r.Dr: the sum may be taken before z is filtered
  self->parts[2 * chunk] = job->kernel->advance(&job->M, first, last, &job->now);
  pl_filter_apply_range(self->filter, first, last, job->now.z);
}

/* x += alpha t, r -= alpha q, z = P D r; returns r.z. */
static double advance(step *job, double alpha)
{
  job->now.alpha = alpha;
  pl_parallel(job->self->pool, job->self->A->chunks, advance_chunk, job);
  return pl_krylov_sum(job->self, 0);
}

static pl_status iterate(pl_krylov *self, double goal, pl_error *error)
{
  const pl_preconditioner *inverse = ((eisenstat *)self)->inverse;
  double *r = self->vectors[PL_KRYLOV_R], *q = self->vectors[Q], *p = self->vectors[P];
  double *t = self->vectors[T], *u = self->vectors[U], *y = self->vectors[Y], *z = self->vectors[Z];
  step job = {self,
              pl_triangle_kernel_pick(),
              {self->A, self->A->values, inverse->ops->blocks(inverse)},
              {0, t, q, self->x, r, z}};
  size_t size = 3 * (size_t)self->A->rows * sizeof *p;
  double fall = goal / pl_norm(r, self->A->rows, self->pool);
  job.kernel->forward(&job.M, r, r);
  memset(t, 0, size);
  memset(q, 0, size);
  memset(p, 0, size);
  double rz = advance(&job, 0), end = rz * fall * fall, beta = 0;
  for (double length = rz;;) {
    if (pl_krylov_spent(self)) return PL_E_CONVERGENCE;
    if (!isfinite(rz)) return pl_krylov_fail_diverged(self, error);
    if (rz <= 0) return rz == 0 ? PL_OK : pl_krylov_fail_preconditioner(self, error);
    job.kernel->ascend(&job.M, beta, z, p, t, u);
    double pq = job.kernel->descend(&job.M, p, t, u, y, q);
    self->report->products++;
    if (!isfinite(pq)) return pl_krylov_fail_diverged(self, error);
    if (pq > self->largest * length) self->largest = pq / length;
    if (pq <= PL_KRYLOV_FLATNESS * self->largest * length)
      return pl_krylov_fail_curvature(self, t, pq, error);

    double before = rz;
    rz = advance(&job, rz / pq);
    self->report->iterations++;
    if (rz <= end) return PL_OK;
    beta = rz / before;
    length = rz + beta * beta * length;
  }
}

static pl_status solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  return pl_krylov_solve(self, A, filter, b, x, target, pool, report, iterate, error);
}

const pl_solver_ops pl_solver_eisenstat = {
    .info = {"eisenstat",
             "conjugate gradients with symmetric Gauss-Seidel at the price of one "
             "product; asks no preconditioner, runs in one thread",
             "Eisenstat 1981; Hauth 2004, 3.4.3", pl_krylov_params, PL_KRYLOV_PARAM_COUNT},
    .state_size = sizeof(eisenstat),
    .companion = &pl_preconditioner_none,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};

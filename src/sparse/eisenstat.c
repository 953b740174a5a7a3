/* Conjugate gradients with symmetric Gauss-Seidel inside, at the price of one product.
 *
 * Unknowns are scaled so that the diagonal blocks become 1: with D^-1 = W W^T, x = W x' and
 * W^T A W = L + 1 + U. The system is split as (1 + L)^-1 (L + 1 + U) (1 + U)^-1 x'' = (1 + L)^-1
 * W^T b, x'' = (1 + U) x'; its product with p is t + y, one sweep over each half of the matrix:
 *
 *   t = (1 + U)^-1 p,       y = (1 + L)^-1 (p - t).
 *
 * x' += alpha t needs no x''. The iterates are those of cg with ssor. Eisenstat 1981, "Efficient
 * implementation of a class of preconditioned conjugate gradient methods"; Hauth 2004, 3.4.3. At
 * constrained nodes D^-1 stands for P (P D P)^-1 P, so that W leaves out what is not free and all
 * vectors stay in the free space (Hauth 2004, 5.4.2, gets there with a filter on p and r).
 *
 * The split residual is not the true one, W^-T (1 + L) r; near the end that is looked at, for
 * half a product each time. The sweeps run in one thread. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/blockwise.h"
#include "sparse/krylov.h"
#include "sparse/triangle_kernel.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { T = PL_KRYLOV_WORK, P = PL_KRYLOV_OWN, Y, X, VECTORS };

/* The true residual is looked at when the split one is this many times what it should be. */
static const double early = 4;

/* Between two looks the true residual should fall by this factor at least. */
#define FOLLOWS 0.98

typedef struct eisenstat {
  pl_krylov krylov;
  pl_preconditioner *inverse; /* block-diagonal: D^-1 */
  double *scale;              /* W, column by column */
  double *values;             /* W^T A W */
} eisenstat;

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  eisenstat *self = (eisenstat *)common;
  pl_part part = {.member = &pl_preconditioner_block_diagonal.info};
  pl_status status = pl_preconditioner_create(&common->allocator, &part, A, &self->inverse, error);
  if (status) return status;
  self->scale = pl_alloc(&common->allocator, 9 * (size_t)A->rows, sizeof *self->scale);
  // sweeps load a little beyond the end
  self->values =
      pl_alloc(&common->allocator, 9 * (size_t)A->start[A->rows] + 4, sizeof *self->values);
  if (!self->scale || !self->values) return pl_fail_memory(error);
  return pl_krylov_create(common, A, VECTORS, error);
}

static void destroy(pl_solver *common)
{
  eisenstat *self = (eisenstat *)common;
  pl_preconditioner_destroy(self->inverse);
  pl_free(&common->allocator, self->scale);
  pl_free(&common->allocator, self->values);
  pl_krylov_destroy(common);
}

/* ---- the scaled matrix ---- */

/* W with B = W W^T, lower triangular; columns without a pivot are left out. */
static void take_root(const double B[9], double W[9])
{
  double size = B[0] + B[4] + B[8];
  memset(W, 0, 9 * sizeof *W);
  for (int c = 0; c < 3; c++) {
    double pivot = B[4 * c];
    for (int k = 0; k < c; k++) pivot -= W[3 * k + c] * W[3 * k + c];
    if (!(pivot > 1e-12 * size)) continue;
    W[4 * c] = sqrt(pivot);
    for (int r = c + 1; r < 3; r++) {
      double sum = B[3 * c + r];
      for (int k = 0; k < c; k++) sum -= W[3 * k + r] * W[3 * k + c];
      W[3 * c + r] = sum / W[4 * c];
    }
  }
}

/* C = V^T A W. */
static void scale_block(const double *V, const double *A, const double *W, double *C)
{
  double AW[9];
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      AW[3 * c + r] = A[r] * W[3 * c] + A[3 + r] * W[3 * c + 1] + A[6 + r] * W[3 * c + 2];
  }
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      C[3 * c + r] =
          V[3 * r] * AW[3 * c] + V[3 * r + 1] * AW[3 * c + 1] + V[3 * r + 2] * AW[3 * c + 2];
  }
}

typedef struct scaling {
  eisenstat *self;
  const pl_bsr *A;
  const double *inverse;
} scaling;

static void root_chunk(void *context, int chunk)
{
  const scaling *job = context;
  for (int row = job->A->chunk_rows[chunk]; row < job->A->chunk_rows[chunk + 1]; row++)
    take_root(job->inverse + 9 * (size_t)row, job->self->scale + 9 * (size_t)row);
}

static void scale_chunk(void *context, int chunk)
{
  const scaling *job = context;
  const pl_bsr *A = job->A;
  const double *W = job->self->scale;
  for (int row = A->chunk_rows[chunk]; row < A->chunk_rows[chunk + 1]; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++)
      scale_block(W + 9 * (size_t)row, A->values + 9 * (size_t)k, W + 9 * (size_t)A->columns[k],
                  job->self->values + 9 * (size_t)k);
  }
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  eisenstat *self = (eisenstat *)common;
  pl_preconditioner *inverse = self->inverse;
  pl_status status = inverse->ops->prepare(inverse, A, filter, pool, error);
  if (status) return status;
  scaling job = {self, A, inverse->ops->blocks(inverse)};
  pl_parallel(pool, A->chunks, root_chunk, &job);
  pl_parallel(pool, A->chunks, scale_chunk, &job);
  return PL_OK;
}

/* ---- the iteration ---- */

/* y = W x, or W^T x. */
static void scale_vector(const eisenstat *self, int transposed, const double *x, double *y)
{
  size_t down = transposed ? 3 : 1, right = transposed ? 1 : 3;
  for (int row = 0; row < self->krylov.A->rows; row++) {
    const double *W = self->scale + 9 * (size_t)row;
    const double v[3] = {x[3 * row], x[3 * row + 1], x[3 * row + 2]};
    for (size_t i = 0; i < 3; i++)
      y[3 * (size_t)row + i] =
          W[i * down] * v[0] + W[i * down + right] * v[1] + W[i * down + 2 * right] * v[2];
  }
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
  const int *rows = job->self->A->chunk_rows + chunk;
  job->self->parts[2 * chunk] = job->kernel->advance(&job->now, rows[0], rows[1]);
}

/* x' += alpha t, r -= alpha (t + y); returns r.r. */
static double advance(step *job, double alpha)
{
  job->now.alpha = alpha;
  pl_parallel(job->self->pool, job->self->A->chunks, advance_chunk, job);
  return pl_krylov_sum(job->self, 0);
}

/* |P (b - A (x + W x'))|; needs t and y, which the next sweeps make anew. */
static double true_size(eisenstat *self)
{
  pl_krylov *krylov = &self->krylov;
  double *t = krylov->vectors[T], *y = krylov->vectors[Y];
  int rows = krylov->A->rows;
  scale_vector(self, 0, krylov->vectors[X], t);
  for (int i = 0; i < 3 * rows; i++) t[i] += krylov->x[i];
  pl_bsr_multiply(krylov->A, t, y, krylov->pool);
  krylov->report->products++;
  for (int i = 0; i < 3 * rows; i++) y[i] = krylov->b[i] - y[i];
  pl_filter_apply(krylov->filter, y);
  return pl_norm(y, rows, krylov->pool);
}

/* The curvature along t in true unknowns, for the sentence about it. */
static pl_status fail_curvature(eisenstat *self, double curvature, pl_error *error)
{
  double *y = self->krylov.vectors[Y];
  scale_vector(self, 0, self->krylov.vectors[T], y);
  return pl_krylov_fail_curvature(&self->krylov, y, curvature, error);
}

static pl_status run(eisenstat *self, step *job, double goal, double rr, double end,
                     pl_error *error)
{
  pl_krylov *krylov = &self->krylov;
  double *r = krylov->vectors[PL_KRYLOV_R], *p = krylov->vectors[P];
  double *t = krylov->vectors[T], *y = krylov->vectors[Y], beta = 0, seen = INFINITY;
  for (double length = rr;;) {
    if (pl_krylov_spent(krylov)) return PL_E_CONVERGENCE;
    if (!isfinite(rr)) return pl_krylov_fail_diverged(krylov, error);
    if (rr == 0) return PL_OK;
    job->kernel->ascend(&job->M, beta, r, p, t);
    double pq = job->kernel->descend(&job->M, p, t, y);
    krylov->report->products++;
    if (!isfinite(pq)) return pl_krylov_fail_diverged(krylov, error);
    if (pq > krylov->largest * length) krylov->largest = pq / length;
    if (pq <= PL_KRYLOV_FLATNESS * krylov->largest * length) return fail_curvature(self, pq, error);

    double before = rr;
    rr = advance(job, rr / pq);
    krylov->report->iterations++;
    if (rr <= end) {
      // how far the split residual must fall follows from what the true one is now
      double size = true_size(self);
      // where it no longer follows, only the caller's fresh start can help
      if (size <= goal) krylov->known = size;
      if (size <= goal || !(size < FOLLOWS * seen)) return PL_OK;
      seen = size;
      end = rr * (goal / size) * (goal / size);
    }
    beta = rr / before;
    length = rr + beta * beta * length;
  }
}

static pl_status iterate(pl_krylov *krylov, double goal, pl_error *error)
{
  eisenstat *self = (eisenstat *)krylov;
  const pl_preconditioner *inverse = self->inverse;
  double **vectors = krylov->vectors, *r = vectors[PL_KRYLOV_R];
  step job = {krylov,
              pl_triangle_kernel_pick(),
              {krylov->A, self->values, inverse->ops->blocks(inverse)},
              {0, vectors[T], vectors[Y], vectors[X], r}};
  int rows = krylov->A->rows;
  double fall = early * goal / pl_norm(r, rows, krylov->pool);
  // r = (1 + L)^-1 W^T r: the sweep of one step whose p - t is W^T r
  scale_vector(self, 1, r, vectors[P]);
  for (int i = 0; i < 3 * rows; i++) vectors[T][i] = vectors[X][i] = 0;
  job.kernel->descend(&job.M, vectors[P], vectors[T], r);
  memset(vectors[P], 0, 3 * (size_t)rows * sizeof *r);
  memset(vectors[Y], 0, 3 * (size_t)rows * sizeof *r);
  double rr = advance(&job, 0);
  pl_status status = run(self, &job, goal, rr, rr * fall * fall, error);

  // back to the true unknowns
  scale_vector(self, 0, vectors[X], vectors[T]);
  pl_axpy(1, vectors[T], krylov->x, rows, krylov->pool);
  return status;
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

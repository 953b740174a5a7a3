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
 * With pairs (pairs.h) D' = D + diag K takes the place of D, so that the scaled matrix is L + 1 + U
 * + O with O = W^T (K - diag K) W, and its product with p
 *
 *   t = (1 + U)^-1 p,       y = (1 + L)^-1 (p - t + O t),       t + y.
 *
 * That is symmetric Gauss-Seidel on A, which knows little of K: it does for pairs that are not much
 * stiffer than what they couple. Beyond that the solver is cg with ssor and the correction of the
 * touched blocks (correction.h), whose sweeps need D, not D'.
 *
 * The split residual is not the true one, W^-T (1 + L) r; near the end that is looked at, for
 * half a product each time. The sweeps run in one thread. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/blockwise.h"
#include "sparse/eisenstat_kernel.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { R, P, T, Y, X, VECTORS };

/* The true residual is looked at when the split one is this many times what it should be. */
static const double early = 4;

/* Between two looks the true residual should fall by this factor at least. */
#define FOLLOWS 0.98

/* Pairs whose diagonal blocks are larger than this many times the matrix's own are stiff. */
static const double stiff = 3;

/* What an iteration of cg with ssor and the correction costs, in those of Eisenstat's. */
static const double corrected = 4;

typedef struct eisenstat {
  pl_krylov krylov;
  pl_preconditioner *ssor; /* its blocks are D^-1; the base of cg for stiff pairs */
  int is_stiff;
  double *scale;  /* W, column by column */
  double *own;    /* the diagonal blocks of K, row-major, in the order of touched blocks */
  double *values; /* W^T A W without its diagonal: L, then U */
  int *columns;   /* of these blocks */
  int *counts[2]; /* of L's and U's blocks in each row */
  int *first;     /* place of each row's first block in L */
  double *vectors[VECTORS]; /* wide */
} eisenstat;

/* Where the row's blocks begin in U, whose rows stand in reverse: only those above come later. */
static int first_above(const eisenstat *self, const pl_bsr *A, int row)
{
  int later = A->start[row + 1] - (row + 1) - self->first[row + 1];
  return A->start[A->rows] - A->rows - later;
}

/* Both halves of the pattern, each as its sweep passes. */
static void split_pattern(eisenstat *self, const pl_bsr *A)
{
  for (int row = 0; row < A->rows; row++) {
    int below = A->diagonal[row] - A->start[row];
    self->counts[0][row] = below;
    self->counts[1][row] = A->start[row + 1] - A->diagonal[row] - 1;
    self->first[row + 1] = self->first[row] + below;
  }
  for (int row = 0; row < A->rows; row++) {
    int *below = self->columns + self->first[row];
    int *above = self->columns + first_above(self, A, row);
    for (int k = A->start[row]; k < A->diagonal[row]; k++) *below++ = A->columns[k];
    for (int k = A->start[row + 1] - 1; k > A->diagonal[row]; k--) *above++ = A->columns[k];
  }
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  eisenstat *self = (eisenstat *)common;
  const pl_allocator *allocator = &common->allocator;
  size_t rows = (size_t)A->rows, blocks = (size_t)A->start[A->rows] - rows;
  pl_selection part = {.member = &pl_preconditioner_ssor.info};
  pl_status status = pl_preconditioner_create(allocator, &part, A, &self->ssor, error);
  if (status) return status;
  self->scale = pl_alloc(allocator, 9 * rows, sizeof *self->scale);
  self->values = pl_alloc(allocator, 9 * blocks + 1, sizeof *self->values);
  self->columns = pl_alloc(allocator, blocks, sizeof *self->columns);
  self->counts[0] = pl_alloc(allocator, 2 * rows, sizeof(int));
  self->first = pl_alloc(allocator, rows + 1, sizeof *self->first);
  int all = self->scale && self->values && self->columns && self->counts[0] && self->first;
  for (int i = 0; i < VECTORS; i++) {
    self->vectors[i] = pl_alloc(allocator, PL_WIDE * rows, sizeof(double));
    all = all && self->vectors[i];
  }
  if (!all) return pl_fail_memory(error);
  self->counts[1] = self->counts[0] + rows;
  split_pattern(self, A);
  status = pl_krylov_create(common, A, PL_CG_VECTORS, error);
  self->krylov.base = self->ssor;
  return status;
}

static void destroy(pl_solver *common)
{
  eisenstat *self = (eisenstat *)common;
  pl_preconditioner_destroy(self->ssor);
  pl_free(&common->allocator, self->scale);
  pl_free(&common->allocator, self->own);
  pl_free(&common->allocator, self->values);
  pl_free(&common->allocator, self->columns);
  pl_free(&common->allocator, self->counts[0]);
  pl_free(&common->allocator, self->first);
  for (int i = 0; i < VECTORS; i++) pl_free(&common->allocator, self->vectors[i]);
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
  const eisenstat *self = job->self;
  const pl_eisenstat_kernel *kernel = pl_eisenstat_kernel_pick();
  for (int row = A->chunk_rows[chunk]; row < A->chunk_rows[chunk + 1]; row++) {
    double *below = self->values + 9 * (size_t)self->first[row];
    double *above = self->values + 9 * (size_t)first_above(self, A, row);
    kernel->scale(A, row, A->start[row], A->diagonal[row], self->scale, below);
    kernel->scale(A, row, A->start[row + 1] - 1, A->diagonal[row], self->scale, above);
  }
}

/* Keeps the diagonal blocks of K, with room for all rows once there are any. */
static pl_status keep_diagonal(eisenstat *self, const pl_bsr *A, pl_error *error)
{
  const pl_pairs *pairs = self->krylov.common.pairs;
  if (!pairs) return PL_OK;
  if (!self->own)
    self->own = pl_alloc(&self->krylov.common.allocator, 9 * (size_t)A->rows, sizeof *self->own);
  if (!self->own) return pl_fail_memory(error);
  for (int t = 0; t < pairs->touched_count; t++)
    pl_pairs_diagonal(pairs, t, self->own + 9 * (size_t)t);
  return PL_OK;
}

/* By how much the pairs are stiffer than the matrix, at most, from the traces of diagonal blocks.
 */
static double stiffness(const eisenstat *self, const pl_bsr *A)
{
  const pl_pairs *pairs = self->krylov.common.pairs;
  double max = 0;
  for (int t = 0; t < pairs->touched_count; t++) {
    const double *K = self->own + 9 * (size_t)t;
    const double *D = A->values + 9 * (size_t)A->diagonal[pairs->touched[t]];
    max = fmax(max, (K[0] + K[4] + K[8]) / (D[0] + D[4] + D[8]));
  }
  return max;
}

/* W of D' = D + diag K at the touched blocks. A block that D' makes no better than D keeps its W.
 */
static void add_diagonal(eisenstat *self, const pl_bsr *A, const pl_filter *filter)
{
  const pl_pairs *pairs = self->krylov.common.pairs;
  for (int t = 0; t < pairs->touched_count; t++) {
    double D[9], B[9];
    int node = pairs->touched[t], entry = pl_filter_from(filter, node);
    int is_held = filter && entry < filter->count && filter->nodes[entry] == node;
    for (int i = 0; i < 9; i++)
      D[i] = self->own[9 * t + i] + A->values[9 * (size_t)A->diagonal[node] + (size_t)i];
    if (!pl_block_invert(D, is_held ? filter->projections + 9 * (size_t)entry : NULL, B))
      take_root(B, self->scale + 9 * (size_t)node);
  }
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  eisenstat *self = (eisenstat *)common;
  pl_status status = self->ssor->ops->prepare(self->ssor, A, filter, pool, error);
  if (!status) status = keep_diagonal(self, A, error);
  if (status) return status;
  self->is_stiff = common->pairs && !(stiffness(self, A) < stiff);
  if (self->is_stiff) common->effort = corrected;
  if (self->is_stiff) return pl_solver_correct(common, A, filter, error);
  scaling job = {self, A, pl_blockwise_blocks(self->ssor)};
  pl_parallel(pool, A->chunks, root_chunk, &job);
  if (common->pairs) add_diagonal(self, A, filter);
  pl_parallel(pool, A->chunks, scale_chunk, &job);
  return PL_OK;
}

/* ---- the iteration ---- */

/* x = x0 + W x', or W x' where x0 is NULL. */
static void leave(const eisenstat *self, const double *wide, const double *x0, double *x)
{
  for (size_t row = 0; row < (size_t)self->krylov.A->rows; row++) {
    const double *W = self->scale + 9 * row, *v = wide + PL_WIDE * row;
    for (size_t i = 0; i < 3; i++)
      x[3 * row + i] =
          (x0 ? x0[3 * row + i] : 0) + (W[i] * v[0] + W[3 + i] * v[1] + W[6 + i] * v[2]);
  }
}

/* W^T r. */
static void enter(const eisenstat *self, const double *r, double *wide)
{
  for (size_t row = 0; row < (size_t)self->krylov.A->rows; row++) {
    const double *W = self->scale + 9 * row, *v = r + 3 * row;
    for (size_t i = 0; i < 3; i++)
      wide[PL_WIDE * row + i] = W[3 * i] * v[0] + W[3 * i + 1] * v[1] + W[3 * i + 2] * v[2];
  }
}

typedef struct step {
  pl_krylov *self;
  const pl_eisenstat_kernel *kernel;
  pl_half L, U;
  pl_split_step now;
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

/* |P (b - A (x + W x'))|. */
static double true_size(eisenstat *self)
{
  pl_krylov *krylov = &self->krylov;
  double *x = krylov->vectors[PL_KRYLOV_WORK], *r = krylov->vectors[PL_KRYLOV_R];
  int rows = krylov->A->rows;
  leave(self, self->vectors[X], krylov->x, x);
  pl_bsr_multiply(krylov->A, x, r, krylov->pool);
  pl_pairs_multiply(krylov->common.pairs, x, r, krylov->pool);
  krylov->report->products++;
  for (int i = 0; i < 3 * rows; i++) r[i] = krylov->b[i] - r[i];
  pl_filter_apply(krylov->filter, r);
  return pl_norm(r, rows, krylov->pool);
}

/* The curvature along t in true unknowns, for the sentence about it. */
static pl_status fail_curvature(eisenstat *self, double curvature, pl_error *error)
{
  double *t = self->krylov.vectors[PL_KRYLOV_R];
  leave(self, self->vectors[T], NULL, t);
  return pl_krylov_fail_curvature(&self->krylov, t, curvature, error);
}

/* p += O t at the touched blocks; what p was there is left in the work vector. */
static void add_pairs(eisenstat *self)
{
  pl_krylov *krylov = &self->krylov;
  const pl_pairs *pairs = krylov->common.pairs;
  double *x = krylov->vectors[PL_KRYLOV_WORK], *y = krylov->vectors[PL_KRYLOV_R];
  for (int i = 0; i < pairs->touched_count; i++) {
    size_t row = (size_t)pairs->touched[i];
    const double *W = self->scale + 9 * row, *t = self->vectors[T] + PL_WIDE * row;
    for (size_t c = 0; c < 3; c++) {
      x[3 * row + c] = W[c] * t[0] + W[3 + c] * t[1] + W[6 + c] * t[2];
      y[3 * row + c] = 0;
    }
  }
  pl_pairs_multiply(krylov->common.pairs, x, y, krylov->pool);
  for (int i = 0; i < pairs->touched_count; i++) {
    size_t row = (size_t)pairs->touched[i];
    double *own = x + 3 * row, *force = y + 3 * row, *p = self->vectors[P] + PL_WIDE * row;
    const double *W = self->scale + 9 * row, *K = self->own + 9 * (size_t)i;
    for (int c = 0; c < 3; c++)
      force[c] -= K[3 * c] * own[0] + K[3 * c + 1] * own[1] + K[3 * c + 2] * own[2];
    memcpy(own, p, 3 * sizeof *own);
    for (int c = 0; c < 3; c++)
      p[c] += W[3 * c] * force[0] + W[3 * c + 1] * force[1] + W[3 * c + 2] * force[2];
  }
}

/* p as it was; what that makes of p.(t + y). */
static double take_back(eisenstat *self)
{
  const pl_krylov *krylov = &self->krylov;
  const pl_pairs *pairs = krylov->common.pairs;
  double *p = self->vectors[P], *t = self->vectors[T], *y = self->vectors[Y], change = 0;
  for (int i = 0; i < pairs->touched_count; i++) {
    const double *before = krylov->vectors[PL_KRYLOV_WORK] + 3 * (size_t)pairs->touched[i];
    size_t at = PL_WIDE * (size_t)pairs->touched[i];
    for (size_t c = 0; c < 3; c++, at++) {
      change += (before[c] - p[at]) * (t[at] + y[at]);
      p[at] = before[c];
    }
  }
  return change;
}

/* t and y of the next step along p = r + beta p; returns p.(t + y). */
static double multiply(eisenstat *self, const step *job, double beta)
{
  double **v = self->vectors;
  int has_pairs = self->krylov.common.pairs != NULL;
  job->kernel->ascend(&job->U, beta, v[R], v[P], v[T]);
  if (has_pairs) add_pairs(self);
  double pq = job->kernel->descend(&job->L, v[P], v[T], v[Y]);
  return has_pairs ? pq + take_back(self) : pq;
}

static pl_status run(eisenstat *self, step *job, double goal, double rr, double end,
                     pl_error *error)
{
  pl_krylov *krylov = &self->krylov;
  double beta = 0, seen = INFINITY;
  for (double length = rr;;) {
    if (pl_krylov_spent(krylov)) return PL_E_CONVERGENCE;
    if (!isfinite(rr)) return pl_krylov_fail_diverged(krylov, error);
    if (rr == 0) return PL_OK;
    double pq = multiply(self, job, beta);
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
  double **v = self->vectors, *r = krylov->vectors[PL_KRYLOV_R];
  int rows = krylov->A->rows, below = self->first[rows];
  step job = {krylov,
              pl_eisenstat_kernel_pick(),
              {rows, self->counts[0], self->columns, self->values},
              {rows, self->counts[1], self->columns + below, self->values + 9 * (size_t)below},
              {0, v[T], v[Y], v[X], v[R]}};
  double fall = early * goal / pl_norm(r, rows, krylov->pool);
  // r = (1 + L)^-1 W^T r: the sweep of one step whose p - t is W^T r
  for (int i = 0; i < VECTORS; i++) memset(v[i], 0, PL_WIDE * (size_t)rows * sizeof *v[i]);
  enter(self, r, v[P]);
  job.kernel->descend(&job.L, v[P], v[T], v[R]);
  memset(v[P], 0, PL_WIDE * (size_t)rows * sizeof *v[P]);
  double rr = advance(&job, 0);
  pl_status status = run(self, &job, goal, rr, rr * fall * fall, error);

  // back to the true unknowns
  leave(self, v[X], krylov->x, krylov->x);
  return status;
}

static pl_status solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  int is_stiff = ((const eisenstat *)self)->is_stiff;
  return pl_krylov_solve(self, A, filter, b, x, target, pool, report,
                         is_stiff ? pl_cg_iterate : iterate, error);
}

const pl_solver_ops pl_solver_eisenstat = {
    .info = {"eisenstat",
             "conjugate gradients with symmetric Gauss-Seidel at the price of one "
             "product; asks no preconditioner, runs in one thread",
             "Eisenstat 1981; Hauth 2004, 3.4.3", pl_krylov_params, PL_KRYLOV_PARAM_COUNT, NULL},
    .state_size = sizeof(eisenstat),
    .companion = &pl_preconditioner_none,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};

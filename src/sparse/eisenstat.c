/* Conjugate gradients with symmetric Gauss-Seidel inside, at the price of one product.
 *
 * Unknowns are scaled so that the diagonal blocks become 1: with D^-1 = W W^T, x = W x' and
 * W^T A W = L + 1 + L^T. The system is split as (1 + L)^-1 (L + 1 + L^T) (1 + L)^-T x'' =
 * (1 + L)^-1 W^T b, x'' = (1 + L^T) x'; its product with p is q = t + y, two sweeps over L:
 *
 *   t = (1 + L)^-T p,       y = (1 + L)^-1 (p - t).
 *
 * (U in place of L^T where A is not symmetric.) x' += alpha t needs no x''. The iterates are those
 * of cg with ssor. Eisenstat 1981, "Efficient implementation of a class of preconditioned conjugate
 * gradient methods"; Hauth 2004, 3.4.3. At constrained nodes D^-1 stands for P (P D P)^-1 P, so
 * that W leaves out what is not free and all vectors stay in the free space (Hauth 2004, 5.4.2,
 * gets there with a filter on p and r).
 *
 * With pairs (pairs.h) the blocks that they touch are one block of the splitting, behind all others
 * (half.h): all of K is in it, so that the number of iterations does not depend on the stiffness
 * of the pairs. With A_cc = C C^T, the scaled matrix is 1 at c as well, and nothing of L is there:
 * q = p + y, while t = C^-T p goes into the sweep over the others and into x; y is minus C^-1 of
 * what L's rows have summed up. Where there is no complete factor of A_cc the solver is cg with
 * ssor and the correction of the touched blocks (correction.h).
 *
 * The split residual is not the true one, W^-T (1 + L) r; near the end that is looked at, for
 * half a product each time, and once by a product with A itself, which rounding has no part in.
 * Threads share the parts that A does not couple, such as bodies, and the
 * parts of the factor, such as separate places of contact; a sweep over a part runs in one thread.
 */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/blockwise.h"
#include "sparse/correction.h"
#include "sparse/half.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { R, P, T, Q, X, VECTORS };

/* The true residual is looked at when the split one is this many times what it should be. */
static const double early = 4;

/* Between two looks the true residual should fall by this factor at least. */
#define FOLLOWS 0.98

/* What an iteration of cg with ssor and the correction costs, in those of Eisenstat's. */
static const double corrected = 4;

typedef struct eisenstat {
  pl_krylov krylov;
  pl_preconditioner *ssor; /* its blocks are D^-1; the base of cg where there is no factor */
  int is_split;            /* the iteration is Eisenstat's, not that of cg */
  pl_scaled_half half;
  const pl_small_factor *factor; /* of what pairs touch; NULL: nothing */
  double *dots, *factor_dots;    /* p.q of each part, and of each of the factor's */
  size_t factor_room;
  double *vectors[VECTORS]; /* wide */
} eisenstat;

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  eisenstat *self = (eisenstat *)common;
  const pl_allocator *allocator = &common->allocator;
  size_t rows = (size_t)A->rows;
  pl_selection part = {.member = &pl_preconditioner_ssor.info};
  pl_status status = pl_half_create(&self->half, allocator, A, error);
  if (!status) status = pl_preconditioner_create(allocator, &part, A, &self->ssor, error);
  if (status) return status;
  int all = 1;
  for (int i = 0; i < VECTORS; i++) {
    self->vectors[i] = pl_alloc(allocator, PL_WIDE * rows, sizeof(double));
    all = all && self->vectors[i];
  }
  self->dots = pl_alloc(allocator, (size_t)self->half.parts, sizeof(double));
  if (!all || !self->dots) return pl_fail_memory(error);
  status = pl_krylov_create(common, A, PL_CG_VECTORS, error);
  self->krylov.base = self->ssor;
  return status;
}

static void destroy(pl_solver *common)
{
  eisenstat *self = (eisenstat *)common;
  pl_preconditioner_destroy(self->ssor);
  pl_half_destroy(&self->half);
  pl_free(&common->allocator, self->dots);
  pl_free(&common->allocator, self->factor_dots);
  for (int i = 0; i < VECTORS; i++) pl_free(&common->allocator, self->vectors[i]);
  pl_krylov_destroy(common);
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  eisenstat *self = (eisenstat *)common;
  const pl_small_factor *factor = self->factor = NULL;
  self->ssor->pairs = common->pairs;
  pl_status status = self->ssor->ops->prepare(self->ssor, A, filter, pool, error);
  if (!status) status = pl_solver_correct(common, A, filter, pool, error);
  if (status) return status;
  if (common->pairs) factor = pl_correction_factor(common->pairs);
  self->is_split = factor || !common->pairs;
  if (!self->is_split) common->effort = corrected;
  if (!self->is_split) return PL_OK;
  self->factor = factor;
  if (factor && pl_reserve(&common->allocator, (void **)&self->factor_dots, &self->factor_room,
                           (size_t)factor->parts, sizeof(double)))
    return pl_fail_memory(error);
  return pl_half_prepare(&self->half, A, pl_blockwise_blocks(self->ssor), common->pairs, factor,
                         pool, error);
}

/* ---- the iteration ---- */

typedef struct crossing {
  const eisenstat *self;
  const double *from, *start;
  double *to;
} crossing;

static void leave_chunk(void *context, int chunk)
{
  const crossing *job = context;
  const pl_scaled_half *half = &job->self->half;
  const int *rows = job->self->krylov.A->chunk_rows + chunk;
  const double *x0 = job->start;
  double *x = job->to;
  for (int row = rows[0]; row < rows[1]; row++) {
    size_t at = 3 * (size_t)half->node[row];
    const double *W = half->scale + 9 * (size_t)row, *v = job->from + PL_WIDE * row;
    for (size_t i = 0; i < 3; i++)
      x[at + i] =
          (x0 ? x0[at + i] : 0) + (W[3 * i] * v[0] + W[3 * i + 1] * v[1] + W[3 * i + 2] * v[2]);
  }
}

/* x = x0 + W x', or W x' where x0 is NULL. */
static void leave(const eisenstat *self, const double *wide, const double *x0, double *x)
{
  crossing job = {self, wide, x0, x};
  pl_parallel(self->krylov.pool, self->krylov.A->chunks, leave_chunk, &job);
}

static void enter_chunk(void *context, int chunk)
{
  const crossing *job = context;
  const pl_scaled_half *half = &job->self->half;
  const int *rows = job->self->krylov.A->chunk_rows + chunk;
  for (int row = rows[0]; row < rows[1]; row++) {
    const double *W = half->scale + 9 * (size_t)row;
    const double *v = job->from + 3 * (size_t)half->node[row];
    double *to = job->to + PL_WIDE * row;
    for (int i = 0; i < 3; i++) to[i] = W[i] * v[0] + W[3 + i] * v[1] + W[6 + i] * v[2];
    to[3] = 0;
  }
  // q times 0 is taken off in the first step
  for (int i = P; i < VECTORS; i++)
    memset(job->self->vectors[i] + PL_WIDE * rows[0], 0,
           PL_WIDE * (size_t)(rows[1] - rows[0]) * sizeof *job->to);
}

/* W^T r; the other vectors are zero. */
static void enter(const eisenstat *self, const double *r, double *wide)
{
  crossing job = {self, r, NULL, wide};
  pl_parallel(self->krylov.pool, self->krylov.A->chunks, enter_chunk, &job);
}

typedef struct step {
  eisenstat *self;
  const pl_eisenstat_kernel *kernel;
  pl_half L;
  pl_split at;
  pl_split_step now;
} step;

static void advance_chunk(void *context, int chunk)
{
  const step *job = context;
  const pl_krylov *krylov = &job->self->krylov;
  const int *rows = krylov->A->chunk_rows + chunk;
  krylov->parts[2 * chunk] = job->kernel->advance(&job->now, rows[0], rows[1]);
}

/* x' += alpha t, r -= alpha q; returns r.r. */
static double advance(step *job, double alpha)
{
  const pl_krylov *krylov = &job->self->krylov;
  job->now.alpha = alpha;
  pl_parallel(krylov->pool, krylov->A->chunks, advance_chunk, job);
  return pl_krylov_sum(krylov, 0);
}

/* |P (b - A (x + W x'))|. t holds x until the next product. */
static double true_size(eisenstat *self)
{
  pl_krylov *krylov = &self->krylov;
  double *x = krylov->x, size;
  leave(self, self->vectors[X], x, self->vectors[T]);
  krylov->x = self->vectors[T];
  size = pl_krylov_residual(krylov);
  krylov->x = x;
  return size;
}

/* The curvature along t in true unknowns, for the sentence about it. */
static pl_status fail_curvature(eisenstat *self, double curvature, pl_error *error)
{
  double *t = self->krylov.vectors[PL_KRYLOV_R];
  leave(self, self->vectors[T], NULL, t);
  return pl_krylov_fail_curvature(&self->krylov, t, curvature, error);
}

/* Both sweeps over a part, which stays in the cache between them. */
static void sweep_part(void *context, int part)
{
  const step *job = context;
  const pl_split *at = &job->at;
  const int *rows = job->self->half.part_rows + part;
  job->kernel->ascend(&job->L, at, rows[0], rows[1]);
  job->self->dots[part] = job->kernel->descend(&job->L, at->p, at->t, at->q, rows[0], rows[1]);
}

static void sweep_down_part(void *context, int part)
{
  const step *job = context;
  const pl_split *at = &job->at;
  const int *rows = job->self->half.part_rows + part;
  (void)job->kernel->descend(&job->L, at->p, at->t, job->now.r, rows[0], rows[1]);
}

/* ---- the parts of the factor ---- */

/* The rows of one. */
static void factor_rows(const eisenstat *self, int part, int rows[2])
{
  for (int i = 0; i < 2; i++) rows[i] = self->half.inner + self->factor->part_start[part + i];
}

static int factor_parts(const eisenstat *self) { return self->factor ? self->factor->parts : 0; }

static void ascend_factor(void *context, int part)
{
  const step *job = context;
  int rows[2];
  factor_rows(job->self, part, rows);
  job->kernel->ascend(&job->L, &job->at, rows[0], rows[1]);
  memset(job->at.q + PL_WIDE * rows[0], 0,
         PL_WIDE * (size_t)(rows[1] - rows[0]) * sizeof *job->at.q);
}

static void descend_factor(void *context, int part)
{
  const step *job = context;
  const pl_split *at = &job->at;
  int rows[2];
  factor_rows(job->self, part, rows);
  job->self->factor_dots[part] =
      job->kernel->descend(&job->L, at->p, at->p, at->q, rows[0], rows[1]);
}

static void sweep_down_factor(void *context, int part)
{
  const step *job = context;
  int rows[2];
  factor_rows(job->self, part, rows);
  (void)job->kernel->descend(&job->L, job->at.p, job->at.t, job->now.r, rows[0], rows[1]);
}

/* r = (1 + L)^-1 r, where p and t are zero. */
static void sweep_down(step *job)
{
  pl_pool *pool = job->self->krylov.pool;
  pl_parallel(pool, job->self->half.parts, sweep_down_part, job);
  pl_parallel(pool, factor_parts(job->self), sweep_down_factor, job);
}

/* t and q of the next step along p = r + beta p; returns p.q. */
static double multiply(step *job, double beta)
{
  const eisenstat *self = job->self;
  pl_pool *pool = self->krylov.pool;
  int parts = factor_parts(self);
  double sum = 0;
  job->at.beta = beta;
  pl_parallel(pool, parts, ascend_factor, job);
  pl_parallel(pool, self->half.parts, sweep_part, job);
  pl_parallel(pool, parts, descend_factor, job);
  for (int part = 0; part < self->half.parts; part++) sum += self->dots[part];
  for (int part = 0; part < parts; part++) sum += self->factor_dots[part];
  return sum;
}

/* ---- the size of the true residual, by the split one ---- */

static void unsplit_part(void *context, int part)
{
  const step *job = context;
  const int *rows = job->self->half.part_rows + part;
  job->kernel->multiply(&job->L, job->now.r, job->at.t, rows[0], rows[1]);
}

static void unsplit_factor(void *context, int part)
{
  const step *job = context;
  int rows[2];
  factor_rows(job->self, part, rows);
  job->kernel->multiply(&job->L, job->now.r, job->at.t, rows[0], rows[1]);
}

/* |P r|^2 by s = W^T r: the columns of W span what is free, and are made orthogonal one by one. */
static double free_square(const double W[9], const double s[3])
{
  double q[3][3], along[3], square[3], sum = 0;
  for (int c = 0; c < 3; c++) {
    double w[3] = {W[c], W[3 + c], W[6 + c]};
    along[c] = s[c];
    square[c] = 0;
    for (int j = 0; j < c; j++) {
      double dot = w[0] * q[j][0] + w[1] * q[j][1] + w[2] * q[j][2];
      double part = square[j] > 0 ? dot / square[j] : 0;
      along[c] -= part * along[j];
      for (int i = 0; i < 3; i++) w[i] -= part * q[j][i];
    }
    memcpy(q[c], w, sizeof w);
    if (W[4 * c] > 0) square[c] = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (square[c] > 0) sum += along[c] * along[c] / square[c];
  }
  return sum;
}

/* The same; where nothing is held, W^T r = s is solved. */
static double row_square(const double W[9], const double s[3])
{
  if (!(W[0] > 0 && W[4] > 0 && W[8] > 0)) return free_square(W, s);
  double r2 = s[2] / W[8], r1 = (s[1] - W[7] * r2) / W[4];
  double r0 = (s[0] - W[3] * r1 - W[6] * r2) / W[0];
  return r0 * r0 + r1 * r1 + r2 * r2;
}

static void square_chunk(void *context, int chunk)
{
  const step *job = context;
  const pl_krylov *krylov = &job->self->krylov;
  const int *rows = krylov->A->chunk_rows + chunk;
  double sum = 0;
  for (int row = rows[0]; row < rows[1]; row++)
    sum += row_square(job->self->half.scale + 9 * (size_t)row, job->at.t + PL_WIDE * row);
  krylov->parts[2 * chunk] = sum;
}

/* |P (b - A (x + W x'))|, as far as rounding goes. t is work. */
static double unsplit_size(step *job)
{
  const pl_krylov *krylov = &job->self->krylov;
  size_t rows = (size_t)krylov->A->rows;
  memcpy(job->at.t, job->now.r, PL_WIDE * rows * sizeof *job->at.t);
  pl_parallel(krylov->pool, job->self->half.parts, unsplit_part, job);
  pl_parallel(krylov->pool, factor_parts(job->self), unsplit_factor, job);
  pl_parallel(krylov->pool, krylov->A->chunks, square_chunk, job);
  return sqrt(pl_krylov_sum(krylov, 0));
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
    double pq = multiply(job, beta);
    krylov->report->products++;
    if (!isfinite(pq)) return pl_krylov_fail_diverged(krylov, error);
    if (pq > krylov->largest * length) krylov->largest = pq / length;
    if (pq <= PL_KRYLOV_FLATNESS * krylov->largest * length) return fail_curvature(self, pq, error);

    double before = rr;
    rr = advance(job, rr / pq);
    krylov->report->iterations++;
    if (rr <= end) {
      // how far the split residual must fall follows from what the true one is now
      double size = unsplit_size(job);
      if (size <= goal) size = true_size(self);
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
  step job = {self,
              pl_eisenstat_kernel_pick(),
              pl_half_view(&self->half),
              {0, v[R], v[P], v[T], v[Q]},
              {0, v[T], v[Q], v[X], v[R]}};
  double fall = early * goal / pl_norm(r, krylov->A->rows, krylov->pool);
  enter(self, r, v[R]);
  sweep_down(&job);
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
  int is_split = ((const eisenstat *)self)->is_split;
  return pl_krylov_solve(self, A, filter, b, x, target, pool, report,
                         is_split ? iterate : pl_cg_iterate, error);
}

const pl_solver_ops pl_solver_eisenstat = {
    .info = {"eisenstat",
             "conjugate gradients with symmetric Gauss-Seidel at the price of one "
             "product; asks no preconditioner, a thread for each body",
             "Eisenstat 1981; Hauth 2004, 3.4.3", pl_krylov_params, PL_KRYLOV_PARAM_COUNT, NULL},
    .state_size = sizeof(eisenstat),
    .companion = &pl_preconditioner_none,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};

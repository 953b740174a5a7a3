/* Generalised minimal residuals with restarts (see gmres.h). */
#include "sparse/gmres.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { Z = PL_KRYLOV_OWN, VECTORS };

/* A whole basis that leaves this much of the residual is in vain. */
#define STALLED 0.999

pl_status pl_gmres_create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  pl_gmres *self = (pl_gmres *)common;
  pl_status status = pl_krylov_create(common, A, VECTORS, error);
  for (int i = 0; i <= PL_GMRES_BASIS && !status; i++) {
    self->basis[i] = pl_alloc(&common->allocator, 3 * (size_t)A->rows, sizeof(double));
    if (!self->basis[i]) status = pl_fail_memory(error);
  }
  return status;
}

void pl_gmres_destroy(pl_solver *common)
{
  pl_gmres *self = (pl_gmres *)common;
  for (int i = 0; i <= PL_GMRES_BASIS; i++) pl_free(&common->allocator, self->basis[i]);
  pl_krylov_destroy(common);
}

/* w = P A B v_j, made orthogonal to the basis: column j of H. Returns the length that is left. */
static double extend(pl_gmres *self, int j)
{
  pl_krylov *krylov = &self->krylov;
  int rows = krylov->A->rows;
  double *z = krylov->vectors[Z], *w = self->basis[j + 1];
  pl_krylov_precondition(krylov, self->basis[j], z);
  pl_krylov_product(krylov, z, w);
  for (int i = 0; i <= j; i++) {
    self->H[j][i] = pl_dot(w, self->basis[i], rows, krylov->pool);
    pl_axpy(-self->H[j][i], self->basis[i], w, rows, krylov->pool);
  }
  return self->H[j][j + 1] = pl_norm(w, rows, krylov->pool);
}

/* Turns column j by the earlier rotations and by one more, which removes its last number. Returns
 * the length of the residual, or NAN where nothing but a zero is left. */
static double turn(pl_gmres *self, int j)
{
  double *h = self->H[j];
  for (int i = 0; i < j; i++) {
    double upper = self->cosine[i] * h[i] + self->sine[i] * h[i + 1];
    h[i + 1] = self->cosine[i] * h[i + 1] - self->sine[i] * h[i];
    h[i] = upper;
  }
  double length = pl_hypot(h[j], h[j + 1]);
  if (length == 0) return NAN;
  self->cosine[j] = h[j] / length;
  self->sine[j] = h[j + 1] / length;
  h[j] = length;
  self->right[j + 1] = -self->sine[j] * self->right[j];
  self->right[j] *= self->cosine[j];
  return fabs(self->right[j + 1]);
}

/* x += B V y with the triangular system's y of count numbers. */
static void add_solution(pl_gmres *self, int count)
{
  pl_krylov *krylov = &self->krylov;
  int rows = krylov->A->rows;
  double *sum = krylov->vectors[PL_KRYLOV_WORK], *z = krylov->vectors[Z], *y = self->right;
  for (int i = count - 1; i >= 0; i--) {
    for (int k = i + 1; k < count; k++) y[i] -= self->H[k][i] * y[k];
    y[i] /= self->H[i][i];
  }
  memset(sum, 0, 3 * (size_t)rows * sizeof *sum);
  for (int i = 0; i < count; i++) pl_axpy(y[i], self->basis[i], sum, rows, krylov->pool);
  pl_krylov_precondition(krylov, sum, z);
  pl_axpy(1, z, krylov->x, rows, krylov->pool);
}

/* From the residual in r until the goal, the end of the basis or that of the iterations; *length:
 * what is left of it by the recursion. */
static pl_status fill_basis(pl_gmres *self, double goal, double *length, pl_error *error)
{
  pl_krylov *krylov = &self->krylov;
  int rows = krylov->A->rows, j = 0;
  pl_status status = PL_OK;
  self->right[0] = *length;
  pl_combine(NULL, 1 / *length, krylov->vectors[PL_KRYLOV_R], self->basis[0], rows, krylov->pool);
  while (j<PL_GMRES_BASIS && * length> goal && !status) {
    if (pl_krylov_spent(krylov)) {
      status = PL_E_CONVERGENCE;
      break;
    }
    double next = extend(self, j);
    krylov->report->iterations++;
    if (!isfinite(next)) return pl_krylov_fail_diverged(krylov, error);
    *length = turn(self, j);
    if (isnan(*length)) {
      status = pl_krylov_fail_curvature(krylov, krylov->vectors[Z], 0, error);
      break;
    }
    j++;
    if (next == 0) break;
    for (int i = 0; i < 3 * rows; i++) self->basis[j][i] /= next;
  }
  if (j > 0) add_solution(self, j);
  return status;
}

static pl_status iterate(pl_krylov *krylov, double goal, pl_error *error)
{
  pl_gmres *self = (pl_gmres *)krylov;
  double length = pl_norm(krylov->vectors[PL_KRYLOV_R], krylov->A->rows, krylov->pool);
  for (;;) {
    double before = length;
    if (length == 0) return PL_OK;
    pl_status status = fill_basis(self, goal, &length, error);
    if (status || length <= goal) return status;
    length = pl_krylov_residual(krylov);
    if (length > STALLED * before) return PL_OK;
  }
}

pl_status pl_gmres_solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                         double *x, double target, pl_pool *pool, pl_solve_report *report,
                         pl_error *error)
{
  return pl_krylov_solve(self, A, filter, b, x, target, pool, report, iterate, error);
}

const pl_solver_ops pl_solver_gmres = {
    .info = {"gmres",
             "generalised minimal residuals, restarted after 40 iterations; for matrices that need "
             "not be symmetric or definite",
             "Saad & Schultz 1986", pl_krylov_params, PL_KRYLOV_PARAM_COUNT, NULL},
    .state_size = sizeof(pl_gmres),
    .unsymmetric = 1,
    .indefinite = 1,
    .create = pl_gmres_create,
    .destroy = pl_gmres_destroy,
    .prepare = pl_krylov_prepare,
    .solve = pl_gmres_solve,
};

/* Minimal residuals, for symmetric matrices that may be indefinite; the preconditioner must be
 * positive definite.
 *
 * Paige & Saunders 1975 with a preconditioner, as in Elman, Silvester & Wathen 2005, "Finite
 * elements and fast iterative solvers", algorithm 6.1. What it minimises is the residual in the
 * preconditioner's norm; the iteration goes on until that has fallen as far as the true one should,
 * and the caller looks. */
#include "math/functions.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { NEXT = PL_KRYLOV_WORK, V0 = PL_KRYLOV_OWN, Z, Z_NEXT, W0, W1, VECTORS };

/* Iterations in which the residual should fall at least a little. */
enum { PATIENCE = 300 };

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  return pl_krylov_create(common, A, VECTORS, error);
}

static void swap(double **a, double **b)
{
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/* The rotations that keep Lanczos' matrix triangular: those of the last two steps. */
typedef struct rotations {
  double c0, c1, s0, s1;
} rotations;

static pl_status iterate(pl_krylov *self, double goal, pl_error *error)
{
  double *v1 = self->vectors[PL_KRYLOV_R], *next = self->vectors[NEXT], *v0 = self->vectors[V0];
  double *z = self->vectors[Z], *z_next = self->vectors[Z_NEXT];
  double *w0 = self->vectors[W0], *w1 = self->vectors[W1];
  int rows = self->A->rows;
  pl_pool *pool = self->pool;
  size_t size = 3 * (size_t)rows * sizeof *v1;
  memset(v0, 0, size);
  memset(w0, 0, size);
  memset(w1, 0, size);
  double fall = goal / pl_norm(v1, rows, pool);
  pl_krylov_precondition(self, v1, z);
  double square = pl_dot(v1, z, rows, pool), gamma0 = 1, gamma1 = sqrt(square), eta = gamma1;
  double end = fall * gamma1;
  double mark = eta;
  rotations turn = {1, 1, 0, 0};
  for (;;) {
    if (pl_krylov_spent(self)) return PL_E_CONVERGENCE;
    if (square == 0) return PL_OK;
    if (!(square > 0)) return pl_krylov_fail_preconditioner(self, square, error);
    if (!isfinite(square)) return pl_krylov_fail_diverged(self, error);

    // one step of Lanczos
    for (int i = 0; i < 3 * rows; i++) z[i] /= gamma1;
    double delta = pl_krylov_product(self, z, next);
    pl_axpy(-delta / gamma1, v1, next, rows, pool);
    pl_axpy(-gamma1 / gamma0, v0, next, rows, pool);
    pl_krylov_precondition(self, next, z_next);
    square = pl_dot(next, z_next, rows, pool);
    double gamma2 = sqrt(square > 0 ? square : 0);

    // one more rotation
    double a0 = turn.c1 * delta - turn.c0 * turn.s1 * gamma1, a1 = pl_hypot(a0, gamma2);
    double a2 = turn.s1 * delta + turn.c0 * turn.c1 * gamma1, a3 = turn.s0 * gamma1;
    self->report->iterations++;
    if (!isfinite(a1)) return pl_krylov_fail_diverged(self, error);
    if (a1 == 0) return pl_krylov_fail_curvature(self, z, 0, error);
    turn = (rotations){turn.c1, a0 / a1, turn.s1, gamma2 / a1};

    // the new direction takes the place of the oldest
    for (int i = 0; i < 3 * rows; i++) w0[i] = (z[i] - a3 * w0[i] - a2 * w1[i]) / a1;
    swap(&w0, &w1);
    pl_axpy(turn.c1 * eta, w1, self->x, rows, pool);
    eta *= -turn.s1;
    if (fabs(eta) <= end) return PL_OK;
    if (self->report->iterations % PATIENCE == 0) {
      if (fabs(eta) > 0.9 * mark) return PL_OK;
      mark = fabs(eta);
    }
    swap(&v0, &v1);
    swap(&v1, &next);
    swap(&z, &z_next);
    gamma0 = gamma1;
    gamma1 = gamma2;
  }
}

static pl_status solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  return pl_krylov_solve(self, A, filter, b, x, target, pool, report, iterate, error);
}

const pl_solver_ops pl_solver_minres = {
    .info = {"minres", "minimal residuals, for symmetric matrices that may be indefinite",
             "Paige & Saunders 1975", pl_krylov_params, PL_KRYLOV_PARAM_COUNT, NULL},
    .state_size = sizeof(pl_krylov),
    .indefinite = 1,
    .create = create,
    .destroy = pl_krylov_destroy,
    .prepare = pl_krylov_prepare,
    .solve = solve,
};

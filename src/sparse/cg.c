/* Preconditioned conjugate gradients with constraints as projections.
 *
 * Hestenes & Stiefel 1952 with a preconditioner B (Saad 2003, algorithm 9.1), in the space that the
 * filter P leaves free (Ascher & Boxerman 2003): r = P (b - A x), z = B r with B = P B P, so that
 * every direction p = P p. One iteration makes three passes over memory:
 *
 *   q = P A p, p.q        x += alpha p, r -= alpha q, z = B r, r.r, r.z        p = z + beta p
 */
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { Q = PL_KRYLOV_WORK, Z = PL_KRYLOV_OWN, P };

typedef struct step {
  pl_krylov *self;
  pl_advance advance;
} step;

pl_status pl_cg_create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  return pl_krylov_create(common, A, PL_CG_VECTORS, error);
}

static void advance_chunk(void *context, int chunk)
{
  const step *now = context;
  const int *rows = now->self->A->chunk_rows + chunk;
  now->self->kernel->advance(&now->advance, rows[0], rows[1], now->self->parts + 2 * chunk);
}

/* x += alpha p, r -= alpha q, z = B r; returns r.r and, in rz, r.z. */
static double advance(step *now, double alpha, double *rz)
{
  pl_krylov *self = now->self;
  now->advance.alpha = alpha;
  pl_parallel(self->pool, self->A->chunks, advance_chunk, now);
  double rr = pl_krylov_sum(self, 0);
  if (now->advance.blocks) {
    *rz = pl_krylov_sum(self, 1);
  } else {
    pl_krylov_precondition(self, now->advance.r, now->advance.z);
    *rz = pl_dot(now->advance.r, now->advance.z, self->A->rows, self->pool);
  }
  return rr;
}

pl_status pl_cg_iterate(pl_krylov *self, double goal, pl_error *error)
{
  double *r = self->vectors[PL_KRYLOV_R], *q = self->vectors[Q];
  double *z = self->vectors[Z], *p = self->vectors[P];
  step now = {self, {0, p, q, pl_solver_blocks(&self->common), self->x, r, z}};
  int rows = self->A->rows;
  // in single precision, if the preconditioner lends the matrix; both vectors have the room
  if (self->single) return pl_cg_single(self, goal, (float *)z, (float *)p);
  pl_krylov_precondition(self, r, z);
  double rz = pl_dot(r, z, rows, self->pool);
  memcpy(p, z, 3 * (size_t)rows * sizeof *p);

  // p.B^-1 p follows from the recursion, since r is orthogonal to the last p
  double length = rz;
  for (;;) {
    if (pl_krylov_spent(self)) return PL_E_CONVERGENCE;
    if (!(rz > 0)) return pl_krylov_fail_preconditioner(self, rz, error);
    double pq = pl_krylov_product(self, p, q);
    if (!isfinite(pq) || !isfinite(rz)) return pl_krylov_fail_diverged(self, error);
    if (pq > self->largest * length) self->largest = pq / length;
    if (pq <= PL_KRYLOV_FLATNESS * self->largest * length)
      return pl_krylov_fail_curvature(self, p, pq, error);

    double before = rz, rr = advance(&now, rz / pq, &rz);
    self->report->iterations++;
    if (!isfinite(rr)) return pl_krylov_fail_diverged(self, error);
    if (sqrt(rr) <= goal) return PL_OK;

    double beta = rz / before;
    length = rz + beta * beta * length;
    pl_xpay(z, beta, p, rows, self->pool);
  }
}

pl_status pl_cg_solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                      double *x, double target, pl_pool *pool, pl_solve_report *report,
                      pl_error *error)
{
  return pl_krylov_solve(self, A, filter, b, x, target, pool, report, pl_cg_iterate, error);
}

const pl_solver_ops pl_solver_cg = {
    .info = {"cg", "preconditioned conjugate gradients", "Saad 2003, algorithm 9.1",
             pl_krylov_params, PL_KRYLOV_PARAM_COUNT, NULL},
    .state_size = sizeof(pl_krylov),
    .create = pl_cg_create,
    .destroy = pl_krylov_destroy,
    .prepare = pl_krylov_prepare,
    .solve = pl_cg_solve,
};

/* What Krylov solvers share: the true residual, what rounding can do to it, and their sentences.
 *
 * A recursion's residual drifts away from the true one by rounding. When it is small enough, the
 * true one is computed; if it misses the target by more than a little, the iteration starts afresh
 * from it. A start that does not halve the true residual, which then is no larger than some
 * rounding errors of |b| + |A||x| (Oettli & Prager's measure of what the data allow), has reached
 * all there is. */
#ifndef PL_SPARSE_KRYLOV_H
#define PL_SPARSE_KRYLOV_H

#include "sparse/solver.h"
#include "sparse/sparse_kernel.h"

enum { PL_KRYLOV_TOLERANCE, PL_KRYLOV_ITERATIONS, PL_KRYLOV_PARAM_COUNT };

/* The parameters of every Krylov solver, as rows and as a table. */
#define PL_KRYLOV_PARAMS                                                                           \
  {                                                                                                \
      "tolerance", "1", "residual at the end, relative to the right side", 1e-6, 1e-15, 0.5,       \
      NULL,        0},                                                                             \
  {                                                                                                \
    "iterations", "count", "most iterations in one solve", 10000, 1, 1e9, NULL, 0                  \
  }
extern const pl_param pl_krylov_params[PL_KRYLOV_PARAM_COUNT];

enum { PL_KRYLOV_MOST_VECTORS = 8 };

/* The state of a Krylov solver: r, work, and the member's own vectors. */
typedef struct pl_krylov {
  pl_solver common;
  const pl_sparse_kernel *kernel;
  double *vectors[PL_KRYLOV_MOST_VECTORS];
  double *parts;           /* two sums for each chunk of the matrix */
  pl_preconditioner *base; /* what precondition applies: the solver's, or a member's own */

  // of the solve that is going on
  const pl_bsr *A;
  const pl_filter *filter;
  const double *b;
  double *x;
  pl_pool *pool;
  pl_solve_report *report;
  double largest;         /* curvature p.Ap / p.B^-1 p met so far */
  double aim;             /* of the start in hand: what its residual should become */
  double known;           /* |P (b - A x)| of its last x if it has computed that; else infinite */
  struct pl_bands *bands; /* for the true residual; NULL: A itself */
  const struct pl_single *single; /* for starts in single precision; NULL: they are in double */
} pl_krylov;

enum { PL_KRYLOV_R, PL_KRYLOV_WORK, PL_KRYLOV_OWN }; /* vectors; the member's begin with OWN */

/* Takes the vectors, count of them in all. */
pl_status pl_krylov_create(pl_solver *common, const pl_bsr *A, int count, pl_error *error);
void pl_krylov_destroy(pl_solver *common);
pl_status pl_krylov_prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter,
                            pl_pool *pool, pl_error *error);

/* From the true residual in r until the recursion's is no longer than goal. PL_E_CONVERGENCE
 * without an error if the iterations are used up. */
typedef pl_status pl_krylov_iteration(pl_krylov *self, double goal, pl_error *error);

/* The solve of every Krylov solver, around its iteration. */
pl_status pl_krylov_solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter,
                          const double *b, double *x, double target, pl_pool *pool,
                          pl_solve_report *report, pl_krylov_iteration *iterate, pl_error *error);

/* The sum of the chunks' parts, in the order of the chunks. */
double pl_krylov_sum(const pl_krylov *self, int which);
/* r = P (b - A x), the true residual; returns |r|. */
double pl_krylov_residual(pl_krylov *self);
/* y = P A p, and returns p.y, for a p with p = P p. */
double pl_krylov_product(pl_krylov *self, const double *p, double *y);
/* z = B r. */
void pl_krylov_precondition(pl_krylov *self, const double *r, double *z);
/* Are the iterations used up, or the solve cancelled? */
int pl_krylov_spent(const pl_krylov *self);

/* Is a curvature p.Ap <= 0 negative, or nothing? The work vector is used. */
pl_status pl_krylov_fail_curvature(pl_krylov *self, const double *p, double curvature,
                                   pl_error *error);
/* The preconditioner is not positive definite, as r.Br shows, or not a number; the preconditioner
 * is notified. */
pl_status pl_krylov_fail_preconditioner(pl_krylov *self, double rz, pl_error *error);
pl_status pl_krylov_fail_diverged(const pl_krylov *self, pl_error *error);

/* A curvature this much below the largest is none. */
#define PL_KRYLOV_FLATNESS 1e-14

/* One start of conjugate gradients in single precision, from the true residual in r; x and p
 * have room for 4 floats per row. Sets aim to what it aimed at; single becomes NULL where that
 * precision does not do, and the solution is left as it was. */
pl_status pl_cg_single(pl_krylov *self, double goal, float *x, float *p);

/* Conjugate gradients, also for solvers that bring their own preconditioner. */
enum { PL_CG_VECTORS = PL_KRYLOV_OWN + 2 };
pl_krylov_iteration pl_cg_iterate;
pl_status pl_cg_create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error);
pl_status pl_cg_solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                      double *x, double target, pl_pool *pool, pl_solve_report *report,
                      pl_error *error);

#endif

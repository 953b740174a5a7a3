/* Generalised minimal residuals, for matrices that need not be symmetric or definite.
 *
 * Saad & Schultz 1986, preconditioned from the right (Saad 2003, algorithm 9.5), in the space that
 * the filter P leaves free: v_1 = r / |r|, w = P A B v_j made orthogonal to v_1 ... v_j (modified
 * Gram-Schmidt), v_{j+1} = w / |w|; rotations keep Hessenberg's matrix triangular, and the last
 * number of the turned right side is the true residual's length. After PL_GMRES_BASIS vectors x +=
 * B V y, and the method restarts from there. */
#ifndef PL_SPARSE_GMRES_H
#define PL_SPARSE_GMRES_H

#include "sparse/krylov.h"

enum { PL_GMRES_BASIS = 40 };

typedef struct pl_gmres {
  pl_krylov krylov;
  double *basis[PL_GMRES_BASIS + 1];
  double H[PL_GMRES_BASIS][PL_GMRES_BASIS + 1]; /* columns, turned */
  double cosine[PL_GMRES_BASIS], sine[PL_GMRES_BASIS], right[PL_GMRES_BASIS + 1];
} pl_gmres;

/* The state of a solver whose struct is a pl_gmres. */
pl_status pl_gmres_create(pl_solver *common, const pl_bsr *A, const double *values,
                          pl_error *error);
void pl_gmres_destroy(pl_solver *common);
pl_status pl_gmres_solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                         double *x, double target, pl_pool *pool, pl_solve_report *report,
                         pl_error *error);

#endif

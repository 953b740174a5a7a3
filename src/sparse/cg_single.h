/* What conjugate gradients in single precision do with a matrix and its vectors, whatever their
 * layout: z = B r, p = z + beta p, q = P A p, x += alpha p and r -= alpha q. */
#ifndef PL_SPARSE_CG_SINGLE_H
#define PL_SPARSE_CG_SINGLE_H

#include "sparse/krylov.h"
#include "sparse/multigrid.h"
#include "sparse/multigrid_kernel.h"

typedef struct pl_cg_single_work pl_cg_single_work;

typedef struct pl_cg_single_passes {
  /* r = scale b, x = 0, p = 0. */
  void (*start)(pl_cg_single_work *job, double scale);
  /* z = B r; returns r.z. */
  double (*precondition)(pl_cg_single_work *job);
  void (*turn)(pl_cg_single_work *job);
  /* Returns p.q. */
  double (*multiply)(pl_cg_single_work *job);
  /* Returns r.r. */
  double (*advance)(pl_cg_single_work *job);
  /* out += back x. */
  void (*finish)(pl_cg_single_work *job);
} pl_cg_single_passes;

struct pl_cg_single_work {
  const pl_cg_single_passes *passes;
  const pl_single *single;
  const pl_filter *filter;
  pl_pool *pool;
  const double *b;
  double scale, back, *out;
  float alpha, beta;
  double rz; /* of bands: known from the pass before */
  // of a multigrid hierarchy's finest level
  const pl_multigrid_vectors *kernel;
  pl_multigrid_level *level;
  float *x, *p;
};

/* Matrices of few diagonals (bands.h). */
extern const pl_cg_single_passes pl_cg_bands;

#endif

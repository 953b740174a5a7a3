/* Stiffness warping by vertices: a constant stiffness, turned with the neighbourhood of each node.
 *
 *   f_i = - R_i sum_j K_ij (R_i^T x_j - X_j)                 Mueller et al. 2002, eq. 12
 *   A_ij = R_i (kq K_ij + kv D_ij) R_i^T                      rotations held: section 3.2
 *
 * K is the stiffness at rest and D the viscous one, X are positions at rest. The sum of a row of K
 * is zero, so only neighbours j != i are kept, and edges stand for positions. Actions and reactions
 * differ by the difference of two nodes' rotations: A is not symmetric and the forces add up to a
 * small ghost force and torque. There is no energy behind them.
 *
 * With both rotations, f_i = - R_i sum_j K_ij (R_j^T x_j - X_j) (eq. 13), A is symmetric, but the
 * force depends on where the origin is. It is here to show that. So is one rotation for all nodes
 * (eq. 11; Terzopoulos, Witkin 1988), nearest to the sum of all nodes' correlations: A is symmetric
 * and the forces add up to nothing, but parts that turn otherwise than the whole swell as with
 * linear strain.
 *
 * Rotations come from the edges of a node, v = x_j - x_i now and u = X_j - X_i at rest:
 *   the rotation nearest to sum_j v w_j^T, where w_j = u (eqs. 14 and 15, by singular values; the
 *   sign rule that makes a reflection a rotation is in the polar decomposition), or w_j = the
 *   gradient that averages the deformation gradients of the elements around the node;
 *   or the frame of three fixed edges (eq. 16): e1 along their mean, e2 along e1 x one of them,
 *   e3 = e1 x e2. */
#ifndef PL_MODEL_FEM_WARP_H
#define PL_MODEL_FEM_WARP_H

#include "core/thread.h"
#include "math/lanes.h"
#include "sparse/moment.h"

/* What one row of the pattern keeps for its neighbours, four at a time. */
typedef struct pl_warp_batch {
  pl_lanes K[9], D[9];
  pl_lanes rest[3];     /* X_j - X_i */
  pl_lanes weight[3];   /* w_j */
  int nodes[PL_LANES];  /* j; the row itself where there are no more */
  int places[PL_LANES]; /* the block's place in the bound matrix, -1 for none */
} pl_warp_batch;

/* The three edges of a frame: to nodes[0], [1], [2]; e2 is taken with nodes[side]. */
typedef struct pl_warp_frame {
  int nodes[3], side;
  double rest[9];     /* N^T: its rows are e1, e2, e3 at rest */
  double edges[3][3]; /* at rest */
} pl_warp_frame;

typedef struct pl_warp {
  int rows, offset, blocks;
  int both, global, viscous;
  int crowded; /* the bound matrix has blocks in its rows that are not its own */
  int *start;  /* batches of row i: [start[i], start[i + 1]) */
  pl_warp_batch *batches;
  pl_warp_frame *frames; /* per row where rotations come from frames, else NULL */
  double *R;             /* rotations of the last pass, row-major */
  const struct pl_warp_kernel *kernel;
} pl_warp;

typedef struct pl_warp_def {
  const pl_bsr *K;
  const double *D;       /* values in the pattern of K, NULL: no viscosity */
  const double *X;       /* positions at rest */
  const double *weights; /* w_j, 3 per block of K; NULL: edges at rest */
  int frames, both, global;
} pl_warp_def;

pl_status pl_warp_create(const pl_allocator *allocator, const pl_warp_def *def, pl_warp *warp,
                         pl_error *error);
void pl_warp_destroy(const pl_allocator *allocator, pl_warp *warp);

/* Learns where its blocks stand in A. */
pl_status pl_warp_bind(pl_warp *warp, const pl_bsr *A, int offset, pl_error *error);

/* As in pl_model_ops. */
void pl_warp_evaluate(pl_warp *warp, const pl_moment *at, double *f, const pl_tangent *tangent,
                      pl_pool *pool);

/* Only R. */
void pl_warp_rotations(pl_warp *warp, const double *q, pl_pool *pool);

/* ---- for the hot file ---- */

typedef struct pl_warp_job {
  pl_warp *warp;
  const double *q, *v;
  double *f;
  pl_bsr *A;
  double kq, kv;
} pl_warp_job;

/* Work on rows [first, last). */
typedef struct pl_warp_kernel {
  void (*nearest)(const pl_warp_job *job, int first, int last); /* R nearest to sum_j v w_j^T */
  void (*frames)(const pl_warp_job *job, int first, int last);  /* R from frames              */
  void (*sums)(const pl_warp_job *job, int first, int last);    /* sum_j v w_j^T in place of R */
  void (*rows)(const pl_warp_job *job, int first, int last);    /* forces and blocks          */
} pl_warp_kernel;

extern const pl_warp_kernel pl_warp_kernel_base, pl_warp_kernel_avx2;

#endif

/* The loops of multigrid, over rows [first, last) of a level; compiled for the baseline and for
 * AVX2, with the same bits.
 *
 * Those with a product go over a chunk of rows, in two rounds: first (late 0) all chunks, then
 * (late 1) all chunks again, for the rows that had to wait for other chunks. */
#ifndef PL_SPARSE_MULTIGRID_KERNEL_H
#define PL_SPARSE_MULTIGRID_KERNEL_H

#include "core/cpu.h"
#include "sparse/multigrid.h"

/* Groups of a row of P that the loops have room for. */
enum { PL_MULTIGRID_MOST_NEAR = 48 };

/* The groups of a row of P: their places about their mean, and their radii. */
typedef struct pl_multigrid_motions {
  int count;
  double d[PL_MULTIGRID_MOST_NEAR][4], radius[PL_MULTIGRID_MOST_NEAR];
  double L[3][3]; /* L L^T = sum (d.d + radius^2) 1 - d d^T */
} pl_multigrid_motions;

/* out = x + a (x - previous) + b D^-1 (r - A x); previous NULL is zero, and may be out. Or, as a
 * residual, out = r - A x. */
typedef struct pl_multigrid_sweep {
  const float *r, *x, *previous;
  float *out;
  float a, b;
} pl_multigrid_sweep;

/* For rows of 3 and of 6 unknowns. */
typedef struct pl_multigrid_kernel {
  /* x = b D^-1 r. */
  void (*start)(const pl_multigrid_level *level, int first, int last, float b, const float *r,
                float *x);
  void (*sweep)(const pl_multigrid_level *level, int chunk, int late,
                const pl_multigrid_sweep *sweep);
  void (*residual)(const pl_multigrid_level *level, int chunk, int late,
                   const pl_multigrid_sweep *sweep);
  /* x += P e. */
  void (*prolong)(const pl_multigrid_level *level, int first, int last, const float *e, float *x);
  /* e = P^T t in the groups [first, last). */
  void (*restrict_to)(const pl_multigrid_level *level, int first, int last, const float *t,
                      float *e);

  /* P = T - omega D^-1 A T. */
  void (*smooth)(pl_multigrid_level *level, int first, int last, double omega);
  /* out = scale D^-1 A P on the pattern of P; zero in rows of more than MOST_NEAR groups. */
  void (*lower)(const pl_multigrid_level *level, int first, int last, double scale, float *out);
  /* Leaves of a row's change X of P what moves no rigid motion. */
  void (*keep)(const pl_multigrid_motions *motions, float *X);
  /* A P, times scale. */
  void (*multiply)(pl_multigrid_level *level, int first, int last, double scale);
  /* The blocks of P^T A P in the groups [first, last) whose column is not left of the diagonal,
   * and the copy of P in the order of the members. */
  void (*gather)(const pl_multigrid_level *level, int first, int last, pl_multigrid_level *coarse);
} pl_multigrid_kernel;

/* Conjugate gradients on the finest level, over rows [first, last); sums are in double precision.
 */
typedef struct pl_multigrid_vectors {
  /* The upper triangle of the matrix with these blocks, times a factor. */
  void (*load)(const pl_multigrid_level *level, int first, int last, const double *blocks,
               double factor);
  /* q = A p; returns the part of p.q of the rows that it has completed. */
  double (*product)(const pl_multigrid_level *level, int chunk, int late, const float *p, float *q);
  /* x += alpha p, r -= alpha q; returns their part of r.r. */
  double (*advance)(int first, int last, float alpha, const float *p, const float *q, float *x,
                    float *r);
  double (*dot)(int first, int last, const float *a, const float *b);
  /* p = z + beta p. */
  void (*turn)(int first, int last, float beta, const float *z, float *p);
} pl_multigrid_vectors;

PL_KERNEL_VARIANTS(pl_multigrid_vectors);

/* Nodes of sheets that turn, R by 9 for each row, column by column. */
typedef struct pl_multigrid_turning {
  /* H_k = sum (x_j - x_i) (X_j - X_i)_k over the neighbours, from where they were to where A says
   * that they are. */
  void (*moments)(const pl_bsr *A, const double *former, int row, double H[3][3]);
  /* t = R^T t. */
  void (*back)(int first, int last, const float *R, float *t);
  /* x += R y. */
  void (*add)(int first, int last, const float *R, const float *y, float *x);
} pl_multigrid_turning;

PL_KERNEL_VARIANTS(pl_multigrid_turning);

/* Dense triangles. */
typedef struct pl_multigrid_triangle {
  /* The factor of a symmetric matrix (its lower triangle) in place of it, and the factor's inverse
   * in place of that. A pivot that is lost in rounding is replaced by the diagonal's entry before
   * elimination, and a row that is zero stays so. */
  void (*invert)(pl_multigrid_dense *dense);
  /* out = W^T W in. */
  void (*apply)(const pl_multigrid_dense *dense);
} pl_multigrid_triangle;

PL_KERNEL_VARIANTS(pl_multigrid_triangle);

extern const pl_multigrid_kernel pl_multigrid_kernel_3_base, pl_multigrid_kernel_3_avx2;
extern const pl_multigrid_kernel pl_multigrid_kernel_6_base, pl_multigrid_kernel_6_avx2;

static inline const pl_multigrid_kernel *pl_multigrid_kernel_pick(int size)
{
  return size == 3 ? PL_PICK_VARIANT(&pl_multigrid_kernel_3)
                   : PL_PICK_VARIANT(&pl_multigrid_kernel_6);
}

#endif

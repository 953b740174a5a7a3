/* The loops of multigrid, over rows [first, last) of a level; compiled for the baseline and for
 * AVX2, with the same bits. */
#ifndef PL_SPARSE_MULTIGRID_KERNEL_H
#define PL_SPARSE_MULTIGRID_KERNEL_H

#include "core/cpu.h"
#include "sparse/multigrid.h"

/* out = x + a (x - previous) + b D^-1 (r - A x); previous NULL is zero, and may be out. */
typedef struct pl_grid_sweep {
  const float *r, *x, *previous;
  float *out;
  float a, b;
} pl_grid_sweep;

/* For rows of 3 and of 6 unknowns. */
typedef struct pl_grid_kernel {
  /* x = b D^-1 r. */
  void (*start)(const pl_grid_level *level, int first, int last, float b, const float *r, float *x);
  void (*sweep)(const pl_grid_level *level, int first, int last, const pl_grid_sweep *sweep);
  /* t = r - A x. */
  void (*residual)(const pl_grid_level *level, int first, int last, const float *r, const float *x,
                   float *t);
  /* x += P e. */
  void (*prolong)(const pl_grid_level *level, int first, int last, const float *e, float *x);
  /* e = P^T t in the groups [first, last). */
  void (*restrict_to)(const pl_grid_level *level, int first, int last, const float *t, float *e);

  /* P = T - omega D^-1 A T. */
  void (*smooth)(pl_grid_level *level, int first, int last, double omega);
  /* A P, times scale. */
  void (*multiply)(pl_grid_level *level, int first, int last, double scale);
  /* The blocks of P^T A P in the groups [first, last) whose column is not left of the diagonal,
   * and the copy of P in the order of the members. */
  void (*gather)(const pl_grid_level *level, int first, int last, pl_grid_level *coarse);
} pl_grid_kernel;

/* Conjugate gradients on the finest level, over rows [first, last); sums are in double precision.
 */
typedef struct pl_grid_vectors {
  /* q = A p; returns the rows' part of p.q. */
  double (*product)(const pl_grid_level *level, int first, int last, const float *p, float *q);
  /* x += alpha p, r -= alpha q; returns their part of r.r. */
  double (*advance)(int first, int last, float alpha, const float *p, const float *q, float *x,
                    float *r);
  double (*dot)(int first, int last, const float *a, const float *b);
  /* p = z + beta p. */
  void (*turn)(int first, int last, float beta, const float *z, float *p);
} pl_grid_vectors;

extern const pl_grid_vectors pl_grid_vectors_base, pl_grid_vectors_avx2;

static inline const pl_grid_vectors *pl_grid_vectors_pick(void)
{
  return PL_PICK_VARIANT(&pl_grid_vectors);
}

/* Dense triangles. */
typedef struct pl_grid_triangle {
  /* The factor of a symmetric matrix (its lower triangle) in place of it, and the factor's inverse
   * in place of that. A pivot that is lost in rounding is replaced by the diagonal's entry before
   * elimination, and a row that is zero stays so. */
  void (*invert)(pl_grid_dense *dense);
  /* out = W^T W in. */
  void (*apply)(const pl_grid_dense *dense);
} pl_grid_triangle;

extern const pl_grid_triangle pl_grid_triangle_base, pl_grid_triangle_avx2;

static inline const pl_grid_triangle *pl_grid_triangle_pick(void)
{
  return PL_PICK_VARIANT(&pl_grid_triangle);
}

extern const pl_grid_kernel pl_grid_kernel_3_base, pl_grid_kernel_3_avx2;
extern const pl_grid_kernel pl_grid_kernel_6_base, pl_grid_kernel_6_avx2;

static inline const pl_grid_kernel *pl_grid_kernel_pick(int size)
{
  return size == 3 ? PL_PICK_VARIANT(&pl_grid_kernel_3) : PL_PICK_VARIANT(&pl_grid_kernel_6);
}

#endif

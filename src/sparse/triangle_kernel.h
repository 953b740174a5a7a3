/* Sweeps over the lower and the upper half of a block matrix, row after row: A = L + D + U, with
 * values in A's pattern (A's own or a factor's) and B = D^-1 as blocks, column by column. They are
 * sequential by nature, so a pool has no part in them. */
#ifndef PL_SPARSE_TRIANGLE_KERNEL_H
#define PL_SPARSE_TRIANGLE_KERNEL_H

#include "core/cpu.h"
#include "sparse/bsr.h"

typedef struct pl_triangles {
  const pl_bsr *A; /* the pattern */
  const double *values, *blocks;
} pl_triangles;

/* One step of Eisenstat's iteration. */
typedef struct pl_triangle_step {
  double alpha;
  const double *t, *q;
  double *x, *r, *z;
} pl_triangle_step;

typedef struct pl_triangle_kernel {
  /* y = (D + L)^-1 r. */
  void (*forward)(const pl_triangles *M, const double *r, double *y);
  /* z = (D + U)^-1 D y; z may be y. */
  void (*backward)(const pl_triangles *M, const double *y, double *z);
  /* p = z + beta p, t = (D + U)^-1 p and u = U t = p - D t. */
  void (*ascend)(const pl_triangles *M, double beta, const double *z, double *p, double *t,
                 double *u);
  /* q = t + (D + L)^-1 u, which needs room y; returns p.q. */
  double (*descend)(const pl_triangles *M, const double *p, const double *t, const double *u,
                    double *y, double *q);
  /* x += alpha t, r -= alpha q, z = D r in rows [first, last); returns their part of r.z. */
  double (*advance)(const pl_triangles *M, int first, int last, const pl_triangle_step *step);
} pl_triangle_kernel;

extern const pl_triangle_kernel pl_triangle_kernel_base, pl_triangle_kernel_avx2;

static inline const pl_triangle_kernel *pl_triangle_kernel_pick(void)
{
  return PL_PICK_VARIANT(&pl_triangle_kernel);
}

#endif

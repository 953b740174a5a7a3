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
  const double *t, *y;
  double *x, *r;
} pl_triangle_step;

typedef struct pl_triangle_kernel {
  /* y = (D + L)^-1 r. */
  void (*forward)(const pl_triangles *M, const double *r, double *y);
  /* z = (D + U)^-1 D y; z may be y. */
  void (*backward)(const pl_triangles *M, const double *y, double *z);
  // the next three are for D = 1, and ask for no blocks; the first two of them read one double
  // beyond the end of their vectors
  /* p = r + beta p, t = (1 + U)^-1 p. */
  void (*ascend)(const pl_triangles *M, double beta, const double *r, double *p, double *t);
  /* y = (1 + L)^-1 (p - t); returns p.(t + y). */
  double (*descend)(const pl_triangles *M, const double *p, const double *t, double *y);
  /* x += alpha t, r -= alpha (t + y) in rows [first, last); returns their part of r.r. */
  double (*advance)(const pl_triangle_step *step, int first, int last);
} pl_triangle_kernel;

extern const pl_triangle_kernel pl_triangle_kernel_base, pl_triangle_kernel_avx2;

static inline const pl_triangle_kernel *pl_triangle_kernel_pick(void)
{
  return PL_PICK_VARIANT(&pl_triangle_kernel);
}

#endif

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

typedef struct pl_triangle_kernel {
  /* y = (D + L)^-1 r. */
  void (*forward)(const pl_triangles *M, const double *r, double *y);
  /* z = (D + U)^-1 D y; z may be y. */
  void (*backward)(const pl_triangles *M, const double *y, double *z);
} pl_triangle_kernel;

PL_KERNEL_VARIANTS(pl_triangle_kernel);

#endif

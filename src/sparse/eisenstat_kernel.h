/* The sweeps of Eisenstat's iteration over 1 + L and 1 + U, each half of the matrix in the order in
 * which its sweep passes, so that it streams. Vectors have four doubles for each row, the fourth of
 * which means nothing: a row is one store, which the next rows' loads need not wait for. */
#ifndef PL_SPARSE_EISENSTAT_KERNEL_H
#define PL_SPARSE_EISENSTAT_KERNEL_H

#include "core/cpu.h"
#include "sparse/bsr.h"

enum { PL_WIDE = 4 };

/* L, its rows from the first to the last, or U, from the last to the first; blocks of a row come
 * as the sweep has met their columns. */
typedef struct pl_half {
  int rows;
  const int *counts;    /* blocks of each row, in the order of the rows */
  const int *columns;   /* in the order of the sweep */
  const double *values; /* likewise; 9 for each block, and 1 more is read */
} pl_half;

/* A step along t. */
typedef struct pl_split_step {
  double alpha;
  const double *t, *y;
  double *x, *r;
} pl_split_step;

typedef struct pl_eisenstat_kernel {
  /* W_row^T A W_column for so many of the row's blocks, one after the other into C. All W are
   * lower triangular. One double more of A is read. */
  void (*scale)(const pl_bsr *A, int row, const int *blocks, int count, const double *W, double *C);
  /* p = r + beta p, t = (1 + U)^-1 p. */
  void (*ascend)(const pl_half *U, double beta, const double *r, double *p, double *t);
  /* y = (1 + L)^-1 (p - t); returns p.(t + y). */
  double (*descend)(const pl_half *L, const double *p, const double *t, double *y);
  /* x += alpha t, r -= alpha (t + y) in rows [first, last); returns their part of r.r. */
  double (*advance)(const pl_split_step *step, int first, int last);
} pl_eisenstat_kernel;

PL_KERNEL_VARIANTS(pl_eisenstat_kernel);

#endif

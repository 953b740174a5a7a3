/* The sweeps of Eisenstat's iteration over 1 + L and its transpose. L is there once, column by
 * column: the sweep with the transpose sums up a column against what it has found, from the last
 * to the first, the other one takes a column out of what comes behind it. Both stream through the
 * same numbers, so that what fits into a cache is read from memory once. Vectors have four doubles
 * for each row, the fourth of which means nothing: a row is one store, which the next rows' loads
 * need not wait for. */
#ifndef PL_SPARSE_EISENSTAT_KERNEL_H
#define PL_SPARSE_EISENSTAT_KERNEL_H

#include "core/cpu.h"
#include "sparse/bsr.h"

enum { PL_WIDE = 4 };

/* L's blocks below the diagonal, column by column, rows ascending. */
typedef struct pl_half {
  const int *start;     /* of each column, and the end of all */
  const int *rows;      /* of each block */
  const double *values; /* 9 for each block, column by column, and 1 more is read */
  const double *upper;  /* likewise of U^T: L's own values unless the matrix is not symmetric */
} pl_half;

/* The vectors of an iteration. */
typedef struct pl_split {
  double beta;
  const double *r;
  double *p, *t, *q;
} pl_split;

/* A step along t. */
typedef struct pl_split_step {
  double alpha;
  const double *t, *q;
  double *x, *r;
} pl_split_step;

typedef struct pl_eisenstat_kernel {
  /* W_row^T A W_column for the blocks A of a column of L, one after the other into C: source says
   * which of values each is. All W are lower triangular, row-major. One double more of W and of
   * values is read. */
  void (*scale)(const double *values, const int *source, const int *rows, int count,
                const double *W, int column, double *C);
  /* The same, where values are those of the blocks across the diagonal. */
  void (*scale_turned)(const double *values, const int *source, const int *rows, int count,
                       const double *W, int column, double *C);
  /* p = r + beta p, t = (1 + U)^-1 p, q = p - t in rows [first, last), from the last one on. What t
   * is behind them is known. */
  void (*ascend)(const pl_half *L, const pl_split *v, int first, int last);
  /* q = (1 + L)^-1 q, then q += t in these rows, from the first one on; what L has of them below is
   * taken out there. Returns the rows' part of p.q. */
  double (*descend)(const pl_half *L, const double *p, const double *t, double *q, int first,
                    int last);
  /* y += L x, the part of these columns. */
  void (*multiply)(const pl_half *L, const double *x, double *y, int first, int last);
  /* x += alpha t, r -= alpha q in rows [first, last); returns their part of r.r. */
  double (*advance)(const pl_split_step *step, int first, int last);
} pl_eisenstat_kernel;

PL_KERNEL_VARIANTS(pl_eisenstat_kernel);

#endif

/* The loops in which solvers spend their time, chunk by chunk; compiled for the baseline and for
 * AVX2, with the same bits. */
#ifndef PL_SPARSE_KERNEL_H
#define PL_SPARSE_KERNEL_H

#include "core/cpu.h"
#include "sparse/bsr.h"

/* One conjugate gradient step along p, with q = A p, and the preconditioner's blocks (9 doubles per
 * row, column by column), or NULL where it has none. */
typedef struct pl_advance {
  double alpha;
  const double *p, *q, *blocks;
  double *x, *r, *z;
} pl_advance;

/* The vectors of an iteration of bicgstab.c, named as there; blocks as above. */
typedef struct pl_bi_step {
  double alpha, omega, beta;
  const double *blocks, *first;
  double *x, *r, *p, *v, *s, *t, *y, *z;
} pl_bi_step;

typedef struct pl_sparse_kernel {
  /* y = A x in the rows of the chunk. */
  void (*multiply)(const pl_bsr *A, int chunk, const double *x, double *y);
  /* The same, and the chunk's part of x.y. */
  double (*multiply_dot)(const pl_bsr *A, int chunk, const double *x, double *y);
  /* z = B r in rows [first, last). */
  void (*precondition)(const double *blocks, int first, int last, const double *r, double *z);
  /* x += alpha p, r -= alpha q, z = B r in rows [first, last); parts[0] = r.r, parts[1] = r.z.
   * Without blocks z and r.z are left alone. */
  void (*advance)(const pl_advance *step, int first, int last, double *parts);
  /* parts[0] = a.b, parts[1] = a.c over rows [first, last). */
  void (*dots)(const double *a, const double *b, const double *c, int first, int last,
               double *parts);
  /* s = r - alpha v, z = B s; parts[0] = s.s. */
  void (*halve)(const pl_bi_step *step, int first, int last, double *parts);
  /* x += alpha y + omega z, r = s - omega t; parts[0] = r.r, parts[1] = first.r. */
  void (*stabilise)(const pl_bi_step *step, int first, int last, double *parts);
  /* p = r + beta (p - omega v), y = B p. */
  void (*redirect)(const pl_bi_step *step, int first, int last);
} pl_sparse_kernel;

PL_KERNEL_VARIANTS(pl_sparse_kernel);

#endif

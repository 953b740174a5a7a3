/* The inner loop of small_factor.c. */
#ifndef PL_SPARSE_SMALL_FACTOR_KERNEL_H
#define PL_SPARSE_SMALL_FACTOR_KERNEL_H

#include "core/cpu.h"

typedef struct pl_small_factor_kernel {
  /* C -= X T for every block X of a column and the block C of the same row in another one; rows
   * ascend, and those of X are among those of C. One double more of X is read, and of C. */
  void (*take_out)(const int *rows, const double *X, int count, const double *T, const int *to,
                   double *C);
} pl_small_factor_kernel;

PL_KERNEL_VARIANTS(pl_small_factor_kernel);

#endif

/* The dense loops of a complete factor A = L S L^T with S = +-1; compiled for the baseline and for
 * AVX2, with the same bits. Every number of a result is one sum in a fixed order, whatever the
 * sizes of the pieces that are worked on. Matrices are column by column; a kernel may read, but not
 * use, up to 7 numbers behind the last row of a matrix. */
#ifndef PL_SPARSE_FACTOR_KERNEL_H
#define PL_SPARSE_FACTOR_KERNEL_H

#include "core/cpu.h"

#include <stddef.h>

enum { PL_PANEL_WIDTH = 48 }; /* most columns of a panel */

typedef struct pl_factor_kernel {
  /* Packs rows [0, n) of B (n x k) times the signs of its columns for product. */
  void (*pack)(int n, int k, const double *B, size_t stride, const double *signs, double *packed);
  /* C = A packed^T; A is m x k, C is m x n with room for 8-fold rows and 4-fold columns. */
  void (*product)(int m, int n, int k, const double *A, size_t stride, const double *packed,
                  double *C, size_t c_stride);
  /* The factor of the width x width matrix at the top of a panel, in place; pivots and signs by
   * column. */
  void (*factorise)(double *panel, size_t stride, int width, double *pivots, double *signs);
  /* The rows [first, last) of the panel below it: X L^T S = panel, in place. */
  void (*finish)(double *panel, size_t stride, int width, const double *signs, int first, int last);
  /* x = L^-1 x in the panel's columns, then y = the rows below times x; y has room for 4-fold. */
  void (*forward)(const double *panel, size_t stride, int width, int height, double *x, double *y);
  /* x = L^-T (x - (rows below)^T y); y is zero up to its 4-fold. */
  void (*backward)(const double *panel, size_t stride, int width, int height, double *x,
                   const double *y);
} pl_factor_kernel;

PL_KERNEL_VARIANTS(pl_factor_kernel);

#endif

/* The loops of passes over vectors of blocks (3 doubles each), from block first up to last;
 * compiled for the baseline and for AVX2, with the same bits. */
#ifndef PL_SPARSE_PASSES_KERNEL_H
#define PL_SPARSE_PASSES_KERNEL_H

#include "core/cpu.h"

#include <stddef.h>

/* What a pass works on; mass has one number per block. */
typedef struct pl_pass {
  double a;
  const double *x, *mass, *other;
  double *y;
} pl_pass;

typedef struct pl_pass_kernel {
  /* y = x / m. */
  void (*divide)(const pl_pass *pass, size_t first, size_t last);
  /* y += a m g with g = other, the same at all blocks. */
  void (*weigh)(const pl_pass *pass, size_t first, size_t last);
  /* y += a m x. */
  void (*mass_add)(const pl_pass *pass, size_t first, size_t last);
  /* y = x + other. */
  void (*move)(const pl_pass *pass, size_t first, size_t last);
  /* The sum of m |x|^2. */
  double (*energy)(const pl_pass *pass, size_t first, size_t last);
  /* The sum of all x - x: zero, and not a number where an x is not finite. */
  double (*differences)(const pl_pass *pass, size_t first, size_t last);
} pl_pass_kernel;

PL_KERNEL_VARIANTS(pl_pass_kernel);

#endif

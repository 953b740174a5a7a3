/* What the processor can compute at most; compiled for the baseline and for AVX2. */
#ifndef PL_SPARSE_MEASURE_KERNEL_H
#define PL_SPARSE_MEASURE_KERNEL_H

#include "core/cpu.h"

/* Operations of one round: additions and multiplications, as many of each. */
enum { PL_FLOPS_PER_ROUND = 96 };

typedef struct pl_flops_kernel {
  /* So many rounds on numbers in registers; returns something that depends on all of them. */
  double (*run_double)(int rounds);
  double (*run_single)(int rounds); /* twice as many operations in a round */
} pl_flops_kernel;

PL_KERNEL_VARIANTS(pl_flops_kernel);

#endif

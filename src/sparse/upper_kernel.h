/* The loops of assembling what stands right of the diagonal (upper.h), over rows [first, last). */
#ifndef PL_SPARSE_UPPER_KERNEL_H
#define PL_SPARSE_UPPER_KERNEL_H

#include "core/cpu.h"
#include "sparse/bsr.h"

typedef struct pl_upper_kernel {
  void (*clear)(pl_bsr *A, int first, int last);
  /* mirror: by A's own numbers of blocks. */
  void (*finish)(pl_bsr *A, const int *mirror, int first, int last);
} pl_upper_kernel;

PL_KERNEL_VARIANTS(pl_upper_kernel);

#endif

/* The loops of explicit steps over the numbers [first, last) of vectors; compiled for the baseline
 * and for AVX2, with the same bits. */
#ifndef PL_ODE_EXPLICIT_KERNEL_H
#define PL_ODE_EXPLICIT_KERNEL_H

#include "core/cpu.h"

#include <stddef.h>

/* The vectors of explicit_newmark.c and verlet.c, named as there. */
typedef struct pl_explicit_step {
  double h;
  double *q, *v, *a, *f, *work, *own, *dq; /* q, dq may be NULL: not wanted */
} pl_explicit_step;

typedef struct pl_explicit_kernel {
  /* f = h (v + h/2 own), work = v + h own, q += f. */
  void (*predict)(const pl_explicit_step *step, size_t first, size_t last);
  /* The new acceleration (f + drag a) / (1 + drag) to a and own, its change to work, the old own
   * to f. */
  void (*accelerate)(const pl_explicit_step *step, double drag, size_t first, size_t last);
  /* v += h/2 (f + own). */
  void (*speed_up)(const pl_explicit_step *step, size_t first, size_t last);
  /* v += h/2 own, dq = h v. */
  void (*kick)(const pl_explicit_step *step, size_t first, size_t last);
} pl_explicit_kernel;

PL_KERNEL_VARIANTS(pl_explicit_kernel);

#endif

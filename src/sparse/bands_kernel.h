/* The loops over bands, for places [first, last) with first at a multiple of the lanes; compiled
 * for the baseline and for AVX2, with the same bits. Sums are in double precision. */
#ifndef PL_SPARSE_BANDS_KERNEL_H
#define PL_SPARSE_BANDS_KERNEL_H

#include "core/cpu.h"
#include "sparse/bands.h"

typedef struct pl_bands_kernel {
  /* The rows of A, and times a factor; returns the bands (bits) with blocks that are no multiples
   * of 1.
   */
  unsigned (*load)(pl_bands *bands, const pl_bsr *A, int first, int last, double factor);
  void (*load_inverse)(pl_bands *bands, const double *inverse, int first, int last, double factor);
  /* r = factor b, x = 0, p = 0, q = B r; returns r.q. */
  double (*start)(const pl_bands *bands, const double *b, int first, int last, double factor);
  /* q = A p; returns p.q. */
  double (*multiply)(const pl_bands *bands, int first, int last);
  /* x += alpha p, r -= alpha q, then q = B r; returns r.r, and r.q in rz. */
  double (*advance)(const pl_bands *bands, int first, int last, float alpha, double *rz);
  /* p = q + beta p. */
  void (*turn)(const pl_bands *bands, int first, int last, float beta);
  /* In double precision, of wide, for rows; other_y may be NULL. */
  void (*multiply_precise)(const pl_bands *bands, int first, int last, double *y, double *other_y);
} pl_bands_kernel;

PL_KERNEL_VARIANTS(pl_bands_kernel);

#endif

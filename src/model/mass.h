/* The mass of a body's nodes: lumped, or consistent with the shape functions. M has the same number
 * in the three directions, so one number per pair of nodes is kept. */
#ifndef PL_MODEL_MASS_H
#define PL_MODEL_MASS_H

#include "core/thread.h"
#include "sparse/bsr.h"

typedef struct pl_mass {
  int rows, offset; /* offset: number of the first row's block in the bound matrix */
  double *lumped;   /* row sums of M, kg per node; see mass.c for quadratic elements */
  double *weight;   /* row sums of a consistent M where they are not the lumped mass; else NULL */
  // the consistent matrix by rows, NULL if the mass is lumped; places: of its blocks once bound
  int *start, *columns, *places;
  double *values;
} pl_mass;

/* matrix fills size * size numbers, the mass matrix of one element. */
pl_status pl_mass_create(const pl_allocator *allocator, int rows, const pl_cliques *elements,
                         void (*matrix)(const void *context, int element, double *values),
                         const void *context, int consistent, pl_mass *mass, pl_error *error);
void pl_mass_destroy(const pl_allocator *allocator, pl_mass *mass);

/* Learns where its blocks stand in A. */
pl_status pl_mass_bind(const pl_allocator *allocator, pl_mass *mass, const pl_bsr *A, int offset,
                       pl_error *error);

/* f += a M x, and A += a M. */
void pl_mass_add(const pl_mass *mass, double a, const double *x, double *f, pl_pool *pool);
void pl_mass_matrix(const pl_mass *mass, double a, pl_bsr *A, pl_pool *pool);

#endif

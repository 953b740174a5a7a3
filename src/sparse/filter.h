/* Constraints on nodes as projections (Ascher & Boxerman's form of Baraff & Witkin's filter).
 *
 * At a constrained node only the part P x of a vector is free, P = P^T = P^2; the rest is
 * prescribed. A fixed node has P = 0, a node on a plane with normal n has P = I - n n^T.
 *
 * Where some of them depend on other nodes (links.h) the solvers still see P alone, for their
 * matrix is folded; whoever hands them vectors turns forces by E^T and motions by E = P + L. */
#ifndef PL_SPARSE_FILTER_H
#define PL_SPARSE_FILTER_H

#include "pliant/base.h"

#include <stdint.h>

typedef struct pl_filter {
  int count;
  const int *nodes;          /* ascending, each once */
  const double *projections; /* 9 per node, symmetric */
  const char *transient; /* per node: 1 for a contact, which may vanish next step, so no factor is
                            built around it; NULL: none is */
  uint64_t version;      /* another number whenever something has changed */
  const struct pl_links *links; /* what depends on other nodes; NULL: nothing */
  struct pl_mpcs *mpcs;         /* the rows that this comes from; NULL: there are none */
} pl_filter;

/* x = P x. NULL filters nothing, here and below. */
void pl_filter_apply(const pl_filter *filter, double *x);
/* r = E^T r, for forces and residuals; x = E x, for motions; both are P x without links. */
void pl_filter_force(const pl_filter *filter, double *r);
void pl_filter_motion(const pl_filter *filter, double *x);
/* x = y + E (x - y): puts the prescribed part of y into x, a motion. */
void pl_filter_prescribe(const pl_filter *filter, const double *y, double *x);

/* x = P x at the nodes in [first, last) only, for work in chunks. */
void pl_filter_apply_range(const pl_filter *filter, int first, int last, double *x);

/* The first entry of the filter whose node is not below node; count if there is none. */
int pl_filter_from(const pl_filter *filter, int node);

#endif

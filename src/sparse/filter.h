/* Constraints on nodes as projections (Ascher & Boxerman's form of Baraff & Witkin's filter).
 *
 * At a constrained node only the part P x of a vector is free, P = P^T = P^2; the rest is
 * prescribed. A fixed node has P = 0, a node on a plane with normal n has P = I - n n^T. */
#ifndef PL_SPARSE_FILTER_H
#define PL_SPARSE_FILTER_H

#include "pliant/base.h"

#include <stdint.h>

/* Nodes that move as one: at them only x = T u is free. */
typedef struct pl_rigid {
  int count;
  const int *nodes;    /* each once, in no filter and no other part */
  const double *basis; /* per node three rows of six numbers: T. Its columns over all nodes are
                          orthonormal, or zero where they are not used */
} pl_rigid;

typedef struct pl_filter {
  int count;
  const int *nodes;          /* ascending, each once */
  const double *projections; /* 9 per node, symmetric */
  const char *passing;       /* per node: will it be gone soon? NULL: none will */
  int rigid_count;           /* solvers want none of them: sparse/condense.h takes them out */
  const pl_rigid *rigids;
  uint64_t version; /* another number whenever something above has changed */
} pl_filter;

/* x = P x, and x = (I - P) y + P x (put the prescribed part of y into x). NULL filters nothing. Of
 * rigid parts nothing is prescribed. */
void pl_filter_apply(const pl_filter *filter, double *x);
void pl_filter_prescribe(const pl_filter *filter, const double *y, double *x);

/* x = P x at the nodes in [first, last) only, for work in chunks. */
void pl_filter_apply_range(const pl_filter *filter, int first, int last, double *x);

/* The first entry of the filter whose node is not below node; count if there is none. */
int pl_filter_from(const pl_filter *filter, int node);

#endif

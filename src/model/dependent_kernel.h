/* The loops over hanging nodes in explicit steps; compiled for the baseline and for AVX2, with the
 * same bits. Places in vectors are 3 times the number of a node or block.
 *
 * Most hanging nodes are the middle of an edge, (a + b) / 2, or of a face, (a + b + c + d) / 4.
 * Scaling by such weights is exact, so the weighted sum has the bits of the scaled one. */
#ifndef PL_MODEL_DEPENDENT_KERNEL_H
#define PL_MODEL_DEPENDENT_KERNEL_H

#include "core/cpu.h"

/* Nodes that are means of others: those in the middle of edges first, then of faces, then any. */
typedef struct pl_means {
  int count, edges, faces; /* nodes; of these 2 and 4 blocks at 1/2 and 1/4 */
  int *places, *blocks;    /* of nodes; of what each is a mean of, one after the other */
  int *others;             /* first entry of each of the other nodes, and the end */
  double *weights;         /* per entry */
} pl_means;

/* The other way round: the blocks that carry nodes, ascending, and the nodes of each. */
typedef struct pl_carrying {
  int count, *blocks;
  int *start, *nodes; /* places of the i-th one's nodes: [start[i], start[i + 1]), ascending */
  double *weights;
} pl_carrying;

typedef struct pl_dependent_kernel {
  /* Nodes first up to last: to = the mean of from. */
  void (*mean)(const pl_means *means, int first, int last, const double *from, double *to);
  /* Blocks first up to last: f += nodal. */
  void (*add)(int first, int last, const double *nodal, double *f);
  /* Entries from `entry` on whose blocks are below last: f += the weighted sum of their nodes. */
  void (*gather)(const pl_carrying *by, int entry, int last, const double *nodal, double *f);
} pl_dependent_kernel;

PL_KERNEL_VARIANTS(pl_dependent_kernel);

#endif

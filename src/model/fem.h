/* The inside of the finite-element model: what its hot kernels and its tests see.
 *
 * Elements stand in batches of PL_LANES. The gradients of an element's shape functions sum to zero,
 * so the last node's is not stored: F = sum_a (x_a - x_last) b_a^T over the other nodes, and the
 * last node's force and stiffness are minus the sum of the others'. Batches stand in chunks; chunks
 * of one colour share no node, so they may add to forces and blocks at the same time.
 *
 * An element's nodes ascend, and only blocks above the diagonal are summed from elements. When all
 * are there, each row is finished: blocks below the diagonal are the transposed ones above, and the
 * diagonal is minus the sum of the others, since moving all nodes alike gives no force. */
#ifndef PL_MODEL_FEM_H
#define PL_MODEL_FEM_H

#include "material/material.h"
#include "model/colour.h"
#include "model/mass.h"
#include "model/model.h"
#include "model/shape.h"

typedef struct pl_fem pl_fem;

/* One pass over the elements: what is given and what is wanted (NULL: not). */
typedef struct pl_fem_job {
  const pl_fem *fem;
  const double *q, *v;
  double *f;
  pl_bsr *A;
  double kq, kv;
  int semidefinite;
  double *sums;              /* energy of each chunk           */
  double *von_mises, *det_f; /* per element                    */
  const int *chunks;         /* the chunks of the colour in hand */
} pl_fem_job;

/* Work on the batches [first, last), or on these rows of the matrix. */
typedef struct pl_fem_kernel {
  void (*evaluate)(const pl_fem_job *job, int first, int last);
  double (*energy)(const pl_fem_job *job, int first, int last);
  void (*fields)(const pl_fem_job *job, int first, int last);
  void (*clear_rows)(const pl_fem_job *job, int first, int last);
  void (*finish_rows)(const pl_fem_job *job, int first, int last);
} pl_fem_kernel;

/* Tetrahedra and hexahedra, per instruction set. */
enum { PL_FEM_TET, PL_FEM_HEX, PL_FEM_KINDS };
extern const pl_fem_kernel pl_fem_kernels_base[PL_FEM_KINDS], pl_fem_kernels_avx2[PL_FEM_KINDS];

struct pl_fem {
  int nodes_per_element, points; /* quadrature points per element */
  int elements, batches;
  int *element_nodes; /* per element, for the pattern                            */
  int *nodes;         /* per batch [node][lane], ascending in each lane          */
  pl_lanes *rest;     /* per batch: lambda, mu, then weight and gradients of each point */
  // once bound, else NULL: where values of block (a,b), a < b, begin, per batch [pair][lane]; and
  // for each block below the diagonal of the body's rows where its transposed one begins, -1 for
  // none
  int *places, *mirror;
  int offset; /* number of the body's first row in the matrix */
  int viscous;
  double viscous_lambda, viscous_mu;
  const pl_point_ops *law;
  const pl_fem_kernel *kernel;
  int chunk_batches;
  pl_colours chunks;
  double *chunk_sums;
  pl_mass mass;
};

/* Lanes of rest data per batch: the two moduli and, for each point, the weight and the gradients.
 */
static inline size_t pl_fem_rest_size(int nodes_per_element, int points)
{
  return (size_t)(2 + points * (1 + 3 * (nodes_per_element - 1)));
}

#endif

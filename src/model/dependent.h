/* Dependent nodes: a model whose blocks are the nodes of a mesh, made one with fewer unknowns.
 *
 * A free node is a block of its own. The nodes of a rigid part are carried by two blocks, a
 * rotation R and a point p: x_i = p + R (X_i - P), where P is the part's hinge, or its mass centre
 * where it has none. A hanging node is a mean of others, x_h = sum w_j x_j with sum w_j = 1; these
 * may hang themselves, and are replaced until only free nodes and rigid parts are left.
 *
 * So every node is x = sum_k (w_k q_k + R_k a_k) over a few blocks, with a weight for a point and
 * an arm for a rotation, and moves by x' = T v, T = [w 1] and [-hat(R a)]. Then x'' = T v' + c with
 * c = sum_k w_k x (w_k x R_k a_k) (w_k: angular velocity), and M x'' = f becomes
 *
 *   T^T M T v' = T^T (f - M c).
 *
 * Its matrix is T^T K T, and for a force F on a node, which turns with an arm r = R a, that of the
 * second derivative: (F . r) 1 - (F r^T + r F^T) / 2 at the diagonal block of the rotation
 * (Shabana, Dynamics of Multibody Systems, 3.4; sign: K = -df/dq). It may be indefinite and is left
 * out where a semidefinite matrix is wanted, as is always the slope of c and that of T v.
 *
 * Explicit methods take a lumped mass: that of a hanging node goes to its carriers by their
 * weights.
 *
 * averaged: the rule printed in Zhuang & Canny 2000, section 5. Hanging nodes follow, and nothing
 * else: T^T f leaves out their rows. Momentum is lost, 14 % of the mass of the mesh of 727 elements
 * is missing, and the operator is unsymmetric with growing modes. Kept for comparison only; the
 * matrix stays T^T K T, so Newton's method takes it for an approximation. */
#ifndef PL_MODEL_DEPENDENT_H
#define PL_MODEL_DEPENDENT_H

#include "model/dependent_kernel.h"
#include "model/nearest.h"

enum { PL_MOST_DEPENDENT_CARRIERS = 80 }; /* blocks that carry one node */

/* Nodes that move as one body. */
typedef struct pl_rigid_part {
  int count, *nodes;
  int slot;                  /* of its id; copied, of no meaning here  */
  int hinged;                /* the centre stays where it is in space  */
  double centre[3], axis[3]; /* axis: it turns about that only, length 1; 0 0 0: any way */
} pl_rigid_part;

/* A node that is a mean of others. */
typedef struct pl_hanging {
  int node, count, *parents; /* its part of those of all */
  double *weights;
} pl_hanging;

typedef struct pl_ties {
  int part_count, hanging_count;
  pl_rigid_part *parts;
  pl_hanging *hanging;
  int *parents; /* of all hanging nodes, one after the other */
  double *weights;
  int averaged; /* hanging nodes only follow: their forces and mass are lost (a baseline) */
} pl_ties;

/* Room for so many hanging nodes with so many parents in all; what is there is the caller's to
 * release, also where this fails. */
pl_status pl_ties_reserve(const pl_allocator *allocator, pl_ties *ties, int hanging, size_t parents,
                          pl_error *error);
/* The next hanging node, with room for its parents. */
pl_hanging *pl_ties_append(pl_ties *ties, int node, int count);
void pl_ties_release(const pl_allocator *allocator, pl_ties *ties);
pl_status pl_ties_copy(const pl_allocator *allocator, const pl_ties *from, pl_ties *to,
                       pl_error *error);

/* The model of nodes that ties make dependent; its blocks are the free nodes in their order, then
 * two for each rigid part. inner belongs to it, and is destroyed where this fails. names: the
 * number of each node in messages, NULL: its own. */
pl_status pl_dependent_create(const pl_allocator *allocator, pl_model *inner, int nodes,
                              const pl_ties *ties, const int *names, pl_model **out,
                              pl_error *error);

/* Lets the inner model be one of fewer elements than the mesh has: what is asked for each element
 * is that of element_of[element]. The inner model's mesh and element_of are the model's from now
 * on, also where this fails. */
pl_status pl_dependent_take_leaves(pl_model *model, pl_mesh *mesh, int *element_of, int elements,
                                   pl_error *error);
/* Per element of that mesh, as in pl_model_ops. */
void pl_dependent_leaf_tensors(pl_model *model, const double *q, double *F, double *stress,
                               pl_pool *pool);

/* ---- its inside ---- */

/* Elements of the mesh that share an element of the inner model. */
typedef struct pl_leaf_map {
  pl_mesh *mesh; /* the inner model's; NULL: it has the mesh's elements */
  int *element_of, elements;
  double *room; /* 18 numbers per element of the inner one */
} pl_leaf_map;

/* What carries each node: entries [start[n], start[n + 1]). */
typedef struct pl_carried {
  int *start, *blocks;
  double *weights; /* of points; 0 at rotations */
  double *arms;    /* 3 per entry, at rest; 0 at points */
} pl_carried;

/* A rigid part with its lumped mass. */
typedef struct pl_part_body {
  pl_part_hinge hinge;
  double P[3], axis[3], mass;
  double inertia[9], rest_inverse[9]; /* about P at rest */
  double inverse[9];                  /* of the inertia as settled */
} pl_part_body;

/* Of the two entries that a node has with a part that of the rotation comes first. */
typedef struct pl_node_list {
  int *list, count;
} pl_node_list;

typedef struct pl_dependent {
  pl_model_ops ops;
  pl_model *inner;
  int nodes, free;     /* free: so many nodes, and the first blocks */
  pl_node_list others; /* the nodes that are no blocks, ascending */
  pl_node_list felt;   /* those of them that the inner model's elements have */
  pl_carrying felt_by; /* what carries these; without rigid parts only, as the next */
  pl_means means;      /* these as means of blocks */
  pl_leaf_map leaves;
  int part_count;
  pl_part_body *parts;
  double *R; /* room for their rotations, 9 numbers each */
  pl_ties ties;
  pl_carried carried;
  double *arms, *arms_now; /* turned by the settled q, and by another one at hand */
  double *rest, *lumped;   /* per block */
  unsigned char *kinds;
  int *anchors, *node_block;
  pl_block_hold *holds;
  struct pl_dependent_cliques { /* the inner ones', repeated to one size */
    int size, *blocks;
  } cliques;
  // once bound
  pl_bsr *K;
  double *mass; /* per block of K */
  int lumped_only, offset, *places;
  size_t *row_places;        /* per node */
  struct pl_dependent_room { /* 3 numbers per node */
    double *x, *speed, *force;
  } room;
} pl_dependent;

/* Is this entry with a rotation? */
static inline int pl_dependent_turns(const pl_dependent *at, int entry)
{
  int block = at->carried.blocks[entry];
  return block >= at->free && (block - at->free) % 2 == 0;
}

/* Passes over nodes (dependent_passes.c): the positions of free nodes and those of a list; out =
 * T v; f += T^T nodal with the settled arms for the nodes that elements have; the same for all
 * nodes. */
void pl_dependent_place(const pl_dependent *at, pl_node_list those, const double *q,
                        const double *arms, double *out, pl_pool *pool);
void pl_dependent_move(const pl_dependent *at, pl_node_list those, const double *v,
                       const double *arms, double *out, pl_pool *pool);
void pl_dependent_gather(const pl_dependent *at, const double *nodal, double *f, pl_pool *pool);
/* Are free nodes the first ones, and forces summed by the blocks that carry nodes? Then what goes
 * by free nodes can be deferred. */
int pl_dependent_is_ranges(const pl_dependent *at);
/* Is the model such a one? Then its forces without a matrix settle a pool that gathers, and end
 * with a pass over f. */
int pl_dependent_defers(const pl_model *model);
/* nodal = 0, by free nodes as all else. */
void pl_dependent_clear(const pl_dependent *at, double *nodal, pl_pool *pool);
void pl_dependent_spread(const pl_dependent *at, const double *nodal, const double *arms,
                         double *f);
pl_status pl_dependent_find_carriers(pl_model *self, pl_dependent *to, pl_error *error);

/* The nodes that inner elements have where the blocks are at q; read until the next call. */
const double *pl_dependent_at(const pl_dependent *at, const double *q);

/* As in pl_model_ops. */
void pl_dependent_fields(pl_model *self, const double *q, double *von_mises, double *det_f,
                         pl_pool *pool);
void pl_dependent_strains(pl_model *self, const double *q, double *strain, double *energies,
                          pl_pool *pool);
void pl_dependent_tensors(pl_model *self, const double *q, double *F, double *stress,
                          pl_pool *pool);

pl_status pl_dependent_mark_fast(pl_model *self, double h, double square, unsigned char *marks,
                                 double bounds[2], pl_error *error);
pl_status pl_dependent_select(pl_model *self, unsigned char *marks, pl_error *error);

/* Finds blocks and carriers. */
pl_status pl_dependent_resolve(pl_model *self, pl_dependent *to, const int *names, pl_error *error);

/* Mass, mass centre and inertia of blocks and parts; arms are counted from P from now on. */
pl_status pl_dependent_lump(pl_dependent *to, const int *names, pl_error *error);

/* Arms turned as in q; moments of inertia as well. */
void pl_dependent_turn(const pl_dependent *at, const double *q, double *arms);
void pl_dependent_update_mass(pl_model *self, const double *q);

void pl_dependent_mass_inverse(const pl_model *self, const double *y, double *x);
void pl_dependent_fit(const pl_model *self, const double *x, const double *speed, double *q,
                      double *v);

/* Finds the places of T^T K T in A, and A += T^T (K or a M) T. */
pl_status pl_dependent_bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error);
void pl_dependent_add_stiffness(const pl_dependent *from, pl_bsr *A, pl_pool *pool);
void pl_dependent_add_mass(const pl_dependent *from, double a, pl_bsr *A);

#endif

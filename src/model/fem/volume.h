/* Groups of points that share a volume, the cure for locking of nearly incompressible bodies.
 *
 * The energy of a law is split: W = W0(F) + kappa/2 theta^2, with theta = J - 1 or tr E and kappa
 * the modulus of volume (pl_material_volume). A group g has weights m_gq on points q, so that
 * sum_g m_gq is the weight w_q of the point, V_g = sum_q m_gq and theta_g = sum_q m_gq theta_q /
 * V_g. The body's energy is
 *
 *   sum_q w_q W0(F_q) + sum_g V_g kappa/2 theta_g^2
 *
 * so that points feel the pressure p_q = sum_g m_gq kappa theta_g / w_q (positive in tension),
 *
 *   P = dW0/dF + p dtheta/dF          K = K0(p) + sum_g kappa/V_g r_g r_g^T
 *
 * with r_g = sum_q m_gq dtheta/dF : B_q; since the term is quadratic, the energy of a point is
 * W0 + p theta / 2. Groups are elements (mean dilatation: Nagtegaal, Parks, Rice 1974; Simo,
 * Taylor, Pister 1985), the eight of an octet (de Souza Neto et al. 2005), or the quarters of the
 * tetrahedra around each node (average nodal pressure: Bonet, Burton 1998; Joldes et al. 2009).
 *
 * Newton's matrix takes for K0(p) the pressure that the last linearisation predicts,
 * p = kappa (theta' + r' . dq / V) with theta' and r' of the matrix before, while forces have the
 * true one: with that, full increments converge in a few iterations also near nu = 0.5, where the
 * true pressure of an iterate is far off. A substep begins without a prediction. */
#ifndef PL_MODEL_FEM_VOLUME_H
#define PL_MODEL_FEM_VOLUME_H

#include "core/thread.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "sparse/bsr.h"

/* The words of the parameter "volume". */
typedef enum pl_volume_kind {
  PL_VOLUME_AUTO,
  PL_VOLUME_POINT,
  PL_VOLUME_ELEMENT,
  PL_VOLUME_PATCH,
  PL_VOLUME_NODE
} pl_volume_kind;
#define PL_VOLUME_WORDS "auto|point|element|patch|node"

/* Above this Poisson's ratio, auto lets points share their volume. */
#define PL_VOLUME_LIMIT 0.45

typedef struct pl_fem_volume {
  pl_volume_kind kind; /* PL_VOLUME_POINT: nothing is shared */
  int predicts, begun; /* is there a prediction, and of which substep */
  pl_lanes *kappa;     /* per batch, Pa; 0: the element has its volume for itself */
  pl_lanes *linear;    /* per batch: theta = linear[0] + sum of linear[1 + k] edges[k] */
  pl_lanes *theta;     /* per batch: means of elements; of groups that are larger: */
  pl_lanes *predicted; /* theta by the last linearisation */
  pl_lanes *pressure;  /* p, and the predicted one */
  pl_lanes *geometric;
  // groups of several elements: members of group g stand from starts[g] on
  int groups, max_nodes;
  int *starts, *members;      /* members: places (batch and lane) */
  double share;               /* m_gq / w_q */
  double *sizes, *moduli;     /* V_g and kappa of each group */
  int *node_starts, *nodes;   /* the nodes of each group, ascending */
  int *locals;                /* per member: the places of its four nodes among these */
  int *pairs, pair_count;     /* node pairs that are coupled: cliques of two */
  int *place_starts, *places; /* once bound: places of the blocks of a group's pairs */
  double *work;               /* 3 numbers per node of a group */
} pl_fem_volume;

struct pl_model;
typedef struct pl_fem pl_fem;
typedef struct pl_fem_job pl_fem_job;

/* Chooses the modulus that each element shares; to be called when elements and groups of laws are
 * there. mix: part of kappa, in units of mu, that stays at the points. */
pl_status pl_volume_create(struct pl_model *self, pl_fem *fem, int kind, double mix,
                           pl_error *error);
void pl_volume_destroy(const pl_allocator *allocator, pl_fem_volume *volume);

/* Learns where the blocks of the groups stand. */
pl_status pl_volume_bind(struct pl_model *self, pl_fem *fem, const pl_bsr *A, pl_error *error);

/* Pressures of a pass, from the mean theta of each element; to be called before it. */
void pl_volume_share(pl_fem *fem, pl_fem_job *job, pl_pool *pool);

/* Adds what groups of several elements couple, above the diagonal; between the pass and
 * pl_upper_finish. */
void pl_volume_couple(pl_fem *fem, const pl_fem_job *job);

#endif

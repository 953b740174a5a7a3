/* A body whose mesh is refined in places while it moves.
 *
 * The body's mesh is the finest one, at all times: its nodes and surface are what is drawn,
 * touched, fixed and loaded. Its model has the leaves of a forest (mesh/refine.h) as elements, and
 * as blocks the nodes of leaves that do not hang; all other nodes are means of two parents, by the
 * same mechanism as hanging nodes (model/dependent.h): x = T q, f = T^T f_nodes, with rows of T
 * that sum to 1. So a change of the forest is another model in the place of the old one
 * (world/replace.h).
 *
 * Source: M. Hauth, "Visual simulation of deformable models", 2004, 3.1.2 and 5.3.4. */
#ifndef PL_BODY_REFINEMENT_H
#define PL_BODY_REFINEMENT_H

#include "core/family.h"
#include "mesh/refine.h"
#include "model/dependent.h"
#include "pliant/body.h"

enum { PL_MOST_REFINE_LEVELS = 6 };

typedef struct pl_refinement {
  pl_mesh *coarse; /* as given */
  pl_forest *forest;
  int *node;   /* of each node of the forest: the body's, inside */
  int *tet_of; /* of each element, inside: the tetrahedron of the forest that it is */
  int *finest; /* of each tetrahedron of the forest: one of its finest elements, inside */
  int levels;
  pl_selection indicator; /* no member: by hand only */
  double above, below;
  int wait;
  int64_t changed_at;         /* the step of the last change, which is part of the state */
  int refused;                /* something that acts on the body could not follow: said once */
  int64_t refined, coarsened; /* so many tetrahedra since the start */
  double kinetic_loss;        /* J, of all changes together */
} pl_refinement;

/* The leaves as a model's mesh, in the body's inside nodes. */
typedef struct pl_leaves {
  pl_mesh *mesh;
  int *element_of; /* of each element of the body, inside: the leaf */
  int *from;       /* of each leaf: one of its elements in the body's own mesh */
  pl_ties ties;
} pl_leaves;

/* Makes a forest of the def's mesh, refined everywhere, and of that the body's mesh. */
pl_status pl_refinement_make(const pl_allocator *allocator, const pl_body_def *def,
                             pl_refinement **out, pl_mesh **finest, pl_error *error);
void pl_refinement_destroy(const pl_allocator *allocator, pl_refinement *refinement);

/* Once the body has its numbers: finds nodes and elements, takes the refinement back to the level
 * that the body starts with. */
struct pl_body;
pl_status pl_refinement_number(const pl_allocator *allocator, const pl_body_def *def,
                               struct pl_body *body, pl_error *error);
/* Is the model one that can be refined? */
pl_status pl_refinement_check(const struct pl_body *body, pl_error *error);

pl_status pl_refinement_leaves(const pl_allocator *allocator, const struct pl_body *body,
                               pl_leaves *leaves, pl_error *error);
void pl_leaves_release(const pl_allocator *allocator, pl_leaves *leaves);

/* The leaf that an element of the body belongs to, as a tetrahedron of the forest. */
int pl_refinement_leaf(const pl_refinement *refinement, int element);

#endif

/* A body: a mesh, a model of it, and the ways between the mesh's numbering and the world's.
 *
 * Inside, every body's nodes are renumbered for locality; node numbers at the border of the library
 * are the mesh's. Bodies stand side by side in one q, one v and one matrix: body b has the blocks
 * [offset, offset + blocks). */
#ifndef PL_BODY_BODY_H
#define PL_BODY_BODY_H

#include "body/composition.h"
#include "body/refinement.h"
#include "mesh/embed.h"
#include "model/cloth/tailor.h"
#include "model/dependent.h"
#include "pliant/world.h"
#include "sparse/moment.h"

#define PL_COOKIE 0x506c6961u /* in def structs made by their _default() */

pl_status pl_check_cookie(uint32_t cookie, const char *what, pl_error *error);

typedef struct pl_body {
  char *name;
  uint32_t generation; /* of its id */
  int slot;
  pl_mesh *mesh;      /* as given                                            */
  pl_mesh *inside;    /* the same, renumbered: the model's; see pl_body_element */
  int *order, *place; /* order[inside node] = mesh node; place[mesh node] = inside node */
  int *element_order; /* element_order[inside element] = mesh element     */
  pl_model *model;
  pl_selection model_part, law; /* what was chosen for it                         */
  pl_material_def material;     /* as given; the law stands above                 */
  pl_composition composition;   /* where it is made of something else             */
  double mass_damping;
  double *penalty;        /* N/m per inside node where nodes are carried: see couple/penalty.h */
  int offset, blocks;     /* its part of q and v, in blocks */
  double *memory;         /* what its laws remember, in the state */
  size_t memory_count;    /* as many numbers as the model said */
  double *rest;           /* rest positions of the nodes: those of `inside` */
  double *nodal;          /* room for 3 x 3 numbers per node where the blocks are not the nodes */
  pl_mesh *surface;       /* finer triangles that follow the body, NULL: none */
  pl_embed *embed;        /* and how, in the mesh's numbering */
  unsigned char *rigid;   /* per inside element: part of something rigid; NULL: none is */
  pl_ties ties;           /* rigid parts and hanging nodes, inside numbers */
  struct pl_given_sites { /* places given for the model */
    double *at;           /* 3 numbers each */
    int count, inserted;  /* of those the last were put in later */
    double *reach, *idle; /* of those: m; since when each is of no use, s */
    double insert_reach;  /* frames are put in where the body touches something; 0: no */
    int *owner;           /* per inside node 1 + the site that it goes with alone; NULL: none */
  } sites;
  struct pl_meeting_rule {  /* whom it may touch */
    uint32_t groups, meets; /* bits: of its own, of others; 0: all */
    int itself;
  } contact;
  pl_refinement *refinement;   /* of its mesh while it moves; NULL: none */
  struct pl_single_particles { /* of a grid, that differ from the others; inside nodes */
    pl_particle *list;
    int count;
  } particles;
  pl_tailoring tailoring; /* of a sheet */
} pl_body;

/* All bodies of a world. */
typedef struct pl_bodies {
  const pl_allocator *allocator;
  const pl_log *log;
  pl_pool *pool;
  struct pl_watch *watch; /* asked while a computation takes long; NULL: nobody */
  const pl_store *store;  /* of what takes long to compute; NULL: none */
  struct pl_ranks *ranks; /* that compute them together; NULL: only this process */
  pl_body *list;
  size_t count, room;
  int blocks; /* of all together */
  int lumps;  /* the integrator divides forces by the lumped mass */
} pl_bodies;

/* Builds a body from its def, but for its place in the state (offset). What was made until an error
 * is released by pl_body_release. */
pl_status pl_body_make(const pl_bodies *bodies, const pl_body_def *def, pl_body *body,
                       pl_error *error);
void pl_body_release(const pl_allocator *allocator, pl_body *body);

/* The start: rest positions, and the velocity of a rigid motion about the mass centre. q and v
 * start at the body's first block. */
void pl_body_start(const pl_body *body, const double velocity[3], const double spin[3], double *q,
                   double *v);
/* The velocities alone, about the mass centre of where q is. */
void pl_body_spin(const pl_body *body, const double velocity[3], const double spin[3],
                  const double *q, double *v);
/* Turns and moves nodes as the def says of its mesh. */
void pl_body_place_nodes(const pl_body_def *def, int count, double *nodes);
/* Where the def lets the nodes start, in the mesh's order, m; *x is NULL where that is at rest. The
 * caller frees it. Refuses shapes with elements inside out, and bodies of frames. */
pl_status pl_body_start_shape(const pl_allocator *allocator, const pl_body_def *def,
                              const pl_body *body, double **x, pl_error *error);

/* Checks a material and its law; keeps them in the body, for those who ask or change them later. */
pl_status pl_material_check(const pl_material_def *def, pl_selection *law, pl_material *material,
                            pl_error *error);
/* The second half of that: of numbers that were checked. */
pl_status pl_material_make(const pl_material_def *def, const pl_selection *law,
                           pl_material *material, pl_error *error);
/* The axes of a material at a point of the rest shape. */
void pl_orientation_axes(const pl_orientation *orientation, const double at[3], double axes[9]);
/* Those of an element of the mesh, at its middle where they depend on the place; x, y and z on
 * failure, where the mesh should have them and does not. */
pl_status pl_orientation_in(const pl_orientation *orientation, const pl_mesh *mesh, int element,
                            double axes[9], pl_error *error);
/* Modifiers and axes of a material whose law is made; the axes are those at the origin. */
pl_status pl_material_add_layers(const pl_material_def *def, pl_material *material,
                                 pl_error *error);
/* The body's model, with a material for all of it that its composition does not know better. */
pl_status pl_body_build(const pl_allocator *allocator, const pl_body *body,
                        const pl_material_def *def, const pl_material *material,
                        const pl_model_def *sites, pl_model **model, pl_error *error);
void pl_body_remember(pl_body *body, const pl_material_def *def, const pl_selection *law);
/* What a model is given beside mesh and material. */
pl_model_def pl_body_sites(const pl_bodies *bodies, const pl_body *body);

/* The nodes' positions (or velocities, if v is not NULL) from those of the body's blocks: these
 * themselves where the blocks are the nodes, else what the model makes of them in body->nodal. */
const double *pl_body_nodes(const pl_body *body, const double *q, const double *v);

/* The nodes of an inside element, at most 8: those of `inside`, or found in room where it has lost
 * its elements: bodies whose model is divided over ranks drop them once it is built, and recall
 * them where it is built again. */
const int *pl_body_element(const pl_body *body, int element, int room[8]);
void pl_body_drop_elements(const pl_body *body);
pl_status pl_body_recall_elements(const pl_body *body, pl_error *error);

/* Three numbers per node from the body's order to the mesh's. */
void pl_body_to_mesh(const pl_body *body, const double *inside, double *out);

/* Where a node is (x may be NULL) and how it moves with the blocks that carry it, of which it may
 * be one itself: 9 numbers each, at most PL_MOST_CARRIERS. */
enum { PL_MOST_CARRIERS = 640 };
int pl_body_jacobian(const pl_body *body, const double *q, const int *node, const int **blocks,
                     double *x, double *J);
/* The matrix += J^T D J over such blocks, which are counted from offset on. */
void pl_add_carried(const pl_tangent *to, int offset, int count, const int *blocks, const double *J,
                    const double D[9]);

/* The diagonal of the box around the mesh at rest, m. */
double pl_body_size(const pl_body *body);

/* Before its mass is asked for: the mass is that at q. */
static inline void pl_body_update_mass(const pl_body *body, const double *q)
{
  if (body->model->ops->update_mass) body->model->ops->update_mass(body->model, q);
}

/* The inside node that a block is held with. */
static inline int pl_body_anchor(const pl_body *body, int block)
{
  int last = body->mesh->node_count - 1;
  return body->model->anchors ? body->model->anchors[block] : block < last ? block : last;
}

/* Hanging nodes as given in def; and ties and rigid as they are with one rigid part more (elements
 * with all nodes in the regions) or less: the body's own stay as they are. */
pl_status pl_ties_hang(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                       pl_error *error);
pl_status pl_ties_add_part(const pl_allocator *allocator, const pl_body *body,
                           const pl_rigid_def *def, pl_ties *ties, unsigned char **rigid,
                           pl_error *error);
pl_status pl_ties_remove_part(const pl_allocator *allocator, const pl_body *body, int part,
                              pl_ties *ties, unsigned char **rigid, pl_error *error);
/* How many elements belong to a part; marks them in rigid (NULL: does not). */
int pl_ties_mark_part(const pl_body *body, const pl_rigid_part *part, unsigned char *rigid);

/* The blocks of the chosen inside nodes, ascending: as many as nodes at most. Nodes of rigid parts
 * cannot be held; a hanging node is, if all that it hangs on is chosen as well. */
pl_status pl_body_held_blocks(const pl_body *body, const unsigned char *chosen, int *list,
                              int *count, pl_error *error);

/* How many elements its model has. */
static inline int pl_body_elements(const pl_body *body)
{
  if (!body->refinement) return body->mesh->element_count;
  return ((const pl_dependent *)body->model->state)->leaves.mesh->element_count;
}

/* The body that a block of the world belongs to. */
const pl_body *pl_bodies_owner(const pl_bodies *bodies, int block);

/* Why nothing was selected: no region was given, or it holds no `what`. */
pl_status pl_body_refuse_region(const pl_body *body, const char *what, int where_count,
                                pl_error *error);

/* Inside numbers of the nodes in the regions, ascending; or (as_blocks) of the blocks that are held
 * with them. Selecting none is an error. *list is the caller's to free. */
pl_status pl_body_select(const pl_bodies *bodies, const pl_body *body, const pl_selector *where,
                         int where_count, int as_blocks, int **list, int *count, pl_error *error);

/* Does mass damping act on deformation only? Not where blocks rotate or frames carry the body. */
static inline int pl_body_spares_rigid_motion(const pl_body *body)
{
  return body->material.spares_rigid_motion && !body->model->frame_count &&
         !pl_model_has_rotations(body->model);
}

#endif

/* Deformable models: what a body is made of. A model supplies force, stiffness and mass; it knows
 * nothing of time steps, files or other bodies. */
#ifndef PL_MODEL_MODEL_H
#define PL_MODEL_MODEL_H

#include "core/family.h"
#include "core/thread.h"
#include "mesh/mesh.h"
#include "model/groups.h"
#include "pliant/body.h"
#include "sparse/moment.h"

#include <stdint.h>

typedef struct pl_model pl_model;

#define PL_MODELS(X)                                                                               \
  X(fem)                                                                                           \
  X(springs)                                                                                       \
  X(cloth)                                                                                         \
  X(rod)                                                                                           \
  X(frames)                                                                                        \
  X(rigid_frames)                                                                                  \
  X(rigid)                                                                                         \
  X(grid)                                                                                          \
  X(relations)

enum { PL_MOST_SITES = 64 };

/* Keeps numbers that take long to compute for the next time, under a key of all they depend on. */
typedef struct pl_store {
  int (*load)(const struct pl_store *self, const uint64_t key[2], size_t count, double *out);
  void (*save)(const struct pl_store *self, const uint64_t key[2], size_t count,
               const double *numbers);
  const pl_allocator *allocator;
  const char *folder;
} pl_store;

/* Places in the rest shape that were given for a model's own use, such as frames, 3 numbers each;
 * and per element whether it is part of something rigid and exerts no force (NULL: none is), and
 * what it is made of. */
typedef struct pl_model_def {
  int count;
  const double *at;
  const int *owner; /* per node 1 + the site that it goes with alone, 0: none; NULL: none at all */
  int inserted;     /* so many of the sites, the last ones, were put in later: they act locally */
  const double *reach; /* how far each of those does, m */
  const unsigned char *rigid;
  pl_pool *pool;                /* to make the model with; may be NULL */
  const pl_store *store;        /* may be NULL */
  const pl_material *materials; /* what each element is made of; NULL: all alike */
  const pl_particle *particles; /* of a grid, that differ from the others */
  int particle_count;
  const struct pl_tailoring *tailoring; /* of a sheet, see cloth/tailor.h; NULL: none */
  struct pl_ranks *ranks;               /* that divide its elements; NULL: all are here */
} pl_model_def;

/* What an element is made of where all others are made of this. */
static inline const pl_material *pl_model_def_material(const pl_model_def *sites,
                                                       const pl_material *others, int element)
{
  return sites->materials ? &sites->materials[element] : others;
}

/* The kinds of meshes that a model can do with; with PL_ON_GRIDS their nodes must be a grid. */
enum {
  PL_ON_SOLIDS = 1,
  PL_ON_TRIANGLES = 2,
  PL_ON_SEGMENTS = 4,
  PL_ON_GRIDS = 8,
};

typedef struct pl_model_ops {
  pl_member info;
  unsigned meshes;     /* PL_ON_SOLIDS | ... */
  int takes_tailoring; /* creases, measured curves and the warp of a sheet */
  int is_rigid; /* all nodes move as one: none hangs, and no part is more rigid than others */
  /* From a mesh whose numbering is final, a material and the member's values. */
  pl_status (*create)(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                      const double *values, pl_error *error);
  void (*destroy)(pl_model *self);
  /* The groups of blocks that are coupled with each other. */
  pl_cliques (*cliques)(const pl_model *self);
  /* Learns where its blocks stand in A; called by pl_model_bind. */
  pl_status (*bind)(pl_model *self, const pl_bsr *A, int offset, pl_error *error);
  /* f += internal forces at a moment, and the body's rows of A = kq (-df/dq) + kv (-df/dv):
   * whatever stood there is overwritten, so mass (km), contacts and attachments are added to A
   * afterwards. f and tangent may be NULL; q, v and f start at the body's own first block. A NULL v
   * leaves out what depends on velocity. A must be the matrix that the model was bound to. */
  void (*evaluate)(pl_model *self, const pl_moment *at, double *f, const pl_tangent *tangent,
                   pl_pool *pool);
  /* What is remembered from step to step. advance moves the memory of laws on to q, which has been
   * accepted h s behind the last begin; NULL where the model keeps none. postpones: can an
   * evaluation at this moment move points on as advance would? NULL: none can. begin: models that
   * remember something of their own (pl_model.memory) take it here; NULL: their laws do, or
   * nothing is remembered. */
  struct pl_remember_ops {
    void (*advance)(pl_model *self, const pl_moment *at, double *memory, pl_pool *pool);
    int (*postpones)(const pl_model *self, const pl_moment *at);
    void (*begin)(pl_model *self, const double *memory);
  } memory;
  /* Scalars that are held where nodes are (1 for each): how many, and their places among the
   * numbers of q (list NULL: only counts); what one of them becomes where the nodes have turned by
   * a rotation vector since rest, and it has been now. NULL: no scalar is. */
  struct pl_scalar_ops {
    int (*held)(const pl_model *self, const unsigned char *nodes, int *list);
    double (*turned)(const pl_model *self, int scalar, const double turn[3], double now);
  } scalars;
  /* f += a M x, and A += a M. Where M depends on q (update_mass is not NULL), it is that of the
   * last evaluate or update_mass. */
  void (*mass_add)(pl_model *self, double a, const double *x, double *f, pl_pool *pool);
  void (*mass_matrix)(pl_model *self, double a, pl_bsr *A, pl_pool *pool);
  void (*update_mass)(pl_model *self, const double *q);
  /* x = M^-1 y with the lumped mass; NULL: that is lumped_mass. */
  void (*mass_inverse)(const pl_model *self, const double *y, double *x);
  /* Elastic energy in J; NULL where there is none. It, fields and strains take what laws remember
   * as the last evaluate did; after a begin or commit, as it stands (h = 0). */
  double (*energy)(pl_model *self, const double *q, pl_pool *pool);
  /* Its forces as relations between its blocks (ode/relation.h); NULL: they are not. */
  const struct pl_relation *(*relations)(const pl_model *self, int *count);
  /* Per element: von Mises stress in Pa (Cauchy) and det F; either may be NULL. */
  void (*fields)(pl_model *self, const double *q, double *von_mises, double *det_f, pl_pool *pool);
  /* Per element: equivalent strain (of Green's) and elastic energy in J/m^3, means over its points;
   * either may be NULL. NULL: the model knows no strain in a point. */
  void (*strains)(pl_model *self, const double *q, double *strain, double *energy, pl_pool *pool);
  /* Per element 9 numbers each, row after row, means over its points: the deformation gradient
   * dx/dX and the Cauchy stress sigma = P F^T / det F in Pa, symmetric, positive in tension; either
   * may be NULL. NULL: as above. */
  void (*tensors)(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool);
  /* Energy of hourglass modes in J, a part of energy(); NULL: there are none. */
  double (*hourglass)(pl_model *self, const double *q, pl_pool *pool);
  /* For the steps of explicit methods. Upper bounds of the squares of frequencies, 1/s^2, and of
   * damping, 1/s, of the internal forces at a moment with the lumped mass; v may be NULL. NULL:
   * none is known. The others are those of pl_system_ops, with the squares of frequencies; NULL: no
   * part of the model takes smaller steps than others. */
  struct pl_stability_ops {
    void (*bounds)(pl_model *self, const pl_moment *at, double bounds[2], pl_pool *pool);
    pl_status (*mark_fast)(pl_model *self, double h, double square, unsigned char *marks,
                           double bounds[2], pl_error *error);
    pl_status (*select)(pl_model *self, unsigned char *marks, pl_error *error);
    void (*evaluate_selected)(pl_model *self, const pl_moment *at, double *f, pl_pool *pool);
  } stability;
  /* Where blocks are control points that carry the mesh's nodes along; all NULL: they are the
   * nodes. Positions of the nodes, or their velocities if v is not NULL; f += the forces that
   * forces on the nodes exert on the blocks; the blocks that carry a node and their weights, which
   * sum to 1; 9 numbers per such block: how the node at x moves with it (NULL: its weight in every
   * direction).
   */
  void (*nodes)(const pl_model *self, const double *q, const double *v, double *nodes);
  void (*spread)(const pl_model *self, const double *q, const double *nodal, double *f);
  int (*carriers)(const pl_model *self, int node, const int **blocks, const double **weights);
  void (*jacobian)(const pl_model *self, const double *q, int node, double x[3], double *J);
  /* Only for models of frames. Where a frame carries the point that stands at X at rest, if it
   * carries it alone, and 9 numbers per block of the frame: how the point moves with it; q and v of
   * one frame's blocks (starting there) so that it moves as a frame of another model of the same
   * kind, whose blocks are at q_from and v_from. */
  struct pl_frame_ops {
    void (*ride)(const pl_model *self, const double *q, int frame, const double X[3], double x[3],
                 double *J);
    void (*adopt)(const pl_model *self, int frame, const pl_model *from, int frame_from,
                  const double *q_from, const double *v_from, double *q, double *v);
  } frame;
  /* A += k times minus the slope of what spread makes of these forces on nodes, kept as they are:
   * how they turn with q. NULL: they do not. */
  void (*curvature)(const pl_model *self, const double *q, const double *nodal, double k,
                    pl_bsr *A);
  /* The blocks' q and v with which nodes are nearest to x and move nearest to speed, by mass; NULL:
   * the blocks are the nodes, or there is no such thing. */
  void (*fit)(const pl_model *self, const double *x, const double *speed, double *q, double *v);
} pl_model_ops;

/* What the three numbers of a block are: a place, a rotation vector (math/rotation.h), which turns
 * something about a place that is another block, or three scalars that know no axes. Velocities are
 * linear and angular, in world axes. Blocks behind those of the mesh's nodes are such where nodes
 * is NULL. */
typedef enum pl_block_kind { PL_BLOCK_POINT, PL_BLOCK_ROTATION, PL_BLOCK_SCALARS } pl_block_kind;

/* A block that the model itself holds along some directions, of length 1 and at right angles: its
 * velocity has no part along them. */
typedef struct pl_block_hold {
  int block, count;
  double directions[3][3];
} pl_block_hold;

/* What laws remember is to move on, h s long, to a q that was accepted. */
typedef struct pl_postponed {
  const double *from;
  double *to; /* NULL: nothing is postponed */
  double h;
  double *q; /* a copy; NULL: the model postpones nothing */
} pl_postponed;

struct pl_model {
  const pl_model_ops *ops;
  pl_allocator allocator;
  int blocks;                 /* unknowns: 3 numbers each                  */
  double *lumped_mass;        /* kg per block; 0 for one that is no point */
  const struct pl_mass *mass; /* of models with pl_model_mass_add; NULL: of others */
  const double *weight;       /* kg per block that gravity acts on; NULL: lumped_mass */
  int weight_in_statics;      /* ... in statics only: in motion what falls freely must not deform,
                               * which takes the same mass on both sides */
  const unsigned char *kinds; /* per block a pl_block_kind; NULL: all are points            */
  int unsymmetric; /* its matrix is not symmetric: the solver must be made for that          */
  int is_solid;    /* its triangles, if it has no other elements, bound what is inside them  */
  int predicts;    /* its matrix depends on the one before, so that Newton takes full increments  */
  int inexact;     /* its matrix leaves out that rotations change with q                     */
  int unbalanced;  /* its forces add up to a small force and torque on the body as a whole   */
  int has_scalars; /* some blocks are three scalars, and none is a rotation                       */
  int takes_axes;  /* it takes the axes of orthotropic laws without points of its own             */
  double thickness; /* m, of a sheet that touches with both its sides; 0: it has none */
  struct pl_locking {
    double from;      /* Poisson's ratio at which its elements are far too stiff; 0: they are not */
    const char *cure; /* what the scene should say instead */
  } locking;
  const double *rest; /* the blocks' positions at rest; the mesh's nodes unless create says else */
  const int *anchors; /* per block the node that it is held with; NULL: the blocks are the nodes */
  const int *node_block;   /* per node the block that it is itself, or -1 where blocks carry it;
                            * NULL: all or none are, see pl_model_node_block */
  const double *node_mass; /* kg per node where gravity acts on nodes; NULL: it acts on blocks */
  int hold_count;
  const pl_block_hold *holds; /* ascending */
  pl_model_def sites;         /* as given; for create only                   */
  int frame_count;            /* frames, if that is what it is made of: equally many blocks each */
  const double *frames_at;    /* where they stand at rest, 3 numbers each */
  size_t memory;              /* doubles that the model remembers itself, see begin */
  pl_groups *groups;          /* points by their laws; NULL where no law can remember anything */
  pl_postponed postponed;     /* see pl_model_move */
  void *state;                /* the member's own                           */
};

#define X(name) extern const pl_model_ops pl_model_##name;
PL_MODELS(X)
#undef X

extern const pl_family pl_model_family;

/* The mesh must live as long as the model. */
pl_status pl_model_create(const pl_allocator *allocator, const pl_choice *choice,
                          const pl_mesh *mesh, const pl_material *material, pl_model **out,
                          pl_error *error);
/* The same from a part that was checked already. */
pl_status pl_model_build(const pl_allocator *allocator, const pl_selection *part,
                         const pl_mesh *mesh, const pl_material *material,
                         const pl_model_def *sites, pl_model **out, pl_error *error);
void pl_model_destroy(pl_model *model);

/* mass_add and mass_matrix of models whose mass is one of nodes (model/mass.h), pl_model.mass. */
void pl_model_mass_add(pl_model *model, double a, const double *x, double *f, pl_pool *pool);
void pl_model_mass_matrix(pl_model *model, double a, pl_bsr *A, pl_pool *pool);

/* fields of models without stress: 0, and how large elements are now by how large they were. */
void pl_model_ratios(const pl_mesh *mesh, const double *q, double *von_mises, double *det_f);

/* pl_parallel, and the sum of what work has put into sums, one for each chunk, in their order. */
double pl_model_sum(pl_pool *pool, int chunks, void (*work)(void *context, int chunk),
                    void *context, const double *sums);

/* Finds the places of the model's blocks in A; offset: number of its first block there. */
pl_status pl_model_bind(pl_model *model, const pl_bsr *A, int offset, pl_error *error);

/* ---- what laws remember ----
 *
 * The doubles belong to whoever steps the model, so that they can be saved and restored as q and v
 * are: plain numbers, all zero where nothing has happened since the body was made. A substep begins
 * with them as they stand; all evaluations of all its stages see the history up to there, and
 * themselves h s later. When it has been accepted, commit moves them on; when it has failed, they
 * are as they were. */

/* How many; 0 for most. */
size_t pl_model_memory(const pl_model *model);

/* A substep begins; memory is read until the next begin, commit or move. */
void pl_model_begin(pl_model *model, const double *memory);

/* A substep is accepted: memory moves on to at->q, at->h behind its beginning, and is what the next
 * one begins with. */
void pl_model_commit(pl_model *model, const pl_moment *at, double *memory, pl_pool *pool);

/* The same from one place to another, which is what the next substep begins with. It may be
 * postponed: until the next evaluation, begin, move or settle both places are the model's. The next
 * evaluation is most often at the same q, and then moves points on while it has them at hand. */
void pl_model_move(pl_model *model, const pl_moment *at, const double *from, double *to,
                   pl_pool *pool);

/* Carries out a move that was postponed. */
void pl_model_settle(pl_model *model, pl_pool *pool);

/* For models: is one postponed that ends where this moment is? */
int pl_model_is_postponed(const pl_model *model, const pl_moment *at);

/* Memory of a body that has been at q for long, as statics finds it. */
void pl_model_relax(pl_model *model, const double *q, double *memory, pl_pool *pool);

/* out = q moved by dq; out may be q. */
void pl_model_retract(const pl_model *model, const double *q, const double *dq, double *out);

/* Is this block of the model a rotation? */
static inline int pl_model_is_rotation(const pl_model *model, int block)
{
  return model->kinds && model->kinds[block] == PL_BLOCK_ROTATION;
}

/* The block that is this node itself, -1 where blocks carry it. */
static inline int pl_model_node_block(const pl_model *model, int node)
{
  if (model->node_block) return model->node_block[node];
  return model->ops->nodes ? -1 : node;
}

/* Is it a place? */
static inline int pl_model_is_point(const pl_model *model, int block)
{
  return !model->kinds || model->kinds[block] == PL_BLOCK_POINT;
}

/* Is any of them a rotation? */
static inline int pl_model_has_rotations(const pl_model *model)
{
  return model->kinds && !model->has_scalars;
}

/* Are all blocks places, each with its lumped mass? */
static inline int pl_model_has_points(const pl_model *model)
{
  return !model->frame_count && !pl_model_has_rotations(model);
}

#endif

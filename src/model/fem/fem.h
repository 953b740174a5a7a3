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
#ifndef PL_MODEL_FEM_FEM_H
#define PL_MODEL_FEM_FEM_H

#include "model/colour.h"
#include "model/fem/bound.h"
#include "model/fem/hourglass.h"
#include "model/fem/volume.h"
#include "model/fem/warp.h"
#include "model/groups.h"
#include "model/mass.h"
#include "model/model.h"
#include "model/quadrature.h"
#include "sparse/upper.h"

typedef struct pl_fem pl_fem;

/* One pass over the elements: what is given and what is wanted (NULL: not). */
typedef struct pl_fem_job {
  const pl_fem *fem;
  const double *q, *v;
  double *f;
  pl_tangent tangent;        /* without A: forces only         */
  double h;                  /* s since the beginning of the substep */
  double *memory;            /* to be moved on                 */
  double *sums;              /* energy of each chunk           */
  double *von_mises, *det_f; /* per element                    */
  double *strain, *density;  /* the same                       */
  double *F, *stress;        /* the same, 9 each */
  double *squares;           /* the same: bounds of w^2 */
} pl_fem_job;

/* Work on the batches [first, last), all of one group. */
typedef struct pl_fem_kernel {
  void (*evaluate)(const pl_fem_job *job, int first, int last);
  double (*energy)(const pl_fem_job *job, int first, int last);
  void (*fields)(const pl_fem_job *job, int first, int last);
  void (*strains)(const pl_fem_job *job, int first, int last);
  void (*tensors)(const pl_fem_job *job, int first, int last);
  void (*advance)(const pl_fem_job *job, int first, int last);
  void (*volumes)(const pl_fem_job *job, int first, int last);
} pl_fem_kernel;

/* Linear and quadratic tetrahedra, hexahedra with 2x2x2 points, with one and with 3x3x3, per
 * instruction set. */
enum { PL_FEM_TET, PL_FEM_TET10, PL_FEM_HEX, PL_FEM_HEX1, PL_FEM_HEX27, PL_FEM_KINDS };
extern const pl_fem_kernel pl_fem_kernels_base[PL_FEM_KINDS], pl_fem_kernels_avx2[PL_FEM_KINDS];

struct pl_fem {
  int kind, nodes_per_element, points; /* quadrature points per element */
  int elements;
  pl_groups groups;         /* the elements by their laws */
  const int *element_nodes; /* the mesh's; of quadratic elements its octets */
  const pl_mesh *mesh;
  int *tets;      /* the mesh's eight of each quadratic element, else NULL */
  int *nodes;     /* 3 times their numbers per batch [node][lane], ascending in a lane */
  pl_lanes *rest; /* per batch: weight and gradients of each point                   */
  int *places;    /* once bound, else NULL: of blocks (a,b), a < b, per batch [pair][lane] */
  pl_upper upper;
  int offset; /* number of the body's first row in the matrix */
  const pl_fem_kernel *kernel;
  int *starts; /* first batch of each chunk */
  pl_colours chunks;
  double *chunk_sums;
  pl_mass mass;
  pl_fem_volume volume;
  pl_warp warp;           /* strain="warped" only */
  pl_hourglass hourglass; /* of PL_FEM_HEX1 only */
  pl_fem_shapes bound;
  unsigned char *selected; /* per batch: does it have fast blocks? NULL: none was asked for */
};

/* The first of the mesh's elements that make up an element. */
static inline int pl_fem_mesh_element(const pl_fem *fem, int element)
{
  return fem->tets ? fem->tets[PL_OCTET_TETS * element] : element;
}

/* The passes that plain and warped elements share; as in pl_model_ops. */
void pl_fem_destroy(pl_model *self);
pl_cliques pl_fem_cliques(const pl_model *self);
pl_status pl_fem_bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error);
void pl_fem_evaluate(pl_model *self, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool);
void pl_fem_evaluate_batches(const pl_fem_job *job, int first, int last);
int pl_fem_postpones(const pl_model *self, const pl_moment *at);
void pl_fem_advance(pl_model *self, const pl_moment *at, double *memory, pl_pool *pool);
double pl_fem_energy(pl_model *self, const double *q, pl_pool *pool);
double pl_fem_hourglass(pl_model *self, const double *q, pl_pool *pool);
void pl_fem_strains(pl_model *self, const double *q, double *strain, double *energy, pl_pool *pool);
void pl_fem_tensors(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool);
void pl_fem_fields(pl_model *self, const double *q, double *von_mises, double *det_f,
                   pl_pool *pool);

/* Smaller steps by region; as in pl_model_ops. */
pl_status pl_fem_mark_fast(pl_model *self, double h, double square, unsigned char *marks,
                           double bounds[2], pl_error *error);
pl_status pl_fem_select(pl_model *self, unsigned char *marks, pl_error *error);
void pl_fem_evaluate_selected(pl_model *self, const pl_moment *at, double *f, pl_pool *pool);

/* The mass of all elements; their chunks are made. */
/* The words of the parameter mass. */
enum { PL_FEM_LUMPED, PL_FEM_CONSISTENT, PL_FEM_MIXED, PL_FEM_SHIFTED };
pl_status pl_fem_mass_create(pl_model *self, const pl_material *material, int kind,
                             pl_error *error);

/* How the rotations of warped nodes are found; the words of the parameter "rotations". */
enum { PL_WARP_SVD, PL_WARP_EDGES, PL_WARP_POLAR, PL_WARP_BOTH, PL_WARP_GLOBAL };
#define PL_WARP_WORDS "svd|edges|polar|both|global"

/* The table of warped elements. */
extern const pl_model_ops pl_fem_warped;
pl_status pl_fem_warped_bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error);
void pl_fem_warped_evaluate(pl_model *self, const pl_moment *at, double *f,
                            const pl_tangent *tangent, pl_pool *pool);
/* Turns a model that is made otherwise into one whose stiffness at rest is warped; X are positions
 * at rest. */
pl_status pl_fem_warp(pl_model *self, const double *X, int rotation, pl_error *error);

/* Lanes of rest data per batch: the weight and the gradients of each point. */
static inline size_t pl_fem_rest_size(int nodes_per_element, int points)
{
  return (size_t)(points * (1 + 3 * (nodes_per_element - 1)));
}

#endif

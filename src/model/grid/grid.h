/* The model "grid": curves, curved surfaces and solids of particles by differences along a grid;
 * grid.c has the formulas. What its files share. */
#ifndef PL_MODEL_GRID_GRID_H
#define PL_MODEL_GRID_GRID_H

#include "math/lanes.h"
#include "mesh/grid.h"
#include "model/colour.h"
#include "model/mass.h"
#include "model/model.h"
#include "sparse/bsr.h"

enum {
  PL_GRID_STENCIL,
  PL_GRID_TENSION,
  PL_GRID_SHEAR = 4,
  PL_GRID_RIGIDITY = 7,
  PL_GRID_TWIST = 10,
  PL_GRID_VOLUME,
  PL_GRID_MASS,
  PL_GRID_DAMPING,
  PL_GRID_THRESHOLD,
  PL_GRID_THICKNESS
};
enum { PL_STENCIL_SYMMETRIC, PL_STENCIL_REPORT, PL_STENCIL_SIGNED };

/* Lists of elements that add to nodes, in chunks and colours. */
typedef struct pl_grid_list {
  int count, size; /* elements, nodes of each */
  int *nodes;
  int *blocks; /* size * size per element: of the pattern, then (places) of the bound matrix */
  int *places;
  int chunks, *starts;
  pl_colours colours;
  double *sums; /* energy of each chunk */
} pl_grid_list;

/* Products of differences at the corners of cells: pairs = D (D + 1) / 2 numbers d_i . d_j each, in
 * the order 11, 22, 12 or 11, 22, 33, 12, 13, 23. */
typedef struct pl_grid_cells {
  pl_grid_list list;
  int axes, corners, pairs;
  double spacing[3];
  double *G0;         /* pairs per corner: at rest */
  double *C, *C_rate; /* pairs^2 per corner: E = g C g / 2, and of rates; C_rate may be NULL */
  double *J0, *kappa; /* per corner of a solid: its volume at rest and the stiffness against it */
} pl_grid_cells;

/* The cells of a surface by fours, spacings within; the chunks are those of the cells' list. */
typedef struct pl_grid_quads {
  int batches, rates, lanes; /* lanes: per corner G0 (11 22 12), C (11 12 13 22 23 33), C_rate */
  int *nodes, *places;       /* per batch of 4 and 16 times four cells, places in A's values */
  pl_lanes *data;            /* 4 corners' lanes per batch */
} pl_grid_quads;

/* Where a second difference is taken: L x = sum l_a x_a against B0 n, with n along the product of
 * sum u_a x_a and sum t_a x_a. */
enum { PL_BEND_NODES = 5 };
typedef struct pl_grid_bend {
  double l[PL_BEND_NODES], u[PL_BEND_NODES], t[PL_BEND_NODES];
  double B0, weight;
} pl_grid_bend;

typedef struct pl_grid_bends {
  pl_grid_list list;
  pl_grid_bend *bends;
} pl_grid_bends;

/* Sums of a curve: functions of up to three vectors, sums u_a x_a of four particles. */
enum { PL_ARC_NODES = 4 };
enum { PL_ARC_STRETCH, PL_ARC_CURVE, PL_ARC_TORSION };
typedef struct pl_grid_arc {
  int kind;
  double u[3][PL_ARC_NODES], rest, weight;
} pl_grid_arc;

typedef struct pl_grid_arcs {
  pl_grid_list list;
  pl_grid_arc *arcs;
} pl_grid_arcs;

typedef struct pl_grid_model {
  int stencil;
  double threshold;
  const pl_mesh *mesh;
  pl_bsr *pattern; /* its values: one number per block, the stiffness of flat bending */
  int *pairs, pair_count;
  int *places, offset;
  pl_grid_cells cells;
  pl_grid_quads quads; /* of surfaces, in place of the cells' numbers */
  pl_grid_bends bends;
  pl_grid_arcs arcs; /* of curves, which have neither cells nor bends */
  pl_mass mass;      /* lumped */
  double *damping;   /* kg/s per node */
  double *sums;      /* energy of flat bending, per chunk of rows */
} pl_grid_model;

/* What the model is made from. */
typedef struct pl_grid_source {
  const pl_allocator *allocator;
  const pl_mesh *mesh;
  const pl_grid *grid;
  const pl_material *material;
  const pl_model_def *sites;
  const double *values;
  double *tension, *rigidity; /* per node 6 and 3 numbers where given (11 22 33 12 13 23; 11 22
                                 12), else NULL: from the material */
  const int *cell_element;    /* an element of the mesh in each cell */
} pl_grid_source;

/* Per cell its 2^axes nodes, bit i of a corner's number is its place along axis i. Returns the
 * number of cells; nodes may be NULL. */
int pl_grid_cell_nodes(const pl_grid *grid, int *nodes);

/* An element of the mesh that lies in each cell: it says what the cell is made of. */
pl_status pl_grid_find_elements(const pl_grid_source *from, int **out, pl_error *error);

pl_status pl_grid_list_make(const pl_allocator *allocator, int node_count, pl_grid_list *list,
                            pl_error *error);
void pl_grid_list_release(const pl_allocator *allocator, pl_grid_list *list);
/* Finds its blocks in the model's pattern; then their places in a matrix, by those of the pattern.
 */
void pl_grid_list_find(const pl_bsr *pattern, pl_grid_list *list);
void pl_grid_list_bind(const int *places, pl_grid_list *list);

pl_status pl_grid_cells_make(const pl_grid_source *from, int stencil, pl_grid_cells *cells,
                             pl_error *error);
void pl_grid_cells_release(const pl_allocator *allocator, pl_grid_cells *cells);
/* Takes the numbers of a surface's cells. */
pl_status pl_grid_quads_make(const pl_allocator *allocator, pl_grid_cells *cells,
                             pl_grid_quads *quads, pl_error *error);
void pl_grid_quads_bind(const int *places, const pl_grid_list *cells, pl_grid_quads *quads);
void pl_grid_quads_release(const pl_allocator *allocator, pl_grid_quads *quads);
/* All places, flat ones as well; pl_grid_bends_split leaves those that are curved at rest. */
pl_status pl_grid_bends_make(const pl_grid_source *from, pl_grid_bends *bends, pl_error *error);
void pl_grid_bends_release(const pl_allocator *allocator, pl_grid_bends *bends);
pl_status pl_grid_arcs_make(const pl_grid_source *from, pl_grid_arcs *arcs, pl_error *error);
void pl_grid_arcs_release(const pl_allocator *allocator, pl_grid_arcs *arcs);

/* What an evaluation is asked for. */
typedef struct pl_grid_job {
  const pl_grid_model *self;
  const double *q, *v;
  double *f, *A; /* values of the matrix; either may be NULL */
  const pl_bsr *matrix;
  double kq, kv;
  int semidefinite;
} pl_grid_job;

/* Batches of a surface in [first, last). */
typedef void pl_grid_pass(const pl_grid_job *job, int first, int last);
typedef double pl_grid_sum(const pl_grid_job *job, int first, int last);
pl_grid_pass pl_grid_quads_base, pl_grid_quads_avx2;
pl_grid_sum pl_grid_quads_energy_base, pl_grid_quads_energy_avx2;

void pl_grid_cells_chunk(const pl_grid_job *job, int chunk);
void pl_grid_bends_chunk(const pl_grid_job *job, int chunk);
void pl_grid_arcs_chunk(const pl_grid_job *job, int chunk);
double pl_grid_cells_energy(const pl_grid_model *self, const double *q, int chunk);
double pl_grid_bends_energy(const pl_grid_model *self, const double *q, int chunk);
double pl_grid_arcs_energy(const pl_grid_model *self, const double *q, int chunk);

/* Adds an element's blocks (row by row, 9 numbers each, upper ones only) to the matrix, those below
 * the diagonal transposed. */
void pl_grid_scatter(const pl_grid_list *list, int element, const double *blocks, double *A);

#endif

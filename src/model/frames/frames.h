/* The inside of the frame-based model: what its kernel, its weights and its tests see.
 *
 * A frame moves points as a polynomial of degree 1 (affine, 4 blocks) or 2 (quadratic, 10 blocks),
 * and the body blends its frames: x(X) = sum_i w_i(X) sum_k m_ik(X) q_ik with weights that sum to
 * 1. The blocks q_ik are not a matrix and an origin but the corners (and for degree 2 the middles
 * of the edges) of a tetrahedron that moves with the frame, m_ik the shape functions of that
 * tetrahedron; the motions are the same, but all unknowns are points of space: a rigid motion moves
 * them rigidly, and all m sum to 1.
 *
 * The tetrahedron has its centre at the mean of the part of the body that the frame moves and is
 * shaped by that part's second moments, so that masses of equal size at the points (one row sum of
 * M each) give the frame the mass, mass centre and moments of inertia of its part exactly.
 *
 * Samples stand in batches of PL_LANES, batches in chunks; a chunk knows the blocks that move any
 * of its samples. It keeps its own sums of forces and stiffness, which are added up in the order of
 * the chunks. */
#ifndef PL_MODEL_FRAMES_H
#define PL_MODEL_FRAMES_H

#include "model/model.h"
#include "model/quadrature.h"

#include <stdint.h>

enum { PL_MOST_FRAMES = PL_MOST_SITES, PL_MOST_MONOMIALS = 10, PL_MOST_FRAME_CHUNKS = 32 };

enum {
  PL_WEIGHTS_HARMONIC,
  PL_WEIGHTS_LINEAR,
  PL_WEIGHTS_SPLINE,
  PL_WEIGHTS_EUCLIDEAN,
  PL_WEIGHTS_GEODESIC
};

/* How frames share the body. */
typedef struct pl_weighing {
  int kind;
  double seed; /* radius of the ball around a frame that it moves alone (harmonic), m; 0: chosen */
  double cutoff;    /* distance beyond which a frame moves nothing, m; 0: none */
  int raw;          /* the sums of the weights are wanted as well */
  const int *owner; /* per node 1 + the frame that moves it alone, 0: none; NULL: none at all */
  pl_pool *pool;    /* may be NULL: the weights are the same with any number of threads */
  const pl_store *store; /* where they may be found from an earlier time; may be NULL */
} pl_weighing;

/* The rows at the end of a parameter table that say where frames stand and how they share the body,
 * in this order. */
enum {
  PL_FRAME_WEIGHTS,
  PL_FRAME_SAMPLES,
  PL_FRAME_CLUSTERS,
  PL_FRAME_COUNT,
  PL_FRAME_SEED,
  PL_FRAME_CUTOFF,
  PL_FRAME_NORMALISE,
  PL_FRAME_PARAM_COUNT
};
#define PL_FRAME_PARAMS                                                                            \
  {"weights",                                                                                      \
   "1",                                                                                            \
   "how frames share the body: solutions of Laplace's equation; hat functions or cubics along "    \
   "the line of frames; inverse squared distances through space or through the body",              \
   0,                                                                                              \
   0,                                                                                              \
   4,                                                                                              \
   "harmonic|linear|spline|euclidean|geodesic",                                                    \
   1},                                                                                             \
      {"samples", "count", "per direction of a hexahedron; a tetrahedron has one", 2, 1, 2,        \
       NULL,      1},                                                                              \
      {"clusters",                                                                                 \
       "count",                                                                                    \
       "forces are integrated over so many samples, which are as stiff at rest as all of them; "   \
       "0: over all",                                                                              \
       0,                                                                                          \
       0,                                                                                          \
       100000,                                                                                     \
       NULL,                                                                                       \
       1},                                                                                         \
      {"frames", "count", "how many are placed where no <frame> says where", 4, 1, PL_MOST_FRAMES, \
       NULL,     1},                                                                               \
      {"seed",                                                                                     \
       "m",                                                                                        \
       "radius of the ball that a frame moves alone, for harmonic weights; 0: a quarter of the "   \
       "way to the next frame",                                                                    \
       0,                                                                                          \
       0,                                                                                          \
       1e9,                                                                                        \
       NULL,                                                                                       \
       1},                                                                                         \
      {"cutoff",                                                                                   \
       "m",                                                                                        \
       "distance from a frame (through the body, for geodesic weights) at which its influence "    \
       "has faded out; 0: never",                                                                  \
       0,                                                                                          \
       0,                                                                                          \
       1e9,                                                                                        \
       NULL,                                                                                       \
       1},                                                                                         \
  {                                                                                                \
    "normalise", "count",                                                                          \
        "1: weights have the sum 1 at the nodes, and are interpolated; 0: weights are "            \
        "interpolated as they are, and only their ratios count in every sample",                   \
        1, 0, 1, NULL, 1                                                                           \
  }

/* Fills weights[count * node + frame] so that they sum to 1 at every node; if raw, behind them the
 * sum of each node's weights before. */
pl_status pl_frames_weigh(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                          const double *origins, const pl_weighing *how, double *weights,
                          pl_error *error);

/* One more frame with a weight of its own that fades out at its reach, as a way through the body:
 * the count weights in from become count + 1 in to, to the loss of those of before. */
pl_status pl_frames_insert(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                           const double origin[3], double reach, const double *from, double *to,
                           pl_error *error);

/* Frames must be apart, and given ones inside; wrong: the first that is not. */
pl_status pl_frames_check(const pl_mesh *mesh, int count, const double *origins, int given,
                          int *wrong, pl_error *error);

/* Chooses count places. For weights along a line, and for a few frames in a body twice as long as
 * wide that has it inside, they stand evenly on the middle line of the body's longest side, from
 * end to end; else each as far from those before it as possible, the first farthest from the middle
 * of the nodes: corners of a bar, one of which would not hold its end. */
void pl_frames_place(const pl_mesh *mesh, int count, int kind, double *origins);

/* What all bodies of frames have in common: where the frames stand and what they weigh; where the
 * samples are, of what, and how they are dealt out in chunks of batches of PL_LANES. */
typedef struct pl_frame_field {
  int count, per;            /* frames, and blocks of each */
  int points;                /* samples per element */
  int samples, elements;     /* samples that are evaluated */
  const pl_model_def *sites; /* for creation only */
  pl_material material;      /* that of elements that have none of their own */
  const pl_strain_ops *strain;
  pl_groups groups; /* the samples that are evaluated, by their laws */
  // where only some samples are evaluated, else NULL: their numbers and volumes, and for each of
  // all samples the place in the list of the one that stands for it
  int *list, *cluster;
  double *volumes;
  double *origins, *weights; /* 3 per frame; count per node */
  const double *sums;        /* behind the weights where these were not normalised; else NULL */
  int *anchors;              /* of each block: the node nearest to its frame */
  // chunks: the first batch of each, and the frames that reach any of its samples, as bits
  int chunk_count, *starts;
  uint64_t *reached;
  int *cliques, clique_count; /* the blocks of two frames that reach a chunk together */
  // room for what chunks compute: a number each, and two of each sample
  double *chunk_sums, *sample_stress, *sample_ratio;
} pl_frame_field;

/* From the values of PL_FRAME_PARAMS, at the sites of self or at places of its own choice; reports
 * self of blocks, frames and anchors. To be released even if it fails. */
pl_status pl_frame_field_make(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                              int strain, int per, const double *values, pl_frame_field *field,
                              pl_error *error);
void pl_frame_field_release(const pl_allocator *allocator, pl_frame_field *field);

/* Deals the samples out in chunks of at least so many batches (fewer where only some samples are
 * evaluated), and finds the cliques. */
pl_status pl_frame_field_cut(const pl_allocator *allocator, const pl_mesh *mesh, int min,
                             pl_frame_field *field, pl_error *error);
pl_cliques pl_frame_field_cliques(const pl_frame_field *field);
/* Where the blocks (row, column) and (column, row) of a body stand in A. */
pl_status pl_frame_find_pair(const pl_bsr *A, int offset, int row, int column, int *place,
                             int *mirror, pl_error *error);
/* Zeros in the rows of a body. */
void pl_frame_clear_rows(const pl_frame_field *field, int offset, pl_bsr *A);

/* After work on all chunks: the sum of chunk_sums; of each element the mean of stress and the least
 * volume ratio, or the means of strain and energy density. Outputs may be NULL. */
typedef void pl_chunk_work(void *job, int chunk);
double pl_frame_field_energy(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool);
void pl_frame_field_stress(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool,
                           double *von_mises, double *det_f);
void pl_frame_field_strain(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool,
                           double *strain, double *energies);
/* One component, 0 to 8, of F and the stress of each element, in 9 numbers each. */
void pl_frame_field_tensor(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool,
                           int component, double *F, double *stress);

/* One unknown's part of the strain at rest at a sample, times the root of the stiffness: K = B^T B
 * per volume. */
typedef struct pl_frame_column {
  int unknown;
  double B[6];
} pl_frame_column;

enum { PL_MOST_COLUMNS = PL_MOST_FRAMES * PL_MOST_MONOMIALS * 3 };

/* All columns of a sample; at returns how many. */
typedef struct pl_frame_columns {
  int unknowns;
  int (*at)(const void *model, int sample, pl_frame_column *columns);
  const void *model;
} pl_frame_columns;

/* From the gradient of the displacement that a unit of an unknown makes. */
pl_frame_column pl_frame_column_of(const pl_material *material, int unknown,
                                   const double gradient[9]);

/* Only count of the samples are evaluated from now on (0, or more than there are: all stay), which
 * are as stiff as all at rest. */
pl_status pl_frame_field_reduce(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                                const pl_frame_columns *from, pl_frame_field *field,
                                pl_error *error);
/* Sorts the samples by their laws, of which model self then knows. */
pl_status pl_frame_field_group(pl_model *self, pl_frame_field *field, pl_error *error);

/* The number of the sample that stands at a place of those that are evaluated, and its volume; the
 * places that fill the last batch of a law are copies without a volume. */
static inline int pl_sample_number(const pl_frame_field *field, int place)
{
  int item = pl_groups_item(&field->groups, place);
  if (item < 0) item = -1 - item;
  return field->list ? field->list[item] : item;
}

static inline double pl_sample_volume(const pl_frame_field *field, int place, double own)
{
  int item = pl_groups_item(&field->groups, place);
  return item < 0 ? 0 : field->list ? field->volumes[item] : own;
}

/* What a sample is made of, while the model is created. */
static inline const pl_material *pl_sample_material(const pl_frame_field *field, int index)
{
  return pl_model_def_material(field->sites, &field->material, index / field->points);
}

typedef struct pl_sample {
  const int *nodes; /* of its element */
  int node_count;
  double volume, X[3], N[PL_ELEMENT_NODES], b[PL_ELEMENT_NODES][3];
} pl_sample;

/* Sample number index of the body. */
pl_sample pl_sample_at(const pl_mesh *mesh, int points, int index);
pl_status pl_sample_check(const pl_sample *at, int element, pl_error *error);

/* The weight of a frame at a sample, and its gradient; 0 if it does not reach the element. */
int pl_frame_weight_at(const pl_frame_field *field, const pl_sample *at, int frame, double *w,
                       double gradient[3]);

/* The frames that reach any of the samples at the places first to last - 1, as bits. */
uint64_t pl_frames_reaching(const pl_frame_field *field, const pl_mesh *mesh, int first, int last);

/* The part of the body that a frame moves: its volume, its mass, mass centre and the variance of
 * mass about that. */
typedef struct pl_frame_part {
  double volume, mass, centre[3], variance[9];
} pl_frame_part;

pl_status pl_frame_part_of(const pl_frame_field *field, const pl_mesh *mesh, int frame,
                           pl_frame_part *part, pl_error *error);

/* The tetrahedron of a frame: shape functions l_k(X) = 1/4 + n_k . (X - centre). */
typedef struct pl_frame {
  double centre[3], slope[4][3];
} pl_frame;

/* Values and gradients of the shape functions of degree 1 or 2 at X. */
void pl_frame_monomials(const pl_frame *frame, int degree, const double X[3], double *values,
                        double gradients[][3]);

/* The frame's tetrahedron around a part of the body, and its points at rest. */
void pl_frame_shape(const pl_frame_part *part, int degree, pl_frame *frame, double *points);

typedef struct pl_frames_chunk {
  int blocks, *block; /* numbers of the blocks, ascending */
  int moved;          /* the stiffness of so many is summed; that of the last frame may follow */
  int first, last;    /* its batches */
  size_t rest;        /* where the batches' data begin: weight, then 3 per block's gradient */
  size_t sums;        /* where its sums begin: 3 per block, then those of pl_frames_sums */
  size_t pairs;       /* where its pairs begin in mass, places and mirror */
} pl_frames_chunk;

typedef struct pl_frames pl_frames;

/* One pass over the samples. */
typedef struct pl_frames_job {
  const pl_frames *frames;
  const double *q, *v;
  pl_tangent tangent; /* without A: forces only */
  double h;           /* s since the beginning of the substep */
  double *memory;     /* to be moved on */
  int stress;
  int strains;   /* the fields are strain and energy density instead */
  int component; /* or, from 1, a component of F and of the stress */
} pl_frames_job;

/* Work on a chunk. */
typedef struct pl_frames_kernel {
  void (*evaluate)(const pl_frames_job *job, const pl_frames_chunk *chunk);
  double (*energy)(const pl_frames_job *job, const pl_frames_chunk *chunk);
  void (*fields)(const pl_frames_job *job, const pl_frames_chunk *chunk);
  void (*advance)(const pl_frames_job *job, const pl_frames_chunk *chunk);
} pl_frames_kernel;

struct pl_frames {
  pl_frame_field field;
  int degree; /* of the polynomials */
  pl_frame *frames;
  double *rest_blocks; /* the blocks at rest */
  // what carries each node
  int nodes, *start, *carrier;
  double *share;
  // the samples
  pl_frames_chunk *chunks;
  int *chunk_blocks;
  pl_lanes *rest;
  double *sums;
  // one number per pair of a chunk; places of the blocks once bound, and of the transposed ones
  int lumped, *places, *mirror;
  double *mass, *row_mass;
  int offset;
  pl_frames_kernel kernel;
};

extern const pl_frames_kernel pl_frames_kernels_base, pl_frames_kernels_avx2;

/* The place of pair (a, b), a <= b, among the pairs of a chunk. */
static inline size_t pl_pair(int a, int b) { return (size_t)b * ((size_t)b + 1) / 2 + (size_t)a; }

/* How many numbers make a chunk's stiffness: 9 per pair a <= b, then what the last frame's is
 * completed by. */
static inline size_t pl_frames_sums(const pl_frames_chunk *chunk)
{
  size_t even = chunk->moved < chunk->blocks ? 27 * (size_t)chunk->moved + 81 : 0;
  return 9 * pl_pair(0, chunk->blocks) + even;
}

#endif

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

#include "material/material.h"
#include "model/model.h"
#include "model/shape.h"

#include <stdint.h>

enum { PL_MOST_FRAMES = 64, PL_MOST_MONOMIALS = 10 };

enum { PL_WEIGHTS_HARMONIC, PL_WEIGHTS_LINEAR, PL_WEIGHTS_EUCLIDEAN };

/* Fills weights[count * node + frame] so that they are not negative and sum to 1 at every node.
 * seed: radius of the ball around a frame that it moves alone (harmonic), m; 0: chosen. */
pl_status pl_frames_weigh(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                          const double *origins, int kind, double seed, double *weights,
                          pl_error *error);

/* Chooses count places. For linear weights they stand evenly on the middle line of the body's
 * longest side, from end to end; else each as far from those before it as possible, the first
 * farthest from the middle of the nodes. */
void pl_frames_place(const pl_mesh *mesh, int count, int kind, double *origins);

/* The tetrahedron of a frame: shape functions l_k(X) = 1/4 + n_k . (X - centre). */
typedef struct pl_frame {
  double centre[3], slope[4][3];
} pl_frame;

/* Values and gradients of the shape functions of degree 1 or 2 at X. */
void pl_frame_monomials(const pl_frame *frame, int degree, const double X[3], double *values,
                        double gradients[][3]);

typedef struct pl_frames_chunk {
  int blocks, *block; /* numbers of the blocks, ascending */
  int first, last;    /* its batches */
  size_t rest;        /* where the batches' data begin: weight, then 3 per block's gradient */
  size_t sums;        /* where its sums begin: 3 per block, then 9 per pair a <= b */
  size_t pairs;       /* where its pairs begin in mass, places and mirror */
} pl_frames_chunk;

typedef struct pl_frames pl_frames;

/* One pass over the samples. */
typedef struct pl_frames_job {
  const pl_frames *frames;
  const double *q, *v;
  int matrix, semidefinite, stress;
  int strains; /* the fields are strain and energy density instead */
  double kq, kv;
} pl_frames_job;

/* Work on a chunk. */
typedef struct pl_frames_kernel {
  void (*evaluate)(const pl_frames_job *job, const pl_frames_chunk *chunk);
  double (*energy)(const pl_frames_job *job, const pl_frames_chunk *chunk);
  void (*fields)(const pl_frames_job *job, const pl_frames_chunk *chunk);
} pl_frames_kernel;

struct pl_frames {
  int count, degree, per; /* frames, polynomial degree, blocks per frame */
  int points, samples, elements;
  double *origins, *weights; /* 3 per frame; count per node */
  pl_frame *frames;
  double *rest_blocks; /* the blocks at rest */
  int *anchors;
  // what carries each node
  int nodes, *start, *carrier;
  double *share;
  // the samples
  int chunk_count;
  pl_frames_chunk *chunks;
  int *chunk_blocks, *cliques, clique_count;
  pl_lanes *rest;
  double *sums, *chunk_sums;
  double *sample_stress, *sample_ratio;
  // one number per pair of a chunk; places of the blocks once bound, and of the transposed ones
  int lumped, *places, *mirror;
  double *mass, *row_mass;
  int offset;
  double lambda, mu, viscous_lambda, viscous_mu;
  int viscous;
  const pl_point_ops *law;
  pl_frames_kernel kernel;
};

extern const pl_frames_kernel pl_frames_kernels_base, pl_frames_kernels_avx2;

/* The place of pair (a, b), a <= b, among the pairs of a chunk. */
static inline size_t pl_pair(int a, int b) { return (size_t)b * ((size_t)b + 1) / 2 + (size_t)a; }

#endif

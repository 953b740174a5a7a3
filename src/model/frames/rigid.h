/* The inside of the model of rigid frames: what its kernel, its springs and its tests see.
 *
 * Frame i is a rotation R_i and a point t_i, at rest the identity and the mean C_i of the part of
 * the body that it moves. Positions are counted from the middle of the frames, rest positions from
 * their middle at rest, so that a far-away body loses no digits.
 *
 * Linear blending:  x(X) = sum_i w_i (R_i (X - C_i) + t_i).
 * Dual quaternions: b = sum_i w_i s_i with the frames' displacements s_i; x(X) = R_b X + t_b.
 *
 * Samples stand in batches of PL_LANES, batches in chunks; a chunk knows the frames that move any
 * of its samples, and keeps its own sums. */
#ifndef PL_MODEL_RIGID_H
#define PL_MODEL_RIGID_H

#include "model/frames/frames.h"

#include <stdatomic.h>

enum { PL_BLEND_DUAL, PL_BLEND_LINEAR };

/* Where a frame is: its displacement as a dual quaternion, its rotation, its point, that at rest,
 * and its velocity: that of the point, and that of what it carries through the middle. */
typedef struct pl_pose {
  double s[8], R[9], t[3], C[3], velocity[6], twist[6];
} pl_pose;

typedef struct pl_rigid_chunk {
  int frames, *frame; /* numbers, ascending */
  int moved;          /* so many of them have sums; what the last one feels may follow from those */
  int first, last;    /* its batches */
  size_t rest;        /* where the batches' data begin: volume, X[3], then w and g[3] per frame */
  size_t sums;        /* where its sums begin: 6 per moved frame, then 36 per pair i <= j, for
                       * twists about the middle */
  size_t pairs;       /* where its pairs begin, 4 blocks each */
} pl_rigid_chunk;

typedef struct pl_rigid pl_rigid;

typedef struct pl_rigid_job {
  const pl_rigid *rigid;
  int matrix, semidefinite, stress;
  int moving;    /* velocities count */
  int strains;   /* the fields are strain and energy density instead */
  int component; /* or, from 1, a component of F and of the stress */
  double kq, kv;
  double h;       /* s since the beginning of the substep */
  double *memory; /* to be moved on */
} pl_rigid_job;

/* Batches that are worked on together, and the room in lanes that this takes. */
enum { PL_RIGID_TILE = 8 };
static inline size_t pl_rigid_room(int moved)
{
  return (62 * (size_t)PL_RIGID_TILE + 8 * (size_t)moved) * (size_t)moved;
}

typedef struct pl_rigid_kernel {
  void (*evaluate)(const pl_rigid_job *job, const pl_rigid_chunk *chunk, pl_lanes *room);
  double (*energy)(const pl_rigid_job *job, const pl_rigid_chunk *chunk);
  void (*fields)(const pl_rigid_job *job, const pl_rigid_chunk *chunk);
  void (*advance)(const pl_rigid_job *job, const pl_rigid_chunk *chunk);
} pl_rigid_kernel;

/* A spring of six dimensions between two frames. */
typedef struct pl_joint {
  int i, j;
  double rest[3]; /* its place at rest */
  double K[36];   /* its stiffness there, at [turn, shift] */
  int places[16]; /* of its blocks (i, i), (i, j), (j, i), (j, j) once bound: 2 x 2 each */
} pl_joint;

struct pl_rigid {
  pl_frame_field field;
  int blend, springs, approximate;
  double *rest_blocks, *lumped; /* per block */
  unsigned char *kinds;
  pl_pose *poses;
  double middle[3], rest_middle[3];
  // mass, moments of inertia at rest and now, and their inverse now; per frame
  double *inertia_rest, *inertia, *inertia_inverse;
  // what carries each node: frames and weights; the same as pairs of blocks
  struct pl_rigid_carried {
    int nodes, *start, *carrier, *pair_carrier;
    double *share, *pair_share, *rest;
  } carried;
  // the samples
  pl_rigid_chunk *chunks;
  int *chunk_frames;
  pl_lanes *rest, *sums;
  // room for chunks at work, one each; and which of these is free, as PL_MOST_FRAME_CHUNKS bits
  struct pl_rigid_rooms {
    pl_lanes *lanes;
    size_t size;
    _Atomic(uint32_t) free;
  } rooms;
  int *places, *mirror, offset;
  int green;
  int balanced;  /* a rigid motion of all frames does nothing, whatever the samples' state */
  double *whole; /* room for the forces and the stiffness of a chunk */
  pl_rigid_kernel kernel;
  pl_joint *joints;
  int joint_count;
};

extern const pl_rigid_kernel pl_rigid_kernels_base, pl_rigid_kernels_avx2;

/* Places the frames as in q, moving as in v (which may be NULL). */
void pl_rigid_pose(pl_rigid *rigid, const double *q, const double *v);

/* From a chunk's sums to what all its frames feel, in rigid->whole: 6 numbers per frame, then 36
 * per pair i <= j, for [turn, shift] of the frames' points. */
void pl_rigid_complete(const pl_rigid *rigid, const pl_rigid_job *job, const pl_rigid_chunk *chunk);

/* out = D(a)^T K D(b) of a 6 x 6 block, D(l) = [1 0; hat(l) 1]. */
void pl_rigid_shift(const double *K, const double a[3], const double b[3], double *out);

/* The springs of the stiffness K at rest: 36 numbers per pair of frames i < j. */
pl_status pl_rigid_make_joints(const pl_allocator *allocator, pl_rigid *rigid, pl_error *error);
pl_status pl_rigid_bind_joints(pl_rigid *rigid, const pl_bsr *A, pl_error *error);
void pl_rigid_spring(const pl_rigid *rigid, const pl_rigid_job *job, double *f, pl_bsr *A);
double pl_rigid_spring_energy(const pl_rigid *rigid);

/* A += the 6 x 6 block of a pair of frames; places of its four 3 x 3 blocks. */
void pl_rigid_add_block(const double *K, const int *places, double factor, pl_bsr *A);

/* The frames that carry each node. */
pl_status pl_rigid_make_carriers(pl_model *self, const pl_mesh *mesh, pl_error *error);
/* Motion of nodes and points, as in pl_model_ops. */
void pl_rigid_nodes(const pl_model *self, const double *q, const double *v, double *out);
void pl_rigid_spread(const pl_model *self, const double *q, const double *nodal, double *f);
int pl_rigid_carriers(const pl_model *self, int node, const int **blocks, const double **weights);
void pl_rigid_jacobian(const pl_model *self, const double *q, int node, double x[3], double *J);
void pl_rigid_ride(const pl_model *self, const double *q, int frame, const double X[3], double x[3],
                   double *J);
void pl_rigid_adopt(const pl_model *self, int frame, const pl_model *from, int frame_from,
                    const double *q_from, const double *v_from, double *q, double *v);

#endif

/* Attachments of bodies to each other, as the step sees them. */
#ifndef PL_WORLD_ATTACH_H
#define PL_WORLD_ATTACH_H

#include "mesh/embed.h"
#include "pliant/world.h"
#include "sparse/bsr.h"

typedef struct pl_attachment {
  int bodies[2], frames[2]; /* frames: what carries the points alone; -1: the nodes do */
  int count;                /* of points */
  double *points;           /* at rest, 3 numbers each */
  int *nodes;               /* of the first body, inside numbers; NULL where a frame is attached */
  pl_embed *embed;          /* in the other's inside mesh; NULL where one of its frames holds */
  double stiffness;         /* N/m, of each point's spring */
  double damping;           /* N s/m, of each point's damper */
} pl_attachment;

/* How the gap of one pair of points changes with the blocks of the world that carry them. */
typedef struct pl_coupling pl_coupling;

void pl_attachment_release(const pl_allocator *allocator, pl_attachment *attachment);

/* f += the forces of all springs at q and dampers at v; A += their kq (-df/dq) + kv (-df/dv). */
void pl_attachments_force(const pl_world *world, const double *q, const double *v, double *f);
void pl_attachments_stiffness(const pl_world *world, const double *q, double kq, double kv,
                              int semidefinite, pl_bsr *A);

/* The energy of a body's springs, J: half of it is its own, half the other body's. */
double pl_attachments_energy(const pl_world *world, int body);

/* How many pairs of points there are; the blocks that each couples, a set of one group each, in
 * memory that the caller frees. */
int pl_attachments_pairs(const pl_world *world);
pl_status pl_attachments_cliques(const pl_world *world, pl_cliques *cliques, int **memory,
                                 pl_error *error);

/* Is the body attached to another? */
int pl_world_is_attached(const pl_world *world, int body);

#endif

/* Points that move with a body: one word for nodes, points inside elements, points of a surface
 * that follows, and points that a frame carries.
 *
 * A point is a weighted sum of the body's nodes, or what one frame carries alone. Where it is and
 * how it moves with the blocks of the world, dx = sum J_b dq_b, is gathered in a pl_jacobian; a sum
 * of points with signs (the gap between two of them, say) in the same. A force F on x exerts J_b^T
 * F on block b; a stiffness D of x adds J_a^T D J_b to the matrix. */
#ifndef PL_BODY_POINTS_H
#define PL_BODY_POINTS_H

#include "body/body.h"

typedef struct pl_body_point {
  int body;
  int count; /* 1 to 8 nodes, inside numbers; 0: a frame carries it */
  int nodes[8];
  double weights[8];
  int frame;
  double at_rest[3]; /* the frame's point */
} pl_body_point;

/* Nodes of a body one at a time, where few of them are asked for: those that are sums of blocks by
 * weights alone are found as they are read; of other models all are placed at once. */
typedef struct pl_node_reader {
  const pl_model *model;
  const double *q, *all; /* all: NULL where nodes are found one by one */
} pl_node_reader;

/* q starts at the body's first block; the reader is good until nodes of this body are asked for
 * elsewhere. */
pl_node_reader pl_node_reader_at(const pl_body *body, const double *q);
void pl_node_read(const pl_node_reader *reader, int node, double x[3]);

typedef struct pl_jacobian {
  const pl_bodies *bodies;
  int count, room;
  int *blocks;        /* of the world */
  double *J;          /* 9 numbers each */
  double *one;        /* scratch, of one node */
  const double *turn; /* what all that is added is multiplied by, 3 x 3; NULL: by nothing */
} pl_jacobian;

/* Room for a sum of so many points of any body. */
pl_status pl_jacobian_create(const pl_bodies *bodies, int points, pl_jacobian *to, pl_error *error);
void pl_jacobian_release(pl_jacobian *jacobian);

/* Starts a sum that is zero. */
void pl_jacobian_clear(pl_jacobian *to);
/* x += sign times the point's place, and J likewise; q is the world's. */
void pl_jacobian_add(pl_jacobian *to, const pl_body_point *point, double sign, const double *q,
                     double x[3]);

/* Adds turn (3 x 3, row-major) times the point. */
void pl_jacobian_add_turned(pl_jacobian *to, const pl_body_point *point, const double turn[9],
                            const double *q);
/* The rate of the sum at velocities v. */
void pl_jacobian_rate(const pl_jacobian *jacobian, const double *v, double rate[3]);
/* f += scale J^T force. */
void pl_jacobian_push(const pl_jacobian *jacobian, double scale, const double force[3], double *f);
/* The matrix += J^T D J. */
void pl_jacobian_stiffen(const pl_jacobian *jacobian, const double D[9], const pl_tangent *to);

/* A node (inside number) as a point. */
pl_body_point pl_point_of_node(int body, int node);

#endif

/* An obstacle of a world: its shape, its surface, and where it is. */
#ifndef PL_COUPLE_OBSTACLE_H
#define PL_COUPLE_OBSTACLE_H

#include "couple/placement.h"

typedef struct pl_obstacle {
  char *name;
  pl_shape *shape;
  double friction, static_friction, restitution;
  pl_motion *motions;
  int motion_count;
  pl_placement *placement; /* one of the world's couplings; NULL: it cannot be moved */
  double low[3], high[3];  /* of the shape, in its own axes */
  int slot;                /* of its id, which the world gives */
  // of the substep in hand
  int is_placed;      /* its axes are not those of space */
  pl_axes start, end; /* at its beginning and its end */
  pl_axes mid;        /* where forces are being evaluated */
  double force[3];    /* on all bodies, N */
  int nodes;          /* that touch it */
} pl_obstacle;

pl_status pl_obstacle_make(const pl_obstacle_def *def, const pl_allocator *allocator,
                           pl_obstacle *to, pl_error *error);
void pl_obstacle_release(const pl_allocator *allocator, pl_obstacle *obstacle);

/* Friction, static friction (NAN: the same) and restitution; refused ones change nothing. */
pl_status pl_obstacle_set_surface(pl_obstacle *obstacle, const double values[3], pl_error *error);

/* Where it is at time t. */
void pl_obstacle_axes(const pl_obstacle *obstacle, double t, pl_axes *pose);
/* Sets the poses of a substep. */
void pl_obstacle_begin(pl_obstacle *obstacle, double t, double end);

/* The distance of a point, negative inside, and the direction away from the obstacle: at the end of
 * the substep, or in a pose. */
double pl_obstacle_gap(const pl_obstacle *obstacle, const double x[3], double normal[3]);
double pl_obstacle_gap_in(const pl_obstacle *obstacle, const pl_axes *pose, const double x[3],
                          double normal[3], double *hessian);
double pl_obstacle_friction(const pl_obstacle *obstacle);

int pl_obstacle_is_flat(const pl_obstacle *obstacle);

/* Does a node that goes from x0 to x in the substep enter the obstacle, or pass through it? Then
 * foot is where on the surface it is to land, and normal the direction away there, at the end of
 * the substep. Depths up to slack do not count. Not for flat ones. */
int pl_obstacle_catches(const pl_obstacle *obstacle, const double x0[3], const double x[3],
                        double slack, double foot[3], double normal[3]);

#endif

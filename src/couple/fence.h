/* The coupling "barrier": bodies never pass through each other, themselves or obstacles.
 *
 * Every pair of a point and a triangle, or of two edges, that is nearer than the range r stores the
 * energy of couple/barrier.h, which grows beyond all bounds before they touch; so does every point
 * of a surface near an obstacle. Pairs are found where forces are asked for, so that none is
 * missing. Newton's increments are cut to what continuous detection lets through (shape/ccd.h for
 * pairs, a search along the way for obstacles), so that no iterate intersects (Li et al.,
 * "Incremental potential contact", 2020). Obstacles that move are on their way together with the
 * increments, from where they are at the beginning of the substep to where they are at the stage.
 *
 * The stiffness of a pair is that of couple/barrier.h and constant during a substep. A semidefinite
 * matrix has the part along the normal only (Gauss-Newton), and for hollow obstacles their
 * curvature; an exact one has all second derivatives, as stencils (pl_barrier_split).
 *
 * Friction is that of couple/slip.h with N from the beginning of the substep, or from the pass
 * before; what it remembers lies in the state. */
#ifndef PL_COUPLE_FENCE_H
#define PL_COUPLE_FENCE_H

#include "couple/barrier.h"
#include "couple/collision.h"

/* A point near an obstacle, for friction. */
typedef struct pl_fence_touch {
  int point, obstacle;
  double normal[3];
  double x0[3];           /* where it began the substep */
  double carried[3];      /* how far the obstacle moves there, m */
  double slip[3];         /* s at the beginning */
  double stiffness, push; /* N/m; N */
  double bound;           /* mu N */
} pl_fence_touch;

typedef struct pl_fence {
  pl_collision is;     /* surfaces, pairs with friction */
  pl_contact *contact; /* owns the obstacles; NULL: there are none */
  pl_finder *swept;    /* looks along motions; the other one keeps what is near */
  pl_barrier law;      /* without the stiffness */
  double h;            /* of the substep; 0 in statics */
  // at the positions that were looked at last
  const pl_proximity *list;
  int count;
  pl_status failed; /* what evaluate could not say */
  // times at which moving obstacles are: before an increment, now, and at the stage
  double from, now, goal;
  pl_fence_touch *touches;
  size_t touch_count, touch_room;
  int checked;     /* that nothing intersects at the beginning */
  double min;      /* the least gap of the last substep over the range */
  int64_t unfree;  /* increments that were cut */
  double *extents; /* per body: the middle one of its sizes at rest, m */
} pl_fence;

enum { PL_FENCE_MEMORY = 2 * PL_COLLISION_MEMORY }; /* per point: with a body; with an obstacle */

/* The stiffness of a pair, N/m. */
double pl_fence_stiffness(const pl_fence *self, const pl_proximity *pair);

/* Potential, force W' and stiffness W'' of a pair along its normal; the slope of the potential of
 * parallel edges goes beyond that, into gradient (NULL: not asked for). */
double pl_fence_law(const pl_fence *self, const pl_proximity *pair, double W[3],
                    double gradient[12]);
/* Hands over all pairs that are near, and all points near obstacles; fence_contacts.c. */
void pl_fence_contacts(pl_coupling *base, const pl_moment *at, const pl_meeting_sink *to);

/* Obstacles: fence_obstacle.c. The gap of a point at an obstacle; its stiffness there, N/m; the
 * friction of a point, as force and slip. */
double pl_fence_point_gap(const pl_fence *self, const pl_obstacle *obstacle, int point,
                          double normal[3], double *hessian);
double pl_fence_point_stiffness(const pl_fence *self, int point);
void pl_fence_rubbing(const pl_fence *self, const pl_fence_touch *touch, double force[3],
                      double slip[3]);
/* Sets their poses to a time. */
void pl_fence_pose(pl_fence *self, double t);
/* Forces and matrix. */
void pl_fence_hold(pl_fence *self, const pl_moment *at, double *f, const pl_tangent *tangent);
/* The part of the motion from x to `to` of all points that no obstacle hinders. */
void pl_fence_obstruct(pl_fence *self, double t, double *part, int *worst1);
/* Points near obstacles at the beginning of a substep, or joining them later. */
pl_status pl_fence_touch_all(pl_fence *self, const pl_substep *step, pl_error *error);
/* Bounds of friction by where points are now; returns how much they change, and adds all up. */
double pl_fence_bind(pl_fence *self, double *all);
void pl_fence_remember(pl_fence *self);
double pl_fence_energy(const pl_fence *self, int body);
/* The least gap to an obstacle, m. */
double pl_fence_gap(const pl_fence *self);

#endif

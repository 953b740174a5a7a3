/* Motions of obstacles: a rigid change of place as a function of time, with its velocity.
 *
 * A pose carries a point X of the obstacle's own axes to x = origin + R X; that point moves with
 * velocity + spin x (x - origin). Motions act one after the other on the pose that is there:
 * x' = c + Q (x - c) + d with a rotation Q(t) about c and a translation d(t). */
#ifndef PL_SHAPE_MOTION_H
#define PL_SHAPE_MOTION_H

#include "core/family.h"
#include "pliant/coupling.h"
#include "shape/obstacle.h"

#define PL_MOTIONS(X)                                                                              \
  X(velocity)                                                                                      \
  X(rotation)                                                                                      \
  X(oscillation)                                                                                   \
  X(keyframes)

typedef struct pl_axes {
  pl_place place;
  double velocity[3], spin[3]; /* m/s of the origin, rad/s */
} pl_axes;

/* One motion at one time. */
typedef struct pl_turn {
  double centre[3];
  double angle[3];             /* rotation vector, rad */
  double translation[3];       /* m */
  double spin[3], velocity[3]; /* rates of both: angular velocity, rad/s; m/s */
} pl_turn;

typedef struct pl_motion {
  pl_selection part;
  pl_motion_key *keys; /* its own; NULL: none */
  int key_count;
} pl_motion;

typedef struct pl_motion_ops {
  pl_member info;
  int has_keys;
  pl_status (*finish_values)(double *values, pl_error *error); /* NULL: any values will do */
  void (*at)(const pl_motion *self, double t, pl_turn *turn);
} pl_motion_ops;

#define X(name) extern const pl_motion_ops pl_motion_##name;
PL_MOTIONS(X)
#undef X

extern const pl_family pl_motion_family;

/* Free with release, also after a failure. */
pl_status pl_motion_make(const pl_motion_def *def, const pl_allocator *allocator, pl_motion *motion,
                         pl_error *error);
void pl_motion_release(const pl_allocator *allocator, pl_motion *motion);

/* The pose at time t after all of them, from the obstacle's own axes on. */
void pl_motions_pose(const pl_motion *motions, int count, double t, pl_axes *pose);

void pl_axes_rest(pl_axes *pose);
/* The pose between two at share s in 0..1, at constant velocity and spin that take the time h. */
void pl_axes_between(const pl_place *from, const pl_place *to, double s, double h, pl_axes *pose);

/* To the obstacle's own axes and back; the velocity of the obstacle at a point in space. */
void pl_axes_own(const pl_axes *pose, const double x[3], double own[3]);
void pl_axes_point(const pl_axes *pose, const double own[3], double x[3]);
void pl_axes_velocity(const pl_axes *pose, const double x[3], double v[3]);

/* Makes an axis that starts here a unit vector; one that is not given becomes z. */
pl_status pl_motion_finish_axis(double *axis, pl_error *error);

#endif

/* Pulls: springs between a point of a body and a target in space. */
#ifndef PL_COUPLE_PULL_H
#define PL_COUPLE_PULL_H

#include "body/points.h"
#include "couple/coupling.h"
#include "couple/ramp.h"
#include "pliant/world.h"

enum { PL_PULL_PARTS = 4 }; /* a spot has four times the nodes of a point */

typedef struct pl_pull {
  pl_coupling base;
  int part_count;
  pl_body_point parts[PL_PULL_PARTS]; /* the pulled point is the sum of these */
  pl_jacobian jacobian;               /* of that sum, at the last evaluation */
  double target[3], translation[3], force[3], until, stiffness, damping, max_force;
  pl_own_ramp ramp;
  double steadying;                   /* N s/m, against changes of velocity; 0 after pl_pull_set */
  double begun[8 * PL_PULL_PARTS][3]; /* m/s, of its nodes when the substep began */
} pl_pull;

/* Fills a pull that was made by pl_coupling_create and acts on a body that exists. */
pl_status pl_pull_make(pl_pull *pull, const pl_pull_def *def, pl_error *error);
/* Gives it other numbers and a point of that body; on error it is as before. */
pl_status pl_pull_set(pl_pull *pull, int body, const pl_pull_def *def, pl_error *error);
/* Makes it resist changes of its nodes' velocities by so many N s/m, until it is set again. */
pl_status pl_pull_steady(pl_pull *pull, double damping, pl_error *error);
pl_status pl_pull_check_target(const double target[3], pl_error *error);

/* Where the point is at (t, q, v), where it is pulled to, and the force on it. */
void pl_pull_read(pl_pull *pull, double t, const double *q, const double *v, pl_pull_facts *facts);

#endif

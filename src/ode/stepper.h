/* What implicit methods share beside Newton: stages whose unknown z is a velocity, start values
 * from the last step, and held nodes that move at one constant velocity through the step.
 *
 * A stage stands `reach` seconds behind the start of the step and is described by
 *
 *   displacement from q:  move + cq z,    velocity:  drift + cv z,    acceleration:  w + cm z. */
#ifndef PL_ODE_STEPPER_H
#define PL_ODE_STEPPER_H

#include "ode/newton.h"

enum { PL_STEPPER_STAGES = 5 };

typedef struct pl_stepper {
  pl_newton newton;
  double *z;                /* in: where Newton starts; out: the stage's velocity         */
  double *move, *drift, *w; /* to be filled for every stage (and changed by solving it)   */
  double *held;             /* the velocity of held nodes in this step, v elsewhere       */
  double *start;            /* where the stage's base lies: q moved by move               */
  double *rate;             /* history: how v changed over the last step, m/s^2           */
  // what an earlier pass over the same step has found for its stages (pl_system.pass)
  int stage, stages, is_known; /* the one that is next, how many there are, whether it has */
  double *found[PL_STEPPER_STAGES], measure[PL_STEPPER_STAGES];
} pl_stepper;

typedef struct pl_velocity_stage {
  double t, reach, cq, cv, cm;
  const double *loads; /* external forces in place of those at the stage; NULL: the stage's own */
  double share;        /* of its forces in the step's, may be negative; 0: all */
} pl_velocity_stage;

/* For integrators whose state is a stepper, or begins with one; those with several stages have said
 * how many. */
pl_status pl_stepper_create(pl_integrator *integrator, pl_error *error);

/* To be called first in a step from (q, v) at t to t + h. */
void pl_stepper_begin(pl_stepper *stepper, pl_system *system, double t, double h, const double *q,
                      const double *v);

/* z = the velocity to expect reach seconds behind the start. */
void pl_stepper_expect(pl_stepper *stepper, const pl_integrator *integrator, pl_system *system,
                       double reach, const double *v);

/* Solves a stage of the step of length h from (q, v). */
pl_status pl_stepper_solve(pl_stepper *stepper, pl_system *system, const pl_velocity_stage *stage,
                           double h, const double *q, const double *v, pl_step_report *report,
                           pl_error *error);

/* The RMS size of the second derivative of v over this step, which ends with v1, and the last one,
 * m/s^3; without a last one the larger |v1 - v| / h^2. */
double pl_stepper_bend(const pl_stepper *stepper, const pl_integrator *integrator,
                       const pl_system *system, double h, const double *v1, const double *v);

/* Ends the step: q is moved by dq, v becomes v1; held nodes are where they must be. dq is changed
 * at held nodes; dq and v1 may be vectors of the stepper other than held and rate. */
void pl_stepper_end(pl_stepper *stepper, pl_integrator *integrator, pl_system *system, double h,
                    double *dq, const double *v1, double *q, double *v);

#endif

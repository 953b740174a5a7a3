/* A step of the two-stage, stiffly accurate, diagonally implicit Runge-Kutta method of order 2;
 * multi-step methods begin with it. */
#ifndef PL_ODE_SDIRK_H
#define PL_ODE_SDIRK_H

#include "ode/stepper.h"

/* From (q, v) at t to t + h. Leaves the displacement in stepper->move and the new velocity in
 * stepper->z: the caller ends the step. dq is scratch. */
pl_status pl_sdirk_stages(pl_stepper *stepper, const pl_integrator *integrator, pl_system *system,
                          double t, double h, const double *q, const double *v, double *dq,
                          pl_step_report *report, pl_error *error);

#endif

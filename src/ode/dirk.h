/* Diagonally implicit Runge-Kutta methods from their tableaux, all implicit stages with the same
 * matrix and the last stage at the end of the step:
 *
 *   v_i = v0 + h sum_j a_ij A_j,    q_i = q0 + h sum_j a_ij v_j,    M A_i = f(t + c_i h, q_i, v_i).
 *
 * A first stage may be explicit: then it is the start of the step, with v_0 = v0 and an
 * acceleration A_0 that the caller knows. */
#ifndef PL_ODE_DIRK_H
#define PL_ODE_DIRK_H

#include "ode/stepper.h"

enum { PL_DIRK_STAGES = 5 };

typedef struct pl_dirk_table {
  int stages, is_explicit_first;
  double diagonal;
  double a[PL_DIRK_STAGES][PL_DIRK_STAGES]; /* below the diagonal */
  double embedded[PL_DIRK_STAGES];          /* weights of a method of lower order */
} pl_dirk_table;

/* Hairer & Wanner 1996, table IV.6.5: order 4, L-stable. */
extern const pl_dirk_table pl_dirk_sdirk4;

/* Velocities and accelerations of the stages; the last one's velocity stands in the stepper's z. */
typedef struct pl_dirk {
  double *v[PL_DIRK_STAGES], *a[PL_DIRK_STAGES];
} pl_dirk;

pl_status pl_dirk_create(pl_dirk *self, pl_integrator *integrator, int stages, pl_error *error);

/* From (q, v) at t to t + h. Leaves the displacement in stepper->move and the new velocity in
 * stepper->z: the caller ends the step. share: of its forces in the step's. */
pl_status pl_dirk_stages(const pl_dirk *self, const pl_dirk_table *table, pl_stepper *stepper,
                         const pl_integrator *integrator, pl_system *system, double t, double h,
                         double share, const double *q, const double *v, pl_step_report *report,
                         pl_error *error);

#endif

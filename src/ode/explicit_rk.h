/* What explicit Runge-Kutta methods share: their step follows from their tableau (explicit_rk.c).
 */
#ifndef PL_ODE_EXPLICIT_RK_H
#define PL_ODE_EXPLICIT_RK_H

#include "ode/integrator.h"

enum { PL_RK_STAGES = 12 };

typedef struct pl_rk_table {
  int stages;
  double a[PL_RK_STAGES][PL_RK_STAGES], b[PL_RK_STAGES];
  double last; /* the weight of the last stage in the error estimate; 0: error and coarse are */
  /* Weights less those of the method of order 5 and less those of order 3 (Hairer, Norsett &
   * Wanner 1993, II.10): the estimate is e5^2 / sqrt(e5^2 + 0.01 e3^2). */
  double error[PL_RK_STAGES], coarse[PL_RK_STAGES];
} pl_rk_table;

typedef struct pl_rk {
  // rows 0 .. stages - 1: the stages; row stages: the end of the step
  double c[PL_RK_STAGES + 1], to_v[PL_RK_STAGES + 1][PL_RK_STAGES];
  double to_q[PL_RK_STAGES + 1][PL_RK_STAGES];
  double *k[PL_RK_STAGES], *q, *v, *dq;
} pl_rk;

/* The largest stable step, s, for a mode of this frequency and damping, 1/s. */
double pl_rk_critical(const pl_rk_table *table, double frequency, double damping);

pl_status pl_rk_create(pl_integrator *self, pl_error *error);
pl_status pl_rk_step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                     double *v, pl_step_report *report, pl_error *error);

#endif

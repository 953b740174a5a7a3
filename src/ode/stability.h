/* What limits the step of explicit methods: the largest frequency and the largest damping of the
 * system, found by power iterations on differences of forces. */
#ifndef PL_ODE_STABILITY_H
#define PL_ODE_STABILITY_H

#include "ode/integrator.h"

/* Room of the power iterations, vectors of the system. */
typedef struct pl_power {
  double *mode;          /* where they start, and the eigenvector at the end */
  double *dq, *next, *a; /* scratch */
  const double *a0;      /* the acceleration at the state in hand */
} pl_power;

/* A start that is no eigenvector and has all of them in it. */
void pl_power_start(double *mode, int blocks);

/* a = P M^-1 f at (t, q, v). */
void pl_accelerate(pl_system *system, double t, const double *q, const double *v, double *a);

/* The largest eigenvalue of the acceleration's derivative with respect to q (of_velocity = 0),
 * 1/s^2, or v, 1/s; from below, nearer with more iterations. */
double pl_largest_eigenvalue(const pl_power *room, pl_system *system, double t, const double *q,
                             const double *v, int of_velocity, int iterations);

/* A bound of the spectral radius, 1/s, with some safety: for the modes of M q'' + D q' + K q = 0 it
 * is at most the larger of sqrt(|M^-1 K|) and |M^-1 D|. room->mode and mode_v: where the power
 * iterations by q and by v start and end. */
double pl_spectral_radius(const pl_power *room, double *mode_v, pl_system *system, double t,
                          const double *q, const double *v, int iterations);

/* A step of stabilised methods would take more stages than are allowed. */
pl_status pl_fail_stages(double h, double radius, double stages, pl_error *error);

#endif

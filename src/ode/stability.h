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

/* ---- stabilised methods: as many stages as the spectral radius asks for ---- */

/* Their parameters. */
enum { PL_STAGES_MOST, PL_STAGES_EVERY, PL_STAGES_PARAM_COUNT };
#define PL_STAGES_PARAMS(preset_most, least, most)                                                 \
  {.name = "stages",                                                                               \
   .unit = "count",                                                                                \
   .summary = "most stages of a step; a step that needs more fails",                               \
   .preset = preset_most,                                                                          \
   .min = least,                                                                                   \
   .max = most},                                                                                   \
  {                                                                                                \
    .name = "estimate-every", .unit = "count",                                                     \
    .summary = "steps between two estimates of the spectral radius", .preset = 20, .min = 1,       \
    .max = 1e6                                                                                     \
  }

/* Their states begin with it: the history, where the power iterations stand. */
typedef struct pl_stages {
  double *mode_q, *mode_v;
} pl_stages;

/* Own numbers of the past: the last estimate of the spectral radius, 1/s; steps since the first. */
enum { PL_STAGES_RADIUS, PL_STAGES_AGE, PL_STAGES_HISTORY = 2 };

pl_status pl_stages_create(pl_integrator *self, pl_error *error);
void pl_stages_begin(pl_integrator *self);

/* Should the radius be estimated before this step? Estimates it: the room has no mode of its own.
 */
int pl_stages_are_due(const pl_integrator *self);
void pl_stages_estimate(pl_integrator *self, pl_power room, pl_system *system, double t,
                        const double *q, const double *v);

/* A step would take more stages than are allowed. */
pl_status pl_fail_stages(double h, double radius, double stages, pl_error *error);

#endif

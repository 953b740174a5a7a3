/* Newton's method for the stage of an implicit integrator.
 *
 * Every implicit method asks for a vector z with
 *
 *   G(z) = M (cm z + w) - f(t, q(z), v(z)) = 0,     q(z) = q0 moved by cq z,   v(z) = v0 + cv z,
 *
 * and differs only in the constants: implicit Euler has z = new velocity, cq = h, cv = 1, cm = 1/h,
 * w = -v/h; statics has z = displacement, cq = 1, cv = cm = 0. The linear systems are
 *
 *   (cm M + cq K + cv D) dz = -G(z),                K = -df/dq,   D = -df/dv.
 *
 * Inexact simplified Newton: a solve leaves the part `forcing` of the residual, and a matrix may
 * serve several iterations, stages and steps. With s_k the k-th increment the monitor watches
 * T = |s_k| / |s_{k-1}|: all further increments together are about T / (1 - T) |s_k|. Where the
 * full increment goes too far a line search shortens it.
 *
 * Guarded (system->safe is there): nothing may pass through anything else on the way. So z starts
 * where q(z) is the last configuration that is known to be good, whatever the guess. An increment
 * is first cut to the part that continuous detection lets through (system->ops->limit), then
 * searched along. The slope dz . G is that of the potential
 *
 *   Phi(z) = cm/2 z M z + w M z + U(q(z))/cq + R(v(z))/cv,   grad Phi = G,
 *
 * which serves stages of any method (Li et al. 2020 have it for implicit Euler); its values are not
 * needed, so that forces without a potential are served as well. Nothing is accepted before a whole
 * increment: with it all that moves by itself has arrived. Convergence is measured by the forces at
 * the start and by the outer ones, since the residual on the way may be larger by any factor.
 *
 * Hauth 2004, 3.3 (there for the first-order system; the reduction to z is his 3.4.1). */
#ifndef PL_ODE_NEWTON_H
#define PL_ODE_NEWTON_H

#include "ode/integrator.h"

typedef struct pl_stage {
  double t, cq, cv, cm;
  const double *q0, *v0, *w; /* v0 and w may be NULL: zero */
  const double *prescribed;  /* what z must be at constrained nodes */
  const double *guess;       /* what z will be near; NULL: zero */
  const double *other_guess; /* taken if it leaves a smaller residual; NULL: none */
  const double *loads;       /* external forces in place of those at (t, q(z), v(z)); NULL: those */
  double reference; /* z begins where an earlier pass has ended, whose measure this was, N; or 0 */
  int is_trial;     /* what one linear solve leaves will do */
  int keeps;        /* the last matrix was made for the same forces, but for motion */
} pl_stage;

typedef struct pl_newton {
  int iterations;    /* 1: linearly implicit, nothing is checked */
  double tolerance;  /* on |P G|, relative to the first one */
  int semidefinite;  /* 0: exact tangent, replaced where it turns out indefinite */
  int projection;    /* the semidefinite tangent: 1 clamps, 2 takes absolute values (point.h) */
  int reuse;         /* 0: a new matrix in every iteration; 1: in every stage; 2: where it pays */
  double floor;      /* |P G| below this counts as converged, N */
  double forcing;    /* how far linear solves go; the loop itself removes the rest */
  double min_step;   /* so does an increment of z that is shorter than this */
  double reference;  /* out: the first |P G|, N */
  double cancelling; /* what rounding may leave of the forces that cancel in G, N */
  int stuck; /* guarded: increments in succession of which next to nothing was let through */
  double *q, *v, *r, *dz, *trial, *rest, *work; /* vectors of the integrator's workspace */
  struct {
    int is_next, rest, pause; /* how many iterations are without it; and after the next failure */
  } exact;                    /* guarded: the exact tangent */
  // the matrix that is there: of which stage, and whether it is worth keeping
  double cm, cq, cv;
  double folded; /* whose constraints it was folded with; 0: none */
  int is_kept;
  int age, refresh; /* stages that it has served, and may serve; 0: any number */
} pl_newton;

/* The rows that every implicit method's parameter table starts with, and their places. */
#define PL_NEWTON_PARAMS(newton_preset, tolerance_preset, tangent_preset, matrix_preset)           \
  {.name = "newton",                                                                               \
   .unit = "count",                                                                                \
   .summary = "most Newton iterations; 1 is linearly implicit",                                    \
   .preset = newton_preset,                                                                        \
   .min = 1,                                                                                       \
   .max = 1000},                                                                                   \
      {.name = "newton-tolerance",                                                                 \
       .unit = "1",                                                                                \
       .summary = "Newton ends when the residual force has fallen by this factor",                 \
       .preset = tolerance_preset,                                                                 \
       .min = 1e-14,                                                                               \
       .max = 0.5},                                                                                \
      {.name = "tangent",                                                                          \
       .unit = "1",                                                                                \
       .summary =                                                                                  \
           "spd: without negative eigenvalues, never indefinite; exact: quadratic convergence",    \
       .preset = tangent_preset,                                                                   \
       .words = "spd|exact"},                                                                      \
      {.name = "matrix",                                                                           \
       .unit = "1",                                                                                \
       .summary = "how often it is recomputed; kept: only where convergence is slow",              \
       .preset = matrix_preset,                                                                    \
       .words = "every-iteration|every-stage|kept"},                                               \
      {.name = "refresh",                                                                          \
       .unit = "count",                                                                            \
       .summary = "steps after which a kept matrix, and with it corotated frames, is recomputed; " \
                  "0: where convergence is slow, or 10 with one iteration",                        \
       .preset = 0,                                                                                \
       .min = 0,                                                                                   \
       .max = 1e9},                                                                                \
      {.name = "newton-force",                                                                     \
       .unit = "N",                                                                                \
       .summary = "Newton also ends when the residual force is below this",                        \
       .preset = 0,                                                                                \
       .min = 0,                                                                                   \
       .max = 1e15},                                                                               \
      {.name = "newton-step",                                                                      \
       .unit = "m/s",                                                                              \
       .summary = "Newton also ends when its last increment, or what is expected of all "          \
                  "further ones, is shorter than this",                                            \
       .preset = 0,                                                                                \
       .min = 0,                                                                                   \
       .max = 1e15},                                                                               \
      {.name = "forcing",                                                                          \
       .unit = "1",                                                                                \
       .summary = "linear solves inside Newton leave this part of its residual; not below the "    \
                  "solver's tolerance",                                                            \
       .preset = 1e-3,                                                                             \
       .min = 1e-14,                                                                               \
       .max = 0.5},                                                                                \
  {                                                                                                \
    .name = "projection", .unit = "1",                                                             \
    .summary = "what negative eigenvalues of an spd tangent become: 0, or their absolute value, "  \
               "which is safer far from rest and slower near it",                                  \
    .words = "clamp|absolute"                                                                      \
  }
enum {
  PL_NEWTON_ITERATIONS,
  PL_NEWTON_TOLERANCE,
  PL_NEWTON_TANGENT,
  PL_NEWTON_MATRIX,
  PL_NEWTON_REFRESH,
  PL_NEWTON_FORCE,
  PL_NEWTON_STEP,
  PL_NEWTON_FORCING,
  PL_NEWTON_PROJECTION,
  PL_NEWTON_PARAM_COUNT
};

/* Takes the settings and the vectors from an integrator. */
pl_status pl_newton_create(pl_newton *newton, pl_integrator *integrator, pl_error *error);

/* For integrators whose state begins with a pl_newton: it has no matrix. */
void pl_newton_begin(pl_integrator *integrator);

/* For states that are saved: does the integrator keep its matrix over steps? If so, what it knows
 * of that matrix as numbers, and back. Whoever takes them back restores the matrix itself as well.
 */
enum { PL_KEPT_NUMBERS = 6 };
int pl_newton_keeps(const pl_integrator *integrator);
void pl_newton_put(const pl_integrator *integrator, double numbers[PL_KEPT_NUMBERS]);
void pl_newton_take(pl_integrator *integrator, const double numbers[PL_KEPT_NUMBERS]);

/* r = -G(z), filtered; A too if wanted. */
void pl_newton_residual(pl_newton *newton, pl_system *system, const pl_stage *stage,
                        const double *z, pl_bsr *A, int semidefinite);

/* Guarded: how much of the increment is let through; what it moves is no longer than that. */
pl_status pl_newton_limit(pl_newton *newton, pl_system *system, const pl_stage *stage, double *max,
                          pl_step_report *report, pl_error *error);

/* Moves z along dz: the whole way, or as far as it may go, unless the slope of the potential has
 * turned steeply upwards there (which says nothing where the matrix predicts), the forces are not
 * finite or an equilibrium would be sought beyond an infinite energy. Then less far: to where a
 * quadratic model of the potential has its minimum, and from the second time on a cubic one, both
 * kept within a part of the way. */
double pl_newton_search(pl_newton *newton, pl_system *system, const pl_stage *stage, double *z,
                        double slope, double max);

/* Guarded: z has gone the whole way along dz. As long as the slope is more than half of what it was
 * it goes on, twice as far each time: a semidefinite tangent is too stiff by any factor where the
 * potential is not convex, and a solve costs more than to look ahead. */
pl_status pl_newton_go_on(pl_newton *newton, pl_system *system, const pl_stage *stage, double slope,
                          double *z, double *part, pl_step_report *report, pl_error *error);

/* z: where to linearise first (constrained nodes may be anywhere); on success the solution. */
pl_status pl_newton_solve(pl_newton *newton, pl_system *system, const pl_stage *stage, double *z,
                          pl_step_report *report, pl_error *error);

/* Has the exact matrix of the stage at z a direction of negative curvature? A solve whose right
 * side has a part in all directions meets it. */
int pl_newton_is_indefinite(pl_newton *newton, pl_system *system, const pl_stage *stage,
                            const double *z, pl_step_report *report);

/* Adds the constraint forces of the stage that was solved last to those of the step. */
void pl_newton_react(pl_system *system, double share);

/* How many iterations of the linear solver the step has left; infinite without a budget. */
double pl_system_budget(const pl_system *system, const pl_step_report *report);

/* What the system's folded1 says of q. */
int pl_system_folded1(pl_system *system, const double *q);

/* Solves A x = b of the system to tolerance times scale. x holds a first guess and the prescribed
 * part. fresh: A has new values since the last solve. An exhausted iteration budget is no error:
 * the report has the residual. */
pl_status pl_system_solve(pl_system *system, int fresh, const double *b, double *x, double scale,
                          double tolerance, pl_step_report *report, pl_error *error);

#endif

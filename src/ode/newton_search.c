/* How far Newton's method goes along an increment; newton.h says what is computed. */
#include "core/error.h"
#include "ode/newton.h"
#include "ode/share.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_SEARCHES = 12, MOST_STRIDES = 6 };

/* What is let through of an increment that is stuck, and how many of those are too many. */
static const double nothing = 1e-6;
enum { MOST_STUCK = 3 };

/* Can q be no equilibrium, since something is inside out? In motion such states pass. */
static int is_folded(const pl_newton *newton, pl_system *system, const pl_stage *stage)
{
  return stage->cm == 0 && pl_system_folded1(system, newton->q);
}

/* trial = z + s dz, r = -G there; returns the slope dz . r, NaN where it must not go. */
static double slope_at(pl_newton *newton, pl_system *system, const pl_stage *stage, const double *z,
                       double s, int may_fold)
{
  pl_combine(z, s, newton->dz, newton->trial, system->blocks, system->pool);
  if (system->safe) system->ops->go(system, s);
  pl_newton_residual(newton, system, stage, newton->trial, NULL, 0);
  if (!may_fold && is_folded(newton, system, stage)) return NAN;
  pl_filter_force(&system->filter, newton->r);
  return pl_system_dot(system, newton->dz, newton->r);
}

/* Where the slope vanishes by the cubic model of the potential: that is the parabola through the
 * slopes f0 at 0, fa at a and fb at b. NaN where it has no such place. */
static double cubic_model(double f0, double a, double fa, double b, double fb)
{
  double ra = (fa - f0) / a, rb = (fb - f0) / b;
  double c2 = (ra - rb) / (a - b), c1 = ra - c2 * a;
  return 2 * f0 / (sqrt(c1 * c1 - 4 * c2 * f0) - c1);
}

pl_status pl_newton_limit(pl_newton *newton, pl_system *system, const pl_stage *stage, double *max,
                          pl_step_report *report, pl_error *error)
{
  int worst1 = 0;
  *max = 1;
  if (!system->safe || stage->cq == 0) return PL_OK;
  pl_combine(NULL, stage->cq, newton->dz, newton->work, system->blocks, system->pool);
  pl_status status =
      system->ops->limit(system, stage->t, newton->q, newton->work, max, &worst1, error);
  newton->stuck = *max < nothing ? newton->stuck + 1 : 0;
  if (status || newton->stuck < MOST_STUCK) return status;
  report->worst_block1 = worst1;
  return pl_fail(
      error, PL_E_CONVERGENCE,
      "contact is stuck: nothing of Newton's increments is free of intersection (%.1e of "
      "the last one); take smaller steps, or let what moves by itself stop earlier",
      *max);
}

/* Guarded, and the whole way is too far: barriers rise so steeply that a model of the potential
 * says nothing. Halves the way between what is near enough and what is too far until the slope has
 * fallen to half of what it was, or a quarter of the way is left: a pair that the increment would
 * run into must come within its range, else the next increment leads there again. */
static double bisect(pl_newton *newton, pl_system *system, const pl_stage *stage, double slope,
                     double max, const double *z)
{
  int may_fold = is_folded(newton, system, stage);
  double low = 0, high = max, s = max, now = NAN;
  for (int i = 0; i < MOST_SEARCHES && high - low > 0.25 * high && !(now <= 0.5 * slope); i++) {
    s = 0.5 * (low + high);
    now = slope_at(newton, system, stage, z, s, may_fold);
    if (now >= -0.5 * slope)
      low = s;
    else
      high = s, now = NAN;
  }
  if (low > 0 && s != low) (void)slope_at(newton, system, stage, z, low, may_fold);
  return low > 0 ? low : s;
}

double pl_newton_search(pl_newton *newton, pl_system *system, const pl_stage *stage, double *z,
                        double slope, double max)
{
  // what is inside out already may come back any way it can
  int may_fold = is_folded(newton, system, stage);
  double s = max, now = slope_at(newton, system, stage, z, s, may_fold), last = 0, then = NAN;
  int is_far = slope > 0 && !(now >= -0.5 * slope);
  if (system->safe && is_far) s = bisect(newton, system, stage, slope, max, z);
  for (int i = 0; i < MOST_SEARCHES && slope > 0 && !system->safe; i++) {
    int will_do = now >= -0.5 * slope || system->predicts;
    if (isfinite(now) && will_do) break;
    double next = isfinite(then) ? cubic_model(slope, s, now, last, then) : NAN;
    if (!isfinite(next)) next = s * slope / (slope - now);
    if (!isfinite(now)) next = 0.5 * s;
    last = s;
    then = now;
    s = fmin(fmax(next, 0.1 * s), 0.9 * s);
    now = slope_at(newton, system, stage, z, s, may_fold);
  }
  memcpy(z, newton->trial, (size_t)system->blocks * 3 * sizeof *z);
  return s;
}

pl_status pl_newton_go_on(pl_newton *newton, pl_system *system, const pl_stage *stage, double slope,
                          double *z, double *part, pl_step_report *report, pl_error *error)
{
  int n = system->blocks;
  for (int i = 0; i < MOST_STRIDES && *part == 1 && slope > 0; i++, slope *= 2) {
    double max, now = pl_system_dot(system, newton->dz, newton->r);
    if (!(now > 0.5 * slope)) break;
    pl_axpy(1, newton->dz, newton->dz, n, system->pool);
    pl_status status = pl_newton_limit(newton, system, stage, &max, report, error);
    if (status) return status;
    *part = pl_newton_search(newton, system, stage, z, 2 * now, max);
  }
  return PL_OK;
}

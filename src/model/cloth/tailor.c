/* Measured curves with friction; the formulas stand in tailor.h. */
#include "model/cloth/tailor.h"

#include "math/functions.h"

#include <math.h>

/* The piece that a strain is in: 0 to count - 2. */
static int piece_of(const pl_curve *curve, double strain)
{
  int i = 0;
  while (i + 2 < curve->count && strain > curve->strains[i + 1]) i++;
  return i;
}

static double slope_of(const pl_curve *curve, int i)
{
  return (curve->forces[i + 1] - curve->forces[i]) / (curve->strains[i + 1] - curve->strains[i]);
}

/* The integral of the force from the curve's first point on. */
static double integral(const pl_curve *curve, double strain)
{
  const double *e = curve->strains, *f = curve->forces;
  int last = piece_of(curve, strain);
  double sum = 0;
  for (int i = 0; i < last; i++) sum += 0.5 * (f[i] + f[i + 1]) * (e[i + 1] - e[i]);
  double way = strain - e[last];
  return sum + way * (f[last] + 0.5 * slope_of(curve, last) * way);
}

/* e^-x of a number that is not negative. */
static double decay(double x) { return x > 700 ? 0 : pl_pow(2.718281828459045, -x); }

static double friction_at(const pl_curve *curve, const double *past, double strain,
                          pl_curve_point *to)
{
  const double most = curve->friction, L = curve->turn;
  const double start = past ? past[0] : 0, way = strain - (past ? past[1] : 0);
  const double s = way < 0 ? -1 : 1, x = fabs(way), left = decay(x / L), off = start - s * most;
  const double force = s * most + off * left;
  if (!to) return force;
  to->energy += most * x + s * off * L * (1 - left);
  to->force += force;
  to->slope += (most - s * start) / L * left;
  return force;
}

pl_curve_point pl_curve_at(const pl_curve *curve, const double *past, double strain)
{
  const int mirrored = curve->is_odd && strain < 0;
  const double e = mirrored ? -strain : strain;
  const int i = piece_of(curve, e);
  const double slope = slope_of(curve, i);
  const double force = curve->forces[i] + slope * (e - curve->strains[i]);
  pl_curve_point out = {integral(curve, e) - integral(curve, 0), mirrored ? -force : force, slope};
  if (curve->friction > 0) friction_at(curve, past, strain, &out);
  return out;
}

void pl_curve_advance(const pl_curve *curve, double strain, double *past)
{
  if (!(curve->friction > 0)) return;
  past[0] = friction_at(curve, past, strain, 0);
  past[1] = strain;
}

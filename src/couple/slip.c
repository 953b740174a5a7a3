/* One slip law for contact between bodies and with obstacles. */
#include "couple/slip.h"

#include "math/vec3.h"

#include <math.h>

#define DAMPED 0.2 /* part of critical damping of the tangential spring */

pl_slip pl_slip_at(double stiffness, double mass, double bound, const double s[3],
                   const double u[3])
{
  pl_slip at = {.k = PL_STICK * stiffness};
  at.c = 2 * DAMPED * sqrt(at.k * mass);
  for (int i = 0; i < 3; i++) at.along[i] = -at.k * s[i] - at.c * u[i];
  double size = pl_vec3_norm(at.along), y = size / (2 * bound);
  at.left = y < 1 ? 1 - 0.5 * y : bound / size;
  at.radial = y < 1 ? 1 - y : 0;
  pl_vec3_scale(at.left, at.along, at.force);
  if (size > 0) pl_vec3_scale(1 / size, at.along, at.along);
  return at;
}

void pl_slip_tangent(const pl_slip *at, const double normal[3], double scale, double T[9])
{
  for (int e = 0; e < 9; e++) {
    double along = at->along[e / 3] * at->along[e % 3];
    double P = (e % 4 == 0) - normal[e / 3] * normal[e % 3];
    T[e] = scale * (at->left * (P - along) + at->radial * along);
  }
}

double pl_slip_at_rest(double stiffness, double bound, double s)
{
  double y = PL_STICK * stiffness * s / (2 * bound);
  return y < 1 ? bound * (2 * y - y * y) : bound;
}

void pl_slip_keep(double stiffness, double bound, const double s[3], double kept[3])
{
  double size = pl_vec3_norm(s), max = 2 * bound / (PL_STICK * stiffness);
  pl_vec3_scale(size > max ? max / size : 1, s, kept);
}

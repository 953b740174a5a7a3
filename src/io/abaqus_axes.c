/* Axes of the material by the orientations of Abaqus (keywords reference guide, *ORIENTATION). */
#include "io/abaqus.h"

#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static int to_unit(double a[3])
{
  double length = pl_vec3_norm(a);
  if (!(length > 0) || !isfinite(length)) return 0;
  pl_vec3_scale(1 / length, a, a);
  return 1;
}

/* Makes a and b unit vectors at a right angle. */
static int to_axes(double a[3], double b[3])
{
  if (!to_unit(a)) return 0;
  pl_vec3_add_scaled(-pl_vec3_dot(a, b), a, b);
  return to_unit(b);
}

/* Away from the line through a and b, and around it. */
static int around(const pl_abaqus_system *system, const double at[3], double first[3],
                  double second[3])
{
  double axis[3];
  pl_vec3_sub(system->b, system->a, axis);
  pl_vec3_sub(at, system->a, first);
  if (!to_unit(axis)) return 0;
  pl_vec3_add_scaled(-pl_vec3_dot(axis, first), axis, first);
  pl_vec3_cross(axis, first, second);
  return to_axes(first, second);
}

/* Turns both about an axis of their own. */
static void turn(const pl_abaqus_system *system, double first[3], double second[3])
{
  double axes[3][3], cross[3], angle = system->angle * (PL_PI / 180);
  const double *about = axes[system->about - 1];
  memcpy(axes[0], first, sizeof axes[0]);
  memcpy(axes[1], second, sizeof axes[1]);
  pl_vec3_cross(first, second, axes[2]);
  double *both[2] = {first, second}, c = pl_cos(angle), s = pl_sin(angle);
  for (int i = 0; i < 2 && system->angle != 0; i++) {
    double along = pl_vec3_dot(about, axes[i]);
    pl_vec3_cross(about, axes[i], cross);
    for (int k = 0; k < 3; k++)
      both[i][k] = c * axes[i][k] + s * cross[k] + (1 - c) * along * about[k];
  }
}

void pl_abaqus_axes(const pl_abaqus_system *system, const double at[3], double axes[6])
{
  double first[3], second[3];
  pl_vec3_sub(system->a, system->c, first);
  pl_vec3_sub(system->b, system->c, second);
  int is_there = system->is_round && !system->table.size ? around(system, at, first, second)
                                                         : to_axes(first, second);
  memset(axes, 0, 6 * sizeof *axes);
  if (!is_there) return;
  turn(system, first, second);
  memcpy(axes, first, sizeof first);
  memcpy(axes + 3, second, sizeof second);
}

/* Directions that are held: sums and triangular solves with Gram & Schmidt's basis. Where the given
 * directions are axes, everything is exact. */
#include "world/grip.h"

#include "math/vec3.h"
#include "world/world.h"

static const double least_sine = 1e-7; /* between a new direction and those that are held */

void pl_grip_add(pl_grip *grip, int code, const double direction[3])
{
  int at = grip->count;
  double rest[3];
  if (at == 3) return;
  pl_vec3_copy(direction, rest);
  for (int m = 0; m < at; m++) {
    grip->mix[at][m] = pl_vec3_dot(direction, grip->basis[m]);
    pl_vec3_add_scaled(-grip->mix[at][m], grip->basis[m], rest);
  }
  double length = pl_vec3_norm(rest);
  if (length < least_sine) return;
  grip->codes[at] = code;
  grip->mix[at][at] = length;
  pl_vec3_copy(direction, grip->given[at]);
  pl_vec3_scale(1 / length, rest, grip->basis[at]);
  grip->count++;
}

void pl_grip_find(const pl_world *world, int block, pl_grip *grip)
{
  const int *holder = world->holders + 3 * (size_t)block;
  grip->count = 0;
  for (int i = 0; i < 3 && holder[i]; i++) {
    int code = holder[i] - 1;
    pl_grip_add(grip, holder[i], world->fixes[code / 3].hold[code % 3]);
  }
}

void pl_grip_free(const pl_grip *grip, double x[3])
{
  for (int m = 0; m < grip->count; m++)
    pl_vec3_add_scaled(-pl_vec3_dot(grip->basis[m], x), grip->basis[m], x);
}

void pl_grip_fill(const pl_grip *grip, const double products[3], double x[3])
{
  double along[3];
  for (int i = 0; i < grip->count; i++) {
    along[i] = products[i];
    for (int m = 0; m < i; m++) along[i] -= grip->mix[i][m] * along[m];
    along[i] /= grip->mix[i][i];
    pl_vec3_add_scaled(along[i], grip->basis[i], x);
  }
}

void pl_grip_split(const pl_grip *grip, const double force[3], double shares[3])
{
  for (int m = grip->count - 1; m >= 0; m--) {
    shares[m] = pl_vec3_dot(force, grip->basis[m]);
    for (int i = m + 1; i < grip->count; i++) shares[m] -= grip->mix[i][m] * shares[i];
    shares[m] /= grip->mix[m][m];
  }
}

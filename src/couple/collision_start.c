/* Pairs that begin a substep deep inside, and rigid bodies that begin within the range of
 * something.
 *
 * A pair of the latter would push as if it had been pressed together, and throw the bodies apart.
 * So their surfaces lie deeper at first, by as much as the pair that is nearest is within the
 * range, and rise to their place within RISE seconds: with r / RISE, from where nothing flies on.
 * Whether a body is new, and how deep its surface lies, is remembered in a slot behind those of its
 * points: {0, is known, depth, 0}. */
#include "couple/collision.h"

#include <math.h>

#define OUT  1.0  /* m/s: how fast what starts inside is pushed out */
#define RISE 0.1  /* s */
#define NEW  -1.0 /* in place of a depth */

/* Where the slots of a body end that begin here; its own is the last one. */
static double *end_of(const pl_collision *self, int b, double *begin)
{
  size_t count = pl_collision_slots(&self->is.base.bodies->list[b]);
  return begin + self->is.base.ops->remembers.per_point * count;
}

static double *own(const pl_collision *self, double *end)
{
  return end - self->is.base.ops->remembers.per_point;
}

void pl_collision_recall(pl_collision *self, const pl_substep *step)
{
  double *end = self->is.base.memory;
  for (int b = 0; b < self->surface_count; b++) {
    end = end_of(self, b, end);
    self->sunk[b] = 0;
    if (!pl_collision_is_rigid(self, b) || step->system->is_static) continue;
    const double *kept = own(self, end);
    self->sunk[b] = kept[1] > 0 ? kept[2] : NEW;
  }
}

/* How far a gap is within the range. */
static double within(const pl_collision *self, double gap)
{
  return fmin(fmax(self->range - gap, 0), self->range);
}

double pl_collision_sunk(const pl_collision *self, const pl_collision_pair *pair)
{
  double first = self->sunk[pair->surfaces[0]];
  double second = pair->obstacle ? 0 : self->sunk[pair->surfaces[1]];
  if (first == NEW || second == NEW) return within(self, pair->gap);
  return fmax(first, second);
}

void pl_collision_shift(const pl_collision *self, const pl_substep *step, pl_collision_pair *to)
{
  double out = step->system->is_static ? INFINITY : OUT * step->h;
  to->start = to->gap;
  to->shift = fmin(-pl_collision_sunk(self, to), to->gap + out);
  to->gap -= to->shift;
}

/* How deep a new body turns out to lie. */
static double find_depth(const pl_collision *self, int b)
{
  double depth = 0;
  for (size_t i = 0; i < self->pair_count; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    if (pair->surfaces[0] == b || pair->surfaces[1] == b)
      depth = fmax(depth, within(self, pair->start));
  }
  return depth;
}

void pl_collision_rise(pl_collision *self, const pl_substep *step)
{
  double *end = self->is.base.memory;
  for (int b = 0; b < self->surface_count; b++) {
    end = end_of(self, b, end);
    if (!pl_collision_is_rigid(self, b)) continue;
    double depth = self->sunk[b] == NEW ? find_depth(self, b) : self->sunk[b];
    own(self, end)[1] = 1;
    own(self, end)[2] = fmax(depth - self->range * step->h / RISE, 0);
  }
}

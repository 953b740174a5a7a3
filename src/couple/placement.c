/* The coupling "placement": it acts on nothing, but remembers. Its numbers: two times, then origin
 * and quaternion of the place at each; all zero: the obstacle was never moved. */
#include "couple/placement.h"

#include "math/rotation.h"
#include "math/vec3.h"

enum { START = 0, END = 1, FROM = 2, TO = 9, MEMORY = 16 };

static size_t memory(const pl_coupling *self)
{
  (void)self;
  return MEMORY;
}

int pl_placement_exists(const pl_placement *placement)
{
  const double *kept = placement->base.memory;
  return kept && kept[END] > kept[START];
}

static void unpack(const double *from, pl_place *place)
{
  double q[4], length = sqrt(pl_vec3_dot(from + 3, from + 3) + from[6] * from[6]);
  pl_vec3_copy(from, place->origin);
  for (int k = 0; k < 4; k++) q[k] = length > 0 ? from[3 + k] / length : (k == 3);
  pl_quat_matrix(q, place->R);
}

static void pack(const pl_place *place, double *to)
{
  pl_vec3_copy(place->origin, to);
  pl_quat_of_matrix(place->R, to + 3);
}

void pl_placement_pose(const pl_placement *placement, double t, pl_axes *pose)
{
  const double *kept = placement->base.memory;
  pl_place from, to;
  pl_axes_rest(pose);
  if (!pl_placement_exists(placement)) return;
  double h = kept[END] - kept[START], s = fmin(fmax((t - kept[START]) / h, 0), 1);
  unpack(kept + FROM, &from);
  unpack(kept + TO, &to);
  // at its end it has arrived: nothing moves
  pl_axes_between(&from, &to, s, t < kept[END] ? h : 0, pose);
}

void pl_placement_set(pl_placement *placement, double t, double end, const pl_place *to)
{
  double *kept = placement->base.memory;
  pl_axes now;
  pl_placement_pose(placement, t, &now);
  kept[START] = t;
  kept[END] = end;
  pack(&now.place, kept + FROM);
  pack(to, kept + TO);
}

const pl_coupling_ops pl_coupling_placement = {
    .info = {"placement", "remembers where an obstacle was moved to", "", NULL, 0, NULL},
    .size = sizeof(pl_placement),
    .memory = memory,
};

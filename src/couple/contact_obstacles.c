/* The obstacles of the coupling "contact": adding, removing, asking for the nearest. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/contact.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void pl_contact_begin(pl_contact *contact, double t, double end)
{
  for (size_t i = 0; i < contact->count; i++) pl_obstacle_begin(&contact->obstacles[i], t, end);
}

void pl_meeting_place(pl_meeting *meeting, const double x[3], const double v[3],
                      const pl_axes *obstacle)
{
  pl_contact_point *at = &meeting->at;
  double w[3];
  pl_vec3_copy(x, at->point);
  pl_vec3_add_scaled(-0.5 * at->gap, at->normal, at->point);
  pl_axes_velocity(obstacle, x, w);
  pl_vec3_sub(v, w, at->slip);
  pl_vec3_add_scaled(-pl_vec3_dot(at->normal, at->slip), at->normal, at->slip);
}

double pl_contact_nearest(const pl_contact *contact, const double x[3], double normal[3])
{
  double min = INFINITY;
  for (size_t i = 0; i < contact->count; i++) {
    double n[3], gap = pl_obstacle_gap(&contact->obstacles[i], x, n);
    if (gap >= min) continue;
    min = gap;
    pl_vec3_copy(n, normal);
  }
  return min;
}

pl_status pl_contact_add(pl_contact *contact, const pl_obstacle_def *def, pl_error *error)
{
  const pl_allocator *allocator = contact->base.bodies->allocator;
  pl_obstacle made;
  void *memory = contact->obstacles;
  pl_status status = pl_obstacle_make(def, allocator, &made, error);
  if (status) return status;
  if (pl_reserve(allocator, &memory, &contact->room, contact->count + 1, sizeof made))
    status = pl_fail_memory(error);
  contact->obstacles = memory;
  if (status)
    pl_obstacle_release(allocator, &made);
  else
    contact->obstacles[contact->count++] = made;
  return status;
}

void pl_contact_remove(pl_contact *contact, size_t obstacle)
{
  pl_obstacle *from = contact->obstacles + obstacle;
  pl_obstacle_release(contact->base.bodies->allocator, from);
  memmove(from, from + 1, (--contact->count - obstacle) * sizeof *from);
}

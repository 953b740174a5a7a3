/* What is near behind barriers, with its forces, for those who ask. */
#include "couple/fence.h"
#include "math/vec3.h"

/* The friction of the pair with this key; pairs are sorted but for those that came later. */
static void add_friction(const pl_collision *is, uint64_t key, pl_contact_point *to)
{
  double force[3];
  for (size_t i = 0; i < is->pair_count; i++) {
    if (is->pairs[i].key != key) continue;
    pl_collision_rubbing(is, &is->pairs[i], force, to->slip);
    pl_vec3_add(to->force, force, to->force);
    return;
  }
}

static void list_pair(const pl_fence *self, const pl_proximity *pair, const pl_meeting_sink *to)
{
  const pl_collision *is = &self->is;
  pl_meeting meeting = {.body = pair->surfaces[0],
                        .other = pair->surfaces[1],
                        .obstacle = -1,
                        .at = {.gap = pair->gap}};
  int first = pair->kind == PL_EDGE_EDGE ? 2 : 1;
  double W[3];
  (void)pl_fence_law(self, pair, W, NULL);
  pl_vec3_copy(pair->normal, meeting.at.normal);
  pl_vec3_scale(-W[1], pair->normal, meeting.at.force);
  for (int i = 0; i < 4; i++)
    pl_vec3_add_scaled(i < first ? 0.5 * pair->weights[i] : -0.5 * pair->weights[i],
                       is->x + 3 * (size_t)pair->points[i], meeting.at.point);
  add_friction(is, pair->key, &meeting.at);
  to->take(to->context, &meeting);
}

static void list_point(const pl_fence *self, int point, int o, const pl_meeting_sink *to)
{
  const pl_collision *is = &self->is;
  const pl_obstacle *obstacle = &self->contact->obstacles[o];
  const double *x = is->x + 3 * (size_t)point, *v = is->v + 3 * (size_t)point;
  pl_barrier barrier = self->law;
  pl_meeting meeting = {.body = is->owner[point], .other = -1, .obstacle = o};
  double W[3], force[3], slip[3];
  meeting.at.gap = pl_fence_point_gap(self, obstacle, point, meeting.at.normal, NULL);
  if (!(meeting.at.gap < barrier.range)) return;
  barrier.stiffness = pl_fence_point_stiffness(self, point);
  pl_barrier_law_at(&barrier, meeting.at.gap, W);
  pl_vec3_scale(-W[1], meeting.at.normal, meeting.at.force);
  pl_meeting_place(&meeting, x, v, &obstacle->end);
  for (size_t i = 0; i < self->touch_count; i++) {
    const pl_fence_touch *touch = &self->touches[i];
    if (touch->point != point || touch->obstacle != o) continue;
    pl_fence_rubbing(self, touch, force, slip);
    pl_vec3_add(meeting.at.force, force, meeting.at.force);
  }
  to->take(to->context, &meeting);
}

void pl_fence_contacts(pl_coupling *base, const pl_moment *at, const pl_meeting_sink *to)
{
  pl_fence *self = (pl_fence *)base;
  pl_collision_place(&self->is, at->q, at->v);
  for (int i = 0; i < self->count; i++) list_pair(self, &self->list[i], to);
  for (size_t o = 0; self->contact && o < self->contact->count; o++) {
    for (int p = 0; p < self->is.point_count; p++) list_point(self, p, (int)o, to);
  }
}

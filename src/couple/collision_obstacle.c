/* How hard pairs are, and pairs with obstacles: of rigid bodies and of surfaces that follow. */
#include "couple/collision.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define HARD   100  /* of what stops a tenth of the points' speed: pairs of rigid bodies at most */
#define NEAR   2    /* ranges from an obstacle within which a point is watched */
#define SWAY   0.1  /* and part of its way */
#define SLIDES 0.02 /* of its body's size a second: a point that slips faster does not stick */
#define SLACK  0.01 /* ranges: what a way into an obstacle is followed to */

/* A point of a surface that is finer than the elements presses against a whole element, and must be
 * stiffer than that. */
static double pressing_area(const pl_collision *self, int point)
{
  return fmax(pl_collision_area(self, point), self->surfaces[self->owner[point]].support);
}

void pl_collision_choose_stiffness(const pl_collision *self, const pl_substep *step,
                                   pl_collision_pair *to)
{
  const int *p = to->points;
  double area = pressing_area(self, p[0]), mass = 0;
  if (to->kind == PL_EDGE_EDGE)
    area =
        (area + pressing_area(self, p[1]) + pressing_area(self, p[2]) + pressing_area(self, p[3])) /
        16;
  double E[2] = {self->modulus[to->surfaces[0]], 0};
  E[1] = to->obstacle ? E[0] : self->modulus[to->surfaces[1]];
  for (int i = 0; i < 4; i++) mass += to->weights[i] * to->weights[i] / self->mass[p[i]];
  if (to->obstacle) mass = 1 / to->mass;
  double stop = 0.1 / (mass * step->h * step->h); // a tenth of what stops them within h
  to->stiffness = 2 * E[0] * E[1] / (E[0] + E[1]) * area / self->range;
  if (!step->system->is_static) to->stiffness = fmax(to->stiffness, stop);
  to->stiffness *= self->is.set->stiffness;
  if (to->is_rigid && !step->system->is_static) to->stiffness = fmin(to->stiffness, HARD * stop);
  // explicit methods bear no more, and linearly implicit ones of higher order overshoot with more
  if (!step->system->A) to->stiffness = fmin(to->stiffness, stop);
  if (step->system->is_linear && step->system->order > 1)
    to->stiffness = fmin(to->stiffness, 10 * stop);
}

/* All points of a rigid body have the mass that is counted for each: where too stiff pairs cannot
 * be borne they share it. */
void pl_collision_share_stiffness(pl_collision *self, const pl_substep *step)
{
  int is_bound = !step->system->A || (step->system->is_linear && step->system->order > 1);
  double push, slope;
  if (!is_bound || step->system->is_static) return;
  for (size_t i = 0; i < self->pair_count; i++) {
    pl_collision_pair *pair = &self->pairs[i];
    int count = 0;
    for (size_t j = 0; j < self->pair_count && pair->is_rigid; j++) {
      const int *other = self->pairs[j].surfaces;
      count += other[0] == pair->surfaces[0] || other[1] == pair->surfaces[0] ||
               other[0] == pair->surfaces[1] || other[1] == pair->surfaces[1];
    }
    if (count < 2) continue;
    pair->stiffness /= count;
    (void)pl_collision_law(pair->gap, self->range, &push, &slope);
    pair->push = pair->stiffness * push;
  }
}

/* ---- obstacles ---- */

int pl_collision_meets_obstacles(const pl_collision *self, int b)
{
  const pl_contact *contact = self->contact;
  if (!contact || contact->mode == PL_CONTACT_NONE || !contact->count) return 0;
  return pl_collision_is_rigid(self, b) ||
         pl_contact_follows(contact, &self->is.base.bodies->list[b]);
}

/* May the point come near the obstacle? A distance changes by no more than the way is long. */
static int is_watched(const pl_collision *self, const pl_obstacle *obstacle, int point)
{
  const double *x = self->x + 3 * (size_t)point, *goes = self->to + 3 * (size_t)point;
  double ignored[3], way = pl_vec3_distance(x, goes), watched = NEAR * self->range + 1.1 * way;
  if (pl_obstacle_gap_in(obstacle, &obstacle->end, x, ignored, NULL) < watched) return 1;
  return obstacle->is_placed &&
         pl_obstacle_gap_in(obstacle, &obstacle->start, x, ignored, NULL) < watched;
}

/* Of a surface that follows, which may have very many points, those that are watched. */
static size_t count_watched(const pl_collision *self, int b)
{
  size_t sum = 0;
  int first = self->point_start[b], last = first + self->surfaces[b].point_count;
  for (size_t o = 0; o < self->contact->count; o++) {
    for (int p = first; p < last; p++)
      sum += (size_t)is_watched(self, &self->contact->obstacles[o], p);
  }
  return sum;
}

size_t pl_collision_obstacle_room(const pl_collision *self)
{
  size_t sum = 0;
  for (int b = 0; b < self->surface_count; b++) {
    if (!pl_collision_meets_obstacles(self, b)) continue;
    sum += pl_collision_is_rigid(self, b)
               ? self->contact->count * (size_t)self->surfaces[b].point_count
               : count_watched(self, b);
  }
  return sum;
}

void pl_collision_begin_obstacles(const pl_collision *self, const pl_substep *step)
{
  int any = 0;
  for (int b = 0; b < self->surface_count; b++) any |= pl_collision_meets_obstacles(self, b);
  if (!any) return;
  pl_contact_begin(self->contact, step->t, step->t + step->h);
  pl_collision_place_obstacles(self, step->t + step->h);
}

void pl_collision_place_obstacles(const pl_collision *self, double t)
{
  for (size_t o = 0; self->contact && o < self->contact->count; o++) {
    pl_obstacle *obstacle = &self->contact->obstacles[o];
    if (obstacle->is_placed) pl_obstacle_axes(obstacle, t, &obstacle->mid);
  }
}

/* 1 / (n J M^-1 J^T n) of a point of a rigid body. */
static double mass_along(pl_collision *self, const pl_substep *step, int b, int point,
                         const double n[3])
{
  const pl_body *body = &self->is.base.bodies->list[b];
  pl_body_point at = pl_boundary_point(&self->surfaces[b], body, b, point - self->point_start[b]);
  const double *q = step->q + 3 * (size_t)body->offset;
  double y[6], x[6], from[3] = {0};
  pl_jacobian_clear(&self->jacobian);
  pl_jacobian_add(&self->jacobian, &at, 1, step->q, from);
  pl_vec3_sub(from, q + 3, from);
  pl_vec3_cross(from, n, y);
  pl_vec3_copy(n, y + 3);
  body->model->ops->update_mass(body->model, q);
  body->model->ops->mass_inverse(body->model, y, x);
  return 1 / (pl_vec3_dot(x, y) + pl_vec3_dot(x + 3, y + 3));
}

/* Coulomb's coefficient as the substep begins: the static one, unless the point slips. */
static double coefficient(const pl_collision *self, const pl_collision_pair *pair)
{
  const pl_obstacle *obstacle = pair->obstacle;
  const pl_body *body = &self->is.base.bodies->list[pair->surfaces[0]];
  size_t at = 3 * (size_t)pair->points[0];
  double way[3], with[3];
  pl_vec3_sub(self->to + at, self->x + at, way);
  pl_axes_velocity(&obstacle->start, self->x + at, with);
  pl_vec3_add_scaled(-self->h, with, way);
  pl_vec3_add_scaled(-pl_vec3_dot(pair->normal, way), pair->normal, way);
  int slides = pl_vec3_norm(way) > SLIDES * pl_body_size(body) * self->h;
  return slides ? obstacle->friction : obstacle->static_friction;
}

/* The pair as the substep begins. gap and normal are those at the beginning. */
static void start_obstacle(pl_collision *self, const pl_substep *step, pl_collision_pair *to)
{
  size_t at = 3 * (size_t)to->points[0];
  const double *kept = to->is_nearest ? pl_collision_memory(self, to->points[0]) : NULL;
  double push, slope, w[4], normal[3];
  to->friction = coefficient(self, to);
  pl_collision_shift(self, step, to);
  to->mass = to->is_rigid ? mass_along(self, step, to->surfaces[0], to->points[0], to->normal)
                          : self->mass[to->points[0]];
  pl_collision_choose_stiffness(self, step, to);
  (void)pl_collision_law(to->gap, self->range, &push, &slope);
  to->push = to->stiffness * push;
  if (to->is_rigid) pl_vec3_copy(self->x + at, to->r);
  pl_axes_own(&to->obstacle->start, self->x + at, to->own);
  if (kept && kept[0] == pl_collision_partner(to->surfaces[1])) pl_vec3_copy(kept + 1, to->slip);
  pl_vec3_add_scaled(-pl_vec3_dot(to->normal, to->slip), to->normal, to->slip);
  to->about = pl_collision_gap(to, self->to, w, normal) - to->shift;
}

static pl_collision_pair pair_with(const pl_collision *self, int b, int point,
                                   pl_obstacle *obstacle)
{
  return (pl_collision_pair){.kind = PL_POINT_TRIANGLE,
                             .params = 2,
                             .points = {point, point, point, point},
                             .surfaces = {b, pl_collision_obstacle(obstacle->slot)},
                             .weights = {1, 0, 0, 0},
                             .sign = 1,
                             .is_rigid = pl_collision_is_rigid(self, b),
                             .is_nearest = !self->first1[point],
                             .obstacle = obstacle};
}

static void take_pair(pl_collision *self, const pl_collision_pair *pair)
{
  pl_collision_append(self, pair);
  self->first1[pair->points[0]] = (int)self->pair_count;
}

/* Of a rigid body. */
static void take_point(pl_collision *self, const pl_substep *step, int b, int point)
{
  const double *x = self->x + 3 * (size_t)point, *goes = self->to + 3 * (size_t)point;
  double watched = NEAR * self->range + SWAY * pl_vec3_distance(x, goes), ignored[3];
  for (size_t o = 0; o < self->contact->count; o++) {
    pl_obstacle *obstacle = &self->contact->obstacles[o];
    pl_collision_pair to = pair_with(self, b, point, obstacle);
    double then = pl_obstacle_gap_in(obstacle, &obstacle->end, goes, ignored, NULL);
    to.gap = pl_obstacle_gap_in(obstacle, &obstacle->start, x, to.normal, NULL);
    if (!(fmin(to.gap, then) < watched)) continue;
    start_obstacle(self, step, &to);
    take_pair(self, &to);
  }
}

/* The gap at the beginning, against the obstacle as it is at the end, where it has carried the
 * point along. Where the point would come in deep, or through, it is the one against the plane
 * where it lands, or of where it is inside already: from further in another side may be nearer. */
static void see_obstacle(const pl_collision *self, pl_collision_pair *to)
{
  const pl_obstacle *obstacle = to->obstacle;
  size_t at = 3 * (size_t)to->points[0];
  const double *x = self->x + at, *goes = self->to + at;
  double foot[3], normal[3], away[3];
  pl_axes_own(&obstacle->start, x, away);
  pl_axes_point(&obstacle->end, away, to->r);
  to->gap = pl_obstacle_gap_in(obstacle, &obstacle->end, to->r, to->normal, NULL);
  if (pl_obstacle_is_flat(obstacle)) return;
  double then = pl_obstacle_gap_in(obstacle, &obstacle->end, goes, normal, NULL);
  pl_vec3_sub(goes, to->r, away);
  if (fabs(then) < self->range || !(pl_vec3_dot(to->normal, away) < 0)) return;
  int catches = pl_obstacle_catches(obstacle, x, goes, SLACK * self->range, foot, normal);
  to->lands = catches || to->gap < self->range;
  if (!catches) return;
  pl_vec3_sub(to->r, foot, away);
  pl_vec3_copy(normal, to->normal);
  to->gap = pl_vec3_dot(normal, away);
}

/* Of a surface that follows. */
static void take_follower(pl_collision *self, const pl_substep *step, int b, int point)
{
  for (size_t o = 0; o < self->contact->count; o++) {
    if (!is_watched(self, &self->contact->obstacles[o], point)) continue;
    pl_collision_pair to = pair_with(self, b, point, &self->contact->obstacles[o]);
    see_obstacle(self, &to);
    start_obstacle(self, step, &to);
    to.line.is_seen = self->is_linear && step->system->order == 1 && self->h > 0;
    pl_collision_bounce_point(self, step, &to);
    if (to.line.is_seen) pl_collision_expect_push(self, &to);
    take_pair(self, &to);
  }
}

void pl_collision_take_obstacles(pl_collision *self, const pl_substep *step)
{
  for (int b = 0; b < self->surface_count; b++) {
    size_t first = self->pair_count;
    int meets = pl_collision_meets_obstacles(self, b), rigid = pl_collision_is_rigid(self, b);
    for (int p = 0; meets && p < self->surfaces[b].point_count; p++)
      (rigid ? take_point : take_follower)(self, step, b, self->point_start[b] + p);
    if (rigid) pl_collision_bounce(self, step, first, self->pair_count - first);
  }
}

void pl_collision_charge_obstacles(const pl_collision *self,
                                   void (*force)(const pl_collision *self,
                                                 const pl_collision_pair *pair, double out[3]))
{
  for (size_t i = 0; i < self->pair_count; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    double out[3];
    if (!pair->obstacle || !(pair->push > 0)) continue;
    force(self, pair, out);
    pl_vec3_add(pair->obstacle->force, out, pair->obstacle->force);
    pair->obstacle->nodes++;
  }
}

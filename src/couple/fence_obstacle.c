/* Points of surfaces and obstacles behind barriers. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/fence.h"
#include "couple/slip.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SHARE 0.2  /* of a gap that an increment leaves */
#define PACE  0.05 /* of an obstacle's size: how far apart gaps are looked at along a way */
enum { MOST_LOOKS = 400, BISECTIONS = 30 };

void pl_fence_pose(pl_fence *self, double t)
{
  for (size_t o = 0; self->contact && o < self->contact->count; o++) {
    pl_obstacle *obstacle = &self->contact->obstacles[o];
    if (obstacle->is_placed) pl_obstacle_axes(obstacle, t, &obstacle->mid);
  }
}

double pl_fence_point_stiffness(const pl_fence *self, int point)
{
  const pl_collision *is = &self->is;
  double E = is->modulus[is->owner[point]];
  int moves = self->h > 0;
  return is->is.set->stiffness *
         pl_barrier_stiffness((const double[2]){E, E}, pl_collision_area(is, point), is->range,
                              moves ? is->mass[point] : 0, moves ? self->h : 1);
}

/* The gap of a point to an obstacle as it is now; infinite beyond the range. */
double pl_fence_point_gap(const pl_fence *self, const pl_obstacle *obstacle, int point,
                          double normal[3], double *hessian)
{
  const double *x = self->is.x + 3 * (size_t)point;
  return pl_obstacle_gap_in(obstacle, &obstacle->mid, x, normal, hessian);
}

double pl_fence_gap(const pl_fence *self)
{
  double min = INFINITY, normal[3];
  for (size_t o = 0; o < self->contact->count; o++) {
    for (int p = 0; p < self->is.point_count; p++)
      min = fmin(min, pl_fence_point_gap(self, &self->contact->obstacles[o], p, normal, NULL));
  }
  return min;
}

/* ---- forces ---- */

static void act(pl_fence *self, int point, const pl_moment *at, const double force[3],
                const double D[9], double *f, const pl_tangent *tangent)
{
  const int points[4] = {point, point, point, point};
  const double only[4] = {1};
  pl_collision_act(&self->is, points, at, only, force, D, f, tangent);
}

/* W'' n n^T + W' H; a semidefinite one without W' H, but where the surface is hollow: there it is
 * positive. */
static void stiffness_at(const pl_tangent *tangent, const double W[3], const double n[3],
                         const double *H, double D[9])
{
  double trace = H[0] + H[4] + H[8], squares = 0;
  for (int k = 0; k < 9; k++) squares += H[k] * H[k];
  int is_hollow = trace < 0 && trace * trace >= squares;
  double bent = is_hollow || !tangent->semidefinite ? W[1] : 0;
  for (int k = 0; k < 9; k++) D[k] = tangent->kq * (W[2] * n[k / 3] * n[k % 3] + bent * H[k]);
}

static void press(pl_fence *self, const pl_obstacle *obstacle, int point, const pl_moment *at,
                  double *f, const pl_tangent *tangent)
{
  double normal[3], H[9], W[3], D[9] = {0}, force[3];
  pl_barrier barrier = self->law;
  if (!(pl_fence_point_gap(self, obstacle, point, normal, NULL) < barrier.range)) return;
  double gap = pl_fence_point_gap(self, obstacle, point, normal, H);
  barrier.stiffness = pl_fence_point_stiffness(self, point);
  pl_barrier_law_at(&barrier, gap, W);
  pl_vec3_scale(-W[1], normal, force);
  if (tangent) stiffness_at(tangent, W, normal, H, D);
  act(self, point, at, force, D, f, tangent);
}

/* s and u of a point that touches, when the substep is done up to now. */
static void slip_of(const pl_fence *self, const pl_fence_touch *touch, double s[3], double u[3])
{
  const double *x = self->is.x + 3 * (size_t)touch->point;
  const double *v = self->is.v + 3 * (size_t)touch->point;
  double rate = self->h > 0 ? 1 / self->h : 0;
  for (int k = 0; k < 3; k++) {
    s[k] = touch->slip[k] + x[k] - touch->x0[k] - touch->carried[k];
    u[k] = v[k] - rate * touch->carried[k];
  }
  pl_vec3_add_scaled(-pl_vec3_dot(touch->normal, s), touch->normal, s);
  pl_vec3_add_scaled(-pl_vec3_dot(touch->normal, u), touch->normal, u);
}

static void rub(pl_fence *self, const pl_fence_touch *touch, const pl_moment *at, double *f,
                const pl_tangent *tangent)
{
  double s[3], u[3], D[9];
  if (!(touch->bound > 0)) return;
  slip_of(self, touch, s, u);
  const pl_slip slip =
      pl_slip_at(touch->stiffness, self->is.mass[touch->point], touch->bound, s, u);
  double scale = tangent ? tangent->kq * slip.k + tangent->kv * slip.c : 0;
  pl_slip_tangent(&slip, touch->normal, scale, D);
  act(self, touch->point, at, slip.force, D, f, tangent);
}

void pl_fence_hold(pl_fence *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  for (size_t o = 0; o < self->contact->count; o++) {
    for (int p = 0; p < self->is.point_count; p++)
      press(self, &self->contact->obstacles[o], p, at, f, tangent);
  }
  for (size_t i = 0; i < self->touch_count; i++) rub(self, &self->touches[i], at, f, tangent);
}

double pl_fence_energy(const pl_fence *self, int body)
{
  double sum = 0, normal[3], W[3];
  for (size_t o = 0; o < self->contact->count; o++) {
    for (int p = self->is.point_start[body]; p < self->is.point_start[body + 1]; p++) {
      pl_barrier barrier = self->law;
      double gap = pl_fence_point_gap(self, &self->contact->obstacles[o], p, normal, NULL);
      if (!(gap < barrier.range)) continue;
      barrier.stiffness = pl_fence_point_stiffness(self, p);
      pl_barrier_law_at(&barrier, gap, W);
      sum += W[0];
    }
  }
  return sum;
}

/* ---- increments ---- */

/* A point on its way, and an obstacle that may move as well. */
typedef struct way {
  const pl_obstacle *obstacle;
  double from, goal; /* times */
  const double *x, *to;
} way;

static double gap_along(const way *w, double s)
{
  double x[3], n[3];
  pl_axes pose = w->obstacle->mid;
  for (int k = 0; k < 3; k++) x[k] = (1 - s) * w->x[k] + s * w->to[k];
  if (w->obstacle->is_placed && s > 0)
    pl_obstacle_axes(w->obstacle, w->from + s * (w->goal - w->from), &pose);
  return pl_obstacle_gap_in(w->obstacle, &pose, x, n, NULL);
}

/* How far the point goes as the obstacle sees it. */
static double length_of(const way *w)
{
  double a[3], b[3];
  pl_axes pose = w->obstacle->mid;
  if (!w->obstacle->is_placed) return pl_vec3_distance(w->x, w->to);
  pl_axes_own(&pose, w->x, a);
  pl_obstacle_axes(w->obstacle, w->goal, &pose);
  pl_axes_own(&pose, w->to, b);
  return pl_vec3_distance(a, b);
}

/* The least gap falls to `keep` between a and b: where, from the side that is apart. */
static double bisect(const way *w, double a, double b, double keep)
{
  for (int i = 0; i < BISECTIONS && b - a > 0.01 * a; i++) {
    double middle = 0.5 * (a + b);
    if (gap_along(w, middle) >= keep)
      a = middle;
    else
      b = middle;
  }
  return a;
}

/* Gaps are distances: within a gap's length around a point there is nothing. Where that would be
 * short steps it is trusted that no obstacle is thinner than some of them. */
static double free_part(const way *w, double max)
{
  double length = length_of(w), gap = gap_along(w, 0), keep = 0.5 * SHARE * gap, s = 0;
  if (!(gap > 0) || gap - keep > length * max) return max; // what is inside limits nothing
  const double *low = w->obstacle->low, *high = w->obstacle->high;
  double size = fmin(high[0] - low[0], fmin(high[1] - low[1], high[2] - low[2]));
  double pace = isfinite(size) ? PACE * size / length : 1;
  for (int i = 0; i < MOST_LOOKS && s < max; i++) {
    double next = fmin(max, s + fmax((gap - keep) / length, pace));
    double there = gap_along(w, next);
    if (there < keep) return bisect(w, s, next, keep);
    s = next;
    gap = there;
  }
  return s;
}

void pl_fence_obstruct(pl_fence *self, double t, double *part, int *worst1)
{
  const pl_collision *is = &self->is;
  for (size_t o = 0; o < self->contact->count; o++) {
    for (int p = 0; p < is->point_count; p++) {
      const way w = {&self->contact->obstacles[o], self->from, t, is->x + 3 * (size_t)p,
                     is->to + 3 * (size_t)p};
      double free = free_part(&w, *part);
      if (!(free < *part)) continue;
      *part = free;
      *worst1 = 1 + is->block[p];
    }
  }
}

/* ---- friction ---- */

static double *memory_of(const pl_fence *self, int point)
{
  return pl_collision_memory(&self->is, point) + PL_COLLISION_MEMORY;
}

/* Takes the nearest obstacle of a point that is near one. */
static void touch_one(pl_fence *self, const pl_substep *step, int point)
{
  pl_fence_touch *to = &self->touches[self->touch_count];
  const double *x = self->is.x + 3 * (size_t)point, *kept = memory_of(self, point);
  double min = self->is.range, normal[3], there[3], own[3];
  to->obstacle = -1;
  for (size_t o = 0; o < self->contact->count; o++) {
    double gap = pl_fence_point_gap(self, &self->contact->obstacles[o], point, normal, NULL);
    if (!(gap < min) || !(pl_obstacle_friction(&self->contact->obstacles[o]) > 0)) continue;
    min = gap;
    to->obstacle = (int)o;
    pl_vec3_copy(normal, to->normal);
  }
  if (to->obstacle < 0) return;
  const pl_obstacle *obstacle = &self->contact->obstacles[to->obstacle];
  to->point = point;
  to->stiffness = pl_fence_point_stiffness(self, point);
  to->push = to->bound = 0;
  pl_vec3_copy(x, to->x0);
  pl_vec3_set(to->carried, 0, 0, 0);
  if (obstacle->is_placed && !step->system->is_static) {
    pl_axes_own(&obstacle->start, x, own);
    pl_axes_point(&obstacle->end, own, there);
    pl_vec3_sub(there, x, to->carried);
  }
  pl_vec3_set(to->slip, 0, 0, 0);
  if (kept[0] == to->obstacle + 1) pl_vec3_copy(kept + 1, to->slip);
  pl_vec3_add_scaled(-pl_vec3_dot(to->normal, to->slip), to->normal, to->slip);
  self->touch_count++;
}

pl_status pl_fence_touch_all(pl_fence *self, const pl_substep *step, pl_error *error)
{
  void *memory = self->touches;
  size_t points = (size_t)self->is.point_count;
  pl_status status = pl_reserve(self->is.is.base.bodies->allocator, &memory, &self->touch_room,
                                points, sizeof *self->touches);
  self->touches = memory;
  self->touch_count = 0;
  if (status) return pl_fail_memory(error);
  for (int p = 0; p < self->is.point_count; p++) touch_one(self, step, p);
  return PL_OK;
}

double pl_fence_bind(pl_fence *self, double *all)
{
  double change = 0, normal[3], W[3];
  for (size_t i = 0; i < self->touch_count; i++) {
    pl_fence_touch *touch = &self->touches[i];
    const pl_obstacle *obstacle = &self->contact->obstacles[touch->obstacle];
    pl_barrier barrier = self->law;
    barrier.stiffness = touch->stiffness;
    pl_barrier_law_at(&barrier, pl_fence_point_gap(self, obstacle, touch->point, normal, NULL), W);
    touch->push = -W[1];
    // what has not slipped yet is held by the static coefficient
    double max = 2 * obstacle->friction * touch->push / (PL_STICK * touch->stiffness);
    int sticks = pl_vec3_norm(touch->slip) < 0.99 * max;
    double bound = touch->push * (sticks ? obstacle->static_friction : obstacle->friction);
    change += fabs(bound - touch->bound);
    *all += bound;
    touch->bound = bound;
  }
  return change;
}

/* Forces on obstacles, and what friction remembers. */
void pl_fence_remember(pl_fence *self)
{
  double normal[3], W[3], s[3], u[3];
  const pl_collision *is = &self->is;
  for (size_t o = 0; o < self->contact->count; o++) {
    pl_obstacle *obstacle = &self->contact->obstacles[o];
    for (int p = 0; p < is->point_count; p++) {
      pl_barrier barrier = self->law;
      double gap = pl_fence_point_gap(self, obstacle, p, normal, NULL);
      if (!(gap < barrier.range)) continue;
      barrier.stiffness = pl_fence_point_stiffness(self, p);
      pl_barrier_law_at(&barrier, gap, W);
      pl_vec3_add_scaled(-W[1], normal, obstacle->force);
      obstacle->nodes++;
      is->touched[is->owner[p]] = 1;
      self->min = fmin(self->min, gap / is->range);
    }
  }
  for (size_t i = 0; i < self->touch_count; i++) {
    const pl_fence_touch *touch = &self->touches[i];
    double *kept = memory_of(self, touch->point);
    if (!(touch->push > 0)) continue;
    slip_of(self, touch, s, u);
    if (touch->bound > 0) {
      const pl_slip slip = pl_slip_at(touch->stiffness, is->mass[touch->point], touch->bound, s, u);
      pl_obstacle *obstacle = &self->contact->obstacles[touch->obstacle];
      pl_vec3_add(obstacle->force, slip.force, obstacle->force);
    }
    kept[0] = touch->obstacle + 1;
    pl_slip_keep(touch->stiffness, touch->bound, s, kept + 1);
  }
}

void pl_fence_rubbing(const pl_fence *self, const pl_fence_touch *touch, double force[3],
                      double slip[3])
{
  double s[3];
  slip_of(self, touch, s, slip);
  pl_vec3_set(force, 0, 0, 0);
  if (!(touch->bound > 0)) return;
  const pl_slip at =
      pl_slip_at(touch->stiffness, self->is.mass[touch->point], touch->bound, s, slip);
  pl_vec3_copy(at.force, force);
}

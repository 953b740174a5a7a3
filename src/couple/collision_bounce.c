/* Rebounds from obstacles: of rigid bodies, and of surfaces that follow.
 *
 * A point that is outside and would be within the range after a substep bounces where it comes in
 * at a speed u of more than SLOW times what gravity a gives in a substep. It is still above the
 * surface by `gap`, and is so by h v more when a substep ends in which it is pushed: with the
 * restitution e it leaves with the v of
 *
 *   v^2 / 2 + a (gap + h v) = e^2 (u^2 / 2 + a gap).
 *
 * Methods of order 1 that solve for the end of a step push by the pairs' own law: the surface is
 * taken to lie so far out that it pushes that much. Any other method sees such a force several
 * times or in the middle of a step, and makes another velocity of it: what would come in is struck
 * when the substep before ends (h v is 0 then), by one impulse J at the middle of all points of the
 * body that come in, along the normal of the lowest one, and by friction that stops the slip as far
 * as mu J allows. Without restitution the impulse leaves it the speed with which it arrives at the
 * range when the next substep ends: stopped by the pairs' force within a step that does not resolve
 * that, it would leave with more than it had. Surfaces that follow do not bounce with such methods.
 */
#include "couple/collision.h"
#include "couple/gravity.h"
#include "math/vec3.h"

#include <math.h>

#define SLOW 3.0 /* times what gravity gives in a substep: below it nothing bounces */

/* Does the substep bounce by the law of pairs? */
static int uses_pairs(const pl_system *system) { return system->A && system->order == 1; }

/* How gravity accelerates what falls against the normal, m/s^2. */
static double falling(const pl_collision *self, const double normal[3])
{
  const pl_gravity *gravity =
      (const pl_gravity *)pl_couplings_next(self->is.others, &pl_coupling_gravity, NULL);
  return gravity ? fmax(-pl_vec3_dot(gravity->g, normal), 0) : 0;
}

/* v above. */
static double leaving(double e, double u, double gap, double a, double h)
{
  double square = e * e * u * u - 2 * a * gap * (1 - e * e) + a * a * h * h;
  return fmax(sqrt(fmax(square, 0)) - a * h, 0);
}

/* ---- by pairs ---- */

/* The speed at which a point comes in, m/s; 0 where it does not bounce. */
static double incoming(const pl_collision *self, const pl_substep *step,
                       const pl_collision_pair *pair)
{
  size_t at = 3 * (size_t)pair->points[0];
  double with[3], u[3];
  if (!pair->obstacle || !(pair->obstacle->restitution > 0) || !(pair->gap > 0)) return 0;
  pl_axes_velocity(&pair->obstacle->start, self->x + at, with);
  for (int k = 0; k < 3; k++)
    u[k] = (self->to[at + (size_t)k] - self->x[at + (size_t)k]) / step->h - with[k];
  double speed = -pl_vec3_dot(u, pair->normal), slow = SLOW * falling(self, pair->normal) * step->h;
  return pair->about < self->range && speed > slow ? speed : 0;
}

/* The gap at which the pair's push is so large, m. */
static double gap_of_push(const pl_collision_pair *pair, double push, double range)
{
  if (pair->line.is_seen) return range - push;
  return push > range ? 0.5 * (range - push) : range - sqrt(range * push);
}

/* A mass that comes in at the pair's point leaves as if it were above the surface by `gap`. */
static void push_back(const pl_collision *self, const pl_substep *step, pl_collision_pair *pair,
                      double gap, double mass)
{
  double speed = incoming(self, step, pair), a = falling(self, pair->normal), h = step->h;
  double v = leaving(pair->obstacle->restitution, speed, gap, a, h), push, slope;
  double force = mass * (v + speed + a * h) / h;
  double out = pair->gap + h * v - gap_of_push(pair, force / pair->stiffness, self->range);
  pair->shift += out;
  pair->gap -= out;
  pair->about -= out;
  pair->bounces = 1;
  (void)pl_collision_law(pair->gap, self->range, &push, &slope);
  pair->push = pair->stiffness * push;
}

/* All bouncing points of a rigid body share its mass, and leave as the lowest one does. */
void pl_collision_bounce(pl_collision *self, const pl_substep *step, size_t first, size_t count)
{
  int bouncing = 0;
  double lowest = INFINITY;
  if (!uses_pairs(step->system) || step->system->is_static) return;
  for (size_t i = first; i < first + count; i++) {
    if (!(incoming(self, step, &self->pairs[i]) > 0)) continue;
    bouncing++;
    lowest = fmin(lowest, self->pairs[i].gap);
  }
  for (size_t i = first; i < first + count && bouncing; i++) {
    pl_collision_pair *pair = &self->pairs[i];
    if (incoming(self, step, pair) > 0) push_back(self, step, pair, lowest, pair->mass / bouncing);
  }
}

void pl_collision_bounce_point(const pl_collision *self, const pl_substep *step,
                               pl_collision_pair *pair)
{
  if (!uses_pairs(step->system) || step->system->is_static) return;
  if (incoming(self, step, pair) > 0) push_back(self, step, pair, pair->gap, pair->mass);
}

/* ---- by impulses ---- */

/* Where a body meets an obstacle; its blocks are its rotation and its place. */
typedef struct blow {
  const pl_body *body;
  const pl_rows *rows;
  int count;                      /* of points that come in */
  double gap, normal[3], with[3]; /* of the lowest one */
  double arm[3];                  /* from the body's place to the middle of all */
} blow;

/* What rows leave free of a change of the body's velocity: it may be hinged, or held. */
static void keep_free(const blow *at, double x[6])
{
  const pl_rows *rows = at->rows;
  for (int k = 0; k < 2; k++) {
    int block = at->body->offset + k;
    pl_span span = {0};
    for (int i = rows->start[block]; i < rows->start[block + 1]; i++)
      pl_span_add(&span, &rows->list[rows->order[i]]);
    pl_span_free(&span, x + 3 * (size_t)k);
  }
}

/* v += M^-1 of an impulse P at the arm, as far as the body is free. */
static void push(const blow *at, const double P[3], double *v)
{
  double y[6], x[6];
  pl_vec3_cross(at->arm, P, y);
  pl_vec3_copy(P, y + 3);
  keep_free(at, y);
  at->body->model->ops->mass_inverse(at->body->model, y, x);
  keep_free(at, x);
  for (int k = 0; k < 6; k++) v[k] += x[k];
}

/* The velocity at the arm. */
static void velocity(const blow *at, const double *v, double u[3])
{
  pl_vec3_cross(v, at->arm, u);
  pl_vec3_add(u, v + 3, u);
}

/* What resists an impulse along n, kg; 0: nothing gives way. */
static double resisting(const blow *at, const double n[3])
{
  double v[6] = {0}, u[3];
  push(at, n, v);
  velocity(at, v, u);
  double gives = pl_vec3_dot(u, n);
  return gives > 0 ? 1 / gives : 0;
}

/* Counts a point if it comes in. */
static void look(const pl_collision *self, const pl_substep *step, const pl_obstacle *obstacle,
                 int point, blow *to)
{
  const double *x = self->x + 3 * (size_t)point, *v = self->v + 3 * (size_t)point;
  double n[3], w[3], u[3], gap = pl_obstacle_gap_in(obstacle, &obstacle->end, x, n, NULL);
  pl_axes_velocity(&obstacle->end, x, w);
  pl_vec3_sub(v, w, u);
  double speed = -pl_vec3_dot(u, n);
  if (!(gap > 0) || !(gap - step->h * speed < self->range)) return;
  if (!(speed > SLOW * falling(self, n) * step->h)) return;
  to->count++;
  pl_vec3_add(to->arm, x, to->arm);
  if (to->count > 1 && gap >= to->gap) return;
  to->gap = gap;
  pl_vec3_copy(n, to->normal);
  pl_vec3_copy(w, to->with);
}

/* Friction after an impulse J along the normal. */
static void rub(const blow *at, double most, double *v, double P[3])
{
  double u[3];
  velocity(at, v, u);
  pl_vec3_sub(u, at->with, u);
  pl_vec3_add_scaled(-pl_vec3_dot(u, at->normal), at->normal, u);
  double slip = pl_vec3_norm(u);
  if (!(slip > 0) || !(most > 0)) return;
  pl_vec3_scale(1 / slip, u, u);
  double size = fmin(most, slip * resisting(at, u));
  pl_vec3_add_scaled(-size, u, P);
  pl_vec3_scale(-size, u, u);
  push(at, u, v);
}

/* The normal speed after the impulse. */
static double goal(const pl_collision *self, const pl_substep *step, const pl_obstacle *obstacle,
                   const blow *at, double speed)
{
  double a = falling(self, at->normal);
  if (obstacle->restitution > 0) return leaving(obstacle->restitution, speed, at->gap, a, 0);
  return -fmax(at->gap - self->range, 0) / step->h;
}

static void strike(const pl_collision *self, const pl_substep *step, pl_obstacle *obstacle,
                   const blow *at)
{
  double *v = step->v + 3 * (size_t)at->body->offset, u[3], P[3];
  velocity(at, v, u);
  pl_vec3_sub(u, at->with, u);
  double speed = -pl_vec3_dot(u, at->normal);
  double J = (goal(self, step, obstacle, at, speed) + speed) * resisting(at, at->normal);
  if (!(speed > 0) || !(J > 0)) return;
  pl_vec3_scale(J, at->normal, P);
  push(at, P, v);
  rub(at, pl_obstacle_friction(obstacle) * J, v, P);
  pl_vec3_add_scaled(1 / step->h, P, obstacle->force);
  obstacle->nodes += at->count;
  *step->moved = 1;
}

static void meet(pl_collision *self, const pl_substep *step, int b, pl_obstacle *obstacle)
{
  const pl_body *body = &self->is.base.bodies->list[b];
  const double *q = step->q + 3 * (size_t)body->offset;
  blow at = {.body = body, .rows = step->rows};
  for (int p = 0; p < self->surfaces[b].point_count; p++)
    look(self, step, obstacle, self->point_start[b] + p, &at);
  if (at.count == 0) return;
  pl_vec3_scale(1.0 / at.count, at.arm, at.arm);
  pl_vec3_sub(at.arm, q + 3, at.arm);
  body->model->ops->update_mass(body->model, q);
  strike(self, step, obstacle, &at);
}

void pl_collision_strike(pl_collision *self, const pl_substep *step)
{
  int is_placed = 0;
  if (uses_pairs(step->system) || step->system->is_static) return;
  for (int b = 0; b < self->surface_count; b++) {
    if (!pl_collision_is_rigid(self, b)) continue;
    for (size_t o = 0; pl_collision_meets_obstacles(self, b) && o < self->contact->count; o++) {
      if (!is_placed) pl_collision_place(self, step->q, step->v);
      is_placed = 1;
      meet(self, step, b, &self->contact->obstacles[o]);
    }
  }
}

/* The coupling "collision": forces between bodies that meet; collision.h says what is computed. */
#include "couple/collision.h"

#include "core/memory.h"
#include "couple/slip.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SPENT 0.5    /* and of the normal one, of rigid bodies */
#define CLOSE 0.05   /* part of all bounds by which they may still change */
#define RIGHT 0.02   /* and by which forces may be wrong */
#define EXACT 1e-4   /* likewise of the normal forces of rigid bodies */
enum { FEW = 3 };    /* passes in which friction's bounds are corrected */
enum { ENOUGH = 8 }; /* passes in which pairs are added, and forces corrected */

/* ---- the law ---- */

double pl_collision_law(double gap, double range, double *push, double *slope)
{
  double y = gap / range, rest = 1 - y;
  if (!(y < 1)) {
    *push = *slope = 0;
    return 0;
  }
  if (y < 0) {
    *push = range * (1 - 2 * y);
    *slope = 2;
    return range * range * (1.0 / 3 - y + y * y);
  }
  *push = range * rest * rest;
  *slope = 2 * rest;
  return range * range * rest * rest * rest / 3;
}

/* ---- the gap ---- */

/* Plane through the triangle: weights of the foot of the point, not cut to the triangle. */
static void measure_plane(const double *const x[4], double w[4], double normal[3])
{
  double a[3], b[3], r[3];
  pl_vec3_sub(x[2], x[1], a);
  pl_vec3_sub(x[3], x[1], b);
  pl_vec3_sub(x[0], x[1], r);
  pl_vec3_cross(a, b, normal);
  double square = pl_vec3_dot(normal, normal);
  double u = pl_triple(normal, r, b) / square, v = pl_triple(normal, a, r) / square;
  w[0] = 1;
  w[2] = -u;
  w[3] = -v;
  w[1] = -(w[0] + w[2] + w[3]);
}

/* The two lines through both edges. */
static void measure_lines(const double *const x[4], double w[4], double normal[3])
{
  double a[3], b[3], r[3];
  pl_vec3_sub(x[1], x[0], a);
  pl_vec3_sub(x[3], x[2], b);
  pl_vec3_sub(x[2], x[0], r);
  pl_vec3_cross(a, b, normal);
  double square = pl_vec3_dot(normal, normal);
  double s = pl_triple(normal, r, b) / square, t = pl_triple(normal, r, a) / square;
  w[1] = s;
  w[2] = t - 1;
  w[3] = -t;
  w[0] = -(w[1] + w[2] + w[3]);
}

/* A point and the line, or the point, of the corners that had weights. */
static void measure_corners(const pl_collision_pair *pair, const double *const x[4], double w[4],
                            double normal[3])
{
  int first = 0, second = 0;
  for (int i = 3; i > 0; i--) {
    if (pair->weights[i] == 0) continue;
    second = first;
    first = i;
  }
  double e[3], r[3], along = 0;
  pl_vec3_sub(x[0], x[first], r);
  if (second && pair->params == 1) {
    pl_vec3_sub(x[second], x[first], e);
    along = pl_vec3_dot(e, r) / pl_vec3_dot(e, e);
  }
  for (int i = 0; i < 4; i++) w[i] = 0;
  w[0] = 1;
  if (second) w[second] = -along;
  w[first] = -(1 - along);
  pl_vec3_set(normal, 0, 0, 0);
  for (int i = 0; i < 4; i++) pl_vec3_add_scaled(w[i], x[i], normal);
}

double pl_collision_gap(const pl_collision_pair *pair, const double *places, double weights[4],
                        double normal[3])
{
  const double *x[4];
  double r[3] = {0};
  if (pair->obstacle) {
    memcpy(weights, pair->weights, sizeof pair->weights);
    return pl_obstacle_gap_in(pair->obstacle, &pair->obstacle->mid,
                              places + 3 * (size_t)pair->points[0], normal, NULL);
  }
  for (int i = 0; i < 4; i++) x[i] = places + 3 * (size_t)pair->points[i];
  if (pair->kind == PL_EDGE_EDGE)
    measure_lines(x, weights, normal);
  else if (pair->params == 2)
    measure_plane(x, weights, normal);
  else
    measure_corners(pair, x, weights, normal);
  double length = pl_vec3_norm(normal);
  pl_vec3_scale(length > 0 ? pair->sign / length : 0, normal, normal);
  for (int i = 0; i < 4; i++) pl_vec3_add_scaled(weights[i], x[i], r);
  return pl_vec3_dot(normal, r) - pair->thickness;
}

/* ---- friction ---- */

/* The part of x along the surface. */
static void along_surface(const double normal[3], double x[3])
{
  pl_vec3_add_scaled(-pl_vec3_dot(normal, x), normal, x);
}

static void sum_points(const pl_collision_pair *pair, const double *values, double sum[3])
{
  pl_vec3_set(sum, 0, 0, 0);
  for (int i = 0; i < 4; i++)
    pl_vec3_add_scaled(pair->weights[i], values + 3 * (size_t)pair->points[i], sum);
}

/* s at places x. */
static void slip_at(const pl_collision_pair *pair, const double *x, double s[3])
{
  double from[3];
  sum_points(pair, x, s);
  pl_vec3_copy(pair->r, from);
  if (pair->obstacle) pl_axes_point(&pair->obstacle->mid, pair->own, from);
  pl_vec3_sub(s, from, s);
  pl_vec3_add(s, pair->slip, s);
  along_surface(pair->normal, s);
}

double pl_collision_mass(const pl_collision *self, const pl_collision_pair *pair)
{
  double sum = 0;
  for (int i = 0; i < 4; i++)
    sum += pair->weights[i] * pair->weights[i] / self->mass[pair->points[i]];
  return 1 / sum;
}

static pl_slip rub_at(const pl_collision *self, const pl_collision_pair *pair, const double s[3],
                      const double u[3])
{
  return pl_slip_at(pair->stiffness, pl_collision_mass(self, pair), pair->bound, s, u);
}

static void look(const pl_collision *self, const pl_collision_pair *pair, double s[3], double u[3])
{
  slip_at(pair, self->x, s);
  double with[3];
  sum_points(pair, self->v, u);
  if (pair->obstacle) {
    pl_axes_velocity(&pair->obstacle->mid, self->x + 3 * (size_t)pair->points[0], with);
    pl_vec3_sub(u, with, u);
  }
  along_surface(pair->normal, u);
}

/* The friction's force as the integrator sees it, and the matrix kq (-dF/ds) + kv (-dF/du). */
static void rub(const pl_collision *self, const pl_collision_pair *pair, double kq, double kv,
                double force[3], double D[9])
{
  double s[3], u[3], change[3], T[9];
  look(self, pair, s, u);
  pl_slip at =
      self->is_linear ? rub_at(self, pair, pair->way, pair->rate) : rub_at(self, pair, s, u);
  pl_vec3_copy(at.force, force);
  if (self->is_linear) {
    pl_slip_tangent(&at, pair->normal, 1, T);
    for (int i = 0; i < 3; i++)
      change[i] = at.k * (s[i] - pair->way[i]) + at.c * (u[i] - pair->rate[i]);
    for (int e = 0; e < 9; e++) force[e / 3] -= T[e] * change[e % 3];
  }
  pl_slip_tangent(&at, pair->normal, kq * at.k + kv * at.c, D);
}

/* The length of s at which a mass that would go so far without friction comes to rest:
 * a (far - s) = F(s) with a = m / h^2. */
static double come_to(double far, double a, double k, double bound)
{
  double slid = far - bound / a, B = 2 * bound * (1 + a / k);
  if (k * slid >= 2 * bound) return slid;
  double root = B * B - 4 * bound * a * far;
  double y = (B - sqrt(fmax(root, 0))) / (2 * bound);
  return 2 * bound * y / k;
}

void pl_collision_expect(const pl_collision *self, pl_collision_pair *pair, const double there[3])
{
  double far = pl_vec3_norm(there), k = PL_STICK * pair->stiffness;
  pl_vec3_copy(pair->slip, pair->way);
  pl_vec3_set(pair->rate, 0, 0, 0);
  if (!(pair->bound > 0) || !(self->h > 0) || !(far > 0)) return;
  double a = pl_collision_mass(self, pair) / (self->h * self->h);
  pl_vec3_scale(come_to(far, a, k, pair->bound) / far, there, pair->way);
  for (int i = 0; i < 3; i++) pair->rate[i] = (pair->way[i] - pair->slip[i]) / self->h;
}

/* How far the linearised force is from the law's at the end of a pass; linearises again. */
static double relinearise(const pl_collision *self, pl_collision_pair *pair)
{
  double seen[3], s[3], u[3], ignored[9];
  if (!self->is_linear || !(pair->bound > 0)) return 0;
  rub(self, pair, 0, 0, seen, ignored);
  look(self, pair, s, u);
  const pl_slip at = rub_at(self, pair, s, u);
  double square = self->h * self->h / pl_collision_mass(self, pair);
  pl_vec3_add_scaled(-square, seen, s);
  pl_collision_expect(self, pair, s);
  return pl_vec3_distance(at.force, seen);
}

/* ---- forces ---- */

void pl_collision_place(pl_collision *self, const double *q, const double *v)
{
  for (int b = 0; b < self->surface_count; b++) {
    const pl_body *body = &self->is.base.bodies->list[b];
    size_t first = 3 * (size_t)self->point_start[b];
    pl_boundary_place(&self->surfaces[b], body, q, NULL, self->x + first);
    if (v) pl_boundary_place(&self->surfaces[b], body, q, v, self->v + first);
  }
}

/* Rigid bodies have no damping of their own: their pairs damp the normal motion where they push. */
static double normal_damping(const pl_collision *self, const pl_collision_pair *pair, double slope)
{
  if (!pair->is_rigid || pair->bounces || !(self->h > 0)) return 0;
  double m = pair->obstacle ? pair->mass : pl_collision_mass(self, pair);
  return 0.5 * slope * 2 * SPENT * sqrt(pair->stiffness * m);
}

/* The velocities of the points against each other. */
static void sum_rates(const pl_collision *self, const pl_collision_pair *pair, const double w[4],
                      double rate[3])
{
  double with[3];
  pl_vec3_set(rate, 0, 0, 0);
  for (int i = 0; i < 4; i++) pl_vec3_add_scaled(w[i], self->v + 3 * (size_t)pair->points[i], rate);
  if (!pair->obstacle) return;
  pl_axes_velocity(&pair->obstacle->mid, self->x + 3 * (size_t)pair->points[0], with);
  pl_vec3_sub(rate, with, rate);
}

void pl_collision_rub(pl_collision *self, const pl_collision_pair *pair, const pl_moment *at,
                      double *f, const pl_tangent *tangent)
{
  double force[3] = {0}, D[9] = {0};
  if (!(pair->bound > 0)) return;
  rub(self, pair, tangent ? tangent->kq : 0, tangent ? tangent->kv : 0, force, D);
  pl_collision_act(self, pair->points, at, pair->weights, force, D, f, tangent);
}

void pl_collision_rubbing(const pl_collision *self, const pl_collision_pair *pair, double force[3],
                          double slip[3])
{
  double s[3], ignored[9];
  look(self, pair, s, slip);
  pl_vec3_set(force, 0, 0, 0);
  if (pair->bound > 0) rub(self, pair, 0, 0, force, ignored);
}

/* The gap from where it counts, as the integrator sees it. */
static double gap_of(const pl_collision_pair *pair, const double *x, double w[4], double normal[3])
{
  if (!pair->line.is_seen && !pair->lands)
    return pl_collision_gap(pair, x, w, normal) - pair->shift;
  memcpy(w, pair->weights, sizeof pair->weights);
  pl_vec3_copy(pair->normal, normal);
  return pl_collision_linear_gap(pair, x);
}

/* -W'/k and W''/k at a gap, as the integrator sees them. */
static void law_of(const pl_collision *self, const pl_collision_pair *pair, double gap,
                   double *push, double *slope)
{
  int is_seen = self->is_linear && pair->is_rigid;
  if (pair->line.is_seen) {
    *push = pair->line.presses ? self->range - gap : 0;
    *slope = pair->line.presses;
    return;
  }
  (void)pl_collision_law(is_seen ? pair->about : gap, self->range, push, slope);
  if (is_seen) *push += *slope * (pair->about - gap);
}

/* The normal force and its part of the matrix; 0: there is none. */
static int push_pair(const pl_collision *self, const pl_collision_pair *pair,
                     const pl_tangent *tangent, double w[4], double force[3], double D[9])
{
  double normal[3], rate[3] = {0}, push, slope;
  double kq = tangent ? tangent->kq : 0, kv = tangent ? tangent->kv : 0;
  double gap = gap_of(pair, self->x, w, normal);
  law_of(self, pair, gap, &push, &slope);
  if (!(push > 0 || (self->is_linear && slope > 0))) return 0;
  double c = normal_damping(self, pair, slope);
  if (c > 0) sum_rates(self, pair, w, rate);
  pl_vec3_scale(pair->stiffness * push - c * pl_vec3_dot(normal, rate), normal, force);
  double D_n = kq * pair->stiffness * slope + kv * c;
  for (int e = 0; e < 9; e++) D[e] = D_n * normal[e / 3] * normal[e % 3];
  return 1;
}

/* Where the weights are those of the beginning both forces are one stencil. */
static void evaluate_pair(pl_collision *self, const pl_collision_pair *pair, const pl_moment *at,
                          double *f, const pl_tangent *tangent)
{
  double w[4], force[3], D[9], rubs[3], T[9];
  int pushes = push_pair(self, pair, tangent, w, force, D);
  if (!pushes || !(pair->bound > 0) || memcmp(w, pair->weights, sizeof w)) {
    if (pushes) pl_collision_act(self, pair->points, at, w, force, D, f, tangent);
    pl_collision_rub(self, pair, at, f, tangent);
    return;
  }
  rub(self, pair, tangent ? tangent->kq : 0, tangent ? tangent->kv : 0, rubs, T);
  pl_vec3_add(force, rubs, force);
  for (int e = 0; e < 9; e++) D[e] += T[e];
  pl_collision_act(self, pair->points, at, w, force, D, f, tangent);
}

static void evaluate(pl_coupling *base, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_collision *self = (pl_collision *)base;
  if (!self->pair_count) return;
  pl_collision_place_obstacles(self, at->t);
  pl_collision_place(self, at->q, self->rubs ? at->v : NULL);
  for (size_t i = 0; i < self->pair_count; i++)
    evaluate_pair(self, &self->pairs[i], at, f, tangent);
}

/* ---- after a pass ---- */

/* N at the end of a pass, as the integrator has seen it. */
static double normal_force(const pl_collision *self, const pl_collision_pair *pair)
{
  double w[4], normal[3], push, slope;
  double gap = gap_of(pair, self->x, w, normal);
  law_of(self, pair, gap, &push, &slope);
  if (self->is_linear && !pair->line.is_seen && !pair->is_rigid) {
    (void)pl_collision_law(pair->gap, self->range, &push, &slope);
    push += slope * (pair->gap - gap);
  }
  double force = pair->stiffness * push, rate[3];
  double c = normal_damping(self, pair, slope);
  if (c > 0) {
    sum_rates(self, pair, w, rate);
    force -= c * pl_vec3_dot(normal, rate);
  }
  return fmax(force, 0);
}

/* How far the force that a linear method has seen is from the law's; it is linearised there. */
static double relinearise_push(const pl_collision *self, pl_collision_pair *pair, int pass,
                               double *all)
{
  double w[4], normal[3], push, slope, gap, seen;
  if (!self->is_linear || !pair->is_rigid) return 0;
  gap = pl_collision_gap(pair, self->x, w, normal) - pair->shift;
  (void)pl_collision_law(pair->about, self->range, &push, &slope);
  seen = pair->stiffness * (push + slope * (pair->about - gap));
  (void)pl_collision_law(gap, self->range, &push, &slope);
  // the damper comes and goes with the contact: half the way keeps that from going on and on
  pair->about = pass < 2 ? gap : 0.5 * (pair->about + gap);
  *all += pair->stiffness * push;
  return fabs(pair->stiffness * push - seen);
}

/* May points have come near unexpectedly? Pairs are taken up to half a range further than the way
 * that was expected leads, and two points may depart from theirs. */
static int may_catch(const pl_collision *self, const pl_substep *step)
{
  if (!self->is_linear || step->system->order > 1) return 1;
  for (size_t b = 0; b < self->is.base.bodies->count; b++) {
    if (pl_collision_is_rigid(self, (int)b)) return 1;
  }
  return pl_collision_strays(self);
}

static int revise(pl_coupling *base, const pl_substep *step)
{
  pl_collision *self = (pl_collision *)base;
  double wrong = 0, all = 0, wrong_push = 0, all_push = 0;
  if (self->pair_count) pl_collision_place_obstacles(self, step->t + step->h);
  pl_collision_place(self, step->q, self->rubs ? step->v : NULL);
  for (size_t i = 0; i < self->pair_count; i++) {
    pl_collision_pair *pair = &self->pairs[i];
    pair->push = normal_force(self, pair);
    wrong += relinearise(self, pair);
    wrong_push += relinearise_push(self, pair, step->pass, &all_push);
  }
  double change = pl_collision_unbound(self, &all);
  all *= pl_substep_leniency(step);
  int again = pl_collision_relinearise(self, step);
  again |= (step->pass <= FEW && change > CLOSE * all) ||
           (step->pass <= ENOUGH && wrong > RIGHT * all) ||
           (step->pass <= 2 * ENOUGH && wrong_push > EXACT * all_push);
  if (again) pl_collision_bind(self);
  // what comes again anyway is looked at when it has
  int looks = step->pass == 1 || (!again && step->pass <= ENOUGH);
  return (looks && may_catch(self, step) && pl_collision_catch(self, step)) || again;
}

/* Where a point's friction is remembered: the partner's body and s. */
double *pl_collision_memory(const pl_collision *self, int point)
{
  size_t at = 0;
  int owner = self->owner[point], own = point - self->point_start[owner];
  const pl_boundary *surface = &self->surfaces[owner];
  for (int b = 0; b < owner; b++) at += pl_collision_slots(&self->is.base.bodies->list[b]);
  at += (size_t)(surface->nodes ? surface->nodes[own] : own);
  return self->is.base.memory + self->is.base.ops->remembers.per_point * at;
}

/* What the first body feels. */
static void force_of(const pl_collision *self, const pl_collision_pair *pair, double out[3])
{
  double w[4], normal[3], rubs[3] = {0}, ignored[9];
  (void)pl_collision_gap(pair, self->x, w, normal);
  if (pair->bound > 0) rub(self, pair, 0, 0, rubs, ignored);
  pl_vec3_scale(pair->push, normal, out);
  pl_vec3_add(out, rubs, out);
}

void pl_collision_finish(pl_coupling *base, const pl_substep *step)
{
  pl_collision *self = (pl_collision *)base;
  memset(self->touched, 0, self->is.base.bodies->count);
  memset(base->memory, 0, base->memory_count * sizeof *base->memory);
  if (self->pair_count) pl_collision_place_obstacles(self, step->t + step->h);
  if (self->pair_count) pl_collision_place(self, step->q, NULL);
  if (self->contact) pl_collision_charge_obstacles(self, force_of);
  for (size_t i = 0; i < self->pair_count; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    double s[3];
    if (!(pair->push > 0)) continue;
    self->touched[pair->surfaces[0]] = 1;
    if (!pair->obstacle) self->touched[pair->surfaces[1]] = 1;
    if (!pair->is_nearest) continue;
    double *kept = pl_collision_memory(self, pair->points[0]);
    slip_at(pair, self->x, s);
    kept[0] = pl_collision_partner(pair->surfaces[1]);
    pl_slip_keep(pair->stiffness, pair->bound, s, kept + 1);
  }
  pl_collision_rise(self, step);
  pl_collision_strike(self, step);
}

/* The mean of the two places that are nearest, and what the first body feels there. */
static void list_pair(const pl_collision *self, const pl_collision_pair *pair,
                      const pl_meeting_sink *to)
{
  double w[4], normal[3], rubs[3];
  pl_meeting meeting = {
      .body = pair->surfaces[0], .other = pair->surfaces[1], .obstacle = -1, .at = {.gap = 0}};
  if (pair->obstacle) {
    meeting.other = -1;
    meeting.obstacle = (int)(pair->obstacle - self->contact->obstacles);
  }
  pl_contact_point *at = &meeting.at;
  int first = pair->kind == PL_EDGE_EDGE ? 2 : 1; /* so many points are the first body's */
  if (!(pair->push > 0) && !(pair->bound > 0)) return;
  at->gap = pl_collision_gap(pair, self->x, w, normal);
  for (int i = 0; i < 4 && !pair->obstacle; i++)
    pl_vec3_add_scaled(i < first ? 0.5 * w[i] : -0.5 * w[i], self->x + 3 * (size_t)pair->points[i],
                       at->point);
  pl_vec3_copy(normal, at->normal);
  if (pair->obstacle) {
    pl_vec3_copy(self->x + 3 * (size_t)pair->points[0], at->point);
    pl_vec3_add_scaled(-0.5 * at->gap, normal, at->point);
  }
  pl_collision_rubbing(self, pair, rubs, at->slip);
  pl_vec3_scale(pair->push, normal, at->force);
  pl_vec3_add(at->force, rubs, at->force);
  to->take(to->context, &meeting);
}

static void contacts(pl_coupling *base, const pl_moment *at, const pl_meeting_sink *to)
{
  pl_collision *self = (pl_collision *)base;
  if (self->pair_count) pl_collision_place_obstacles(self, at->t);
  if (self->pair_count) pl_collision_place(self, at->q, at->v);
  for (size_t i = 0; i < self->pair_count; i++) list_pair(self, &self->pairs[i], to);
}

static double energy(pl_coupling *base, const double *q, int body)
{
  pl_collision *self = (pl_collision *)base;
  double sum = 0;
  if (!self->pair_count) return 0;
  pl_collision_place(self, q, NULL);
  for (size_t i = 0; i < self->pair_count; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    double w[4], normal[3], push, slope;
    double share = 0.5 * ((pair->surfaces[0] == body) + (pair->surfaces[1] == body));
    if (pair->obstacle) share *= 2;
    double gap = gap_of(pair, self->x, w, normal);
    sum += share * pair->stiffness *
           (pair->line.is_seen ? pl_collision_line : pl_collision_law)(gap, self->range, &push,
                                                                       &slope);
  }
  return sum;
}

static int is_changing(const pl_coupling *base)
{
  return ((const pl_collision *)base)->pair_count > 0;
}

int pl_collision_grips(const pl_coupling *base, int body)
{
  const pl_collision *self = (const pl_collision *)base;
  return self->touched && self->touched[body];
}

const pl_coupling_ops pl_coupling_collision = {
    .info = {"collision", "keeps bodies apart from each other, with Coulomb's friction", "", NULL,
             0, NULL},
    .is_internal = 1,
    .is_contact = 1,
    .remembers.per_point = PL_COLLISION_MEMORY,
    .makes_pairs = 1,
    .size = sizeof(pl_collision),
    .destroy = pl_collision_destroy,
    .follow = pl_collision_follow,
    .prepare = pl_collision_prepare,
    .memory = pl_collision_memory_count,
    .find = pl_collision_find,
    .evaluate = evaluate,
    .is_changing = is_changing,
    .revise = revise,
    .finish = pl_collision_finish,
    .energy = energy,
    .contacts = contacts,
    .grips = pl_collision_grips,
};

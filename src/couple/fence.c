/* Pairs of surfaces behind barriers; fence.h says what is computed. */
#include "couple/fence.h"

#include "core/error.h"
#include "core/memory.h"
#include "couple/attachment.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SHARE  0.2  /* of a gap that an increment leaves */
#define APART  0.5  /* of the least distance within a body at rest: the range at most */
#define PARTED 0.5  /* of the range, at which bodies meet whose glue has broken */
#define FLIGHT 0.5  /* of a body's size that another may fly in a substep */
#define KEEP   2    /* ranges that points may go while candidates are kept */
#define CLOSE  0.05 /* part of all bounds of friction by which they may still change */
enum { FEW = 3, SPARE = 256, MOST_PARTS = 1000 };

/* ---- preparation ---- */

static void destroy(pl_coupling *base)
{
  pl_fence *self = (pl_fence *)base;
  pl_finder_destroy(self->swept);
  pl_free(base->bodies->allocator, self->touches);
  pl_free(base->bodies->allocator, self->extents);
  self->swept = NULL;
  pl_collision_destroy(base);
}

/* The middle one of a body's three sizes: how far others must go to pass around it. */
static double middle_size(const pl_mesh *mesh)
{
  double low[3], high[3], size[3];
  pl_mesh_bounds(mesh, low, high);
  pl_vec3_sub(high, low, size);
  double min = fmin(size[0], fmin(size[1], size[2])), max = fmax(size[0], fmax(size[1], size[2]));
  return size[0] + size[1] + size[2] - min - max;
}

/* Bodies that may touch themselves: features that are near at rest do not. */
static pl_status bound_range(pl_fence *self, pl_error *error)
{
  pl_collision *is = &self->is;
  const pl_bodies *bodies = is->is.base.bodies;
  const pl_proximity *list;
  int count = 0, any = 0;
  for (size_t b = 0; b < bodies->count; b++) {
    any |= bodies->list[b].contact.itself;
    for (int p = 0; p < is->surfaces[b].point_count; p++)
      pl_vec3_copy(pl_boundary_rest(&is->surfaces[b], &bodies->list[b], p),
                   is->x + 3 * (size_t)(is->point_start[b] + p));
  }
  if (!any) return PL_OK;
  const pl_finder_query query = {.x = is->x, .range = is->range / APART};
  pl_status status = pl_finder_find(is->finder, &query, bodies->pool, &list, &count, error);
  for (int i = 0; i < count && !status; i++) {
    if (list[i].surfaces[0] == list[i].surfaces[1] && list[i].gap > 0)
      is->range = fmin(is->range, APART * list[i].gap);
  }
  return status;
}

static pl_status prepare(pl_coupling *base, pl_error *error)
{
  pl_fence *self = (pl_fence *)base;
  const pl_bodies *bodies = base->bodies;
  pl_finder_destroy(self->swept);
  pl_free(bodies->allocator, self->extents);
  self->swept = NULL;
  self->extents = NULL;
  self->is.open = 1;
  self->checked = self->count = 0;
  self->contact = (pl_contact *)pl_couplings_next(self->is.is.others, &pl_coupling_contact, NULL);
  pl_status status = pl_collision_prepare(base, error);
  if (!status) status = pl_collision_finder(&self->is, &self->swept, error);
  if (!status) status = bound_range(self, error);
  if (status) return status;
  self->extents = pl_alloc(bodies->allocator, bodies->count, sizeof *self->extents);
  if (!self->extents) return pl_fail_memory(error);
  for (size_t b = 0; b < bodies->count; b++) self->extents[b] = middle_size(bodies->list[b].mesh);
  int law = (int)self->is.is.values[0];
  self->law =
      (pl_barrier){.law = law ? PL_BARRIER_LOG : PL_BARRIER_RATIONAL, .range = self->is.range};
  return PL_OK;
}

/* ---- glue ---- */

static pl_status renew_finders(pl_fence *self, pl_error *error)
{
  pl_finder *near = NULL, *swept = NULL;
  pl_status status = pl_collision_finder(&self->is, &near, error);
  if (!status) status = pl_collision_finder(&self->is, &swept, error);
  if (status) {
    pl_finder_destroy(near);
    return status;
  }
  pl_finder_destroy(self->is.finder);
  pl_finder_destroy(self->swept);
  self->is.finder = near;
  self->swept = swept;
  self->is.point_start = pl_finder_point_start(near);
  self->count = 0;
  return PL_OK;
}

/* Would two bodies be free of each other if they met from now on? All else is. */
static pl_status are_apart(pl_fence *self, const int bodies[2], int *apart, pl_error *error)
{
  const pl_finder_query query = {.x = self->is.x, .range = PARTED * self->is.range};
  const pl_proximity *list;
  int64_t crossings = 0;
  int count = 0;
  pl_finder *trial = NULL;
  pl_pool *pool = self->is.is.base.bodies->pool;
  pl_status status = pl_collision_finder(&self->is, &trial, error);
  if (!status) status = pl_finder_intersections(trial, query.x, pool, &crossings, error);
  if (!status) status = pl_finder_find(trial, &query, pool, &list, &count, error);
  *apart = crossings == 0;
  for (int i = 0; i < count && !status; i++) {
    const int *of = list[i].surfaces;
    *apart &=
        !((of[0] == bodies[0] && of[1] == bodies[1]) || (of[0] == bodies[1] && of[1] == bodies[0]));
  }
  pl_finder_destroy(trial);
  return status;
}

/* Bodies meet once their glue has broken and they have come apart, so that nothing pushes them out
 * of each other. Barriers keep it so: what is known follows from the state. */
static pl_status part_glued(pl_fence *self, pl_error *error)
{
  const pl_couplings *all = self->is.is.others;
  int changed = 0;
  pl_status status = PL_OK;
  for (size_t i = 0; i < all->count && !status; i++) {
    if (!pl_attachment_may_break(all->list[i])) continue;
    pl_attachment *glue = (pl_attachment *)all->list[i];
    int held = pl_attachments_glue(all, glue->base.acts_on), before = glue->parted;
    if (held == !before) continue;
    glue->parted = !held;
    if (!held) status = are_apart(self, glue->base.acts_on, &glue->parted, error);
    changed |= glue->parted != before;
  }
  return changed && !status ? renew_finders(self, error) : status;
}

/* ---- pairs ---- */

double pl_fence_stiffness(const pl_fence *self, const pl_proximity *pair)
{
  const pl_collision *is = &self->is;
  const int *p = pair->points;
  double area = pl_collision_area(is, p[0]), inverse = 0;
  const double E[2] = {is->modulus[pair->surfaces[0]], is->modulus[pair->surfaces[1]]};
  if (pair->kind == PL_EDGE_EDGE)
    area = (area + pl_collision_area(is, p[1]) + pl_collision_area(is, p[2]) +
            pl_collision_area(is, p[3])) /
           16;
  // weights that do not depend on where they touch: the stiffness must not change
  for (int i = 0; i < 4; i++) {
    double c = pair->kind == PL_EDGE_EDGE ? 0.5 : i ? 1.0 / 3 : 1;
    inverse += c * c / is->mass[p[i]];
  }
  int moves = self->h > 0;
  return is->is.set->stiffness *
         pl_barrier_stiffness(E, area, is->range, moves ? 1 / inverse : 0, moves ? self->h : 1);
}

/* What is near at the places in x. */
static void look(pl_fence *self)
{
  pl_collision *is = &self->is;
  const pl_finder_query query = {.x = is->x, .range = is->range, .keep = KEEP * is->range};
  self->count = 0;
  if (!is->is.set->between_bodies) return;
  pl_status status =
      pl_finder_find(is->finder, &query, is->is.base.bodies->pool, &self->list, &self->count, NULL);
  if (status) self->failed = status;
}

static pl_barrier barrier_of(const pl_fence *self, const pl_proximity *pair)
{
  pl_barrier barrier = self->law;
  const pl_collision *is = &self->is;
  const pl_bodies *bodies = is->is.base.bodies;
  barrier.stiffness = pl_fence_stiffness(self, pair);
  barrier.separation = pair->thickness;
  for (int e = 0; e < 2 && pair->kind == PL_EDGE_EDGE; e++) {
    int b = pair->surfaces[e], first = is->point_start[b];
    const pl_boundary *surface = &is->surfaces[b];
    const double *x[2];
    double a[3];
    for (int i = 0; i < 2; i++)
      x[i] = pl_boundary_rest(surface, &bodies->list[b], pair->points[2 * e + i] - first);
    pl_vec3_sub(x[1], x[0], a);
    barrier.rest = (e ? barrier.rest : 1) * pl_vec3_dot(a, a);
  }
  return barrier;
}

static void places_of(const pl_fence *self, const pl_proximity *pair, double x[4][3])
{
  for (int i = 0; i < 4; i++) pl_vec3_copy(self->is.x + 3 * (size_t)pair->points[i], x[i]);
}

double pl_fence_law(const pl_fence *self, const pl_proximity *pair, double W[3],
                    double gradient[12])
{
  double x[4][3];
  const pl_barrier barrier = barrier_of(self, pair);
  pl_barrier_law_at(&barrier, pair->gap, W);
  if (pair->kind != PL_EDGE_EDGE) {
    for (int i = 0; gradient && i < 12; i++)
      gradient[i] = W[1] * pair->weights[i / 3] * pair->normal[i % 3];
    return W[0];
  }
  places_of(self, pair, x);
  double energy = pl_barrier_at(&barrier, PL_EDGE_EDGE, (const double(*)[3])x,
                                PL_BARRIER_GAUSS_NEWTON, gradient, NULL);
  double share = W[0] > 0 ? energy / W[0] : 1;
  W[1] *= share, W[2] *= share;
  return energy;
}

/* The exact second derivatives. */
static void stiffen(pl_fence *self, const pl_proximity *pair, const pl_moment *at,
                    const pl_tangent *tangent)
{
  double x[4][3];
  pl_barrier_part parts[PL_BARRIER_PARTS];
  const pl_barrier barrier = barrier_of(self, pair);
  places_of(self, pair, x);
  int count = pl_barrier_split(&barrier, (pl_contact_kind)pair->kind, (const double(*)[3])x, parts);
  for (int part = 0; part < count; part++) {
    double *D = parts[part].D;
    for (int e = 0; e < 9; e++) D[e] *= tangent->kq;
    pl_collision_stiffen(&self->is, pair->points, at, (const double(*)[9])parts[part].C, D,
                         tangent);
  }
}

static void press(pl_fence *self, const pl_proximity *pair, const pl_moment *at, double *f,
                  const pl_tangent *tangent)
{
  static const double none[9] = {0};
  double W[3], gradient[12], D[9], force[3];
  (void)pl_fence_law(self, pair, W, gradient);
  for (int i = 0; f && i < 4; i++) {
    const int points[4] = {pair->points[i], pair->points[i], pair->points[i], pair->points[i]};
    const double only[4] = {1};
    pl_vec3_scale(-1, gradient + 3 * i, force);
    pl_collision_act(&self->is, points, at, only, force, none, f, NULL);
  }
  if (!tangent) return;
  if (!tangent->semidefinite) {
    stiffen(self, pair, at, tangent);
    return;
  }
  for (int e = 0; e < 9; e++) D[e] = tangent->kq * W[2] * pair->normal[e / 3] * pair->normal[e % 3];
  pl_collision_act(&self->is, pair->points, at, pair->weights, force, D, NULL, tangent);
}

static void evaluate(pl_coupling *base, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_fence *self = (pl_fence *)base;
  pl_collision_place(&self->is, at->q, at->v);
  look(self);
  for (int i = 0; i < self->count; i++) press(self, &self->list[i], at, f, tangent);
  for (size_t i = 0; i < self->is.pair_count; i++)
    pl_collision_rub(&self->is, &self->is.pairs[i], at, f, tangent);
  if (self->contact) pl_fence_hold(self, at, f, tangent);
}

/* ---- increments ---- */

static pl_status limit(pl_coupling *base, double t, const double *q, const double *to, double *part,
                       int *worst1, pl_error *error)
{
  pl_fence *self = (pl_fence *)base;
  pl_collision *is = &self->is;
  pl_finder_limit free = {.part = 1};
  if (self->failed) return pl_fail_memory(error);
  pl_collision_place(is, to, NULL);
  memcpy(is->to, is->x, 3 * (size_t)is->point_count * sizeof *is->to);
  pl_collision_place(is, q, NULL);
  const pl_finder_query query = {.x = is->x, .to = is->to, .watch = base->bodies->watch};
  pl_status status = PL_OK;
  pl_finder *finder = pl_finder_reaches(is->finder, &query, SHARE) ? is->finder : self->swept;
  if (is->is.set->between_bodies)
    status = pl_finder_advance(finder, &query, SHARE, base->bodies->pool, &free, error);
  if (status) return status;
  if (free.part < *part) {
    pl_proximity pair;
    *part = free.part;
    pl_finder_set(self->swept, free.key, &pair);
    *worst1 = 1 + is->block[pair.points[0]];
  }
  self->from = self->now;
  self->goal = t;
  if (self->contact) pl_fence_obstruct(self, t, part, worst1);
  self->unfree += *part < 1;
  return PL_OK;
}

static void go(pl_coupling *base, double part)
{
  pl_fence *self = (pl_fence *)base;
  self->now = part == 1 ? self->goal : self->from + part * (self->goal - self->from);
  pl_fence_pose(self, self->now);
}

static void start(pl_coupling *base, double t)
{
  pl_fence *self = (pl_fence *)base;
  self->now = self->from = self->goal = t;
  pl_fence_pose(self, t);
}

/* ---- substeps ---- */

/* How far two bodies come in a substep, over what they may. */
typedef struct flyer {
  double low[3], high[3], mean[3], spread;
} flyer;

static flyer follow_body(const pl_collision *is, int b, double h)
{
  flyer to = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
  int first = is->point_start[b], last = is->point_start[b + 1];
  for (int p = first; p < last; p++) {
    const double *x = is->x + 3 * (size_t)p, *v = is->v + 3 * (size_t)p;
    pl_vec3_add_scaled(1.0 / (last - first), v, to.mean);
    for (int k = 0; k < 3; k++) {
      to.low[k] = fmin(to.low[k], fmin(x[k], x[k] + h * v[k]) - is->range);
      to.high[k] = fmax(to.high[k], fmax(x[k], x[k] + h * v[k]) + is->range);
    }
  }
  for (int p = first; p < last; p++)
    to.spread = fmax(to.spread, pl_vec3_distance(is->v + 3 * (size_t)p, to.mean));
  return to;
}

static int boxes_meet(const double low[3], const double high[3], const double low2[3],
                      const double high2[3])
{
  for (int k = 0; k < 3; k++) {
    if (low[k] > high2[k] || low2[k] > high[k]) return 0;
  }
  return 1;
}

/* The same for a body and obstacles of finite size. */
static double flight_at_obstacles(const pl_fence *self, const flyer *a, int body, double h)
{
  double max = 0;
  for (size_t o = 0; self->contact && o < self->contact->count; o++) {
    const pl_obstacle *obstacle = &self->contact->obstacles[o];
    double size[3], speed[3], corner[3];
    pl_vec3_sub(obstacle->high, obstacle->low, size);
    double min = fmin(size[0], fmin(size[1], size[2]));
    double large = fmax(size[0], fmax(size[1], size[2]));
    double middle = size[0] + size[1] + size[2] - min - large;
    if (!isfinite(large)) continue;
    pl_axes_point(&obstacle->start, (double[3]){0}, corner);
    if (!obstacle->is_placed && !boxes_meet(a->low, a->high, obstacle->low, obstacle->high))
      continue;
    pl_axes_velocity(&obstacle->start, corner, speed);
    double way = h * (pl_vec3_distance(a->mean, speed) + a->spread);
    max = fmax(max, way / (FLIGHT * fmin(middle, self->extents[body])));
  }
  return max;
}

static int parts(pl_coupling *base, const pl_substep *step)
{
  pl_fence *self = (pl_fence *)base;
  pl_collision *is = &self->is;
  double max = 1, h = step->h;
  if (step->system->is_static) return 1;
  pl_collision_place(is, step->q, step->v);
  for (int a = 0; a < is->surface_count; a++) {
    flyer one = follow_body(is, a, h);
    max = fmax(max, flight_at_obstacles(self, &one, a, h));
    for (int b = 0; b < a && is->is.set->between_bodies; b++) {
      flyer other = follow_body(is, b, h);
      if (!boxes_meet(one.low, one.high, other.low, other.high)) continue;
      double way = h * (pl_vec3_distance(one.mean, other.mean) + one.spread + other.spread);
      double size = fmin(self->extents[a], self->extents[b]);
      if (size > 0) max = fmax(max, way / (FLIGHT * size));
    }
  }
  return max < MOST_PARTS ? (int)ceil(max) : MOST_PARTS;
}

/* Before the first substep: does something intersect or touch? */
static pl_status check_free(pl_fence *self, pl_error *error)
{
  pl_collision *is = &self->is;
  const pl_bodies *bodies = is->is.base.bodies;
  int64_t crossings = 0;
  pl_status status = PL_OK;
  if (is->is.set->between_bodies)
    status = pl_finder_intersections(self->swept, is->x, bodies->pool, &crossings, error);
  if (status) return status;
  for (int i = 0; i < self->count; i++) {
    if (self->list[i].gap > 0) continue;
    return pl_fail(error, PL_E_ARGUMENT,
                   "bodies \"%.60s\" and \"%.60s\" touch or intersect at the beginning, which "
                   "contact by \"barrier\" cannot undo; leave a gap, %.1e m say, or choose "
                   "response=\"penalty\"",
                   bodies->list[self->list[i].surfaces[0]].name,
                   bodies->list[self->list[i].surfaces[1]].name, is->range);
  }
  if (crossings)
    return pl_fail(error, PL_E_ARGUMENT,
                   "surfaces intersect at the beginning at %lld places, which contact by "
                   "\"barrier\" cannot undo; move the bodies apart or choose response=\"penalty\"",
                   (long long)crossings);
  if (self->contact && !(pl_fence_gap(self) > 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "a body touches or is inside an obstacle at the beginning, which contact by "
                   "\"barrier\" cannot undo; leave a gap, %.1e m say, or choose "
                   "response=\"constraint\"",
                   is->range);
  self->checked = 1;
  return PL_OK;
}

/* Is it the nearest of its point, among those with the same point? */
static int is_nearest(const pl_fence *self, int i)
{
  const pl_proximity *list = self->list, *own = &list[i];
  if (own->kind != PL_POINT_TRIANGLE) return 0;
  for (int j = i - 1; j >= 0 && list[j].points[0] == own->points[0]; j--) {
    if (list[j].gap <= own->gap) return 0;
  }
  for (int j = i + 1; j < self->count && list[j].kind == own->kind; j++) {
    if (list[j].points[0] != own->points[0]) break;
    if (list[j].gap < own->gap) return 0;
  }
  return 1;
}

/* mu N of all pairs, by what is near now; how much that changes. */
static double bind_pairs(pl_fence *self, double *all)
{
  pl_collision *is = &self->is;
  double change = 0, W[3];
  for (size_t i = 0; i < is->links.count; i++)
    is->links.list[i].all = is->links.list[i].anchored = 0;
  for (size_t i = 0; i < is->pair_count; i++) is->pairs[i].push = 0;
  // both lists are sorted by key, but for pairs that came later
  size_t p = 0;
  for (int i = 0; i < self->count; i++) {
    const pl_proximity *near = &self->list[i];
    (void)pl_fence_law(self, near, W, NULL);
    while (p < is->found_count && is->pairs[p].key < near->key) p++;
    if (p == is->found_count || is->pairs[p].key != near->key) continue;
    is->pairs[p].push = -W[1];
    is->links.list[is->pairs[p].link].all -= W[1];
    if (is->pairs[p].is_nearest) is->links.list[is->pairs[p].link].anchored -= W[1];
  }
  for (size_t i = 0; i < is->pair_count; i++) {
    pl_collision_pair *pair = &is->pairs[i];
    double bound = is->is.set->friction * pair->push * pl_collision_share(is, pair);
    change += fabs(bound - pair->bound);
    *all += bound;
    pair->bound = bound;
  }
  return change;
}

/* Pairs with friction: those that are near now, and began the substep at x0. */
static pl_status take_pairs(pl_fence *self, const pl_substep *step, const double *x0,
                            pl_error *error)
{
  pl_collision *is = &self->is;
  is->pair_count = is->links.count = 0;
  pl_status status = pl_collision_reserve(is, (size_t)self->count + SPARE, error);
  if (status) return status;
  memset(is->first1, 0, (size_t)is->point_count * sizeof *is->first1);
  for (int i = 0; i < self->count && is->is.set->friction > 0; i++)
    pl_collision_take(is, step, &self->list[i], is_nearest(self, i), x0);
  is->found_count = is->pair_count;
  return PL_OK;
}

static pl_status find(pl_coupling *base, const pl_substep *step, pl_error *error)
{
  pl_fence *self = (pl_fence *)base;
  pl_collision *is = &self->is;
  double all = 0;
  self->h = is->h = step->system->is_static ? 0 : step->h;
  self->failed = PL_OK;
  start(base, step->t);
  pl_collision_place(is, step->q, step->v);
  pl_status status = part_glued(self, error);
  if (status) return status;
  look(self);
  if (self->failed) status = pl_fail_memory(error);
  if (!status && !self->checked) status = check_free(self, error);
  if (!status) status = take_pairs(self, step, is->x, error);
  if (!status && self->contact) status = pl_fence_touch_all(self, step, error);
  if (status) return status;
  (void)bind_pairs(self, &all);
  if (self->contact) (void)pl_fence_bind(self, &all);
  return PL_OK;
}

static int revise(pl_coupling *base, const pl_substep *step)
{
  pl_fence *self = (pl_fence *)base;
  double all = 0;
  pl_collision_place(&self->is, step->q, step->v);
  look(self);
  if (!(self->is.is.set->friction > 0) && !self->contact) return 0;
  double change = bind_pairs(self, &all);
  if (self->contact) change += pl_fence_bind(self, &all);
  return step->pass <= FEW && change > CLOSE * all;
}

static void finish(pl_coupling *base, const pl_substep *step)
{
  pl_fence *self = (pl_fence *)base;
  pl_collision *is = &self->is;
  pl_collision_finish(base, step);
  pl_collision_place(is, step->q, step->v);
  self->min = INFINITY;
  for (int i = 0; i < self->count; i++) {
    self->min = fmin(self->min, self->list[i].gap / is->range);
    for (int e = 0; e < 2; e++) is->touched[self->list[i].surfaces[e]] = 1;
  }
  if (self->contact) pl_fence_remember(self);
}

static double energy(pl_coupling *base, const double *q, int body)
{
  pl_fence *self = (pl_fence *)base;
  double sum = 0, W[3];
  if (!self->checked) return 0;
  pl_collision_place(&self->is, q, NULL);
  look(self);
  for (int i = 0; i < self->count; i++) {
    const int *of = self->list[i].surfaces;
    double share = 0.5 * ((of[0] == body) + (of[1] == body));
    if (share > 0) sum += share * pl_fence_law(self, &self->list[i], W, NULL);
  }
  return self->contact ? sum + pl_fence_energy(self, body) : sum;
}

static const pl_guard_ops guard = {start, limit, go, parts};

const pl_coupling_ops pl_coupling_barrier = {
    .info = {"barrier", "keeps bodies apart from each other and from obstacles without fail", "",
             NULL, 0, NULL},
    .is_internal = 1,
    .remembers.per_point = PL_FENCE_MEMORY,
    .makes_pairs = 1,
    .size = sizeof(pl_fence),
    .destroy = destroy,
    .follow = pl_collision_follow,
    .prepare = prepare,
    .memory = pl_collision_memory_count,
    .find = find,
    .evaluate = evaluate,
    .guard = &guard,
    .revise = revise,
    .finish = finish,
    .energy = energy,
    .contacts = pl_fence_contacts,
    .grips = pl_collision_grips,
};

/* Which points, edges and triangles of bodies may touch in a substep. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/attachment.h"
#include "couple/collision.h"
#include "couple/slip.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define ALIKE    0.95    /* cosine between normals above which two pairs of a point are one */
#define MISSED   0.25    /* of the range by which a pair may be nearer than those in use */
#define CROSSING 0.06    /* sin^2 of the angle of two edges that are a pair, at least */
enum { MOST_PAIRS = 3 }; /* of a point with one other body */
enum { SPARE = 256 };    /* pairs that may come unexpectedly */

double pl_collision_area(const pl_collision *self, int point)
{
  int owner = self->owner[point];
  return self->surfaces[owner].area[point - self->point_start[owner]];
}

/* What linear methods see friction about at first: as if the points went on as they do, under a
 * force that balances friction. */
static void expect_slip(const pl_collision *self, pl_collision_pair *to)
{
  double there[3] = {0}, far = pl_vec3_norm(to->slip), mass = 0;
  if (!self->is_linear || !(self->h > 0)) return;
  for (int i = 0; i < 4; i++) {
    size_t at = 3 * (size_t)to->points[i];
    for (int k = 0; k < 3; k++)
      there[k] += to->weights[i] * (self->to[at + (size_t)k] - self->x[at + (size_t)k]);
    mass += to->weights[i] * to->weights[i] / self->mass[to->points[i]];
  }
  pl_vec3_add_scaled(-pl_vec3_dot(to->normal, there), to->normal, there);
  pl_vec3_add(to->slip, there, there);
  double force = pl_slip_at_rest(to->stiffness, to->bound, far);
  if (far > 0) pl_vec3_add_scaled(force * mass * self->h * self->h / far, to->slip, there);
  pl_collision_expect(self, to, there);
}

/* How a pair starts the substep, where the points are at x0; it was found at x. */
static pl_collision_pair start_pair(const pl_collision *self, const pl_substep *step,
                                    const pl_proximity *from, int is_nearest, const double *x0)
{
  pl_collision_pair to = {.key = from->key,
                          .kind = (pl_contact_kind)from->kind,
                          .params = from->params,
                          .sign = 1,
                          .thickness = from->thickness,
                          .friction = self->is.set->friction,
                          .is_nearest = is_nearest};
  memcpy(to.points, from->points, sizeof to.points);
  memcpy(to.surfaces, from->surfaces, sizeof to.surfaces);
  memcpy(to.weights, from->weights, sizeof to.weights);
  double w[4], normal[3], push, slope;
  (void)pl_collision_gap(&to, self->x, w, normal);
  if (pl_vec3_dot(normal, from->normal) < 0) to.sign = -1;
  to.gap = pl_collision_gap(&to, x0, to.weights, to.normal);
  pl_collision_shift(self, step, &to);
  to.is_rigid =
      pl_collision_is_rigid(self, to.surfaces[0]) || pl_collision_is_rigid(self, to.surfaces[1]);
  pl_collision_choose_stiffness(self, step, &to);
  (void)pl_collision_law(to.gap, self->range, &push, &slope);
  to.push = to.stiffness * push;
  for (int i = 0; i < 4; i++)
    pl_vec3_add_scaled(to.weights[i], x0 + 3 * (size_t)to.points[i], to.r);
  to.line.is_seen = self->is_linear && !to.is_rigid && step->system->order == 1 && self->h > 0;
  if (to.line.is_seen) pl_collision_foresee(self, &to);
  const double *kept = is_nearest ? pl_collision_memory(self, to.points[0]) : NULL;
  if (kept && kept[0] == pl_collision_partner(to.surfaces[1])) pl_vec3_copy(kept + 1, to.slip);
  pl_vec3_add_scaled(-pl_vec3_dot(to.normal, to.slip), to.normal, to.slip);
  to.about = pl_collision_gap(&to, self->to, w, normal) - to.shift;
  if (to.line.is_seen) pl_collision_expect_push(self, &to);
  return to;
}

pl_status pl_collision_reserve(pl_collision *self, size_t count, pl_error *error)
{
  void *memory = self->pairs;
  if (pl_reserve(self->is.base.bodies->allocator, &memory, &self->pair_room, count,
                 sizeof *self->pairs))
    return pl_fail_memory(error);
  self->pairs = memory;
  memory = self->links.list;
  if (pl_reserve(self->is.base.bodies->allocator, &memory, &self->links.room, count,
                 sizeof *self->links.list))
    return pl_fail_memory(error);
  self->links.list = memory;
  return PL_OK;
}

/* The link of two bodies; most often that of the pair before. */
static int link_of(pl_collision *self, const int surfaces[2])
{
  int low = surfaces[0] < surfaces[1] ? surfaces[0] : surfaces[1];
  int high = surfaces[0] + surfaces[1] - low;
  for (size_t i = self->links.count; i-- > 0;) {
    const int *has = self->links.list[i].surfaces;
    if (has[0] == low && has[1] == high) return (int)i;
  }
  self->links.list[self->links.count] = (pl_collision_link){.surfaces = {low, high}};
  return (int)self->links.count++;
}

/* How much of its link's friction a pair carries, of its own. */
double pl_collision_share(const pl_collision *self, const pl_collision_pair *pair)
{
  const pl_collision_link *link = &self->links.list[pair->link];
  if (!(link->anchored > 0)) return 1;
  return pair->is_nearest ? link->all / link->anchored : 0;
}

static void sum_links(pl_collision *self)
{
  for (size_t i = 0; i < self->links.count; i++)
    self->links.list[i].all = self->links.list[i].anchored = 0;
  for (size_t i = 0; i < self->pair_count; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    self->links.list[pair->link].all += pair->push;
    if (pair->is_nearest) self->links.list[pair->link].anchored += pair->push;
  }
}

void pl_collision_bind(pl_collision *self)
{
  sum_links(self);
  self->rubs = 0;
  for (size_t i = 0; i < self->pair_count; i++) {
    pl_collision_pair *pair = &self->pairs[i];
    pair->bound = pair->friction * pair->push * pl_collision_share(self, pair);
    self->rubs |= pair->friction > 0 || pair->is_rigid;
  }
}

double pl_collision_unbound(pl_collision *self, double *all)
{
  double change = 0;
  *all = 0;
  sum_links(self);
  for (size_t i = 0; i < self->pair_count; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    double bound = pair->friction * pair->push * pl_collision_share(self, pair);
    *all += bound;
    change += fabs(bound - pair->bound);
  }
  return change;
}

void pl_collision_take(pl_collision *self, const pl_substep *step, const pl_proximity *from,
                       int is_nearest, const double *x0)
{
  int *first1 = &self->first1[from->points[0]];
  self->pairs[self->pair_count] = start_pair(self, step, from, is_nearest, x0);
  self->pairs[self->pair_count++].link = link_of(self, from->surfaces);
  if (from->kind == PL_POINT_TRIANGLE && !*first1) *first1 = (int)self->pair_count;
}

void pl_collision_append(pl_collision *self, const pl_collision_pair *pair)
{
  self->pairs[self->pair_count] = *pair;
  self->pairs[self->pair_count++].link = link_of(self, pair->surfaces);
}

/* Can the pair touch, with the motion that its points have? */
static int is_near(const pl_collision *self, const pl_proximity *pair)
{
  double way[3] = {0};
  for (int i = 0; i < 4; i++) {
    size_t at = 3 * (size_t)pair->points[i];
    for (int k = 0; k < 3; k++)
      way[k] += pair->weights[i] * (self->to[at + (size_t)k] - self->x[at + (size_t)k]);
  }
  return pair->gap < PL_COLLISION_AHEAD * self->range + pl_vec3_norm(way);
}

/* Nearest to the surface first. */
static const pl_proximity *nearest(const pl_collision *self, const pl_proximity *list, int count,
                                   const pl_proximity *const *taken, int taken_count)
{
  const pl_proximity *best = NULL;
  for (int i = 0; i < count; i++) {
    const pl_proximity *at = &list[i];
    int alike = !is_near(self, at) || (taken_count && at->params < 2);
    for (int t = 0; t < taken_count && !alike; t++)
      alike = pl_vec3_dot(at->normal, taken[t]->normal) > ALIKE;
    if (!alike && (!best || fabs(at->gap) < fabs(best->gap))) best = at;
  }
  return best;
}

/* The pairs of one point with one other surface: the nearest; outside, where the surface bends
 * inwards, up to three with different normals. */
static void take_point(pl_collision *self, const pl_substep *step, const pl_proximity *list,
                       int count)
{
  const pl_proximity *taken[MOST_PAIRS];
  for (int n = 0; n < MOST_PAIRS; n++) {
    taken[n] = nearest(self, list, count, taken, n);
    if (!taken[n] || (n && taken[n]->gap < 0)) return;
    pl_collision_take(self, step, taken[n], n == 0, self->x);
    if (taken[n]->gap < 0) return;
  }
}

/* How many of the list, from its beginning, are of one point and one other surface. */
static int run_length(const pl_proximity *list, int count)
{
  int run = 1;
  while (run < count && list[run].kind == list->kind && list[run].points[0] == list->points[0] &&
         list[run].surfaces[1] == list->surfaces[1])
    run++;
  return run;
}

/* Two edges inside which the nearest points lie, and that are not nearly parallel: the nearest
 * points of such lines run away when they turn, and points and triangles keep such edges apart. */
static int is_crossing(const pl_collision *self, const pl_proximity *pair)
{
  const double *x[4];
  double a[3], b[3], n[3];
  for (int i = 0; i < 4; i++) x[i] = self->x + 3 * (size_t)pair->points[i];
  pl_vec3_sub(x[1], x[0], a);
  pl_vec3_sub(x[3], x[2], b);
  pl_vec3_cross(a, b, n);
  return pair->params == 2 && pl_vec3_dot(n, n) > CROSSING * pl_vec3_dot(a, a) * pl_vec3_dot(b, b);
}

/* There is room for as many pairs as the list has. */
static void select_pairs(pl_collision *self, const pl_substep *step, const pl_proximity *list,
                         int count)
{
  memset(self->first1, 0, (size_t)self->point_count * sizeof *self->first1);
  for (int i = 0, run; i < count; i += run) {
    run = list[i].kind == PL_POINT_TRIANGLE ? run_length(list + i, count - i) : 1;
    if (self->has_glue && pl_attachments_glue(self->is.others, list[i].surfaces)) continue;
    if (list[i].kind == PL_POINT_TRIANGLE) {
      take_point(self, step, list + i, run);
    } else if (is_crossing(self, list + i) && list[i].gap > -self->range &&
               is_near(self, list + i)) {
      pl_collision_take(self, step, list + i, 0, self->x);
    }
  }
}

/* Where all points were when the substep began, in v. */
static void place_start(pl_collision *self, const pl_substep *step)
{
  for (int b = 0; b < self->surface_count; b++)
    pl_boundary_place(&self->surfaces[b], &self->is.base.bodies->list[b], step->q0, NULL,
                      self->v + 3 * (size_t)self->point_start[b]);
}

/* The least gap of the pairs in [first, last) that are of the point and the surface; if they follow
 * each other, those from first on. */
static double min_gap(const pl_collision *self, int point, int surface, size_t first, size_t last,
                      int in_a_run)
{
  double min = INFINITY, w[4], normal[3];
  for (size_t i = first; i < last; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    int is_own = pair->kind == PL_POINT_TRIANGLE && pair->points[0] == point;
    if (in_a_run && !is_own) break;
    if (!is_own || pair->surfaces[1] != surface) continue;
    min = fmin(min, pl_collision_gap(pair, self->x, w, normal));
  }
  return min;
}

/* Is the point kept away from the surface by its pairs? */
static int is_guarded(const pl_collision *self, const pl_proximity *found)
{
  int point = found->points[0], surface = found->surfaces[1];
  size_t first = (size_t)self->first1[point];
  double gap = min_gap(self, point, surface, self->found_count, self->pair_count, 0);
  if (first && first <= self->found_count)
    gap = fmin(gap, min_gap(self, point, surface, first - 1, self->found_count, 1));
  return gap < found->gap + MISSED * self->range;
}

int pl_collision_catch(pl_collision *self, const pl_substep *step)
{
  const pl_finder_query query = {.x = self->x, .range = self->reach, .edge_range = -1};
  const pl_proximity *list;
  int count = 0, caught = 0;
  memcpy(self->to, self->x, 3 * (size_t)self->point_count * sizeof *self->to);
  if (!self->is.set->between_bodies ||
      pl_finder_find(self->finder, &query, self->is.base.bodies->pool, &list, &count, NULL))
    return 0;
  for (int i = 0, run; i < count; i += run) {
    run = run_length(list + i, count - i);
    if (list[i].kind != PL_POINT_TRIANGLE) break;
    const pl_proximity *found = nearest(self, list + i, run, NULL, 0);
    if (!found || self->pair_count == self->pair_room || is_guarded(self, found)) continue;
    if (self->has_glue && pl_attachments_glue(self->is.others, list[i].surfaces)) continue;
    if (!caught) place_start(self, step);
    pl_collision_take(self, step, found, !self->first1[found->points[0]], self->v);
    caught++;
  }
  return caught;
}

pl_status pl_collision_find(pl_coupling *base, const pl_substep *step, pl_error *error)
{
  pl_collision *self = (pl_collision *)base;
  self->pair_count = self->links.count = 0;
  self->is_linear = step->system->is_linear;
  self->h = step->system->is_static ? 0 : step->h;
  pl_collision_recall(self, step);
  if (!self->is.set->between_bodies && !self->contact) return PL_OK;
  double ahead = step->system->is_static ? 0 : step->h;
  for (int b = 0; b < self->surface_count; b++) {
    const pl_body *body = &base->bodies->list[b];
    size_t first = 3 * (size_t)self->point_start[b];
    pl_boundary_place(&self->surfaces[b], body, step->q, NULL, self->x + first);
    pl_boundary_place(&self->surfaces[b], body, step->q, step->v, self->to + first);
  }
  for (size_t i = 0; i < 3 * (size_t)self->point_count; i++)
    self->to[i] = self->x[i] + ahead * self->to[i];
  // stages and iterations depart from the way that points are expected to take
  double edge_range = self->is_linear ? PL_COLLISION_AHEAD * self->range : self->reach;
  const pl_finder_query query = {.x = self->x,
                                 .to = self->to,
                                 .range = self->reach,
                                 .edge_range = edge_range,
                                 .watch = base->bodies->watch};
  const pl_proximity *list = NULL;
  int count = 0;
  pl_status status = PL_OK;
  if (self->is.set->between_bodies)
    status = pl_finder_find(self->finder, &query, base->bodies->pool, &list, &count, error);
  pl_collision_begin_obstacles(self, step);
  // room for those that come unexpectedly, too
  size_t room = (size_t)count + SPARE + pl_collision_obstacle_room(self);
  if (!status) status = pl_collision_reserve(self, room, error);
  if (status) return status;
  select_pairs(self, step, list, count);
  pl_collision_take_obstacles(self, step);
  pl_collision_share_stiffness(self, step);
  self->found_count = self->pair_count;
  pl_collision_bind(self);
  for (size_t i = 0; i < self->pair_count; i++) expect_slip(self, &self->pairs[i]);
  return PL_OK;
}

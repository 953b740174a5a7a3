/* The couplings "impulse" and "zhuang-canny"; impulse.h says what is computed. */
#include "couple/impulse.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define KEEP  0.25 /* of the range: the gap at which surfaces of bodies rest on each other */
#define RISE  0.1  /* m/s at which pairs nearer than that part */
#define OUT   1.0  /* m/s at which what is inside an obstacle comes out */
#define SMALL 1e-7 /* of the largest change of speed: sweeps end */
enum { SWEEPS = 60, WIDEST = 32, MOST_OBSTACLES = 3 };

/* ---- preparation ---- */

static pl_status check_bodies(const pl_bodies *bodies, const char *name, pl_error *error)
{
  for (size_t b = 0; b < bodies->count; b++) {
    const pl_body *body = &bodies->list[b];
    if (!body->model->ops->mass_inverse && !pl_model_has_rotations(body->model)) continue;
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "contact by \"%s\" needs masses at nodes, which body \"%.80s\" does not have "
                   "(frames, rigid bodies); choose response=\"penalty\" or \"constraint\"",
                   name, body->name);
  }
  return PL_OK;
}

static pl_status prepare(pl_coupling *base, pl_error *error)
{
  pl_impulses *self = (pl_impulses *)base;
  const pl_allocator *allocator = base->bodies->allocator;
  pl_status status = check_bodies(base->bodies, base->ops->info.name, error);
  if (!status) status = pl_collision_prepare(base, error);
  if (status) return status;
  pl_free(allocator, self->before);
  self->count = self->entry_count = 0;
  self->before = pl_alloc(allocator, 3 * (size_t)base->bodies->blocks, sizeof(double));
  return self->before ? PL_OK : pl_fail_memory(error);
}

static void destroy(pl_coupling *base)
{
  pl_impulses *self = (pl_impulses *)base;
  pl_free(base->bodies->allocator, self->list);
  pl_free(base->bodies->allocator, self->entries);
  pl_free(base->bodies->allocator, self->before);
  pl_collision_destroy(base);
}

/* Pairs, and room for what they and the points at obstacles may become. */
static pl_status find(pl_coupling *base, const pl_substep *step, pl_error *error)
{
  pl_impulses *self = (pl_impulses *)base;
  const pl_allocator *allocator = base->bodies->allocator;
  pl_status status = pl_collision_find(base, step, error);
  int own = 1;
  for (int p = 0; p < self->is.point_count; p++) own &= self->is.block[p] >= 0;
  size_t obstacles = self->is.contact ? self->is.contact->count : 0;
  size_t each = obstacles < MOST_OBSTACLES ? obstacles : MOST_OBSTACLES;
  size_t impacts = self->is.pair_count + each * (size_t)self->is.point_count;
  void *list = self->list, *entries = self->entries;
  self->v0 = step->v0;
  self->count = 0;
  if (!status && (pl_reserve(allocator, &list, &self->room, impacts, sizeof *self->list) ||
                  pl_reserve(allocator, &entries, &self->entry_room, impacts * (own ? 4 : WIDEST),
                             sizeof *self->entries)))
    status = pl_fail_memory(error);
  self->list = list;
  self->entries = entries;
  return status;
}

/* ---- who takes part ---- */

/* Adds a block, or more weight to one that is there. */
static void add_entry(pl_impulses *self, pl_impact *to, const pl_filter *filter, int block,
                      double weight)
{
  pl_impact_entry *own = self->entries + to->first;
  for (int i = 0; i < to->count; i++) {
    if (own[i].block != block) continue;
    own[i].weight += weight;
    return;
  }
  const pl_body *body = pl_bodies_owner(self->is.is.base.bodies, block);
  int at = pl_filter_from(filter, block);
  own[to->count++] =
      (pl_impact_entry){.block = block,
                        .held1 = at < filter->count && filter->nodes[at] == block ? at + 1 : 0,
                        .weight = weight,
                        .mass = body->model->lumped_mass[block - body->offset]};
  self->entry_count++;
}

static void add_point(pl_impulses *self, pl_impact *to, const pl_filter *filter, int point,
                      double weight)
{
  const pl_collision *is = &self->is;
  int owner = is->owner[point];
  if (weight == 0) return;
  if (is->block[point] >= 0) {
    add_entry(self, to, filter, is->block[point], weight);
    return;
  }
  const pl_body *body = &is->is.base.bodies->list[owner];
  pl_body_point at =
      pl_boundary_point(&is->surfaces[owner], body, owner, point - is->point_start[owner]);
  for (int a = 0; a < at.count; a++)
    add_entry(self, to, filter, body->offset + pl_model_node_block(body->model, at.nodes[a]),
              weight * at.weights[a]);
}

/* What the constraints leave of an impulse on the entry's block, as a change of velocity. */
static void respond(const pl_filter *filter, const pl_impact_entry *entry, const double J[3],
                    double dv[3])
{
  pl_vec3_scale(entry->weight / entry->mass, J, dv);
  if (!entry->held1) return;
  double all[3] = {dv[0], dv[1], dv[2]};
  pl_mat3_apply(filter->projections + 9 * (size_t)(entry->held1 - 1), all, dv);
}

/* How fast the features part by an impulse of 1 along n. */
static double mobility(const pl_impulses *self, const pl_impact *at, const pl_filter *filter,
                       const double n[3])
{
  double sum = 0, dv[3];
  for (int i = at->first; i < at->first + at->count; i++) {
    respond(filter, &self->entries[i], n, dv);
    sum += self->entries[i].weight * pl_vec3_dot(n, dv);
  }
  return sum;
}

/* Finds how it responds; one that cannot move is left out. */
static void close_impact(pl_impulses *self, pl_impact *at, const pl_filter *filter)
{
  double side[3], other[3], axis[3] = {0};
  axis[fabs(at->normal[0]) < 0.6 ? 0 : 1] = 1;
  pl_vec3_cross(at->normal, axis, side);
  pl_vec3_scale(1 / pl_vec3_norm(side), side, side);
  pl_vec3_cross(at->normal, side, other);
  at->mobility[0] = mobility(self, at, filter, at->normal);
  at->mobility[1] = fmax(mobility(self, at, filter, side), mobility(self, at, filter, other));
  if (at->mobility[0] > 0)
    self->list[self->count++] = *at;
  else
    self->entry_count -= (size_t)at->count;
}

/* ---- impacts ---- */

/* The velocity of the features against each other. */
static void rate_of(const pl_impulses *self, const pl_impact *at, const double *v, double rate[3])
{
  pl_vec3_scale(-1, at->carried, rate);
  for (int i = at->first; i < at->first + at->count; i++) {
    const pl_impact_entry *entry = &self->entries[i];
    pl_vec3_add_scaled(entry->weight, v + 3 * (size_t)entry->block, rate);
  }
}

/* Of a pair at the half step: where it may go; at the end: inside or not. */
static void add_pair(pl_impulses *self, const pl_strike *at, const pl_collision_pair *pair)
{
  const pl_collision *is = &self->is;
  pl_impact to = {.first = (int)self->entry_count,
                  .surfaces = {pair->surfaces[0], pair->surfaces[1]},
                  .obstacle = -1,
                  .friction = pair->friction,
                  .sticking = pair->friction};
  double w[4], keep = KEEP * is->range;
  to.gap = pl_collision_gap(pair, is->x, w, to.normal);
  if (at->at_end ? !(to.gap < keep) : pl_vec3_dot(to.normal, to.normal) < 0.5) return;
  if (!at->at_end) {
    double speed = (keep - to.gap) / at->h;
    to.target = fmin(speed, to.gap < 0 ? OUT : RISE);
  }
  int first = pair->kind == PL_EDGE_EDGE ? 2 : 1;
  for (int i = 0; i < 4; i++) {
    add_point(self, &to, &at->system->filter, pair->points[i], w[i]);
    pl_vec3_add_scaled(i < first ? 0.5 * w[i] : -0.5 * w[i], is->x + 3 * (size_t)pair->points[i],
                       to.point);
  }
  close_impact(self, &to, &at->system->filter);
}

/* The normal speed that is wanted where one comes in with u and would end at this gap; what is
 * slower than `slow` does not bounce. */
static double aim(const pl_obstacle *obstacle, double h, double u, double end, double slow)
{
  double landing = u - end / h, e = obstacle->restitution;
  if (e > 0 && -u > slow) return fmax(landing, -e * u);
  return fmin(landing, fmax(OUT, u));
}

/* Does a point come too near to the obstacle? Fills normal, gap at the end, and carried. */
static int meets(const pl_obstacle *obstacle, const double x[3], const double to[3], double range,
                 pl_impact *impact, double *end)
{
  double foot[3];
  *end = pl_obstacle_gap(obstacle, to, impact->normal);
  int passes = !pl_obstacle_is_flat(obstacle) &&
               pl_obstacle_catches(obstacle, x, to, 0, foot, impact->normal);
  if (passes) {
    pl_vec3_sub(to, foot, foot);
    *end = pl_vec3_dot(impact->normal, foot);
  }
  pl_axes_velocity(&obstacle->end, to, impact->carried);
  return passes || *end < range;
}

static void add_at_obstacle(pl_impulses *self, const pl_strike *at, int point, int o)
{
  const pl_collision *is = &self->is;
  const pl_obstacle *obstacle = &is->contact->obstacles[o];
  const double *x = is->x + 3 * (size_t)point, *to = is->to + 3 * (size_t)point;
  double end, rate[3], before[3];
  pl_impact impact = {.first = (int)self->entry_count,
                      .surfaces = {is->owner[point], -1},
                      .obstacle = o,
                      .friction = pl_obstacle_friction(obstacle),
                      .sticking = obstacle->friction};
  if (!meets(obstacle, x, to, at->at_end ? 0 : is->range, &impact, &end)) return;
  impact.sticking = fmax(impact.friction, obstacle->static_friction);
  if (!(impact.sticking >= 0)) impact.sticking = impact.friction;
  pl_vec3_copy(to, impact.point);
  impact.gap = end;
  add_point(self, &impact, &at->system->filter, point, 1);
  rate_of(self, &impact, at->v, rate);
  rate_of(self, &impact, self->v0, before);
  // what leaves, or comes in no more, is let go
  impact.is_bound = at->at_end;
  if (at->at_end && !(pl_vec3_dot(impact.normal, before) < 0)) {
    self->entry_count -= (size_t)impact.count;
    return;
  }
  if (!at->at_end)
    impact.target = aim(obstacle, at->h, pl_vec3_dot(impact.normal, rate), end, is->contact->slow);
  if (at->at_end && self->is.is.values[PL_ZHUANG_CANNY_SIGN] == 1)
    impact.target = 2 * pl_vec3_dot(impact.normal, before);
  close_impact(self, &impact, &at->system->filter);
}

static void gather(pl_impulses *self, const pl_strike *at)
{
  pl_collision *is = &self->is;
  int obstacles = is->contact ? (int)is->contact->count : 0;
  self->count = self->entry_count = 0;
  self->h = at->h;
  self->is_at_end = at->at_end;
  pl_collision_place(is, at->q, at->v);
  for (size_t i = 0; i < 3 * (size_t)is->point_count; i++)
    is->to[i] = is->x[i] + (at->at_end ? 0 : at->h * is->v[i]);
  for (size_t i = 0; i < is->pair_count; i++) add_pair(self, at, &is->pairs[i]);
  for (int p = 0; p < is->point_count; p++) {
    size_t max = self->count + MOST_OBSTACLES;
    for (int o = 0; o < obstacles && self->count < max; o++) add_at_obstacle(self, at, p, o);
  }
}

/* ---- impulses ---- */

static void apply(const pl_impulses *self, const pl_impact *at, const pl_filter *filter,
                  const double J[3], double *v)
{
  for (int i = at->first; i < at->first + at->count; i++) {
    double dv[3], *to = v + 3 * (size_t)self->entries[i].block;
    respond(filter, &self->entries[i], J, dv);
    pl_vec3_add(to, dv, to);
  }
}

/* How much friction changes; what slips is below the kinetic bound. */
static void rub(pl_impact *at, const double slip[3], double change[3])
{
  double wanted[3], size, max = fmax(at->impulse, 0);
  pl_vec3_copy(at->rubbing, wanted);
  pl_vec3_add_scaled(-1 / at->mobility[1], slip, wanted);
  size = pl_vec3_norm(wanted);
  if (size > at->sticking * max)
    pl_vec3_scale(size > 0 ? at->friction * max / size : 0, wanted, wanted);
  pl_vec3_sub(wanted, at->rubbing, change);
  pl_vec3_copy(wanted, at->rubbing);
}

/* One impact alone; returns by how much the velocity was wrong. */
static double relax(const pl_impulses *self, pl_impact *at, const pl_filter *filter, double *v)
{
  double rate[3], J[3], change[3] = {0};
  rate_of(self, at, v, rate);
  double wrong = at->target - pl_vec3_dot(at->normal, rate);
  double next = at->impulse + wrong / at->mobility[0];
  if (!at->is_bound) next = fmax(next, 0);
  pl_vec3_scale(next - at->impulse, at->normal, J);
  double moved = fabs(next - at->impulse) * at->mobility[0];
  at->impulse = next;
  if (at->sticking > 0 && at->mobility[1] > 0) {
    pl_vec3_add_scaled(-pl_vec3_dot(at->normal, rate), at->normal, rate);
    rub(at, rate, change);
    pl_vec3_add(J, change, J);
  }
  apply(self, at, filter, J, v);
  return fmax(moved, pl_vec3_norm(change) * at->mobility[1]);
}

static void strike(pl_impulses *self, const pl_strike *at)
{
  const pl_filter *filter = &at->system->filter;
  size_t n = 3 * (size_t)at->system->blocks;
  double first = 0;
  gather(self, at);
  if (filter->mpcs) memcpy(self->before, at->v, n * sizeof *at->v);
  for (int sweep = 0; sweep < SWEEPS && self->count; sweep++) {
    double max = 0;
    for (size_t i = 0; i < self->count; i++)
      max = fmax(max, relax(self, &self->list[i], filter, at->v));
    first = fmax(first, max);
    if (!(max > SMALL * first)) break;
  }
  if (!filter->mpcs || !self->count) return;
  // bodies that are tied stay so: the change keeps to the rows
  for (size_t i = 0; i < n; i++) at->v[i] -= self->before[i];
  pl_system_meet(at->system, NULL, at->v);
  for (size_t i = 0; i < n; i++) at->v[i] += self->before[i];
}

static void strike_half(pl_coupling *base, const pl_strike *at)
{
  if (!at->at_end) strike((pl_impulses *)base, at);
}

static void strike_end(pl_coupling *base, const pl_strike *at)
{
  if (at->at_end) strike((pl_impulses *)base, at);
}

/* ---- for those who ask ---- */

/* The mean force over the step on the first body. The acceleration that is changed at the end of a
 * step acts once more in the next. */
static void force_of(const pl_impulses *self, const pl_impact *at, double force[3])
{
  double rate = (self->is_at_end ? 2 : 1) / self->h;
  pl_vec3_scale(rate * at->impulse, at->normal, force);
  pl_vec3_add_scaled(rate, at->rubbing, force);
}

static void finish(pl_coupling *base, const pl_substep *step)
{
  (void)step;
  pl_impulses *self = (pl_impulses *)base;
  memset(self->is.touched, 0, base->bodies->count);
  for (size_t i = 0; i < self->count; i++) {
    const pl_impact *at = &self->list[i];
    double force[3];
    if (at->impulse == 0) continue;
    self->is.touched[at->surfaces[0]] = 1;
    if (at->surfaces[1] >= 0) self->is.touched[at->surfaces[1]] = 1;
    if (at->obstacle < 0) continue;
    pl_obstacle *obstacle = &self->is.contact->obstacles[at->obstacle];
    force_of(self, at, force);
    pl_vec3_add(obstacle->force, force, obstacle->force);
    obstacle->nodes++;
  }
}

/* The gap of a point at its obstacle, as it is after the step. */
static double gap_now(const pl_impulses *self, const pl_impact *at, const double *q)
{
  double x[3] = {0}, ignored[3];
  for (int i = at->first; i < at->first + at->count; i++)
    pl_vec3_add_scaled(self->entries[i].weight, q + 3 * (size_t)self->entries[i].block, x);
  return pl_obstacle_gap(&self->is.contact->obstacles[at->obstacle], x, ignored);
}

static void contacts(pl_coupling *base, const pl_moment *moment, const pl_meeting_sink *to)
{
  const pl_impulses *self = (const pl_impulses *)base;
  for (size_t i = 0; i < self->count; i++) {
    const pl_impact *at = &self->list[i];
    pl_meeting meeting = {
        .body = at->surfaces[0], .other = at->surfaces[1], .obstacle = at->obstacle};
    if (at->impulse == 0) continue;
    pl_vec3_copy(at->point, meeting.at.point);
    pl_vec3_copy(at->normal, meeting.at.normal);
    meeting.at.gap = at->obstacle < 0 ? at->gap : gap_now(self, at, moment->q);
    force_of(self, at, meeting.at.force);
    rate_of(self, at, moment->v, meeting.at.slip);
    pl_vec3_add_scaled(-pl_vec3_dot(at->normal, meeting.at.slip), at->normal, meeting.at.slip);
    to->take(to->context, &meeting);
  }
}

#define MEMBER(ID, NAME, SUMMARY, SOURCE, STRIKE)                                                  \
  const pl_coupling_ops pl_coupling_##ID = {                                                       \
      .info = {NAME, SUMMARY, SOURCE, NULL, 0, NULL},                                              \
      .is_internal = 1,                                                                            \
      .is_contact = 1,                                                                             \
      .remembers.per_point = PL_COLLISION_MEMORY,                                                  \
      .size = sizeof(pl_impulses),                                                                 \
      .destroy = destroy,                                                                          \
      .follow = pl_collision_follow,                                                               \
      .prepare = prepare,                                                                          \
      .memory = pl_collision_memory_count,                                                         \
      .find = find,                                                                                \
      .strike = STRIKE,                                                                            \
      .finish = finish,                                                                            \
      .contacts = contacts,                                                                        \
      .grips = pl_collision_grips,                                                                 \
  }

MEMBER(impulse, "impulse", "keeps bodies apart and out of obstacles by impulses at half steps", "",
       strike_half);
MEMBER(zhuang_canny, "zhuang-canny",
       "takes the normal velocity of what is inside an obstacle or another body",
       "Zhuang & Canny 2000, eq. 11-12", strike_end);

/* Which points, edges and triangles of bodies may touch in a substep. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/attachment.h"
#include "couple/collision.h"
#include "couple/slip.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define RANGE_SIZE 1e-3  /* of all bodies' size: the range at most */
#define RANGE_EDGE 0.25  /* of the mean edge likewise */
#define REACH      0.2   /* of the mean edge: how deep inside is looked */
#define AHEAD      1.5   /* what comes nearer than so many ranges is taken */
#define ALIKE      0.95  /* cosine between normals above which two pairs of a point are one */
#define MISSED     0.25  /* of the range by which a pair may be nearer than those in use */
#define CROSSING   0.06  /* sin^2 of the angle of two edges that are a pair, at least */
#define THICKEST   0.25  /* of the mean edge: the most that a sheet may be thick in contact */
#define THICK_ROD  0.9   /* the same for rods, whose next but one segment is an edge away */
enum { MOST_PAIRS = 3 }; /* of a point with one other body */
enum { SPARE = 256 };    /* pairs that may come unexpectedly */

int pl_collision_is_needed(const pl_bodies *bodies, int between, int obstacles)
{
  if (between && bodies->count > 1) return 1;
  if (between && bodies->count == 1 && bodies->list[0].contact.itself) return 1;
  for (size_t b = 0; b < bodies->count && obstacles; b++) {
    if (bodies->list[b].model->ops->is_rigid || bodies->list[b].surface) return 1;
  }
  return 0;
}

/* ---- memory ---- */

size_t pl_collision_slots(const pl_body *body)
{
  int points = body->surface ? body->surface->node_count : body->mesh->node_count;
  return (size_t)points + (body->model->ops->is_rigid ? 1 : 0);
}

size_t pl_collision_memory_count(const pl_coupling *base)
{
  size_t sum = 0;
  for (size_t b = 0; b < base->bodies->count; b++)
    sum += pl_collision_slots(&base->bodies->list[b]);
  return base->ops->remembers.per_point * sum;
}

/* Moves what is remembered of later bodies to the front, and counts partners again. */
void pl_collision_follow(pl_coupling *base, const pl_renumbering *change)
{
  if (!change->gone || !base->memory) return;
  size_t at = 0, width = base->ops->remembers.per_point,
         gone = width * pl_collision_slots(change->before);
  for (int b = 0; b < change->body; b++) at += width * pl_collision_slots(&base->bodies->list[b]);
  if (at + gone > base->memory_count) return;
  size_t rest = base->memory_count - at - gone;
  memmove(base->memory + at, base->memory + at + gone, rest * sizeof *base->memory);
  for (size_t i = 0; i < at + rest; i += width) {
    double *partner = base->memory + i;
    if (*partner == change->body + 1) memset(partner, 0, PL_COLLISION_MEMORY * sizeof *partner);
    if (*partner > change->body + 1) *partner -= 1;
  }
}

/* ---- preparation ---- */

static void release(pl_collision *self)
{
  const pl_allocator *allocator = self->is.base.bodies->allocator;
  pl_finder_destroy(self->finder);
  for (int b = 0; b < self->surface_count; b++) pl_boundary_release(allocator, &self->surfaces[b]);
  void *arrays[] = {self->surfaces, self->block,   self->owner, self->mass,
                    self->modulus,  self->sunk,    self->x,     self->v,
                    self->to,       self->touched, self->first1};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
  pl_jacobian_release(&self->jacobian);
  self->finder = NULL;
  self->surfaces = NULL;
  self->block = self->owner = self->first1 = NULL;
  self->mass = self->modulus = self->sunk = self->x = self->v = self->to = NULL;
  self->touched = NULL;
  self->surface_count = self->point_count = 0;
  self->pair_count = 0;
}

void pl_collision_destroy(pl_coupling *base)
{
  pl_collision *self = (pl_collision *)base;
  release(self);
  pl_free(base->bodies->allocator, self->pairs);
  pl_free(base->bodies->allocator, self->links.list);
}

/* Pairs of bodies that are linked by an attachment: NULL to count them. */
static int list_linked(const pl_collision *self, int *apart)
{
  int count = 0;
  for (size_t i = 0; i < self->is.others->count; i++) {
    const pl_coupling *other = self->is.others->list[i];
    int may_meet =
        pl_attachment_may_break(other) && (!self->open || ((const pl_attachment *)other)->parted);
    if (other->acts_on[0] < 0 || other->acts_on[1] < 0 || may_meet) continue;
    if (apart) memcpy(apart + 2 * count, other->acts_on, 2 * sizeof *apart);
    count++;
  }
  return count;
}

pl_status pl_collision_finder(pl_collision *self, pl_finder **out, pl_error *error)
{
  const pl_allocator *allocator = self->is.base.bodies->allocator;
  size_t count = self->is.base.bodies->count;
  int linked = list_linked(self, NULL);
  pl_finder_surface *list = pl_alloc(allocator, count, sizeof *list);
  int *apart = pl_alloc(allocator, 2 * (size_t)linked + 1, sizeof *apart);
  pl_status status = list && apart ? PL_OK : pl_fail_memory(error);
  for (size_t b = 0; b < count && !status; b++) {
    const pl_boundary *from = &self->surfaces[b];
    const pl_body *body = &self->is.base.bodies->list[b];
    list[b] = (pl_finder_surface){
        .point_count = from->point_count,
        .triangle_count = from->triangle_count,
        .triangles = from->triangles,
        .thickness = fmin(body->model->thickness,
                          from->edge * (body->mesh->nodes_per_element == 2 ? THICK_ROD : THICKEST)),
        .closed = !self->open && (body->mesh->nodes_per_element > 3 || body->model->is_solid),
        .self = body->contact.itself,
        .groups = body->contact.groups,
        .meets = body->contact.meets};
  }
  if (!status) {
    (void)list_linked(self, apart);
    const pl_finder_def def = {.surface_count = (int)count,
                               .surfaces = list,
                               .apart_count = linked,
                               .apart = apart,
                               .allocator = allocator};
    status = pl_finder_create(&def, out, error);
  }
  pl_free(allocator, list);
  pl_free(allocator, apart);
  return status;
}

/* What resists a push at a point of a rigid body at rest, along the axis along which it is least:
 * 1 / (J M^-1 J^T). */
static double rigid_mass(pl_collision *self, int b, int p)
{
  const pl_body *body = &self->is.base.bodies->list[b];
  pl_body_point at = pl_boundary_point(&self->surfaces[b], body, b, p);
  double J[18], arm[3] = {0}, max = 0;
  for (int a = 0; a < at.count; a++) {
    double x[3];
    body->model->ops->jacobian(body->model, body->model->rest, at.nodes[a], x, J);
    pl_vec3_add_scaled(at.weights[a], x, arm);
  }
  pl_vec3_sub(arm, body->model->rest + 3, arm);
  body->model->ops->update_mass(body->model, body->model->rest);
  for (int k = 0; k < 3; k++) {
    double y[6] = {0}, x[6], e[3] = {k == 0, k == 1, k == 2};
    pl_vec3_cross(arm, e, y);
    pl_vec3_copy(e, y + 3);
    body->model->ops->mass_inverse(body->model, y, x);
    max = fmax(max, pl_vec3_dot(x, y) + pl_vec3_dot(x + 3, y + 3));
  }
  return 1 / max;
}

/* The masses that move with a body's points: their own, or shares of the whole. */
static void share_mass(pl_collision *self, int b)
{
  const pl_boundary *surface = &self->surfaces[b];
  const pl_body *body = &self->is.base.bodies->list[b];
  double total = 0, area = 0;
  for (int i = 0; i < body->blocks; i++) total += body->model->lumped_mass[i];
  for (int p = 0; p < surface->point_count; p++) area += surface->area[p];
  for (int p = 0; p < surface->point_count; p++) {
    int point = self->point_start[b] + p, block = pl_boundary_block(surface, body, p);
    self->owner[point] = b;
    self->block[point] = block;
    self->mass[point] = block >= 0 ? body->model->lumped_mass[block - body->offset]
                                   : total * surface->area[p] / area;
    if (body->model->ops->is_rigid) self->mass[point] = rigid_mass(self, b, p);
  }
}

static pl_status find_modulus(const pl_body *body, double *modulus, pl_error *error)
{
  double lambda, mu;
  pl_status status =
      ((const pl_law_ops *)body->law.member)->lame(body->law.values, &lambda, &mu, error);
  if (!status) *modulus = lambda + mu > 0 ? mu * (3 * lambda + 2 * mu) / (lambda + mu) : mu;
  return status;
}

/* The range, by all bodies at rest, and how deep inside each other they are looked for. */
static void choose_range(pl_collision *self)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double edge = INFINITY;
  for (int b = 0; b < self->surface_count; b++) {
    double from[3], to[3];
    pl_mesh_bounds(self->is.base.bodies->list[b].mesh, from, to);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], from[k]);
      high[k] = fmax(high[k], to[k]);
    }
    if (self->surfaces[b].edge > 0) edge = fmin(edge, self->surfaces[b].edge);
  }
  self->range = fmin(RANGE_SIZE * pl_vec3_distance(low, high), RANGE_EDGE * edge);
  if (self->is.set->range > 0) self->range = self->is.set->range;
  self->reach = fmax(AHEAD * self->range, REACH * edge);
}

static pl_status make_arrays(pl_collision *self, pl_error *error)
{
  const pl_allocator *allocator = self->is.base.bodies->allocator;
  size_t points = (size_t)self->point_count;
  self->block = pl_alloc(allocator, points, sizeof *self->block);
  self->owner = pl_alloc(allocator, points, sizeof *self->owner);
  self->first1 = pl_alloc(allocator, points, sizeof *self->first1);
  double **vectors[] = {&self->mass, &self->x, &self->v, &self->to};
  int failed = !self->block || !self->owner || !self->first1;
  for (int i = 0; i < 4; i++) {
    *vectors[i] = pl_alloc(allocator, (i ? 3 : 1) * points, sizeof(double));
    failed |= !*vectors[i];
  }
  return failed ? pl_fail_memory(error) : PL_OK;
}

pl_status pl_collision_prepare(pl_coupling *base, pl_error *error)
{
  pl_collision *self = (pl_collision *)base;
  const pl_allocator *allocator = base->bodies->allocator;
  size_t count = base->bodies->count;
  pl_status status = PL_OK;
  release(self);
  self->surfaces = pl_alloc(allocator, count, sizeof *self->surfaces);
  self->modulus = pl_alloc(allocator, count, sizeof *self->modulus);
  self->sunk = pl_alloc(allocator, count, sizeof *self->sunk);
  self->touched = pl_alloc(allocator, count, 1);
  if (!self->surfaces || !self->modulus || !self->sunk || !self->touched)
    return pl_fail_memory(error);
  for (size_t b = 0; b < count && !status; b++) {
    const pl_body *body = &base->bodies->list[b];
    status = pl_boundary_make(base->bodies, body, &self->surfaces[b], error);
    if (!status) status = find_modulus(body, &self->modulus[b], error);
    self->surface_count = (int)b + 1;
  }
  if (!status) status = pl_collision_finder(self, &self->finder, error);
  if (status) return status;
  self->point_count = pl_finder_point_count(self->finder);
  self->point_start = pl_finder_point_start(self->finder);
  status = make_arrays(self, error);
  if (!status) status = pl_jacobian_create(base->bodies, 4, &self->jacobian, error);
  if (status) return status;
  for (int b = 0; b < self->surface_count; b++) share_mass(self, b);
  self->contact = (pl_contact *)pl_couplings_next(self->is.others, &pl_coupling_contact, NULL);
  choose_range(self);
  self->has_glue = 0;
  for (size_t i = 0; i < self->is.others->count; i++)
    self->has_glue |= !self->open && pl_attachment_may_break(self->is.others->list[i]);
  return PL_OK;
}

/* ---- pairs ---- */

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

static int is_rigid(const pl_collision *self, int body)
{
  return self->is.base.bodies->list[body].model->ops->is_rigid;
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
  to.is_rigid = is_rigid(self, to.surfaces[0]) || is_rigid(self, to.surfaces[1]);
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
  return pair->gap < AHEAD * self->range + pl_vec3_norm(way);
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
  double edge_range = self->is_linear ? AHEAD * self->range : self->reach;
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

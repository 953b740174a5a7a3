/* What collisions need of the world as it was prepared: surfaces, masses, moduli, the range. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/attachment.h"
#include "couple/collision.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define RANGE_SIZE 1e-3 /* of all bodies' size: the range at most */
#define RANGE_EDGE 0.25 /* of the mean edge likewise */
#define REACH      0.2  /* of the mean edge: how deep inside is looked */
#define THICKEST   0.25 /* of the mean edge: the most that a sheet may be thick in contact */
#define THICK_ROD  0.9  /* the same for rods, whose next but one segment is an edge away */

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
  self->reach = fmax(PL_COLLISION_AHEAD * self->range, REACH * edge);
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

/* Sticks between particles: a model made of relations alone.
 *
 * Each stick between nodes a and b is the relation |x_a - x_b| = l0 with the stiffness k and the
 * damping c along it (ode/relation.h), whose energy is k/2 (|x_a - x_b| - l0)^2. Integrators that
 * relax take the list; for all others it gives force and matrix, semidefinite by leaving out what
 * compression adds across a stick. So methods can be compared on the same problem.
 *
 * On a grid all particles are joined that are at most `reach` edges apart: 1 joins neighbours
 * along the axes, 2 adds diagonals and second neighbours (the report's rigidity factor of cloth), 5
 * is its metal plate. Elsewhere the edges of the elements are joined. Without `stiffness` it
 * is E V / l0^2 with the mean volume V of a node's share of the body. "Implementation of Deformable
 * Objects", 5.1; T. Jakobsen, "Advanced Character Physics", 2001. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "mesh/grid.h"
#include "model/mass.h"
#include "model/model.h"
#include "ode/relation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH, STIFFNESS, DAMPING, MASS, THICKNESS };
enum { ROWS = 256 };

static const pl_param params[] = {
    {"reach", "count", "on grids: particles at most so many edges apart are joined", 1, 1, 16, NULL,
     1},
    {"stiffness", "N/m", "of each stick; without it, from Young's modulus", NAN, 1e-9, 1e15, NULL,
     1},
    {"damping", "N s/m",
     "along each stick; without it, in proportion to the stiffness as the material's viscous shear "
     "modulus is to its shear modulus",
     NAN, 0, 1e15, NULL, 1},
    {"mass", "kg", "of each particle; without it, from the density", NAN, 1e-15, 1e15, NULL, 1},
    {"thickness", "m", "of triangles", 1e-3, 1e-9, 1e3, NULL, 1},
};

typedef struct relations {
  pl_bsr *pattern;   /* its values: per block of a stick its number, 1 on */
  pl_relation *list; /* by their lower node */
  int count, *pairs; /* two nodes each, for the pattern */
  int *places, offset;
  double *sums;
  pl_mass mass;
  const pl_mesh *mesh;
  double thickness;
} relations;

/* ---- which nodes are joined ---- */

/* Room for pairs that grows. */
typedef struct pairs {
  const pl_allocator *allocator;
  int *list;
  size_t count, room;
  int failed;
} pairs;

static void join(pairs *to, int a, int b)
{
  if (to->failed || a == b || a < 0 || b < 0) return;
  if (to->count == to->room) {
    size_t room = to->room ? 2 * to->room : 1024;
    int *grown = pl_alloc(to->allocator, 2 * room, sizeof *grown);
    if (grown && to->list) memcpy(grown, to->list, 2 * to->count * sizeof *grown);
    pl_free(to->allocator, to->list);
    to->list = grown;
    to->room = room;
    to->failed = !grown;
    if (!grown) return;
  }
  to->list[2 * to->count] = a < b ? a : b;
  to->list[2 * to->count++ + 1] = a < b ? b : a;
}

static void join_around(const pl_grid *grid, int reach, const int at[3], pairs *to)
{
  int self = pl_grid_node(grid, at), d[3];
  for (d[2] = grid->axes == 3 ? -reach : 0; d[2] <= (grid->axes == 3 ? reach : 0); d[2]++) {
    for (d[1] = -reach; d[1] <= reach; d[1]++) {
      for (d[0] = -reach; d[0] <= reach; d[0]++) {
        // one half of the directions: the other is met from the other end
        if (d[2] < 0 || (d[2] == 0 && (d[1] < 0 || (d[1] == 0 && d[0] <= 0)))) continue;
        if (abs(d[0]) + abs(d[1]) + abs(d[2]) > reach) continue;
        const int other[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
        join(to, self, pl_grid_node(grid, other));
      }
    }
  }
}

static void join_all(const pl_mesh *mesh, int reach, pairs *to)
{
  int at[3], count;
  for (int i = 0; mesh->grid && i < pl_grid_count(mesh->grid); i++) {
    pl_grid_place(mesh->grid, i, at);
    join_around(mesh->grid, reach, at, to);
  }
  const int(*edges)[2] = pl_element_edges(mesh->nodes_per_element, &count);
  for (int e = 0; !mesh->grid && e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + (size_t)mesh->nodes_per_element * (size_t)e;
    for (int i = 0; i < count; i++) join(to, nodes[edges[i][0]], nodes[edges[i][1]]);
  }
}

/* ---- creation ---- */

typedef struct source {
  const relations *self;
  const pl_model_def *sites;
  const pl_material *material;
} source;

static void element_mass(const void *context, int element, double *values)
{
  const source *from = context;
  const pl_mesh *mesh = from->self->mesh;
  int n = mesh->nodes_per_element;
  double density = pl_model_def_material(from->sites, from->material, element)->density;
  double volume = pl_element_volume(mesh->nodes, mesh->elements + (size_t)n * (size_t)element, n);
  if (n == 3) volume *= from->self->thickness;
  memset(values, 0, (size_t)(n * n) * sizeof *values);
  for (int a = 0; a < n; a++) values[(n + 1) * a] = density * volume / n;
}

static double young_of(const pl_material *of)
{
  double sum = of->lambda + of->mu;
  return sum > 0 ? of->mu * (3 * of->lambda + 2 * of->mu) / sum : 0;
}

/* Sticks in the order of the pattern's upper blocks, each once. */
static void make_list(relations *self, const pl_material *material, const double *values)
{
  const pl_bsr *pattern = self->pattern;
  const double *X = self->mesh->nodes;
  double volume = 0, stiffness = values[STIFFNESS], damping = values[DAMPING];
  for (int i = 0; i < pattern->rows; i++) volume += self->mass.lumped[i];
  volume /= material->density * pattern->rows;
  for (int row = 0; row < pattern->rows; row++) {
    for (int k = pattern->diagonal[row] + 1; k < pattern->start[row + 1]; k++) {
      int other = pattern->columns[k];
      pl_relation *to = &self->list[self->count];
      self->pairs[2 * self->count] = row;
      self->pairs[2 * self->count + 1] = other;
      double length = pl_vec3_distance(X + 3 * (size_t)row, X + 3 * (size_t)other);
      double own = isnan(stiffness) ? young_of(material) * volume / (length * length) : stiffness;
      double c = isnan(damping) ? (material->mu > 0 ? own * material->viscous_mu / material->mu : 0)
                                : damping;
      *to = (pl_relation){{row, other}, length, own > 0 ? 1 / own : 0, c};
      pattern->values[k] = ++self->count;
      pattern->values[pl_bsr_find(pattern, other, row)] = self->count;
    }
  }
}

static pl_status make_pattern(pl_model *model, relations *self, int reach, pl_error *error)
{
  pairs all = {.allocator = &model->allocator};
  join_all(self->mesh, reach, &all);
  const pl_cliques cliques = {(int)all.count, 2, all.list, 0};
  pl_status status = all.failed ? pl_fail_memory(error)
                                : pl_bsr_create(&model->allocator, model->blocks, &cliques, 1,
                                                &self->pattern, error);
  pl_free(&model->allocator, all.list);
  if (status) return status;
  size_t blocks = (size_t)self->pattern->start[model->blocks];
  self->list = pl_alloc(&model->allocator, blocks, sizeof *self->list);
  self->pairs = pl_alloc(&model->allocator, blocks, sizeof *self->pairs);
  self->places = pl_alloc(&model->allocator, blocks, sizeof *self->places);
  self->sums =
      pl_alloc(&model->allocator, (size_t)pl_chunk_count(model->blocks, ROWS), sizeof *self->sums);
  int ok = self->list && self->pairs && self->places && self->sums;
  return ok ? PL_OK : pl_fail_memory(error);
}

static pl_status create(pl_model *model, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  relations *self = pl_alloc(&model->allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  model->state = self;
  self->mesh = mesh;
  self->thickness = values[THICKNESS];
  const source from = {self, &model->sites, material};
  pl_cliques elements = {mesh->element_count, mesh->nodes_per_element, mesh->elements, 0};
  pl_status status = make_pattern(model, self, (int)values[REACH], error);
  if (!status)
    status = pl_mass_create(&model->allocator, model->blocks, &elements, element_mass, &from, 0,
                            &self->mass, error);
  if (status) return status;
  make_list(self, material, values);
  model->mass = &self->mass;
  model->lumped_mass = self->mass.lumped;
  for (int i = 0; i < model->blocks && !isnan(values[MASS]); i++)
    model->lumped_mass[i] = values[MASS];
  return PL_OK;
}

static void destroy(pl_model *model)
{
  relations *self = model->state;
  if (!self) return;
  pl_mass_destroy(&model->allocator, &self->mass);
  pl_bsr_destroy(self->pattern);
  void *arrays[] = {self->list, self->pairs, self->places, self->sums, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&model->allocator, arrays[i]);
}

static pl_cliques cliques(const pl_model *model)
{
  const relations *self = model->state;
  return (pl_cliques){.count = self->count, .size = 2, .nodes = self->pairs};
}

static const pl_relation *list_of(const pl_model *model, int *count)
{
  const relations *self = model->state;
  *count = self->count;
  return self->list;
}

static pl_status bind(pl_model *model, const pl_bsr *A, int offset, pl_error *error)
{
  relations *self = model->state;
  const pl_bsr *pattern = self->pattern;
  self->offset = offset;
  pl_status status = pl_bsr_places(A, offset, pattern->rows, pattern->start, pattern->columns,
                                   self->places, error);
  return status ? status : pl_mass_bind(&model->allocator, &self->mass, A, offset, error);
}

/* ---- evaluation: each stick is seen from both its ends ---- */

typedef struct job {
  const relations *self;
  const double *q, *v;
  double *f;
  const pl_tangent *tangent;
} job;

static void add_block(const job *now, const pl_relation *stick, const double n[3], double length,
                      double *block, double *own)
{
  double k = 1 / stick->compliance, across = length > 0 ? 1 - stick->rest / length : 0;
  if (now->tangent->semidefinite && across < 0) across = 0;
  double b = now->tangent->kq * k * across, a = now->tangent->kq * k - b;
  if (now->v) a += now->tangent->kv * stick->damping;
  for (int i = 0; i < 9; i++) {
    double entry = a * n[i / 3] * n[i % 3] + (i % 4 == 0 ? b : 0);
    block[i] -= entry;
    own[i] += entry;
  }
}

static void add_end(const job *now, int row, int k, const pl_relation *stick)
{
  const relations *self = now->self;
  int other = self->pattern->columns[k];
  double d[3], n[3], dv[3];
  pl_vec3_sub(now->q + 3 * (size_t)other, now->q + 3 * (size_t)row, d);
  double length = pl_vec3_norm(d);
  pl_vec3_scale(length > 0 ? 1 / length : 0, d, n);
  double pull = (length - stick->rest) / stick->compliance;
  if (now->v) {
    pl_vec3_sub(now->v + 3 * (size_t)other, now->v + 3 * (size_t)row, dv);
    pull += stick->damping * pl_vec3_dot(n, dv);
  }
  if (now->f) pl_vec3_add_scaled(pull, n, now->f + 3 * (size_t)row);
  if (!now->tangent) return;
  const pl_bsr *A = now->tangent->A;
  add_block(now, stick, n, length, A->values + 9 * (size_t)self->places[k],
            A->values + 9 * (size_t)A->diagonal[self->offset + row]);
}

static void rows_chunk(void *context, int chunk)
{
  const job *now = context;
  const relations *self = now->self;
  const pl_bsr *pattern = self->pattern, *A = now->tangent ? now->tangent->A : NULL;
  int last = (chunk + 1) * ROWS < pattern->rows ? (chunk + 1) * ROWS : pattern->rows;
  for (int row = chunk * ROWS; row < last; row++) {
    int at = self->offset + row;
    if (A)
      memset(A->values + 9 * (size_t)A->start[at], 0,
             (size_t)(A->start[at + 1] - A->start[at]) * 9 * sizeof *A->values);
    for (int k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
      int number = (int)pattern->values[k];
      if (number) add_end(now, row, k, &self->list[number - 1]);
    }
  }
}

static void evaluate(pl_model *model, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  job now = {model->state, at->q, at->v, f, tangent};
  pl_parallel(pool, pl_chunk_count(model->blocks, ROWS), rows_chunk, &now);
}

static void energy_chunk(void *context, int chunk)
{
  const job *now = context;
  const relations *self = now->self;
  const pl_bsr *pattern = self->pattern;
  int last = (chunk + 1) * ROWS < pattern->rows ? (chunk + 1) * ROWS : pattern->rows;
  double sum = 0;
  for (int row = chunk * ROWS; row < last; row++) {
    for (int k = pattern->diagonal[row] + 1; k < pattern->start[row + 1]; k++) {
      const pl_relation *stick = &self->list[(int)pattern->values[k] - 1];
      double change =
          pl_vec3_distance(now->q + 3 * (size_t)row, now->q + 3 * (size_t)pattern->columns[k]) -
          stick->rest;
      sum += 0.5 * change * change / stick->compliance;
    }
  }
  self->sums[chunk] = sum;
}

static double energy(pl_model *model, const double *q, pl_pool *pool)
{
  const relations *self = model->state;
  job now = {.self = self, .q = q};
  return pl_model_sum(pool, pl_chunk_count(model->blocks, ROWS), energy_chunk, &now, self->sums);
}

/* Sticks have no stress in a point. */
static void fields(pl_model *model, const double *q, double *von_mises, double *det_f,
                   pl_pool *pool)
{
  (void)pool;
  pl_model_ratios(((const relations *)model->state)->mesh, q, von_mises, det_f);
}

const pl_model_ops pl_model_relations = {
    .info = {"relations", "sticks between particles, for integrators that relax and all others",
             "Jakobsen 2001", params, sizeof params / sizeof *params, NULL},
    .meshes = PL_ON_SOLIDS | PL_ON_TRIANGLES,
    .create = create,
    .destroy = destroy,
    .cliques = cliques,
    .bind = bind,
    .evaluate = evaluate,
    .mass_add = pl_model_mass_add,
    .mass_matrix = pl_model_mass_matrix,
    .energy = energy,
    .fields = fields,
    .relations = list_of,
};

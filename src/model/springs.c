/* Springs and dampers along the edges of a mesh.
 *
 * Every two nodes of an element are joined: the sides of a triangle, the 6 edges of a tetrahedron,
 * the edges and diagonals of a quadrilateral or hexahedron. With d = x_j - x_i, rest length l0 and
 * rest direction n, node i feels
 *
 *   (k (m.d - l0) + c (m.(v_j - v_i))) m
 *
 * along m = d/|d| for exact springs, m = n for linear ones, and m = Q n for springs warped by
 * edges, where Q is the rotation nearest to the sum of those of the two nodes: action is reaction
 * there. Springs warped by vertices are the linear ones in warp.h. Stiffness by van Gelder 1998: k
 * = E sum V / l0^2 over the elements around the edge (V is a triangle's area times the thickness),
 * scaled on hexahedra by 6/28 so that their more springs store the same energy when all stretch
 * alike; a quadrilateral has the mean of both ways of cutting it into triangles. Poisson's ratio is
 * not used: such bodies have about 1/4. Hauth 2004, appendix B; Mueller et al. 2002, section 3. The
 * cloth of Hauth 2004, 4.1, is made of quadrilaterals without their diagonals, or of triangles
 * without springs along their longest sides (edges="sides"), with dampers against all of the
 * relative velocity (rates="full"): rho x'' = sum k/l^2 (|d| - l) d/|d| + c/l^2 dv with k = E t. */
#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/fem/warp.h"
#include "model/mass.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum { FORCES, DAMPING, QUALITY, THICKNESS, SIDES, RATES, MATRIX, PARAM_COUNT };
enum { EXACT, LINEAR, WARPED, EDGE };
enum { BY_STIFFNESS, CONSTANT, BY_QUALITY };

static const pl_param params[PARAM_COUNT] = {
    [FORCES] = {"forces", "1",
                "along the springs, along them at rest, or turned with the nodes (not symmetric) "
                "or with the edges",
                EXACT, 0, 3, "exact|linear|warped|edge", 1},
    [DAMPING] = {"damping", "1",
                 "of a spring by the material's viscous moduli, in proportion to its stiffness or "
                 "the same for all; or so that it rings with the given quality",
                 BY_STIFFNESS, 0, 2, "stiffness|constant|quality", 1},
    [QUALITY] = {"quality", "1", "Q of each spring, for damping=\"quality\"", 5, 0.1, 1e9, NULL, 1},
    [THICKNESS] = {"thickness", "m", "of triangles, which have no volume of their own", 1e-3, 1e-9,
                   1e3, NULL, 1},
    [SIDES] =
        {"edges", "1",
         "which have springs: all, or the sides of quadrilaterals without their diagonals; of "
         "other triangles all but the longest side",
         0, 0, 1, "all|sides", 1},
    [RATES] = {"rates", "1",
               "what dampers resist: that nodes part along the spring, or all of their relative "
               "velocity",
               0, 0, 1, "along|full", 1},
    [MATRIX] = {"matrix", "1",
                "minus the slope of the forces, or a constant number per spring (graph Laplacian), "
                "whose factor lasts as long as the step; for forces=\"exact\"",
                0, 0, 1, "exact|laplacian", 1},
};

/* One end of a spring, seen from the row's node. */
typedef struct spring {
  double k, c, length, direction[3]; /* N/m, N s/m, m, from the node to the other */
} spring;

typedef struct springs {
  int forces;
  int sides, full, laplacian; /* of the thesis' cloth: longest sides have none; see params */
  pl_bsr *pattern;            /* rows of nodes; its values are the stiffness at rest */
  spring *ends;               /* one for each block of the pattern */
  int *pairs, pair_count;     /* the cliques */
  int *places, offset;        /* of the blocks' values in the bound matrix */
  int crowded;                /* the bound matrix has other blocks in these rows, too */
  double *sums;               /* energy of each chunk */
  int element_count, nodes_per_element, *elements;
  int *quad_of; /* per element the quadrilateral that it is a half of, plus 1; NULL: of none */
  double *volumes, thickness; /* thickness: 1 where elements have a volume */
  pl_mass mass;
  pl_warp warp;
} springs;

/* ---- creation ---- */

static double young_of(double lambda, double mu)
{
  return lambda + mu > 0 ? mu * (3 * lambda + 2 * mu) / (lambda + mu) : 0;
}

typedef struct mass_source {
  const springs *self;
  const pl_model_def *sites;
  const pl_material *material;
} mass_source;

static void element_mass(const void *context, int element, double *values)
{
  const mass_source *source = context;
  int n = source->self->nodes_per_element;
  double density = pl_model_def_material(source->sites, source->material, element)->density;
  memset(values, 0, (size_t)(n * n) * sizeof *values);
  for (int a = 0; a < n; a++) values[(n + 1) * a] = density * source->self->volumes[element] / n;
}

static void set_ends(springs *self, const pl_mesh *mesh)
{
  const pl_bsr *pattern = self->pattern;
  for (int row = 0; row < pattern->rows; row++) {
    for (int k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
      spring *end = &self->ends[k];
      if (pattern->columns[k] == row) continue;
      pl_vec3_sub(mesh->nodes + 3 * (size_t)pattern->columns[k], mesh->nodes + 3 * (size_t)row,
                  end->direction);
      end->length = pl_vec3_norm(end->direction);
      pl_vec3_scale(1 / end->length, end->direction, end->direction);
    }
  }
}

/* Is no other side of a triangle as long as that from a to b? */
static int is_longest(const springs *self, const int *nodes, int a, int b)
{
  int other = nodes[3 - a - b];
  double own = self->ends[pl_bsr_find(self->pattern, nodes[a], nodes[b])].length;
  return own > 1.0001 * self->ends[pl_bsr_find(self->pattern, nodes[a], other)].length &&
         own > 1.0001 * self->ends[pl_bsr_find(self->pattern, nodes[b], other)].length;
}

/* Do two nodes lie across from each other? */
static int is_diagonal(const int quad[4], int a, int b)
{
  int place = 0;
  while (quad[place] != a) place++;
  return quad[(place + 2) % 4] == b;
}

/* What an element of this volume adds to the springs between its nodes; quad: it is half of one. */
static void add_springs(springs *self, const int *nodes, const int *quad, double volume,
                        const pl_material *material)
{
  int n = self->nodes_per_element;
  double young = young_of(material->lambda, material->mu);
  double viscous = young_of(material->viscous_lambda, material->viscous_mu);
  for (int ab = 0; ab < n * n; ab++) {
    int a = ab / n, b = ab % n;
    if (a == b) continue;
    if (self->sides && n == 3 &&
        (quad ? is_diagonal(quad, nodes[a], nodes[b]) : is_longest(self, nodes, a, b)))
      continue;
    spring *end = &self->ends[pl_bsr_find(self->pattern, nodes[a], nodes[b])];
    double part = volume / (end->length * end->length);
    end->k += young * part;
    end->c += viscous * part;
  }
}

static const int *quad_around(const springs *self, const pl_mesh *mesh, int element)
{
  return self->quad_of && self->quad_of[element]
             ? mesh->quads + 4 * (size_t)(self->quad_of[element] - 1)
             : NULL;
}

/* A triangle of the other cut of the quadrilateral around a half: each half stands for one. */
static void other_half(const int quad[4], const int *nodes, int which, int other[3])
{
  int apex = 0; /* of the quadrilateral, the one that is not a corner of the half */
  while (quad[apex] == nodes[0] || quad[apex] == nodes[1] || quad[apex] == nodes[2]) apex++;
  for (int i = 0; i < 3; i++) other[i] = quad[(apex + 2 * which + i) % 4];
}

/* k and c in proportion to it, from all elements. */
static void set_stiffness(springs *self, const pl_mesh *mesh, const pl_material *all,
                          const pl_model_def *sites)
{
  int n = self->nodes_per_element, other[3];
  double share = n == 8 ? 6.0 / 28 : 1;
  for (int e = 0; e < self->element_count; e++) {
    const int *nodes = self->elements + (size_t)e * (size_t)n;
    const int *quad = quad_around(self, mesh, e);
    const pl_material *material = pl_model_def_material(sites, all, e);
    if (sites->rigid && sites->rigid[e]) continue;
    add_springs(self, nodes, quad, (quad ? 0.5 : share) * self->volumes[e], material);
    if (!quad) continue;
    const int *halves = mesh->quad_elements + 2 * (size_t)(self->quad_of[e] - 1);
    other_half(quad, self->elements + 3 * (size_t)halves[0], e == halves[1], other);
    add_springs(self, other, quad, 0.5 * self->thickness * pl_element_volume(mesh->nodes, other, 3),
                material);
  }
}

/* The other two rules. Q of a spring between two nodes is that of the oscillator with their reduced
 * mass m: c = sqrt(2 k m Q (sqrt(Q^2 + 1) - Q)) / Q (Hauth 2004, B.1.2). */
static void set_damping(springs *self, int rule, double quality)
{
  const pl_bsr *pattern = self->pattern;
  double sum = 0;
  int count = 0;
  for (int k = 0; k < pattern->start[pattern->rows]; k++) {
    sum += self->ends[k].c;
    count += self->ends[k].k > 0;
  }
  for (int row = 0; row < pattern->rows && rule != BY_STIFFNESS; row++) {
    for (int k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
      spring *end = &self->ends[k];
      if (pattern->columns[k] == row || !(end->k > 0)) continue;
      double a = self->mass.lumped[row], b = self->mass.lumped[pattern->columns[k]];
      double m = a * b / (a + b), Q = quality;
      // sqrt(Q^2 + 1) - Q without cancellation
      end->c =
          rule == CONSTANT ? sum / count : sqrt(2 * end->k * m * Q / (sqrt(Q * Q + 1) + Q)) / Q;
    }
  }
}

/* values = -k n n^T off the diagonal, and what makes the rows' sums zero on it. */
static void fill_rest(const springs *self, int viscous, double *values)
{
  const pl_bsr *pattern = self->pattern;
  memset(values, 0, 9 * (size_t)pattern->start[pattern->rows] * sizeof *values);
  for (int row = 0; row < pattern->rows; row++) {
    for (int k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
      const spring *end = &self->ends[k];
      double *own = values + 9 * (size_t)pattern->diagonal[row];
      for (int i = 0; i < 9 && pattern->columns[k] != row; i++) {
        double entry = (viscous ? end->c : end->k) * end->direction[i / 3] * end->direction[i % 3];
        values[9 * (size_t)k + (size_t)i] = -entry;
        own[i] += entry;
      }
    }
  }
}

static pl_status make_warp(pl_model *model, springs *self, const pl_mesh *mesh, pl_error *error)
{
  size_t numbers = 9 * (size_t)self->pattern->start[self->pattern->rows];
  double *D = pl_alloc(&model->allocator, numbers, sizeof *D);
  if (!D) return pl_fail_memory(error);
  fill_rest(self, 0, self->pattern->values);
  fill_rest(self, 1, D);
  pl_warp_def def = {.K = self->pattern, .D = D, .X = mesh->nodes};
  pl_status status = pl_warp_create(&model->allocator, &def, &self->warp, error);
  pl_free(&model->allocator, D);
  return status;
}

static pl_status copy_elements(pl_model *model, springs *self, const pl_mesh *mesh, pl_error *error)
{
  size_t n = (size_t)mesh->nodes_per_element, count = (size_t)mesh->element_count;
  self->nodes_per_element = mesh->nodes_per_element;
  self->element_count = mesh->element_count;
  self->elements = pl_alloc(&model->allocator, count * n, sizeof *self->elements);
  self->volumes = pl_alloc(&model->allocator, count, sizeof *self->volumes);
  if (!self->elements || !self->volumes) return pl_fail_memory(error);
  memcpy(self->elements, mesh->elements, count * n * sizeof *self->elements);
  if (mesh->quad_count) {
    self->quad_of = pl_alloc(&model->allocator, count, sizeof *self->quad_of);
    if (!self->quad_of) return pl_fail_memory(error);
    for (int i = 0; i < 2 * mesh->quad_count; i++)
      self->quad_of[mesh->quad_elements[i]] = 1 + i / 2;
  }
  for (size_t e = 0; e < count; e++) {
    self->volumes[e] = self->thickness * pl_element_volume(mesh->nodes, self->elements + n * e,
                                                           mesh->nodes_per_element);
    if (!(self->volumes[e] > 0) || !isfinite(self->volumes[e]))
      return pl_fail_entity(error, PL_E_MESH, (int64_t)e,
                            "element %d has the volume %g m^3; it must be positive: repair the "
                            "mesh",
                            (int)e, self->volumes[e]);
  }
  return PL_OK;
}

/* The pattern, its springs and the list of pairs. */
static pl_status make_ends(pl_model *model, springs *self, const pl_mesh *mesh, pl_error *error)
{
  pl_cliques all[] = {{mesh->element_count, mesh->nodes_per_element, self->elements, 0},
                      {mesh->quad_count, 4, mesh->quads, 0}};
  pl_status status = pl_bsr_create(&model->allocator, model->blocks, all, 2, &self->pattern, error);
  if (status) return status;
  const pl_bsr *pattern = self->pattern;
  size_t blocks = (size_t)pattern->start[pattern->rows];
  self->ends = pl_alloc(&model->allocator, blocks, sizeof *self->ends);
  self->pairs = pl_alloc(&model->allocator, blocks, sizeof *self->pairs);
  self->places = pl_alloc(&model->allocator, blocks, sizeof *self->places);
  if (!self->ends || !self->pairs || !self->places) return pl_fail_memory(error);
  for (int row = 0; row < pattern->rows; row++) {
    for (int k = pattern->diagonal[row] + 1; k < pattern->start[row + 1]; k++) {
      self->pairs[2 * self->pair_count] = row;
      self->pairs[2 * self->pair_count++ + 1] = pattern->columns[k];
    }
  }
  set_ends(self, mesh);
  return PL_OK;
}

static const pl_model_ops without_energy;
enum { ROWS_PER_CHUNK = 256 };

static pl_status create(pl_model *model, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  springs *self = pl_alloc(&model->allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  model->state = self;
  self->forces = (int)values[FORCES];
  self->sides = (int)values[SIDES];
  self->full = (int)values[RATES];
  self->laplacian = (int)values[MATRIX];
  if ((self->full || self->laplacian) && self->forces != EXACT)
    return pl_fail(error, PL_E_ARGUMENT,
                   "%s is for springs with forces=\"exact\"; leave forces away",
                   self->full ? "rates=\"full\"" : "matrix=\"laplacian\"");
  self->thickness = mesh->nodes_per_element == 3 ? values[THICKNESS] : 1;
  self->sums = pl_alloc(&model->allocator, (size_t)pl_chunk_count(model->blocks, ROWS_PER_CHUNK),
                        sizeof *self->sums);
  pl_status status = self->sums ? PL_OK : pl_fail_memory(error);
  if (!status) status = copy_elements(model, self, mesh, error);
  if (!status) status = make_ends(model, self, mesh, error);
  if (status) return status;
  mass_source source = {self, &model->sites, material};
  pl_cliques all = {mesh->element_count, mesh->nodes_per_element, self->elements, 0};
  status = pl_mass_create(&model->allocator, model->blocks, &all, element_mass, &source, 0,
                          &self->mass, error);
  if (status) return status;
  model->mass = &self->mass;
  model->lumped_mass = self->mass.lumped;
  set_stiffness(self, mesh, material, &model->sites);
  set_damping(self, (int)values[DAMPING], values[QUALITY]);
  model->inexact = self->laplacian;
  if (self->forces == EXACT || self->forces == LINEAR) return PL_OK;
  model->ops = &without_energy;
  model->inexact = model->unbalanced = 1;
  model->unsymmetric = self->forces == WARPED;
  return make_warp(model, self, mesh, error);
}

static void destroy(pl_model *model)
{
  springs *self = model->state;
  if (!self) return;
  pl_warp_destroy(&model->allocator, &self->warp);
  pl_mass_destroy(&model->allocator, &self->mass);
  pl_bsr_destroy(self->pattern);
  void *arrays[] = {self->ends,     self->pairs,   self->places,  self->sums,
                    self->elements, self->volumes, self->quad_of, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&model->allocator, arrays[i]);
}

static pl_cliques cliques(const pl_model *model)
{
  const springs *self = model->state;
  return (pl_cliques){.count = self->pair_count, .size = 2, .nodes = self->pairs};
}

static pl_status bind(pl_model *model, const pl_bsr *A, int offset, pl_error *error)
{
  springs *self = model->state;
  const pl_bsr *pattern = self->pattern;
  self->offset = offset;
  self->crowded =
      A->start[offset + pattern->rows] - A->start[offset] != pattern->start[pattern->rows];
  pl_status status = pl_bsr_places(A, offset, pattern->rows, pattern->start, pattern->columns,
                                   self->places, error);
  if (!status && self->warp.rows) status = pl_warp_bind(&self->warp, A, offset, error);
  return status ? status : pl_mass_bind(&model->allocator, &self->mass, A, offset, error);
}

/* ---- passes over the rows ---- */

typedef struct job {
  const springs *self;
  const double *q, *v;
  double *f;
  pl_bsr *A;
  double kq, kv;
  int semidefinite;
} job;

static int last_row(const springs *self, int chunk)
{
  int last = (chunk + 1) * ROWS_PER_CHUNK;
  return last < self->pattern->rows ? last : self->pattern->rows;
}

/* The unit vector m that the spring acts along; returns its length along it. */
static double along(const springs *self, const double *q, int row, int k, double m[3])
{
  const spring *end = &self->ends[k];
  int other = self->pattern->columns[k];
  double d[3];
  pl_vec3_sub(q + 3 * (size_t)other, q + 3 * (size_t)row, d);
  pl_vec3_copy(end->direction, m);
  if (self->forces == EXACT) {
    double length = pl_vec3_norm(d);
    // two nodes in one place are pushed apart as they stood at rest
    if (length > 1e-12 * end->length) pl_vec3_scale(1 / length, d, m);
  } else if (self->forces == EDGE) {
    double sum[9], Q[9], S[9];
    const double *a = self->warp.R + 9 * (size_t)row, *b = self->warp.R + 9 * (size_t)other;
    for (int i = 0; i < 9; i++) sum[i] = a[i] + b[i];
    pl_polar(sum, Q, S);
    pl_mat3_apply(Q, end->direction, m);
  }
  return pl_vec3_dot(m, d);
}

/* -df_i/dx_j, both parts together: a m m^T + b (I - m m^T), by columns as by rows. */
static void add_block(const job *now, int row, int k, const double m[3], double length)
{
  const springs *self = now->self;
  const spring *end = &self->ends[k];
  double across = self->forces == EXACT && length > 0 ? 1 - end->length / length : 0;
  if (now->semidefinite && across < 0) across = 0;
  double b = now->kq * end->k * across, a = now->kq * end->k - b;
  if (self->laplacian) a = 0, b = now->kq * end->k;
  if (now->v) *(self->full ? &b : &a) += now->kv * end->c;
  double *block = now->A->values + 9 * (size_t)self->places[k];
  double *own = now->A->values + 9 * (size_t)now->A->diagonal[self->offset + row];
  for (int i = 0; i < 9; i++) {
    double entry = a * m[i / 3] * m[i % 3] + (i % 4 == 0 ? b : 0);
    block[i] = -entry;
    own[i] += entry;
  }
}

static void clear_row(const job *now, int row)
{
  const pl_bsr *A = now->A;
  int at = now->self->offset + row;
  if (now->self->crowded)
    memset(A->values + 9 * (size_t)A->start[at], 0,
           (size_t)(A->start[at + 1] - A->start[at]) * 9 * sizeof *A->values);
  else
    memset(A->values + 9 * (size_t)A->diagonal[at], 0, 9 * sizeof *A->values);
}

static void rows_chunk(void *context, int chunk)
{
  const job *now = context;
  const springs *self = now->self;
  for (int row = chunk * ROWS_PER_CHUNK; row < last_row(self, chunk); row++) {
    if (now->A) clear_row(now, row);
    for (int k = self->pattern->start[row]; k < self->pattern->start[row + 1]; k++) {
      const spring *end = &self->ends[k];
      int other = self->pattern->columns[k];
      double m[3], dv[3];
      if (other == row) continue;
      double length = along(self, now->q, row, k, m), pull = end->k * (length - end->length);
      if (now->v) {
        pl_vec3_sub(now->v + 3 * (size_t)other, now->v + 3 * (size_t)row, dv);
        if (self->full && now->f) pl_vec3_add_scaled(end->c, dv, now->f + 3 * (size_t)row);
        if (!self->full) pull += end->c * pl_vec3_dot(m, dv);
      }
      if (now->f) pl_vec3_add_scaled(pull, m, now->f + 3 * (size_t)row);
      if (now->A) add_block(now, row, k, m, length);
    }
  }
}

static void evaluate(pl_model *model, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  springs *self = model->state;
  if (self->forces == WARPED) {
    pl_warp_evaluate(&self->warp, at, f, tangent, pool);
    return;
  }
  if (self->forces == EDGE) pl_warp_rotations(&self->warp, at->q, pool);
  job now = {.self = self, .q = at->q, .v = at->v, .f = f};
  if (tangent) {
    now.A = tangent->A;
    now.kq = tangent->kq;
    now.kv = tangent->kv;
    now.semidefinite = tangent->semidefinite;
  }
  pl_parallel(pool, pl_chunk_count(model->blocks, ROWS_PER_CHUNK), rows_chunk, &now);
}

/* Each spring is seen from both its ends. */
static void energy_chunk(void *context, int chunk)
{
  const job *now = context;
  const springs *self = now->self;
  double sum = 0;
  for (int row = chunk * ROWS_PER_CHUNK; row < last_row(self, chunk); row++) {
    for (int k = self->pattern->diagonal[row] + 1; k < self->pattern->start[row + 1]; k++) {
      double m[3], stretch = along(self, now->q, row, k, m) - self->ends[k].length;
      sum += 0.5 * self->ends[k].k * stretch * stretch;
    }
  }
  self->sums[chunk] = sum;
}

static double energy(pl_model *model, const double *q, pl_pool *pool)
{
  const springs *self = model->state;
  job now = {.self = self, .q = q};
  return pl_model_sum(pool, pl_chunk_count(model->blocks, ROWS_PER_CHUNK), energy_chunk, &now,
                      self->sums);
}

/* Springs have no stress in a point; the volume ratio is that of the element. */
static void fields(pl_model *model, const double *q, double *von_mises, double *det_f,
                   pl_pool *pool)
{
  const springs *self = model->state;
  (void)pool;
  size_t n = (size_t)self->nodes_per_element;
  for (int e = 0; e < self->element_count; e++) {
    if (von_mises) von_mises[e] = 0;
    if (det_f)
      det_f[e] = self->thickness / self->volumes[e] *
                 pl_element_volume(q, self->elements + n * (size_t)e, self->nodes_per_element);
  }
}

#define SHARED                                                                                     \
  .info = PL_INFO("springs",                                                                       \
                  "springs and dampers along the edges of the elements; no Poisson's ratio",       \
                  "van Gelder 1998; Hauth 2004, B; Mueller et al. 2002, 3", params),               \
  .create = create, .destroy = destroy, .cliques = cliques, .bind = bind, .evaluate = evaluate,    \
  .mass_add = pl_model_mass_add, .mass_matrix = pl_model_mass_matrix, .fields = fields

const pl_model_ops pl_model_springs = {SHARED, .meshes = PL_ON_SOLIDS | PL_ON_TRIANGLES,
                                       .energy = energy};

/* The table of warped springs, whose forces are no slope of an energy. */
static const pl_model_ops without_energy = {SHARED, .meshes = PL_ON_SOLIDS | PL_ON_TRIANGLES};

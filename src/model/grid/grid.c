/* Elastic curves (grid_curve.c), surfaces and solids on a grid of particles.
 *
 * With the axes' spacings h_i = 1/(M_i - 1), 1/M_i where an axis goes around, and the natural shape
 * X, whose metric G0 and curvature B0 are those at rest,
 *
 *   E = sum over the corners of all cells 1/2^D [1/4 sum_ij eta_ij (d_i.d_j - G0_ij)^2
 *                                                + kappa/2 (J - J0)^2]
 *     + sum over particles and cells 1/2 sum_ij xi_ij |L_ij x - B0_ij n|^2
 *
 * where d_i are the differences along the edges that meet in the corner over h_i, L_ij second
 * differences less the part that the natural shape has within the surface, n the unit normal, J the
 * signed volume of a corner of a solid. So no difference leaves the grid, all corners count alike,
 * and the matrix is that of an energy. For shapes that are flat at rest bending is one constant
 * number per pair of particles.
 *
 * tension eta, rigidity xi, mass and damping are per particle, as in "Implementation of Deformable
 * Objects" (after Terzopoulos, Platt, Barr, Fleischer 1987): energies are not multiplied by areas.
 * Where tension is not given, Young's modulus, Poisson's ratio and thickness make an elastic sheet
 * (or solid) of it: eta and xi times areas, with the terms that couple the axes. Where mass is not
 * given it is the density's.
 *
 * stencil="report" has that text's own discretisation: lengths of all edges, products of
 * differences at one corner of each cell, bending by |beta|, and the matrix K(r) with force K r;
 * "signed" has beta without the bars, as printed in 1987. */
#include "model/grid/grid.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256 };

#define GIVEN(name, unit, text, max)                                                               \
  {                                                                                                \
    name, unit, text, NAN, 0, max, NULL, 3                                                         \
  }

static const pl_param params[] = {
    {"stencil", "1",
     "differences at all corners of a cell; or those of the report, with |beta| or beta", 0, 0, 2,
     "symmetric|report|signed", 1},
    GIVEN("tension", "N/m^3",
          "eta of each particle along the axes, in parameters from 0 to 1; without it, from the "
          "material",
          1e15),
    GIVEN("shear", "N/m^3", "eta between the axes: 12, 13, 23; as the least tension if missing",
          1e15),
    GIVEN("rigidity", "N/m", "xi of each particle along the axes of a surface", 1e15),
    {"twist", "N/m",
     "xi between the axes, as the least rigidity if missing; of curves against torsion, 0 if "
     "missing",
     NAN, 0, 1e15, NULL, 1},
    {"volume", "Pa",
     "stiffness of solids against other volumes of their corners, beside the law, of which it "
     "takes "
     "its part; a tenth of the shear modulus, or of the mean tension, if missing",
     NAN, 0, 1e15, NULL, 1},
    {"mass", "kg", "of each particle; without it, from the density", NAN, 1e-15, 1e15, NULL, 1},
    {"damping", "kg/s", "of each particle's velocity", 0, 0, 1e15, NULL, 1},
    {"threshold", "N/m", "below which the report's alpha and beta count as 0; its own is 1/8192", 0,
     0, 1e15, NULL, 1},
    {"thickness", "m", "of surfaces; the diameter of curves", 1e-3, 1e-9, 1e3, NULL, 1},
};

/* ---- creation ---- */

/* One number per node for a scalar, as given for all and for single particles. */
static double *spread(const pl_grid_source *from, double all, size_t field)
{
  size_t count = (size_t)from->mesh->node_count;
  double *out = pl_alloc(from->allocator, count, sizeof *out);
  for (size_t i = 0; out && i < count; i++) out[i] = all;
  for (int i = 0; out && i < from->sites->particle_count; i++) {
    const pl_particle *one = &from->sites->particles[i];
    double value;
    memcpy(&value, (const char *)one + field, sizeof value);
    if (!isnan(value)) out[one->node] = value;
  }
  return out;
}

/* The same for tensors of so many numbers, which stand one after the other. */
static double *spread_tensor(const pl_grid_source *from, const double *all, size_t count,
                             size_t field)
{
  size_t nodes = (size_t)from->mesh->node_count;
  double *out = pl_alloc(from->allocator, nodes * count, sizeof *out);
  for (size_t i = 0; out && i < nodes * count; i++) out[i] = all[i % count];
  for (int i = 0; out && i < from->sites->particle_count; i++) {
    const pl_particle *one = &from->sites->particles[i];
    double values[6];
    memcpy(values, (const char *)one + field, count * sizeof *values);
    for (size_t k = 0; k < count; k++)
      if (!isnan(values[k])) out[(size_t)one->node * count + k] = values[k];
  }
  return out;
}

static double or_min(double value, const double *others, int count)
{
  double min = others[0];
  for (int i = 1; i < count; i++) min = fmin(min, others[i]);
  return isnan(value) ? min : value;
}

static pl_status take_tensors(pl_grid_source *from, pl_error *error)
{
  const double *values = from->values;
  int axes = from->grid->axes;
  int has_tension = !isnan(values[PL_GRID_TENSION]),
      has_rigidity = !isnan(values[PL_GRID_RIGIDITY]);
  if (!has_tension && has_rigidity)
    return pl_fail(error, PL_E_ARGUMENT,
                   "rigidity is given and tension is not; give both, or none to take them from the "
                   "material");
  if (has_rigidity && axes == 3)
    return pl_fail(error, PL_E_ARGUMENT, "solids have no rigidity; remove it");
  if (!has_tension) return PL_OK;
  double eta[6], xi[3] = {0};
  for (int i = 0; i < 3; i++) {
    eta[i] = values[PL_GRID_TENSION + i];
    eta[3 + i] = or_min(values[PL_GRID_SHEAR + i], values + PL_GRID_TENSION, axes);
    if (has_rigidity && i < 2) xi[i] = values[PL_GRID_RIGIDITY + i];
  }
  if (has_rigidity && axes == 2) xi[2] = or_min(values[PL_GRID_TWIST], xi, 2);
  if (axes == 1 && !isnan(values[PL_GRID_TWIST])) xi[2] = values[PL_GRID_TWIST];
  from->tension = spread_tensor(from, eta, 6, offsetof(pl_particle, tension));
  from->rigidity = spread_tensor(from, xi, 3, offsetof(pl_particle, rigidity));
  return from->tension && from->rigidity ? PL_OK : pl_fail_memory(error);
}

/* Length or area (times a round section or the thickness) or volume of a cell at rest. */
static double cell_volume(const pl_grid_source *from, const int *nodes)
{
  const double *X = from->mesh->nodes;
  double t = from->values[PL_GRID_THICKNESS];
  static const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  if (from->grid->axes == 1) return 0.78539816339744831 * t * t * pl_element_volume(X, nodes, 2);
  int hex[8], halves[2][3] = {{nodes[0], nodes[1], nodes[3]}, {nodes[0], nodes[3], nodes[2]}};
  if (from->grid->axes == 2)
    return t * (pl_element_volume(X, halves[0], 3) + pl_element_volume(X, halves[1], 3));
  for (int i = 0; i < 8; i++) hex[i] = nodes[order[i]];
  return fabs(pl_element_volume(X, hex, 8));
}

static pl_status take_mass(pl_model *model, pl_grid_model *self, const pl_grid_source *from,
                           pl_error *error)
{
  const double *values = from->values;
  double all = values[PL_GRID_MASS];
  double *mass = spread(from, isnan(all) ? 0 : all, offsetof(pl_particle, mass));
  self->mass = (pl_mass){.rows = model->blocks, .lumped = mass};
  self->damping = spread(from, values[PL_GRID_DAMPING], offsetof(pl_particle, damping));
  if (!mass || !self->damping) return pl_fail_memory(error);
  model->mass = &self->mass;
  model->lumped_mass = mass;
  const pl_grid_list *cells = &self->cells.list;
  double *own = isnan(all) ? pl_alloc(from->allocator, (size_t)model->blocks, sizeof *own) : NULL;
  if (isnan(all) && !own) return pl_fail_memory(error);
  for (int e = 0; own && e < cells->count; e++) {
    const int *nodes = cells->nodes + (size_t)cells->size * (size_t)e;
    double density =
        pl_model_def_material(from->sites, from->material, from->cell_element[e])->density;
    double part = density * cell_volume(from, nodes) / cells->size;
    for (int a = 0; a < cells->size; a++) own[nodes[a]] += part;
  }
  for (int i = 0; own && i < model->blocks; i++)
    if (mass[i] == 0) mass[i] = own[i];
  pl_free(from->allocator, own);
  for (int i = 0; i < model->blocks; i++) {
    if (!(mass[i] > 0) || !isfinite(mass[i]))
      return pl_fail_entity(error, PL_E_ARGUMENT, i, "a particle of the grid has the mass %g kg",
                            mass[i]);
  }
  return PL_OK;
}

/* Flat places become numbers of the pattern; curved ones and those of the report stay. */
static void split(pl_grid_model *self, const pl_grid_bends *all)
{
  pl_grid_bends *kept = &self->bends;
  double *stiffness = self->pattern->values;
  for (int i = 0; i < all->list.count; i++) {
    const pl_grid_bend *bend = &all->bends[i];
    const int *nodes = all->list.nodes + (size_t)PL_BEND_NODES * (size_t)i;
    if (bend->B0 != 0 || self->stencil) {
      memmove(kept->list.nodes + (size_t)PL_BEND_NODES * (size_t)kept->list.count, nodes,
              PL_BEND_NODES * sizeof *nodes);
      kept->bends[kept->list.count++] = *bend;
      continue;
    }
    for (int ab = 0; ab < PL_BEND_NODES * PL_BEND_NODES; ab++) {
      int a = ab / PL_BEND_NODES, b = ab % PL_BEND_NODES;
      if (bend->l[a] == 0 || bend->l[b] == 0) continue;
      stiffness[pl_bsr_find(self->pattern, nodes[a], nodes[b])] +=
          bend->weight * bend->l[a] * bend->l[b];
    }
  }
}

/* One number per block in place of nine. */
static pl_status make_pattern(pl_model *model, pl_grid_model *self, pl_error *error)
{
  const pl_grid_list *cells = &self->cells.list;
  const pl_grid_list *bends = self->arcs.list.count ? &self->arcs.list : &self->bends.list;
  const pl_cliques all[2] = {{cells->count, cells->size, cells->nodes, 0},
                             {bends->count, bends->size, bends->nodes, 0}};
  pl_status status = pl_bsr_create(&model->allocator, model->blocks, all, bends->count ? 2 : 1,
                                   &self->pattern, error);
  if (status) return status;
  pl_bsr *pattern = self->pattern;
  size_t blocks = (size_t)pattern->start[pattern->rows];
  pl_free(&pattern->allocator, pattern->values);
  pattern->values = pl_alloc(&pattern->allocator, blocks, sizeof *pattern->values);
  self->pairs = pl_alloc(&model->allocator, blocks, sizeof *self->pairs);
  self->places = pl_alloc(&model->allocator, blocks, sizeof *self->places);
  self->sums =
      pl_alloc(&model->allocator, (size_t)pl_chunk_count(model->blocks, ROWS), sizeof *self->sums);
  if (!pattern->values || !self->pairs || !self->places || !self->sums)
    return pl_fail_memory(error);
  for (int row = 0; row < pattern->rows; row++) {
    for (int k = pattern->diagonal[row] + 1; k < pattern->start[row + 1]; k++) {
      self->pairs[2 * self->pair_count] = row;
      self->pairs[2 * self->pair_count++ + 1] = pattern->columns[k];
    }
  }
  return PL_OK;
}

static pl_status build(pl_model *model, pl_grid_model *self, pl_grid_source *from, pl_error *error)
{
  pl_status status = take_tensors(from, error);
  if (!status) status = pl_grid_cells_make(from, self->stencil, &self->cells, error);
  if (!status) status = pl_grid_bends_make(from, &self->bends, error);
  if (!status) status = pl_grid_arcs_make(from, &self->arcs, error);
  if (!status) status = make_pattern(model, self, error);
  if (status) return status;
  const pl_grid_bends all = self->bends;
  self->bends.list.count = 0;
  split(self, &all);
  status = pl_grid_list_make(&model->allocator, model->blocks, &self->bends.list, error);
  if (!status && from->grid->axes == 2)
    status = pl_grid_quads_make(&model->allocator, &self->cells, &self->quads, error);
  if (status) return status;
  pl_grid_list_find(self->pattern, &self->cells.list);
  pl_grid_list_find(self->pattern, &self->bends.list);
  pl_grid_list_find(self->pattern, &self->arcs.list);
  return take_mass(model, self, from, error);
}

static const pl_model_ops of_report;

static pl_status create(pl_model *model, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  if (mesh->grid && mesh->grid->axes == 1 && values[PL_GRID_STENCIL] != PL_STENCIL_SYMMETRIC)
    return pl_fail(error, PL_E_ARGUMENT,
                   "curves have the symmetric stencil only; the report has none for them");
  if (!mesh->grid)
    return pl_fail(error, PL_E_ARGUMENT,
                   "model=\"grid\" needs a mesh whose nodes are a grid: a <lattice> or a <bezier>");
  pl_grid_model *self = pl_alloc(&model->allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  model->state = self;
  self->stencil = (int)values[PL_GRID_STENCIL];
  self->threshold = values[PL_GRID_THRESHOLD];
  self->mesh = mesh;
  if (mesh->grid->axes == 1) model->thickness = values[PL_GRID_THICKNESS];
  int *cell_element = NULL;
  pl_grid_source from = {.allocator = &model->allocator,
                         .mesh = mesh,
                         .grid = mesh->grid,
                         .material = material,
                         .sites = &model->sites,
                         .values = values};
  pl_status status = pl_grid_find_elements(&from, &cell_element, error);
  from.cell_element = cell_element;
  if (!status) status = build(model, self, &from, error);
  pl_free(&model->allocator, cell_element);
  pl_free(&model->allocator, from.tension);
  pl_free(&model->allocator, from.rigidity);
  if (self->stencil) {
    model->ops = &of_report;
    model->inexact = 1;
  }
  return status;
}

static void destroy(pl_model *model)
{
  pl_grid_model *self = model->state;
  if (!self) return;
  pl_grid_cells_release(&model->allocator, &self->cells);
  pl_grid_quads_release(&model->allocator, &self->quads);
  pl_grid_bends_release(&model->allocator, &self->bends);
  pl_grid_arcs_release(&model->allocator, &self->arcs);
  pl_bsr_destroy(self->pattern);
  void *arrays[] = {self->pairs, self->places, self->mass.lumped, self->damping, self->sums, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&model->allocator, arrays[i]);
}

static pl_cliques cliques(const pl_model *model)
{
  const pl_grid_model *self = model->state;
  return (pl_cliques){.count = self->pair_count, .size = 2, .nodes = self->pairs};
}

static pl_status bind(pl_model *model, const pl_bsr *A, int offset, pl_error *error)
{
  pl_grid_model *self = model->state;
  const pl_bsr *pattern = self->pattern;
  self->offset = self->mass.offset = offset;
  pl_status status = pl_bsr_places(A, offset, pattern->rows, pattern->start, pattern->columns,
                                   self->places, error);
  if (status) return status;
  pl_grid_list_bind(self->places, &self->cells.list);
  pl_grid_quads_bind(self->places, &self->cells.list, &self->quads);
  pl_grid_list_bind(self->places, &self->bends.list);
  pl_grid_list_bind(self->places, &self->arcs.list);
  return PL_OK;
}

/* ---- evaluation ---- */

/* A row of the matrix as it is before cells add to it: flat bending and damping. */
static void put_row(const pl_grid_job *job, int row)
{
  const pl_grid_model *self = job->self;
  const pl_bsr *pattern = self->pattern, *A = job->matrix;
  int at = self->offset + row;
  double c = job->v ? self->damping[row] : 0;
  memset(A->values + 9 * (size_t)A->start[at], 0,
         (size_t)(A->start[at + 1] - A->start[at]) * 9 * sizeof *A->values);
  for (int k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
    double *block = job->A + 9 * (size_t)self->places[k], value = job->kq * pattern->values[k];
    if (k == pattern->diagonal[row]) value += job->kv * c;
    block[0] = block[4] = block[8] = value;
  }
}

static void add_row(const pl_grid_job *job, int row)
{
  const pl_grid_model *self = job->self;
  const pl_bsr *pattern = self->pattern;
  const double *x = job->q + 3 * (size_t)row;
  double sum[3] = {0}, *f = job->f + 3 * (size_t)row, c = job->v ? self->damping[row] : 0;
  for (int k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
    const double *to = job->q + 3 * (size_t)pattern->columns[k];
    for (int i = 0; i < 3; i++) sum[i] += pattern->values[k] * (to[i] - x[i]);
  }
  for (int i = 0; i < 3; i++) f[i] -= sum[i];
  for (int i = 0; i < 3 && c > 0; i++) f[i] -= c * job->v[3 * (size_t)row + (size_t)i];
}

static void rows_chunk(void *context, int chunk)
{
  const pl_grid_job *job = context;
  int rows = job->self->pattern->rows, last = (chunk + 1) * ROWS < rows ? (chunk + 1) * ROWS : rows;
  for (int row = chunk * ROWS; row < last; row++) {
    if (job->A) put_row(job, row);
    if (job->f) add_row(job, row);
  }
}

/* The batches of a surface that a chunk of cells is. */
static int batch_of(const pl_grid_model *self, int chunk)
{
  return pl_chunk_count(self->cells.list.starts[chunk], PL_LANES);
}

static void cells_chunk(void *context, int chunk)
{
  const pl_grid_job *job = context;
  const pl_grid_model *self = job->self;
  if (self->quads.batches)
    PL_PICK_VARIANT(pl_grid_quads)(job, batch_of(self, chunk), batch_of(self, chunk + 1));
  else
    pl_grid_cells_chunk(job, chunk);
}

static void bends_chunk(void *context, int chunk)
{
  const pl_grid_job *job = context;
  pl_grid_bends_chunk(job, chunk);
}

static void arcs_chunk(void *context, int chunk)
{
  const pl_grid_job *job = context;
  pl_grid_arcs_chunk(job, chunk);
}

static void evaluate(pl_model *model, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  const pl_grid_model *self = model->state;
  pl_grid_job job = {.self = self, .q = at->q, .v = at->v, .f = f};
  if (tangent) {
    job.matrix = tangent->A;
    job.A = tangent->A->values;
    job.kq = tangent->kq;
    job.kv = tangent->kv;
    job.semidefinite = tangent->semidefinite;
  }
  pl_parallel(pool, pl_chunk_count(model->blocks, ROWS), rows_chunk, &job);
  if (self->arcs.list.count)
    pl_colours_run(&self->arcs.list.colours, pool, arcs_chunk, &job);
  else
    pl_colours_run(&self->cells.list.colours, pool, cells_chunk, &job);
  if (self->bends.list.count) pl_colours_run(&self->bends.list.colours, pool, bends_chunk, &job);
}

/* ---- energy ---- */

/* x K x / 2 as a sum over pairs, since rows of K add up to 0. */
static void rows_energy(void *context, int chunk)
{
  const pl_grid_job *job = context;
  const pl_bsr *pattern = job->self->pattern;
  int last = (chunk + 1) * ROWS < pattern->rows ? (chunk + 1) * ROWS : pattern->rows;
  double sum = 0;
  for (int row = chunk * ROWS; row < last; row++) {
    for (int k = pattern->diagonal[row] + 1; k < pattern->start[row + 1]; k++) {
      double d[3];
      pl_vec3_sub(job->q + 3 * (size_t)pattern->columns[k], job->q + 3 * (size_t)row, d);
      sum -= 0.5 * pattern->values[k] * pl_vec3_dot(d, d);
    }
  }
  job->self->sums[chunk] = sum;
}

static void cells_energy(void *context, int chunk)
{
  const pl_grid_job *job = context;
  const pl_grid_model *self = job->self;
  self->cells.list.sums[chunk] =
      self->quads.batches ? PL_PICK_VARIANT(pl_grid_quads_energy)(job, batch_of(self, chunk),
                                                                  batch_of(self, chunk + 1))
                          : pl_grid_cells_energy(self, job->q, chunk);
}

static void bends_energy(void *context, int chunk)
{
  const pl_grid_job *job = context;
  job->self->bends.list.sums[chunk] = pl_grid_bends_energy(job->self, job->q, chunk);
}

static void arcs_energy(void *context, int chunk)
{
  const pl_grid_job *job = context;
  job->self->arcs.list.sums[chunk] = pl_grid_arcs_energy(job->self, job->q, chunk);
}

/* Runs over a list and returns the sum of its chunks. */
static double sum_list(pl_grid_job *job, const pl_grid_list *list,
                       void (*work)(void *context, int chunk), pl_pool *pool)
{
  return pl_model_sum(pool, list->chunks, work, job, list->sums);
}

static double energy(pl_model *model, const double *q, pl_pool *pool)
{
  const pl_grid_model *self = model->state;
  pl_grid_job job = {.self = self, .q = q};
  double sum =
      pl_model_sum(pool, pl_chunk_count(model->blocks, ROWS), rows_energy, &job, self->sums);
  if (self->arcs.list.count) return sum + sum_list(&job, &self->arcs.list, arcs_energy, pool);
  sum += sum_list(&job, &self->cells.list, cells_energy, pool);
  return sum + sum_list(&job, &self->bends.list, bends_energy, pool);
}

/* A grid has no stress in a point; the ratio is that of the elements' areas or volumes. */
static void fields(pl_model *model, const double *q, double *von_mises, double *det_f,
                   pl_pool *pool)
{
  (void)pool;
  pl_model_ratios(((const pl_grid_model *)model->state)->mesh, q, von_mises, det_f);
}

#define SHARED                                                                                     \
  .info = PL_INFO("grid", "elastic curves, surfaces and solids on a grid of particles",            \
                  "Terzopoulos et al. 1987; Implementation of Deformable Objects", params),        \
  .create = create, .destroy = destroy, .cliques = cliques, .bind = bind, .evaluate = evaluate,    \
  .mass_add = pl_model_mass_add, .mass_matrix = pl_model_mass_matrix, .fields = fields

const pl_model_ops pl_model_grid = {
    SHARED, .meshes = PL_ON_SOLIDS | PL_ON_TRIANGLES | PL_ON_SEGMENTS | PL_ON_GRIDS,
    .energy = energy};

/* The report's forces are no slope of an energy. */
static const pl_model_ops of_report = {SHARED,
                                       .meshes = PL_ON_SOLIDS | PL_ON_TRIANGLES | PL_ON_GRIDS};

/* Finite elements: linear tetrahedra (one point) and 8-node hexahedra (2x2x2 Gauss points).
 *
 * The energy is the sum over elements and points of w W(F) with weight w in m^3; the force on a
 * node is minus its derivative. Shape functions are taken in rest coordinates (total Lagrangian):
 * Hauth 2004, 3.1 and C.1; hexahedra: Zienkiewicz, Taylor, Zhu, The Finite Element Method, 6th
 * ed., 4.6. */
#include "model/fem.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { STRAIN, MASS, ROTATION, PARAM_COUNT };
enum { LUMPED, CONSISTENT };

static const pl_param params[PARAM_COUNT] = {
    [STRAIN] = PL_STRAIN_PARAM(PL_STRAIN_COUNT, PL_STRAIN_WORDS "|warped"),
    [MASS] = {"mass", "1", "mass at the nodes, or spread as the shape functions are", LUMPED, 0, 1,
              "lumped|consistent", 1},
    [ROTATION] = {"rotation", "1",
                  "for strain=\"warped\": a node's rotation from its edges' singular values, the "
                  "frame of three edges (flutters), or the mean deformation gradient; both: "
                  "the singular values' at both ends of an edge, which depends on the origin",
                  PL_WARP_SVD, 0, 3, PL_WARP_WORDS, 1},
};

/* ---- mass ---- */

typedef struct mass_source {
  const pl_mesh *mesh;
  const pl_sites *sites;
  const pl_material *material;
} mass_source;

/* Tetrahedra: density V / 20 (1 + delta_ab). Hexahedra: the quadrature of density N_a N_b. */
static void element_mass(const void *context, int element, double *values)
{
  const mass_source *source = context;
  const pl_mesh *mesh = source->mesh;
  int count = mesh->nodes_per_element;
  const int *nodes = mesh->elements + (size_t)element * (size_t)count;
  double J[3][3], density = pl_sites_material(source->sites, source->material, element)->density;
  memset(values, 0, (size_t)(count * count) * sizeof *values);
  for (int p = 0; p < (count == 4 ? 1 : 8); p++) {
    pl_shape at = pl_shape_at(count, p);
    double m = density * at.weight * pl_shape_jacobian(&at, mesh->nodes, nodes, count, J);
    for (int a = 0; a < count; a++) {
      for (int b = 0; b < count; b++)
        values[count * a + b] += m * (count == 4 ? (1 + (a == b)) / 20.0 : at.N[a] * at.N[b]);
    }
  }
}

/* ---- creation ---- */

/* Elements per chunk: enough chunks for many threads, large enough to keep data in the cache. */
static int chunk_batches(int elements)
{
  int batches = elements / (64 * PL_LANES);
  return batches < 16 ? 16 : batches > 256 ? 256 : batches;
}

/* Local numbers of an element's nodes in the order of their numbers. */
static void sort_nodes(const int *nodes, int count, int *order)
{
  for (int a = 0; a < count; a++) {
    int at = a;
    for (; at > 0 && nodes[order[at - 1]] > nodes[a]; at--) order[at] = order[at - 1];
    order[at] = a;
  }
}

/* Rest data of one element in its lane; the copies that fill a group's last batch weigh nothing. */
static pl_status fill_lane(pl_fem *fem, const pl_mesh *mesh, int place, pl_error *error)
{
  int count = fem->nodes_per_element, lane = place % PL_LANES, batch = place / PL_LANES;
  int item = pl_groups_item(&fem->groups, place), element = item < 0 ? -1 - item : item;
  int order[PL_ELEMENT_NODES];
  const int *nodes = mesh->elements + (size_t)element * (size_t)count;
  int *lane_nodes = fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
  sort_nodes(nodes, count, order);
  for (int a = 0; a < count; a++) lane_nodes[PL_LANES * a + lane] = 3 * nodes[order[a]];

  pl_lanes *rest = fem->rest + (size_t)batch * pl_fem_rest_size(count, fem->points);
  for (int p = 0; p < fem->points; p++) {
    double b[PL_ELEMENT_NODES][3];
    pl_shape at = pl_shape_at(count, p);
    double weight = pl_shape_gradients(&at, mesh->nodes, nodes, count, b);
    if (!(weight > 0) || !isfinite(1 / weight))
      return pl_fail_entity(error, PL_E_MESH, element,
                            "element %d has the volume %g m^3 at a quadrature point; it must be "
                            "positive: repair the mesh",
                            element, weight);
    (*rest++)[lane] = item < 0 ? 0 : weight;
    for (int a = 0; a < count - 1; a++) {
      for (int i = 0; i < 3; i++) (*rest++)[lane] = b[order[a]][i];
    }
  }
  return PL_OK;
}

/* What an element is made of; rigid ones exert no force. */
typedef struct source {
  const pl_sites *sites;
  const pl_material *all;
} source;

static pl_material material_of(const void *context, int element)
{
  const source *from = context;
  pl_material material = *pl_sites_material(from->sites, from->all, element);
  if (from->sites->rigid && from->sites->rigid[element]) material.lambda = material.mu = 0;
  return material;
}

/* The groups of elements; those of warped nodes have the stress of corotated strain. */
static pl_status make_groups(pl_model *self, const pl_material *material, int strain, pl_fem *fem,
                             pl_error *error)
{
  int warped = strain == PL_STRAIN_COUNT;
  const source from = {&self->sites, material};
  pl_groups_def def = {.items = fem->elements,
                       .points = fem->points,
                       .strain = pl_strain_at(warped ? PL_STRAIN_corotated : strain),
                       .plain = warped,
                       .all = material,
                       .context = &from};
  if (self->sites.materials || self->sites.rigid) def.of = material_of;
  if (!warped) self->groups = &fem->groups;
  return pl_groups_create(&self->allocator, &def, &fem->groups, error);
}

static pl_status allocate(pl_model *self, pl_fem *fem, pl_error *error)
{
  size_t count = (size_t)fem->nodes_per_element, batches = (size_t)fem->groups.batches;
  size_t rest = pl_fem_rest_size(fem->nodes_per_element, fem->points);
  fem->nodes = pl_alloc(&self->allocator, batches * count * PL_LANES, sizeof *fem->nodes);
  fem->rest = pl_alloc(&self->allocator, batches * rest, sizeof *fem->rest);
  int chunk_size = chunk_batches(fem->elements);
  size_t chunks = (size_t)pl_groups_cut(&fem->groups, chunk_size, NULL);
  fem->chunk_sums = pl_alloc(&self->allocator, chunks, sizeof *fem->chunk_sums);
  fem->starts = pl_alloc(&self->allocator, chunks + 1, sizeof *fem->starts);
  int ok = fem->nodes && fem->rest && fem->chunk_sums && fem->starts;
  if (ok) pl_groups_cut(&fem->groups, chunk_size, fem->starts);
  return ok ? PL_OK : pl_fail_memory(error);
}

static pl_status colour_chunks(pl_model *self, pl_fem *fem, pl_error *error)
{
  int chunks = pl_groups_cut(&fem->groups, chunk_batches(fem->elements), NULL);
  int *starts = pl_alloc(&self->allocator, (size_t)chunks + 1, sizeof *starts);
  if (!starts) return pl_fail_memory(error);
  for (int c = 0; c <= chunks; c++) starts[c] = PL_LANES * fem->starts[c];
  const pl_chunks of = {.elements = fem->element_nodes,
                        .size = fem->nodes_per_element,
                        .count = fem->elements,
                        .chunks = chunks,
                        .starts = starts,
                        .order = fem->groups.order};
  pl_status status = pl_colours_create(&self->allocator, self->blocks, &of, &fem->chunks, error);
  pl_free(&self->allocator, starts);
  return status;
}

pl_cliques pl_fem_cliques(const pl_model *self)
{
  const pl_fem *fem = self->state;
  return (pl_cliques){
      .count = fem->elements, .size = fem->nodes_per_element, .nodes = fem->element_nodes};
}

static pl_status create(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  pl_fem *fem = pl_alloc(&self->allocator, 1, sizeof *fem);
  if (!fem) return pl_fail_memory(error);
  self->state = fem;
  int tets = mesh->nodes_per_element == 4;
  fem->nodes_per_element = mesh->nodes_per_element;
  fem->points = tets ? 1 : 8;
  fem->elements = mesh->element_count;
  fem->element_nodes = mesh->elements;
  fem->kernel = PL_PICK_VARIANT(pl_fem_kernels) + (tets ? PL_FEM_TET : PL_FEM_HEX);

  // the elements, their chunks and their mass
  pl_status status = make_groups(self, material, (int)values[STRAIN], fem, error);
  if (!status) status = allocate(self, fem, error);
  for (int place = 0; !status && place < fem->groups.batches * PL_LANES; place++)
    status = fill_lane(fem, mesh, place, error);
  if (!status) status = colour_chunks(self, fem, error);
  if (status) return status;
  mass_source masses = {.mesh = mesh, .sites = &self->sites, .material = material};
  pl_cliques elements = pl_fem_cliques(self);
  status = pl_mass_create(&self->allocator, self->blocks, &elements, element_mass, &masses,
                          values[MASS] == CONSISTENT, &fem->mass, error);
  self->lumped_mass = fem->mass.lumped;
  if (!status && values[STRAIN] == PL_STRAIN_COUNT)
    status = pl_fem_warp(self, mesh->nodes, (int)values[ROTATION], error);
  return status;
}

void pl_fem_destroy(pl_model *self)
{
  pl_fem *fem = self->state;
  if (!fem) return;
  pl_warp_destroy(&self->allocator, &fem->warp);
  pl_mass_destroy(&self->allocator, &fem->mass);
  pl_colours_destroy(&self->allocator, &fem->chunks);
  pl_free(&self->allocator, fem->chunk_sums);
  pl_free(&self->allocator, fem->mirror);
  pl_free(&self->allocator, fem->places);
  pl_free(&self->allocator, fem->rest);
  pl_free(&self->allocator, fem->starts);
  pl_groups_destroy(&self->allocator, &fem->groups);
  pl_free(&self->allocator, fem->nodes);
  pl_free(&self->allocator, fem);
}

/* ---- the matrix ---- */

/* Where the block above the diagonal of each pair of an element's nodes begins. */
static pl_status find_places(pl_fem *fem, const pl_bsr *A, pl_error *error)
{
  int count = fem->nodes_per_element, *place = fem->places;
  for (int batch = 0; batch < fem->groups.batches; batch++) {
    const int *nodes = fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
    for (int ab = 0; ab < count * count; ab++) {
      const int *a = nodes + PL_LANES * (ab / count), *b = nodes + PL_LANES * (ab % count);
      for (int lane = 0; lane < PL_LANES && a < b; lane++) {
        int found = pl_bsr_find(A, fem->offset + a[lane] / 3, fem->offset + b[lane] / 3);
        if (found < 0)
          return pl_fail_entity(error, PL_E_ARGUMENT,
                                pl_groups_item(&fem->groups, PL_LANES * batch + lane),
                                "the matrix has no block for nodes %d and %d; build it from the "
                                "model's cliques",
                                a[lane] / 3, b[lane] / 3);
        *place++ = 9 * found;
      }
    }
  }
  return PL_OK;
}

/* Where the transposed block of each block below the diagonal begins. */
static void find_mirror(pl_fem *fem, const pl_bsr *A, int rows)
{
  int first = A->start[fem->offset];
  for (int row = fem->offset; row < fem->offset + rows; row++) {
    for (int k = A->start[row]; k < A->diagonal[row]; k++) {
      int found = A->columns[k] < fem->offset ? -1 : pl_bsr_find(A, A->columns[k], row);
      fem->mirror[k - first] = found < 0 ? -1 : 9 * found;
    }
  }
}

pl_status pl_fem_bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  pl_fem *fem = self->state;
  int count = fem->nodes_per_element;
  size_t places = (size_t)fem->groups.batches * (size_t)(count * (count - 1) / 2 * PL_LANES);
  size_t blocks = (size_t)(A->start[offset + self->blocks] - A->start[offset]);
  pl_free(&self->allocator, fem->mirror);
  fem->mirror = pl_alloc(&self->allocator, blocks, sizeof *fem->mirror);
  if (!fem->places) fem->places = pl_alloc(&self->allocator, places, sizeof *fem->places);
  if (!fem->places || !fem->mirror) return pl_fail_memory(error);
  fem->offset = offset;
  pl_status status = find_places(fem, A, error);
  if (status) return status;
  find_mirror(fem, A, self->blocks);
  return pl_mass_bind(&self->allocator, &fem->mass, A, offset, error);
}

/* ---- passes over the elements ---- */

static void evaluate_chunk(void *context, int index)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + job->chunks[index];
  job->fem->kernel->evaluate(job, start[0], start[1]);
}

enum { ROWS_PER_CHUNK = 256 };

/* The rows of one chunk in the matrix. */
static int chunk_row(const pl_fem_job *job, int chunk)
{
  int row = chunk * ROWS_PER_CHUNK, rows = job->fem->mass.rows;
  return job->fem->offset + (row < rows ? row : rows);
}

static void clear_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  job->fem->kernel->clear_rows(job, chunk_row(job, chunk), chunk_row(job, chunk + 1));
}

static void finish_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  job->fem->kernel->finish_rows(job, chunk_row(job, chunk), chunk_row(job, chunk + 1));
}

void pl_fem_evaluate(pl_model *self, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = at->q, .v = at->v, .f = f};
  if (tangent) job.tangent = *tangent;
  pl_groups_freeze(&fem->groups, at->h, pool);
  int row_chunks = pl_chunk_count(self->blocks, ROWS_PER_CHUNK);
  if (tangent) pl_parallel(pool, row_chunks, clear_chunk, &job);
  for (int c = 0; c < fem->chunks.count; c++) {
    int start = fem->chunks.start[c];
    job.chunks = fem->chunks.list + start;
    pl_parallel(pool, fem->chunks.start[c + 1] - start, evaluate_chunk, &job);
  }
  if (tangent) pl_parallel(pool, row_chunks, finish_chunk, &job);
}

void pl_fem_mass_add(pl_model *self, double a, const double *x, double *f, pl_pool *pool)
{
  const pl_fem *fem = self->state;
  pl_mass_add(&fem->mass, a, x, f, pool);
}

void pl_fem_mass_matrix(pl_model *self, double a, pl_bsr *A, pl_pool *pool)
{
  const pl_fem *fem = self->state;
  pl_mass_matrix(&fem->mass, a, A, pool);
}

static void energy_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->sums[chunk] = job->fem->kernel->energy(job, start[0], start[1]);
}

static double energy(pl_model *self, const double *q, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .sums = fem->chunk_sums};
  pl_groups_freeze(&fem->groups, fem->groups.h, pool);
  pl_parallel(pool, fem->chunks.chunks, energy_chunk, &job);
  double sum = 0;
  for (int chunk = 0; chunk < fem->chunks.chunks; chunk++) sum += fem->chunk_sums[chunk];
  return sum;
}

static void fields_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->fields(job, start[0], start[1]);
}

void pl_fem_fields(pl_model *self, const double *q, double *von_mises, double *det_f, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .von_mises = von_mises, .det_f = det_f};
  pl_groups_freeze(&fem->groups, fem->groups.h, pool);
  pl_parallel(pool, fem->chunks.chunks, fields_chunk, &job);
}

static void strains_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->strains(job, start[0], start[1]);
}

void pl_fem_strains(pl_model *self, const double *q, double *strain, double *energy, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .strain = strain, .density = energy};
  pl_groups_freeze(&fem->groups, fem->groups.h, pool);
  pl_parallel(pool, fem->chunks.chunks, strains_chunk, &job);
}

static void tensors_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->tensors(job, start[0], start[1]);
}

void pl_fem_tensors(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .F = F, .stress = stress};
  pl_groups_freeze(&fem->groups, fem->groups.h, pool);
  pl_parallel(pool, fem->chunks.chunks, tensors_chunk, &job);
}

static void advance_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->advance(job, start[0], start[1]);
}

static void advance(pl_model *self, const pl_moment *at, double *memory, pl_pool *pool)
{
  const pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = at->q, .h = at->h, .memory = memory};
  pl_parallel(pool, fem->chunks.chunks, advance_chunk, &job);
}

#define INFO                                                                                       \
  {                                                                                                \
    .name = "fem", .summary = "finite elements: linear tetrahedra or 8-node hexahedra",            \
    .source = "Hauth 2004, 3.1 and C; Zienkiewicz, Taylor, Zhu 2005, 4.6", .params = params,       \
    .param_count = PARAM_COUNT                                                                     \
  }

const pl_model_ops pl_model_fem = {
    .info = INFO,
    .create = create,
    .destroy = pl_fem_destroy,
    .cliques = pl_fem_cliques,
    .bind = pl_fem_bind,
    .evaluate = pl_fem_evaluate,
    .mass_add = pl_fem_mass_add,
    .mass_matrix = pl_fem_mass_matrix,
    .advance = advance,
    .energy = energy,
    .fields = pl_fem_fields,
    .strains = pl_fem_strains,
    .tensors = pl_fem_tensors,
};

/* A model changes its table when it turns out to be warped. */
const pl_model_ops pl_fem_warped = {
    .info = INFO,
    .create = create,
    .destroy = pl_fem_destroy,
    .cliques = pl_fem_cliques,
    .bind = pl_fem_warped_bind,
    .evaluate = pl_fem_warped_evaluate,
    .mass_add = pl_fem_mass_add,
    .mass_matrix = pl_fem_mass_matrix,
    .fields = pl_fem_fields,
    .strains = pl_fem_strains,
    .tensors = pl_fem_tensors,
};

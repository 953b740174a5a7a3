/* The model "cloth": triangles that resist stretching, and edges that resist bending. The formulas
 * stand in cloth.h. */
#include "model/cloth/cloth.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "model/cloth/items.h"
#include "model/cloth/plate.h"
#include "model/cloth/sheet.h"
#include "model/scalars.h"

#include <math.h>
#include <string.h>

enum { MEMBRANE, BENDING, SHAPE, THICKNESS, AREA_DENSITY, STIFFNESS, LIMIT, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [MEMBRANE] = {"membrane", "1",
                  "how forces in the plane follow from the deformation: by Green's strain, which "
                  "stiffens, or by stretches with rotations taken out",
                  PL_CLOTH_GREEN, 0, 1, "green|corotated", 1},
    [BENDING] =
        {"bending", "1",
         "resistance to bending: of the angle at each edge (right on equilateral triangles, "
         "too stiff on others), the same as a constant matrix where the sheet is flat at "
         "rest, that of a plate with one more unknown per edge (right on any mesh), or none",
         PL_CLOTH_HINGE, 0, 3, "hinge|quadratic|edge|none", 1},
    [SHAPE] = {"rest-angles", "1", "angles at which edges rest: as in the mesh, or flat", 0, 0, 1,
               "mesh|flat", 1},
    [THICKNESS] = {"thickness", "m", "of the sheet: for its stiffness, mass and contact", 1e-3,
                   1e-9, 1e3, NULL, 1},
    [AREA_DENSITY] = {"area-density", "kg/m^2",
                      "mass per area; without it the material's density times the thickness", NAN,
                      1e-9, 1e9, NULL, 1},
    [STIFFNESS] = {"bending-stiffness", "N m",
                   "of the sheet per width; without it E t^3 / (12 (1 - nu^2)), which is far too "
                   "much for woven cloth",
                   NAN, 0, 1e12, NULL, 1},
    [LIMIT] = {"stretch-limit", "1",
               "ratio of lengths along warp and weft above which the sheet is a hundred times "
               "stiffer, as woven cloth is once its yarns are straight; 0: none",
               0, 0, 1e3, NULL, 1},
};

typedef struct cloth {
  pl_sheet sheet;
  int membrane, bending;
  double limit;                           /* of stretches; 0: none */
  pl_cloth_items triangles, hinges, flat; /* flat: hinges of constant stiffness */
  pl_plate plate;                         /* of bending by edges */
  int *cliques, clique_count, clique_size;
  int offset, nodes;
  pl_upper upper;
  pl_tailoring tailoring;       /* as given; the arrays are the body's */
  const pl_tailoring *measured; /* the same if it has curves, which stand in place of moduli */
  const double *memory;         /* of curves; NULL: nothing has happened */
  pl_mass mass;
  double *rest, *lumped; /* of all blocks where some are scalars */
  unsigned char *kinds;
  pl_block_hold padding; /* scalars of the last block that no edge has */
} cloth;

/* ---- creation ---- */

/* Gradients, area and moduli of a triangle. */
static void membrane_data(const cloth *self, int t, double data[PL_MEMBRANE_LANES])
{
  const pl_sheet_triangle *from = &self->sheet.triangles[t];
  memcpy(data, from->b, sizeof from->b);
  data[PL_MEMBRANE_AREA] = from->area;
  for (int i = 0; i < 4; i++) {
    data[PL_MEMBRANE_C + i] = from->C[i];
    data[PL_MEMBRANE_VISCOUS + i] = from->viscous * from->C[i];
  }
  if (!self->measured) return;
  const pl_curve *curves = self->measured->curves;
  int warp = curves[PL_CURVE_WARP].count > 0, weft = curves[PL_CURVE_WEFT].count > 0;
  if (warp) data[PL_MEMBRANE_C] = 0;
  if (warp || weft) data[PL_MEMBRANE_C + 1] = 0;
  if (weft) data[PL_MEMBRANE_C + 2] = 0;
  if (curves[PL_CURVE_SHEAR].count) data[PL_MEMBRANE_C + 3] = 0;
}

static pl_status make_triangles(pl_model *model, cloth *self, const pl_mesh *mesh, pl_error *error)
{
  int count = 0;
  const unsigned char *rigid = model->sites.rigid;
  for (int t = 0; t < mesh->element_count; t++) count += !rigid || !rigid[t];
  pl_status status = pl_cloth_items_create(&model->allocator, count, 3, PL_MEMBRANE_LANES, 0,
                                           &self->triangles, error);
  if (status) return status;
  for (int t = 0, at = 0; t < mesh->element_count; t++) {
    double data[PL_MEMBRANE_LANES];
    if (rigid && rigid[t]) continue;
    membrane_data(self, t, data);
    pl_cloth_items_set(&self->triangles, at++, mesh->elements + 3 * t, data);
  }
  return pl_cloth_items_finish(&model->allocator, mesh->node_count, PL_MEMBRANE_AREA,
                               PL_MEMBRANE_LANES - PL_MEMBRANE_AREA, &self->triangles, error);
}

/* The cotangents' sums k_i of an edge at rest (Bergou et al. 2006). */
static void quadratic_data(const pl_mesh *mesh, const pl_cloth_edge *edge, double k[4])
{
  const double *x[4];
  double c[2][2]; /* at each end of the edge, in each triangle */
  for (int i = 0; i < 4; i++) x[i] = mesh->nodes + 3 * (size_t)edge->nodes[i];
  for (int end = 0; end < 2; end++) {
    for (int side = 0; side < 2; side++) {
      double along[3], to[3], normal[3];
      pl_vec3_sub(x[1 - end], x[end], along);
      pl_vec3_sub(x[2 + side], x[end], to);
      pl_vec3_cross(along, to, normal);
      c[end][side] = pl_vec3_dot(along, to) / pl_vec3_norm(normal);
    }
  }
  k[0] = c[1][0] + c[1][1];
  k[1] = c[0][0] + c[0][1];
  k[2] = -c[0][0] - c[1][0];
  k[3] = -c[0][1] - c[1][1];
}

/* c of an edge, its viscous counterpart, rest angle and what its constant matrix needs. Rates of
 * bending are seen at the angle in any case, so that rigid motion is not damped. */
static int hinge_data(const cloth *self, const pl_mesh *mesh, int i, int flat,
                      double data[PL_HINGE_LANES])
{
  const pl_sheet *sheet = &self->sheet;
  const pl_cloth_edge *edge = &sheet->edges[i];
  double viscous, D = pl_sheet_bending(sheet, i, &viscous);
  double e = pl_vec3_distance(mesh->nodes + 3 * (size_t)edge->nodes[0],
                              mesh->nodes + 3 * (size_t)edge->nodes[1]);
  double area =
      sheet->triangles[edge->triangles[0]].area + sheet->triangles[edge->triangles[1]].area;
  int measured = self->measured && self->measured->curves[PL_CURVE_BENDING].count;
  int is_flat = self->bending == PL_CLOTH_QUADRATIC && fabs(sheet->bend[i]) < 1e-6;
  memset(data, 0, PL_HINGE_LANES * sizeof *data);
  if (measured && !flat) {
    data[PL_HINGE_AREA] = area;
    data[PL_HINGE_K] = e / area;
  }
  if (flat == is_flat && !measured) data[PL_HINGE_C] = (flat ? 1 : e * e) * D / area;
  if (!flat) data[PL_HINGE_VISCOUS] = viscous * e * e * D / area;
  data[PL_HINGE_REST] = sheet->bend[i];
  if (flat) quadratic_data(mesh, edge, data + PL_HINGE_K);
  return data[PL_HINGE_C] > 0 || data[PL_HINGE_VISCOUS] > 0 || data[PL_HINGE_AREA] > 0;
}

/* Hinges of both kinds: returns their number, and sets them where items are not NULL. */
static int list_hinges(const cloth *self, const pl_mesh *mesh, const pl_model_def *def, int flat,
                       pl_cloth_items *items)
{
  int count = 0;
  for (int i = 0; i < self->sheet.edge_count && self->bending <= PL_CLOTH_QUADRATIC; i++) {
    const pl_cloth_edge *edge = &self->sheet.edges[i];
    const int *t = edge->triangles;
    double data[PL_HINGE_LANES];
    if (t[1] < 0 || (def->rigid && def->rigid[t[0]] && def->rigid[t[1]])) continue;
    if (!hinge_data(self, mesh, i, flat, data)) continue;
    if (items) pl_cloth_items_set(items, count, edge->nodes, data);
    count++;
  }
  return count;
}

static pl_status make_hinges(pl_model *model, cloth *self, const pl_mesh *mesh, int flat,
                             pl_cloth_items *items, pl_error *error)
{
  int count = list_hinges(self, mesh, &model->sites, flat, NULL);
  pl_status status =
      pl_cloth_items_create(&model->allocator, count, 4, PL_HINGE_LANES, 0, items, error);
  if (status) return status;
  (void)list_hinges(self, mesh, &model->sites, flat, items);
  return pl_cloth_items_finish(&model->allocator, mesh->node_count, PL_HINGE_C, 3, items, error);
}

/* All hinges, and all triangles with a node of theirs twice; with scalars the plate's stencils. */
static pl_status list_cliques(pl_model *model, cloth *self, const pl_mesh *mesh, pl_error *error)
{
  size_t triangles = (size_t)mesh->element_count, hinges = (size_t)self->hinges.count;
  size_t flat = (size_t)self->flat.count, all = triangles + hinges + flat;
  int with_scalars = self->bending == PL_CLOTH_EDGE;
  self->clique_size = with_scalars ? PL_PLATE_BLOCKS : 4;
  self->clique_count = (int)all;
  self->cliques = pl_alloc(&model->allocator, (size_t)self->clique_size * all, sizeof(int));
  if (!self->cliques) return pl_fail_memory(error);
  if (with_scalars) {
    memcpy(self->cliques, self->plate.stencil, PL_PLATE_BLOCKS * triangles * sizeof(int));
    return PL_OK;
  }
  for (size_t t = 0; t < triangles; t++) {
    memcpy(self->cliques + 4 * t, mesh->elements + 3 * t, 3 * sizeof(int));
    self->cliques[4 * t + 3] = mesh->elements[3 * t];
  }
  memcpy(self->cliques + 4 * triangles, self->hinges.list, 4 * hinges * sizeof(int));
  memcpy(self->cliques + 4 * (triangles + hinges), self->flat.list, 4 * flat * sizeof(int));
  return PL_OK;
}

static void triangle_mass(const void *context, int triangle, double *values)
{
  const pl_sheet_triangle *of = (const pl_sheet_triangle *)context + triangle;
  memset(values, 0, 9 * sizeof *values);
  for (int a = 0; a < 3; a++) values[4 * a] = of->density * of->area / 3;
}

static pl_status make_mass(pl_model *model, cloth *self, const pl_mesh *mesh, pl_error *error)
{
  pl_cliques all = {mesh->element_count, 3, mesh->elements, 0};
  pl_status status = pl_mass_create(&model->allocator, model->blocks, &all, triangle_mass,
                                    self->sheet.triangles, 0, &self->mass, error);
  model->lumped_mass = self->mass.lumped;
  return status;
}

/* The blocks behind those of the nodes. */
static pl_status add_scalars(pl_model *model, cloth *self, const pl_mesh *mesh, pl_error *error)
{
  size_t nodes = (size_t)self->nodes, blocks = nodes + (size_t)self->plate.blocks;
  self->rest = pl_alloc(&model->allocator, 3 * blocks, sizeof *self->rest);
  self->lumped = pl_alloc(&model->allocator, blocks, sizeof *self->lumped);
  self->kinds = pl_alloc(&model->allocator, blocks, sizeof *self->kinds);
  if (!self->rest || !self->lumped || !self->kinds) return pl_fail_memory(error);
  memcpy(self->rest, mesh->nodes, 3 * nodes * sizeof *self->rest);
  memcpy(self->lumped, self->mass.lumped, nodes * sizeof *self->lumped);
  model->rest = self->rest;
  model->lumped_mass = self->lumped;
  pl_model_add_scalars(model, self->nodes, self->sheet.edge_count, self->kinds, &self->padding);
  return PL_OK;
}

/* Takes the curves of the sheet, if there are any. */
static pl_status take_curves(const pl_model *model, cloth *self, pl_error *error)
{
  const pl_tailoring *from = model->sites.tailoring;
  if (from && from->fold_count && self->bending == PL_CLOTH_NONE)
    return pl_fail(error, PL_E_ARGUMENT,
                   "creases need bending; take bending=\"hinge\", \"quadratic\" or \"edge\"");
  if (!pl_tailoring_has_curves(from)) return PL_OK;
  if (from->curves[PL_CURVE_BENDING].count && self->bending > PL_CLOTH_QUADRATIC)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a measured curve of bending acts at the angles of edges; take "
                   "bending=\"hinge\"");
  if (self->membrane == PL_CLOTH_COROTATED)
    return pl_fail(error, PL_E_ARGUMENT,
                   "measured curves have their own measure of strain; take membrane=\"green\", "
                   "which counts for what is not measured");
  self->tailoring = *from;
  self->measured = &self->tailoring;
  return PL_OK;
}

/* Three curves for each triangle, one for each hinge. */
static void plan_memory(pl_model *model, const cloth *self)
{
  size_t curves = 3 * (size_t)self->triangles.count + (size_t)self->hinges.count;
  int remembers = 0;
  for (int i = 0; self->measured && i < PL_CURVE_KINDS; i++)
    remembers |= self->measured->curves[i].friction > 0;
  if (remembers) model->memory = PL_CURVE_MEMORY * curves;
}

static pl_status create(pl_model *model, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  cloth *self = pl_alloc(&model->allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  model->state = self;
  model->takes_axes =
      pl_sheet_is_orthotropic(material) || pl_tailoring_has_curves(model->sites.tailoring);
  model->thickness = values[THICKNESS];
  self->membrane = (int)values[MEMBRANE];
  self->bending = (int)values[BENDING];
  self->limit = values[LIMIT];
  self->nodes = mesh->node_count;
  if (self->limit > 0 && self->limit < 1)
    return pl_fail(
        error, PL_E_ARGUMENT,
        "stretch-limit = %g is below 1, the length at rest; take 1.05 for 5 %%, or 0 for "
        "no limit",
        self->limit);
  pl_status status = take_curves(model, self, error);
  if (status) return status;
  const pl_sheet_def def = {.mesh = mesh,
                            .material = material,
                            .model = &model->sites,
                            .thickness = values[THICKNESS],
                            .area_density = values[AREA_DENSITY],
                            .stiffness = values[STIFFNESS],
                            .is_flat = (int)values[SHAPE] == 1,
                            .is_limited = self->limit > 0};
  status = pl_sheet_create(&model->allocator, &def, &self->sheet, error);
  if (!status) status = make_triangles(model, self, mesh, error);
  if (!status) status = make_hinges(model, self, mesh, 0, &self->hinges, error);
  if (!status) status = make_hinges(model, self, mesh, 1, &self->flat, error);
  if (!status && self->bending == PL_CLOTH_EDGE) {
    status = pl_plate_create(&model->allocator, &self->sheet, mesh, model->sites.rigid,
                             &self->plate, error);
  }
  plan_memory(model, self);
  if (!status) status = list_cliques(model, self, mesh, error);
  if (!status) status = make_mass(model, self, mesh, error);
  if (status || self->bending != PL_CLOTH_EDGE) return status;
  return add_scalars(model, self, mesh, error);
}

static void destroy(pl_model *model)
{
  cloth *self = model->state;
  if (!self) return;
  pl_sheet_destroy(&model->allocator, &self->sheet);
  pl_cloth_items_destroy(&model->allocator, &self->triangles);
  pl_cloth_items_destroy(&model->allocator, &self->hinges);
  pl_cloth_items_destroy(&model->allocator, &self->flat);
  pl_plate_destroy(&model->allocator, &self->plate);
  pl_upper_destroy(&self->upper, &model->allocator);
  pl_mass_destroy(&model->allocator, &self->mass);
  pl_free(&model->allocator, self->cliques);
  pl_free(&model->allocator, self->rest);
  pl_free(&model->allocator, self->lumped);
  pl_free(&model->allocator, self->kinds);
  pl_free(&model->allocator, self);
}

static pl_cliques cliques(const pl_model *model)
{
  const cloth *self = model->state;
  return (pl_cliques){
      .count = self->clique_count, .size = self->clique_size, .nodes = self->cliques};
}

static pl_status bind(pl_model *model, const pl_bsr *A, int offset, pl_error *error)
{
  cloth *self = model->state;
  self->offset = offset;
  pl_status status =
      pl_upper_bind(&self->upper, &model->allocator, A, offset, model->blocks, error);
  if (!status) status = pl_cloth_items_bind(&self->triangles, A, offset, error);
  if (!status) status = pl_cloth_items_bind(&self->hinges, A, offset, error);
  if (!status) status = pl_cloth_items_bind(&self->flat, A, offset, error);
  if (!status && self->bending == PL_CLOTH_EDGE)
    status = pl_plate_bind(&self->plate, A, offset, error);
  return status ? status : pl_mass_bind(&model->allocator, &self->mass, A, offset, error);
}

/* ---- forces ---- */

/* Triangles and hinges add to A (NULL: no matrix) right of the diagonal; a plate's unknowns are no
 * places, so it adds all of its blocks to what is finished. */
static double run(cloth *self, pl_cloth_job *job, pl_bsr *A, pl_pool *pool)
{
  job->strain = self->membrane;
  job->limit = self->limit;
  job->measured = self->measured;
  job->memory = self->memory;
  double sum = pl_cloth_items_run(job, &self->triangles, PL_PICK_VARIANT(pl_cloth_membrane), pool);
  if (job->memory) job->memory += PL_CURVE_MEMORY * 3 * (size_t)self->triangles.count;
  sum += pl_cloth_items_run(job, &self->hinges, PL_PICK_VARIANT(pl_cloth_hinge), pool);
  sum += pl_cloth_items_run(job, &self->flat, PL_PICK_VARIANT(pl_cloth_quadratic), pool);
  if (A) pl_upper_finish(&self->upper, A, pool);
  if (self->bending == PL_CLOTH_EDGE) sum += pl_plate_run(&self->plate, job, pool);
  return sum;
}

static void evaluate(pl_model *model, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  cloth *self = model->state;
  pl_cloth_job job = {.q = at->q, .v = at->v, .f = f};
  if (tangent) {
    pl_upper_clear(&self->upper, tangent->A, pool);
    job.values = tangent->A->values;
    job.kq = tangent->kq;
    job.kv = tangent->kv;
    job.semidefinite = tangent->semidefinite;
  }
  (void)run(self, &job, tangent ? tangent->A : NULL, pool);
}

static double energy(pl_model *model, const double *q, pl_pool *pool)
{
  pl_cloth_job job = {.q = q, .wants_energy = 1};
  return run(model->state, &job, NULL, pool);
}

static void mass_add(pl_model *model, double a, const double *x, double *f, pl_pool *pool)
{
  const cloth *self = model->state;
  pl_mass_add(&self->mass, a, x, f, pool);
  for (int i = 3 * self->nodes; i < 3 * model->blocks; i++)
    f[i] += a * self->plate.inertia[i / 3 - self->nodes] * x[i];
}

static void mass_matrix(pl_model *model, double a, pl_bsr *A, pl_pool *pool)
{
  const cloth *self = model->state;
  pl_mass_matrix(&self->mass, a, A, pool);
  for (int i = self->nodes; i < model->blocks; i++) {
    double *block = A->values + 9 * (size_t)A->diagonal[self->offset + i];
    for (int k = 0; k < 9; k += 4) block[k] += a * self->plate.inertia[i - self->nodes];
  }
}

static void mass_inverse(const pl_model *model, const double *y, double *x)
{
  const cloth *self = model->state;
  for (int i = 0; i < 3 * model->blocks; i++) {
    int block = i / 3, node = block < self->nodes;
    x[i] = y[i] / (node ? self->mass.lumped[block] : self->plate.inertia[block - self->nodes]);
  }
}

/* ---- what measured curves remember ---- */

static void begin(pl_model *model, const double *memory)
{
  ((cloth *)model->state)->memory = model->memory ? memory : NULL;
}

static double number_of(const pl_cloth_items *items, int item, int lane)
{
  return items
      ->data[(size_t)(item / PL_LANES) * (size_t)items->lanes + (size_t)lane][item % PL_LANES];
}

/* Stretches minus 1, and F_1 . F_2. */
static void strains_of(const pl_cloth_items *items, int item, const double *q, double e[3])
{
  double f[2][3] = {{0}};
  for (int i = 0; i < 6; i++)
    pl_vec3_add_scaled(number_of(items, item, i), q + 3 * (size_t)items->list[3 * item + i / 2],
                       f[i % 2]);
  e[0] = pl_vec3_norm(f[0]) - 1;
  e[1] = pl_vec3_norm(f[1]) - 1;
  e[2] = pl_vec3_dot(f[0], f[1]);
}

static double curvature_of(const pl_cloth_items *items, int item, const double *q)
{
  const double *x[4];
  for (int k = 0; k < 4; k++) x[k] = q + 3 * (size_t)items->list[4 * item + k];
  return number_of(items, item, PL_HINGE_K) *
         (pl_sheet_bend(x[0], x[1], x[2], x[3]) - number_of(items, item, PL_HINGE_REST));
}

static void advance(pl_model *model, const pl_moment *at, double *memory, pl_pool *pool)
{
  const cloth *self = model->state;
  const pl_curve *curves = self->measured->curves;
  (void)pool;
  for (int t = 0; t < self->triangles.count; t++) {
    double e[3];
    strains_of(&self->triangles, t, at->q, e);
    for (int k = 0; k < 3; k++, memory += PL_CURVE_MEMORY)
      pl_curve_advance(&curves[k], e[k], memory);
  }
  for (int i = 0; i < self->hinges.count; i++, memory += PL_CURVE_MEMORY)
    pl_curve_advance(&curves[PL_CURVE_BENDING], curvature_of(&self->hinges, i, at->q), memory);
}

static void fields(pl_model *model, const double *q, double *von_mises, double *det_f,
                   pl_pool *pool)
{
  const cloth *self = model->state;
  (void)pool;
  pl_sheet_fields(&self->sheet, self->membrane, q, von_mises, det_f);
}

const pl_model_ops pl_model_cloth = {
    .info = PL_INFO("cloth", "cloth and thin shells: triangles that stretch, edges that bend",
                    "Grinspun et al. 2003; Bergou et al. 2006; Tamstorf, Grinspun 2013", params),
    .meshes = PL_ON_TRIANGLES,
    .takes_tailoring = 1,
    .create = create,
    .destroy = destroy,
    .cliques = cliques,
    .bind = bind,
    .evaluate = evaluate,
    .memory = {.advance = advance, .begin = begin},
    .mass_add = mass_add,
    .mass_matrix = mass_matrix,
    .mass_inverse = mass_inverse,
    .energy = energy,
    .fields = fields,
};

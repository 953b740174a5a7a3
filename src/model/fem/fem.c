/* Finite elements: linear tetrahedra (one point), quadratic ones (four points) and 8-node hexahedra
 * (2x2x2 Gauss points; 3x3x3 for reference; or one point with hourglass control, hourglass.h).
 *
 * The energy is the sum over elements and points of w W(F) with weight w in m^3; the force on a
 * node is minus its derivative. Shape functions are taken in rest coordinates (total Lagrangian):
 * Hauth 2004, 3.1 and C.1; hexahedra: Zienkiewicz, Taylor, Zhu, The Finite Element Method, 6th
 * ed., 4.6. */
#include "model/fem/fem.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "mesh/element.h"

#include <math.h>
#include <string.h>

enum { STRAIN, MASS, ROTATION, VOLUME, MIX, QUADRATURE, HOURGLASS, PARAM_COUNT };
enum { FULL, ONE_POINT, REFERENCE };

static const pl_param params[PARAM_COUNT] = {
    [STRAIN] = PL_STRAIN_PARAM(PL_STRAIN_COUNT, PL_STRAIN_WORDS "|warped"),
    [MASS] =
        {"mass", "1",
         "mass at the nodes, or spread as the shape functions are, or half of each, whose "
         "errors in frequencies nearly cancel; shifted: at the nodes, of hexahedra less at the "
         "surface and more below it, for frequencies of explicit methods, which take it at the "
         "nodes",
         PL_FEM_LUMPED, 0, 3, "lumped|consistent|mixed|shifted", 1},
    [ROTATION] = {"rotations", "1",
                  "for strain=\"warped\": a node's rotation from its edges' singular values, the "
                  "frame of three edges (flutters), or the mean deformation gradient; both: "
                  "the singular values' at both ends of an edge, which depends on the origin; "
                  "global: one for the whole body, right for nearly rigid ones only",
                  PL_WARP_SVD, 0, 4, PL_WARP_WORDS, 1},
    [VOLUME] = {"volume", "1",
                "which points share their change of volume, so that nearly incompressible bodies "
                "do not lock: none, those of an element (hexahedra, tet10), of the eight of an "
                "octet, or around each node (tetrahedra); auto: of an element above a Poisson's "
                "ratio of 0.45 where it has several",
                PL_VOLUME_AUTO, 0, 4, PL_VOLUME_WORDS, 1},
    [MIX] = {"mix", "1",
             "part of the stiffness of volume that each point keeps for itself, in shear moduli", 0,
             0, 1e9, NULL, 1},
    [QUADRATURE] = {"quadrature", "1",
                    "points of hexahedra: 2x2x2, one with hourglass control (several times faster, "
                    "and free of locking), or 3x3x3 for reference",
                    FULL, 0, 2, "full|one-point|reference", 1},
    [HOURGLASS] = {"hourglass", "1",
                   "for quadrature=\"one-point\": factor of the stiffness that resists hourglass "
                   "modes; 1 is right in bending and torsion",
                   1, 0, 100, NULL, 1},
};

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

/* Weight and gradients of an element's p-th point. */
static double point_of(pl_fem *fem, int place, const int *order, int p,
                       double b[PL_ELEMENT_NODES][3])
{
  int item = pl_groups_item(&fem->groups, place), element = item < 0 ? -1 - item : item;
  int count = fem->nodes_per_element;
  if (fem->kind == PL_FEM_HEX1)
    return pl_hourglass_fill(&fem->hourglass, fem->mesh, element, order, place, item < 0, b);
  pl_quadrature at = fem->kind == PL_FEM_HEX27 ? pl_quadrature_at27(p) : pl_quadrature_at(count, p);
  const int *nodes = fem->element_nodes + (size_t)element * (size_t)count;
  double weight = pl_quadrature_gradients(&at, fem->mesh->nodes, nodes, count, b);
  // a folded element is refused by its weight as it is
  if (fem->kind != PL_FEM_TET10 || !(weight > 0)) return weight;
  return pl_quadrature_curved(fem->mesh->nodes, nodes, weight, b);
}

/* Rest data of one element in its lane; the copies that fill a group's last batch weigh nothing. */
static pl_status fill_lane(pl_fem *fem, int place, pl_error *error)
{
  int count = fem->nodes_per_element, lane = place % PL_LANES, batch = place / PL_LANES;
  int item = pl_groups_item(&fem->groups, place), element = item < 0 ? -1 - item : item;
  int order[PL_ELEMENT_NODES];
  const int *nodes = fem->element_nodes + (size_t)element * (size_t)count;
  int *lane_nodes = fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
  sort_nodes(nodes, count, order);
  for (int a = 0; a < count; a++) lane_nodes[PL_LANES * a + lane] = 3 * nodes[order[a]];

  pl_lanes *rest = fem->rest + (size_t)batch * pl_fem_rest_size(count, fem->points);
  for (int p = 0; p < fem->points; p++) {
    double b[PL_ELEMENT_NODES][3], weight = point_of(fem, place, order, p, b);
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
  const pl_fem *fem;
  const pl_model_def *sites;
  const pl_material *all;
} source;

static pl_material material_of(const void *context, int element)
{
  const source *from = context;
  int first = pl_fem_mesh_element(from->fem, element), rigid = from->sites->rigid != NULL;
  pl_material material = *pl_model_def_material(from->sites, from->all, first);
  for (int i = 0; rigid && i < (from->fem->tets ? PL_OCTET_TETS : 1); i++)
    rigid = from->sites
                ->rigid[from->fem->tets ? from->fem->tets[PL_OCTET_TETS * element + i] : element];
  if (rigid) material.lambda = material.mu = 0;
  return material;
}

/* The groups of elements; those of warped nodes have the stress of corotated strain. */
static pl_status make_groups(pl_model *self, const pl_material *material, int strain, pl_fem *fem,
                             pl_error *error)
{
  int warped = strain == PL_STRAIN_COUNT;
  const source from = {fem, &self->sites, material};
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
  fem->bound.shapes = pl_alloc(&self->allocator, (size_t)fem->elements, sizeof(double));
  fem->bound.sums = pl_alloc(&self->allocator, 2 * chunks, sizeof(double));
  int ok = fem->nodes && fem->rest && fem->chunk_sums && fem->starts && fem->bound.shapes &&
           fem->bound.sums;
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
  if (fem->volume.kind == PL_VOLUME_PATCH)
    return (pl_cliques){fem->mesh->octet_count, PL_OCTET_NODES, fem->mesh->octets, 0};
  if (fem->volume.kind == PL_VOLUME_NODE)
    return (pl_cliques){fem->volume.pair_count, 2, fem->volume.pairs, 0};
  return (pl_cliques){
      .count = fem->elements, .size = fem->nodes_per_element, .nodes = fem->element_nodes};
}

/* The mesh's elements; octets of a quadratic mesh, which need a list of their tetrahedra. */
static pl_status choose_elements(pl_model *self, const pl_mesh *mesh, pl_fem *fem, int quadrature,
                                 pl_error *error)
{
  static const int kinds[] = {PL_FEM_HEX, PL_FEM_HEX1, PL_FEM_HEX27};
  fem->kind = mesh->quadratic                ? PL_FEM_TET10
              : mesh->nodes_per_element == 4 ? PL_FEM_TET
                                             : kinds[quadrature];
  fem->mesh = mesh;
  fem->nodes_per_element = mesh->quadratic ? PL_OCTET_NODES : mesh->nodes_per_element;
  fem->points = fem->kind == PL_FEM_HEX1    ? 1
                : fem->kind == PL_FEM_HEX27 ? 27
                                            : pl_quadrature_points(fem->nodes_per_element);
  fem->elements = mesh->quadratic ? mesh->octet_count : mesh->element_count;
  fem->element_nodes = mesh->quadratic ? mesh->octets : mesh->elements;
  fem->kernel = PL_PICK_VARIANT(pl_fem_kernels) + fem->kind;
  if (!mesh->quadratic) return PL_OK;
  int *filled = pl_alloc(&self->allocator, (size_t)fem->elements, sizeof *filled);
  fem->tets = pl_alloc(&self->allocator, PL_OCTET_TETS * (size_t)fem->elements, sizeof *fem->tets);
  for (int e = 0; filled && fem->tets && e < mesh->element_count; e++) {
    int octet = mesh->element_octets[e];
    fem->tets[PL_OCTET_TETS * octet + filled[octet]++] = e;
  }
  pl_free(&self->allocator, filled);
  return filled && fem->tets ? PL_OK : pl_fail_memory(error);
}

/* Linear strain is linear in hourglass modes as well, where the law uses it. */
static pl_status make_hourglass(pl_model *self, const pl_material *material, const double *values,
                                pl_fem *fem, pl_error *error)
{
  if (fem->kind != PL_FEM_HEX1) return PL_OK;
  if (!(values[HOURGLASS] > 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "quadrature=\"one-point\" needs hourglass > 0: without control a hexahedron "
                   "has 12 modes without any stiffness");
  const pl_law_ops *law = material->law;
  int asks = !law || !law->points.stress || law->uses_strain;
  fem->hourglass.linear = (int)values[STRAIN] == PL_STRAIN_linear && asks;
  return pl_hourglass_create(&self->allocator, fem->groups.batches, values[HOURGLASS],
                             &fem->hourglass, error);
}

static pl_status create(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  pl_fem *fem = pl_alloc(&self->allocator, 1, sizeof *fem);
  if (!fem) return pl_fail_memory(error);
  self->state = fem;
  pl_status status = choose_elements(self, mesh, fem, (int)values[QUADRATURE], error);

  // the elements, their chunks and their mass
  if (!status && mesh->quadratic && values[STRAIN] == PL_STRAIN_COUNT)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "strain=\"warped\" needs linear elements; take strain=\"corotated\", or "
                     "leave out element=\"tet10\"");
  if (!status) status = make_groups(self, material, (int)values[STRAIN], fem, error);
  if (!status) status = allocate(self, fem, error);
  if (!status) status = make_hourglass(self, material, values, fem, error);
  for (int place = 0; !status && place < fem->groups.batches * PL_LANES; place++)
    status = fill_lane(fem, place, error);
  if (!status) status = colour_chunks(self, fem, error);
  int volume = values[STRAIN] == PL_STRAIN_COUNT ? PL_VOLUME_POINT : (int)values[VOLUME];
  if (!status) status = pl_volume_create(self, fem, volume, values[MIX], error);
  if (status) return status;
  status = pl_fem_mass_create(self, material, (int)values[MASS], error);
  if (!status && values[STRAIN] == PL_STRAIN_COUNT)
    status = pl_fem_warp(self, mesh->nodes, (int)values[ROTATION], error);
  return status;
}

void pl_fem_destroy(pl_model *self)
{
  pl_fem *fem = self->state;
  if (!fem) return;
  pl_warp_destroy(&self->allocator, &fem->warp);
  pl_hourglass_release(&self->allocator, &fem->hourglass);
  pl_volume_destroy(&self->allocator, &fem->volume);
  pl_free(&self->allocator, fem->tets);
  pl_mass_destroy(&self->allocator, &fem->mass);
  pl_colours_destroy(&self->allocator, &fem->chunks);
  pl_free(&self->allocator, fem->chunk_sums);
  pl_free(&self->allocator, fem->bound.shapes);
  pl_free(&self->allocator, fem->bound.sums);
  pl_free(&self->allocator, fem->selected);
  pl_upper_destroy(&fem->upper, &self->allocator);
  pl_free(&self->allocator, fem->places);
  pl_free(&self->allocator, fem->rest);
  pl_free(&self->allocator, fem->starts);
  pl_groups_destroy(&self->allocator, &fem->groups);
  pl_free(&self->allocator, fem->nodes);
  pl_free(&self->allocator, fem);
}

/* ---- the matrix ---- */

/* The place of the block above the diagonal of each pair of an element's nodes. */
static pl_status find_places(pl_fem *fem, const pl_bsr *A, pl_error *error)
{
  int count = fem->nodes_per_element, *place = fem->places;
  for (int batch = 0; batch < fem->groups.batches; batch++) {
    const int *nodes = fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
    for (int ab = 0; ab < count * count; ab++) {
      const int *a = nodes + PL_LANES * (ab / count), *b = nodes + PL_LANES * (ab % count);
      for (int lane = 0; lane < PL_LANES && a < b; lane++) {
        int found;
        pl_status status = pl_bsr_place(A, fem->offset, a[lane] / 3, b[lane] / 3, &found, error);
        if (status) return status;
        *place++ = found;
      }
    }
  }
  return PL_OK;
}

pl_status pl_fem_bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  pl_fem *fem = self->state;
  int count = fem->nodes_per_element;
  size_t places = (size_t)fem->groups.batches * (size_t)(count * (count - 1) / 2 * PL_LANES);
  if (!fem->places) fem->places = pl_alloc(&self->allocator, places, sizeof *fem->places);
  if (!fem->places) return pl_fail_memory(error);
  fem->offset = offset;
  pl_status status = find_places(fem, A, error);
  if (!status)
    status = pl_upper_bind(&fem->upper, &self->allocator, A, offset, self->blocks, error);
  if (status) return status;
  status = pl_volume_bind(self, fem, A, error);
  if (status) return status;
  return pl_mass_bind(&self->allocator, &fem->mass, A, offset, error);
}

#define INFO                                                                                       \
  {                                                                                                \
    .name = "fem", .summary = "finite elements: linear or quadratic tetrahedra, 8-node hexahedra", \
    .source = "Hauth 2004, 3.1 and C; Zienkiewicz, Taylor, Zhu 2005, 4.6", .params = params,       \
    .param_count = PARAM_COUNT                                                                     \
  }

const pl_model_ops pl_model_fem = {
    .info = INFO,
    .meshes = PL_ON_SOLIDS,
    .create = create,
    .destroy = pl_fem_destroy,
    .cliques = pl_fem_cliques,
    .bind = pl_fem_bind,
    .evaluate = pl_fem_evaluate,
    .mass_add = pl_model_mass_add,
    .mass_matrix = pl_model_mass_matrix,
    .memory = {.advance = pl_fem_advance, .postpones = pl_fem_postpones},
    .energy = pl_fem_energy,
    .hourglass = pl_fem_hourglass,
    .fields = pl_fem_fields,
    .strains = pl_fem_strains,
    .tensors = pl_fem_tensors,
    .stability = {pl_fem_bounds, pl_fem_mark_fast, pl_fem_select, pl_fem_evaluate_selected},
};

/* A model changes its table when it turns out to be warped. */
const pl_model_ops pl_fem_warped = {
    .info = INFO,
    .meshes = PL_ON_SOLIDS,
    .create = create,
    .destroy = pl_fem_destroy,
    .cliques = pl_fem_cliques,
    .bind = pl_fem_warped_bind,
    .evaluate = pl_fem_warped_evaluate,
    .mass_add = pl_model_mass_add,
    .mass_matrix = pl_model_mass_matrix,
    .fields = pl_fem_fields,
    .strains = pl_fem_strains,
    .tensors = pl_fem_tensors,
};

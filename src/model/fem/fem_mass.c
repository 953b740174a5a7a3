/* The mass of finite elements: lumped at the nodes, spread as the shape functions are, or the mean
 * of both. Frequencies of linear elements are too low with the first and too high with the second
 * by the same in leading order of the wave number (Goudreau & Taylor 1973).
 *
 * Lumped masses of hexahedra integrate by the trapezoidal rule, whose error is one of the ends,
 * h^2/12 [f'], so that sections have too much moment of inertia, 1 + 2/n^2 times as much with n
 * cells across. Gregory's rule corrects it with the difference to the next node: the weight 1/2 of
 * the last node becomes 1/2 - 1/12, and that of the one before 1 + 1/12. Stiffness is too high at
 * the same time, hence half of it: per element and outer face, each node there gives a twelfth of
 * its share to the one opposite. The mass stays, and is positive: 1 - 3/12 at corners. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/element.h"
#include "model/fem/fem.h"

#include <math.h>
#include <string.h>

static const double shift = 1.0 / 12;

typedef struct mass_source {
  const pl_fem *fem;
  const pl_model_def *sites;
  const pl_material *material;
  double *min; /* mass of a node, per element */
  int mixed;
  unsigned char *outer; /* bits of each mesh element's faces at the surface; NULL: not shifted */
} mass_source;

/* Integrals of N_a N_b over a straight quadratic tetrahedron, times 420 / V. */
static int quadratic_mass(int a, int b)
{
  if (a == b) return a < 4 ? 6 : 32;
  if (a < 4 && b < 4) return 1;
  if (a > b) return quadratic_mass(b, a);
  const int *edge = pl_tet_edges[b - 4];
  if (a < 4) return edge[0] == a || edge[1] == a ? -4 : -6;
  const int *other = pl_tet_edges[a - 4];
  int meet =
      edge[0] == other[0] || edge[0] == other[1] || edge[1] == other[0] || edge[1] == other[1];
  return meet ? 16 : 8;
}

/* N_a N_b at a point, or what stands for it: exact for tetrahedra with straight edges. */
static double product(const pl_quadrature *at, int count, int a, int b)
{
  if (count == 4) return (1 + (a == b)) / 20.0;
  return count == PL_OCTET_NODES ? quadratic_mass(a, b) / 420.0 : at->N[a] * at->N[b];
}

/* The least mass of a node: of row sums, or of quadratic elements the mass shared out by the
 * diagonal, since row sums of their corners are negative. */
static double min_mass(const double *values, int count)
{
  double min = INFINITY, whole = 0, diagonal = 0;
  for (int ab = 0; ab < count * count; ab++) whole += values[ab];
  for (int a = 0; a < count; a++) diagonal += values[(count + 1) * a];
  for (int a = 0; a < count; a++) {
    double sum = 0;
    for (int b = 0; b < count; b++) sum += values[count * a + b];
    if (count > 8) sum = values[(count + 1) * a] * whole / diagonal;
    min = fmin(min, sum);
  }
  return min;
}

/* The mean of an element's matrix and its lumped one. */
static void mix(double *values, int count)
{
  double lumped[PL_ELEMENT_NODES] = {0}, whole = 0, diagonal = 0;
  for (int ab = 0; ab < count * count; ab++) lumped[ab / count] += values[ab];
  for (int a = 0; a < count; a++) {
    whole += lumped[a];
    diagonal += values[(count + 1) * a];
  }
  for (int a = 0; a < count && count > 8; a++)
    lumped[a] = values[(count + 1) * a] * whole / diagonal;
  for (int ab = 0; ab < count * count; ab++) values[ab] *= 0.5;
  for (int a = 0; a < count; a++) values[(count + 1) * a] += 0.5 * lumped[a];
}

/* Are both corners on so many faces of a hexahedron? Those of an edge are on two. */
static int common_faces(int a, int b)
{
  int common = 0;
  for (int k = 0; k < 6; k++) {
    int found = 0;
    for (int i = 0; i < 4; i++) found += pl_hex_faces[k][i] == a || pl_hex_faces[k][i] == b;
    common += found == 2;
  }
  return common;
}

/* The corner at the other end of the edge that leaves a face at one of its corners. */
static int corner_across(int face, int corner)
{
  for (int b = 0; b < 8; b++) {
    int on_face = 0;
    for (int i = 0; i < 4; i++) on_face |= pl_hex_faces[face][i] == b;
    if (!on_face && common_faces(corner, b) == 2) return b;
  }
  return corner;
}

static void shift_masses(int outer, double *values)
{
  double lumped[8] = {0};
  for (int ab = 0; ab < 64; ab++) lumped[ab / 8] += values[ab];
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < 4 && (outer >> k & 1); i++) {
      int a = pl_hex_faces[k][i], b = corner_across(k, a);
      values[9 * a] -= shift * lumped[a];
      values[9 * b] += shift * lumped[a];
    }
  }
}

static int has_node(const int *nodes, int count, int node)
{
  for (int i = 0; i < count; i++) {
    if (nodes[i] == node) return 1;
  }
  return 0;
}

static void mark_outer(const pl_mesh *mesh, unsigned char *outer)
{
  for (int f = 0; f < mesh->face_count; f++) {
    int e = mesh->face_elements[f];
    const int *face = mesh->faces + 4 * (size_t)f, *nodes = mesh->elements + 8 * (size_t)e;
    for (int k = 0; k < 6; k++) {
      int there = 0;
      for (int i = 0; i < 4; i++) there += has_node(face, 4, nodes[pl_hex_faces[k][i]]);
      if (there == 4) outer[e] |= (unsigned char)(1 << k);
    }
  }
}

/* Tetrahedra: density V / 20 (1 + delta_ab). Hexahedra: the quadrature of density N_a N_b. */
static void element_mass(const void *context, int element, double *values)
{
  const mass_source *source = context;
  const pl_fem *fem = source->fem;
  int count = fem->nodes_per_element;
  const int *nodes = fem->element_nodes + (size_t)element * (size_t)count;
  int tet = pl_fem_mesh_element(fem, element);
  double J[3][3], density = pl_model_def_material(source->sites, source->material, tet)->density;
  memset(values, 0, (size_t)(count * count) * sizeof *values);
  for (int p = 0; p < pl_quadrature_points(count); p++) {
    pl_quadrature at = pl_quadrature_at(count, p);
    double m = density * at.weight * pl_quadrature_jacobian(&at, fem->mesh->nodes, nodes, count, J);
    for (int a = 0; a < count; a++) {
      for (int b = 0; b < count; b++) values[count * a + b] += m * product(&at, count, a, b);
    }
  }
  if (source->outer) shift_masses(source->outer[tet], values);
  source->min[element] = min_mass(values, count);
  if (source->mixed) mix(values, count);
}

pl_status pl_fem_mass_create(pl_model *self, const pl_material *material, int kind, pl_error *error)
{
  pl_fem *fem = self->state;
  mass_source masses = {.fem = fem,
                        .sites = &self->sites,
                        .material = material,
                        .min = fem->bound.shapes,
                        .mixed = kind == PL_FEM_MIXED};
  int consistent = kind == PL_FEM_CONSISTENT || kind == PL_FEM_MIXED;
  if (kind == PL_FEM_SHIFTED && fem->nodes_per_element == 8) {
    masses.outer = pl_alloc(&self->allocator, (size_t)fem->mesh->element_count, 1);
    if (!masses.outer) return pl_fail_memory(error);
    mark_outer(fem->mesh, masses.outer);
  }
  pl_cliques elements = {fem->elements, fem->nodes_per_element, fem->element_nodes, 0};
  pl_status status = pl_mass_create(&self->allocator, self->blocks, &elements, element_mass,
                                    &masses, consistent, &fem->mass, error);
  pl_free(&self->allocator, masses.outer);
  self->mass = &fem->mass;
  self->lumped_mass = fem->mass.lumped;
  self->weight = fem->mass.weight;
  self->weight_in_statics = !consistent;
  return status;
}

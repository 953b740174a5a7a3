/* The mass of finite elements: lumped at the nodes, spread as the shape functions are, or the mean
 * of both. Frequencies of linear elements are too low with the first and too high with the second
 * by the same in leading order of the wave number (Goudreau & Taylor 1973). */
#include "mesh/element.h"
#include "model/fem/fem.h"

#include <math.h>
#include <string.h>

enum { MIXED = 2 }; /* in place of 1 for consistent */

typedef struct mass_source {
  const pl_fem *fem;
  const pl_model_def *sites;
  const pl_material *material;
  double *min; /* mass of a node, per element */
  int mixed;
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
  source->min[element] = min_mass(values, count);
  if (source->mixed) mix(values, count);
}

pl_status pl_fem_mass_create(pl_model *self, const pl_material *material, int consistent,
                             pl_error *error)
{
  pl_fem *fem = self->state;
  mass_source masses = {.fem = fem,
                        .sites = &self->sites,
                        .material = material,
                        .min = fem->bound.shapes,
                        .mixed = consistent == MIXED};
  pl_cliques elements = {fem->elements, fem->nodes_per_element, fem->element_nodes, 0};
  pl_status status = pl_mass_create(&self->allocator, self->blocks, &elements, element_mass,
                                    &masses, consistent, &fem->mass, error);
  self->mass = &fem->mass;
  self->lumped_mass = fem->mass.lumped;
  self->weight = fem->mass.weight;
  self->weight_in_statics = !consistent;
  return status;
}

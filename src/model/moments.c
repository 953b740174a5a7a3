/* Moments of mass.
 *
 * A simplex of n corners x_i and mass m has, as an integral over it,
 *
 *   m,  m / n sum x_i,  m / (n (n + 1)) (sum x_i x_i^T + (sum x_i)(sum x_i)^T)
 *
 * (n = 4: tetrahedron, 3: triangle; Tonon 2004, "Explicit exact formulas for the 3-D tetrahedron
 * inertia tensor"). Hexahedra are summed over 3x3x3 Gauss points, which is exact. What a closed
 * surface holds is a sum of tetrahedra from one point to all triangles, with the sign of their
 * volumes: the divergence theorem (Mirtich 1996, "Fast and accurate computation of polyhedral mass
 * properties"). */
#include "model/moments.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "model/quadrature.h"

#include <math.h>
#include <stdlib.h>

static void add_simplex(pl_moments *to, double m, double x[4][3], int n)
{
  double sum[3] = {0};
  for (int i = 0; i < n; i++) pl_vec3_add(sum, x[i], sum);
  to->mass += m;
  pl_vec3_add_scaled(m / n, sum, to->first);
  for (int k = 0; k < 9; k++) {
    double squares = sum[k / 3] * sum[k % 3];
    for (int i = 0; i < n; i++) squares += x[i][k / 3] * x[i][k % 3];
    to->second[k] += m / (n * (n + 1)) * squares;
  }
}

static void corners_of(const pl_mesh *mesh, const double origin[3], const int *nodes, int n,
                       double x[4][3])
{
  for (int i = 0; i < n; i++) pl_vec3_sub(mesh->nodes + 3 * (size_t)nodes[i], origin, x[i]);
}

static double triple(double x[4][3], int a, int b, int c)
{
  double normal[3];
  pl_vec3_cross(x[a], x[b], normal);
  return pl_vec3_dot(normal, x[c]);
}

static void share(double *masses, const int *nodes, int n, double m)
{
  for (int i = 0; masses && i < n; i++) masses[nodes[i]] += m / n;
}

static void add_tetrahedron(const pl_mesh *mesh, const int *nodes, double density, pl_moments *to,
                            double *masses)
{
  double x[4][3];
  corners_of(mesh, to->origin, nodes, 4, x);
  double m = density * pl_element_volume(mesh->nodes, nodes, 4);
  add_simplex(to, m, x, 4);
  share(masses, nodes, 4, m);
}

static void add_hexahedron(const pl_mesh *mesh, const int *nodes, double density, pl_moments *to,
                           double *masses)
{
  for (int p = 0; p < PL_ELEMENT_POINTS; p++) {
    pl_quadrature at = pl_quadrature_at27(p);
    double J[3][3], x[3] = {0}, way[3];
    double m = density * at.weight * pl_quadrature_jacobian(&at, mesh->nodes, nodes, 8, J);
    for (int a = 0; a < 8; a++) {
      pl_vec3_sub(mesh->nodes + 3 * (size_t)nodes[a], to->origin, way);
      pl_vec3_add_scaled(at.N[a], way, x);
      if (masses) masses[nodes[a]] += m * at.N[a];
    }
    to->mass += m;
    pl_vec3_add_scaled(m, x, to->first);
    for (int k = 0; k < 9; k++) to->second[k] += m * x[k / 3] * x[k % 3];
  }
}

/* A piece of a shell, or without thickness of what lies between it and the first node. */
static void add_triangle(const pl_mesh *mesh, const int *nodes, double density, double thickness,
                         pl_moments *to, double *masses)
{
  double x[4][3] = {{0}}, m;
  const int with_first[4] = {nodes[0], nodes[1], nodes[2], 0};
  corners_of(mesh, to->origin, nodes, 3, x);
  if (thickness > 0) {
    double a[3], b[3], normal[3];
    pl_vec3_sub(x[1], x[0], a);
    pl_vec3_sub(x[2], x[0], b);
    pl_vec3_cross(a, b, normal);
    m = density * thickness * 0.5 * pl_vec3_norm(normal);
  } else {
    m = density * triple(x, 0, 1, 2) / 6;
  }
  int corners = thickness > 0 ? 3 : 4;
  add_simplex(to, m, x, corners);
  share(masses, with_first, corners, m);
}

/* ---- is a surface closed? ---- */

static int compare_edges(const void *a, const void *b)
{
  const int *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Every edge is run through as often in one direction as in the other. */
static pl_status check_closed(const pl_mesh *mesh, const pl_allocator *allocator, pl_error *error)
{
  size_t count = 3 * (size_t)mesh->element_count;
  int *edges = pl_alloc(allocator, 3 * count, sizeof *edges), open = 0;
  if (!edges) return pl_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    const int *triangle = mesh->elements + i / 3 * 3;
    int a = triangle[i % 3], b = triangle[(i + 1) % 3], *to = edges + 3 * i;
    to[0] = a < b ? a : b;
    to[1] = a < b ? b : a;
    to[2] = a < b ? 1 : -1;
  }
  qsort(edges, count, 3 * sizeof *edges, compare_edges);
  for (size_t i = 0, next; i < count; i = next) {
    int sum = 0;
    for (next = i; next < count && !compare_edges(edges + 3 * i, edges + 3 * next); next++)
      sum += edges[3 * next + 2];
    open += sum != 0;
  }
  pl_free(allocator, edges);
  if (!open) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the surface of a rigid body has %d open edges, so nothing is inside; close it, "
                 "fill it with elements, or give it a thickness",
                 open);
}

pl_status pl_moments_of_mesh(const pl_mesh *mesh, const pl_model_def *def,
                             const pl_material *material, double thickness,
                             const pl_allocator *allocator, pl_moments *to, double *masses,
                             pl_error *error)
{
  int n = mesh->nodes_per_element;
  pl_status status = n == 3 && !(thickness > 0) ? check_closed(mesh, allocator, error) : PL_OK;
  if (status) return status;
  *to = (pl_moments){.mass = 0};
  pl_vec3_copy(mesh->nodes, to->origin);
  for (int e = 0; e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + (size_t)e * (size_t)n;
    double density = pl_model_def_material(def, material, e)->density;
    if (n == 3)
      add_triangle(mesh, nodes, density, thickness, to, masses);
    else if (n == 4)
      add_tetrahedron(mesh, nodes, density, to, masses);
    else
      add_hexahedron(mesh, nodes, density, to, masses);
  }
  if (to->mass > 0 && isfinite(to->mass)) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "a rigid body has a mass of %g kg; turn its triangles outwards, or give it a "
                 "volume",
                 to->mass);
}

void pl_moments_centre(const pl_moments *from, double centre[3])
{
  pl_vec3_copy(from->origin, centre);
  pl_vec3_add_scaled(1 / from->mass, from->first, centre);
}

/* I = tr S 1 - S with S the second moments about P. */
void pl_moments_inertia(const pl_moments *from, const double P[3], double inertia[9])
{
  double p[3], S[9];
  pl_vec3_sub(P, from->origin, p);
  for (int k = 0; k < 9; k++) {
    int i = k / 3, j = k % 3;
    S[k] =
        from->second[k] - from->first[i] * p[j] - p[i] * from->first[j] + from->mass * p[i] * p[j];
  }
  for (int k = 0; k < 9; k++) inertia[k] = (k % 4 == 0 ? S[0] + S[4] + S[8] : 0) - S[k];
}

/* Shape functions of linear tetrahedra, quadratic ones of ten nodes (corners, then midpoints of
 * edges) and 8-node hexahedra: Zienkiewicz, Taylor, Zhu, The Finite Element Method, 6th ed., 4.6
 * and 4.7; the four points of the quadratic tetrahedron are exact for polynomials of degree 2. */
#include "model/quadrature.h"

#include "mesh/element.h"

#include <math.h>
#include <string.h>

/* The corners of [-1,1]^3 in the order of a hexahedron's nodes. */
static const double corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static pl_quadrature tet_shape(void)
{
  return (pl_quadrature){.weight = 1.0 / 6,
                         .N = {0.25, 0.25, 0.25, 0.25},
                         .dN = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/* With the coordinates L of the tetrahedron: L (2 L - 1) at corners, 4 L L' at midpoints; each
 * point is near one corner. */
static pl_quadrature tet10_shape(int point, double far, double weight)
{
  static const double dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double near = 1 - 3 * far;
  pl_quadrature out = {.weight = weight};
  double L[4];
  for (int a = 0; a < 4; a++) {
    L[a] = a == point ? near : far;
    out.N[a] = L[a] * (2 * L[a] - 1);
    for (int i = 0; i < 3; i++) out.dN[a][i] = (4 * L[a] - 1) * dL[a][i];
  }
  for (int e = 0; e < 6; e++) {
    int a = pl_tet_edges[e][0], b = pl_tet_edges[e][1];
    out.N[4 + e] = 4 * L[a] * L[b];
    for (int i = 0; i < 3; i++) out.dN[4 + e][i] = 4 * (L[a] * dL[b][i] + L[b] * dL[a][i]);
  }
  return out;
}

static pl_quadrature hex_shape(const double place[3], double weight)
{
  pl_quadrature out = {.weight = weight};
  for (int a = 0; a < 8; a++) {
    double u[3];
    for (int i = 0; i < 3; i++) u[i] = 1 + corners[a][i] * place[i];
    out.N[a] = u[0] * u[1] * u[2] / 8;
    for (int i = 0; i < 3; i++) out.dN[a][i] = corners[a][i] * u[(i + 1) % 3] * u[(i + 2) % 3] / 8;
  }
  return out;
}

/* The corners drawn in by 1/sqrt(3). */
static pl_quadrature hex_shape8(int point)
{
  double place[3];
  for (int i = 0; i < 3; i++) place[i] = corners[point][i] / sqrt(3.0);
  return hex_shape(place, 1);
}

/* Points at 0 and +-sqrt(3/5) with the weights 8/9 and 5/9. */
pl_quadrature pl_quadrature_at27(int point)
{
  const int at[3] = {point % 3 - 1, point / 3 % 3 - 1, point / 9 - 1};
  double place[3], weight = 1;
  for (int i = 0; i < 3; i++) {
    place[i] = at[i] * sqrt(0.6);
    weight *= at[i] ? 5.0 / 9 : 8.0 / 9;
  }
  return hex_shape(place, weight);
}

pl_quadrature pl_quadrature_at(int nodes_per_element, int point)
{
  if (nodes_per_element == 10) return tet10_shape(point, (5 - sqrt(5.0)) / 20, 1.0 / 24);
  return nodes_per_element == 4 ? tet_shape() : hex_shape8(point);
}

double pl_quadrature_jacobian(const pl_quadrature *at, const double *positions, const int *nodes,
                              int count, double J[3][3])
{
  memset(J, 0, 9 * sizeof(double));
  for (int a = 0; a < count; a++) {
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        J[i][j] += positions[3 * (size_t)nodes[a] + (size_t)i] * at->dN[a][j];
    }
  }
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) +
         J[0][1] * (J[1][2] * J[2][0] - J[1][0] * J[2][2]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

double pl_quadrature_gradients(const pl_quadrature *at, const double *positions, const int *nodes,
                               int count, double b[PL_ELEMENT_NODES][3])
{
  double J[3][3], inverse[3][3];
  double det = pl_quadrature_jacobian(at, positions, nodes, count, J);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = (J[i1][j1] * J[i2][j2] - J[i1][j2] * J[i2][j1]) / det;
    }
  }
  for (int a = 0; a < count; a++) {
    for (int i = 0; i < 3; i++) {
      b[a][i] = 0;
      for (int j = 0; j < 3; j++) b[a][i] += inverse[j][i] * at->dN[a][j];
    }
  }
  return det * at->weight;
}

/* ---- curved tetrahedra ----
 *
 * Where edges are curved, what is integrated in the patch test, det J J^-T dN, is of degree 3, one
 * more than the four points integrate. So that it passes nevertheless, weights and gradients are
 * corrected by what the points miss of the integrals over the element,
 *
 *   w' = w V / sum w,     b_a' = b_a + (integral of dN_a/dX - sum w' b_a) / V
 *
 * (variationally consistent integration: Chen, Hillman, Rueter 2013). Linear fields keep their
 * gradients: sum_a X_a (integral of dN_a/dX)^T = V I, and sum_a X_a b_a^T = I at every point. */

/* Is a middle node away from the middle of its edge? */
static int is_curved(const double *positions, const int *nodes)
{
  double off = 0, size = 0;
  for (int e = 0; e < 6; e++) {
    const double *a = positions + 3 * (size_t)nodes[pl_tet_edges[e][0]];
    const double *b = positions + 3 * (size_t)nodes[pl_tet_edges[e][1]];
    const double *middle = positions + 3 * (size_t)nodes[4 + e];
    for (int i = 0; i < 3; i++) {
      off = fmax(off, fabs(middle[i] - 0.5 * (a[i] + b[i])));
      size = fmax(size, fabs(b[i] - a[i]));
    }
  }
  return off > 1e-12 * size;
}

/* sums += w b of a point, returns w. */
static double add_point(const pl_quadrature *at, const double *positions, const int *nodes,
                        double sums[PL_ELEMENT_NODES][3])
{
  double b[PL_ELEMENT_NODES][3], w = pl_quadrature_gradients(at, positions, nodes, 10, b);
  for (int a = 0; a < 10; a++) {
    for (int i = 0; i < 3; i++) sums[a][i] += w * b[a][i];
  }
  return w;
}

double pl_quadrature_curved(const double *positions, const int *nodes, double weight,
                            double b[PL_ELEMENT_NODES][3])
{
  double exact[PL_ELEMENT_NODES][3] = {{0}}, sums[PL_ELEMENT_NODES][3] = {{0}};
  if (!is_curved(positions, nodes)) return weight;
  // five points, exact for degree 3: Keast 1986, also where the weight at the middle is negative
  pl_quadrature at = tet10_shape(-1, 0.25, -2.0 / 15);
  double volume = add_point(&at, positions, nodes, exact), whole = 0;
  for (int p = 0; p < 4; p++) {
    at = tet10_shape(p, 1.0 / 6, 3.0 / 40);
    volume += add_point(&at, positions, nodes, exact);
    at = pl_quadrature_at(10, p);
    whole += add_point(&at, positions, nodes, sums);
  }
  for (int a = 0; a < 10; a++) {
    for (int i = 0; i < 3; i++) b[a][i] += exact[a][i] / volume - sums[a][i] / whole;
  }
  return weight * (volume / whole);
}

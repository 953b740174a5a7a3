/* Shape functions of linear tetrahedra and 8-node hexahedra; the latter: Zienkiewicz, Taylor, Zhu,
 * The Finite Element Method, 6th ed., 4.6. */
#include "model/shape.h"

#include <math.h>
#include <string.h>

/* The corners of [-1,1]^3 in the order of a hexahedron's nodes. */
static const double corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static pl_shape tet_shape(void)
{
  return (pl_shape){.weight = 1.0 / 6,
                    .N = {0.25, 0.25, 0.25, 0.25},
                    .dN = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/* At one of the 2x2x2 Gauss points: the corners drawn in by 1/sqrt(3). */
static pl_shape hex_shape(int point)
{
  pl_shape out = {.weight = 1};
  for (int a = 0; a < 8; a++) {
    double u[3];
    for (int i = 0; i < 3; i++) u[i] = 1 + corners[a][i] * corners[point][i] / sqrt(3.0);
    out.N[a] = u[0] * u[1] * u[2] / 8;
    for (int i = 0; i < 3; i++) out.dN[a][i] = corners[a][i] * u[(i + 1) % 3] * u[(i + 2) % 3] / 8;
  }
  return out;
}

pl_shape pl_shape_at(int nodes_per_element, int point)
{
  return nodes_per_element == 4 ? tet_shape() : hex_shape(point);
}

double pl_shape_jacobian(const pl_shape *at, const double *positions, const int *nodes, int count,
                         double J[3][3])
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

double pl_shape_gradients(const pl_shape *at, const double *positions, const int *nodes, int count,
                          double b[PL_ELEMENT_NODES][3])
{
  double J[3][3], inverse[3][3];
  double det = pl_shape_jacobian(at, positions, nodes, count, J);
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

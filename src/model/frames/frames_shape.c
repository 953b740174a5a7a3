/* The motion of one frame: the shape functions of a tetrahedron around its part of the body. */
#include "model/frames/frames.h"

#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* Corners of a regular tetrahedron, at distance sqrt(3). */
static const double corners[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

void pl_frame_monomials(const pl_frame *frame, int degree, const double X[3], double *values,
                        double gradients[][3])
{
  double l[4], r[3];
  pl_vec3_sub(X, frame->centre, r);
  for (int k = 0; k < 4; k++) {
    l[k] = 0.25 + pl_vec3_dot(frame->slope[k], r);
    values[k] = degree == 1 ? l[k] : l[k] * (2 * l[k] - 1);
    pl_vec3_scale(degree == 1 ? 1 : 4 * l[k] - 1, frame->slope[k], gradients[k]);
  }
  for (int e = 0; e < 6 && degree == 2; e++) {
    int i = edges[e][0], j = edges[e][1];
    values[4 + e] = 4 * l[i] * l[j];
    pl_vec3_scale(4 * l[j], frame->slope[i], gradients[4 + e]);
    pl_vec3_add_scaled(4 * l[i], frame->slope[j], gradients[4 + e]);
  }
}

/* The lower triangle L with L L^T = C; pivots stay above the square of least. */
static void factorise(const double C[9], double min, double L[9])
{
  memset(L, 0, 9 * sizeof *L);
  for (int j = 0; j < 3; j++) {
    for (int i = j; i < 3; i++) {
      double sum = C[3 * i + j];
      for (int k = 0; k < j; k++) sum -= L[3 * i + k] * L[3 * j + k];
      L[3 * i + j] = i == j ? sqrt(fmax(sum, min * min)) : sum / L[3 * j + j];
    }
  }
}

/* The tetrahedron around a part of the body, and its points at rest. With y = L^-1 (X - centre), of
 * variance 1, and unit directions n_k the shape functions are l_k = 1/4 + s n_k . y. Equal masses
 * at the corners have the part's second moments where the variance s^2 of l is 3/16; of degree 2
 * all row sums are positive where it is 1/8. */
void pl_frame_shape(const pl_frame_part *part, int degree, pl_frame *frame, double *points)
{
  const double *centre = part->centre;
  double L[9], s = sqrt(degree == 1 ? 3.0 / 16 : 1.0 / 8), reach = 0.75 / s / sqrt(3.0);
  factorise(part->variance, 0.01 * pl_cbrt(part->volume), L);
  pl_vec3_copy(centre, frame->centre);
  for (int k = 0; k < 4; k++) {
    // slope = s L^-T n_k by substitution from below
    double *slope = frame->slope[k];
    for (int i = 2; i >= 0; i--) {
      double sum = s * corners[k][i] / sqrt(3.0);
      for (int j = i + 1; j < 3; j++) sum -= L[3 * j + i] * slope[j];
      slope[i] = sum / L[4 * i];
    }
    for (int i = 0; i < 3; i++) {
      points[3 * k + i] = centre[i];
      for (int j = 0; j <= i; j++) points[3 * k + i] += reach * L[3 * i + j] * corners[k][j];
    }
  }
  for (int e = 0; e < 6 && degree == 2; e++) {
    for (int i = 0; i < 3; i++)
      points[3 * (4 + e) + i] = 0.5 * (points[3 * edges[e][0] + i] + points[3 * edges[e][1] + i]);
  }
}

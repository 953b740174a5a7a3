/* Which element holds a point, and with which weights of its nodes.
 *
 * Tetrahedra: barycentric coordinates; from outside, the nearest point of the nearest face.
 * Hexahedra: the point of the trilinear map x(s), s in [0, 1]^3, that is nearest to the given one,
 * by Gauss-Newton steps with Levenberg-Marquardt damping, kept inside the cube by holding the
 * coordinates that push against its walls. The element with the nearest box is looked at first,
 * then all others whose boxes are nearer than the best point found. Each is moved to the origin and
 * scaled to unit size, so that nothing over- or underflows. */
#include "mesh/locate.h"

#include "core/error.h"
#include "math/vec3.h"
#include "mesh/element.h"

#include <string.h>

/* How far outside an element of unit size a point may be and still count as inside. */
static const double INSIDE = 1e-12;

/* Squared distance from the point to the box around an element, and the longest side of that. */
static double box_distance(double corners[][3], int count, const double point[3], double *size)
{
  double sum = 0;
  *size = 0;
  for (int k = 0; k < 3; k++) {
    double low = corners[0][k], high = corners[0][k];
    for (int i = 1; i < count; i++) {
      low = fmin(low, corners[i][k]);
      high = fmax(high, corners[i][k]);
    }
    double gap = fmax(fmax(low - point[k], point[k] - high), 0);
    sum += gap * gap;
    *size = fmax(*size, high - low);
  }
  return sum;
}

static double squared_gap(double corners[][3], const double *weights, int count,
                          const double point[3])
{
  double gap[3] = {-point[0], -point[1], -point[2]};
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) gap[k] += weights[i] * corners[i][k];
  }
  return pl_vec3_dot(gap, gap);
}

/* ---- tetrahedra ---- */

/* The weight of b at the point of the segment ab nearest to the point. */
static double along_segment(const double a[3], const double b[3], const double point[3])
{
  double side[3], way[3];
  pl_vec3_sub(b, a, side);
  pl_vec3_sub(point, a, way);
  double part = pl_vec3_dot(way, side) / pl_vec3_dot(side, side);
  return fmin(fmax(part, 0), 1);
}

/* The weights of the point of a triangle nearest to the point: its foot on the plane if that lies
 * inside, else the nearest point of the three sides. */
static void nearest_on_triangle(double t[][3], const double point[3], double weights[3])
{
  double u[3], v[3], w[3], normal[3], across[3];
  pl_vec3_sub(t[1], t[0], u);
  pl_vec3_sub(t[2], t[0], v);
  pl_vec3_sub(point, t[0], w);
  pl_vec3_cross(u, v, normal);
  double area = pl_vec3_dot(normal, normal);
  pl_vec3_cross(w, v, across);
  weights[1] = pl_vec3_dot(across, normal) / area;
  pl_vec3_cross(u, w, across);
  weights[2] = pl_vec3_dot(across, normal) / area;
  weights[0] = 1 - weights[1] - weights[2];
  if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0) return;

  double best = INFINITY;
  for (int i = 0; i < 3; i++) {
    double side[3] = {0};
    side[(i + 1) % 3] = along_segment(t[i], t[(i + 1) % 3], point);
    side[i] = 1 - side[(i + 1) % 3];
    double gap = squared_gap(t, side, 3, point);
    if (!(gap < best)) continue;
    best = gap;
    memcpy(weights, side, sizeof side);
  }
}

/* Fills the weights of the nearest point of a tetrahedron and returns the squared distance. */
static double nearest_in_tet(double corners[][3], const double point[3], double *weights)
{
  double e[3][3], way[3];
  for (int i = 0; i < 3; i++) pl_vec3_sub(corners[i + 1], corners[0], e[i]);
  pl_vec3_sub(point, corners[0], way);
  double volume = pl_triple(e[0], e[1], e[2]), inner[4];
  inner[1] = pl_triple(way, e[1], e[2]) / volume;
  inner[2] = pl_triple(way, e[2], e[0]) / volume;
  inner[3] = pl_triple(way, e[0], e[1]) / volume;
  inner[0] = 1 - inner[1] - inner[2] - inner[3];

  // from outside, the nearest point lies on a face that can be seen from the point
  double best = INFINITY;
  int outside = 0;
  for (int f = 0; f < 4; f++) {
    if (inner[f] >= -INSIDE) continue;
    outside = 1;
    double face[3][3], part[3];
    for (int i = 0; i < 3; i++) memcpy(face[i], corners[pl_tet_faces[f][i]], sizeof face[i]);
    nearest_on_triangle(face, point, part);
    double gap = squared_gap(face, part, 3, point);
    if (!(gap < best)) continue;
    best = gap;
    weights[f] = 0;
    for (int i = 0; i < 3; i++) weights[pl_tet_faces[f][i]] = part[i];
  }
  if (outside) return best;
  memcpy(weights, inner, sizeof inner);
  return 0;
}

/* ---- hexahedra ---- */

/* Trilinear weights and their derivatives. Node i lies at s = where[i]. */
static void hex_weights(const double s[3], double weights[8], double slopes[8][3])
{
  static const int where[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (int i = 0; i < 8; i++) {
    double part[3];
    for (int k = 0; k < 3; k++) part[k] = where[i][k] ? s[k] : 1 - s[k];
    weights[i] = part[0] * part[1] * part[2];
    for (int k = 0; k < 3; k++)
      slopes[i][k] = (where[i][k] ? 1 : -1) * part[(k + 1) % 3] * part[(k + 2) % 3];
  }
}

/* At s: the gap x(s) - point, J^T J and J^T gap; returns the squared gap. */
static double hex_normal_equations(double corners[][3], const double point[3], const double s[3],
                                   double A[3][3], double g[3])
{
  double weights[8], slopes[8][3], J[3][3] = {{0}};
  double gap[3] = {-point[0], -point[1], -point[2]};
  hex_weights(s, weights, slopes);
  for (int i = 0; i < 8; i++) {
    for (int k = 0; k < 3; k++) {
      gap[k] += weights[i] * corners[i][k];
      for (int j = 0; j < 3; j++) J[j][k] += slopes[i][j] * corners[i][k];
    }
  }
  for (int i = 0; i < 3; i++) {
    g[i] = pl_vec3_dot(J[i], gap);
    for (int j = 0; j < 3; j++) A[i][j] = pl_vec3_dot(J[i], J[j]);
  }
  return pl_vec3_dot(gap, gap);
}

/* One damped step from s, coordinates that push against a wall held; the result stays in the cube.
 */
static void hex_step(double A[3][3], const double g[3], double damping, const double s[3],
                     double next[3])
{
  double M[3][3], right[3], scale = A[0][0] + A[1][1] + A[2][2];
  for (int i = 0; i < 3; i++) {
    int held = (s[i] <= 0 && g[i] > 0) || (s[i] >= 1 && g[i] < 0);
    right[i] = held ? 0 : -g[i];
    for (int j = 0; j < 3; j++) M[i][j] = held ? 0 : A[i][j];
    M[i][i] = held ? scale : A[i][i] + damping * scale;
  }

  // by Cramer's rule; the rows of held coordinates give zero
  double columns[3][3], a[3], b[3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) columns[i][j] = M[j][i];
  }
  double determinant = pl_triple(columns[0], columns[1], columns[2]);
  for (int i = 0; i < 3; i++) {
    memcpy(a, columns[(i + 1) % 3], sizeof a);
    memcpy(b, columns[(i + 2) % 3], sizeof b);
    double step = determinant != 0 ? pl_triple(right, a, b) / determinant : 0;
    next[i] = fmin(fmax(s[i] + step, 0), 1);
  }
}

/* Improves s until it moves no more; returns the squared distance. */
static double hex_minimise(double corners[][3], const double point[3], double s[3])
{
  double A[3][3], g[3], damping = 0;
  double gap = hex_normal_equations(corners, point, s, A, g);
  for (int round = 0; round < 60; round++) {
    double next[3], next_A[3][3], next_g[3], moved = 0;
    hex_step(A, g, damping, s, next);
    for (int k = 0; k < 3; k++) moved = fmax(moved, fabs(next[k] - s[k]));
    if (moved == 0) break;
    double next_gap = hex_normal_equations(corners, point, next, next_A, next_g);
    if (next_gap < gap) {
      gap = next_gap;
      memcpy(s, next, sizeof next);
      memcpy(A, next_A, sizeof next_A);
      memcpy(g, next_g, sizeof next_g);
      damping = damping > 1e-6 ? 0.1 * damping : 0;
    } else {
      if (moved < 1e-15) break;
      damping = fmax(10 * damping, 1e-4);
    }
  }
  return gap;
}

/* Fills the weights of the nearest point of a hexahedron and returns the squared distance. */
static double nearest_in_hex(double corners[][3], const double point[3], double *weights)
{
  double best = INFINITY, slopes[8][3];

  // from the middle, and, where that ends outside, from near each corner
  for (int start = -1; start < 8 && best > 0; start++) {
    double s[3] = {0.5, 0.5, 0.5};
    for (int k = 0; start >= 0 && k < 3; k++) s[k] = start >> k & 1 ? 0.9 : 0.1;
    double gap = hex_minimise(corners, point, s);
    if (!(gap < best)) continue;
    best = gap;
    hex_weights(s, weights, slopes);
    if (best <= INSIDE * INSIDE) best = 0;
  }
  return best;
}

/* Fills the weights of the nearest point of an element and returns the squared distance. */
static double nearest_in(double corners[][3], int n, const double point[3], double *weights)
{
  if (n == 4) return nearest_in_tet(corners, point, weights);
  if (n == 8) return nearest_in_hex(corners, point, weights);
  if (n == 2) {
    weights[1] = along_segment(corners[0], corners[1], point);
    weights[0] = 1 - weights[1];
  } else {
    nearest_on_triangle(corners, point, weights);
  }
  double gap = squared_gap(corners, weights, n, point);
  return gap <= INSIDE * INSIDE ? 0 : gap;
}

/* The search so far. */
typedef struct search {
  const pl_mesh *mesh;
  const double *point;
  double best; /* squared distance */
  pl_anchor *anchor;
} search;

/* Squared distance to the box around an element, and its size and corners. */
static double look_at(const search *find, int element, double corners[][3], double *size)
{
  int n = find->mesh->nodes_per_element;
  pl_element_corners(find->mesh->nodes, find->mesh->elements + (size_t)n * (size_t)element, n,
                     corners);
  return box_distance(corners, n, find->point, size);
}

/* Takes the element if it is nearer than all before. */
static void try_element(search *find, int element)
{
  int n = find->mesh->nodes_per_element;
  double corners[8][3], weights[8], size;
  if (look_at(find, element, corners, &size) >= find->best) return;
  double origin[3], local[3];
  memcpy(origin, corners[0], sizeof origin);
  for (int k = 0; k < 3; k++) {
    local[k] = (find->point[k] - origin[k]) / size;
    for (int i = 0; i < n; i++) corners[i][k] = (corners[i][k] - origin[k]) / size;
  }
  double gap = nearest_in(corners, n, local, weights);
  if (!(gap * size * size < find->best)) return;
  find->best = gap * size * size;
  find->anchor->element = element;
  memcpy(find->anchor->nodes, find->mesh->elements + (size_t)n * (size_t)element,
         (size_t)n * sizeof(int));
  memcpy(find->anchor->weights, weights, (size_t)n * sizeof *weights);
}

void pl_anchor_try(const pl_mesh *mesh, int element, const double point[3], pl_anchor *anchor)
{
  search find = {mesh, point, anchor->distance * anchor->distance, anchor};
  try_element(&find, element);
  anchor->distance = sqrt(find.best);
}

pl_status pl_mesh_locate(const pl_mesh *mesh, const double point[3], pl_anchor *anchor,
                         pl_error *error)
{
  for (int k = 0; k < 3; k++) {
    if (!(fabs(point[k]) <= 1e100))
      return pl_fail(error, PL_E_ARGUMENT,
                     "the point's coordinate %c = %g must be finite and at most 1e100", "xyz"[k],
                     point[k]);
  }
  *anchor = (pl_anchor){.count = mesh->nodes_per_element};
  search find = {mesh, point, INFINITY, anchor};
  int nearest = 0;
  double min = INFINITY;
  for (int e = 0; e < mesh->element_count && min > 0; e++) {
    double corners[8][3], size, distance = look_at(&find, e, corners, &size);
    if (distance < min) nearest = e;
    min = fmin(min, distance);
  }
  try_element(&find, nearest);
  for (int e = 0; e < mesh->element_count && find.best > 0; e++) try_element(&find, e);
  anchor->distance = sqrt(find.best);
  return PL_OK;
}

/* The loads: dead forces and tractions, and pressure and shear that follow the surface. */
#include "world/load.h"

#include "mesh/mesh.h"

#include <math.h>

/* A dead load: the same vector per weight at every node. */
static void add_dead(const double *values, const pl_load_shape *shape, double factor,
                     const double *q, double *f)
{
  (void)q;
  for (int i = 0; i < shape->node_count; i++) {
    double *node = f + 3 * shape->nodes[i], share = factor * shape->weights[i];
    for (int k = 0; k < 3; k++) node[k] += share * values[k];
  }
}

/* Pressure on the surface as it is now (positive pushes inwards): each face gives its nodes an
 * equal share of -p times its area vector. The dependence on q is left out of the stiffness. */
static void add_pressure(const double *values, const pl_load_shape *shape, double factor,
                         const double *q, double *f)
{
  int n = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + n * face;
    double area[3];
    pl_face_area(q, nodes, n, area);
    for (int a = 0; a < n; a++) {
      for (int k = 0; k < 3; k++) f[3 * nodes[a] + k] -= factor * values[0] * area[k] / n;
    }
  }
}

/* Two edges that span a face; of a quadrilateral the means of opposite ones. */
static void face_edges(const double *x, const int *nodes, int n, double edge[2][3])
{
  const double *a = x + 3 * nodes[0], *b = x + 3 * nodes[1], *c = x + 3 * nodes[2];
  const double *d = n == 4 ? x + 3 * nodes[3] : c;
  for (int k = 0; k < 3; k++) {
    edge[0][k] = n == 4 ? 0.5 * (b[k] + c[k] - a[k] - d[k]) : b[k] - a[k];
    edge[1][k] = n == 4 ? 0.5 * (c[k] + d[k] - a[k] - b[k]) : c[k] - a[k];
  }
}

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A traction along the surface that is carried along with it: its part along the face at rest is
 * written as a sum of two edges, the same sum of the edges as they are now gives the direction, and
 * the force stays value times the area at rest. The dependence on q is left out of the stiffness.
 */
static void add_shear(const double *values, const pl_load_shape *shape, double factor,
                      const double *q, double *f)
{
  int n = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + n * face;
    double area[3], e[2][3], now[2][3], t[3], t0[3];
    pl_face_area(shape->rest, nodes, n, area);
    face_edges(shape->rest, nodes, n, e);
    face_edges(q, nodes, n, now);
    double g00 = dot(e[0], e[0]), g01 = dot(e[0], e[1]), g11 = dot(e[1], e[1]);
    double r0 = dot(values, e[0]), r1 = dot(values, e[1]), det = g00 * g11 - g01 * g01;
    double a = (g11 * r0 - g01 * r1) / det, b = (g00 * r1 - g01 * r0) / det;
    for (int k = 0; k < 3; k++) {
      t0[k] = a * e[0][k] + b * e[1][k];
      t[k] = a * now[0][k] + b * now[1][k];
    }
    double length = sqrt(dot(t, t));
    if (!(length > 0)) continue;
    double size = factor * sqrt(dot(area, area)) * sqrt(dot(t0, t0)) / (length * n);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 3; k++) f[3 * nodes[i] + k] += size * t[k];
    }
  }
}

static const pl_param force_params[] = {{.name = "value",
                                         .unit = "N",
                                         .summary = "total force, shared equally by the nodes",
                                         .preset = 0,
                                         .least = -1e15,
                                         .most = 1e15,
                                         .width = 3}};
static const pl_param traction_params[] = {{.name = "value",
                                            .unit = "Pa",
                                            .summary = "force per area of the rest surface",
                                            .preset = 0,
                                            .least = -1e15,
                                            .most = 1e15,
                                            .width = 3}};
static const pl_param shear_params[] = {{.name = "value",
                                         .unit = "Pa",
                                         .summary = "force per rest area; its part along the "
                                                    "surface counts",
                                         .preset = 0,
                                         .least = -1e15,
                                         .most = 1e15,
                                         .width = 3}};
static const pl_param pressure_params[] = {{.name = "value",
                                            .unit = "Pa",
                                            .summary = "pressure; positive pushes inwards",
                                            .preset = 0,
                                            .least = -1e15,
                                            .most = 1e15}};

static const pl_load_ops force = {
    .info = {"force", "a force of fixed direction on the nodes of a region", "Hauth 2004, 5.4.1",
             force_params, 1},
    .add = add_dead,
};
static const pl_load_ops traction = {
    .info = {"traction", "a force per rest area of fixed direction on faces (dead load)",
             "Hauth 2004, 2.4", traction_params, 1},
    .on_faces = 1,
    .add = add_dead,
};
static const pl_load_ops pressure = {
    .info = {"pressure", "pressure on faces, following the surface (live load)", "Hauth 2004, 2.4",
             pressure_params, 1},
    .on_faces = 1,
    .add = add_pressure,
};

static const pl_load_ops shear = {
    .info = {"shear", "a traction along the surface, carried along with it (live tangential load)",
             "Hauth 2004, 5.2.2", shear_params, 1},
    .on_faces = 1,
    .add = add_shear,
};

static const pl_member *const members[] = {&force.info, &traction.info, &pressure.info, &shear.info,
                                           NULL};
const pl_family pl_load_family = {"load", "what pushes a body", members};

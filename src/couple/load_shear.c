/* A traction along the surface that is carried along with it. */
#include "couple/load.h"

#include "mesh/mesh.h"

#include <math.h>

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
static void add_shear(const pl_load_at *at, double *f)
{
  const pl_load_shape *shape = at->shape;
  const double *values = at->values;
  int n = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + n * face;
    double area[3], e[2][3], now[2][3], t[3], t0[3];
    pl_face_area(shape->rest, nodes, n, area);
    face_edges(shape->rest, nodes, n, e);
    face_edges(at->x, nodes, n, now);
    double g00 = dot(e[0], e[0]), g01 = dot(e[0], e[1]), g11 = dot(e[1], e[1]);
    double r0 = dot(values, e[0]), r1 = dot(values, e[1]), det = g00 * g11 - g01 * g01;
    double a = (g11 * r0 - g01 * r1) / det, b = (g00 * r1 - g01 * r0) / det;
    for (int k = 0; k < 3; k++) {
      t0[k] = a * e[0][k] + b * e[1][k];
      t[k] = a * now[0][k] + b * now[1][k];
    }
    double length = sqrt(dot(t, t));
    if (!(length > 0)) continue;
    double size = at->factor * sqrt(dot(area, area)) * sqrt(dot(t0, t0)) / (length * n);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 3; k++) f[3 * nodes[i] + k] += size * t[k];
    }
  }
}

static const pl_param shear_params[] = {{.name = "value",
                                         .unit = "Pa",
                                         .summary = "force per rest area; its part along the "
                                                    "surface counts",
                                         .preset = 0,
                                         .min = -1e15,
                                         .max = 1e15,
                                         .width = 3}};

const pl_load_ops pl_load_shear = {
    .info = {"shear", "a traction along the surface, carried along with it (live tangential load)",
             "Hauth 2004, 5.2.2", shear_params, 1, NULL},
    .on_faces = 1,
    .add = add_shear,
};

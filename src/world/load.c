/* The loads: dead forces and tractions, and pressure that follows the surface. */
#include "world/load.h"

#include "mesh/mesh.h"

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

static const pl_member *const members[] = {&force.info, &traction.info, &pressure.info, NULL};
const pl_family pl_load_family = {"load", "what pushes a body", members};

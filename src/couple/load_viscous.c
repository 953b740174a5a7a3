/* A viscous fluid around a surface, as "Implementation of Deformable Objects" has it (3.5.2):
 *
 *   f = c (n . (u - v)) n
 *
 * at each particle, whatever its share of the surface; u is the stream's velocity, v the
 * particle's. It is the mean over the faces around the particle, each with its own normal n and
 * weighted by its area at rest. At rest the fluid damps. The force is linear in v, -df/dv = c n
 * n^T; how it changes with x is left out of the matrix. */
#include "couple/load.h"

#include "math/vec3.h"
#include "mesh/mesh.h"

#include <math.h>

enum { COEFFICIENT, VELOCITY };

/* The part of a particle that a face is. */
static double part_of(const pl_load_shape *shape, int face, int a)
{
  int n = shape->nodes_per_face, low = 0, high = shape->node_count - 1;
  const int *nodes = shape->faces + n * face;
  double area[3];
  while (low < high) {
    int middle = (low + high) / 2;
    if (shape->nodes[middle] < nodes[a])
      low = middle + 1;
    else
      high = middle;
  }
  pl_face_area(shape->rest, nodes, n, area);
  return pl_load_share(shape, face, a) * pl_vec3_norm(area) / shape->weights[low];
}

/* Unit normal of a face now; 0 where it has none. */
static int normal_of(const pl_load_at *at, const int *nodes, double n[3])
{
  pl_face_area(at->x, nodes, at->shape->nodes_per_face, n);
  double area = pl_vec3_norm(n);
  if (!(area > 0)) return 0;
  pl_vec3_scale(1 / area, n, n);
  return 1;
}

static void add(const pl_load_at *at, double *f)
{
  const pl_load_shape *shape = at->shape;
  int count = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + count * face;
    double n[3], u[3];
    if (!normal_of(at, nodes, n)) continue;
    for (int a = 0; a < count; a++) {
      pl_vec3_sub(at->values + VELOCITY, at->v + 3 * nodes[a], u);
      double scale = at->factor * at->values[COEFFICIENT] * part_of(shape, face, a);
      pl_vec3_add_scaled(scale * pl_vec3_dot(n, u), n, f + 3 * nodes[a]);
    }
  }
}

static void stiffen(const pl_load_at *at, const pl_load_blocks *to)
{
  const pl_load_shape *shape = at->shape;
  int count = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + count * face;
    double n[3], D[9];
    if (!normal_of(at, nodes, n)) continue;
    for (int a = 0; a < count; a++) {
      double scale = to->kv * at->factor * at->values[COEFFICIENT] * part_of(shape, face, a);
      for (int k = 0; k < 9; k++) D[k] = scale * n[k / 3] * n[k % 3];
      pl_load_block(to, nodes[a], nodes[a], D);
    }
  }
}

static const pl_param params[] = {
    {.name = "coefficient",
     .unit = "N s/m",
     .summary = "of each node of the surface",
     .preset = 1,
     .min = 0,
     .max = 1e15},
    {.name = "velocity",
     .unit = "m/s",
     .summary = "of the stream",
     .preset = 0,
     .min = -1e6,
     .max = 1e6,
     .width = 3},
};

const pl_load_ops pl_load_viscous = {
    .info = {"viscous", "a viscous fluid that streams against nodes of a surface",
             "Terzopoulos et al. 1987", params, 2, NULL},
    .on_faces = 1,
    .add = add,
    .stiffen = stiffen,
};

/* Tubes around segments. Where two segments meet, both tubes end on the plane halfway between them,
 * so that they leave no gap. */
#include "mesh/wire.h"

#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void pl_wire_triangles(const pl_mesh *mesh, int *triangles)
{
  for (int e = 0; e < mesh->element_count; e++) {
    for (int k = 0; k < PL_WIRE_SIDES; k++) {
      int a = PL_WIRE_VERTICES * e + k, b = PL_WIRE_VERTICES * e + (k + 1) % PL_WIRE_SIDES;
      int c = a + PL_WIRE_SIDES, d = b + PL_WIRE_SIDES;
      const int both[6] = {a, b, d, a, d, c};
      memcpy(triangles + 3 * (size_t)(PL_WIRE_TRIANGLES * e + 2 * k), both, sizeof both);
    }
  }
}

/* The unit vector from the first to the second node; along x if they are in one place. */
static void direction(const pl_mesh *mesh, const double *x, int e, double t[3])
{
  const int *ends = mesh->elements + 2 * (size_t)e;
  pl_vec3_sub(x + 3 * (size_t)ends[1], x + 3 * (size_t)ends[0], t);
  double length = pl_vec3_norm(t);
  if (length > 0)
    pl_vec3_scale(1 / length, t, t);
  else
    pl_vec3_set(t, 1, 0, 0);
}

/* Per node: the sum of the directions that lead to it, and how many there are. */
static void sum_directions(const pl_mesh *mesh, const double *x, double *sums)
{
  memset(sums, 0, 4 * (size_t)mesh->node_count * sizeof *sums);
  for (int e = 0; e < mesh->element_count; e++) {
    double t[3];
    direction(mesh, x, e, t);
    for (int end = 0; end < 2; end++) {
      double *sum = sums + 4 * (size_t)mesh->elements[2 * e + end];
      pl_vec3_add_scaled(end ? 1 : -1, t, sum);
      sum[3] += 1;
    }
  }
}

/* The normal of the plane on which a segment's tube ends: of two segments, between both. */
static void end_normal(const double *sum, const double t[3], int end, double normal[3])
{
  pl_vec3_copy(t, normal);
  if (sum[3] != 2) return;
  // the other one leads to the node along sum - t, so it leads away from it against that
  pl_vec3_scale(2, t, normal);
  pl_vec3_add_scaled(end ? -1 : 1, sum, normal);
  double length = pl_vec3_norm(normal);
  if (length > 0.5)
    pl_vec3_scale(1 / length, normal, normal);
  else
    pl_vec3_copy(t, normal);
}

/* Two directions at right angles to t and each other. */
static void across(const double t[3], double u[3], double w[3])
{
  int min = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(t[k]) < fabs(t[min])) min = k;
  }
  pl_vec3_set(u, 0, 0, 0);
  u[min] = 1;
  pl_vec3_add_scaled(-t[min], t, u);
  pl_vec3_scale(1 / pl_vec3_norm(u), u, u);
  pl_vec3_cross(t, u, w);
}

void pl_wire_place(const pl_mesh *mesh, const double *x, double radius, double *room,
                   double *vertices)
{
  sum_directions(mesh, x, room);
  for (int e = 0; e < mesh->element_count; e++) {
    double t[3], u[3], w[3], normal[3] = {0};
    direction(mesh, x, e, t);
    across(t, u, w);
    for (int v = 0; v < PL_WIRE_VERTICES; v++) {
      double angle = 2 * PL_PI * (v % PL_WIRE_SIDES) / PL_WIRE_SIDES, out[3];
      int end = v / PL_WIRE_SIDES, node = mesh->elements[2 * e + end];
      double *to = vertices + 3 * (size_t)(PL_WIRE_VERTICES * e + v);
      if (v % PL_WIRE_SIDES == 0) end_normal(room + 4 * (size_t)node, t, end, normal);
      for (int k = 0; k < 3; k++) out[k] = radius * (pl_cos(angle) * u[k] + pl_sin(angle) * w[k]);
      pl_vec3_add_scaled(-pl_vec3_dot(out, normal) / pl_vec3_dot(t, normal), t, out);
      pl_vec3_add(x + 3 * (size_t)node, out, to);
    }
  }
}

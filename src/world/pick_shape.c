/* The surface point that is nearest to a shape, or deepest in it.
 *
 * Corners and middles of all triangles are tried first, by the shape's signed distance g. From the
 * best one the search goes on between shape and surface: s = p - g n is the point of the shape that
 * is nearest to p, and the next p the surface point nearest to s, as long as that brings g down.
 * Apart from each other that ends at a locally nearest pair; inside, the deepest point tried stays.
 */
#include "core/error.h"
#include "math/vec3.h"
#include "shape/obstacle.h"
#include "world/world.h"

#include <math.h>

enum { MOST_TURNS = 24 }; /* that many find the point of a thin tip among coarse triangles */

/* The distance of the shape at `at` from x; normal: from the surface to the shape. */
static double gap_at(const pl_shape *shape, const double at[3], const double x[3], double normal[3])
{
  double from[3], gradient[3];
  pl_vec3_sub(x, at, from);
  double gap = pl_shape_gap(shape, from, gradient, NULL);
  pl_vec3_scale(-1, gradient, normal);
  return gap;
}

/* Takes a point of a triangle if it is nearer than the hit. */
static void try_point(const pl_shape *shape, const double at[3], const double x[3], pl_hit *to,
                      pl_hit *hit)
{
  double gap = gap_at(shape, at, x, to->normal);
  if (hit->spot.body.index1 && !(gap < hit->distance)) return;
  to->distance = gap;
  pl_vec3_copy(x, to->point);
  *hit = *to;
}

/* Corners and middle of one triangle of a face. */
static void try_triangle(const pl_body *body, const double *q, int face, int first,
                         const pl_shape *shape, const double at[3], pl_hit *hit)
{
  const int *corners = body->mesh->faces + (size_t)face * (size_t)body->mesh->nodes_per_face;
  const int part[3] = {0, first + 1, first + 2};
  pl_hit to = {.face = face, .spot = {.body = pl_world_id_of(body), .count = 3}};
  double middle[3] = {0};
  for (int a = 0; a < 3; a++) {
    to.spot.nodes[a] = corners[part[a]];
    pl_vec3_add_scaled(1.0 / 3, q + 3 * body->place[corners[part[a]]], middle);
  }
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) to.spot.weights[b] = a == b;
    try_point(shape, at, q + 3 * body->place[corners[part[a]]], &to, hit);
  }
  for (int b = 0; b < 3; b++) to.spot.weights[b] = 1.0 / 3;
  try_point(shape, at, middle, &to, hit);
}

/* Half of the longest edge of the box around a shape. */
static double half_size(const pl_shape *shape)
{
  double low[3], high[3], size = 0;
  pl_shape_bounds(shape, low, high);
  for (int k = 0; k < 3; k++) size = fmax(size, 0.5 * (high[k] - low[k]));
  return size;
}

/* Steps into the shape and back to the surface, from the best point so far. */
static pl_status descend(const pl_world *world, const pl_shape *shape, const double at[3],
                         pl_hit *hit, pl_error *error)
{
  double length = half_size(shape);
  for (int turn = 0; turn < MOST_TURNS && isfinite(length); turn++) {
    double inside[3];
    pl_hit next;
    pl_vec3_copy(hit->point, inside);
    pl_vec3_add_scaled(length + hit->distance, hit->normal, inside);
    pl_status status = pl_world_nearest(world, inside, &next, error);
    if (status) return status;
    next.distance = gap_at(shape, at, next.point, next.normal);
    if (next.distance < hit->distance)
      *hit = next;
    else
      length *= 0.5;
  }
  return PL_OK;
}

pl_status pl_world_nearest_to_shape(const pl_world *world, const pl_shape *shape,
                                    const double at[3], pl_hit *hit, pl_error *error)
{
  *hit = (pl_hit){.face = -1};
  if (!isfinite(pl_vec3_norm(at)))
    return pl_fail(error, PL_E_ARGUMENT, "a place needs three finite numbers");
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *q = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
    for (int i = 0; i < body->mesh->face_count; i++) {
      for (int p = 0; p < body->mesh->nodes_per_face - 2; p++)
        try_triangle(body, q, i, p, shape, at, hit);
    }
  }
  return hit->spot.body.index1 ? descend(world, shape, at, hit, error) : PL_OK;
}

/* Picking: the nearest surface that a ray meets, and the surface point nearest to a point. Every
 * face is tried; that is fast enough for a click, and for a hand up to some ten thousand faces. A
 * quadrilateral counts as two triangles. Moeller & Trumbore 1997: with edges e1, e2 and
 * the ray o + t d, the point of a triangle with weights (1-u-v, u, v) solves
 * [-d e1 e2] (t u v) = o - x0. */
#include "core/error.h"
#include "math/vec3.h"
#include "pliant/world.h"
#include "shape/distance.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

typedef struct ray {
  double origin[3], direction[3]; /* the direction has length 1 */
} ray;

/* Distance along the ray and the weights of the last two corners; 0 where it passes by. */
static int meets(const ray *along, const double *x0, const double *x1, const double *x2, double *t,
                 double *u, double *v)
{
  double e1[3], e2[3], p[3], s[3], r[3];
  pl_vec3_sub(x1, x0, e1);
  pl_vec3_sub(x2, x0, e2);
  pl_vec3_cross(along->direction, e2, p);
  double det = pl_vec3_dot(e1, p);
  if (fabs(det) <= 1e-14 * pl_vec3_norm(e1) * pl_vec3_norm(e2)) return 0;
  pl_vec3_sub(along->origin, x0, s);
  pl_vec3_cross(s, e1, r);
  *u = pl_vec3_dot(s, p) / det;
  *v = pl_vec3_dot(along->direction, r) / det;
  *t = pl_vec3_dot(e2, r) / det;
  // a little beyond the border, so that no ray slips through between two faces
  return *t > 0 && *u >= -1e-9 && *v >= -1e-9 && *u + *v <= 1 + 1e-9;
}

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static void take_hit(const pl_body *body, int face, const int *nodes, double t, double u, double v,
                     pl_hit *hit)
{
  u = clamp(u);
  v = clamp(v);
  if (u + v > 1) v = 1 - u;
  *hit = (pl_hit){.face = face, .distance = t};
  hit->spot.body = pl_world_id_of(body);
  hit->spot.count = 3;
  const double weights[3] = {1 - u - v, u, v};
  for (int a = 0; a < 3; a++) {
    hit->spot.nodes[a] = body->mesh->faces[face * body->mesh->nodes_per_face + nodes[a]];
    hit->spot.weights[a] = weights[a];
  }
}

static const int parts[2][3] = {{0, 1, 2}, {0, 2, 3}}; /* triangles of a face */

/* The nearest hit of one body. */
static void pick_body(const pl_world *world, int index, const ray *along, pl_hit *hit)
{
  const pl_body *body = &world->bodies.list[index];
  const pl_mesh *mesh = body->mesh;
  const double *q = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  for (int i = 0; i < mesh->face_count; i++) {
    const int *face = mesh->faces + (size_t)i * (size_t)mesh->nodes_per_face;
    for (int part = 0; part < mesh->nodes_per_face - 2; part++) {
      const double *x[3];
      double t, u, v;
      for (int a = 0; a < 3; a++) x[a] = q + 3 * body->place[face[parts[part][a]]];
      if (!meets(along, x[0], x[1], x[2], &t, &u, &v)) continue;
      if (hit->spot.body.index1 && t >= hit->distance) continue;
      take_hit(body, i, parts[part], t, u, v, hit);
    }
  }
}

/* The outward normal of the face that was hit. */
static void find_normal(const pl_world *world, pl_hit *hit)
{
  const pl_body *body = pl_world_body(world, hit->spot.body);
  const double *q = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  double e1[3], e2[3];
  const double *x0 = q + 3 * body->place[hit->spot.nodes[0]];
  pl_vec3_sub(q + 3 * body->place[hit->spot.nodes[1]], x0, e1);
  pl_vec3_sub(q + 3 * body->place[hit->spot.nodes[2]], x0, e2);
  pl_vec3_cross(e1, e2, hit->normal);
  pl_vec3_scale(1 / pl_vec3_norm(hit->normal), hit->normal, hit->normal);
}

pl_status pl_world_pick(const pl_world *world, const double origin[3], const double direction[3],
                        pl_hit *hit, pl_error *error)
{
  if (!origin || !direction || !hit)
    return pl_fail(error, PL_E_ARGUMENT,
                   "pl_world_pick needs an origin, a direction and a place for the hit");
  double length = pl_vec3_norm(direction), start = pl_vec3_norm(origin);
  if (!isfinite(start) || !isfinite(length) || !(length > 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "a ray needs a finite origin and a direction that is not zero");
  ray along;
  pl_vec3_copy(origin, along.origin);
  pl_vec3_scale(1 / length, direction, along.direction);
  *hit = (pl_hit){.face = -1};
  for (size_t b = 0; b < world->bodies.count; b++) pick_body(world, (int)b, &along, hit);
  if (!hit->spot.body.index1) return PL_OK;
  pl_vec3_copy(origin, hit->point);
  pl_vec3_add_scaled(hit->distance, along.direction, hit->point);
  find_normal(world, hit);
  return PL_OK;
}

/* ---- the nearest point ---- */

/* Squared distance of x[0] from the box around x[1] to x[3]: the triangle is no nearer. */
static double from_box(const double x[4][3])
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double low = fmin(x[1][k], fmin(x[2][k], x[3][k])),
           high = fmax(x[1][k], fmax(x[2][k], x[3][k]));
    double out = fmax(0, fmax(low - x[0][k], x[0][k] - high));
    sum += out * out;
  }
  return sum;
}

/* Takes the nearest point of one triangle of a face if it is nearer than *squared. */
static void approach(const pl_body *body, const double *q, int face, const int *part,
                     const double to[3], double *squared, pl_hit *hit)
{
  double x[4][3];
  pl_closest at;
  int nodes[3];
  pl_vec3_copy(to, x[0]);
  for (int a = 0; a < 3; a++) {
    nodes[a] = body->mesh->faces[face * body->mesh->nodes_per_face + part[a]];
    pl_vec3_copy(q + 3 * body->place[nodes[a]], x[1 + a]);
  }
  if (!(from_box((const double(*)[3])x) < *squared)) return;
  pl_closest_points(PL_POINT_TRIANGLE, (const double(*)[3])x, &at);
  if (!(at.squared < *squared)) return;
  *squared = at.squared;
  *hit = (pl_hit){.face = face};
  hit->spot = (pl_spot){.body = pl_world_id_of(body), .count = 3};
  for (int a = 0; a < 3; a++) {
    hit->spot.nodes[a] = nodes[a];
    hit->spot.weights[a] = fmax(-at.weights[1 + a], 0);
  }
  pl_vec3_sub(to, at.r, hit->point);
}

pl_status pl_world_nearest(const pl_world *world, const double to[3], pl_hit *hit, pl_error *error)
{
  if (!to || !hit)
    return pl_fail(error, PL_E_ARGUMENT, "pl_world_nearest needs a point and a place for the hit");
  if (!isfinite(pl_vec3_norm(to)))
    return pl_fail(error, PL_E_ARGUMENT, "a point needs three finite numbers");
  double squared = INFINITY;
  *hit = (pl_hit){.face = -1};
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *q = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
    for (int i = 0; i < body->mesh->face_count; i++) {
      for (int p = 0; p < body->mesh->nodes_per_face - 2; p++)
        approach(body, q, i, parts[p], to, &squared, hit);
    }
  }
  if (!hit->spot.body.index1) return PL_OK;
  double away[3];
  find_normal(world, hit);
  pl_vec3_sub(to, hit->point, away);
  hit->distance = pl_vec3_dot(away, hit->normal) < 0 ? -sqrt(squared) : sqrt(squared);
  return PL_OK;
}

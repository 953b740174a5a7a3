/* Inside or outside of closed surfaces.
 *
 * The nearest point of a surface lies on a face, an edge or a corner, and the sign of r . n is the
 * sign of the distance if n is the face's normal, the sum of both faces' unit normals, or the sum
 * of all faces' unit normals weighted by their angles at the corner (J. A. Baerentzen and H.
 * Aanaes, "Signed distance computation using the angle weighted pseudonormal", 2005).
 *
 * That holds for the nearest point of the whole surface, but a contact knows one triangle only: a
 * triangle on the far side of a thin plate sees every point beyond the plate as inside. So a
 * feature is inside only if its nearest contact with that surface says so; contacts from inside
 * are dropped otherwise. A feature that is inside keeps its nearest contact alone, the shortest
 * way out. */
#include "math/functions.h"
#include "math/vec3.h"
#include "shape/finder_parts.h"

int pl_finder_normal(const double *x, const int *triangle, double n[3])
{
  double a[3], b[3];
  const double *origin = x + 3 * (size_t)triangle[0];
  pl_vec3_sub(x + 3 * (size_t)triangle[1], origin, a);
  pl_vec3_sub(x + 3 * (size_t)triangle[2], origin, b);
  pl_vec3_cross(a, b, n);
  double length = pl_vec3_norm(n);
  if (!(length > 0)) return 0;
  pl_vec3_scale(1 / length, n, n);
  return 1;
}

/* The same of a triangle of the list. */
static int unit_normal(const pl_features *f, const pl_outside *at, int triangle, double n[3])
{
  if (!at->normals) return pl_finder_normal(at->x, f->triangles + 3 * (size_t)triangle, n);
  pl_vec3_copy(at->normals + 3 * (size_t)triangle, n);
  return pl_vec3_dot(n, n) > 0;
}

static double angle_at(const double *x, const int *triangle, int point)
{
  int k = triangle[0] == point ? 0 : triangle[1] == point ? 1 : 2;
  double a[3], b[3], n[3];
  const double *origin = x + 3 * (size_t)point;
  pl_vec3_sub(x + 3 * (size_t)triangle[(k + 1) % 3], origin, a);
  pl_vec3_sub(x + 3 * (size_t)triangle[(k + 2) % 3], origin, b);
  pl_vec3_cross(a, b, n);
  return pl_atan2(pl_vec3_norm(n), pl_vec3_dot(a, b));
}

/* The sum over the triangles around a point: all of them by their angles (b < 0), or those that
 * have the edge from a to b. */
static void pseudonormal(const pl_features *f, const pl_outside *at, int a, int b, double out[3])
{
  pl_vec3_set(out, 0, 0, 0);
  for (int i = f->fan_start[a]; i < f->fan_start[a + 1]; i++) {
    const int *triangle = f->triangles + 3 * (size_t)f->fans[i];
    int has = b < 0 || triangle[0] == b || triangle[1] == b || triangle[2] == b;
    double n[3];
    if (!has || !unit_normal(f, at, f->fans[i], n)) continue;
    pl_vec3_add_scaled(b < 0 ? angle_at(at->x, triangle, a) : 1, n, out);
  }
}

/* On which side of all faces around a point r is, if it is on one side of all; 0: it is not. Then
 * their angles do not matter. */
static int side_of_fan(const pl_features *f, const pl_outside *at, int point, const double r[3])
{
  int fronts = 0, backs = 0;
  for (int i = f->fan_start[point]; i < f->fan_start[point + 1]; i++) {
    double n[3];
    if (!unit_normal(f, at, f->fans[i], n)) continue;
    double along = pl_vec3_dot(r, n);
    fronts += along > 0;
    backs += along < 0;
  }
  return fronts && !backs ? 1 : backs && !fronts ? -1 : 0;
}

/* r . n, or a number of its sign, of the feature among some corners that holds the nearest point.
 */
static double side(const pl_features *f, const pl_outside *at, const int *points,
                   const double *weights, int count, const double r[3])
{
  int used[3] = {points[0]}, uses = 0; // weights that are not finite: any corner will do
  double n[3] = {0};
  for (int i = 0; i < count; i++) {
    if (fabs(weights[i]) > 0) used[uses++] = points[i];
  }
  int clear = uses < 2 ? side_of_fan(f, at, used[0], r) : 0;
  if (clear) return clear;
  if (uses == 3)
    (void)pl_finder_normal(at->x, used, n);
  else
    pseudonormal(f, at, used[0], uses == 2 ? used[1] : -1, n);
  return pl_vec3_dot(r, n);
}

int pl_finder_side(const pl_finder *finder, const pl_outside *at, const pl_proximity *c,
                   const double r[3])
{
  const pl_features *f = &finder->features;
  const pl_finder_surface *one = &finder->surfaces[c->surfaces[0]];
  const pl_finder_surface *two = &finder->surfaces[c->surfaces[1]];
  double back[3] = {-r[0], -r[1], -r[2]};
  int first = 0, second;
  if (c->kind == PL_POINT_TRIANGLE) {
    second = two->closed && side(f, at, c->points + 1, c->weights + 1, 3, r) < 0;
    return !second ? 1 : one == two ? 0 : -1;
  }
  second = two->closed && side(f, at, c->points + 2, c->weights + 2, 2, r) < 0;
  first = one->closed && side(f, at, c->points, c->weights, 2, back) < 0;
  if (!first && !second) return 1;
  return first && second && one != two ? -1 : 0;
}

/* Contacts of one feature with one surface compete. They stand side by side: features of a surface
 * have neighbouring numbers. */
static int same_group(const pl_proximity *a, const pl_proximity *b)
{
  return a->key >> PL_KEY_SHIFT == b->key >> PL_KEY_SHIFT && a->surfaces[1] == b->surfaces[1];
}

static double distance(const pl_proximity *c) { return fabs(c->gap + c->thickness); }

/* Chooses among contacts [first, last) and moves them to `to`; returns the end of what stays. */
static size_t choose(pl_proximity *list, size_t first, size_t last, size_t to)
{
  size_t nearest = first;
  for (size_t i = first + 1; i < last; i++) {
    if (distance(&list[i]) < distance(&list[nearest])) nearest = i;
  }
  int outside = list[nearest].side >= 0 || list[nearest].kind == PL_EDGE_EDGE;
  for (size_t i = first; i < last; i++) {
    int stays = list[i].side > 0 ? outside : list[i].side < 0 && i == nearest;
    if (stays) list[to++] = list[i];
  }
  return to;
}

void pl_finder_choose(pl_finder *finder)
{
  size_t count = finder->list_count, to = 0, first = 0;
  while (first < count) {
    size_t last = first + 1;
    while (last < count && same_group(&finder->list[first], &finder->list[last])) last++;
    to = choose(finder->list, first, last, to);
    first = last;
  }
  finder->list_count = to;
}

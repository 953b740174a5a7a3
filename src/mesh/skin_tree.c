/* A tree of boxes over the triangles of a skin: nearest triangle, winding number, crossings.
 *
 * Each node knows its box and, for the winding number, the sum of its area vectors, their centre by
 * area, and the radius around it. A node farther than FARNESS radii counts as one dipole:
 * w = sum A . (c - p) / (4 pi |c - p|^3). Near triangles count by their solid angle (A. van
 * Oosterom, J. Strackee, 1983). */
#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "mesh/element.h"
#include "mesh/skin.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 8, MOST_DEPTH = 64 };

static const double FARNESS = 2.5;

typedef struct branch {
  double low[3], high[3];
  double centre[3], area[3], radius;
  int first, count; /* of the order */
  int right;        /* the left one is the next; 0: a leaf */
} branch;

struct pl_skin_tree {
  branch *branches;
  int *order;
  int count;
};

typedef struct entry {
  double key;
  int triangle;
} entry;

static int compare(const void *a, const void *b)
{
  const entry *one = a, *two = b;
  if (one->key != two->key) return one->key < two->key ? -1 : 1;
  return (one->triangle > two->triangle) - (one->triangle < two->triangle);
}

static const double *corner(const pl_skin *skin, int triangle, int k)
{
  return skin->points + 3 * (size_t)skin->triangles[3 * (size_t)triangle + (size_t)k];
}

/* Box, and the dipole of the branch's triangles. */
static void measure(const pl_skin *skin, branch *b, const int *order)
{
  double total = 0;
  for (int k = 0; k < 3; k++) {
    b->low[k] = INFINITY;
    b->high[k] = -INFINITY;
  }
  for (int i = b->first; i < b->first + b->count; i++) {
    double area[3], middle[3];
    pl_face_area(skin->points, skin->triangles + 3 * (size_t)order[i], 3, area);
    double weight = pl_vec3_norm(area);
    for (int k = 0; k < 3; k++) {
      middle[k] = 0;
      for (int c = 0; c < 3; c++) {
        double x = corner(skin, order[i], c)[k];
        b->low[k] = fmin(b->low[k], x);
        b->high[k] = fmax(b->high[k], x);
        middle[k] += x / 3;
      }
    }
    pl_vec3_add(b->area, area, b->area);
    pl_vec3_add_scaled(weight, middle, b->centre);
    total += weight;
  }
  for (int k = 0; k < 3; k++)
    b->centre[k] = total > 0 ? b->centre[k] / total : 0.5 * (b->low[k] + b->high[k]);
  for (int k = 0; k < 3; k++) {
    double reach = fmax(b->high[k] - b->centre[k], b->centre[k] - b->low[k]);
    b->radius += reach * reach;
  }
  b->radius = sqrt(b->radius);
}

/* Halves the triangles at the median of the longest side; the depth is the logarithm of their
 * number. Entries have room for all of them. */
static void grow(const pl_skin *skin, struct pl_skin_tree *tree, entry *entries, int first,
                 int count)
{
  branch *b = &tree->branches[tree->count++];
  *b = (branch){.first = first, .count = count};
  measure(skin, b, tree->order);
  if (count <= LEAF) return;
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    if (b->high[k] - b->low[k] > b->high[axis] - b->low[axis]) axis = k;
  }
  for (int i = 0; i < count; i++) {
    int triangle = tree->order[first + i];
    entries[i] = (entry){0, triangle};
    for (int c = 0; c < 3; c++) entries[i].key += corner(skin, triangle, c)[axis];
  }
  qsort(entries, (size_t)count, sizeof *entries, compare);
  for (int i = 0; i < count; i++) tree->order[first + i] = entries[i].triangle;
  grow(skin, tree, entries, first, count / 2);
  b->right = tree->count;
  grow(skin, tree, entries, first + count / 2, count - count / 2);
}

pl_status pl_skin_grow_tree(pl_skin *skin, pl_error *error)
{
  size_t count = (size_t)skin->triangle_count;
  skin->tree = pl_alloc(&skin->allocator, 1, sizeof *skin->tree);
  if (!skin->tree) return pl_fail_memory(error);
  // leaves hold at least four, so there is at most one branch for two triangles
  skin->tree->branches = pl_alloc(&skin->allocator, count / 2 + 1, sizeof(branch));
  skin->tree->order = pl_alloc(&skin->allocator, count, sizeof(int));
  entry *entries = pl_alloc(&skin->allocator, count, sizeof *entries);
  pl_status status = PL_OK;
  if (skin->tree->branches && skin->tree->order && entries) {
    for (int i = 0; i < skin->triangle_count; i++) skin->tree->order[i] = i;
    grow(skin, skin->tree, entries, 0, skin->triangle_count);
  } else {
    status = pl_fail_memory(error);
  }
  pl_free(&skin->allocator, entries);
  return status;
}

/* ---- winding number ---- */

/* The solid angle of a triangle over 4 pi. */
static double solid_angle(const double *a, const double *b, const double *c, const double point[3])
{
  double u[3], v[3], w[3];
  pl_vec3_sub(a, point, u);
  pl_vec3_sub(b, point, v);
  pl_vec3_sub(c, point, w);
  double lu = pl_vec3_norm(u), lv = pl_vec3_norm(v), lw = pl_vec3_norm(w);
  double above = pl_triple(u, v, w);
  double below =
      lu * lv * lw + pl_vec3_dot(u, v) * lw + pl_vec3_dot(v, w) * lu + pl_vec3_dot(w, u) * lv;
  return pl_atan2(above, below) / (2 * PL_PI);
}

double pl_skin_winding(const pl_skin *skin, const double point[3])
{
  const struct pl_skin_tree *tree = skin->tree;
  double sum = 0;
  int stack[MOST_DEPTH], depth = 0;
  stack[depth++] = 0;
  while (depth) {
    int index = stack[--depth];
    const branch *b = &tree->branches[index];
    double to[3];
    pl_vec3_sub(b->centre, point, to);
    double distance = pl_vec3_norm(to);
    if (distance > FARNESS * b->radius) {
      sum += pl_vec3_dot(b->area, to) / (4 * PL_PI * distance * distance * distance);
    } else if (b->right) {
      stack[depth++] = b->right;
      stack[depth++] = index + 1;
    } else {
      for (int i = b->first; i < b->first + b->count; i++) {
        int t = tree->order[i];
        sum += solid_angle(corner(skin, t, 0), corner(skin, t, 1), corner(skin, t, 2), point);
      }
    }
  }
  return sum;
}

/* ---- distance ---- */

/* The point of the segment a b that is nearest to p; -1: a itself, 1: b itself. */
static int nearest_on_segment(const double *a, const double *b, const double p[3], double out[3])
{
  double along[3], to[3];
  pl_vec3_sub(b, a, along);
  pl_vec3_sub(p, a, to);
  double square = pl_vec3_dot(along, along);
  double share = square > 0 ? pl_vec3_dot(to, along) / square : 0;
  pl_vec3_copy(a, out);
  pl_vec3_add_scaled(fmin(fmax(share, 0), 1), along, out);
  return share <= 0 ? -1 : share >= 1;
}

/* The point of the triangle that is nearest to p: below p if that is inside, else on an edge.
 * Returns the feature that it lies on, as pl_skin_place knows it. */
static int nearest_on_triangle(const double *corners[3], const double p[3], double out[3])
{
  double u[3], v[3], to[3], normal[3], side[3];
  pl_vec3_sub(corners[1], corners[0], u);
  pl_vec3_sub(corners[2], corners[0], v);
  pl_vec3_cross(u, v, normal);
  double square = pl_vec3_dot(normal, normal);
  int inside = square > 0;
  for (int k = 0; k < 3 && inside; k++) {
    pl_vec3_sub(corners[(k + 1) % 3], corners[k], u);
    pl_vec3_sub(p, corners[k], to);
    pl_vec3_cross(u, to, side);
    inside = pl_vec3_dot(side, normal) >= 0;
  }
  if (inside) {
    pl_vec3_sub(p, corners[0], to);
    pl_vec3_copy(p, out);
    pl_vec3_add_scaled(-pl_vec3_dot(to, normal) / square, normal, out);
    return 0;
  }
  double best = INFINITY;
  int feature = 0;
  for (int k = 0; k < 3; k++) {
    double candidate[3];
    int end = nearest_on_segment(corners[k], corners[(k + 1) % 3], p, candidate);
    double distance = pl_vec3_distance(candidate, p);
    if (!(distance < best)) continue;
    best = distance;
    feature = end == 0 ? 1 + k : 4 + (end < 0 ? k : (k + 1) % 3);
    pl_vec3_copy(candidate, out);
  }
  return feature;
}

static double box_distance(const branch *b, const double p[3])
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = fmax(fmax(b->low[k] - p[k], p[k] - b->high[k]), 0);
    sum += d * d;
  }
  return sqrt(sum);
}

double pl_skin_distance(const pl_skin *skin, const double point[3], double nearest[3])
{
  pl_skin_place place;
  pl_skin_nearest(skin, point, &place);
  if (nearest && isfinite(place.distance)) pl_vec3_copy(place.point, nearest);
  return place.distance;
}

/* Takes the triangle if it is nearer. */
static void try_triangle(const pl_skin *skin, int triangle, const double point[3],
                         pl_skin_place *best)
{
  const double *corners[3];
  double place[3] = {0};
  for (int k = 0; k < 3; k++) corners[k] = corner(skin, triangle, k);
  int feature = nearest_on_triangle(corners, point, place);
  double distance = pl_vec3_distance(place, point);
  if (!(distance < best->distance)) return;
  *best = (pl_skin_place){.distance = distance, .triangle = triangle, .feature = feature};
  pl_vec3_copy(place, best->point);
}

void pl_skin_nearest(const pl_skin *skin, const double point[3], pl_skin_place *place)
{
  const struct pl_skin_tree *tree = skin->tree;
  *place = (pl_skin_place){.distance = INFINITY};
  int stack[MOST_DEPTH], depth = 0;
  stack[depth++] = 0;
  while (depth) {
    int index = stack[--depth];
    const branch *b = &tree->branches[index];
    if (box_distance(b, point) >= place->distance) continue;
    if (b->right) {
      // the nearer one first
      int left = index + 1, right = b->right;
      int swap =
          box_distance(&tree->branches[left], point) > box_distance(&tree->branches[right], point);
      stack[depth++] = swap ? left : right;
      stack[depth++] = swap ? right : left;
      continue;
    }
    for (int i = b->first; i < b->first + b->count; i++)
      try_triangle(skin, tree->order[i], point, place);
  }
}

/* ---- crossings ---- */

/* Does the segment p q pass through the inside of the triangle? */
static int pierces(const double *p, const double *q, const double *corners[3])
{
  double along[3], to[3][3];
  pl_vec3_sub(q, p, along);
  for (int k = 0; k < 3; k++) pl_vec3_sub(corners[k], p, to[k]);
  double a = pl_triple(along, to[0], to[1]), b = pl_triple(along, to[1], to[2]),
         c = pl_triple(along, to[2], to[0]);
  if (!((a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0))) return 0;
  double u[3], v[3], normal[3], other[3];
  pl_vec3_sub(corners[1], corners[0], u);
  pl_vec3_sub(corners[2], corners[0], v);
  pl_vec3_cross(u, v, normal);
  pl_vec3_sub(q, corners[0], other);
  return (pl_vec3_dot(to[0], normal) < 0) != (pl_vec3_dot(other, normal) > 0);
}

static int share_point(const pl_skin *skin, int a, int b)
{
  for (int i = 0; i < 9; i++) {
    if (skin->triangles[3 * (size_t)a + (size_t)(i / 3)] ==
        skin->triangles[3 * (size_t)b + (size_t)(i % 3)])
      return 1;
  }
  return 0;
}

/* Is the triangle pierced by an edge of another one? Each look at a branch costs one of the
 * budget. */
static int is_pierced(const pl_skin *skin, int triangle, const double low[3], const double high[3],
                      int64_t *budget)
{
  const struct pl_skin_tree *tree = skin->tree;
  const double *corners[3];
  for (int k = 0; k < 3; k++) corners[k] = corner(skin, triangle, k);
  int stack[MOST_DEPTH], depth = 0;
  stack[depth++] = 0;
  while (depth && (*budget)-- > 0) {
    int index = stack[--depth];
    const branch *b = &tree->branches[index];
    int apart = 0;
    for (int k = 0; k < 3; k++) apart |= b->low[k] > high[k] || b->high[k] < low[k];
    if (apart) continue;
    if (b->right) {
      stack[depth++] = b->right;
      stack[depth++] = index + 1;
      continue;
    }
    for (int i = b->first; i < b->first + b->count; i++) {
      int other = tree->order[i];
      if (share_point(skin, triangle, other)) continue;
      for (int k = 0; k < 3; k++) {
        if (pierces(corner(skin, other, k), corner(skin, other, (k + 1) % 3), corners)) return 1;
      }
    }
  }
  return 0;
}

int pl_skin_crossings(const pl_skin *skin)
{
  // thousands of triangles in one place would take for ever
  int64_t budget = 10000000;
  int count = 0;
  for (int t = 0; t < skin->triangle_count && budget > 0; t++) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
      double a = corner(skin, t, 0)[k], b = corner(skin, t, 1)[k], c = corner(skin, t, 2)[k];
      low[k] = fmin(a, fmin(b, c));
      high[k] = fmax(a, fmax(b, c));
    }
    count += is_pierced(skin, t, low, high, &budget);
  }
  return count;
}

/* ---- as a volume ---- */

double pl_skin_value(const void *context, const double point[3])
{
  const pl_skin *skin = context;
  double side = 1 - 2 * pl_skin_winding(skin, point);
  return fmin(fmax(side, -1), 1) * pl_skin_distance(skin, point, NULL);
}

pl_volume pl_skin_volume(const pl_skin *skin)
{
  pl_volume volume = {.value = pl_skin_value, .context = skin};
  // a flat sheet has a box, too
  double longest = 0;
  for (int k = 0; k < 3; k++) longest = fmax(longest, skin->high[k] - skin->low[k]);
  for (int k = 0; k < 3; k++) {
    volume.low[k] = skin->low[k] - 1e-6 * longest;
    volume.high[k] = skin->high[k] + 1e-6 * longest;
  }
  return volume;
}

void pl_skin_destroy(pl_skin *skin)
{
  if (!skin) return;
  pl_allocator allocator = skin->allocator;
  if (skin->tree) {
    pl_free(&allocator, skin->tree->branches);
    pl_free(&allocator, skin->tree->order);
  }
  pl_free(&allocator, skin->tree);
  pl_free(&allocator, skin->points);
  pl_free(&allocator, skin->triangles);
  pl_free(&allocator, skin->polygons);
  pl_free(&allocator, skin);
}

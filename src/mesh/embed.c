/* Embedding: a grid of cells over the mesh lists the elements near each place, so that a point is
 * compared with few of them. Tetrahedra: barycentric coordinates, negative ones for points outside,
 * so that these are carried along as well. Hexahedra: trilinear weights; outside, the barycentric
 * coordinates of the tetrahedron at the nearest corner.
 *
 * Points of a surface that lie outside the elements follow the nearest element that they can reach
 * inside the surface: an element of another part, across a gap, would pull them out of their own.
 */
#include "mesh/embed.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "mesh/element.h"
#include "mesh/locate.h"
#include "mesh/skin.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* How many cells around a point are searched for an element that it can reach, and how far
 * outside, in cells, a point may lie before it is asked where it goes. */
enum { REACH = 2 };
static const double NEAR = 0.5;

typedef struct grid {
  double low[3], cell;
  int counts[3];
  int *starts, *items;  /* elements whose boxes touch each cell */
  const pl_skin *shape; /* what the points' way must not leave; NULL: nothing */
} grid;

static int clamp_cell(const grid *g, double x, int k)
{
  double at = floor((x - g->low[k]) / g->cell);
  return at < 0 ? 0 : at >= g->counts[k] ? g->counts[k] - 1 : (int)at;
}

/* The cells that an element's box touches. */
static void element_range(const grid *g, const pl_mesh *mesh, int element, int from[3], int to[3])
{
  const int *nodes = mesh->elements + (size_t)mesh->nodes_per_element * (size_t)element;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < mesh->nodes_per_element; i++) {
      low = fmin(low, mesh->nodes[3 * (size_t)nodes[i] + (size_t)k]);
      high = fmax(high, mesh->nodes[3 * (size_t)nodes[i] + (size_t)k]);
    }
    from[k] = clamp_cell(g, low, k);
    to[k] = clamp_cell(g, high, k);
  }
}

/* Counts (items NULL) or lists the elements of all cells. */
static void sort_elements(grid *g, const pl_mesh *mesh)
{
  for (int e = 0; e < mesh->element_count; e++) {
    int from[3], to[3], at[3];
    element_range(g, mesh, e, from, to);
    for (at[2] = from[2]; at[2] <= to[2]; at[2]++) {
      for (at[1] = from[1]; at[1] <= to[1]; at[1]++) {
        for (at[0] = from[0]; at[0] <= to[0]; at[0]++) {
          int cell = at[0] + g->counts[0] * (at[1] + g->counts[1] * at[2]);
          if (g->items)
            g->items[g->starts[cell]++] = e;
          else
            g->starts[cell + 1]++;
        }
      }
    }
  }
}

/* About one cell for an element. */
static pl_status make_grid(const pl_mesh *mesh, const pl_allocator *allocator, grid *g,
                           pl_error *error)
{
  double high[3], volume = 1, longest = 0;
  pl_mesh_bounds(mesh, g->low, high);
  for (int k = 0; k < 3; k++) {
    volume *= high[k] - g->low[k];
    longest = fmax(longest, high[k] - g->low[k]);
  }
  g->cell = fmax(pl_cbrt(volume / mesh->element_count), longest / 512);
  size_t cells = 1;
  for (int k = 0; k < 3; k++) {
    g->counts[k] = (int)((high[k] - g->low[k]) / g->cell) + 1;
    cells *= (size_t)g->counts[k];
  }
  g->starts = pl_alloc(allocator, cells + 1, sizeof *g->starts);
  if (!g->starts) return pl_fail_memory(error);
  sort_elements(g, mesh);
  int64_t total = 0;
  for (size_t c = 0; c <= cells; c++) {
    total += g->starts[c];
    if (total > INT32_MAX)
      return pl_fail(error, PL_E_LIMIT, "the elements differ too much in size to be embedded in");
    g->starts[c] = (int)total;
  }
  g->items = pl_alloc(allocator, (size_t)total, sizeof *g->items);
  if (!g->items) return pl_fail_memory(error);
  sort_elements(g, mesh);
  // the starts have become ends
  memmove(g->starts + 1, g->starts, cells * sizeof *g->starts);
  g->starts[0] = 0;
  return PL_OK;
}

/* Can a cell hold something nearer than the best so far? */
static int is_near(const grid *g, const int at[3], const double point[3], double best)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double low = g->low[k] + at[k] * g->cell;
    double gap = fmax(fmax(low - point[k], point[k] - low - g->cell), 0);
    sum += gap * gap;
  }
  // the last digits of the walls are not those of the elements sorted into the cells
  return !(sum * (1 - 1e-9) > best * best);
}

/* Does the way to the anchor's place stay inside the shape? Along the surface it does. */
static int can_reach(const pl_skin *shape, const pl_mesh *mesh, const double point[3],
                     const pl_anchor *anchor)
{
  double target[3] = {0};
  for (int i = 0; i < anchor->count; i++)
    pl_vec3_add_scaled(anchor->weights[i], mesh->nodes + 3 * (size_t)anchor->nodes[i], target);
  for (int i = 1; i < 4; i++) {
    double between[3];
    for (int k = 0; k < 3; k++) between[k] = point[k] + 0.25 * i * (target[k] - point[k]);
    if (pl_skin_winding(shape, between) < 0.5 &&
        pl_skin_distance(shape, between, NULL) > 0.05 * anchor->distance)
      return 0;
  }
  return 1;
}

static void try_element(const grid *g, const pl_mesh *mesh, int element, const double point[3],
                        pl_anchor *best)
{
  pl_anchor next = *best;
  pl_anchor_try(mesh, element, point, &next);
  if (!(next.distance < best->distance)) return;
  if (!g->shape || next.distance == 0 || can_reach(g->shape, mesh, point, &next)) *best = next;
}

/* Looks through the cells of a shell around the point's; returns how many cells there were. */
static int search_shell(const grid *g, const pl_mesh *mesh, const int middle[3], int radius,
                        const double point[3], pl_anchor *best)
{
  int from[3], to[3], at[3], seen = 0;
  for (int k = 0; k < 3; k++) {
    from[k] = middle[k] - radius < 0 ? 0 : middle[k] - radius;
    to[k] = middle[k] + radius >= g->counts[k] ? g->counts[k] - 1 : middle[k] + radius;
  }
  for (at[2] = from[2]; at[2] <= to[2]; at[2]++) {
    for (at[1] = from[1]; at[1] <= to[1]; at[1]++) {
      for (at[0] = from[0]; at[0] <= to[0]; at[0]++) {
        int far = 0;
        for (int k = 0; k < 3; k++)
          far |= at[k] == middle[k] - radius || at[k] == middle[k] + radius;
        if (!far) continue;
        seen++;
        if (!is_near(g, at, point, best->distance)) continue;
        int cell = at[0] + g->counts[0] * (at[1] + g->counts[1] * at[2]);
        for (int i = g->starts[cell]; i < g->starts[cell + 1] && best->distance > 0; i++)
          try_element(g, mesh, g->items[i], point, best);
      }
    }
  }
  return seen;
}

/* The tetrahedron whose barycentric coordinates carry a point that lies outside. */
static void outer_corners(const pl_mesh *mesh, const pl_anchor *anchor, int local[4])
{
  for (int i = 0; i < 4; i++) local[i] = i;
  if (mesh->nodes_per_element == 4) return;
  // the corner of the largest weight and its neighbours
  for (int i = 1; i < 8; i++) {
    if (anchor->weights[i] > anchor->weights[local[0]]) local[0] = i;
  }
  for (int i = 0; i < 3; i++) local[1 + i] = pl_hex_corners[local[0]][i];
}

static void extrapolate(const pl_mesh *mesh, const double point[3], pl_anchor *anchor)
{
  int local[4];
  outer_corners(mesh, anchor, local);
  const double *origin = mesh->nodes + 3 * (size_t)anchor->nodes[local[0]];
  double e[3][3], way[3], weights[4];
  for (int i = 0; i < 3; i++)
    pl_vec3_sub(mesh->nodes + 3 * (size_t)anchor->nodes[local[i + 1]], origin, e[i]);
  pl_vec3_sub(point, origin, way);
  double volume = pl_triple(e[0], e[1], e[2]);
  weights[1] = pl_triple(way, e[1], e[2]) / volume;
  weights[2] = pl_triple(way, e[2], e[0]) / volume;
  weights[3] = pl_triple(way, e[0], e[1]) / volume;
  weights[0] = 1 - weights[1] - weights[2] - weights[3];
  memset(anchor->weights, 0, sizeof anchor->weights);
  for (int i = 0; i < 4; i++) anchor->weights[local[i]] = weights[i];
}

/* Shells around the point's cell, at most so many, until nothing nearer can follow. */
static void find_nearest(const grid *g, const pl_mesh *mesh, const double point[3], int shells,
                         pl_anchor *best)
{
  int middle[3], max = 0;
  double outside = 0;
  *best = (pl_anchor){.count = mesh->nodes_per_element, .distance = INFINITY};
  for (int k = 0; k < 3; k++) {
    middle[k] = clamp_cell(g, point[k], k);
    double gap = fmax(g->low[k] - point[k], point[k] - g->low[k] - g->counts[k] * g->cell);
    outside = fmax(outside, gap);
    if (g->counts[k] > max) max = g->counts[k];
  }
  for (int radius = 0; radius <= max && radius <= shells; radius++) {
    if (best->distance <= fmax((radius - 1) * g->cell, 0) + fmax(outside, 0)) break;
    search_shell(g, mesh, middle, radius, point, best);
  }
}

/* The element that a point follows; the distance is that to it. */
static void keep_point(pl_embed *embed, const pl_mesh *mesh, const double *points, size_t i,
                       pl_anchor *anchor)
{
  size_t width = (size_t)embed->width;
  if (anchor->distance > 0) extrapolate(mesh, points + 3 * i, anchor);
  embed->elements[i] = anchor->element;
  embed->distances[i] = anchor->distance;
  memcpy(embed->nodes + width * i, anchor->nodes, width * sizeof *embed->nodes);
  memcpy(embed->weights + width * i, anchor->weights, width * sizeof *embed->weights);
}

/* Is a point outside by more than a little, or its element on the outer side of the surface? */
static int is_doubtful(const grid *g, const pl_mesh *mesh, const double point[3],
                       const double normal[3], const pl_anchor *anchor)
{
  double way[3] = {-point[0], -point[1], -point[2]};
  if (anchor->distance == 0) return 0;
  for (int i = 0; i < anchor->count; i++)
    pl_vec3_add_scaled(anchor->weights[i], mesh->nodes + 3 * (size_t)anchor->nodes[i], way);
  // 80 degrees or less from the normal
  return anchor->distance > NEAR * g->cell ||
         pl_vec3_dot(way, normal) > 0.17 * pl_vec3_norm(way) * pl_vec3_norm(normal);
}

/* Sums of the normals of the triangles around each point, not of unit length. */
static void sum_normals(const pl_mesh *surface, double *normals)
{
  for (int f = 0; f < surface->face_count; f++) {
    const int *nodes = surface->faces + 3 * (size_t)f;
    double area[3];
    pl_face_area(surface->nodes, nodes, 3, area);
    for (int i = 0; i < 3; i++) pl_vec3_add_scaled(1, area, normals + 3 * (size_t)nodes[i]);
  }
}

/* The nearest element that the point can reach, where there is one; the shape is made when it is
 * first needed. */
static pl_status reach_again(grid *g, const pl_mesh *mesh, const pl_mesh *surface,
                             const pl_allocator *allocator, pl_skin **shape, size_t i,
                             pl_anchor *anchor, pl_error *error)
{
  const double *point = surface->nodes + 3 * i;
  pl_skin_def def = {.point_count = surface->node_count,
                     .triangle_count = surface->face_count,
                     .points = surface->nodes,
                     .triangles = surface->faces,
                     .allocator = allocator};
  pl_status status = *shape ? PL_OK : pl_skin_create(&def, shape, error);
  if (status || can_reach(*shape, mesh, point, anchor)) return status;
  pl_anchor other;
  g->shape = *shape;
  find_nearest(g, mesh, point, REACH, &other);
  g->shape = NULL;
  if (isfinite(other.distance)) *anchor = other;
  return PL_OK;
}

/* surface: of the points, NULL where they belong to none. */
static pl_status embed_all(pl_embed *embed, const pl_mesh *mesh, const double *points,
                           const pl_mesh *surface, pl_error *error)
{
  grid g = {.starts = NULL};
  pl_skin *shape = NULL;
  double *normals =
      surface ? pl_alloc(&embed->allocator, 3 * (size_t)surface->node_count, sizeof *normals)
              : NULL;
  pl_status status = make_grid(mesh, &embed->allocator, &g, error);
  if (!status && surface && !normals) status = pl_fail_memory(error);
  if (!status && surface) sum_normals(surface, normals);
  for (size_t i = 0; !status && i < (size_t)embed->point_count; i++) {
    pl_anchor anchor;
    find_nearest(&g, mesh, points + 3 * i, INT_MAX, &anchor);
    if (surface && is_doubtful(&g, mesh, points + 3 * i, normals + 3 * i, &anchor))
      status = reach_again(&g, mesh, surface, &embed->allocator, &shape, i, &anchor, error);
    keep_point(embed, mesh, points, i, &anchor);
  }
  pl_free(&embed->allocator, normals);
  pl_skin_destroy(shape);
  pl_free(&embed->allocator, g.starts);
  pl_free(&embed->allocator, g.items);
  return status;
}

static pl_status create(const pl_mesh *mesh, int point_count, const double *points,
                        const pl_mesh *surface, const pl_allocator *allocator, pl_embed **out,
                        pl_error *error)
{
  *out = NULL;
  for (int i = 0; i < 3 * point_count; i++) {
    if (!(fabs(points[i]) <= 1e100))
      return pl_fail_entity(error, PL_E_ARGUMENT, i / 3, "point %d has the coordinate %g", i / 3,
                            points[i]);
  }
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_embed *embed = pl_alloc(&own, 1, sizeof *embed);
  if (!embed) return pl_fail_memory(error);
  *embed = (pl_embed){.allocator = own, .point_count = point_count};
  size_t width = (size_t)mesh->nodes_per_element, count = (size_t)point_count;
  embed->width = mesh->nodes_per_element;
  embed->elements = pl_alloc(&own, count, sizeof *embed->elements);
  embed->nodes = pl_alloc(&own, count * width, sizeof *embed->nodes);
  embed->weights = pl_alloc(&own, count * width, sizeof *embed->weights);
  embed->distances = pl_alloc(&own, count, sizeof *embed->distances);
  pl_status status = embed->elements && embed->nodes && embed->weights && embed->distances
                         ? embed_all(embed, mesh, points, surface, error)
                         : pl_fail_memory(error);
  if (status)
    pl_embed_destroy(embed);
  else
    *out = embed;
  return status;
}

pl_status pl_embed_create(const pl_mesh *mesh, int point_count, const double *points,
                          const pl_allocator *allocator, pl_embed **embed, pl_error *error)
{
  return create(mesh, point_count, points, NULL, allocator, embed, error);
}

pl_status pl_embed_surface(const pl_mesh *mesh, const pl_mesh *surface,
                           const pl_allocator *allocator, pl_embed **embed, pl_error *error)
{
  *embed = NULL;
  if (mesh->nodes_per_element <= 3)
    return pl_fail(error, PL_E_ARGUMENT, "points can only follow elements that have a volume");
  return create(mesh, surface->node_count, surface->nodes,
                surface->nodes_per_face == 3 ? surface : NULL, allocator, embed, error);
}

void pl_embed_destroy(pl_embed *embed)
{
  if (!embed) return;
  pl_allocator allocator = embed->allocator;
  pl_free(&allocator, embed->elements);
  pl_free(&allocator, embed->nodes);
  pl_free(&allocator, embed->weights);
  pl_free(&allocator, embed->distances);
  pl_free(&allocator, embed);
}

pl_embed_outside pl_embed_measure(const pl_embed *embed, double limit)
{
  pl_embed_outside found = {0};
  for (int i = 0; i < embed->point_count; i++) {
    found.max = fmax(found.max, embed->distances[i]);
    found.share += (double)(embed->distances[i] > limit) / embed->point_count;
  }
  return found;
}

int pl_embed_holds(const pl_embed_outside *outside, double edge)
{
  static const double share = 0.005, edges = 3;
  return outside->share <= share && outside->max <= edges * edge;
}

void pl_embed_carry(const pl_embed *embed, int numbers, const double *values, double *points)
{
  size_t width = (size_t)embed->width, n = (size_t)numbers;
  for (size_t i = 0; i < n * (size_t)embed->point_count; i++) {
    const double *weights = embed->weights + width * (i / n);
    const int *nodes = embed->nodes + width * (i / n);
    double sum = 0;
    for (size_t k = 0; k < width; k++) sum += weights[k] * values[n * (size_t)nodes[k] + i % n];
    points[i] = sum;
  }
}

void pl_embed_follow(const pl_embed *embed, const double *positions, double *points)
{
  pl_embed_carry(embed, 3, positions, points);
}

void pl_embed_push(const pl_embed *embed, const double *point_forces, double *node_forces)
{
  size_t width = (size_t)embed->width;
  for (size_t i = 0; i < (size_t)embed->point_count; i++) {
    for (size_t k = 0; k < width; k++)
      pl_vec3_add_scaled(embed->weights[width * i + k], point_forces + 3 * i,
                         node_forces + 3 * (size_t)embed->nodes[width * i + k]);
  }
}

/* Marching cubes: W. E. Lorensen, H. E. Cline, SIGGRAPH 1987, without their table.
 *
 * On each face of a cell, the inside corners that follow each other are fenced off by a segment
 * from the cut edge before them to the one behind them; two inside corners across a face are fenced
 * off one by one. Both cells at a face see the same segments, so the surface is closed. In a cell
 * the segments join to loops, and a loop becomes a fan of triangles from one of its points. A fan
 * must not run along a face, where the neighbour could have the same line: then a point in the
 * loop's middle is the centre.
 *
 * Cells are visited layer by layer, with the values of two layers of points in memory. */
#include "mesh/contour.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 8, MOST_ACROSS = 4000 };

/* Corners are numbered by their bits x, y, z. Edges: four along x, along y, along z. */
static const int edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                 {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
/* Counter-clockwise, seen from outside. */
static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

typedef struct contour {
  const pl_volume *volume;
  pl_allocator allocator;
  double origin[3], size;
  int cells[3], blocks[3];
  signed char *far;  /* of each block of points: the sign of all its values, 0: near */
  double *values[2]; /* of the layers below and above */
  int *points[2][2]; /* on the x and y edges of the layers, plus 1 */
  int *upright;      /* on the edges between them, plus 1 */
  pl_heap heap;      /* the triangles */
} contour;

/* ---- values ---- */

static void place_of(const contour *c, const int at[3], double place[3])
{
  for (int k = 0; k < 3; k++) place[k] = c->origin[k] + c->size * at[k];
}

static void value_blocks(contour *c)
{
  size_t block = 0;
  int at[3];
  double radius = 0.5 * sqrt(3) * BLOCK * c->size;
  for (at[2] = 0; at[2] < c->blocks[2]; at[2]++) {
    for (at[1] = 0; at[1] < c->blocks[1]; at[1]++) {
      for (at[0] = 0; at[0] < c->blocks[0]; at[0]++) {
        double middle[3];
        for (int k = 0; k < 3; k++) middle[k] = c->origin[k] + c->size * BLOCK * (at[k] + 0.5);
        double value = pl_volume_value(c->volume, middle);
        c->far[block++] = (signed char)(fabs(value) <= radius ? 0 : value < 0 ? -1 : 1);
      }
    }
  }
}

/* The values of a layer of points. */
static void value_layer(contour *c, int z, double *values)
{
  int at[3] = {0, 0, z};
  for (at[1] = 0; at[1] <= c->cells[1]; at[1]++) {
    for (at[0] = 0; at[0] <= c->cells[0]; at[0]++) {
      size_t row = (size_t)c->blocks[0], layer = row * (size_t)c->blocks[1];
      int far = c->far[(size_t)(at[0] / BLOCK) + row * (size_t)(at[1] / BLOCK) +
                       layer * (size_t)(z / BLOCK)];
      double place[3];
      place_of(c, at, place);
      *values++ = far ? far * c->size : pl_volume_value(c->volume, place);
    }
  }
}

/* ---- points ---- */

static size_t column(const contour *c, int x, int y)
{
  return (size_t)x + (size_t)(c->cells[0] + 1) * (size_t)y;
}

/* The point on an edge of a cell, made if need be. */
static int point_on(contour *c, const int cell[3], int edge)
{
  int low = edges[edge][0], high = edges[edge][1], axis = edge / 4, from[3], to[3];
  for (int k = 0; k < 3; k++) {
    from[k] = cell[k] + (low >> k & 1);
    to[k] = cell[k] + (high >> k & 1);
  }
  int layer = low >> 2;
  int *list = axis == 2 ? c->upright : c->points[layer][axis];
  int *point = &list[column(c, from[0], from[1])];
  if (*point) return *point - 1;
  double a[3], b[3], at_a = c->values[layer][column(c, from[0], from[1])];
  double at_b = c->values[high >> 2][column(c, to[0], to[1])];
  place_of(c, from, a);
  place_of(c, to, b);
  // a little away from the ends, so that no triangle loses its extent
  double share = pl_volume_cut(c->volume, a, at_a, b, at_b);
  share = fmin(fmax(share, 1e-3), 1 - 1e-3);
  for (int k = 0; k < 3; k++) a[k] += share * (b[k] - a[k]);
  *point = pl_heap_node(&c->heap, a) + 1;
  return *point - 1;
}

/* ---- cells ---- */

static int edge_of(int a, int b)
{
  for (int e = 0; e < 12; e++) {
    if ((edges[e][0] == a && edges[e][1] == b) || (edges[e][0] == b && edges[e][1] == a)) return e;
  }
  return 0;
}

/* Do two edges lie on one face? Then their middles agree in a coordinate that is 0 or 2. */
static int share_face(int a, int b)
{
  for (int k = 0; k < 3; k++) {
    int at_a = (edges[a][0] >> k & 1) + (edges[a][1] >> k & 1);
    int at_b = (edges[b][0] >> k & 1) + (edges[b][1] >> k & 1);
    if (at_a == at_b && at_a != 1) return 1;
  }
  return 0;
}

/* The cut edge that follows each cut edge around its loop, -1 for edges that are not cut. */
static void find_loops(int inside, int next[12])
{
  for (int e = 0; e < 12; e++) next[e] = -1;
  for (int f = 0; f < 6; f++) {
    for (int i = 0; i < 4; i++) {
      // a run of inside corners starts behind an outside one
      int before = faces[f][i], first = faces[f][(i + 1) % 4], end = i + 1;
      if (inside >> before & 1 || !(inside >> first & 1)) continue;
      while (inside >> faces[f][(end + 1) % 4] & 1) end++;
      int out = edge_of(faces[f][end % 4], faces[f][(end + 1) % 4]);
      next[edge_of(before, first)] = out;
    }
  }
}

static void add_triangle(contour *c, int p, int q, int r)
{
  if (!c->heap.failed) pl_heap_element(&c->heap, (int[]){p, q, r});
}

static void add_loop(contour *c, const int cell[3], const int *loop, int length)
{
  int points[12];
  double middle[3] = {0};
  for (int i = 0; i < length; i++) {
    points[i] = point_on(c, cell, loop[i]);
    if (c->heap.failed) return;
    pl_vec3_add_scaled(1.0 / length, c->heap.nodes + 3 * (size_t)points[i], middle);
  }
  // a point from which no line runs along a face
  for (int first = 0; first < length; first++) {
    int bad = 0;
    for (int i = 2; i + 1 < length; i++) bad |= share_face(loop[first], loop[(first + i) % length]);
    if (bad) continue;
    for (int i = 1; i + 1 < length; i++)
      add_triangle(c, points[first], points[(first + i) % length],
                   points[(first + i + 1) % length]);
    return;
  }
  int centre = pl_heap_node(&c->heap, middle);
  for (int i = 0; i < length; i++) add_triangle(c, centre, points[i], points[(i + 1) % length]);
}

static void march(contour *c, const int cell[3])
{
  int inside = 0, next[12];
  for (int i = 0; i < 8; i++) {
    double value = c->values[i >> 2][column(c, cell[0] + (i & 1), cell[1] + (i >> 1 & 1))];
    inside |= (value < 0) << i;
  }
  if (inside == 0 || inside == 255) return;
  find_loops(inside, next);
  for (int e = 0; e < 12; e++) {
    int loop[12], length = 0;
    for (int at = e; next[at] >= 0;) {
      int to = next[at];
      loop[length++] = at;
      next[at] = -1;
      at = to;
    }
    if (length) add_loop(c, cell, loop, length);
  }
}

/* ---- the whole ---- */

static void swap_layers(contour *c)
{
  size_t bytes = (size_t)(c->cells[0] + 1) * (size_t)(c->cells[1] + 1) * sizeof *c->upright;
  double *values = c->values[0];
  c->values[0] = c->values[1];
  c->values[1] = values;
  for (int axis = 0; axis < 2; axis++) {
    int *points = c->points[0][axis];
    c->points[0][axis] = c->points[1][axis];
    c->points[1][axis] = points;
    memset(points, 0, bytes);
  }
  memset(c->upright, 0, bytes);
}

static void march_all(contour *c)
{
  value_blocks(c);
  value_layer(c, 0, c->values[1]);
  int at[3];
  for (at[2] = 0; at[2] < c->cells[2] && !c->heap.failed; at[2]++) {
    swap_layers(c);
    value_layer(c, at[2] + 1, c->values[1]);
    for (at[1] = 0; at[1] < c->cells[1]; at[1]++) {
      for (at[0] = 0; at[0] < c->cells[0]; at[0]++) march(c, at);
    }
  }
}

static pl_status start(contour *c, pl_error *error)
{
  double blocks = 1;
  for (int k = 0; k < 3; k++) {
    // one cell on each side
    double extent = c->volume->high[k] - c->volume->low[k];
    if (!(extent > 0 && extent < 1e30))
      return pl_fail(error, PL_E_ARGUMENT,
                     "the shape has no end, or no extent, along %c; cut it, for example with "
                     "<intersection>",
                     "xyz"[k]);
    if (!(extent / c->size < MOST_ACROSS))
      return pl_fail(error, PL_E_LIMIT,
                     "a size of %g m makes more than %d cells along the shape of %g m; enlarge it",
                     c->size, MOST_ACROSS, extent);
    c->cells[k] = (int)ceil(extent / c->size) + 2;
    c->blocks[k] = c->cells[k] / BLOCK + 1;
    c->origin[k] = c->volume->low[k] + 0.5 * (extent - c->size * c->cells[k]);
    blocks *= c->blocks[k];
  }
  size_t layer = (size_t)(c->cells[0] + 1) * (size_t)(c->cells[1] + 1);
  c->far = pl_alloc(&c->allocator, (size_t)blocks, 1);
  c->upright = pl_alloc(&c->allocator, layer, sizeof *c->upright);
  int ok = c->far && c->upright;
  for (int i = 0; i < 2; i++) {
    c->values[i] = pl_alloc(&c->allocator, layer, sizeof *c->values[i]);
    ok &= c->values[i] != NULL;
    for (int axis = 0; axis < 2; axis++) {
      c->points[i][axis] = pl_alloc(&c->allocator, layer, sizeof *c->upright);
      ok &= c->points[i][axis] != NULL;
    }
  }
  return ok ? PL_OK : pl_fail_memory(error);
}

/* The triangles as a skin; they need no repair. */
static pl_status finish(contour *c, pl_skin **skin, pl_error *error)
{
  if (c->heap.failed)
    return c->heap.node_count >= PL_MOST_NODES
               ? pl_mesh_check_limits((int64_t)c->heap.node_count + 1, 1, error)
               : pl_fail_memory(error);
  if (!c->heap.element_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "no cell meets the shape with a size of %g m; make it smaller", c->size);
  pl_skin_def def = {.point_count = (int)c->heap.node_count,
                     .triangle_count = (int)c->heap.element_count,
                     .points = c->heap.nodes,
                     .triangles = c->heap.elements,
                     .weld = -1,
                     .max_hole = -1,
                     .allocator = &c->allocator};
  return pl_skin_create(&def, skin, error);
}

pl_status pl_contour(const pl_volume *volume, double size, const pl_allocator *allocator,
                     pl_skin **skin, pl_error *error)
{
  *skin = NULL;
  if (!(size > 0)) return pl_fail(error, PL_E_ARGUMENT, "size = %g must be above 0", size);
  contour c = {.volume = volume, .allocator = pl_allocator_or_default(allocator), .size = size};
  c.heap = (pl_heap){.allocator = c.allocator, .nodes_per_element = 3};
  pl_status status = start(&c, error);
  if (!status) {
    march_all(&c);
    status = finish(&c, skin, error);
  }
  pl_free(&c.allocator, c.far);
  pl_free(&c.allocator, c.upright);
  for (int i = 0; i < 2; i++) {
    pl_free(&c.allocator, c.values[i]);
    for (int axis = 0; axis < 2; axis++) pl_free(&c.allocator, c.points[i][axis]);
  }
  pl_free(&c.allocator, c.heap.nodes);
  pl_free(&c.allocator, c.heap.elements);
  return status;
}

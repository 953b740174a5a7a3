/* Pieces by union and find over the triangles; what is buried in another piece is found by winding
 * numbers, what may surround another by boxes. */
#include "mesh/pieces.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>

enum { MOST_BURIED = 5000, MOST_PIECES = 2000 };

/* For each point one that stands for its piece, and there its box. */
typedef struct clusters {
  int *first, *roots, count;
  double (*box)[6]; /* low, high */
} clusters;

/* The piece of a point, followed to its first one; the way is shortened. */
static int find_piece(int *first, int point)
{
  while (first[point] != point) point = first[point] = first[first[point]];
  return point;
}

static void join(clusters *c, int a, int b)
{
  c->first[find_piece(c->first, a)] = find_piece(c->first, b);
}

/* Does a point on the surface lie inside of another piece? On its own piece the winding number is
 * one half. */
static int is_buried(const pl_skin *skin, int point)
{
  return pl_skin_winding(skin, skin->points + 3 * (size_t)point) > 1.2;
}

static void find_clusters(const pl_skin *skin, clusters *c)
{
  for (int i = 0; i < skin->point_count; i++) c->first[i] = i;
  for (size_t i = 0; i < 3 * (size_t)skin->triangle_count; i++)
    join(c, skin->triangles[i], skin->triangles[i - i % 3]);
  for (int i = 0; i < skin->point_count; i++) {
    if (c->first[i] == i) c->roots[c->count++] = i;
    for (int k = 0; k < 6; k++) c->box[i][k] = k < 3 ? INFINITY : -INFINITY;
  }
  for (int i = 0; i < skin->point_count; i++) {
    double *box = c->box[find_piece(c->first, i)];
    for (int k = 0; k < 3; k++) {
      box[k] = fmin(box[k], skin->points[3 * (size_t)i + (size_t)k]);
      box[3 + k] = fmax(box[3 + k], skin->points[3 * (size_t)i + (size_t)k]);
    }
  }
}

static int is_in_box(const double box[6], const double p[3])
{
  return p[0] >= box[0] && p[1] >= box[1] && p[2] >= box[2] && p[0] <= box[3] && p[1] <= box[4] &&
         p[2] <= box[5];
}

static int boxes_meet(const double a[6], const double b[6])
{
  for (int k = 0; k < 3; k++) {
    if (a[k] > b[3 + k] || b[k] > a[3 + k]) return 0;
  }
  return 1;
}

static int count_left(clusters *c)
{
  int left = 0;
  for (int m = 0; m < c->count; m++) left += c->first[c->roots[m]] == c->roots[m];
  return left;
}

/* Joins pieces of which one reaches into the other. */
static void join_buried(const pl_skin *skin, clusters *c)
{
  int step = 1 + skin->point_count / MOST_BURIED;
  for (int i = 0; i < skin->point_count; i += step) {
    if (!is_buried(skin, i)) continue;
    for (int m = 0; m < c->count; m++) {
      if (is_in_box(c->box[c->roots[m]], skin->points + 3 * (size_t)i)) join(c, c->roots[m], i);
    }
  }
}

static void join_boxes(clusters *c)
{
  for (int m = 1; m < c->count; m++) {
    for (int n = 0; n < m; n++) {
      if (boxes_meet(c->box[c->roots[m]], c->box[c->roots[n]])) join(c, c->roots[m], c->roots[n]);
    }
  }
}

pl_status pl_skin_count_pieces(const pl_skin *skin, int *bodies, int *apart, pl_error *error)
{
  *bodies = skin->facts.pieces, *apart = 1;
  if (skin->facts.pieces < 2 || skin->facts.pieces > MOST_PIECES) return PL_OK;
  const pl_allocator *allocator = &skin->allocator;
  size_t points = (size_t)skin->point_count;
  clusters c = {.first = pl_alloc(allocator, points, sizeof *c.first),
                .roots = pl_alloc(allocator, points, sizeof *c.roots),
                .box = pl_alloc(allocator, points, sizeof *c.box)};
  int ok = c.first && c.roots && c.box;
  if (ok) {
    find_clusters(skin, &c);
    join_buried(skin, &c);
    *bodies = count_left(&c);
    join_boxes(&c);
    *apart = count_left(&c);
  }
  pl_free(allocator, c.first);
  pl_free(allocator, c.roots);
  pl_free(allocator, c.box);
  return ok ? PL_OK : pl_fail_memory(error);
}

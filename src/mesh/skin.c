/* Making a skin from triangles of any quality: weld, drop, turn, close. */
#include "mesh/skin.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/element.h"
#include "mesh/weld.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- welding ---- */

/* Copies the points, each place once; number[old] = new. */
static pl_status weld_all(pl_skin *skin, const pl_skin_def *def, int *number, pl_error *error)
{
  pl_status status = pl_weld(def->points, def->point_count, def->weld != 0 ? def->weld : 1e-7,
                             &skin->allocator, number, &skin->point_count, error);
  for (int i = def->point_count - 1; i >= 0 && !status; i--)
    pl_vec3_copy(def->points + 3 * (size_t)i, skin->points + 3 * (size_t)number[i]);
  skin->facts.welded_points = def->point_count - skin->point_count;
  return status;
}

/* ---- edges ---- */

/* One side of a triangle; a side sorts by its ends whichever way it runs. */
typedef struct side {
  int low, high, triangle, forward;
} side;

static int compare_sides(const void *a, const void *b)
{
  const side *one = a, *two = b;
  if (one->low != two->low) return one->low < two->low ? -1 : 1;
  if (one->high != two->high) return one->high < two->high ? -1 : 1;
  return (one->triangle > two->triangle) - (one->triangle < two->triangle);
}

static void list_sides(const pl_skin *skin, side *sides)
{
  for (int t = 0; t < skin->triangle_count; t++) {
    for (int k = 0; k < 3; k++) {
      int a = skin->triangles[3 * (size_t)t + (size_t)k];
      int b = skin->triangles[3 * (size_t)t + (size_t)((k + 1) % 3)];
      sides[3 * (size_t)t + (size_t)k] = (side){a < b ? a : b, a < b ? b : a, t, a < b};
    }
  }
  qsort(sides, 3 * (size_t)skin->triangle_count, sizeof *sides, compare_sides);
}

/* The first side behind those with the same ends. */
static size_t behind(const side *sides, size_t count, size_t at)
{
  size_t end = at + 1;
  while (end < count && sides[end].low == sides[at].low && sides[end].high == sides[at].high) end++;
  return end;
}

/* ---- double triangles ---- */

typedef struct triple {
  int a, b, c, triangle;
} triple;

static int compare_triples(const void *a, const void *b)
{
  const triple *one = a, *two = b;
  if (one->a != two->a) return one->a < two->a ? -1 : 1;
  if (one->b != two->b) return one->b < two->b ? -1 : 1;
  if (one->c != two->c) return one->c < two->c ? -1 : 1;
  return (one->triangle > two->triangle) - (one->triangle < two->triangle);
}

/* Keeps the first of those with the same corners. */
static pl_status drop_doubles(pl_skin *skin, pl_error *error)
{
  size_t count = (size_t)skin->triangle_count;
  triple *list = pl_alloc(&skin->allocator, count, sizeof *list);
  unsigned char *dropped = pl_alloc(&skin->allocator, count, 1);
  pl_status status = list && dropped ? PL_OK : pl_fail_memory(error);
  for (size_t t = 0; !status && t < count; t++) {
    const int *n = skin->triangles + 3 * t;
    int low = n[0] < n[1] ? n[0] : n[1], high = n[0] < n[1] ? n[1] : n[0];
    list[t] = (triple){n[2] < low ? n[2] : low,
                       n[2] < low    ? low
                       : n[2] < high ? n[2]
                                     : high,
                       n[2] > high ? n[2] : high, (int)t};
  }
  if (!status) {
    qsort(list, count, sizeof *list, compare_triples);
    for (size_t i = 1; i < count; i++)
      dropped[list[i].triangle] =
          list[i].a == list[i - 1].a && list[i].b == list[i - 1].b && list[i].c == list[i - 1].c;
    int kept = 0;
    for (size_t t = 0; t < count; t++) {
      if (dropped[t]) continue;
      if (skin->polygons) skin->polygons[kept] = skin->polygons[t];
      memmove(skin->triangles + 3 * (size_t)kept++, skin->triangles + 3 * t, 3 * sizeof(int));
    }
    skin->facts.dropped_triangles += skin->triangle_count - kept;
    skin->triangle_count = kept;
  }
  pl_free(&skin->allocator, list);
  pl_free(&skin->allocator, dropped);
  return status;
}

/* ---- turning ---- */

/* Triangles joined across sides of exactly two, as a forest with path halving; turn is 1 if a
 * triangle runs against its root. */
typedef struct forest {
  int *root;
  unsigned char *turn;
  double *volume;  /* of a root's tree, six times, as its root runs */
  double *against; /* area of those that run against the root       */
  double (*low)[3], (*high)[3];
} forest;

static int find_root(forest *f, int t, int *turn)
{
  int sum = 0, at = t;
  for (; f->root[at] != at; at = f->root[at]) sum ^= f->turn[at];
  // all on the way now hang on the root itself
  int left = sum;
  while (f->root[t] != t) {
    int next = f->root[t], own = f->turn[t];
    f->root[t] = at;
    f->turn[t] = (unsigned char)left;
    left ^= own;
    t = next;
  }
  *turn = sum;
  return at;
}

static void join(forest *f, const side *a, const side *b)
{
  int turn_a, turn_b;
  int root_a = find_root(f, a->triangle, &turn_a), root_b = find_root(f, b->triangle, &turn_b);
  if (root_a == root_b) return;
  // neighbours that agree run through their side both ways
  f->root[root_b] = root_a;
  f->turn[root_b] = (unsigned char)(turn_a ^ turn_b ^ (a->forward == b->forward));
}

static void measure_trees(pl_skin *skin, forest *f)
{
  for (int t = 0; t < skin->triangle_count; t++) {
    int turn, root = find_root(f, t, &turn);
    const int *n = skin->triangles + 3 * (size_t)t;
    double corners[3][3], area[3];
    for (int k = 0; k < 3; k++) {
      pl_vec3_sub(skin->points + 3 * (size_t)n[k], skin->low, corners[k]);
      for (int i = 0; i < 3; i++) {
        f->low[root][i] = fmin(f->low[root][i], corners[k][i]);
        f->high[root][i] = fmax(f->high[root][i], corners[k][i]);
      }
    }
    pl_face_area(skin->points, n, 3, area);
    f->volume[root] += (turn ? -1 : 1) * pl_triple(corners[0], corners[1], corners[2]);
    f->against[root] += (turn ? 1 : -1) * pl_vec3_norm(area);
  }
}

/* Does another tree's box hold that of this one? Then it may be a cavity, as the file says. */
static int is_inside_other(const pl_skin *skin, const forest *f, int root)
{
  for (int t = 0; t < skin->triangle_count; t++) {
    if (f->root[t] != t || t == root) continue;
    int holds = 1;
    for (int k = 0; k < 3; k++)
      holds &= f->low[t][k] < f->low[root][k] && f->high[t][k] > f->high[root][k];
    if (holds) return 1;
  }
  return 0;
}

/* Within a piece the larger part keeps its way; a piece of negative volume is turned, unless it
 * lies in another one. */
static void turn_all(pl_skin *skin, forest *f)
{
  int checked = 0;
  for (int t = 0; t < skin->triangle_count; t++) {
    if (f->root[t] != t) continue;
    skin->facts.pieces++;
    if (f->against[t] > 0) f->volume[t] *= -1;
    int turn = f->against[t] > 0;
    if (f->volume[t] < 0 && !(checked++ < 1000 && is_inside_other(skin, f, t))) turn = !turn;
    f->against[t] = turn;
  }
  for (int t = 0; t < skin->triangle_count; t++) {
    int turn, root = find_root(f, t, &turn);
    if ((turn ^ (f->against[root] > 0)) == 0) continue;
    int *n = skin->triangles + 3 * (size_t)t, first = n[1];
    n[1] = n[2];
    n[2] = first;
    skin->facts.turned_triangles++;
  }
}

/* Joins neighbours; the sides are gone before more memory is taken. */
static pl_status join_all(pl_skin *skin, forest *f, pl_error *error)
{
  size_t count = 3 * (size_t)skin->triangle_count;
  side *sides = pl_alloc(&skin->allocator, count, sizeof *sides);
  if (!sides) return pl_fail_memory(error);
  list_sides(skin, sides);
  for (size_t i = 0, end; i < count; i = end) {
    end = behind(sides, count, i);
    if (end - i == 2) join(f, &sides[i], &sides[i + 1]);
    skin->facts.crowded_edges += end - i > 2;
  }
  pl_free(&skin->allocator, sides);
  return PL_OK;
}

static pl_status turn_outwards(pl_skin *skin, pl_error *error)
{
  const pl_allocator *allocator = &skin->allocator;
  size_t count = (size_t)skin->triangle_count;
  forest f = {.root = pl_alloc(allocator, count, sizeof *f.root),
              .turn = pl_alloc(allocator, count, 1)};
  pl_status status = f.root && f.turn ? PL_OK : pl_fail_memory(error);
  for (size_t t = 0; !status && t < count; t++) f.root[t] = (int)t;
  if (!status) status = join_all(skin, &f, error);
  if (!status) {
    f.volume = pl_alloc(allocator, count, sizeof *f.volume);
    f.against = pl_alloc(allocator, count, sizeof *f.against);
    f.low = pl_alloc(allocator, count, sizeof *f.low);
    f.high = pl_alloc(allocator, count, sizeof *f.high);
    if (!f.volume || !f.against || !f.low || !f.high) status = pl_fail_memory(error);
  }
  for (size_t i = 0; !status && i < 3 * count; i++) {
    f.low[i / 3][i % 3] = INFINITY;
    f.high[i / 3][i % 3] = -INFINITY;
  }
  if (!status) {
    measure_trees(skin, &f);
    turn_all(skin, &f);
  }
  pl_free(allocator, f.root);
  pl_free(allocator, f.turn);
  pl_free(allocator, f.volume);
  pl_free(allocator, f.against);
  pl_free(allocator, f.low);
  pl_free(allocator, f.high);
  return status;
}

/* ---- holes ---- */

/* The open edges: next[a] is the point after a around a hole, plus 1, and -1 where several holes
 * meet. They run against their triangle, so that the closing triangles agree with it. */
static void list_open(pl_skin *skin, const side *sides, int *next)
{
  size_t count = 3 * (size_t)skin->triangle_count;
  for (size_t i = 0, end; i < count; i = end) {
    end = behind(sides, count, i);
    if (end - i != 1) continue;
    skin->facts.open_edges++;
    int from = sides[i].forward ? sides[i].high : sides[i].low;
    int to = sides[i].forward ? sides[i].low : sides[i].high;
    next[from] = next[from] ? -1 : to + 1;
  }
}

/* The length of the loop that starts at a point; 0 if it does not close within most edges. */
static int loop_length(const int *next, int start, int max)
{
  int length = 0, at = start;
  do {
    if (next[at] <= 0 || length++ == max) return 0;
    at = next[at] - 1;
  } while (at != start);
  return length >= 3 ? length : 0;
}

/* Closes loops by fans around their middles, or with one triangle; adds at most as many triangles
 * as there are open edges, and a point for every four. */
static void close_loops(pl_skin *skin, int *next, int max, int old_points)
{
  for (int start = 0; start < old_points; start++) {
    int length = next[start] > 0 ? loop_length(next, start, max) : 0;
    if (!length) continue;
    double middle[3] = {0};
    int apex = -1, at = start;
    for (int i = 0; i < length; i++, at = next[at] - 1)
      pl_vec3_add_scaled(1.0 / length, skin->points + 3 * (size_t)at, middle);
    if (length > 3) {
      apex = skin->point_count++;
      pl_vec3_copy(middle, skin->points + 3 * (size_t)apex);
    }
    at = start;
    for (int i = 0; i < (length > 3 ? length : 1); i++) {
      int to = next[at] - 1;
      int *n = skin->triangles + 3 * (size_t)skin->triangle_count++;
      n[0] = at;
      n[1] = to;
      n[2] = apex >= 0 ? apex : next[to] - 1;
      at = to;
    }
    for (int i = 0; i < length; i++) {
      int after = next[at] - 1;
      next[at] = 0;
      at = after;
      if (at < 0) break;
    }
    skin->facts.closed_holes++;
    skin->facts.open_edges -= length;
  }
}

static pl_status close_holes(pl_skin *skin, int max, pl_error *error)
{
  const pl_allocator *allocator = &skin->allocator;
  size_t sides_count = 3 * (size_t)skin->triangle_count, points = (size_t)skin->point_count;
  side *sides = pl_alloc(allocator, sides_count, sizeof *sides);
  int *next = pl_alloc(allocator, points, sizeof *next);
  pl_status status = sides && next ? PL_OK : pl_fail_memory(error);
  if (!status) {
    list_sides(skin, sides);
    list_open(skin, sides, next);
  }
  size_t open = (size_t)skin->facts.open_edges;
  if (!status && open && max > 0) {
    double *more_points = pl_alloc(allocator, points + open, 3 * sizeof *more_points);
    int *more = pl_alloc(allocator, sides_count / 3 + open, 3 * sizeof *more);
    if (more_points && more) {
      memcpy(more_points, skin->points, 3 * points * sizeof *more_points);
      memcpy(more, skin->triangles, sides_count * sizeof *more);
      pl_free(allocator, skin->points);
      pl_free(allocator, skin->triangles);
      skin->points = more_points;
      skin->triangles = more;
      close_loops(skin, next, max, (int)points);
    } else {
      pl_free(allocator, more_points);
      pl_free(allocator, more);
      status = pl_fail_memory(error);
    }
  }
  pl_free(allocator, sides);
  pl_free(allocator, next);
  return status;
}

/* ---- the whole ---- */

static pl_status check(pl_skin *skin, const pl_skin_def *def, pl_error *error)
{
  for (int k = 0; k < 3; k++) {
    skin->low[k] = INFINITY;
    skin->high[k] = -INFINITY;
  }
  pl_status status = pl_mesh_check_limits(def->point_count, def->triangle_count, error);
  if (status) return status;
  for (int i = 0; i < 3 * def->point_count; i++) {
    double x = def->points[i];
    if (!isfinite(x) || fabs(x) > 1e100)
      return pl_fail_entity(error, PL_E_MESH, i / 3, "point %d has the coordinate %g", i / 3, x);
  }
  // only points of triangles count
  for (int64_t i = 0; i < 3 * (int64_t)def->triangle_count; i++) {
    int n = def->triangles[i];
    if (n < 0 || n >= def->point_count)
      return pl_fail_entity(error, PL_E_MESH, i / 3,
                            "triangle %lld names point %d; there are %d, counted from 0",
                            (long long)(i / 3), n, def->point_count);
    for (int k = 0; k < 3; k++) {
      skin->low[k] = fmin(skin->low[k], def->points[3 * (size_t)n + (size_t)k]);
      skin->high[k] = fmax(skin->high[k], def->points[3 * (size_t)n + (size_t)k]);
    }
  }
  return PL_OK;
}

/* Renumbers the corners and leaves out triangles that have become less than that. */
static void copy_triangles(pl_skin *skin, const pl_skin_def *def, const int *number)
{
  for (int t = 0; t < def->triangle_count; t++) {
    const int *old = def->triangles + 3 * (size_t)t;
    int a = number[old[0]], b = number[old[1]], c = number[old[2]];
    if (a == b || b == c || c == a) continue;
    if (skin->polygons) skin->polygons[skin->triangle_count] = def->polygons[t];
    int *n = skin->triangles + 3 * (size_t)skin->triangle_count++;
    n[0] = a;
    n[1] = b;
    n[2] = c;
  }
  skin->facts.dropped_triangles = def->triangle_count - skin->triangle_count;
}

pl_status pl_skin_create(const pl_skin_def *def, pl_skin **out, pl_error *error)
{
  *out = NULL;
  pl_allocator own = pl_allocator_or_default(def->allocator);
  pl_skin *skin = pl_alloc(&own, 1, sizeof *skin);
  if (!skin) return pl_fail_memory(error);
  skin->allocator = own;
  pl_status status = check(skin, def, error);
  int *number = NULL;
  if (!status) {
    number = pl_alloc(&own, (size_t)def->point_count, sizeof *number);
    skin->points = pl_alloc(&own, (size_t)def->point_count, 3 * sizeof *skin->points);
    skin->triangles = pl_alloc(&own, (size_t)def->triangle_count, 3 * sizeof *skin->triangles);
    if (def->polygons)
      skin->polygons = pl_alloc(&own, (size_t)def->triangle_count, sizeof *skin->polygons);
    if (!number || !skin->points || !skin->triangles || (def->polygons && !skin->polygons))
      status = pl_fail_memory(error);
  }
  if (!status) status = weld_all(skin, def, number, error);
  if (!status) {
    copy_triangles(skin, def, number);
    if (!skin->triangle_count)
      status = pl_fail(error, PL_E_MESH, "the surface has no triangle of any extent");
  }
  pl_free(&own, number);
  if (!status) status = drop_doubles(skin, error);
  if (!status && skin->polygons) skin->polygon_count = skin->triangle_count;
  if (!status) status = turn_outwards(skin, error);
  if (!status) status = close_holes(skin, def->max_hole ? def->max_hole : 64, error);
  if (!status) status = pl_skin_grow_tree(skin, error);
  if (status)
    pl_skin_destroy(skin);
  else
    *out = skin;
  return status;
}

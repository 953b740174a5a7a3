/* Hexahedra of an octree: cubes of the wanted size at the surface that double with depth, over the
 * leaves of lattice.h (2:1 over faces and edges, all leaves within one and a half cells of the
 * surface finest). Corners of small leaves on edges and faces of larger ones hang (graded.h).
 *
 * What stands at the surface: the cubes whose middles lie inside (inside); all that the volume may
 * touch, as a cage for a surface that follows (embedded); or the cubes of inside with the nodes of
 * their boundary moved onto the surface, along the slope of the volume's value, by so much that no
 * corner of a hexahedron loses more than four fifths of its volume (trimmed). */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "mesh/graded.h"
#include "mesh/lattice.h"

#include <math.h>
#include <string.h>

enum { SIZE = 0, ELEMENTS, GRADING, SURFACE };
enum { INSIDE, EMBEDDED, TRIMMED };

static const pl_param params[] = {
    {"size", "m", "edge of the cubes at the surface; without it, as follows from elements", NAN,
     1e-12, 1e9, NULL, 0},
    {"elements", "count", "about how many elements, where no size is given", 10000, 1, 5e7, NULL,
     0},
    {"grading", "count", "how often edges double towards the inside, where there is room",
     PL_LATTICE_LEVELS, 0, PL_LATTICE_LEVELS, NULL, 0},
    {"surface", "1",
     "cubes whose middles lie inside; all that touch, for a surface embedded in them; or nodes "
     "moved onto the surface",
     TRIMMED, 0, 2, "inside|embedded|trimmed", 0},
};

/* How much of the volume at each corner is left after trimming, at least. */
static const double min_share = 0.2;
enum { HALVINGS = 5, SWEEPS = 4 };

typedef struct octree {
  pl_lattice lattice;
  pl_graded graded;
  int surface;
  pl_error *error;
} octree;

/* ---- leaves ---- */

/* Does the volume take part in this finest leaf? */
static int is_kept(const octree *o, const int cell[3])
{
  const pl_lattice *l = &o->lattice;
  double middle[3];
  pl_lattice_place(l, (int[]){2 * cell[0] + 1, 2 * cell[1] + 1, 2 * cell[2] + 1}, middle);
  double value = pl_volume_value(l->volume, middle);
  return o->surface == EMBEDDED ? value <= sqrt(3.0) * l->half : value < 0;
}

static pl_status add_leaf(void *context, const int cell[3], int code)
{
  octree *o = context;
  int width = 1 << (code & PL_LEAF_LEVEL), high[3];
  if (code & PL_LEAF_NEAR && !is_kept(o, cell)) return PL_OK;
  for (int k = 0; k < 3; k++) high[k] = cell[k] + width;
  return pl_graded_cell(&o->graded, cell, high, o->error);
}

/* ---- trimming ---- */

/* Cells of each node: those of node n are list[start[n]] and on. */
typedef struct around {
  int *start, *list;
} around;

static pl_status find_around(const pl_graded *g, around *out, pl_error *error)
{
  size_t nodes = g->node_count, uses = 8 * g->cell_count;
  out->start = pl_alloc(&g->allocator, nodes + 2, sizeof(int));
  out->list = pl_alloc(&g->allocator, uses, sizeof(int));
  if (!out->start || !out->list) return pl_fail_memory(error);
  const int *uses_of = &g->cells[0][0];
  for (size_t i = 0; i < uses; i++) out->start[uses_of[i] + 2]++;
  for (size_t n = 0; n < nodes; n++) out->start[n + 2] += out->start[n + 1];
  for (size_t i = 0; i < uses; i++) out->list[out->start[uses_of[i] + 1]++] = (int)(i / 8);
  return PL_OK;
}

/* The least volume at a corner of the cells around a node, in units of a cube's. */
static double min_corner(const octree *o, const around *a, const double *positions, int node)
{
  double min = INFINITY, cube = 8 * o->lattice.half * o->lattice.half * o->lattice.half;
  for (int i = a->start[node]; i < a->start[node + 1]; i++) {
    const int *cell = o->graded.cells[a->list[i]];
    for (int c = 0; c < 8; c++) {
      // the three neighbours of a corner, right-handed
      const int ring = c % 4, base = c - ring, up = c < 4;
      const double *x = positions + 3 * (size_t)cell[c];
      const double *p = positions + 3 * (size_t)cell[base + (ring + 1) % 4];
      const double *q = positions + 3 * (size_t)cell[base + (ring + 3) % 4];
      const double *r = positions + 3 * (size_t)cell[up ? c + 4 : c - 4];
      double u[3], v[3], w[3], n[3];
      pl_vec3_sub(p, x, u);
      pl_vec3_sub(q, x, v);
      pl_vec3_sub(r, x, w);
      pl_vec3_cross(u, v, n);
      min = fmin(min, (up ? 1 : -1) * pl_vec3_dot(n, w) / cube);
    }
  }
  return min;
}

/* From a place to the surface by Newton steps along the slope of the value; no farther than a cell.
 * 0 where there is no slope. */
static int to_surface(const octree *o, const double from[3], double to[3])
{
  const pl_volume *volume = o->lattice.volume;
  const double size = 2 * o->lattice.half, h = 1e-3 * size;
  double way[3];
  pl_vec3_copy(from, to);
  for (int step = 0; step < 4; step++) {
    double slope[3], value = pl_volume_value(volume, to);
    for (int k = 0; k < 3; k++) {
      double side[2][3];
      for (int s = 0; s < 2; s++) {
        pl_vec3_copy(to, side[s]);
        side[s][k] += s ? h : -h;
      }
      slope[k] = (pl_volume_value(volume, side[1]) - pl_volume_value(volume, side[0])) / (2 * h);
    }
    double square = pl_vec3_dot(slope, slope);
    if (!(square > 0.01)) return 0;
    pl_vec3_add_scaled(-value / square, slope, to);
  }
  pl_vec3_sub(to, from, way);
  return pl_vec3_norm(way) < size;
}

/* Is a cell missing at the node, and may it move: no other hangs on it, nor it on others? */
static int may_move(const octree *o, const around *a, const unsigned char *carries, int node)
{
  return a->start[node + 1] - a->start[node] < 8 && !o->graded.hangs[node] && !carries[node];
}

static void trim_node(const octree *o, const around *a, double *positions, int node)
{
  double *x = positions + 3 * (size_t)node, from[3], to[3];
  pl_vec3_copy(x, from);
  if (!to_surface(o, from, to)) return;
  for (int i = 0; i < HALVINGS; i++) {
    pl_vec3_copy(to, x);
    if (min_corner(o, a, positions, node) >= min_share) return;
    for (int k = 0; k < 3; k++) to[k] = 0.5 * (to[k] + from[k]);
  }
  pl_vec3_copy(from, x);
}

static pl_status trim(const octree *o, double *positions, pl_error *error)
{
  const pl_graded *g = &o->graded;
  around a = {0};
  unsigned char *carries = pl_alloc(&g->allocator, g->node_count, 1);
  pl_status status = carries ? find_around(g, &a, error) : pl_fail_memory(error);
  for (size_t h = 0; h < g->hanging_count && !status; h++) {
    for (int j = 0; j < g->hanging[h].count; j++) carries[g->hanging[h].parents[j]] = 1;
  }
  // what holds a node back may itself have moved the next time
  for (int sweep = 0; sweep < SWEEPS && !status; sweep++) {
    for (int n = 0; n < (int)g->node_count; n++) {
      if (may_move(o, &a, carries, n)) trim_node(o, &a, positions, n);
    }
  }
  pl_free(&g->allocator, carries);
  pl_free(&g->allocator, a.start);
  pl_free(&g->allocator, a.list);
  return status;
}

/* ---- the whole ---- */

static pl_status finish(octree *o, double size, pl_mesh **mesh, pl_error *error)
{
  pl_graded *g = &o->graded;
  if (!g->cell_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "no cube of %g m has its middle in the shape, which is thinner than that; make "
                   "the size smaller, or take surface=\"embedded\"",
                   size);
  double *positions = pl_alloc(&g->allocator, 3 * g->node_count, sizeof *positions);
  pl_status status = positions ? pl_graded_hang(g, error) : pl_fail_memory(error);
  for (size_t n = 0; n < g->node_count && !status; n++) {
    const int *at = g->nodes[n];
    pl_lattice_place(&o->lattice, (int[]){2 * at[0], 2 * at[1], 2 * at[2]}, positions + 3 * n);
  }
  if (!status && o->surface == TRIMMED) status = trim(o, positions, error);
  if (!status) status = pl_graded_mesh(g, positions, 0, NULL, mesh, error);
  pl_free(&g->allocator, positions);
  return status;
}

static pl_status fill(const pl_volume *volume, double size, const double *values,
                      const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  octree o = {.surface = (int)values[SURFACE], .error = error};
  pl_graded_begin(&o.graded, allocator);
  pl_status status =
      pl_lattice_create(&o.lattice, volume, size, (int)values[GRADING], allocator, error);
  if (!status) status = pl_lattice_each(&o.lattice, add_leaf, &o);
  if (!status) status = finish(&o, size, mesh, error);
  pl_graded_release(&o.graded);
  pl_lattice_free(&o.lattice);
  return status;
}

const pl_filler_ops pl_filler_octree = {
    .info = {"octree", "hexahedra, fine at the surface and doubling with depth; nodes hang between",
             "Zhuang & Canny 2000, 5", params, sizeof params / sizeof *params, NULL},
    .elements_per_cell = 1,
    .grading = GRADING,
    .fill = fill,
};

/* A box of hexahedra that are fine at the surface and coarser with depth (Zhuang & Canny 2000,
 * section 5: size proportional to depth, so that n cells along an edge take O(n^2) elements instead
 * of n^3).
 *
 * Each axis has breaks, at first those of equal cells. A level leaves some layers of cells at both
 * ends as they are, and joins the cells between them in pairs (or triples). What is left over stays
 * a single cell in the middle, or, for cubes of powers of two only (an octree), becomes another
 * layer at the far end. The next level does the same inside. Every level fills its box without that
 * of the next one by the products of its breaks. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/generator.h"
#include "mesh/graded.h"

#include <string.h>

enum { SIZE, CELLS = 3, ORIGIN = 6, LEVELS = 9, LAYERS, RATIO, REST };
enum { MIDDLE, OUTSIDE };

static const pl_param params[] = {
    {"size", "m", "length of the edges along x, y and z", 1, 1e-9, 1e9, NULL, 3},
    {"cells", "count", "cells along x, y and z at the surface", 8, 1, 4096, NULL, 3},
    {"origin", "m", "the corner with the least coordinates", 0, -1e9, 1e9, NULL, 3},
    {"levels", "count", "how often cells grow towards the inside, where there is room", 1, 0, 12,
     NULL, 0},
    {"layers", "count", "cells of each size before they grow", 1, 1, 100, NULL, 0},
    {"ratio", "count", "how many cells are joined along each edge", 2, 2, 3, NULL, 0},
    {"rest", "1", "a cell that cannot be joined stays in the middle, or lies outside", MIDDLE, 0, 1,
     "middle|outside", 0},
};

static const char *const set_names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};

/* The breaks of an axis at one level. */
typedef struct axis {
  int count, *breaks;
} axis;

typedef struct plan {
  pl_graded graded;
  axis axes[3];
  int layers, ratio, rest;
  int64_t planned; /* cells, so far */
} plan;

/* ---- breaks ---- */

/* The part of an axis inside the layers, its cells joined; 0 if there is nothing to join. */
static int coarsen(const plan *p, axis *a)
{
  int first = p->layers, cells = a->count - 1 - 2 * p->layers;
  if (p->rest == OUTSIDE) cells -= cells % p->ratio;
  int groups = cells / p->ratio, single = cells % p->ratio, to = 0;
  if (groups < 1) return 0;
  int before = (groups + 1) / 2, at = first;
  a->breaks[to++] = a->breaks[at];
  for (int g = 0; g < groups; g++) {
    if (g == before) {
      for (int s = 0; s < single; s++) a->breaks[to++] = a->breaks[++at];
    }
    at += p->ratio;
    a->breaks[to++] = a->breaks[at];
  }
  if (before == groups) {
    for (int s = 0; s < single; s++) a->breaks[to++] = a->breaks[++at];
  }
  a->count = to;
  return 1;
}

/* The cells of a level that the next one replaces: from low to high along each axis. */
typedef struct hole {
  int low[3], high[3];
} hole;

static hole find_hole(const axis *axes, const axis *next, int grows)
{
  hole h = {{0}, {0}};
  for (int k = 0; k < 3 && grows; k++) {
    int last = next[k].breaks[next[k].count - 1];
    while (axes[k].breaks[h.low[k]] < next[k].breaks[0]) h.low[k]++;
    h.high[k] = h.low[k];
    while (axes[k].breaks[h.high[k]] < last) h.high[k]++;
  }
  return h;
}

/* Refuses what would be too much before it is made. */
static pl_status count_level(plan *p, const hole *h, pl_error *error)
{
  int64_t all = 1, inside = 1;
  for (int k = 0; k < 3; k++) {
    all *= p->axes[k].count - 1;
    inside *= h->high[k] - h->low[k];
  }
  p->planned += all - inside;
  return pl_mesh_check_limits(0, p->planned, error);
}

/* The cells of one level but for those in the hole. */
static pl_status add_level(plan *p, const hole *h, pl_error *error)
{
  const axis *axes = p->axes;
  int at[3];
  pl_status status = count_level(p, h, error);
  for (at[2] = 0; at[2] + 1 < axes[2].count; at[2]++) {
    for (at[1] = 0; at[1] + 1 < axes[1].count; at[1]++) {
      int crosses = 1;
      for (int k = 1; k < 3; k++) crosses &= at[k] >= h->low[k] && at[k] < h->high[k];
      for (at[0] = 0; at[0] + 1 < axes[0].count && !status; at[0]++) {
        int low[3], high[3];
        if (crosses && at[0] == h->low[0]) at[0] = h->high[0];
        for (int k = 0; k < 3; k++) {
          low[k] = axes[k].breaks[at[k]];
          high[k] = axes[k].breaks[at[k] + 1];
        }
        status = pl_graded_cell(&p->graded, low, high, error);
      }
    }
  }
  return status;
}

/* All levels; the next one's breaks are made in a copy, since those of this one are still needed.
 */
static pl_status add_levels(plan *p, int levels, int *room, pl_error *error)
{
  for (int level = 0;; level++) {
    axis next[3];
    int grows = level < levels;
    for (int k = 0; k < 3; k++) {
      next[k] = (axis){p->axes[k].count, room};
      room += p->axes[k].count;
      memcpy(next[k].breaks, p->axes[k].breaks, (size_t)next[k].count * sizeof(int));
      grows = grows && coarsen(p, &next[k]);
    }
    const hole h = find_hole(p->axes, next, grows);
    pl_status status = add_level(p, &h, error);
    if (status || !grows) return status;
    memcpy(p->axes, next, sizeof next);
  }
}

/* ---- the mesh ---- */

static int on_side(const int at[3], const int cells[3], int side)
{
  return at[side / 2] == (side % 2 ? cells[side / 2] : 0);
}

/* Positions and the sets of the six sides. */
static pl_status finish(const pl_graded *g, const double *values, const int cells[3],
                        pl_mesh **mesh, pl_error *error)
{
  double *positions = pl_alloc(&g->allocator, 3 * g->node_count, sizeof *positions);
  int *ids = pl_alloc(&g->allocator, 6 * g->node_count, sizeof *ids);
  pl_status status = positions && ids ? PL_OK : pl_fail_memory(error);
  pl_set sets[6];
  for (size_t i = 0; i < 3 * g->node_count && !status; i++) {
    size_t k = i % 3;
    positions[i] = values[ORIGIN + k] + values[SIZE + k] * ((double)g->nodes[i / 3][k] / cells[k]);
  }
  for (int s = 0; s < 6 && !status; s++) {
    int *own = ids + (size_t)s * g->node_count;
    sets[s] = (pl_set){.name = set_names[s], .ids = own};
    for (size_t i = 0; i < g->node_count; i++) {
      if (on_side(g->nodes[i], cells, s)) own[sets[s].count++] = (int)i;
    }
  }
  if (!status) status = pl_graded_mesh(g, positions, 6, sets, mesh, error);
  pl_free(&g->allocator, positions);
  pl_free(&g->allocator, ids);
  return status;
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  int cells[3], levels = (int)values[LEVELS];
  size_t breaks = 0;
  for (int k = 0; k < 3; k++) {
    cells[k] = (int)values[CELLS + k];
    breaks += (size_t)cells[k] + 1;
  }
  plan p = {.layers = (int)values[LAYERS], .ratio = (int)values[RATIO], .rest = (int)values[REST]};
  int *memory = pl_alloc(allocator, breaks * ((size_t)levels + 2), sizeof *memory), *room = memory;
  if (!memory) return pl_fail_memory(error);
  for (int k = 0; k < 3; k++) {
    p.axes[k] = (axis){cells[k] + 1, room};
    for (int i = 0; i <= cells[k]; i++) *room++ = i;
  }
  pl_graded_begin(&p.graded, allocator);
  pl_status status = add_levels(&p, levels, room, error);
  if (!status) status = pl_graded_hang(&p.graded, error);
  if (!status) status = finish(&p.graded, values, cells, mesh, error);
  pl_graded_release(&p.graded);
  pl_free(allocator, memory);
  return status;
}

const pl_generator_ops pl_generator_graded_box = {
    .info = {"graded-box", "a box of hexahedra that grow with depth; nodes hang where sizes meet",
             "Zhuang & Canny 2000, 5", params, sizeof params / sizeof *params, NULL},
    .generate = generate,
};

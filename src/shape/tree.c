/* Making, ordering and refitting of the trees. */
#include "shape/tree.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/quad.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_CHUNKS_LOG = 6, POINT_CHUNK = 8192, SAMPLES = 63 };

/* ---- making ---- */

static int levels_for(int triangles)
{
  int levels = 0;
  while (((int64_t)PL_LEAF << levels) < triangles) levels++;
  return levels;
}

static void lay_out(pl_trees *forest)
{
  const int *start = forest->features->triangle_start;
  for (int s = 0; s < forest->features->surface_count; s++) {
    pl_tree *tree = &forest->trees[s];
    tree->levels = levels_for(start[s + 1] - start[s]);
    tree->node = forest->node_count;
    tree->leaf = forest->leaf_count;
    tree->chunk = forest->chunk_count;
    // small trees are one chunk
    tree->top = tree->levels < 10 ? 0 : tree->levels - 8;
    if (tree->top > MOST_CHUNKS_LOG) tree->top = MOST_CHUNKS_LOG;
    forest->node_count += (size_t)2 << tree->levels;
    forest->leaf_count += (size_t)1 << tree->levels;
    forest->chunk_count += 1 << tree->top;
  }
}

static int largest_surface(const pl_features *f)
{
  int max = 0;
  for (int s = 0; s < f->surface_count; s++) {
    int count = f->triangle_start[s + 1] - f->triangle_start[s];
    if (count > max) max = count;
  }
  return max;
}

static pl_status take_all(pl_trees *forest, pl_error *error)
{
  const pl_allocator *a = &forest->allocator;
  const pl_features *f = forest->features;
  size_t max = (size_t)largest_surface(f), chunks = (size_t)forest->chunk_count;
  forest->nodes = pl_alloc(a, forest->node_count, sizeof *forest->nodes);
  forest->departures = pl_alloc(a, forest->node_count, sizeof *forest->departures);
  forest->leaves = pl_alloc(a, forest->leaf_count, sizeof *forest->leaves);
  forest->slots = pl_alloc(a, PL_LEAF * forest->leaf_count, sizeof *forest->slots);
  forest->at = pl_alloc(a, 2 * (size_t)f->point_count, sizeof *forest->at);
  forest->chunks = pl_alloc(a, chunks, sizeof *forest->chunks);
  forest->areas = pl_alloc(a, chunks, sizeof *forest->areas);
  forest->pads = pl_alloc(a, (size_t)f->surface_count, sizeof *forest->pads);
  forest->keys = pl_alloc(a, max, sizeof *forest->keys);
  forest->centres = pl_alloc(a, max, sizeof *forest->centres);
  if (forest->nodes && forest->departures && forest->leaves && forest->slots && forest->at &&
      forest->chunks && forest->areas && forest->pads && forest->keys && forest->centres)
    return PL_OK;
  return pl_fail_memory(error);
}

pl_status pl_trees_make(pl_trees *forest, const pl_features *features, pl_error *error)
{
  size_t surfaces = (size_t)features->surface_count;
  forest->allocator = features->allocator;
  forest->features = features;
  forest->trees = pl_alloc(&forest->allocator, surfaces, sizeof *forest->trees);
  if (!forest->trees) return pl_fail_memory(error);
  lay_out(forest);
  pl_status status = take_all(forest, error);
  for (size_t s = 0; s < surfaces && !status; s++) {
    const pl_tree *tree = &forest->trees[s];
    for (int i = 0; i < 1 << tree->top; i++)
      forest->chunks[tree->chunk + i] = (pl_tree_chunk){(int)s, (1 << tree->top) + i};
  }
  return status;
}

void pl_trees_release(pl_trees *forest)
{
  void *const all[] = {forest->departures, forest->trees, forest->nodes,  forest->leaves,
                       forest->slots,      forest->at,    forest->chunks, forest->areas,
                       forest->pads,       forest->keys,  forest->centres};
  if (!forest->allocator.alloc) return;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(&forest->allocator, all[i]);
}

void pl_trees_forget(pl_trees *forest) { forest->built_area = 0; }

/* ---- coordinates ---- */

/* What one refit works on. */
typedef struct refit {
  pl_trees *forest;
  const double *x, *to, *drift;
  const double *from; /* departures from there; NULL: boxes of triangles */
  pl_tree_box *boxes;
} refit;

/* The middle one of some points, axis by axis: points that have flown off do not move it. */
static void choose_origin(pl_trees *forest, const double *x)
{
  int count = forest->features->point_count, stride = count / SAMPLES + 1;
  for (int k = 0; k < 3; k++) {
    double sorted[SAMPLES];
    int n = 0;
    for (int64_t i = 0; i < count; i += stride) {
      double value = x[3 * i + k];
      if (!isfinite(value)) continue;
      int j = n++;
      for (; j > 0 && sorted[j - 1] > value; j--) sorted[j] = sorted[j - 1];
      sorted[j] = value;
    }
    forest->origin[k] = n ? sorted[n / 2] : 0;
  }
}

static void convert(const double *x, const double *origin, float (*to)[4], int first, int last)
{
  for (int i = first; i < last; i++) {
    for (int k = 0; k < 3; k++) to[i][k] = (float)(x[3 * (size_t)i + (size_t)k] - origin[k]);
    to[i][3] = 0;
  }
}

/* Where points go, less the drift of their surface. */
static void convert_drifting(const refit *r, int first, int last)
{
  const pl_trees *forest = r->forest;
  const pl_features *f = forest->features;
  float(*out)[4] = forest->at + f->point_count;
  for (int i = first; i < last; i++) {
    const double *drift = r->drift + 3 * (size_t)f->point_surface[i];
    for (int k = 0; k < 3; k++)
      out[i][k] = (float)(r->to[3 * (size_t)i + (size_t)k] - drift[k] - forest->origin[k]);
    out[i][3] = 0;
  }
}

static void convert_chunk(void *context, int chunk)
{
  const refit *r = context;
  pl_trees *forest = r->forest;
  int count = forest->features->point_count, first = chunk * POINT_CHUNK;
  int last = count - first < POINT_CHUNK ? count : first + POINT_CHUNK;
  convert(r->x, forest->origin, forest->at, first, last);
  if (r->to && r->drift)
    convert_drifting(r, first, last);
  else if (r->to)
    convert(r->to, forest->origin, forest->at + count, first, last);
}

/* ---- order ---- */

/* Floats as numbers of the same order. */
static uint32_t rank_of(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* The triangles' places, in thirds: sums of their corners. */
static void find_centres(pl_trees *forest, int s)
{
  const pl_features *f = forest->features;
  int first = f->triangle_start[s], count = f->triangle_start[s + 1] - first;
  for (int t = 0; t < count; t++) {
    const int *c = f->triangles + 3 * (size_t)(first + t);
    for (int k = 0; k < 3; k++)
      forest->centres[t][k] = forest->at[c[0]][k] + forest->at[c[1]][k] + forest->at[c[2]][k];
    forest->keys[t] = (uint64_t)t;
  }
}

/* The axis along which some triangles are spread most. */
static int longest_axis(const pl_trees *forest, const uint64_t *keys, int64_t count)
{
  float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
  for (int64_t i = 0; i < count; i++) {
    const float *centre = forest->centres[keys[i] & UINT32_MAX];
    for (int k = 0; k < 3; k++) {
      low[k] = centre[k] < low[k] ? centre[k] : low[k];
      high[k] = centre[k] > high[k] ? centre[k] : high[k];
    }
  }
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  }
  return axis;
}

static uint64_t middle_of(uint64_t a, uint64_t b, uint64_t c)
{
  if (a > b) {
    uint64_t other = a;
    a = b;
    b = other;
  }
  return c < a ? a : c > b ? b : c;
}

/* Brings the least `left` of some different keys to the front (C. A. R. Hoare, "Find", 1961). */
static void divide_keys(uint64_t *keys, int64_t count, int64_t left)
{
  int64_t first = 0, last = count - 1;
  while (first < last) {
    uint64_t pivot = middle_of(keys[first], keys[(first + last) / 2], keys[last]);
    int64_t i = first, j = last;
    while (i <= j) {
      while (keys[i] < pivot) i++;
      while (keys[j] > pivot) j--;
      if (i > j) break;
      uint64_t other = keys[i];
      keys[i++] = keys[j];
      keys[j--] = other;
    }
    if (left <= j)
      last = j;
    else if (left >= i)
      first = i;
    else
      return;
  }
}

/* Shares triangles out to the leaves below a node: the left child is filled up before the right
 * one gets any, so that leaves are full. */
static void order_below(const pl_trees *forest, uint64_t *keys, int64_t count, int levels)
{
  for (; levels > 0; levels--) {
    int64_t left = (int64_t)PL_LEAF << (levels - 1);
    if (count <= left) continue;
    int axis = longest_axis(forest, keys, count);
    for (int64_t i = 0; i < count; i++) {
      uint64_t t = keys[i] & UINT32_MAX;
      keys[i] = (uint64_t)rank_of(forest->centres[t][axis]) << 32 | t;
    }
    divide_keys(keys, count, left);
    order_below(forest, keys + left, count - left, levels - 1);
    count = left;
  }
}

static void fill_slot(const pl_features *f, int triangle, pl_tree_slot *slot)
{
  *slot = (pl_tree_slot){.triangle = triangle};
  if (triangle < 0) return;
  slot->owned = f->owned_points[triangle];
  for (int k = 0; k < 3; k++) {
    slot->points[k] = f->triangles[3 * (size_t)triangle + (size_t)k];
    slot->edges[k] = f->owned_edges[3 * (size_t)triangle + (size_t)k];
  }
}

static void build_surface(pl_trees *forest, int s)
{
  const pl_features *f = forest->features;
  const pl_tree *tree = &forest->trees[s];
  int start = f->triangle_start[s];
  int64_t count = f->triangle_start[s + 1] - start;
  find_centres(forest, s);
  order_below(forest, forest->keys, count, tree->levels);
  pl_tree_slot *slots = forest->slots + PL_LEAF * tree->leaf;
  for (int64_t i = 0; i < (int64_t)PL_LEAF << tree->levels; i++)
    fill_slot(f, i < count ? start + (int)(forest->keys[i] & UINT32_MAX) : -1, &slots[i]);
}

/* ---- boxes ---- */

static const pl_tree_box EMPTY = {{HUGE_VALF, HUGE_VALF, HUGE_VALF, 0},
                                  {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF, 0}};

/* The box of a triangle, or of its motion. */
static pl_tree_box box_of(const pl_trees *forest, const pl_tree_slot *slot, float pad, float *scale)
{
  pl_quad low = pl_quad_load(EMPTY.low), high = pl_quad_load(EMPTY.high);
  int count = forest->features->point_count;
  for (int c = 0; c < 3; c++) {
    pl_quad at = pl_quad_load(forest->at[slot->points[c]]);
    low = pl_quad_min(at, low);
    high = pl_quad_max(at, high);
    if (!forest->is_moving) continue;
    at = pl_quad_load(forest->at[(size_t)count + (size_t)slot->points[c]]);
    low = pl_quad_min(at, low);
    high = pl_quad_max(at, high);
  }
  pl_quad size = pl_quad_max(-low, high);
  float max = size[0] > size[1] ? size[0] : size[1];
  max = max > size[2] ? max : size[2];
  *scale = max;
  if (!(max <= FLT_MAX)) return EMPTY; // not finite: touches nothing
  pl_quad grow = pl_quad_all(pad + PL_SINGLE_ERROR * max);
  pl_tree_box box;
  pl_quad_store(box.low, low - grow);
  pl_quad_store(box.high, high + grow);
  return box;
}

static pl_tree_box join(const pl_tree_box *a, const pl_tree_box *b)
{
  pl_tree_box box;
  pl_quad_store(box.low, pl_quad_min(pl_quad_load(a->low), pl_quad_load(b->low)));
  pl_quad_store(box.high, pl_quad_max(pl_quad_load(a->high), pl_quad_load(b->high)));
  return box;
}

/* A leaf's triangles, and the box of all of them. */
static pl_tree_box fit_leaf(pl_trees *forest, size_t leaf, float pad)
{
  pl_tree_box all = EMPTY;
  pl_tree_leaf *out = &forest->leaves[leaf];
  for (int k = 0; k < PL_LEAF; k++) {
    const pl_tree_slot *slot = &forest->slots[PL_LEAF * leaf + (size_t)k];
    pl_tree_box box = EMPTY;
    out->scale[k] = 0;
    if (slot->triangle >= 0) box = box_of(forest, slot, pad, &out->scale[k]);
    for (int a = 0; a < 3; a++) {
      out->low[a][k] = box.low[a];
      out->high[a][k] = box.high[a];
    }
    all = join(&all, &box);
  }
  return all;
}

/* How far the points of a leaf's triangles have departed; without bounds where that is not finite.
 */
static pl_tree_box depart_leaf(const refit *r, size_t leaf)
{
  pl_tree_box all = EMPTY;
  pl_quad low = pl_quad_load(EMPTY.low), high = pl_quad_load(EMPTY.high);
  float max = 0;
  for (int k = 0; k < 3 * PL_LEAF; k++) {
    const pl_tree_slot *slot = &r->forest->slots[PL_LEAF * leaf + (size_t)k / 3];
    if (slot->triangle < 0) continue;
    const size_t point = 3 * (size_t)slot->points[k % 3];
    float way[4] = {0};
    for (size_t c = 0; c < 3; c++) {
      way[c] = (float)(r->x[point + c] - r->from[point + c]);
      float size = way[c] < 0 ? -way[c] : way[c];
      max = size <= max ? max : size; // not a number as well
    }
    low = pl_quad_min(pl_quad_load(way), low);
    high = pl_quad_max(pl_quad_load(way), high);
  }
  const pl_quad grow = pl_quad_all(max <= FLT_MAX ? PL_SINGLE_ERROR * max : HUGE_VALF);
  pl_quad_store(all.low, low - grow);
  pl_quad_store(all.high, high + grow);
  return all;
}

static double half_area(const pl_tree_box *box)
{
  double side[3];
  for (int k = 0; k < 3; k++) side[k] = (double)box->high[k] - (double)box->low[k];
  double area = side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
  return area > 0 && area < HUGE_VAL ? area : 0;
}

/* Nodes [first, last) from their children. */
static void join_nodes(pl_tree_box *nodes, size_t first, size_t last)
{
  for (size_t k = first; k < last; k++) nodes[k] = join(&nodes[2 * k], &nodes[2 * k + 1]);
}

static void refit_chunk(void *context, int number)
{
  const refit *r = context;
  pl_trees *forest = r->forest;
  const pl_tree_chunk *chunk = &forest->chunks[number];
  const pl_tree *tree = &forest->trees[chunk->tree];
  pl_tree_box *nodes = r->boxes + tree->node;
  float pad = forest->pads[chunk->tree];
  int below = tree->levels - tree->top;
  size_t root = (size_t)chunk->root, first = root << below, last = (root + 1) << below;
  double area = 0;
  for (size_t k = first; k < last; k++) {
    const size_t leaf = tree->leaf + k - ((size_t)1 << tree->levels);
    nodes[k] = r->from ? depart_leaf(r, leaf) : fit_leaf(forest, leaf, pad);
    area += half_area(&nodes[k]);
  }
  forest->areas[number] = area;
  for (int level = below - 1; level >= 0; level--)
    join_nodes(nodes, root << level, (root + 1) << level);
}

static double fit_boxes(refit *r, pl_pool *pool)
{
  pl_trees *forest = r->forest;
  double area = 0;
  pl_parallel(pool, forest->chunk_count, refit_chunk, r);
  for (int i = 0; i < forest->chunk_count; i++) area += forest->areas[i];
  for (int s = 0; s < forest->features->surface_count; s++) {
    const pl_tree *tree = &forest->trees[s];
    for (int level = tree->top - 1; level >= 0; level--)
      join_nodes(r->boxes + tree->node, (size_t)1 << level, (size_t)2 << level);
  }
  return area;
}

void pl_trees_refit(pl_trees *forest, const double *x, const double *to, const double *drift,
                    const pl_finder_surface *surfaces, double pad, pl_pool *pool)
{
  refit r = {.forest = forest, .x = x, .to = to, .drift = drift, .boxes = forest->nodes};
  int count = forest->features->surface_count;
  choose_origin(forest, x);
  forest->is_moving = to != NULL;
  // rounded up
  for (int s = 0; s < count; s++)
    forest->pads[s] = (float)((pad + 0.5 * surfaces[s].thickness) * (1 + 1e-6));
  pl_parallel(pool, pl_chunk_count(forest->features->point_count, POINT_CHUNK), convert_chunk, &r);
  int stale = !(forest->built_area > 0);
  if (!stale) stale = fit_boxes(&r, pool) > 2 * forest->built_area && !to;
  if (!stale) return;
  for (int s = 0; s < count; s++) build_surface(forest, s);
  forest->built_area = fmax(fit_boxes(&r, pool), DBL_MIN);
}

void pl_trees_depart(pl_trees *forest, const double *x, const double *from, pl_pool *pool)
{
  refit r = {.forest = forest, .x = x, .from = from, .boxes = forest->departures};
  (void)fit_boxes(&r, pool);
}
